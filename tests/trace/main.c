/* trace: random nests, run one access after the other, beside what the analyses say of them.
 *
 *   trace --seed S --count N [--print]
 *
 * The dependence graph: two accesses to one element, or of one variable, the later one of which is seen in a run, need
 * an edge that leads from the one to the other and agrees in its directions, distances and conditions. Linear forms:
 * where the conditions hold under which a subscript is said to be a polynomial, it has its value.
 *
 * Exit status: 0 all hold, 1 some do not, 2 the command line cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/loop/text.h"
#include "loader/base/alloc.h"
#include "tests/trace/trace.h"

/* Of what reaches one element, each is compared with so many before it. */
enum { BEFORE = 200 };

typedef struct tally {
    uint64_t programs, refused, inner, edges, pairs, met, events, claims, failed;
} tally;

/* ---- Dependences --------------------------------------------------------------------------------------------------
 */

static bool is_access(const tirbi_nest_access *a, const trace_event *e) {
    const bool writes = a->at.what != TIRBI_LOADS;
    if (writes != e->writes) return false;
    return e->place ? a->at.place == e->place : a->var == e->var && a->at.part == e->part;
}

static uint8_t way_of(int64_t earlier, int64_t later) {
    return later > earlier ? TIRBI_LT : later == earlier ? TIRBI_EQ : TIRBI_GT;
}

/* Whether an edge says that the two events may be as they are. */
static bool allows(trace_run *run, const tirbi_edge *e, const trace_event *first, const trace_event *second) {
    const tirbi_dependences *g = run->graph;
    const tirbi_nest_access *from = &g->access[e->from];
    int64_t value;
    for (uint32_t i = 0; i < e->n_common; i++) {
        const int64_t x = first->iteration[from->loop[i]], y = second->iteration[from->loop[i]];
        const uint8_t way = way_of(x, y);
        if (!(e->direction[i] & way) || (i < e->carrier && way != TIRBI_EQ)) return false;
        if (e->distance[i] && (!trace_poly(run, g->facts, e->distance[i], &value) || value != y - x)) return false;
        if (i != (e->carrier < e->n_common ? e->carrier : 0) || !e->at) continue;
        if (!trace_poly(run, g->facts, e->at, &value)) return false;
        if (e->meets == TIRBI_MEETS_AT ? x != value && y != value : x + y != value) return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        int64_t provided = 0;
        if (e->unless[i] && trace_poly(run, g->facts, e->unless[i], &value) && value >= 0 &&
            (!e->provided[i] || trace_poly(run, g->facts, e->provided[i], &provided)) && provided >= 0)
            return false;
    }
    return true;
}

static bool has_edge(trace_run *run, const trace_event *first, const trace_event *second) {
    const tirbi_dependences *g = run->graph;
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const tirbi_edge *e = &g->edge[i];
        if (is_access(&g->access[e->from], first) && is_access(&g->access[e->to], second) &&
            allows(run, e, first, second))
            return true;
    }
    return false;
}

static void show(const char *what, const trace_run *run, const trace_event *e) {
    printf("  %s: %s of %s element %lld at", what, e->writes ? "write" : "read",
           e->place ? e->place->buffer->name : e->var->name, (long long)e->element);
    for (uint32_t i = 0; i < run->graph->n_loops; i++)
        printf(" %s=%lld", run->graph->loop[i]->as.loop.var->name, (long long)e->iteration[i]);
    printf(", part %u\n", (unsigned)e->part);
}

/* Whether every two accesses that met have their edge. */
static bool check_events(trace_run *run, tally *t) {
    const uint32_t n = run->n_events;
    for (uint32_t i = 0; i < n; i++) {
        const trace_event *later = &run->events[i];
        uint32_t seen = 0;
        for (uint32_t k = i; k-- > 0 && seen < BEFORE;) {
            const trace_event *earlier = &run->events[k];
            if (earlier->memory != later->memory || earlier->element != later->element) continue;
            seen++;
            if (!earlier->writes && !later->writes) continue;
            t->met++;
            if (has_edge(run, earlier, later)) continue;
            printf("no edge says that these meet:\n");
            show("first", run, earlier);
            show("then", run, later);
            return false;
        }
    }
    return true;
}

/* ---- Linear forms -------------------------------------------------------------------------------------------------
 */

static const tirbi_lx *no_value(void *context, const tirbi_lvar *var) {
    (void)context, (void)var;
    return NULL;
}

typedef struct claimer {
    tirbi_lx_pool *pool;
    trace_claim *claims;
    uint32_t n;
} claimer;

static tirbi_facts *new_facts(tirbi_arena *arena) {
    tirbi_facts *facts = TIRBI_NEW(arena, tirbi_facts);
    if (!facts) return NULL;
    facts->arena = arena;
    facts->symbols = TIRBI_NEW_ARRAY(arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    return facts->symbols ? facts : NULL;
}

/* Takes note of the bounds of the loops around an access, as far as they are exact whatever the sizes are. */
static void bound_loops(claimer *c, tirbi_facts *facts, const tirbi_dependences *g, const tirbi_nest_access *a) {
    const tirbi_linear_reader reader = {.facts = facts, .value_of = no_value};
    for (uint32_t i = 0; i < a->n_loops; i++) {
        const tirbi_lvar *var = g->loop[a->loop[i]]->as.loop.var;
        tirbi_conditions none = {.n = 0};
        tirbi_poly first, count;
        const uint32_t symbol = tirbi_symbol_of(facts, tirbi_lx_var(c->pool, (tirbi_lvar *)(uintptr_t)var));
        if (symbol < TIRBI_MAX_SYMBOLS && tirbi_read_linear(&reader, var->min, &first, &none) &&
            tirbi_read_linear(&reader, var->extent, &count, &none) && tirbi_exact_if(facts, &first, TIRB_I64, &none) &&
            tirbi_exact_if(facts, &count, TIRB_I64, &none) && none.n == 0)
            tirbi_bound_symbol(facts, symbol, &first, &count);
    }
}

static void claim(claimer *c, const tirbi_dependences *g, const tirbi_nest_access *a, const tirbi_lx *x) {
    tirbi_facts *facts = new_facts(c->pool->arena);
    trace_claim *made = &c->claims[c->n];
    if (!facts || c->n == TRACE_MAX_CLAIMS) return;
    const tirbi_linear_reader reader = {.facts = facts, .value_of = no_value};
    bound_loops(c, facts, g, a);
    *made = (trace_claim){.x = x, .facts = facts};
    if (tirbi_read_linear(&reader, x, &made->is, &made->conditions) &&
        tirbi_exact_if(facts, &made->is, (tirbi_dtype)x->type, &made->conditions))
        c->n++;
}

static uint32_t find_claims(tirbi_lx_pool *pool, const tirbi_dependences *g, trace_claim *claims) {
    claimer c = {.pool = pool, .claims = claims};
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_nest_access *a = &g->access[i];
        for (uint32_t d = 0; a->at.place && d < a->at.place->ndim; d++) claim(&c, g, a, a->at.place->indices[d]);
    }
    return c.n;
}

/* ---- Programs -----------------------------------------------------------------------------------------------------
 */

static const tirbi_ls *find_nest(const tirbi_ls *body) {
    while (body->kind == TIRBI_LS_SEQ && body->as.seq.n > 0) body = body->as.seq.items[body->as.seq.n - 1];
    return body->kind == TIRBI_LS_LOOP ? body : NULL;
}

static bool check_nest(trace_run *run, const tirbi_ls *nest, tally *t) {
    uint32_t n;
    const tirbi_ls *const *parts = trace_parts(nest, &n);
    tirbi_dependences *g = tirbi_find_dependences(run->pool, nest, parts, n, NULL);
    trace_claim *claims = calloc(TRACE_MAX_CLAIMS, sizeof *claims);
    bool good = true;
    t->refused += !g;
    if (g && claims) {
        run->graph = g;
        run->claims = claims;
        run->n_claims = find_claims(run->pool, g, claims);
        trace_run_nest(run, nest, parts, n);
        t->events += run->n_events;
        t->claims += run->n_checked;
        t->edges += g->n_edges;
        t->pairs += (uint64_t)g->n_accesses * g->n_accesses;
        if (run->broken) printf("an index is not the polynomial that it is said to be, part %u\n", (unsigned)run->part);
        good = check_events(run, t) && !run->broken;
    }
    free(claims);
    return good;
}

/* The first loop inside a statement. */
static const tirbi_ls *find_inner(const tirbi_ls *s) {
    const tirbi_ls *found = NULL;
    if (s->kind == TIRBI_LS_LOOP) return s;
    if (s->kind == TIRBI_LS_IF) return find_inner(s->as.if_.then_case);
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n && !found; i++)
        found = find_inner(s->as.seq.items[i]);
    return found;
}

static bool look_at_inner(trace_run *run, void *context) {
    tally *t = context;
    t->events += run->n_events;
    run->inner_failed = !check_events(run, t);
    return !run->inner_failed;
}

/* The graphs of the loops inside, for which those around them are known. */
static bool check_inner_nests(trace_run *run, const tirbi_ls *nest, tally *t) {
    trace_event *events = run->events;
    bool good = true;
    for (const tirbi_ls *inner = find_inner(nest->as.loop.body); inner && good;
         inner = find_inner(inner->as.loop.body)) {
        uint32_t n;
        const tirbi_ls *const *parts = trace_parts(inner, &n);
        run->graph = tirbi_find_dependences(run->pool, inner, parts, n, NULL);
        if (!run->graph) continue;
        t->inner++;
        t->edges += run->graph->n_edges;
        t->pairs += (uint64_t)run->graph->n_accesses * run->graph->n_accesses;
        trace_free_memory(run);
        run->n_claims = 0;
        run->ended = false;
        run->inner = inner;
        run->inner_events = events;
        run->events = NULL;
        run->look = look_at_inner;
        run->context = t;
        trace_run_nest(run, nest, &nest->as.loop.body, 1);
        good = !run->inner_failed;
    }
    run->events = events;
    return good;
}

static bool check_program(uint64_t seed, bool print, tally *t) {
    tirbi_random random = {.state = seed * 0xd1342543de82ef95};
    tirbi_text text = {.data = NULL};
    int64_t parameters[TRACE_PARAMETERS];
    tirbi_heap heap;
    tirbi_arena arena;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_lmodule *module = NULL;
    trace_generate(&random, &text, parameters);
    if (print) printf("---- seed %llu\n%s", (unsigned long long)seed, text.data);
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    bool good = tirbi_read_loops(text.data, text.size, &arena, &module, &error) == TIRB_OK;
    if (!good) printf("it is not read: %u:%u: %s\n", error.line, error.column, error.message);
    trace_event *events = calloc(TRACE_MAX_EVENTS, sizeof *events);
    if (good && events) {
        const tirbi_lfunc *function = &module->functions[0];
        trace_run run = {.pool = function->pool, .function = function, .events = events, .parameters = parameters};
        for (uint32_t i = 0; i < TRACE_PARAMETERS; i++) {
            run.values[run.n_values].var = function->param_vars[i];
            run.values[run.n_values++].value = parameters[i];
        }
        const tirbi_ls *nest = find_nest(function->body);
        good = !nest || (check_nest(&run, nest, t) && check_inner_nests(&run, nest, t));
        trace_free_memory(&run);
    }
    if (!good)
        printf("---- seed %llu, n %lld, m %lld, k %lld, w %lld\n%s\n", (unsigned long long)seed,
               (long long)parameters[0], (long long)parameters[1], (long long)parameters[2], (long long)parameters[3],
               text.data);
    free(events);
    tirbi_arena_destroy(&arena);
    tirbi_text_free(&text);
    t->programs++;
    t->failed += !good;
    return good;
}

int main(int argc, char **argv) {
    uint64_t seed = 1, count = 1;
    bool print = false;
    tally t = {.programs = 0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--print") == 0) {
            print = true;
        } else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            seed = strtoull(argv[++i], NULL, 0);
        } else if (i + 1 < argc && strcmp(argv[i], "--count") == 0) {
            count = strtoull(argv[++i], NULL, 0);
        } else {
            fprintf(stderr, "usage: trace [--seed S] [--count N] [--print]\n");
            return 2;
        }
    }
    for (uint64_t i = 0; i < count && t.failed < 5; i++) check_program(seed + i, print, &t);
    printf("%llu programs (%llu refused), %llu loops inside them, %llu accesses seen, %llu meetings, %llu edges of "
           "%llu pairs, %llu forms; %llu "
           "fail\n",
           (unsigned long long)t.programs, (unsigned long long)t.refused, (unsigned long long)t.inner,
           (unsigned long long)t.events, (unsigned long long)t.met, (unsigned long long)t.edges,
           (unsigned long long)t.pairs, (unsigned long long)t.claims, (unsigned long long)t.failed);
    return t.failed > 0;
}
