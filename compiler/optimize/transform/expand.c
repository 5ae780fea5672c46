#include "compiler/optimize/transform/expand.h"

#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

static tirbi_lbuf *rows_of(const tirbi_expansion *e, const tirbi_lbuf *buffer) {
    for (uint32_t i = 0; i < e->n; i++)
        if (e->item[i].buffer == buffer) return e->item[i].rows;
    return NULL;
}

bool tirbi_is_expanded(const tirbi_expansion *e, const tirbi_lbuf *buffer, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < e->n; i++)
        if (e->item[i].buffer == buffer && e->item[i].var == var) return true;
    return false;
}

bool tirbi_add_expanded(tirbi_expansion *e, const tirbi_lbuf *buffer, const tirbi_lvar *var) {
    if (tirbi_is_expanded(e, buffer, var)) return true;
    if (e->n == TIRBI_MAX_EXPANDED) return false;
    e->item[e->n].buffer = buffer;
    e->item[e->n++].var = var;
    return true;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static tirbi_lbuf *make_rows(const tirbi_expansion *e, const tirbi_lbuf *buffer, const tirbi_lvar *var) {
    const uint32_t around = e->loops->n, ndim = around + (buffer ? buffer->ndim : 0);
    const tirbi_lx **shape = ndim <= TIRBI_MAX_NDIM ? TIRBI_NEW_ARRAY(e->pool->arena, const tirbi_lx *, ndim) : NULL;
    for (uint32_t d = 0; shape && d < ndim; d++) {
        shape[d] = d < around ? e->loops->var[d]->extent : buffer->shape[d - around];
        if (d < around && shape[d]->lo < 0) shape[d] = tirbi_lx_with(e->pool, TIRB_OP_MAX, shape[d], 0);
    }
    if (!shape) return NULL;
    return tirbi_new_buffer(e->pool, buffer ? buffer->name : var->name, buffer ? buffer->type : var->type, ndim, shape);
}

bool tirbi_make_rows(tirbi_expansion *e) {
    for (uint32_t i = 0; i < e->n; i++)
        if (!(e->item[i].rows = make_rows(e, e->item[i].buffer, e->item[i].var))) return false;
    return true;
}

/* ---- What is in it ---------------------------------------------------------------------------------------------- */

/* The element of the iteration's row that an array's is, or a variable. */
static const tirbi_place *place_in_row(tirbi_rewrite *rewrite, tirbi_lbuf *rows, const tirbi_place *old,
                                       tirbi_span span) {
    const tirbi_expansion *e = rewrite->context;
    tirbi_lx_pool *pool = rewrite->pool;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, rows->ndim);
    for (uint32_t d = 0; indices && d < rows->ndim; d++) {
        tirbi_lvar *var = d < e->loops->n ? e->loops->var[d] : NULL;
        indices[d] = var ? tirbi_lx_sub(pool, tirbi_lx_cast(pool, TIRB_I64, tirbi_lx_var(pool, var)), var->min)
                         : tirbi_rewrite_value(rewrite, old->indices[d - e->loops->n]);
    }
    return tirbi_place_in(pool, rows, indices, span);
}

static const tirbi_place *replace_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    tirbi_lbuf *rows = rows_of(rewrite->context, place->buffer);
    return rows ? place_in_row(rewrite, rows, place, place->span) : tirbi_rewrite_subscripts(rewrite, place);
}

/* It is there, whatever the loops begin at. */
static const tirbi_lx *replace_load(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_LOAD || !rows_of(rewrite->context, x->access->buffer)) return NULL;
    return tirbi_lx_inside(rewrite->pool, tirbi_lx_load(rewrite->pool, replace_place(rewrite, x->access)));
}

static bool is_in_rows(const void *context, const tirbi_lx *x) {
    const tirbi_expansion *e = context;
    return x->kind == TIRBI_LX_LOAD ? rows_of(e, x->access->buffer) != NULL
                                    : x->kind == TIRBI_LX_VAR && tirbi_is_expanded(e, NULL, x->var);
}

/* Whether a loop's bounds, which stay as they are, need what is in rows. */
static bool is_bounded_by_rows(const void *e, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_LOOP) return false;
    const tirbi_lvar *var = s->as.loop.var;
    return s->as.loop.step || tirbi_any_expr(var->min, TIRBI_WALK_INDICES, is_in_rows, e) ||
           tirbi_any_expr(var->extent, TIRBI_WALK_INDICES, is_in_rows, e);
}

const tirbi_ls *tirbi_use_rows(tirbi_expansion *e, const tirbi_ls *s) {
    tirbi_rewrite rewrite = {.pool = e->pool,
                             .replace = replace_load,
                             .place = replace_place,
                             .context = e,
                             .kinds = TIRBI_NESTS,
                             .stores = true};
    if (tirbi_any_stmt(s, is_bounded_by_rows, e)) return NULL;
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->item[i].buffer) continue;
        const tirbi_place *place = place_in_row(&rewrite, e->item[i].rows, NULL, s->span);
        tirbi_bind_variable(&rewrite, e->item[i].var, tirbi_lx_inside(e->pool, tirbi_lx_load(e->pool, place)));
    }
    return tirbi_rewrite_stmt(&rewrite, s);
}
