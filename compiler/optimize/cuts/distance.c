#include "compiler/optimize/cuts/distance.h"

#include "compiler/loop/linear.h"
#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/divisor.h"

/* Fewer iterations are not worth a lane loop; of more, copies would not stay in the nearest cache. */
enum { LEAST = 8, MOST = 2048, MAX_AHEAD = 8, MAX_SEEN = 16 };

/* An element that is stored to in a later iteration, and what holds it from before that on: a variable, or an element
 * of a copy. */
typedef struct load_ahead {
    const tirbi_place *place;
    tirbi_lbuf *buffer;
    const tirbi_lx *value;
} load_ahead;

typedef struct spacing {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;  /* the loop's variable */
    tirbi_loop_set lets; /* those that the body sets */
    load_ahead loads[MAX_AHEAD];
    uint32_t n_loads;
    const tirbi_lx *seen[MAX_SEEN]; /* distances */
    uint32_t n_seen;
    uint64_t common;       /* divisor of all distances; 1: they are no constants, or have none */
    const tirbi_lx *far;   /* iterations that keep apart */
    const tirbi_lx *ahead; /* whether all that is loaded from elsewhere is stored to later */
    bool may_be_far, may_be_ahead, always_ahead;
    bool down;     /* it goes down in memory */
    bool in_order; /* variables are carried from iteration to iteration */
} spacing;

/* Iterations one after the other that are lanes. */
typedef struct block {
    spacing *s;
    const tirbi_lx *length, *first; /* the first is counted from the loop's own */
    int64_t most, by;               /* iterations, each `by` behind the one before */
    bool loaded;                         /* loads have been done */
    const tirbi_lx *counter, *at, *wide; /* of the iteration in the block; what is in place of the loop's variable */
} block;

/* ---- What the body reaches -------------------------------------------------------------------------------------- */

static bool sets_let(void *context, const tirbi_ls *s) {
    const spacing *in = context;
    return s->kind != TIRBI_LS_SET || in->in_order || (s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LET);
}

/* Whether it is straight code that no iteration hands variables on in, but for who carries them. */
static bool find_lets(spacing *s) {
    tirbi_accesses all = {.sets = &s->lets, .context = s, .stmt = sets_let};
    return tirbi_find_accesses(&all, s->loop->as.loop.body);
}

/* ---- How far apart it is ---------------------------------------------------------------------------------------- */

static const tirbi_lx *join(const spacing *s, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_both(s->pool, op, a, b);
}

static const tirbi_lx *magnitude(const spacing *s, const tirbi_lx *x) {
    if (x->lo >= 0) return x;
    return x->hi <= 0 ? tirbi_lx_sub(s->pool, tirbi_lx_number(s->pool, 0), x)
                      : tirbi_lx_op(s->pool, TIRB_OP_ABS, TIRB_I64, TIRB_TYPE_NONE, x, NULL, NULL);
}

/* How many iterations keep apart that reach the same element so `far` ahead, or behind: all, where it is the same
 * iteration. */
static const tirbi_lx *keeping_apart(const spacing *s, const tirbi_lx *ahead, const tirbi_lx *far) {
    const tirbi_lx *extent = s->own.var[0]->extent;
    if (far->lo > 0) return far;
    const tirbi_lx *same = tirbi_lx_with(s->pool, TIRB_OP_EQ, ahead, 0),
                   *all = tirbi_lx_with(s->pool, TIRB_OP_MAX, extent, 1);
    return tirbi_lx_lazy(s->pool, TIRBI_LX_COND, same, all, far);
}

/* Whether a place goes down in memory. */
static bool goes_down(const spacing *s, const tirbi_place *place) {
    tirbi_affine form;
    int64_t step;
    return tirbi_affine_number(s->pool, place, &s->own, &form) && tirbi_affine_constant(&form, 0, &step) && step < 0;
}

static bool is_same(const tirbi_place *a, const tirbi_place *b) { return a->buffer == b->buffer && a->flat == b->flat; }

/* A load whose element is stored to in a later iteration may be the first thing that its own does. */
static bool add_load(spacing *s, const tirbi_reached *a) {
    for (uint32_t i = 0; i < s->n_loads; i++)
        if (is_same(s->loads[i].place, a->place)) return true;
    if (s->n_loads == MAX_AHEAD || !a->place->flat->pure || tirbi_mentions_loops(a->place->flat, &s->lets))
        return false;
    s->loads[s->n_loads++].place = a->place;
    return true;
}

static bool is_one_size(const tirbi_dependences *graph, const tirbi_edge *e) {
    return tirbi_dtypes[graph->access[e->from].at.place->buffer->type].size ==
           tirbi_dtypes[graph->access[e->to].at.place->buffer->type].size;
}

/* How many iterations after a load its element is stored to: what is ahead is loaded before that. Of two stores, how
 * far they are from each other. */
static bool add_distance(spacing *s, const tirbi_dependences *graph, const tirbi_edge *e) {
    const tirbi_reached *a = &graph->access[e->kind == TIRBI_FLOW ? e->to : e->from].at;
    tirbi_poly steps = {.n = 0};
    int64_t times;
    if (!tirbi_poly_add(&steps, e->distance[0], e->kind == TIRBI_FLOW ? -1 : 1)) return false;
    const tirbi_lx *ahead = tirbi_steady_value(s->pool, graph->facts, &steps, INT64_MAX);
    if (!ahead) return false;
    s->common = tirbi_common_divisor(s->common, tirbi_poly_is_constant(&steps, &times) ? tirbi_magnitude(times) : 1);
    s->down = goes_down(s, a->place);
    const tirbi_lx *far = magnitude(s, ahead), *is_ahead = tirbi_lx_with(s->pool, TIRB_OP_GE, ahead, 1);
    far = far && is_ahead ? keeping_apart(s, ahead, far) : NULL;
    if (!far) return false;
    s->may_be_far = s->may_be_far && far->hi >= LEAST;
    s->may_be_ahead = s->may_be_ahead && e->kind != TIRBI_OUTPUT && ahead->hi >= 1 && is_one_size(graph, e) &&
                      (a->surely || !a->traps) && add_load(s, a);
    s->always_ahead = s->always_ahead && ahead->lo >= 1;
    for (uint32_t i = 0; i < s->n_seen; i++) /* of two accesses, the other way round */
        if (s->seen[i] == ahead) return true;
    if (s->n_seen < MAX_SEEN) s->seen[s->n_seen++] = ahead;
    s->far = s->far ? tirbi_lx_wide(s->pool, TIRB_OP_MIN, s->far, far) : far;
    s->ahead = s->ahead ? join(s, TIRB_OP_AND, s->ahead, is_ahead) : is_ahead;
    return s->far && s->ahead;
}

static bool is_carried(const tirbi_edge *e) { return e->kind != TIRBI_SCALAR && e->carrier < e->n_common; }

static bool has_distance(const tirbi_edge *e) { return !is_carried(e) || e->distance[0]; }

bool tirbi_steps_alike(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_dependences *graph, const tirbi_edge *e) {
    const tirbi_loop_set own = {.var = {loop->as.loop.var}, .n = 1};
    tirbi_affine x, y;
    return tirbi_affine_number(pool, graph->access[e->from].at.place, &own, &x) &&
           tirbi_affine_number(pool, graph->access[e->to].at.place, &own, &y) && x.coefficient[0] == y.coefficient[0];
}

static bool find_distances(spacing *s) {
    const tirbi_asked asked = {.carriers = 1, .alike = true, .leaves = has_distance};
    tirbi_dependences *graph = tirbi_find_dependences(s->pool, s->loop, &s->loop->as.loop.body, 1, &asked);
    bool known = graph != NULL;
    s->may_be_far = s->may_be_ahead = s->always_ahead = true;
    for (uint32_t i = 0; known && i < graph->n_edges; i++) {
        const tirbi_edge *e = &graph->edge[i];
        known = !is_carried(e) || add_distance(s, graph, e);
        if (e->kind != TIRBI_SCALAR && !is_carried(e) && !tirbi_steps_alike(s->pool, s->loop, graph, e))
            s->may_be_far = s->may_be_ahead = false;
    }
    if (graph) tirbi_forget_dependences(s->pool, graph);
    return known && s->far;
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const block *b = rewrite->context;
    const spacing *s = b->s;
    for (uint32_t i = 0; x->kind == TIRBI_LX_LOAD && b->loaded && i < s->n_loads; i++)
        if (is_same(s->loads[i].place, x->access)) return s->loads[i].value;
    bool widens = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->type == TIRB_I64;
    if (widens && x->args[0]->kind == TIRBI_LX_VAR && x->args[0]->var == s->own.var[0]) return b->wide;
    return x->kind == TIRBI_LX_VAR && x->var == s->own.var[0] ? b->at : NULL;
}

static tirbi_lvar *new_loop_var(const spacing *s, const tirbi_lx *extent, int64_t most) {
    tirbi_lvar *var = tirbi_new_counter(s->pool, s->own.var[0], TIRB_I64, extent);
    if (var) var->hi = most - 1;
    return var;
}

/* The variable of a loop over the iterations of a block; what stands for the loop's own variable in them is at hand
 * then. */
static tirbi_lvar *new_counter(block *b) {
    spacing *s = b->s;
    const tirbi_lvar *old = s->own.var[0];
    const tirbi_lx *left = tirbi_lx_sub(s->pool, old->extent, b->first);
    const tirbi_lx *by = tirbi_lx_number(s->pool, b->by),
                   *rounded = tirbi_lx_add(s->pool, left, tirbi_lx_sub(s->pool, by, tirbi_lx_number(s->pool, 1)));
    tirbi_lvar *var = new_loop_var(
        s, tirbi_lx_wide(s->pool, TIRB_OP_MIN, b->length, tirbi_lx_wide(s->pool, TIRB_OP_FLOORDIV, rounded, by)),
        b->most);
    const tirbi_lx *way = tirbi_lx_mul(s->pool, tirbi_lx_var(s->pool, var), by);
    if (way && s->down && b->by == 1) /* iterations of a block do not meet: they go up */
        way = tirbi_lx_sub(s->pool, tirbi_lx_sub(s->pool, var->extent, tirbi_lx_number(s->pool, 1)), way);
    const tirbi_lx *sum = tirbi_lx_add(s->pool, tirbi_lx_add(s->pool, old->min, b->first), way);
    if (!sum) return NULL;
    var->apart = b->by == 1;
    const bool narrow = old->type == TIRB_I32; /* bounds that do not fit are none */
    b->wide = tirbi_lx_within(s->pool, sum, narrow && old->lo < INT32_MIN ? INT32_MIN : old->lo,
                              narrow && old->hi > INT32_MAX ? INT32_MAX : old->hi);
    b->at = tirbi_lx_cast(s->pool, old->type, b->wide);
    b->counter = tirbi_lx_var(s->pool, var);
    return b->at && b->counter ? var : NULL;
}

/* The memory that a load's elements are copied to. */
static tirbi_lbuf *new_buffer(const block *b, tirbi_dtype type) {
    const spacing *s = b->s;
    const tirbi_lx *rounds = tirbi_lx_with(s->pool, TIRB_OP_MAX, s->own.var[0]->extent, 0),
                   *most = tirbi_lx_number(s->pool, b->most);
    tirbi_lbuf *buffer = tirbi_new_row(s->pool, "copy", type, most);
    if (buffer) buffer->length = tirbi_lx_wide(s->pool, TIRB_OP_MIN, rounds, most);
    return buffer && buffer->length ? buffer : NULL;
}

/* Copies what a load is going to read, to memory of its own. */
static const tirbi_ls *copy_ahead(block *b, load_ahead *c) {
    spacing *s = b->s;
    tirbi_lvar *var = new_counter(b);
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = replace, .context = b};
    const tirbi_place *from = var ? tirbi_rewrite_place(&rewrite, c->place) : NULL;
    c->buffer = from ? new_buffer(b, c->place->buffer->type) : NULL;
    const tirbi_place *to = tirbi_element_at(s->pool, c->buffer, b->counter, c->place->span);
    const tirbi_ls *loop = tirbi_new_loop(s->pool, s->loop->span, var,
                                          tirbi_new_store(s->pool, s->loop->span, to, tirbi_lx_load(s->pool, from)));
    return loop && tirbi_has_lanes(s->pool, loop) ? loop : NULL;
}

static const tirbi_ls *compute_block(block *b) {
    spacing *s = b->s;
    tirbi_lvar *var = new_counter(b);
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = replace, .context = b};
    for (uint32_t i = 0; var && b->loaded && i < s->n_loads; i++) {
        const load_ahead *c = &s->loads[i];
        const tirbi_place *place = tirbi_element_at(s->pool, c->buffer, b->counter, c->place->span);
        s->loads[i].value = tirbi_lx_load(s->pool, place);
        if (!c->value) return NULL;
    }
    const tirbi_ls *body = var ? tirbi_rewrite_stmt(&rewrite, s->loop->as.loop.body) : NULL,
                   *loop = tirbi_new_loop(s->pool, s->loop->span, var, body);
    return loop && (b->by > 1 || tirbi_has_lanes(s->pool, loop)) ? loop : NULL;
}

/* The loop in blocks of `length` iterations, at most `most`, before each of which the elements that lie ahead are
 * copied. */
static const tirbi_ls *in_blocks(spacing *s, const tirbi_lx *length, int64_t most, bool copies) {
    const tirbi_lx *extent = s->own.var[0]->extent;
    const tirbi_ls *items[MAX_AHEAD + 1], *inside[MAX_AHEAD + 1];
    tirbi_lvar *first = new_loop_var(s, extent, extent->hi > 0 ? extent->hi : 1);
    block b = {.s = s, .length = length, .most = most, .by = 1, .first = tirbi_lx_var(s->pool, first)};
    uint32_t n = copies ? s->n_loads : 0;
    if (!b.first) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        inside[i] = copy_ahead(&b, &s->loads[i]);
        items[i] = tirbi_new_alloc(s->pool, s->loop->span, s->loads[i].buffer);
    }
    b.loaded = copies;
    inside[n] = compute_block(&b);
    items[n] = tirbi_new_blocks(s->pool, s->loop->span, first, length,
                                tirbi_new_sequence(s->pool, s->loop->span, inside, n + 1));
    return tirbi_new_sequence(s->pool, s->loop->span, items, n + 1);
}

/* The loop as one over the remainders of the distances' divisor, each with the iterations that have it: only these
 * reach what another one stores to, and they keep their order. */
static const tirbi_ls *by_remainder(spacing *s, const tirbi_ls **carried) {
    const tirbi_lvar *old = s->own.var[0];
    const int64_t by = (int64_t)s->common, most = old->extent->hi;
    tirbi_lvar *first =
        new_loop_var(s, tirbi_lx_wide(s->pool, TIRB_OP_MIN, tirbi_lx_number(s->pool, by), old->extent), by);
    block b = {.s = s, .length = old->extent, .most = most / by + 1, .by = by, .first = tirbi_lx_var(s->pool, first)};
    if (!b.first || most > INT64_MAX - by) return NULL;
    *carried = compute_block(&b);
    return tirbi_new_loop(s->pool, s->loop->span, first, *carried);
}

/* ---- Loads first ------------------------------------------------------------------------------------------------ */

/* The loop whose iterations load first what later ones store to, before they store anything themselves: lanes may go
 * block by block then, if some are left to plan. */
static const tirbi_ls *with_loads_first(spacing *s) {
    const tirbi_ls *items[MAX_AHEAD + 1];
    tirbi_lvar *var = tirbi_variable_like(s->pool, s->own.var[0]);
    block b = {.s = s, .at = tirbi_lx_var(s->pool, var)};
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = replace, .context = &b};
    const uint32_t n = s->n_loads;
    if (!b.at) return NULL;
    var->apart = var->forwards = true;
    b.wide = tirbi_lx_cast(s->pool, TIRB_I64, b.at);
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_place *place = tirbi_rewrite_place(&rewrite, s->loads[i].place);
        const tirbi_lx *load = tirbi_lx_load(s->pool, place);
        tirbi_lvar *first = tirbi_variable_for(s->pool, TIRBI_LVAR_LET, "ahead", load, place->span);
        if (!first) return NULL;
        items[i] = tirbi_new_set(s->pool, s->loop->span, first, load, true);
        s->loads[i].value = tirbi_lx_var(s->pool, first);
    }
    b.loaded = true;
    items[n] = tirbi_rewrite_stmt(&rewrite, s->loop->as.loop.body);
    const tirbi_ls *loop =
        tirbi_loop_like(s->pool, s->loop, var, tirbi_new_sequence(s->pool, s->loop->span, items, n + 1));
    if (!loop) return NULL;
    return (s->in_order ? tirbi_has_lanes_in_order(s->pool, loop) : tirbi_has_lanes(s->pool, loop)) ? loop : NULL;
}

/* What is known of the distances in a loop; NULL where they are not. */
static spacing *measure(tirbi_lx_pool *pool, const tirbi_ls *loop, bool in_order) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || var->extent->hi < LEAST) return NULL;
    spacing *s = TIRBI_NEW(pool->arena, spacing);
    if (!s) return NULL;
    s->pool = pool;
    s->loop = loop;
    s->in_order = in_order;
    s->own = (tirbi_loop_set){.var = {loop->as.loop.var}, .n = 1};
    const bool measured = find_lets(s) && find_distances(s);
    if (!measured) TIRBI_GIVE_BACK(pool->arena, s);
    return measured ? s : NULL;
}

const tirbi_ls *tirbi_load_first(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    spacing *s = measure(pool, loop, true);
    return s && s->may_be_ahead && s->always_ahead ? with_loads_first(s) : NULL;
}

bool tirbi_block_by_distance(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    spacing *s = measure(pool, loop, false);
    if (!s) return false;
    const tirbi_ls *near = NULL;
    if (s->may_be_ahead) /* downwards, vectors would not be as in memory */
        near = s->down ? in_blocks(s, tirbi_lx_number(s->pool, MOST), MOST, true) : with_loads_first(s);
    const int64_t most = s->far->hi < var->extent->hi ? s->far->hi : var->extent->hi;
    const tirbi_ls *far = s->may_be_far && !(near && s->always_ahead) ? in_blocks(s, s->far, most, false) : NULL;
    const tirbi_lx *is_far = far ? tirbi_lx_with(s->pool, TIRB_OP_GE, s->far, LEAST) : NULL;
    out->loop = NULL;
    out->stmt = near ? near : far;
    out->condition = near ? s->ahead : is_far;
    if (!out->stmt && s->common > 1 && s->common < LEAST && tirbi_fails_alike(loop)) {
        out->stmt = by_remainder(s, &out->loop);
        out->condition = tirbi_lx_int(pool, TIRB_BOOL, 1);
    }
    if (!near || !far) return out->stmt && out->condition;
    out->stmt = tirbi_new_if(pool, loop->span, s->ahead, near, far);
    out->condition = join(s, TIRB_OP_OR, s->ahead, is_far);
    return out->stmt && out->condition;
}
