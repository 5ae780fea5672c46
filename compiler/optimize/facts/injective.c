#include "compiler/optimize/facts/injective.h"

#include <string.h>

#include "compiler/optimize/facts/order.h"

enum { MAX_FACTORS = 8 };

/* The factors of a product of int64, but for those that are 1; false: too many. */
static bool add_factors(const tirbi_lx *x, const tirbi_lx **factors, uint32_t *n) {
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MUL && x->type == TIRB_I64)
        return add_factors(x->args[0], factors, n) && add_factors(x->args[1], factors, n);
    if (tirbi_lx_is_int(x, 1)) return true;
    if (*n == MAX_FACTORS) return false;
    factors[(*n)++] = x;
    return true;
}

/* Of one that more may be known of there are several nodes. */
static bool is_same(const tirbi_lx *a, const tirbi_lx *b) {
    a = tirbi_lx_before_cast(a);
    b = tirbi_lx_before_cast(b);
    return a == b || (a->kind == TIRBI_LX_VAR && b->kind == TIRBI_LX_VAR && a->var == b->var);
}

/* Whether a number is the product of the factors. */
static bool is_product(const tirbi_lx *x, const tirbi_lx *const *factors, uint32_t n) {
    const tirbi_lx *own[MAX_FACTORS];
    uint32_t n_own = 0;
    if (!add_factors(x, own, &n_own) || n_own != n) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = 0;
        while (at < n_own && !is_same(own[at], factors[i])) at++;
        if (at == n_own) return false;
        own[at] = own[--n_own];
    }
    return true;
}

/* Whether each loop goes on where those inside it end, whatever their extents are: their steps are the products of
 * these. */
static bool tells_in_rows(const tirbi_loop_set *loops, const tirbi_affine *form) {
    const tirbi_lx *factors[MAX_FACTORS];
    uint32_t n = 0, left = 0;
    bool used[TIRBI_MAX_AFFINE] = {false};
    for (uint32_t i = 0; i < loops->n; i++) left += form->coefficient[i] != NULL;
    for (; left > 0; left--) {
        uint32_t at = 0;
        while (at < loops->n && (used[at] || !form->coefficient[at] || !is_product(form->coefficient[at], factors, n)))
            at++;
        if (at == loops->n) return false;
        used[at] = true;
        if (left > 1 && !add_factors(loops->var[at]->extent, factors, &n)) return false;
    }
    return true;
}

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
            if (!tirbi_affine_constant(form, i, &c)) return tells_in_rows(loops, form);
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

bool tirbi_tell_iterations(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *a,
                           const tirbi_place *b) {
    bool told[TIRBI_MAX_AFFINE] = {false};
    if (a->buffer != b->buffer || a->view || b->view || a->buffer->overlaps || a->buffer->broadcasts ||
        tirbi_buffer_moves(a->buffer, loops))
        return false;
    for (uint32_t i = 0; i < a->ndim; i++) {
        bool in_index[TIRBI_MAX_AFFINE] = {false};
        tirbi_affine form;
        if (a->indices[i] != b->indices[i] || !tirbi_mentions_loops(a->indices[i], loops)) continue;
        if (!tirbi_affine_index(pool, a, i, loops, &form) || !tirbi_affine_index(pool, b, i, loops, &form) ||
            !tirbi_form_tells(loops, &form, in_index))
            continue;
        for (uint32_t k = 0; k < loops->n; k++) told[k] = told[k] || in_index[k];
    }
    for (uint32_t i = 0; i < loops->n; i++)
        if (!told[i] && loops->var[i]->extent->hi > 1) return false;
    return true;
}
