/* A transposed convolution, written as it spreads each input over a window of outputs, updates elements that overlap:
 * no loop of it is one of elements, lanes of rows load and store each row again for every weight. Written by elements
 * it is a sum of few terms each, as a convolution is, under the conditions of a padded one.
 *
 * Of the loops around an update, those that number the elements of a dimension together, with a step s and 1,
 * s * y + i, are the element s * q + p of the dimension instead, y being q - t and i being s * t + p for each t.
 * Nothing but the order of updates of one element can be told apart; it stays as it was: the outer one of y and i,
 * which tells when an element gets its next update, decides whether t goes up or down, and where its loop stands. */
#include "compiler/optimize/normalise/gather.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/rewriting/fill.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum {
    MAX_TERMS = 16,
    MAX_TAPS = 8,  /* updates of an element in one dimension, */
    MAX_PHASES = 4 /* and the largest step */
};

/* A dimension of the elements. */
typedef struct axis {
    bool pairs;            /* two loops number it, else one, or none */
    uint32_t far, near;    /* of the nest's loops: that of the step, and that of 1, or the only one */
    int64_t step, start;   /* step * far + times * near + start */
    int64_t times, taps;   /* of near; the values of t */
    tirbi_lvar *q, *p, *t; /* p: NULL where there is one phase; t: where there is one tap */
} axis;

typedef struct gather {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[TIRBI_NEST_DEPTH];
    tirbi_loop_set loops;
    const tirbi_lx *term[MAX_TERMS]; /* of conditions around the update */
    bool implied[MAX_TERMS];         /* by where elements are */
    uint32_t n_terms;
    const tirbi_ls *store;
    axis axes[TIRBI_NEST_DEPTH];
    const tirbi_place *place; /* of an element in the new loops */
} gather;

/* ---- The nest --------------------------------------------------------------------------------------------------- */

static bool add_terms(gather *g, const tirbi_lx *x) {
    if (tirbi_is_conjunction(x)) return add_terms(g, x->args[0]) && add_terms(g, x->args[1]);
    if (g->n_terms == MAX_TERMS || !x->pure || x->traps) return false;
    g->term[g->n_terms++] = x;
    return true;
}

/* Loops from 0 on and conditions around one store. */
static bool read_nest(gather *g, const tirbi_ls *s) {
    for (;; s = s->kind == TIRBI_LS_LOOP ? s->as.loop.body : s->as.if_.then_case) {
        s = tirbi_only_part(s);
        if (tirbi_is_guard(s)) {
            if (!add_terms(g, s->as.if_.condition)) return false;
            continue;
        }
        if (s->kind != TIRBI_LS_LOOP) break;
        tirbi_lvar *var = s->as.loop.var;
        if (!tirbi_is_plain_loop(s) || g->loops.n == TIRBI_NEST_DEPTH || !tirbi_lx_is_int(var->min, 0) || var->below ||
            tirbi_mentions_loops(var->extent, &g->loops) || s->as.loop.parallel)
            return false;
        g->loop[g->loops.n] = s;
        g->loops.var[g->loops.n++] = var;
    }
    g->store = s;
    return g->loops.n > 1 && s->kind == TIRBI_LS_STORE && !s->as.store.access->view &&
           s->as.store.access->ndim <= TIRBI_NEST_DEPTH && s->as.store.access->ndim > 0;
}

static bool is_number(const tirbi_lx *x, int64_t *out) {
    if (x->kind != TIRBI_LX_CONST) return false;
    *out = x->value;
    return true;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* How two loops number a dimension: the short one has steps of 1, or the long one has. */
static bool read_pair(const gather *g, axis *a, const int64_t step[2], const uint32_t loop[2]) {
    const tirbi_lx *extent[2] = {g->loops.var[loop[0]]->extent, g->loops.var[loop[1]]->extent};
    const unsigned near = extent[1]->hi <= extent[0]->hi ? 1 : 0;
    int64_t short_one, others;
    a->pairs = true;
    a->near = loop[near];
    a->far = loop[1 - near];
    a->step = step[1 - near];
    a->times = step[near];
    if (!is_number(extent[near], &short_one) || short_one < 1 || short_one > MAX_TAPS * MAX_PHASES || a->step < 1 ||
        a->times < 1 || a->step > MAX_PHASES || a->times > MAX_TAPS || (a->step > 1 && a->times > 1))
        return false;
    a->taps =
        a->step == 1 ? short_one : floor_div(short_one - 1 + a->start, a->step) - floor_div(a->start, a->step) + 1;
    if (a->taps > MAX_TAPS || !is_number(extent[1 - near], &others) || others < 4 * a->times * (a->taps - 1))
        return false;                        /* most elements would be at borders */
    return a->step > 1 || others > a->times; /* else each has elements of its own */
}

/* How each dimension of the elements is numbered; false: not so, or no elements overlap. */
static bool read_axes(gather *g) {
    const tirbi_place *place = g->store->as.store.access;
    bool used[TIRBI_NEST_DEPTH] = {false}, overlap = false;
    for (uint32_t d = 0; d < place->ndim; d++) {
        axis *a = &g->axes[d];
        tirbi_affine form;
        int64_t step[2];
        uint32_t n = 0, loop[2];
        if (!tirbi_affine_index(g->pool, place, d, &g->loops, &form)) return false;
        for (uint32_t i = 0; i < g->loops.n; i++) {
            int64_t by;
            if (!tirbi_affine_constant(&form, i, &by)) return false;
            if (by == 0) continue;
            if (n == 2 || used[i]) return false;
            used[i] = true;
            step[n] = by;
            loop[n++] = i;
        }
        if (n == 1) a->near = loop[0];
        a->far = n == 0 ? TIRBI_NEST_DEPTH : a->near;
        if (n < 2) continue;
        if (place->buffer->shape[d]->kind != TIRBI_LX_CONST || !is_number(form.start, &a->start) ||
            a->start < -MAX_TAPS || a->start > MAX_TAPS || !read_pair(g, a, step, loop))
            return false;
        overlap = overlap || a->taps > 1;
    }
    return overlap;
}

/* The loop of the nest that a dimension's taps stand for: the outer one of two. */
static uint32_t outer_of(const axis *a) { return a->far < a->near ? a->far : a->near; }

/* Whether a value is an element of memory that both loops of a dimension number. */
static bool is_of_both(const void *context, const tirbi_lx *x) {
    const gather *g = context;
    for (uint32_t d = 0; x->kind == TIRBI_LX_LOAD && d < g->store->as.store.access->ndim; d++) {
        const axis *a = &g->axes[d];
        if (a->pairs && !tirbi_same_place(x->access, g->store->as.store.access) &&
            tirbi_place_depends_on(x->access, g->loops.var[a->near]) &&
            tirbi_place_depends_on(x->access, g->loops.var[a->far]))
            return true;
    }
    return false;
}

/* Whether it pays: where terms of a sum come ahead of the taps, for several rows of elements, it is a contraction for
 * all of them, else it is one, or lanes of rows, for each tap. Without other terms, taps that have elements of their
 * own would be added row by row. */
static bool pays(const gather *g) {
    const uint32_t ndim = g->store->as.store.access->ndim;
    uint32_t taps = 0;
    bool steps = false, rows = false, numbers[TIRBI_NEST_DEPTH] = {false};
    for (uint32_t d = 0; d < ndim; d++) {
        const axis *a = &g->axes[d];
        if (a->far < g->loops.n) numbers[a->far] = numbers[a->near] = true;
        rows = rows || (!a->pairs && a->far < g->loops.n);
        if (!a->pairs) continue;
        steps = steps || a->step > 1;
        if (outer_of(a) > taps) taps = outer_of(a);
    }
    for (uint32_t i = 0; rows && i < taps; i++)
        if (!numbers[i]) return true;
    return !steps && tirbi_any_expr(g->store->as.store.value, 0, is_of_both, g);
}

/* ---- Where elements are ----------------------------------------------------------------------------------------- */

/* Whether a condition is that an index is 0 at least, or that it is below an extent. */
static bool says(const gather *g, const tirbi_lx *term, const tirbi_lx *index, const tirbi_lx *extent) {
    tirbi_affine said, needed;
    if (!tirbi_is_comparison(term) || !tirbi_dtype_is_int((tirbi_dtype)term->optype)) return false;
    const bool up = term->op == TIRB_OP_GE || term->op == TIRB_OP_GT,
               down = term->op == TIRB_OP_LE || term->op == TIRB_OP_LT;
    if (!up && !down) return false;
    const tirbi_lx *more = tirbi_lx_cast(g->pool, TIRB_I64, term->args[up ? 0 : 1]);
    const tirbi_lx *less = tirbi_lx_cast(g->pool, TIRB_I64, term->args[up ? 1 : 0]);
    const bool strict = term->op == TIRB_OP_GT || term->op == TIRB_OP_LT;
    const tirbi_lx *room = tirbi_lx_with(g->pool, TIRB_OP_SUB, tirbi_lx_sub(g->pool, more, less), strict);
    const tirbi_lx *other =
        extent ? tirbi_lx_with(g->pool, TIRB_OP_SUB, tirbi_lx_sub(g->pool, extent, index), 1) : index;
    return room && other && tirbi_affine_of(g->pool, room, &g->loops, &said) &&
           tirbi_affine_of(g->pool, other, &g->loops, &needed) && tirbi_affine_equal(&said, &needed, g->loops.n);
}

static bool is_said(gather *g, const tirbi_lx *index, const tirbi_lx *extent) {
    bool found = false;
    for (uint32_t i = 0; i < g->n_terms; i++) {
        if (!says(g, g->term[i], index, extent)) continue;
        g->implied[i] = true;
        found = true;
    }
    return found;
}

/* Whether all updates are of elements that there are: then each of these may be asked which updates are its own. */
static bool are_inside(gather *g) {
    const tirbi_place *place = g->store->as.store.access;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *index = place->indices[d], *extent = place->buffer->shape[d];
        if (!g->axes[d].pairs) continue;
        const bool below = is_said(g, index, extent), above = is_said(g, index, NULL);
        if (tirbi_dim_proven(place, d)) continue;
        if (!(above || tirbi_never_below(index, 0, extent, 0)) || !(below || tirbi_always_below(index, 1, extent, 0)))
            return false;
    }
    return true;
}

static bool loads_element(const void *context, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && tirbi_same_place(x->access, context);
}

static bool loads_other_elements(const void *context, const tirbi_lx *x) {
    const tirbi_place *place = context;
    return x->kind == TIRBI_LX_LOAD && x->access->buffer->root == place->buffer->root &&
           !tirbi_same_place(x->access, place);
}

/* Whether the nest does nothing in an order but update elements. */
static bool only_updates(const gather *g) {
    const tirbi_asked asked = {.carriers = (UINT32_C(1) << g->loops.n) - 1};
    const tirbi_ls *body = g->loop[0]->as.loop.body;
    const tirbi_place *place = g->store->as.store.access;
    const tirbi_lbuf *root = place->buffer->root;
    if (!tirbi_fails_alike(g->loop[0]) || !tirbi_any_expr(g->store->as.store.value, 0, loads_element, place) ||
        tirbi_any_expr(g->store->as.store.value, TIRBI_WALK_ALL, loads_other_elements, place))
        return false;
    tirbi_dependences *graph = tirbi_find_dependences(g->pool, g->loop[0], &body, 1, &asked);
    bool only = graph != NULL;
    for (uint32_t i = 0; only && i < graph->n_edges; i++) {
        const tirbi_nest_access *from = &graph->access[graph->edge[i].from], *to = &graph->access[graph->edge[i].to];
        only = !from->var && !to->var && from->at.place->buffer->root == root && to->at.place->buffer->root == root;
    }
    if (graph) tirbi_forget_dependences(g->pool, graph);
    return only;
}

/* ---- The nest by elements --------------------------------------------------------------------------------------- */

static const tirbi_lx *number(const gather *g, const tirbi_lvar *like, int64_t value) {
    return tirbi_lx_int(g->pool, like->type, value);
}

static const tirbi_lx *sum(const gather *g, const tirbi_lx *a, tirbi_op op, const tirbi_lx *b) {
    return a && b ? tirbi_lx_binary(g->pool, op, (tirbi_dtype)a->type, a, b) : NULL;
}

static const tirbi_lx *times(const gather *g, int64_t by, const tirbi_lx *x) {
    return x && by != 1 ? sum(g, x, TIRB_OP_MUL, tirbi_lx_int(g->pool, (tirbi_dtype)x->type, by)) : x;
}

static const tirbi_lx *plus(const gather *g, const tirbi_lx *x, int64_t more) {
    return x && more != 0 ? sum(g, x, TIRB_OP_ADD, tirbi_lx_int(g->pool, (tirbi_dtype)x->type, more)) : x;
}

/* Adds a condition, if its operands' ranges do not say that it holds. */
static bool compare(const gather *g, const tirbi_lx **all, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    if (!a || !b) return false;
    if (op == TIRB_OP_GE ? a->lo >= b->hi : a->hi < b->lo) return true;
    const tirbi_lx *x = tirbi_lx_op(g->pool, op, (tirbi_dtype)a->type, TIRB_TYPE_NONE, a,
                                    tirbi_value_in_type(g->pool, (tirbi_dtype)a->type, b), NULL);
    if (x && !tirbi_lx_is_int(x, 1)) *all = tirbi_lx_and(g->pool, *all, x);
    return x && *all != NULL;
}

/* The variables of a dimension: elements, as many as it has, phases, and taps. */
static bool make_variables(const gather *g, axis *a, const tirbi_lx *extent) {
    const tirbi_lvar *far = g->loops.var[a->far], *near = g->loops.var[a->near];
    if (a->step > 1)
        extent =
            tirbi_lx_with(g->pool, TIRB_OP_FLOORDIV, tirbi_lx_with(g->pool, TIRB_OP_ADD, extent, a->step - 1), a->step);
    a->q = extent ? tirbi_new_counter(g->pool, far, far->type, extent) : NULL;
    a->p = a->step > 1 ? tirbi_new_counter(g->pool, near, far->type, tirbi_lx_number(g->pool, a->step)) : NULL;
    a->t = a->taps > 1 ? tirbi_new_counter(g->pool, near, far->type, tirbi_lx_number(g->pool, a->taps)) : NULL;
    return a->q && (a->p || a->step == 1) && (a->t || a->taps == 1);
}

/* What the two variables of a dimension are in the new loops, and where these are iterations of the old ones. */
static bool bind_pair(const gather *g, const axis *a, tirbi_rewrite *rewrite, const tirbi_lx **runs) {
    tirbi_lx_pool *const pool = g->pool;
    tirbi_lvar *far = g->loops.var[a->far], *near = g->loops.var[a->near];
    const tirbi_lx *q = tirbi_lx_var(pool, a->q), *zero = number(g, far, 0), *y, *i;
    const tirbi_lx *t = a->t ? tirbi_lx_var(pool, a->t) : zero;
    if (a->t && a->far < a->near) t = sum(g, number(g, far, a->taps - 1), TIRB_OP_SUB, t);
    const int64_t first = a->step == 1 ? 0 : floor_div(a->start, a->step);
    if (a->step == 1) {
        i = t;
        y = sum(g, plus(g, q, -a->start), TIRB_OP_SUB, times(g, a->times, t));
    } else {
        i = plus(g, sum(g, times(g, a->step, t), TIRB_OP_ADD, tirbi_lx_var(pool, a->p)), a->step * first - a->start);
        y = sum(g, plus(g, q, -first), TIRB_OP_SUB, t);
    }
    if (!y || !i || !compare(g, runs, TIRB_OP_GE, y, zero) || !compare(g, runs, TIRB_OP_LT, y, far->extent) ||
        !compare(g, runs, TIRB_OP_GE, i, zero) || !compare(g, runs, TIRB_OP_LT, i, near->extent))
        return false;
    tirbi_bind_variable(rewrite, far, y);
    tirbi_bind_variable(rewrite, near, tirbi_value_in_type(pool, near->type, i));
    return true;
}

/* Some iterations do not come to what is in the loops. */
static const tirbi_place *guarded(const tirbi_place *place) {
    tirbi_place *copy = (tirbi_place *)(uintptr_t)place;
    if (copy) copy->guard = UINT16_MAX;
    return copy;
}

static const tirbi_place *move_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    const gather *g = rewrite->context;
    if (tirbi_same_place(place, g->store->as.store.access)) return g->place;
    const tirbi_place *moved = tirbi_rewrite_subscripts(rewrite, place);
    tirbi_place *copy = moved ? TIRBI_NEW(g->pool->arena, tirbi_place) : NULL;
    if (!copy) return NULL;
    *copy = *moved;
    return guarded(copy);
}

/* The element of the new loops, and the condition under which there is one. */
static bool make_place(gather *g, const tirbi_lx **exists) {
    const tirbi_place *old = g->store->as.store.access;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(g->pool->arena, const tirbi_lx *, old->ndim);
    for (uint32_t d = 0; indices && d < old->ndim; d++) {
        axis *a = &g->axes[d];
        const tirbi_lx *extent = old->buffer->shape[d];
        indices[d] = old->indices[d];
        if (!a->pairs) continue;
        if (!make_variables(g, a, extent)) return false;
        const tirbi_lx *at = times(g, a->step, tirbi_lx_var(g->pool, a->q));
        if (a->p) at = sum(g, at, TIRB_OP_ADD, tirbi_lx_var(g->pool, a->p));
        if (a->p && !compare(g, exists, TIRB_OP_LT, at, extent)) return false;
        indices[d] = tirbi_lx_cast(g->pool, TIRB_I64, at);
    }
    g->place = indices ? guarded(tirbi_place_in(g->pool, old->buffer, indices, old->span)) : NULL;
    return g->place != NULL;
}

/* The update, under its conditions. */
static const tirbi_ls *make_update(gather *g) {
    tirbi_rewrite rewrite = {.pool = g->pool, .place = move_place, .context = g, .renumber = true};
    const tirbi_lx *runs = tirbi_lx_int(g->pool, TIRB_BOOL, 1);
    const tirbi_span span = g->store->span;
    for (uint32_t d = 0; d < g->store->as.store.access->ndim; d++)
        if (g->axes[d].pairs && !bind_pair(g, &g->axes[d], &rewrite, &runs)) return NULL;
    for (uint32_t i = 0; i < g->n_terms; i++)
        if (!g->implied[i]) runs = tirbi_lx_and(g->pool, runs, tirbi_rewrite_value(&rewrite, g->term[i]));
    const tirbi_ls *update =
        tirbi_new_store(g->pool, span, g->place, tirbi_rewrite_value(&rewrite, g->store->as.store.value));
    return update && runs ? tirbi_new_if(g->pool, span, runs, update, NULL) : NULL;
}

static const tirbi_ls *in_loop(const gather *g, tirbi_lvar *var, const tirbi_ls *body) {
    return var && body ? tirbi_new_loop(g->pool, g->store->span, var, body) : body;
}

/* A body in the loops of terms, which stand as the old ones did. */
static const tirbi_ls *in_terms(const gather *g, const tirbi_ls *body) {
    const uint32_t ndim = g->store->as.store.access->ndim;
    for (uint32_t i = g->loops.n; i-- > 0;) {
        uint32_t d = 0;
        while (d < ndim && g->axes[d].far != i && !(g->axes[d].pairs && g->axes[d].near == i)) d++;
        if (d == ndim)
            body = body ? tirbi_loop_like(g->pool, g->loop[i], NULL, body) : NULL;
        else if (g->axes[d].pairs && outer_of(&g->axes[d]) == i)
            body = in_loop(g, g->axes[d].t, body);
    }
    return body;
}

/* A body in the loops of elements, in the order of their dimensions. */
static const tirbi_ls *in_elements(const gather *g, const tirbi_ls *body) {
    for (uint32_t d = g->store->as.store.access->ndim; d-- > 0;) {
        const axis *a = &g->axes[d];
        if (a->pairs)
            body = in_loop(g, a->q, in_loop(g, a->p, body));
        else if (a->far < g->loops.n)
            body = body ? tirbi_loop_like(g->pool, g->loop[a->far], NULL, body) : NULL;
    }
    return body;
}

/* Whether the loops of elements come to all of the buffer, as those of its fill do. */
static bool comes_to_all(const gather *g) {
    const tirbi_place *place = g->store->as.store.access;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const axis *a = &g->axes[d];
        const tirbi_lx *index = tirbi_lx_before_cast(place->indices[d]), *extent = place->buffer->shape[d];
        if (a->pairs) continue;
        if (a->far == TIRBI_NEST_DEPTH
                ? !tirbi_lx_is_int(extent, 1)
                : index->kind != TIRBI_LX_VAR || index->var != g->loops.var[a->far] || index->var->extent != extent)
            return false;
    }
    return true;
}

/* What an element is filled with, where one stands for all. */
static const tirbi_ls *make_fill(const gather *g, const tirbi_ls *fill) {
    const tirbi_ls *store = fill;
    while (store->kind == TIRBI_LS_LOOP) store = store->as.loop.body;
    return tirbi_new_store(g->pool, store->span, g->place, store->as.store.value);
}

/* The nest by elements, which `fill` fills ahead of it, or NULL. */
static const tirbi_ls *gathered(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *fill) {
    gather g = {.pool = pool};
    const tirbi_lx *exists = tirbi_lx_int(pool, TIRB_BOOL, 1);
    if (!read_nest(&g, loop) || !read_axes(&g) || !pays(&g) || !are_inside(&g) || !only_updates(&g) ||
        (fill && !comes_to_all(&g)) || !make_place(&g, &exists))
        return NULL;
    const tirbi_ls *parts[2] = {fill ? make_fill(&g, fill) : NULL, in_terms(&g, make_update(&g))};
    if (!parts[1] || (fill && !parts[0])) return NULL;
    const tirbi_ls *all = fill ? tirbi_new_sequence(pool, loop->span, parts, 2) : parts[1];
    if (all && exists && !tirbi_lx_is_int(exists, 1)) all = tirbi_new_if(pool, loop->span, exists, all, NULL);
    return in_elements(&g, all);
}

/* ---- All nests -------------------------------------------------------------------------------------------------- */

static const tirbi_ls *gather_in(void *context, const tirbi_ls *s);

static bool traps(const void *nothing, const tirbi_lx *x) {
    (void)nothing;
    return x->traps;
}

/* Whether a nest gives all elements of a buffer one constant. */
static bool fills(const tirbi_ls *s, const tirbi_lbuf *root) {
    tirbi_fill fill;
    return s->kind == TIRBI_LS_LOOP && tirbi_read_fill(s, &fill) && fill.body == fill.store &&
           fill.store->as.store.access->buffer == root && fill.store->as.store.value->kind == TIRBI_LX_CONST;
}

static const tirbi_lbuf *stored_by(const tirbi_ls *s) {
    tirbi_roots stored = {.n = 0};
    return s->kind == TIRBI_LS_LOOP && tirbi_find_stored(&stored, s, 1) && stored.n == 1 ? stored.item[0] : NULL;
}

/* Whether a statement may stand between a fill and the sum that it joins: it runs to its end. */
static bool may_be_between(const tirbi_ls *s, const tirbi_lbuf *root) {
    return tirbi_is_made_of(s, TIRBI_NESTS | TIRBI_KIND(ALLOC)) && !tirbi_any_value(s, TIRBI_WALK_ALL, traps, NULL) &&
           !tirbi_statement_uses(s, root);
}

/* Statements, of which one fills what a later one sums up, with none between them that has to do with it. */
static const tirbi_ls *gather_sequence(tirbi_lx_pool *pool, const tirbi_ls *s) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, s->as.seq.n + 1);
    uint32_t n = 0;
    bool changes = false;
    if (!items) return NULL;
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        const tirbi_lbuf *root = stored_by(s->as.seq.items[i]);
        const tirbi_ls *made = NULL;
        uint32_t at = n;
        while (root && at > 0 && may_be_between(items[at - 1], root)) at--;
        if (root && at > 0 && fills(items[at - 1], root)) made = gathered(pool, s->as.seq.items[i], items[at - 1]);
        if (made)
            for (n--; at <= n; at++) items[at - 1] = items[at];
        else
            made = gather_in(pool, s->as.seq.items[i]);
        if (!made) return NULL;
        changes = changes || made != s->as.seq.items[i];
        items[n++] = made;
    }
    return changes ? tirbi_new_sequence(pool, s->span, items, n) : s;
}

static const tirbi_ls *gather_in(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    if (s->kind == TIRBI_LS_SEQ) return gather_sequence(pool, s);
    const tirbi_ls *made = s->kind == TIRBI_LS_LOOP ? gathered(pool, s, NULL) : NULL;
    return made ? made : tirbi_replace_inside(pool, s, gather_in, pool);
}

const tirbi_ls *tirbi_gather_sums(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return body ? gather_in(pool, body) : NULL;
}
