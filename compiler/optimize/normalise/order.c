#include "compiler/optimize/normalise/order.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ACCESSES = 32, MAX_GUARDS = 8 };

typedef struct nest {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[TIRBI_NEST_DEPTH], *guard[MAX_GUARDS], *body;
    uint32_t n_guards;
    tirbi_loop_set loops;
    struct {
        uint32_t dimension; /* the first one whose subscript it is in */
        int64_t step;       /* in that subscript; 0: it is not known */
    } key[TIRBI_NEST_DEPTH];
    uint8_t order[TIRBI_NEST_DEPTH]; /* the loops, outermost first */
} nest;

static bool is_guard(const tirbi_ls *s) {
    const tirbi_lx *x = s->kind == TIRBI_LS_IF ? s->as.if_.condition : NULL;
    return x && !s->as.if_.else_case && !s->as.if_.first_of && !s->as.if_.sizes && x->pure && !x->traps;
}

/* The loops and conditions that are inside of each other; no loop's bounds have another one's variable. */
static bool read_nest(nest *n, const tirbi_ls *s) {
    for (;; s = s->kind == TIRBI_LS_LOOP ? s->as.loop.body : s->as.if_.then_case) {
        while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
        if (is_guard(s) && n->n_guards < MAX_GUARDS) {
            n->guard[n->n_guards++] = s;
            continue;
        }
        if (s->kind != TIRBI_LS_LOOP || !tirbi_is_plain_loop(s) || n->loops.n == TIRBI_NEST_DEPTH) break;
        const tirbi_lvar *var = s->as.loop.var;
        if (tirbi_mentions_loops(var->min, &n->loops) || tirbi_mentions_loops(var->extent, &n->loops) ||
            (var->below && tirbi_mentions_loops(var->below, &n->loops)))
            break;
        n->loop[n->loops.n] = s;
        n->loops.var[n->loops.n++] = s->as.loop.var;
    }
    n->body = s;
    return n->loops.n > 1;
}

/* ---- The order -------------------------------------------------------------------------------------------------- */

/* Of the places that the body stores to, the one that most loops tell, the first such. */
static const tirbi_place *find_stored(const nest *n) {
    tirbi_reached room[MAX_ACCESSES];
    tirbi_accesses all = {.item = room,
                          .most = MAX_ACCESSES,
                          .rules = TIRBI_TAKE_INITS,
                          .kinds = TIRBI_NESTS | TIRBI_KIND(TREE)};
    const tirbi_place *best = NULL;
    uint32_t most = 0;
    if (!tirbi_find_accesses(&all, n->body)) return NULL;
    for (uint32_t i = 0; i < all.n; i++) {
        uint32_t told = 0;
        if (room[i].what == TIRBI_LOADS) continue;
        for (uint32_t k = 0; k < n->loops.n; k++) told += tirbi_place_depends_on(room[i].place, n->loops.var[k]);
        if (told > most) best = room[i].place;
        if (told > most) most = told;
    }
    return best;
}

static void find_key(nest *n, uint32_t loop, const tirbi_place *place, const tirbi_affine *forms, const bool *affine) {
    const tirbi_loop_set one = {.var = {n->loops.var[loop]}, .n = 1};
    uint32_t d = 0;
    int64_t step = 0;
    while (d < place->ndim && !tirbi_mentions_loops(place->indices[d], &one)) d++;
    n->key[loop].dimension = d;
    if (d < place->ndim && affine[d] && tirbi_affine_constant(&forms[d], loop, &step) && step != INT64_MIN)
        n->key[loop].step = step < 0 ? -step : step;
}

static bool comes_before(const nest *n, uint32_t a, uint32_t b) {
    if (n->key[a].dimension != n->key[b].dimension) return n->key[a].dimension < n->key[b].dimension;
    return n->key[b].step > 0 && n->key[a].step > n->key[b].step;
}

/* Sorts the loops; whether that changes anything. */
static bool find_order(nest *n, const tirbi_place *place) {
    tirbi_affine forms[TIRBI_NEST_DEPTH];
    bool affine[TIRBI_NEST_DEPTH], changes = false;
    if (place->ndim > TIRBI_NEST_DEPTH) return false;
    for (uint32_t d = 0; d < place->ndim; d++)
        affine[d] = tirbi_affine_index(n->pool, place, d, &n->loops, &forms[d]);
    for (uint32_t i = 0; i < n->loops.n; i++) {
        find_key(n, i, place, forms, affine);
        uint32_t at = i;
        for (; at > 0 && comes_before(n, i, n->order[at - 1]); at--) n->order[at] = n->order[at - 1];
        n->order[at] = (uint8_t)i;
        changes = changes || at < i;
    }
    return changes;
}

/* ---- Whether nobody can tell ------------------------------------------------------------------------------------ */

static bool any_edge(const tirbi_edge *e) {
    (void)e;
    return true;
}

/* Whether the later iteration of an edge comes later in the new order, too. */
static bool stays_ahead(const nest *n, const tirbi_edge *e) {
    for (uint32_t i = 0; i < n->loops.n; i++) {
        const uint8_t way = n->order[i] < e->n_common ? e->direction[n->order[i]] : TIRBI_ANY_WAY;
        if (way & TIRBI_GT) return false;
        if (way == TIRBI_LT) return true;
    }
    return true;
}

static bool may_be_ordered(const nest *n) {
    const tirbi_asked asked = {.carriers = (UINT32_C(1) << n->loops.n) - 1, .leaves = any_edge};
    const tirbi_ls *body = n->loop[0]->as.loop.body;
    if (!tirbi_fails_alike(n->loop[0])) return false;
    tirbi_dependences *graph = tirbi_find_dependences(n->pool, n->loop[0], &body, 1, &asked);
    bool may = graph != NULL;
    for (uint32_t i = 0; may && i < graph->n_edges; i++) may = stays_ahead(n, &graph->edge[i]);
    if (graph) tirbi_forget_dependences(n->pool, graph);
    return may;
}

/* ---- The nest anew ---------------------------------------------------------------------------------------------- */

/* Conditions are inside of all loops then. */
static const tirbi_ls *write_nest(const nest *n) {
    const tirbi_ls *s = n->body;
    for (uint32_t i = n->n_guards; i-- > 0 && s;)
        s = tirbi_new_if(n->pool, n->guard[i]->span, n->guard[i]->as.if_.condition, s, NULL);
    for (uint32_t i = n->loops.n; i-- > 0 && s;) s = tirbi_loop_like(n->pool, n->loop[n->order[i]], NULL, s);
    return s;
}

const tirbi_ls *tirbi_order_loops(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    nest n = {.pool = pool};
    if (!read_nest(&n, loop)) return NULL;
    const tirbi_place *place = find_stored(&n);
    return place && find_order(&n, place) && may_be_ordered(&n) ? write_nest(&n) : NULL;
}
