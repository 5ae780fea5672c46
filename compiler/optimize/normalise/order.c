#include "compiler/optimize/normalise/order.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/rewrite.h"
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
    /* Of two loops where the inner one's bounds go with the outer one, by 1 for each iteration or not at all: its first
     * value and what is behind its last one, in the outer one's first iteration. */
    bool is_triangle, steps[2];
    const tirbi_lx *ends[2];
} nest;

static bool is_guard(const tirbi_ls *s) { return tirbi_is_guard(s) && !s->as.if_.condition->traps; }

/* Whether a loop's bounds are lines over the only loop around it. */
static bool read_triangle(nest *n, const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (n->loops.n != 1 || n->n_guards > 0 || var->below || n->loops.var[0]->below ||
        !tirbi_is_made_of(loop->as.loop.body, TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(SET) | TIRBI_KIND(STORE)))
        return false;
    tirbi_affine first, extent;
    int64_t by, more;
    if (!tirbi_affine_of(n->pool, var->min, &n->loops, &first) || !tirbi_affine_constant(&first, 0, &by) ||
        !tirbi_affine_of(n->pool, var->extent, &n->loops, &extent) || !tirbi_affine_constant(&extent, 0, &more) ||
        by < 0 || by > 1 || more < -by || more > 1 - by)
        return false;
    n->steps[0] = by == 1;
    n->steps[1] = by + more == 1;
    n->ends[0] = first.start;
    n->ends[1] = tirbi_lx_add(n->pool, first.start, extent.start);
    return n->ends[0] && n->ends[1];
}

/* The loops and conditions that are inside of each other; no loop's bounds have another one's variable, but for two
 * that are a triangle. */
static bool read_nest(nest *n, const tirbi_ls *s) {
    for (;; s = s->kind == TIRBI_LS_LOOP ? s->as.loop.body : s->as.if_.then_case) {
        s = tirbi_only_part(s);
        if (is_guard(s) && n->n_guards < MAX_GUARDS) {
            n->guard[n->n_guards++] = s;
            continue;
        }
        if (s->kind != TIRBI_LS_LOOP || !tirbi_is_plain_loop(s) || n->loops.n == TIRBI_NEST_DEPTH) break;
        const tirbi_lvar *var = s->as.loop.var;
        if (tirbi_mentions_loops(var->min, &n->loops) || tirbi_mentions_loops(var->extent, &n->loops) ||
            (var->below && tirbi_mentions_loops(var->below, &n->loops))) {
            n->is_triangle = read_triangle(n, s);
            if (!n->is_triangle) break;
        }
        n->loop[n->loops.n] = s;
        n->loops.var[n->loops.n++] = s->as.loop.var;
        if (n->is_triangle) {
            s = s->as.loop.body;
            break;
        }
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

/* Whether the later iteration of an edge comes later in the new order, too. */
static bool stays_ahead(const nest *n, const tirbi_edge *e) {
    for (uint32_t i = 0; i < n->loops.n; i++) {
        const uint8_t way = n->order[i] < e->n_common ? e->direction[n->order[i]] : TIRBI_ANY_WAY;
        if (way & TIRBI_GT) return false;
        if (way == TIRBI_LT) return true;
    }
    return true;
}

/* Distances of a triangle's rows are from where each begins. */
static bool is_of_one_iteration(const tirbi_edge *e) {
    return e->n_common == 2 && e->direction[0] == TIRBI_EQ && e->direction[1] == TIRBI_EQ;
}

static bool may_be_ordered(const nest *n) {
    const tirbi_asked asked = {.carriers = (UINT32_C(1) << n->loops.n) - 1};
    const tirbi_ls *body = n->loop[0]->as.loop.body;
    if (!tirbi_fails_alike(n->loop[0])) return false;
    tirbi_dependences *graph = tirbi_find_dependences(n->pool, n->loop[0], &body, 1, &asked);
    bool may = graph != NULL;
    for (uint32_t i = 0; may && i < graph->n_edges; i++)
        may = n->is_triangle ? is_of_one_iteration(&graph->edge[i]) : stays_ahead(n, &graph->edge[i]);
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

/* for v < n: for u = a + v .. b + v is for u = a .. b + n - 1: for v = max(0, u - b + 1) .. min(n, u - a + 1), and
 * either bound of u may stand still. */
static const tirbi_ls *write_triangle(const nest *n) {
    tirbi_lx_pool *pool = n->pool;
    const tirbi_lvar *v = n->loops.var[0], *u = n->loops.var[1];
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *zero = tirbi_lx_number(pool, 0);
    tirbi_lvar *outer = tirbi_variable_like(pool, u), *inner = tirbi_variable_like(pool, v);
    if (!outer || !inner || !one || !zero) return NULL;
    const tirbi_lx *most = n->steps[1] ? tirbi_lx_sub(pool, v->extent, one) : zero;
    outer->min = n->ends[0];
    outer->extent = tirbi_lx_sub(pool, tirbi_lx_add(pool, n->ends[1], most), n->ends[0]);
    const tirbi_lx *behind = tirbi_lx_add(pool, tirbi_lx_cast(pool, TIRB_I64, tirbi_lx_var(pool, outer)), one);
    const tirbi_lx *from =
        n->steps[1] ? tirbi_lx_wide(pool, TIRB_OP_MAX, zero, tirbi_lx_sub(pool, behind, n->ends[1])) : zero;
    const tirbi_lx *to =
        n->steps[0] ? tirbi_lx_wide(pool, TIRB_OP_MIN, v->extent, tirbi_lx_sub(pool, behind, n->ends[0])) : v->extent;
    inner->min = tirbi_lx_add(pool, v->min, from);
    inner->extent = tirbi_lx_sub(pool, to, from);
    if (!outer->extent || !inner->min || !inner->extent) return NULL;
    const tirbi_loop_set now = {.var = {inner, outer}, .n = 2};
    tirbi_rewrite rewrite = {.pool = pool};
    tirbi_bind_variables(&rewrite, &n->loops, &now);
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, n->body);
    const tirbi_ls *row = body ? tirbi_loop_like(pool, n->loop[0], inner, body) : NULL;
    const tirbi_ls *all = row ? tirbi_loop_like(pool, n->loop[1], outer, row) : NULL;
    const tirbi_lx *some = all ? tirbi_lx_wide(pool, TIRB_OP_GT, v->extent, zero) : NULL;
    return !some || tirbi_lx_is_int(some, 1) ? all : tirbi_new_if(pool, n->loop[0]->span, some, all, NULL);
}

const tirbi_ls *tirbi_order_loops(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    nest n = {.pool = pool};
    if (!read_nest(&n, loop)) return NULL;
    const tirbi_place *place = find_stored(&n);
    if (!place || !find_order(&n, place) || !may_be_ordered(&n)) return NULL;
    if (!n.is_triangle) return write_nest(&n);
    const uint32_t dimensions = place->ndim; /* each loop tells elements: none is a sum's */
    return n.key[0].dimension < dimensions && n.key[1].dimension < dimensions ? write_triangle(&n) : NULL;
}
