#include "compiler/optimize/rewriting/fill.h"

#include "compiler/optimize/rewriting/statements.h"

bool tirbi_is_each_element(const tirbi_place *place, const tirbi_loop_set *loops,
                           uint32_t dimension[TIRBI_MAX_AFFINE]) {
    for (uint32_t i = 0; i < loops->n; i++) dimension[i] = place->ndim;
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *x = tirbi_lx_before_casts(place->indices[d]), *extent = place->buffer->shape[d];
        uint32_t i = 0;
        if (tirbi_lx_is_int(x, 0) && tirbi_lx_is_int(extent, 1)) continue;
        while (i < loops->n && !(x->kind == TIRBI_LX_VAR && x->var == loops->var[i])) i++;
        if (i == loops->n || dimension[i] < place->ndim || !tirbi_lx_is_int(x->var->min, 0) || x->var->extent != extent)
            return false;
        dimension[i] = d;
    }
    return true;
}

bool tirbi_read_fill(const tirbi_ls *nest, tirbi_fill *out) {
    const tirbi_ls *s = nest;
    for (out->loops.n = 0; s->kind == TIRBI_LS_LOOP; s = s->as.loop.body) {
        if (!tirbi_is_plain_loop(s) || out->loops.n == TIRBI_MAX_AFFINE || !tirbi_lx_is_int(s->as.loop.var->min, 0))
            return false;
        out->loops.var[out->loops.n++] = s->as.loop.var;
    }
    out->body = s;
    out->store = s->kind == TIRBI_LS_SEQ && s->as.seq.n > 0 ? s->as.seq.items[0] : s;
    if (out->loops.n == 0 || out->store->kind != TIRBI_LS_STORE || out->store->as.store.access->view ||
        !tirbi_is_each_element(out->store->as.store.access, &out->loops, out->dimension))
        return false;
    for (uint32_t i = 0; i < out->loops.n; i++) {
        const bool tells = out->dimension[i] < out->store->as.store.access->ndim;
        if (!tells && !tirbi_lx_is_int(out->loops.var[i]->extent, 1)) return false;
    }
    return true;
}

void tirbi_bind_fill(tirbi_rewrite *rewrite, const tirbi_fill *fill, const tirbi_place *place) {
    for (uint32_t i = 0; i < fill->loops.n; i++) {
        const tirbi_lvar *var = fill->loops.var[i];
        const uint32_t d = fill->dimension[i];
        tirbi_bind_variable(rewrite, var,
                            d == place->ndim ? tirbi_lx_int(rewrite->pool, var->type, 0)
                                             : tirbi_value_in_type(rewrite->pool, var->type, place->indices[d]));
    }
}
