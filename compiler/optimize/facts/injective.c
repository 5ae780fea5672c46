#include "compiler/optimize/facts/injective.h"

#include <string.h>

#include "compiler/loop/sums.h"
#include "compiler/optimize/facts/order.h"

bool tirbi_form_tells(const tirbi_loop_set *loops, const tirbi_affine *form, bool in_index[TIRBI_MAX_AFFINE]) {
    int64_t reach = 0;
    bool used[TIRBI_MAX_AFFINE] = {false};
    uint32_t left = 0;
    for (uint32_t i = 0; i < loops->n; i++) {
        in_index[i] = form->coefficient[i] != NULL;
        left += in_index[i];
    }
    for (; left > 0; left--) {
        int64_t least = INT64_MAX, c;
        uint32_t at = 0;
        for (uint32_t i = 0; i < loops->n; i++) {
            if (!in_index[i] || used[i]) continue;
            if (!tirbi_affine_constant(form, i, &c))
                return false; /* subscripts tell, where `sizes` gives it dimensions */
            if (c == 0 || c == INT64_MIN) return false;
            if (c < 0) c = -c;
            if (c < least) {
                least = c;
                at = i;
            }
        }
        if (least <= reach) return false;
        used[at] = true;
        if (left == 1) return true;
        const tirbi_lx *extent = loops->var[at]->extent;
        int64_t span;
        if (extent->hi < 1 || __builtin_mul_overflow(least, extent->hi - 1, &span) ||
            __builtin_add_overflow(reach, span, &reach)) {
            return false;
        }
    }
    return true;
}

static bool indices_tell(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place,
                         bool spatial[TIRBI_MAX_AFFINE]) {
    for (uint32_t d = 0; d < place->ndim; d++) {
        bool in_index[TIRBI_MAX_AFFINE] = {false};
        tirbi_affine form;
        if (!tirbi_mentions_loops(place->indices[d], loops)) continue;
        if (!tirbi_affine_index(pool, place, d, loops, &form) || !tirbi_form_tells(loops, &form, in_index))
            return false;
        for (uint32_t i = 0; i < loops->n; i++) spatial[i] = spatial[i] || in_index[i];
    }
    return true;
}

bool tirbi_spatial_loops(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place,
                         bool spatial[TIRBI_MAX_AFFINE]) {
    tirbi_affine form;
    memset(spatial, 0, TIRBI_MAX_AFFINE * sizeof(*spatial));
    if (tirbi_buffer_moves(place->buffer, loops)) return false;
    if (indices_tell(pool, loops, place, spatial)) return true;
    memset(spatial, 0, TIRBI_MAX_AFFINE * sizeof(*spatial));
    /* the number of the element, of dimensions put together */
    return tirbi_affine_number(pool, place, loops, &form) && tirbi_form_tells(loops, &form, spatial);
}

bool tirbi_tells_all(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place) {
    bool spatial[TIRBI_MAX_AFFINE];
    if (!tirbi_spatial_loops(pool, loops, place, spatial)) return false;
    for (uint32_t i = 0; i < loops->n; i++)
        if (!spatial[i] && loops->var[i]->extent->hi > 1) return false;
    return true;
}

bool tirbi_is_compact(tirbi_lx_pool *pool, const tirbi_lbuf *buffer) {
    const tirbi_lx *expected = tirbi_lx_number(pool, 1);
    for (uint32_t d = buffer->ndim; d-- > 0 && expected;) {
        if (buffer->strides[d] != expected) return false;
        expected = tirbi_lx_mul(pool, expected, buffer->shape[d]);
    }
    return true;
}

bool tirbi_never_meet(tirbi_lx_pool *pool, const tirbi_place *a, const tirbi_place *b, const tirbi_loop_set *loops) {
    if (a->buffer != b->buffer || a->view || b->view || a->buffer->overlaps || tirbi_buffer_moves(a->buffer, loops)) {
        return false;
    }
    for (uint32_t d = 0; d < a->ndim; d++) {
        if (tirbi_never_equal(a->indices[d], b->indices[d], loops)) return tirbi_is_compact(pool, a->buffer);
    }
    return false;
}

bool tirbi_comes_behind(tirbi_lx_pool *pool, const tirbi_loop_set *own, const tirbi_place *a, const tirbi_place *b,
                        int64_t *iterations) {
    const tirbi_loop_set loop = {.var = {own->var[0]}, .n = 1};
    tirbi_loop_set others = *own;
    others.var[0] = others.var[--others.n];
    bool moves = false;
    if (a->buffer != b->buffer || a->view || b->view) return false;
    for (uint32_t d = 0; d < a->ndim; d++) {
        tirbi_affine x, y;
        int64_t step, other, ahead;
        if (tirbi_mentions_loops(a->indices[d], &others) || tirbi_mentions_loops(b->indices[d], &others)) return false;
        if (a->indices[d] == b->indices[d] && !tirbi_mentions_loops(a->indices[d], &loop)) continue;
        if (!tirbi_affine_index(pool, a, d, &loop, &x) || !tirbi_affine_constant(&x, 0, &step) ||
            !tirbi_affine_index(pool, b, d, &loop, &y) || !tirbi_affine_constant(&y, 0, &other) || step != other ||
            !tirbi_constant_difference(x.start, y.start, &ahead) || ahead == INT64_MIN || (step == 0 && ahead != 0))
            return false;
        if (step == 0) continue;
        if (ahead % step != 0 || (moves && ahead / step != *iterations)) return false;
        *iterations = ahead / step;
        moves = true;
    }
    return moves;
}
