/* Making expressions: interning, folding of integers, and the ranges that integer expressions lie in. */
#include "compiler/loop/sums.h"

#include <string.h>

/* ---- Integer types as ranges ---------------------------------------------------------------------------------- */

void tirbi_type_range(tirbi_dtype type, int64_t *lo, int64_t *hi) {
    unsigned bits = tirbi_dtypes[type].bits;
    if (type == TIRB_BOOL) {
        *lo = 0;
        *hi = 1;
    } else if (tirbi_dtype_is_signed(type)) {
        *hi = (int64_t)(UINT64_MAX >> (65 - bits));
        *lo = -*hi - 1;
    } else if (bits < 64 && !tirbi_dtype_is_float(type)) {
        *lo = 0;
        *hi = (int64_t)((UINT64_C(1) << bits) - 1);
    } else {
        *lo = INT64_MIN;
        *hi = INT64_MAX;
    }
}

/* The value that the low bits of `value` have in `type`, as registers hold it. */
static int64_t wrap(tirbi_dtype type, int64_t value) {
    unsigned bits = tirbi_dtypes[type].bits;
    if (type == TIRB_BOOL) return value & 1;
    if (bits == 64) return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    if (!tirbi_dtype_is_signed(type)) return (int64_t)low;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((low ^ sign) - sign);
}

/* An interval with arithmetic that remembers overflow of int64. */
typedef struct range {
    int64_t lo, hi;
    bool known;
} range;

static range of(const tirbi_lx *x) { return (range){x->lo, x->hi, true}; }

static range corners(range a, range b, bool (*op)(int64_t, int64_t, int64_t *)) {
    int64_t v[4];
    if (!op(a.lo, b.lo, &v[0]) || !op(a.lo, b.hi, &v[1]) || !op(a.hi, b.lo, &v[2]) || !op(a.hi, b.hi, &v[3])) {
        return (range){.known = false};
    }
    range r = {v[0], v[0], true};
    for (int i = 1; i < 4; i++) {
        if (v[i] < r.lo) r.lo = v[i];
        if (v[i] > r.hi) r.hi = v[i];
    }
    return r;
}

static bool add64(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static bool sub64(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }
static bool mul64(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }
static bool floordiv64(int64_t a, int64_t b, int64_t *out) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *out = a / b - (a % b != 0 && ((a < 0) != (b < 0)));
    return true;
}
static bool truncdiv64(int64_t a, int64_t b, int64_t *out) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *out = a / b;
    return true;
}

static bool shr64(int64_t a, int64_t b, int64_t *out) {
    *out = a >> b;
    return true;
}

static range magnitudes(range x) {
    if (x.lo >= 0) return x;
    return x.hi <= 0 ? (range){-x.hi, -x.lo, true} : (range){0, -x.lo > x.hi ? -x.lo : x.hi, true};
}

/* The least number of ones that is not less. */
static int64_t low_bits(int64_t x) { return x > 0 ? (int64_t)(UINT64_MAX >> __builtin_clzll((uint64_t)x)) : 0; }

static range ranges_of_op(tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    range x = of(a), y = b ? of(b) : x;
    range none = {.known = false};
    bool positive = b && y.lo > 0;
    switch (op) {
    case TIRB_OP_MOV:
    case TIRB_OP_CAST: return x;
    case TIRB_OP_ADD: return corners(x, y, add64);
    case TIRB_OP_SUB: return corners(x, y, sub64);
    case TIRB_OP_MUL: return corners(x, y, mul64);
    case TIRB_OP_DIV: return positive ? corners(x, y, truncdiv64) : none;
    case TIRB_OP_FLOORDIV: return positive ? corners(x, y, floordiv64) : none;
    case TIRB_OP_FLOORMOD: return positive ? (range){0, y.hi - 1, true} : none;
    case TIRB_OP_MOD: return positive ? (range){x.lo < 0 ? -(y.hi - 1) : 0, x.hi > 0 ? y.hi - 1 : 0, true} : none;
    case TIRB_OP_MIN: return (range){x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi, true};
    case TIRB_OP_MAX: return (range){x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi, true};
    case TIRB_OP_NEG: return x.lo > INT64_MIN ? (range){-x.hi, -x.lo, true} : none;
    case TIRB_OP_ABS: return x.lo > INT64_MIN ? magnitudes(x) : none;
    case TIRB_OP_AND:
        if (x.lo < 0 && y.lo < 0) return none;
        return (range){0, x.lo < 0 || (y.lo >= 0 && y.hi < x.hi) ? y.hi : x.hi, true};
    case TIRB_OP_OR:
    case TIRB_OP_XOR: return x.lo >= 0 && y.lo >= 0 ? (range){0, low_bits(x.hi > y.hi ? x.hi : y.hi), true} : none;
    case TIRB_OP_SHR: /* by whatever: towards 0, or -1 */
        if (y.lo >= 0 && y.hi < tirbi_dtypes[a->type].bits) return corners(x, y, shr64);
        return (range){x.lo < 0 ? x.lo : 0, x.hi > 0 ? x.hi : 0, true};
    case TIRB_OP_SHL:
        return y.lo >= 0 && y.hi < 62 ? corners(x, (range){INT64_C(1) << y.lo, INT64_C(1) << y.hi, true}, mul64) : none;
    default: return none;
    }
}

static void set_range(tirbi_lx *x) {
    int64_t lo, hi;
    tirbi_type_range((tirbi_dtype)x->type, &lo, &hi);
    x->lo = lo;
    x->hi = hi;
    if (x->kind == TIRBI_LX_CONST && !tirbi_dtype_is_float((tirbi_dtype)x->type)) {
        x->lo = x->hi = x->value;
    } else if (x->kind == TIRBI_LX_VAR) {
        if (x->var->lo > lo) x->lo = x->var->lo;
        if (x->var->hi < hi) x->hi = x->var->hi;
    } else if (x->kind == TIRBI_LX_LOAD && x->access->buffer->holds) {
        x->lo = x->access->buffer->holds->lo;
        x->hi = x->access->buffer->holds->hi;
    } else if (x->kind == TIRBI_LX_COND) {
        x->lo = x->args[1]->lo < x->args[2]->lo ? x->args[1]->lo : x->args[2]->lo;
        x->hi = x->args[1]->hi > x->args[2]->hi ? x->args[1]->hi : x->args[2]->hi;
    } else if (x->kind == TIRBI_LX_OP && x->type == TIRB_U64 && x->op == TIRB_OP_MIN && x->args[1]->lo >= 0) {
        x->lo = 0;
        x->hi = x->args[1]->hi;
    } else if (x->kind == TIRBI_LX_OP && x->type == x->optype && x->type != TIRB_BOOL &&
               !tirbi_dtype_is_float((tirbi_dtype)x->type) && x->type != TIRB_U64 &&
               !(x->source != TIRB_TYPE_NONE &&
                 (tirbi_dtype_is_float((tirbi_dtype)x->source) || (x->source == TIRB_U64 && x->args[0]->lo < 0) ||
                  x->op == TIRB_OP_BITS))) {
        range r = x->op == TIRB_OP_SELECT
                      ? (range){x->args[1]->lo < x->args[2]->lo ? x->args[1]->lo : x->args[2]->lo,
                                x->args[1]->hi > x->args[2]->hi ? x->args[1]->hi : x->args[2]->hi, true}
                      : ranges_of_op((tirbi_op)x->op, x->args[0], x->n_args > 1 ? x->args[1] : NULL);
        if (r.known && r.lo >= lo && r.hi <= hi) {
            x->lo = r.lo;
            x->hi = r.hi;
        }
    }
}

/* ---- Interning ------------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

/* Begins with where the pool is, so that no source can be written whose constants all meet. */
static uint32_t hash_of(const tirbi_lx_pool *pool, const tirbi_lx *x) {
    uint64_t h = mix((uint64_t)(uintptr_t)pool->arena->heap ^ (uint64_t)(uintptr_t)pool, (uint64_t)x->value);
    h = mix(h, (uint64_t)(uintptr_t)x->var);
    h = mix(h, (uint64_t)x->kind << 32 | (uint64_t)x->type << 24 | (uint64_t)x->op << 16 | (uint64_t)x->optype << 8 |
                   x->source);
    for (int i = 0; i < x->n_args; i++) h = mix(h, (uint64_t)(uintptr_t)x->args[i]);
    return (uint32_t)(h ^ h >> 32);
}

static bool same(const tirbi_lx *a, const tirbi_lx *b) {
    return a->kind == b->kind && a->type == b->type && a->op == b->op && a->optype == b->optype &&
           a->source == b->source && a->n_args == b->n_args && a->value == b->value && a->var == b->var &&
           memcmp(a->args, b->args, sizeof(a->args)) == 0;
}

/* Makes room for one more; false: out of memory. */
static bool make_buckets(tirbi_lx_pool *pool) {
    enum { FIRST_BUCKETS = 256 };
    if (pool->n_interned < pool->n_buckets || pool->n_buckets > UINT32_MAX / 2) return true;
    uint32_t n = pool->n_buckets ? 2 * pool->n_buckets : FIRST_BUCKETS;
    tirbi_lx **buckets = TIRBI_NEW_ARRAY(pool->arena, tirbi_lx *, n);
    if (!buckets) return false;
    for (uint32_t i = 0; i < pool->n_buckets; i++) {
        tirbi_lx *next;
        for (tirbi_lx *x = pool->buckets[i]; x; x = next) {
            next = x->next_interned;
            x->next_interned = buckets[x->hash & (n - 1)];
            buckets[x->hash & (n - 1)] = x;
        }
    }
    pool->buckets = buckets;
    pool->n_buckets = n;
    return true;
}

/* The node equal to `key`; NULL when out of memory. Nodes that are not shared are always new. */
static const tirbi_lx *intern(tirbi_lx_pool *pool, tirbi_lx *key) {
    key->hash = hash_of(pool, key);
    if (!tirbi_arena_work(pool->arena, 1) || !make_buckets(pool)) return NULL;
    tirbi_lx **bucket = &pool->buckets[key->hash & (pool->n_buckets - 1)];
    if (key->shared) {
        for (const tirbi_lx *x = *bucket; x; x = x->next_interned) {
            if (x->hash == key->hash && same(x, key)) return x;
        }
    }
    tirbi_lx *fresh = TIRBI_NEW(pool->arena, tirbi_lx);
    if (!fresh) return NULL;
    *fresh = *key;
    if (fresh->size == 0) fresh->size = 1;
    set_range(fresh);
    if (key->shared) {
        fresh->next_interned = *bucket;
        *bucket = fresh;
        pool->n_interned++;
    }
    return fresh;
}

/* Fills what a node has from its operands; false when one is missing (memory ran out). */
static bool adopt(tirbi_lx *x, unsigned n, const tirbi_lx *a, const tirbi_lx *b, const tirbi_lx *c) {
    const tirbi_lx *args[3] = {a, b, c};
    x->n_args = (uint8_t)n;
    x->size = 1;
    for (unsigned i = 0; i < n; i++) {
        if (!args[i]) return false;
        x->args[i] = args[i];
        x->shared = x->shared && args[i]->shared;
        x->pure = x->pure && args[i]->pure;
        x->traps = x->traps || args[i]->traps;
        if (__builtin_add_overflow(x->size, args[i]->size, &x->size)) x->size = UINT32_MAX;
    }
    return true;
}

const tirbi_lx *tirbi_lx_bits(tirbi_lx_pool *pool, tirbi_dtype type, uint64_t bits) {
    tirbi_lx key = {.kind = TIRBI_LX_CONST,
                    .type = (uint8_t)type,
                    .source = TIRB_TYPE_NONE,
                    .shared = true,
                    .pure = true,
                    .value = (int64_t)bits};
    return intern(pool, &key);
}

const tirbi_lx *tirbi_lx_int(tirbi_lx_pool *pool, tirbi_dtype type, int64_t value) {
    return tirbi_lx_bits(pool, type, (uint64_t)wrap(type, value));
}

const tirbi_lx *tirbi_lx_var(tirbi_lx_pool *pool, tirbi_lvar *var) {
    if (!var) return NULL;
    tirbi_lx key = {.kind = TIRBI_LX_VAR, .type = (uint8_t)var->type, .source = TIRB_TYPE_NONE, .var = var,
                    .shared = true, .pure = var->kind != TIRBI_LVAR_LOCAL};
    return intern(pool, &key);
}

/* ---- Folding -------------------------------------------------------------------------------------------------- */

static bool fold_constants(tirbi_op op, tirbi_dtype type, int64_t a, int64_t b, int64_t *out) {
    bool wide_unsigned = type == TIRB_U64;
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    if ((op == TIRB_OP_SHL || op == TIRB_OP_SHR) && ub >= tirbi_dtypes[type].bits) return false;
    switch (op) {
    case TIRB_OP_ADD: *out = (int64_t)(ua + ub); return true;
    case TIRB_OP_SUB: *out = (int64_t)(ua - ub); return true;
    case TIRB_OP_MUL: *out = (int64_t)(ua * ub); return true;
    case TIRB_OP_AND: *out = a & b; return true;
    case TIRB_OP_OR: *out = a | b; return true;
    case TIRB_OP_XOR: *out = a ^ b; return true;
    case TIRB_OP_EQ: *out = a == b; return true;
    case TIRB_OP_NE: *out = a != b; return true;
    case TIRB_OP_SHL: *out = (int64_t)(ua << ub); return true;
    case TIRB_OP_SHR: *out = wide_unsigned ? (int64_t)(ua >> ub) : a >> ub; return true;
    default: break;
    }
    if (wide_unsigned) return false;
    switch (op) {
    case TIRB_OP_MIN: *out = a < b ? a : b; return true;
    case TIRB_OP_MAX: *out = a > b ? a : b; return true;
    case TIRB_OP_LT: *out = a < b; return true;
    case TIRB_OP_LE: *out = a <= b; return true;
    case TIRB_OP_GT: *out = a > b; return true;
    case TIRB_OP_GE: *out = a >= b; return true;
    case TIRB_OP_FLOORDIV: return floordiv64(a, b, out);
    case TIRB_OP_DIV: return truncdiv64(a, b, out);
    case TIRB_OP_MOD:
        if (!truncdiv64(a, b, out)) return false;
        *out = a - *out * b;
        return true;
    case TIRB_OP_FLOORMOD:
        if (!floordiv64(a, b, out)) return false;
        *out = (int64_t)(ua - (uint64_t)*out * ub); /* a quotient rounded down, times b, may be below a's type */
        return true;
    default: return false;
    }
}

static bool is_const(const tirbi_lx *x) { return x && x->kind == TIRBI_LX_CONST; }

/* The lesser or greater of two integers, where it is known which that is. */
static const tirbi_lx *known_extreme(bool greater, const tirbi_lx *a, const tirbi_lx *b) {
    tirbi_sum difference = {.constant = 0};
    int64_t lo, hi;
    if (a == b) return a;
    const bool known = tirbi_sum_of(&difference, a, 1) && tirbi_sum_of(&difference, b, -1) &&
                       tirbi_sum_range(&difference, &lo, &hi) && (lo >= 0 || hi <= 0);
    return !known ? NULL : (lo >= 0) == greater ? a : b;
}

/* Whether x is a multiple of a power of 2 that y is below, so that they have no bit in common. */
static bool is_apart(const tirbi_lx *x, const tirbi_lx *y) {
    const bool scales = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MUL && x->type == x->optype && is_const(x->args[1]);
    if (!scales || x->args[1]->value <= 0 || y->lo < 0 || x->type == TIRB_U64) return false;
    const int64_t factor = x->args[1]->value;
    return y->hi < (factor & -factor);
}

/* a << b as a product, which is the same in all bits; NULL where b is no constant of few enough bits. */
static const tirbi_lx *shift_as_product(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b) {
    if ((type != TIRB_I32 && type != TIRB_I64) || !is_const(b) || b->value < 0 ||
        b->value >= tirbi_dtypes[type].bits - 1)
        return NULL;
    return tirbi_lx_op(pool, TIRB_OP_MUL, type, TIRB_TYPE_NONE, a,
                       tirbi_lx_int(pool, type, (int64_t)(UINT64_C(1) << b->value)), NULL);
}

/* Whether both have one value; of a variable, more may be known at one of them. */
static bool is_same(const tirbi_lx *a, const tirbi_lx *b) {
    return (a == b && a->pure && !a->traps) ||
           (a->kind == TIRBI_LX_VAR && b->kind == TIRBI_LX_VAR && a->var == b->var && a->pure);
}

/* Integer operations that have a known or simpler result; NULL when there is none. Nothing that could trap is lost. */
static const tirbi_lx *simplify(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype type, tirbi_dtype source,
                                const tirbi_lx *a, const tirbi_lx *b) {
    if (op == TIRB_OP_CAST) {
        if (tirbi_dtype_is_float(source) || tirbi_dtype_is_float(type)) return NULL;
        /* As an index, 2^63 and more is told from what has a sign by its cast. */
        if (is_const(a) && source == TIRB_U64 && type == TIRB_I64 && a->value < 0) return NULL;
        if (is_const(a)) return tirbi_lx_int(pool, type, type == TIRB_BOOL ? a->value != 0 : a->value);
        return NULL;
    }
    if (tirbi_dtype_is_float(type) || !b) return NULL;
    int64_t value;
    if (is_const(a) && is_const(b) && fold_constants(op, type, a->value, b->value, &value)) {
        return tirbi_lx_int(pool, tirbi_op_result_type(op, type), value);
    }
    bool zero = tirbi_lx_is_int(b, 0), one = tirbi_lx_is_int(b, 1);
    switch (op) {
    case TIRB_OP_ADD:
        if (zero) return a;
        if (tirbi_lx_is_int(a, 0)) return b;
        /* (x + c) + d = x + (c + d): wrapping addition is associative */
        if (is_const(b) && a->kind == TIRBI_LX_OP && a->op == TIRB_OP_ADD && a->optype == type &&
            is_const(a->args[1])) {
            int64_t both = (int64_t)((uint64_t)a->args[1]->value + (uint64_t)b->value);
            return tirbi_lx_op(pool, op, type, TIRB_TYPE_NONE, a->args[0], tirbi_lx_int(pool, type, both), NULL);
        }
        return NULL;
    case TIRB_OP_SUB:
        if (zero) return a;
        if (is_const(b) && tirbi_dtype_is_signed(type)) { /* x - c = x + -c, so that sums have one form */
            const tirbi_lx *minus = tirbi_lx_int(pool, type, (int64_t)(0 - (uint64_t)b->value));
            return tirbi_lx_op(pool, TIRB_OP_ADD, type, TIRB_TYPE_NONE, a, minus, NULL);
        }
        if (is_same(a, b)) return tirbi_lx_int(pool, type, 0);
        if (a->kind == TIRBI_LX_OP && a->op == TIRB_OP_ADD && a->optype == type && a->args[0] == b && b->pure &&
            !b->traps)
            return a->args[1];
        return NULL;
    case TIRB_OP_MUL:
        if (one) return a;
        if (tirbi_lx_is_int(a, 1)) return b;
        if (zero && a->pure && !a->traps) return b;
        if (tirbi_lx_is_int(a, 0) && b->pure && !b->traps) return a;
        return NULL;
    case TIRB_OP_SHL: return a->pure ? shift_as_product(pool, type, a, b) : NULL; /* see tirbi_lx_subscript */
    case TIRB_OP_OR:
    case TIRB_OP_XOR:
        if (!is_apart(a, b) && !is_apart(b, a)) return NULL;
        return tirbi_lx_op(pool, TIRB_OP_ADD, type, TIRB_TYPE_NONE, a, b, NULL);
    case TIRB_OP_FLOORDIV:
    case TIRB_OP_DIV: return one && type != TIRB_BOOL ? a : NULL;
    case TIRB_OP_MIN:
    case TIRB_OP_MAX: {
        const bool ordered = type != TIRB_U64 || (a->lo >= 0 && b->lo >= 0);
        const bool plain = a->pure && b->pure && !a->traps && !b->traps && ordered;
        return plain ? known_extreme(op == TIRB_OP_MAX, a, b) : NULL;
    }
    default: return NULL;
    }
}

static bool divides(tirbi_op op) {
    return op == TIRB_OP_DIV || op == TIRB_OP_MOD || op == TIRB_OP_FLOORDIV || op == TIRB_OP_FLOORMOD;
}

static bool may_divide_by_zero(tirbi_op op, tirbi_dtype type, const tirbi_lx *b) {
    if (tirbi_dtype_is_float(type) || !divides(op)) return false;
    if (is_const(b)) return b->value == 0;
    return type == TIRB_U64 || (b->lo <= 0 && b->hi >= 0);
}

bool tirbi_lx_may_divide_by_zero(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->traps &&
           may_divide_by_zero((tirbi_op)x->op, (tirbi_dtype)x->optype, x->args[1]);
}

const tirbi_lx *tirbi_lx_op(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype optype, tirbi_dtype source, const tirbi_lx *a,
                            const tirbi_lx *b, const tirbi_lx *c) {
    if (!a) return NULL;
    const tirbi_lx *simpler = simplify(pool, op, optype, source, a, b);
    if (simpler) return simpler;
    /* Integer constants go to the right of commutative operations, so that equal sums are equal nodes. */
    if ((op == TIRB_OP_ADD || op == TIRB_OP_MUL) && tirbi_dtype_is_int(optype) && is_const(a) && !is_const(b)) {
        const tirbi_lx *t = a;
        a = b;
        b = t;
    }
    tirbi_lx key = {.kind = TIRBI_LX_OP, .type = (uint8_t)tirbi_op_result_type(op, optype), .op = (uint8_t)op,
                    .optype = (uint8_t)optype, .source = (uint8_t)source, .shared = true, .pure = true};
    unsigned arity = tirbi_ops[op].arity;
    if (!adopt(&key, arity, a, b, c)) return NULL;
    key.traps = key.traps || may_divide_by_zero(op, optype, b);
    return intern(pool, &key);
}

const tirbi_lx *tirbi_lx_fused(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b,
                               const tirbi_lx *addend, bool addend_first) {
    tirbi_lx key = {.kind = TIRBI_LX_OP, .type = (uint8_t)type, .op = (uint8_t)op, .optype = (uint8_t)type,
                    .source = TIRB_TYPE_NONE, .shared = true, .pure = true};
    if (!adopt(&key, 3, a, b, addend)) return NULL;
    key.addend_first = addend_first && !key.shared;
    return intern(pool, &key);
}

const tirbi_lx *tirbi_lx_cast(tirbi_lx_pool *pool, tirbi_dtype to, const tirbi_lx *value) {
    if (!value || value->type == to) return value;
    return tirbi_lx_op(pool, TIRB_OP_CAST, to, (tirbi_dtype)value->type, value, NULL, NULL);
}

const tirbi_lx *tirbi_lx_subscript(tirbi_lx_pool *pool, const tirbi_lx *x) {
    if (!x || x->kind != TIRBI_LX_OP || x->pure || !tirbi_dtype_is_int((tirbi_dtype)x->optype)) return x;
    const tirbi_op op = (tirbi_op)x->op;
    const tirbi_dtype type = (tirbi_dtype)x->optype, source = (tirbi_dtype)x->source;
    if (op == TIRB_OP_CAST) {
        const tirbi_lx *a = tirbi_lx_subscript(pool, x->args[0]);
        return a == x->args[0] ? x : tirbi_lx_op(pool, op, type, source, a, NULL, NULL);
    }
    if (op != TIRB_OP_ADD && op != TIRB_OP_SUB && op != TIRB_OP_MUL && op != TIRB_OP_SHL && op != TIRB_OP_OR &&
        op != TIRB_OP_XOR)
        return x;
    const tirbi_lx *a = tirbi_lx_subscript(pool, x->args[0]), *b = tirbi_lx_subscript(pool, x->args[1]);
    if (!a || !b) return NULL;
    const tirbi_lx *product = op == TIRB_OP_SHL ? shift_as_product(pool, type, a, b) : NULL;
    if (product) return product;
    return a == x->args[0] && b == x->args[1] ? x : tirbi_lx_op(pool, op, type, source, a, b, NULL);
}

bool tirbi_lx_mentions(const tirbi_lx *x, const tirbi_lvar *var) {
    if (x->kind == TIRBI_LX_VAR) return x->var == var;
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_lx_mentions(x->args[i], var)) return true;
    }
    return false;
}

bool tirbi_same_place(const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || a->ndim != b->ndim || a->flat != b->flat) return false;
    for (uint32_t d = 0; d < a->ndim; d++) {
        if (a->indices[d] != b->indices[d]) return false;
    }
    return true;
}

bool tirbi_place_depends_on(const tirbi_place *place, const tirbi_lvar *var) {
    for (const tirbi_place *v = place; v; v = v->view) {
        if (tirbi_has_own_number(v) && tirbi_lx_depends_on(v->flat, var)) return true;
        for (uint32_t d = 0; d < v->ndim; d++) {
            if (tirbi_lx_depends_on(v->indices[d], var)) return true;
        }
    }
    return false;
}

bool tirbi_lx_depends_on(const tirbi_lx *x, const tirbi_lvar *var) {
    if (x->kind == TIRBI_LX_VAR) return x->var == var;
    if (x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_LOAD && tirbi_place_depends_on(x->access, var))) return true;
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_lx_depends_on(x->args[i], var)) return true;
    }
    return false;
}

bool tirbi_lx_acts(const tirbi_lx *x) {
    if (!x || x->shared) return false;
    if (x->kind == TIRBI_LX_CALL) {
        bool found = x->call->acts;
        for (uint32_t i = 0; i < x->call->n_scalars && !found; i++) found = tirbi_lx_acts(x->call->scalars[i]);
        return found;
    }
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_lx_acts(x->args[i])) return true;
    }
    return false;
}

/* Without the casts that keep its value. */
static const tirbi_lx *as_counted(const tirbi_lx *index) {
    while (index->kind == TIRBI_LX_OP && index->op == TIRB_OP_CAST && index->optype == TIRB_I64 &&
           index->source != TIRB_U64 && tirbi_dtype_is_int((tirbi_dtype)index->source)) {
        index = index->args[0];
    }
    return index;
}

bool tirbi_index_proven(const tirbi_lx *index, const tirbi_lx *extent) {
    if (index->lo < 0) return false;
    if (index->hi < extent->lo) return true;
    /* A loop variable that runs to exactly this extent, or to one that does. */
    enum { MAX_NESTED = 8 };
    for (unsigned i = 0; i < MAX_NESTED; i++) {
        index = as_counted(index);
        if (index->kind != TIRBI_LX_VAR || index->var->kind != TIRBI_LVAR_LOOP) return false;
        const tirbi_lvar *var = index->var;
        bool from_zero = tirbi_lx_is_int(var->min, 0);
        if (var->below == extent || (from_zero && var->extent == extent)) return true;
        if (!var->below && !from_zero) return false;
        index = var->below ? var->below : var->extent;
    }
    return false;
}

static bool access_proven(const tirbi_place *access) {
    for (uint32_t d = 0; d < access->ndim; d++) {
        if (!tirbi_dim_proven(access, d)) return false;
    }
    return !access->view || access_proven(access->view);
}

/* Loads in the indices stand in the element's number, and in the indices of what it is a view of, once more. */
static uint32_t size_of_load(const tirbi_place *access) {
    uint32_t size = 1;
    bool repeats = false;
    for (uint32_t d = 0; d < access->ndim; d++) {
        if (__builtin_add_overflow(size, access->indices[d]->size, &size)) size = UINT32_MAX;
        repeats = repeats || !access->indices[d]->shared;
    }
    if (!repeats) return size;
    uint32_t view = access->view ? size_of_load(access->view) : 0;
    if (tirbi_has_own_number(access) && __builtin_add_overflow(size, access->flat->size, &size)) size = UINT32_MAX;
    return __builtin_add_overflow(size, view, &size) ? UINT32_MAX : size;
}

/* A load can only be taken as free of traps when all its indices are proven and its buffer's memory is known to have
 * its shape: parameters are checked at the call, allocations are made so. */
const tirbi_lx *tirbi_lx_load(tirbi_lx_pool *pool, const tirbi_place *access) {
    if (!access) return NULL;
    tirbi_lx key = {.kind = TIRBI_LX_LOAD, .type = (uint8_t)access->buffer->type, .source = TIRB_TYPE_NONE,
                    .access = access};
    key.size = size_of_load(access);
    key.traps = !access_proven(access) || !tirbi_has_whole_extents(access->buffer);
    return intern(pool, &key);
}

const tirbi_lx *tirbi_lx_inside(tirbi_lx_pool *pool, const tirbi_lx *load) {
    tirbi_lx *x = load ? TIRBI_NEW(pool->arena, tirbi_lx) : NULL;
    if (!x) return NULL;
    *x = *load;
    x->id = 0;
    x->traps = false;
    return x;
}

const tirbi_lx *tirbi_lx_within(tirbi_lx_pool *pool, const tirbi_lx *x, int64_t lo, int64_t hi) {
    tirbi_lx *within = x ? TIRBI_NEW(pool->arena, tirbi_lx) : NULL;
    if (!within) return NULL;
    *within = *x;
    within->id = 0;
    within->lo = lo;
    within->hi = hi;
    return within;
}

const tirbi_lx *tirbi_lx_lazy(tirbi_lx_pool *pool, tirbi_lx_kind kind, const tirbi_lx *a, const tirbi_lx *b,
                              const tirbi_lx *c) {
    if (!a || !b) return NULL;
    if (is_const(a)) {
        if (kind == TIRBI_LX_COND) return a->value ? b : c;
        return (kind == TIRBI_LX_AND) == (a->value != 0) ? b : a;
    }
    if (kind != TIRBI_LX_COND && !b->traps && b->pure) {
        return tirbi_lx_op(pool, kind == TIRBI_LX_AND ? TIRB_OP_AND : TIRB_OP_OR, TIRB_BOOL, TIRB_TYPE_NONE, a, b,
                           NULL);
    }
    if (kind == TIRBI_LX_COND && b->pure && c && c->pure && !b->traps && !c->traps) {
        return tirbi_lx_op(pool, TIRB_OP_SELECT, (tirbi_dtype)b->type, TIRB_TYPE_NONE, a, b, c);
    }
    tirbi_lx key = {.kind = (uint8_t)kind, .type = kind == TIRBI_LX_COND ? b->type : (uint8_t)TIRB_BOOL,
                    .source = TIRB_TYPE_NONE, .shared = true, .pure = true};
    if (!adopt(&key, kind == TIRBI_LX_COND ? 3 : 2, a, b, c)) return NULL;
    return intern(pool, &key);
}

const tirbi_lx *tirbi_lx_and(tirbi_lx_pool *pool, const tirbi_lx *all, const tirbi_lx *x) {
    return all ? tirbi_lx_lazy(pool, TIRBI_LX_AND, all, x, NULL) : x;
}

const tirbi_lx *tirbi_lx_call(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lcall *call) {
    tirbi_lx key = {
        .kind = TIRBI_LX_CALL, .type = (uint8_t)type, .source = TIRB_TYPE_NONE, .traps = true, .call = call};
    return intern(pool, &key);
}

const tirbi_lx *tirbi_lx_number(tirbi_lx_pool *pool, int64_t value) { return tirbi_lx_int(pool, TIRB_I64, value); }
const tirbi_lx *tirbi_lx_binary(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype type, const tirbi_lx *a,
                                const tirbi_lx *b) {
    return a && b ? tirbi_lx_op(pool, op, type, TIRB_TYPE_NONE, a, b, NULL) : NULL;
}
const tirbi_lx *tirbi_lx_wide(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(pool, op, TIRB_I64, a, b);
}
const tirbi_lx *tirbi_lx_with(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, int64_t b) {
    return tirbi_lx_wide(pool, op, a, tirbi_lx_number(pool, b));
}
const tirbi_lx *tirbi_lx_both(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(pool, op, TIRB_BOOL, a, b);
}
const tirbi_lx *tirbi_lx_not(tirbi_lx_pool *pool, const tirbi_lx *x) {
    return tirbi_lx_op(pool, TIRB_OP_NOT, TIRB_BOOL, TIRB_TYPE_NONE, x, NULL, NULL);
}

tirbi_op tirbi_opposite(unsigned op) {
    switch (op) {
    case TIRB_OP_LT: return TIRB_OP_GE;
    case TIRB_OP_LE: return TIRB_OP_GT;
    case TIRB_OP_GT: return TIRB_OP_LE;
    case TIRB_OP_GE: return TIRB_OP_LT;
    case TIRB_OP_NE: return TIRB_OP_EQ;
    default: return TIRB_OP_NOP;
    }
}

const tirbi_lx *tirbi_lx_opposite(tirbi_lx_pool *pool, const tirbi_lx *x) {
    if (!x) return NULL;
    const bool is_op = x->kind == TIRBI_LX_OP, either = is_op && x->op == TIRB_OP_OR && x->type == TIRB_BOOL,
               is_number = is_op && x->n_args == 2 && x->type == TIRB_BOOL && x->optype != TIRB_BOOL &&
                           tirbi_dtype_is_int((tirbi_dtype)x->optype);
    if (is_op && x->op == TIRB_OP_NOT && x->type == TIRB_BOOL) return x->args[0];
    if (is_number && tirbi_opposite(x->op) != TIRB_OP_NOP)
        return tirbi_lx_op(pool, tirbi_opposite(x->op), (tirbi_dtype)x->optype, TIRB_TYPE_NONE, x->args[0], x->args[1],
                           NULL);
    if (!either && x->kind != TIRBI_LX_OR) return tirbi_lx_not(pool, x);
    const tirbi_lx *a = tirbi_lx_opposite(pool, x->args[0]), *b = tirbi_lx_opposite(pool, x->args[1]);
    if (either) return tirbi_lx_both(pool, TIRB_OP_AND, a, b);
    return a && b ? tirbi_lx_lazy(pool, TIRBI_LX_AND, a, b, NULL) : NULL;
}

const tirbi_lx *tirbi_lx_add(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_wide(pool, TIRB_OP_ADD, a, b);
}
const tirbi_lx *tirbi_lx_sub(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_wide(pool, TIRB_OP_SUB, a, b);
}
const tirbi_lx *tirbi_lx_mul(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_wide(pool, TIRB_OP_MUL, a, b);
}
