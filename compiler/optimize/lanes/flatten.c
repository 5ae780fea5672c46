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

tirbi_lbuf *tirbi_join_dimensions(tirbi_lx_pool *pool, const tirbi_lbuf *old, uint32_t first, uint32_t last) {
    const uint32_t gone = last - first, n = old->ndim - gone;
    tirbi_lbuf *buffer = TIRBI_NEW(pool->arena, tirbi_lbuf);
    const tirbi_lx **lists = TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, 2 * n), **strides = lists + n;
    if (!buffer || !lists) return NULL;
    for (uint32_t d = 0; d < old->ndim; d++) {
        const bool joins = d > first && d <= last;
        const uint32_t to = joins ? first : d <= first ? d : d - gone;
        lists[to] = joins ? tirbi_lx_mul(pool, lists[to], old->shape[d]) : old->shape[d];
        strides[to] = old->strides[d];
        if (!lists[to]) return NULL;
    }
    *buffer = *old;
    buffer->ndim = n;
    buffer->shape = lists;
    buffer->strides = strides;
    return buffer;
}

/* The place with dimension d and the next one as one, whose index is `number`. */
static const tirbi_place *join(tirbi_lx_pool *pool, const tirbi_place *place, uint32_t d, const tirbi_lx *number) {
    tirbi_lbuf *b = tirbi_join_dimensions(pool, place->buffer, d, d + 1);
    tirbi_place *joined = TIRBI_NEW(pool->arena, tirbi_place);
    const tirbi_lx **indices = b ? TIRBI_NEW_ARRAY(pool->arena, const tirbi_lx *, b->ndim) : NULL;
    if (!joined || !indices || !number) return NULL;
    const tirbi_lx *flat = b->offset ? b->offset : tirbi_lx_number(pool, 0);
    for (uint32_t i = 0; i < b->ndim && flat; i++) {
        indices[i] = i == d ? number : place->indices[i < d ? i : i + 1];
        flat = tirbi_lx_add(pool, flat, tirbi_lx_mul(pool, indices[i], b->strides[i]));
    }
    *joined = *place;
    joined->buffer = b;
    joined->ndim = b->ndim;
    joined->indices = indices;
    joined->flat = flat;
    return flat ? joined : NULL;
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
