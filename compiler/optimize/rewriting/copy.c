#include "compiler/optimize/rewriting/copy.h"

#include "compiler/optimize/rewriting/rewrite.h"

const tirbi_place *tirbi_place_in(tirbi_lx_pool *pool, tirbi_lbuf *buffer, const tirbi_lx *const *indices,
                                  tirbi_span span) {
    tirbi_place *place = TIRBI_NEW(pool->arena, tirbi_place);
    const tirbi_lx *flat = buffer->offset ? buffer->offset : tirbi_lx_number(pool, 0);
    for (uint32_t i = 0; i < buffer->ndim && flat; i++)
        flat = indices[i] ? tirbi_lx_add(pool, flat, tirbi_lx_mul(pool, indices[i], buffer->strides[i])) : NULL;
    if (!place || !flat) return NULL;
    *place = (tirbi_place){.buffer = buffer, .ndim = buffer->ndim, .indices = indices, .flat = flat, .span = span};
    return place;
}

static const tirbi_place *other_place(tirbi_rewrite *rewrite, const tirbi_place *place) {
    const tirbi_copier *c = rewrite->context;
    tirbi_lbuf *buffer = c->buffer ? c->buffer(c->context, place) : NULL;
    if (!buffer) return tirbi_rewrite_place(rewrite, place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_lx *, place->ndim);
    for (uint32_t d = 0; indices && d < place->ndim; d++) indices[d] = tirbi_rewrite_value(rewrite, place->indices[d]);
    return indices ? tirbi_place_in(rewrite->pool, buffer, indices, place->span) : NULL;
}

static const tirbi_lx *other_value(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_copier *c = rewrite->context;
    if (x->kind == TIRBI_LX_LOAD) {
        const tirbi_place *place = other_place(rewrite, x->access);
        return place ? tirbi_lx_load(rewrite->pool, place) : NULL;
    }
    if (x->kind != TIRBI_LX_VAR) return NULL;
    for (uint32_t i = 0; c->from && i < c->from->n; i++) {
        if (x->var == c->from->var[i]) return tirbi_lx_var(rewrite->pool, c->to->var[i]);
    }
    for (uint32_t i = 0; i < c->n_lets; i++) {
        if (x->var == c->lets[i].old) return tirbi_lx_var(rewrite->pool, c->lets[i].fresh);
    }
    return NULL;
}

/* A variable that begins in the statement is another one in its copy, as both may be emitted. */
static tirbi_lvar *fresh_let(tirbi_rewrite *rewrite, tirbi_lvar *old) {
    tirbi_copier *c = rewrite->context;
    tirbi_lvar *fresh = c->n_lets < TIRBI_MAX_COPIED_LETS ? TIRBI_NEW(rewrite->pool->arena, tirbi_lvar) : NULL;
    if (!fresh) return NULL;
    *fresh = *old;
    fresh->id = 0;
    c->lets[c->n_lets].old = old;
    c->lets[c->n_lets++].fresh = fresh;
    return fresh;
}

static const tirbi_ls *other_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s);

static bool other_updates(tirbi_rewrite *rewrite, const tirbi_ls *s, tirbi_ls *copy) {
    tirbi_update *updates = TIRBI_NEW_ARRAY(rewrite->pool->arena, tirbi_update, s->as.tree.n_updates);
    const tirbi_lx **lets = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_lx *, s->as.tree.n_lets + 1);
    if (!updates || !lets) return false;
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *old = &s->as.tree.updates[i];
        updates[i] = *old;
        updates[i].target = other_place(rewrite, old->target);
        updates[i].value = tirbi_rewrite_value(rewrite, old->value);
        updates[i].factor = old->factor ? tirbi_rewrite_value(rewrite, old->factor) : NULL;
        if (!updates[i].target || !updates[i].value || (old->factor && !updates[i].factor)) return false;
    }
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) {
        lets[i] = tirbi_rewrite_value(rewrite, s->as.tree.lets[i]);
        if (!lets[i]) return false;
    }
    copy->as.tree.updates = updates;
    copy->as.tree.lets = lets;
    copy->as.tree.init = s->as.tree.init ? other_stmt(rewrite, s->as.tree.init) : NULL;
    return copy->as.tree.init || !s->as.tree.init;
}

static const tirbi_ls *other_stmt(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    tirbi_ls *copy = TIRBI_NEW(rewrite->pool->arena, tirbi_ls);
    if (!copy) return NULL;
    *copy = *s;
    switch (s->kind) {
    case TIRBI_LS_SEQ: {
        const tirbi_ls **items = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_ls *, s->as.seq.n);
        for (uint32_t i = 0; items && i < s->as.seq.n; i++) {
            items[i] = other_stmt(rewrite, s->as.seq.items[i]);
            if (!items[i]) return NULL;
        }
        copy->as.seq.items = items;
        return items ? copy : NULL;
    }
    case TIRBI_LS_LOOP:
        copy->as.loop.body = other_stmt(rewrite, s->as.loop.body);
        return copy->as.loop.body ? copy : NULL;
    case TIRBI_LS_STORE:
        copy->as.store.access = other_place(rewrite, s->as.store.access);
        copy->as.store.value = tirbi_rewrite_value(rewrite, s->as.store.value);
        return copy->as.store.access && copy->as.store.value ? copy : NULL;
    case TIRBI_LS_SET:
        copy->as.set.value = tirbi_rewrite_value(rewrite, s->as.set.value);
        copy->as.set.var = fresh_let(rewrite, s->as.set.var);
        return copy->as.set.value && copy->as.set.var ? copy : NULL;
    case TIRBI_LS_TREE: return other_updates(rewrite, s, copy) ? copy : NULL;
    default: return NULL;
    }
}

const tirbi_ls *tirbi_copy_stmt(tirbi_lx_pool *pool, tirbi_copier *copier, const tirbi_ls *s) {
    tirbi_rewrite rewrite = {.pool = pool, .replace = other_value, .context = copier};
    return other_stmt(&rewrite, s);
}
