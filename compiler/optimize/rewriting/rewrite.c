#include "compiler/optimize/rewriting/rewrite.h"

#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/rewriting/copy.h"

static bool follows_from_subscripts(tirbi_lx_pool *pool, const tirbi_place *place) {
    const tirbi_place *made = tirbi_place_in(pool, place->buffer, place->indices, place->span);
    return made && tirbi_same_value(made->flat, place->flat);
}

/* Rewrites values into `out`, which is the list itself where all stay as they are; false when memory ran out. */
static bool rewrite_values(tirbi_rewrite *r, const tirbi_lx *const *values, uint32_t n, const tirbi_lx *const **out) {
    const tirbi_lx **fresh = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, n + 1);
    bool same = true;
    for (uint32_t i = 0; i < n; i++) {
        if (fresh) fresh[i] = tirbi_rewrite_value(r, values[i]);
        if (!fresh || !fresh[i]) return false;
        same = same && fresh[i] == values[i];
    }
    *out = same ? values : fresh;
    return fresh != NULL;
}

static bool same_values(const tirbi_lx *const *a, const tirbi_lx *const *b, uint32_t n) {
    for (uint32_t i = 0; a != b && i < n; i++) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

static bool same_view(const tirbi_lbuf *a, const tirbi_lbuf *b) {
    return a->offset == b->offset && a->source == b->source && same_values(a->shape, b->shape, a->ndim) &&
           same_values(a->strides, b->strides, a->ndim) &&
           (!a->source || same_values(a->source_mins, b->source_mins, a->source->ndim));
}

/* A view that begins elsewhere, or has other extents, by what is being replaced is another view, the same one for all
 * places. NULL when memory ran out. */
static tirbi_lbuf *rewrite_view(tirbi_rewrite *r, tirbi_lbuf *view) {
    if (view->root == view || (!view->offset && !view->source)) return view;
    tirbi_lbuf copy = *view;
    if (view->offset) copy.offset = tirbi_rewrite_value(r, view->offset);
    if (view->source) copy.source = rewrite_view(r, view->source);
    if ((view->offset && !copy.offset) || (view->source && !copy.source) ||
        !rewrite_values(r, view->shape, view->ndim, &copy.shape) ||
        !rewrite_values(r, view->strides, view->ndim, &copy.strides) ||
        (view->source && !rewrite_values(r, view->source_mins, view->source->ndim, &copy.source_mins)))
        return NULL;
    for (tirbi_lbuf *b = view; b; b = b->elsewhere) {
        if (same_view(b, &copy)) return b;
    }
    tirbi_lbuf *made = TIRBI_NEW(r->pool->arena, tirbi_lbuf);
    if (!made) return NULL;
    *made = copy;
    made->id = 0;
    view->elsewhere = made;
    return made;
}

const tirbi_place *tirbi_rewrite_place(tirbi_rewrite *r, const tirbi_place *place) {
    tirbi_place *copy = TIRBI_NEW(r->pool->arena, tirbi_place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, place->ndim);
    if (!copy || !indices) return NULL;
    *copy = *place;
    copy->buffer = rewrite_view(r, place->buffer);
    if (!copy->buffer) return NULL;
    for (uint32_t i = 0; i < place->ndim; i++) {
        indices[i] = tirbi_rewrite_value(r, place->indices[i]);
        if (!indices[i]) return NULL;
    }
    copy->indices = indices;
    if (r->renumber && !place->view && follows_from_subscripts(r->pool, place)) {
        tirbi_place *made = (tirbi_place *)(uintptr_t)tirbi_place_in(r->pool, copy->buffer, indices, place->span);
        if (made) made->guard = place->guard;
        return made;
    }
    copy->flat = tirbi_has_own_number(place) ? tirbi_rewrite_value(r, place->flat) : indices[0];
    copy->view = place->view ? tirbi_rewrite_place(r, place->view) : NULL;
    return copy->flat && (copy->view || !place->view) ? copy : NULL;
}

const tirbi_lx *tirbi_rewrite_value(tirbi_rewrite *r, const tirbi_lx *x) {
    const tirbi_lx *other = r->replace(r, x);
    for (const tirbi_renamed *n = r->renamed; !other && x->kind == TIRBI_LX_VAR && n; n = n->around)
        if (n->from == x->var) return tirbi_lx_var(r->pool, (tirbi_lvar *)(uintptr_t)n->to);
    if (other || x->kind == TIRBI_LX_VAR) return other ? other : x;
    if (x->kind == TIRBI_LX_LOAD) {
        const tirbi_place *place = tirbi_rewrite_place(r, x->access);
        return place ? tirbi_lx_load(r->pool, place) : NULL;
    }
    if (x->kind == TIRBI_LX_CONST) return x;
    if (x->kind == TIRBI_LX_CALL) return NULL;
    const tirbi_lx *a[3] = {0};
    for (int i = 0; i < x->n_args; i++) {
        a[i] = tirbi_rewrite_value(r, x->args[i]);
        if (!a[i]) return NULL;
    }
    if (x->kind != TIRBI_LX_OP) return tirbi_lx_lazy(r->pool, (tirbi_lx_kind)x->kind, a[0], a[1], a[2]);
    if (x->addend_first)
        return tirbi_lx_fused(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, a[0], a[1], a[2], true);
    return tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, a[0], a[1], a[2]);
}

const tirbi_lx *tirbi_value_in_type(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lx *x) {
    if (!x || x->type == type || x->kind == TIRBI_LX_CONST) return x ? tirbi_lx_cast(pool, type, x) : NULL;
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->source == type) return x->args[0];
    if (x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB || x->op == TIRB_OP_MUL)) {
        const tirbi_lx *a = tirbi_value_in_type(pool, type, x->args[0]),
                       *b = tirbi_value_in_type(pool, type, x->args[1]);
        return a && b ? tirbi_lx_op(pool, (tirbi_op)x->op, type, TIRB_TYPE_NONE, a, b, NULL) : NULL;
    }
    return tirbi_lx_cast(pool, type, x);
}

static const tirbi_ls *rewrite(tirbi_rewrite *r, const tirbi_ls *stmt, bool assigns);

/* Rows, and conditions that ask for a loop's first iteration, mean the loop itself. */
static const tirbi_ls *rewrite_loop(tirbi_rewrite *r, const tirbi_ls *stmt, bool assigns, tirbi_ls *copy) {
    const tirbi_lvar *old = stmt->as.loop.var;
    tirbi_lvar *var = TIRBI_NEW(r->pool->arena, tirbi_lvar);
    if (!r->loops || !var || stmt->as.loop.blocks || stmt->as.loop.rows) return NULL;
    *var = *old;
    var->id = 0;
    var->min = tirbi_rewrite_value(r, old->min);
    var->extent = tirbi_rewrite_value(r, old->extent);
    var->below = old->below ? tirbi_rewrite_value(r, old->below) : NULL;
    if (!var->min || !var->extent || (old->below && !var->below)) return NULL;
    if (stmt->as.loop.step) {
        copy->as.loop.step = tirbi_rewrite_value(r, stmt->as.loop.step);
        if (!copy->as.loop.step) return NULL;
    }
    const tirbi_renamed renamed = {.from = old, .to = var, .around = r->renamed};
    r->renamed = &renamed;
    copy->as.loop.var = var;
    copy->as.loop.body = rewrite(r, stmt->as.loop.body, assigns);
    r->renamed = renamed.around;
    return copy->as.loop.body ? copy : NULL;
}

static const tirbi_ls *rewrite_let(tirbi_rewrite *r, tirbi_ls *copy) {
    tirbi_lvar *old = copy->as.set.var, *var = TIRBI_NEW(r->pool->arena, tirbi_lvar);
    tirbi_renamed *renamed = TIRBI_NEW(r->pool->arena, tirbi_renamed);
    if (!var || !renamed || !copy->as.set.declares || old->kind != TIRBI_LVAR_LET || !copy->as.set.value) return NULL;
    copy->as.set.value = tirbi_rewrite_value(r, copy->as.set.value);
    *var = *old;
    var->id = 0;
    *renamed = (tirbi_renamed){.from = old, .to = var, .around = r->renamed};
    r->renamed = renamed;
    copy->as.set.var = var;
    return copy->as.set.value ? copy : NULL;
}

static const tirbi_ls *rewrite(tirbi_rewrite *r, const tirbi_ls *stmt, bool assigns) {
    const tirbi_ls *other = r->statement ? r->statement(r, stmt) : NULL;
    if (other) return other;
    tirbi_ls *copy = TIRBI_NEW(r->pool->arena, tirbi_ls);
    if (!copy) return NULL;
    *copy = *stmt;
    switch (stmt->kind) {
    case TIRBI_LS_STORE:
        copy->as.store.access = tirbi_rewrite_place(r, stmt->as.store.access);
        copy->as.store.value = tirbi_rewrite_value(r, stmt->as.store.value);
        return copy->as.store.access && copy->as.store.value ? copy : NULL;
    case TIRBI_LS_LOOP: return rewrite_loop(r, stmt, assigns, copy);
    case TIRBI_LS_IF:
        if (r->loops && stmt->as.if_.first_of) return NULL;
        copy->as.if_.condition = tirbi_rewrite_value(r, stmt->as.if_.condition);
        copy->as.if_.then_case = rewrite(r, stmt->as.if_.then_case, assigns);
        if (stmt->as.if_.else_case) {
            copy->as.if_.else_case = rewrite(r, stmt->as.if_.else_case, assigns);
            if (!copy->as.if_.else_case) return NULL;
        }
        return copy->as.if_.condition && copy->as.if_.then_case ? copy : NULL;
    case TIRBI_LS_SEQ: {
        const tirbi_ls **items = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_ls *, stmt->as.seq.n);
        for (uint32_t i = 0; items && i < stmt->as.seq.n; i++) {
            items[i] = rewrite(r, stmt->as.seq.items[i], assigns);
            if (!items[i]) return NULL;
        }
        copy->as.seq.items = items;
        return items ? copy : NULL;
    }
    case TIRBI_LS_SET:
        if (r->lets) return rewrite_let(r, copy);
        if (!assigns || !stmt->as.set.value) return NULL;
        copy->as.set.value = tirbi_rewrite_value(r, stmt->as.set.value);
        return copy->as.set.value ? copy : NULL;
    default: return NULL;
    }
}

const tirbi_ls *tirbi_rewrite_stmt(tirbi_rewrite *r, const tirbi_ls *stmt) { return rewrite(r, stmt, false); }
const tirbi_ls *tirbi_rewrite_assignments(tirbi_rewrite *r, const tirbi_ls *stmt) { return rewrite(r, stmt, true); }
