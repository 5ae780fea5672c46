#include "compiler/optimize/facts/affine.h"

const tirbi_lvar *tirbi_row_number(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source) &&
           tirbi_dtypes[x->type].bits >= tirbi_dtypes[x->source].bits)
        x = x->args[0];
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_NUMBER ? x->var : NULL;
}

bool tirbi_mentions_loops(const tirbi_lx *x, const tirbi_loop_set *loops) {
    if (x->kind == TIRBI_LX_VAR) {
        for (uint32_t i = 0; i < loops->n; i++) {
            if (loops->var[i] == x->var) return true;
        }
        return false;
    }
    /* Long sums are deep on the left. */
    for (int i = x->n_args; i-- > 0;) {
        if (tirbi_mentions_loops(x->args[i], loops)) return true;
    }
    return false;
}

bool tirbi_buffer_moves(const tirbi_lbuf *buffer, const tirbi_loop_set *loops) {
    if (buffer->offset && tirbi_mentions_loops(buffer->offset, loops)) return true;
    for (uint32_t d = 0; d < buffer->ndim; d++) {
        if (tirbi_mentions_loops(buffer->strides[d], loops)) return true;
    }
    return false;
}

static const tirbi_lx *wide(tirbi_lx_pool *pool, const tirbi_lx *x) { return tirbi_lx_cast(pool, TIRB_I64, x); }

static bool sum(tirbi_lx_pool *pool, tirbi_affine *a, const tirbi_affine *b, uint32_t n, bool subtract) {
    const tirbi_lx *zero = tirbi_lx_int(pool, TIRB_I64, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (!b->coefficient[i]) continue;
        const tirbi_lx *left = a->coefficient[i] ? a->coefficient[i] : zero;
        a->coefficient[i] = subtract ? tirbi_lx_sub(pool, left, b->coefficient[i])
                                     : tirbi_lx_add(pool, left, b->coefficient[i]);
        if (!a->coefficient[i]) return false;
        if (tirbi_lx_is_int(a->coefficient[i], 0)) a->coefficient[i] = NULL;
    }
    a->start = subtract ? tirbi_lx_sub(pool, a->start, b->start) : tirbi_lx_add(pool, a->start, b->start);
    return a->start != NULL;
}

static bool scale(tirbi_lx_pool *pool, tirbi_affine *a, const tirbi_lx *factor, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!a->coefficient[i]) continue;
        a->coefficient[i] = tirbi_lx_mul(pool, a->coefficient[i], factor);
        if (!a->coefficient[i]) return false;
        if (tirbi_lx_is_int(a->coefficient[i], 0)) a->coefficient[i] = NULL;
    }
    a->start = tirbi_lx_mul(pool, a->start, factor);
    return a->start != NULL;
}

bool tirbi_full_range(const tirbi_lx *x) {
    unsigned bits = tirbi_dtypes[x->type].bits;
    bool is_signed = tirbi_dtype_is_signed((tirbi_dtype)x->type);
    int64_t hi = (int64_t)(is_signed || bits == 64 ? UINT64_MAX >> (65 - bits) : (UINT64_C(1) << bits) - 1);
    return x->lo <= (is_signed ? -hi - 1 : 0) && x->hi >= hi;
}

enum { LARGE_OFFSET = 1 << 20, SYMBOLIC = INT32_MAX - LARGE_OFFSET };

bool tirbi_affine_exact(const tirbi_lx *x) {
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type) || tirbi_dtypes[x->type].bits < 32) return false;
    if (x->type == TIRB_I64 || !tirbi_full_range(x)) return true;
    bool symbolic = false;
    for (int i = 0; i < x->n_args; i++) {
        const tirbi_lx *a = x->args[i];
        if (a->kind == TIRBI_LX_CONST && (a->value > LARGE_OFFSET || a->value < -LARGE_OFFSET)) return false;
        symbolic = symbolic || a->hi >= SYMBOLIC;
    }
    return symbolic;
}

/* Between which whole numbers an integer lies. */
typedef struct range {
    int64_t lo, hi;
} range;

static bool fits(const tirbi_lx *x, range r) {
    const unsigned bits = tirbi_dtypes[x->type].bits;
    const bool is_signed = tirbi_dtype_is_signed((tirbi_dtype)x->type);
    const int64_t most = (int64_t)(is_signed || bits == 64 ? UINT64_MAX >> (65 - bits) : (UINT64_C(1) << bits) - 1);
    return r.lo >= (is_signed ? -most - 1 : 0) && r.hi <= most;
}

static bool add_ranges(range a, range b, range *out) {
    return !__builtin_add_overflow(a.lo, b.lo, &out->lo) && !__builtin_add_overflow(a.hi, b.hi, &out->hi);
}

static bool subtract_ranges(range a, range b, range *out) {
    return !__builtin_sub_overflow(a.lo, b.hi, &out->lo) && !__builtin_sub_overflow(a.hi, b.lo, &out->hi);
}

static bool scale_range(range a, int64_t by, range *out) {
    return !__builtin_mul_overflow(by < 0 ? a.hi : a.lo, by, &out->lo) &&
           !__builtin_mul_overflow(by < 0 ? a.lo : a.hi, by, &out->hi);
}

/* Where x lies if its sums, and products by constants, are those of whole numbers; false: other arithmetic in it may
 * wrap. */
static bool whole_range(const tirbi_lx *x, const tirbi_loop_set *loops, range *out) {
    range a, b;
    *out = (range){x->lo, x->hi};
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type) || x->type == TIRB_U64) return false;
    if (!tirbi_mentions_loops(x, loops) || x->kind == TIRBI_LX_VAR) return true;
    if (x->kind != TIRBI_LX_OP || !whole_range(x->args[0], loops, &a)) return false;
    const bool known = !tirbi_full_range(x) && fits(x->args[0], a);
    switch (x->op) {
    case TIRB_OP_CAST:
        return fits(x->args[0], a) && tirbi_dtypes[x->type].bits > tirbi_dtypes[x->source].bits &&
               (tirbi_dtype_is_signed((tirbi_dtype)x->type) || x->args[0]->lo >= 0);
    case TIRB_OP_MUL:
        if (!whole_range(x->args[1], loops, &b)) return false;
        if (known && fits(x->args[1], b)) return true;
        return x->args[1]->kind == TIRBI_LX_CONST && scale_range(a, x->args[1]->value, out);
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
        if (!whole_range(x->args[1], loops, &b)) return false;
        if (known && fits(x->args[1], b)) return true;
        return x->op == TIRB_OP_ADD ? add_ranges(a, b, out) : subtract_ranges(a, b, out);
    default: return false;
    }
}

/* A sum is right where it fits its type, whatever its parts are: i + d - 1, where i + d might not fit. */
bool tirbi_never_wraps(const tirbi_lx *x, const tirbi_loop_set *loops) {
    range whole;
    return whole_range(x, loops, &whole) && fits(x, whole);
}

/* Whether all values of a cast's operand are values of its type: then it has the operand's range. */
static bool keeps_value(const tirbi_lx *cast) {
    return cast->lo == cast->args[0]->lo && cast->hi == cast->args[0]->hi && !tirbi_full_range(cast->args[0]);
}

static bool of_operation(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out) {
    tirbi_affine b;
    switch (x->op) {
    case TIRB_OP_CAST:
        return tirbi_dtypes[x->type].bits >= 32 && tirbi_dtype_is_int((tirbi_dtype)x->source) &&
               (tirbi_dtypes[x->type].bits >= tirbi_dtypes[x->source].bits || keeps_value(x)) &&
               tirbi_affine_of(pool, x->args[0], loops, out);
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
        return tirbi_affine_exact(x) && tirbi_affine_of(pool, x->args[0], loops, out) &&
               tirbi_affine_of(pool, x->args[1], loops, &b) && sum(pool, out, &b, loops->n, x->op == TIRB_OP_SUB);
    case TIRB_OP_MUL: {
        if (!tirbi_affine_exact(x)) return false;
        bool left = tirbi_mentions_loops(x->args[0], loops), right = tirbi_mentions_loops(x->args[1], loops);
        if (left && right) return false;
        return tirbi_affine_of(pool, x->args[left ? 0 : 1], loops, out) &&
               scale(pool, out, wide(pool, x->args[left ? 1 : 0]), loops->n);
    }
    default: return false;
    }
}

bool tirbi_affine_of(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out) {
    *out = (tirbi_affine){.start = NULL};
    if (!x->pure || !tirbi_arena_work(pool->arena, 1)) return false;
    if (!tirbi_mentions_loops(x, loops)) {
        out->start = wide(pool, x);
        return out->start != NULL && !x->traps;
    }
    if (x->kind == TIRBI_LX_VAR) {
        for (uint32_t i = 0; i < loops->n; i++) {
            if (loops->var[i] != x->var) continue;
            out->coefficient[i] = tirbi_lx_int(pool, TIRB_I64, 1);
            out->start = x->var->min;
            return out->coefficient[i] && !tirbi_mentions_loops(x->var->min, loops);
        }
    }
    return x->kind == TIRBI_LX_OP && of_operation(pool, x, loops, out);
}

bool tirbi_affine_constant(const tirbi_affine *form, uint32_t i, int64_t *out) {
    const tirbi_lx *c = form->coefficient[i];
    if (c && c->kind != TIRBI_LX_CONST) return false;
    *out = c ? c->value : 0;
    return true;
}

bool tirbi_affine_direction(const tirbi_affine *form, uint32_t i, int *out) {
    const tirbi_lx *c = form->coefficient[i];
    *out = !c || (c->lo == 0 && c->hi == 0) ? 0 : c->lo >= 0 ? 1 : c->hi <= 0 ? -1 : TIRBI_EITHER_WAY;
    return !c || c->kind == TIRBI_LX_CONST || (c->lo >= INT32_MIN && c->hi <= INT32_MAX);
}

bool tirbi_affine_equal(const tirbi_affine *a, const tirbi_affine *b, uint32_t n) {
    if (a->start != b->start) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (a->coefficient[i] != b->coefficient[i]) return false;
    }
    return true;
}
