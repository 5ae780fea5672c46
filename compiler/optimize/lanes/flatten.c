#include "compiler/optimize/lanes/flatten.h"

#include <string.h>

#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/lanes/lane_planner.h"

/* x where a wider type was only made of it. */
static const tirbi_lx *unwidened(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_signed((tirbi_dtype)x->source) &&
           tirbi_dtypes[x->source].size <= tirbi_dtypes[x->type].size)
        x = x->args[0];
    return x;
}

/* The number whose digits `high` and `low` are, where there are `n_low` low ones: x / c and x % c are x, and x / c % n
 * with x % c are x % (c * n). */
static const tirbi_lx *number_of(tirbi_lx_pool *pool, const tirbi_lx *high, const tirbi_lx *low, int64_t n_high,
                                 int64_t n_low) {
    tirbi_division l, h, inner;
    int64_t both;
    if (!tirbi_is_division(unwidened(low), &l) || !l.remainder || l.divisor != n_low) return NULL;
    if (!tirbi_is_division(unwidened(high), &h)) return NULL;
    if (!h.remainder)
        return h.divisor == n_low && tirbi_same_value(h.numerator, l.numerator)
                   ? tirbi_lx_cast(pool, TIRB_I64, l.numerator)
                   : NULL;
    if (h.divisor != n_high || !tirbi_is_division(h.numerator, &inner) || inner.remainder || inner.divisor != n_low)
        return NULL;
    if (!tirbi_same_value(inner.numerator, l.numerator) || __builtin_mul_overflow(n_high, n_low, &both)) return NULL;
    const tirbi_lx *wide = tirbi_lx_cast(pool, TIRB_I64, l.numerator);
    return tirbi_lx_with(pool, TIRB_OP_FLOORMOD, wide, both);
}

/* The place with dimension d and the next one as one, whose index is `number`. */
static const tirbi_place *join(tirbi_lx_pool *pool, const tirbi_place *place, uint32_t d, const tirbi_lx *number) {
    const tirbi_lbuf *old = place->buffer;
    uint32_t n = place->ndim - 1;
    tirbi_lbuf *b = TIRBI_NEW(pool->arena, tirbi_lbuf);
    tirbi_place *joined = TIRBI_NEW(pool->arena, tirbi_place);
    const tirbi_lx **lists = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, 3 * n);
    if (!b || !joined || !lists || !number) return NULL;
    const tirbi_lx **shape = lists, **strides = lists + n, **indices = lists + 2 * n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = i <= d ? i : i + 1;
        shape[i] = i == d ? tirbi_lx_mul(pool, old->shape[d], old->shape[d + 1]) : old->shape[from];
        strides[i] = i == d ? old->strides[d + 1] : old->strides[from];
        indices[i] = i == d ? number : place->indices[from];
    }
    const tirbi_lx *flat = old->offset ? old->offset : tirbi_lx_number(pool, 0);
    for (uint32_t i = 0; i < n && flat; i++)
        flat = tirbi_lx_add(pool, flat, tirbi_lx_mul(pool, indices[i], strides[i]));
    *b = *old;
    b->ndim = n;
    b->shape = shape;
    b->strides = strides;
    *joined = *place;
    joined->buffer = b;
    joined->ndim = n;
    joined->indices = indices;
    joined->flat = flat;
    return flat && shape[d] ? joined : NULL;
}

const tirbi_place *tirbi_flatten_place(tirbi_lx_pool *pool, const tirbi_place *place) {
    const tirbi_lbuf *first = place->buffer;
    if (place->view || first->broadcasts || first->overlaps || first->source) return place;
    for (uint32_t d = place->ndim; place && d-- > 0;) {
        const tirbi_lbuf *b = place->buffer;
        if (d + 1 >= place->ndim) continue;
        const tirbi_lx *high = b->shape[d], *low = b->shape[d + 1];
        if (high->kind != TIRBI_LX_CONST || low->kind != TIRBI_LX_CONST || low->value < 1 || high->value < 1) continue;
        if (b->strides[d] != tirbi_lx_mul(pool, b->strides[d + 1], low)) continue;
        const tirbi_lx *number = number_of(pool, place->indices[d], place->indices[d + 1], high->value, low->value);
        if (number) place = join(pool, place, d, number);
    }
    return place;
}
