/* Runs loop IR of integers. Operations are what the makers of expressions fold them to. */
#include <stdlib.h>

#include "tests/trace/trace.h"

enum { MOST_ELEMENTS = 1 << 16 };

static int64_t *elements_of(trace_run *run, const tirbi_lbuf *root, int64_t *n) {
    for (uint32_t i = 0; i < run->n_memory; i++) {
        if (run->memory[i].root != root) continue;
        *n = run->memory[i].n;
        return run->memory[i].elements;
    }
    int64_t size = 1, extent;
    for (uint32_t d = 0; d < root->ndim; d++) {
        if (!trace_value(run, root->shape[d], &extent) || extent < 0 || extent > MOST_ELEMENTS) return NULL;
        size *= extent;
        if (size > MOST_ELEMENTS) return NULL;
    }
    int64_t *elements = calloc((size_t)size + 1, sizeof *elements);
    if (!elements || run->n_memory == sizeof run->memory / sizeof *run->memory) {
        free(elements);
        return NULL;
    }
    tirbi_random random = {.state = (uint64_t)size * 77 + run->n_memory};
    for (int64_t i = 0; i < size; i++) elements[i] = (int64_t)tirbi_random_below(&random, 12) - 2;
    run->memory[run->n_memory].root = root;
    run->memory[run->n_memory].n = *n = size;
    run->memory[run->n_memory++].elements = elements;
    return elements;
}

void trace_free_memory(trace_run *run) {
    for (uint32_t i = 0; i < run->n_memory; i++) free(run->memory[i].elements);
    run->n_memory = 0;
}

static bool stop(trace_run *run) {
    run->ended = true;
    return false;
}

static bool log_event(trace_run *run, const trace_event *e) {
    if (!run->events) return true;
    if (run->n_events == TRACE_MAX_EVENTS) return stop(run);
    trace_event *event = &run->events[run->n_events++];
    *event = *e;
    event->part = run->part;
    for (uint32_t i = 0; i < TIRBI_NEST_LOOPS; i++) event->iteration[i] = run->iteration[i];
    return true;
}

/* Whether what is said of an expression holds, where all conditions for it do. */
static void check_claims(trace_run *run, const tirbi_lx *x, int64_t value) {
    for (uint32_t i = 0; i < run->n_claims && !run->broken; i++) {
        const trace_claim *claim = &run->claims[i];
        int64_t of;
        bool holds = claim->x == x;
        for (uint32_t k = 0; k < claim->conditions.n && holds; k++)
            holds = trace_poly(run, claim->facts, &claim->conditions.item[k], &of) && of >= 0;
        if (!holds || !trace_poly(run, claim->facts, &claim->is, &of)) continue;
        run->n_checked++;
        if (of != value) run->broken = claim;
    }
}

/* Comes to a place: its element; false: it is outside. */
static bool come_to(trace_run *run, const tirbi_place *place, bool writes, int64_t **out) {
    int64_t index, extent, n, number;
    bool inside = true;
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (!trace_value(run, place->indices[d], &index) || !trace_value(run, place->buffer->shape[d], &extent))
            return stop(run);
        check_claims(run, place->indices[d], index);
        inside = inside && index >= 0 && index < extent;
    }
    int64_t *elements = elements_of(run, place->buffer->root, &n);
    if (!inside || !elements || !trace_value(run, place->flat, &number) || number < 0 || number >= n) return stop(run);
    *out = &elements[number];
    return log_event(
        run, &(trace_event){.place = place, .writes = writes, .memory = place->buffer->root, .element = number});
}

static uint32_t variable_number(trace_run *run, const tirbi_lvar *var) {
    uint32_t i = 0;
    while (i < run->n_values && run->values[i].var != var) i++;
    if (i == run->n_values && i < sizeof run->values / sizeof *run->values) run->values[run->n_values++].var = var;
    return i;
}

static int64_t *variable(trace_run *run, const tirbi_lvar *var) {
    const uint32_t i = variable_number(run, var);
    return i < run->n_values ? &run->values[i].value : NULL;
}

static bool log_variable(trace_run *run, const tirbi_lvar *var, bool begins, bool writes) {
    const uint32_t i = variable_number(run, var);
    if (i == run->n_values) return stop(run);
    run->values[i].begun += begins;
    return log_event(run, &(trace_event){.var = var, .writes = writes, .memory = var, .element = run->values[i].begun});
}

static bool variable_value(trace_run *run, const tirbi_lvar *var, int64_t *out) {
    const int64_t *value = variable(run, var);
    if (!value) return stop(run);
    *out = *value;
    const bool set = var->kind == TIRBI_LVAR_LET || var->kind == TIRBI_LVAR_LOCAL;
    return !set || !run->events || log_variable(run, var, false, false);
}

static bool operation(trace_run *run, const tirbi_lx *x, int64_t *out) {
    const tirbi_lx *args[3] = {NULL, NULL, NULL};
    for (int i = 0; i < x->n_args; i++) {
        int64_t value;
        if (!trace_value(run, x->args[i], &value)) return false;
        args[i] = tirbi_lx_int(run->pool, (tirbi_dtype)x->args[i]->type, value);
        if (!args[i]) return stop(run);
    }
    const tirbi_lx *folded = x->op == TIRB_OP_CAST ? tirbi_lx_cast(run->pool, (tirbi_dtype)x->type, args[0])
                                                   : tirbi_lx_op(run->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype,
                                                                 (tirbi_dtype)x->source, args[0], args[1], args[2]);
    if (!folded || folded->kind != TIRBI_LX_CONST) return stop(run);
    *out = folded->value;
    return true;
}

bool trace_value(trace_run *run, const tirbi_lx *x, int64_t *out) {
    int64_t *element, chosen;
    switch ((tirbi_lx_kind)x->kind) {
    case TIRBI_LX_CONST:
        *out = x->value;
        return true;
    case TIRBI_LX_VAR:
        return variable_value(run, x->var, out);
    case TIRBI_LX_OP:
        return operation(run, x, out);
    case TIRBI_LX_LOAD:
        if (!come_to(run, x->access, false, &element)) return false;
        *out = *element;
        return true;
    case TIRBI_LX_COND:
        return trace_value(run, x->args[0], &chosen) && trace_value(run, x->args[chosen ? 1 : 2], out);
    case TIRBI_LX_AND:
    case TIRBI_LX_OR:
        if (!trace_value(run, x->args[0], out)) return false;
        return (*out != 0) == (x->kind == TIRBI_LX_OR) || trace_value(run, x->args[1], out);
    default:
        return stop(run);
    }
}

bool trace_poly(trace_run *run, const tirbi_facts *facts, const tirbi_poly *p, int64_t *out) {
    trace_event *const events = run->events; /* what is asked here is not what the program does */
    bool good = true;
    int64_t sum = 0;
    run->events = NULL;
    for (uint32_t i = 0; i < p->n && good; i++) {
        int64_t product = p->term[i].factor, value;
        for (unsigned k = 0; k < p->term[i].of.degree && good; k++) {
            const tirbi_lx *symbol = facts->symbols[p->term[i].of.symbol[k]].value;
            good = symbol && symbol->kind != TIRBI_LX_LOAD && trace_value(run, symbol, &value) &&
                   !__builtin_mul_overflow(product, value, &product);
        }
        good = good && !__builtin_add_overflow(sum, product, &sum);
    }
    run->events = events;
    *out = sum;
    return good;
}

static void run_stmt(trace_run *run, const tirbi_ls *s);

static uint32_t number_of(const trace_run *run, const tirbi_ls *loop) {
    uint32_t i = 0;
    while (i < run->graph->n_loops && run->graph->loop[i] != loop) i++;
    return i;
}

static bool enter(trace_run *run, const tirbi_ls *loop, int64_t *first, int64_t *count) {
    return trace_value(run, loop->as.loop.var->min, first) && trace_value(run, loop->as.loop.var->extent, count);
}

/* The loop that is looked at, as a nest of its own. */
static void run_inner(trace_run *run, const tirbi_ls *s) {
    uint32_t n;
    const tirbi_ls *const *parts = trace_parts(s, &n);
    run->events = run->inner_events;
    run->n_events = 0;
    trace_run_nest(run, s, parts, n);
    if (!run->look(run, run->context)) stop(run);
    run->events = NULL;
}

static void run_loop(trace_run *run, const tirbi_ls *s) {
    const uint32_t number = number_of(run, s);
    int64_t first, count, *value = variable(run, s->as.loop.var);
    if (!value || number == TIRBI_NEST_LOOPS || !enter(run, s, &first, &count)) {
        stop(run);
        return;
    }
    for (int64_t i = 0; i < count && !run->ended; i++) {
        *value = run->iteration[number] = first + i;
        run_stmt(run, s->as.loop.body);
    }
}

static void run_stmt(trace_run *run, const tirbi_ls *s) {
    int64_t value, *element;
    if (run->ended) return;
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) run_stmt(run, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        if (s == run->inner)
            run_inner(run, s);
        else
            run_loop(run, s);
        return;
    case TIRBI_LS_IF:
        if (!trace_value(run, s->as.if_.condition, &value)) return;
        if (value)
            run_stmt(run, s->as.if_.then_case);
        else if (s->as.if_.else_case)
            run_stmt(run, s->as.if_.else_case);
        return;
    case TIRBI_LS_SET: {
        int64_t *variable_at = variable(run, s->as.set.var);
        if (!variable_at || !trace_value(run, s->as.set.value, &value) ||
            !log_variable(run, s->as.set.var, s->as.set.declares, true))
            return;
        *variable_at = value;
        return;
    }
    case TIRBI_LS_STORE:
        if (!trace_value(run, s->as.store.value, &value) || !come_to(run, s->as.store.access, true, &element)) return;
        *element = value;
        return;
    default:
        stop(run);
    }
}

void trace_run_nest(trace_run *run, const tirbi_ls *nest, const tirbi_ls *const *parts, uint32_t n_parts) {
    int64_t first, count, *value = variable(run, nest->as.loop.var);
    if (!value || !enter(run, nest, &first, &count)) return;
    for (int64_t i = 0; i < count && !run->ended; i++) {
        *value = run->iteration[0] = first + i;
        for (uint32_t k = 0; k < n_parts; k++) {
            run->part = (uint16_t)k;
            run_stmt(run, parts[k]);
        }
    }
}
