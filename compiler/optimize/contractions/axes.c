#include "compiler/optimize/contractions/axes.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_LOADS = 16 };

/* The axes `outer` and `inner`, as `joined`. */
typedef struct joiner {
    tirbi_lx_pool *pool;
    tirbi_loop_set axes; /* outer, inner */
    tirbi_lvar *joined;
    const tirbi_place *old[MAX_LOADS]; /* places along the axes, and what they are along the joined one */
    tirbi_place *fresh[MAX_LOADS];
    uint32_t n;
    bool failed;
} joiner;

/* The elements along the joined axis as a buffer of their own, which the place is the joined counter's element of. */
static tirbi_place *along(joiner *j, const tirbi_place *place, const tirbi_affine *form) {
    tirbi_place *fresh = TIRBI_NEW(j->pool->arena, tirbi_place);
    tirbi_lbuf *row = TIRBI_NEW(j->pool->arena, tirbi_lbuf);
    const tirbi_lx **lists = TIRBI_NEW_ARRAY(j->pool->arena, const tirbi_lx *, 3);
    const tirbi_lx *at = tirbi_lx_var(j->pool, j->joined);
    const tirbi_lx *way = tirbi_lx_mul(j->pool, at, form->coefficient[1]);
    if (!fresh || !row || !lists || !way) return NULL;
    lists[0] = j->joined->extent;
    lists[1] = form->coefficient[1];
    lists[2] = at;
    *row = *place->buffer;
    row->ndim = 1;
    row->shape = &lists[0];
    row->strides = &lists[1];
    *fresh = *place;
    fresh->buffer = row;
    fresh->ndim = 1;
    fresh->indices = &lists[2];
    fresh->flat = tirbi_lx_add(j->pool, form->start, way);
    return fresh->flat ? fresh : NULL;
}

/* A load's place along the joined axis; NULL where its elements do not follow each other so. */
static const tirbi_place *joined_place(joiner *j, const tirbi_place *place) {
    tirbi_affine form;
    const tirbi_lbuf *b = place->buffer;
    if (b->broadcasts || tirbi_buffer_moves(b, &j->axes) || place->view || !tirbi_is_proven(place)) return NULL;
    if (!tirbi_affine_number(j->pool, place, &j->axes, &form)) return NULL;
    if (!form.coefficient[0] || !form.coefficient[1]) return NULL;
    if (form.coefficient[0] != tirbi_lx_mul(j->pool, form.coefficient[1], j->axes.var[1]->extent)) return NULL;
    for (uint32_t i = 0; i < j->n; i++) {
        if (j->old[i]->buffer == b && j->old[i]->flat == place->flat) return j->fresh[i];
    }
    tirbi_place *fresh = j->n < MAX_LOADS ? along(j, place, &form) : NULL;
    if (!fresh) return NULL;
    j->old[j->n] = place;
    j->fresh[j->n++] = fresh;
    return fresh;
}

static bool stands_in(const tirbi_place *place, const tirbi_loop_set *axes) {
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (tirbi_mentions_loops(place->indices[d], axes)) return true;
    }
    return tirbi_mentions_loops(place->flat, axes);
}

static const tirbi_lx *join(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    joiner *j = rewrite->context;
    if (x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_VAR && tirbi_mentions_loops(x, &j->axes))) {
        j->failed = true;
        return x;
    }
    if (x->kind != TIRBI_LX_LOAD) return NULL;
    if (!stands_in(x->access, &j->axes)) return NULL;
    const tirbi_lx *load = tirbi_lx_load(j->pool, joined_place(j, x->access));
    j->failed = j->failed || !load;
    return load ? load : x;
}

static bool is_whole_axis(const tirbi_lvar *var) {
    return tirbi_lx_is_int(var->min, 0) && var->extent->pure && !var->extent->traps && var->extent->lo >= 0;
}

static bool make_joined(joiner *j) {
    const tirbi_lvar *outer = j->axes.var[0], *inner = j->axes.var[1];
    j->joined = tirbi_counter_like(j->pool, outer, tirbi_lx_mul(j->pool, outer->extent, inner->extent));
    if (!j->joined || j->joined->extent->lo < 0) return false;
    j->joined->name = tirbi_join_names(j->pool, outer, inner);
    j->joined->type = TIRB_I64;
    return j->joined->name != NULL;
}

/* The tree with the axes `at` and `at + 1` as one, or NULL. */
static const tirbi_ls *join_at(tirbi_lx_pool *pool, const tirbi_ls *tree, uint32_t at) {
    uint32_t n = tree->as.tree.n_loops, n_updates = tree->as.tree.n_updates;
    tirbi_lvar *const *loops = tree->as.tree.loops;
    joiner j = {.pool = pool, .axes = {.var = {loops[at], loops[at + 1]}, .n = 2}};
    tirbi_rewrite rewrite = {.pool = pool, .replace = join, .context = &j};
    if (!is_whole_axis(loops[at]) || !is_whole_axis(loops[at + 1]) || tree->as.tree.n_lets) return NULL;
    if (!make_joined(&j)) return NULL;
    tirbi_ls *copy = TIRBI_NEW(pool->arena, tirbi_ls);
    tirbi_lvar **fewer = TIRBI_NEW_ARRAY(pool->arena, tirbi_lvar *, n);
    tirbi_update *updates = TIRBI_NEW_ARRAY(pool->arena, tirbi_update, n_updates);
    if (!copy || !fewer || !updates) return NULL;
    for (uint32_t u = 0; u < n_updates; u++) {
        const tirbi_update *from = &tree->as.tree.updates[u];
        updates[u] = *from;
        updates[u].value = tirbi_rewrite_value(&rewrite, from->value);
        updates[u].factor = tirbi_rewrite_value(&rewrite, from->factor);
        if (j.failed || !updates[u].value || (from->factor && !updates[u].factor)) return NULL;
    }
    for (uint32_t i = 0; i + 1 < n; i++) fewer[i] = i < at ? loops[i] : i == at ? j.joined : loops[i + 1];
    *copy = *tree;
    copy->as.tree.loops = fewer;
    copy->as.tree.n_loops = n - 1;
    copy->as.tree.updates = updates;
    return copy;
}

static const tirbi_ls *join_tree(tirbi_lx_pool *pool, const tirbi_ls *tree) {
    for (uint32_t at = tree->as.tree.n_loops; at-- > 1;) {
        const tirbi_ls *joined = join_at(pool, tree, at - 1);
        if (joined) tree = joined;
    }
    return tree;
}

static const tirbi_ls *join_all(void *pool, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_TREE ? join_tree(pool, s) : tirbi_replace_inside(pool, s, join_all, pool);
}

const tirbi_ls *tirbi_join_axes(tirbi_lx_pool *pool, const tirbi_ls *s) { return s ? join_all(pool, s) : NULL; }
