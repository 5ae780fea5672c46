#include "compiler/lower/composed.h"

#include <string.h>

typedef struct composer {
    tirbi_lx_pool *pool;
    tirbi_dtype type;
} composer;

static const tirbi_lx *op1(const composer *c, tirbi_op op, const tirbi_lx *a) {
    return a ? tirbi_lx_op(c->pool, op, c->type, TIRB_TYPE_NONE, a, NULL, NULL) : NULL;
}
static const tirbi_lx *op2(const composer *c, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_op(c->pool, op, c->type, TIRB_TYPE_NONE, a, b, NULL) : NULL;
}
static const tirbi_lx *choose(const composer *c, const tirbi_lx *condition, const tirbi_lx *yes, const tirbi_lx *no) {
    if (!condition || !yes || !no) return NULL;
    return tirbi_lx_op(c->pool, TIRB_OP_SELECT, c->type, TIRB_TYPE_NONE, condition, yes, no);
}

static const tirbi_lx *constant(const composer *c, double value) {
    float narrow = (float)value;
    uint32_t narrow_bits;
    uint64_t bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(&bits, &value, sizeof bits);
    return tirbi_lx_bits(c->pool, c->type, c->type == TIRB_F32 ? narrow_bits : bits);
}

/* A sum that is half or more above a whole number reaches the next one with the greatest number below a half, too. */
static const tirbi_lx *round_away(const composer *c, const tirbi_lx *x) {
    const tirbi_lx *half = constant(c, c->type == TIRB_F32 ? 0x1.fffffep-2 : 0x1.fffffffffffffp-2);
    return op1(c, TIRB_OP_TRUNC, op2(c, TIRB_OP_ADD, x, op2(c, TIRB_OP_COPYSIGN, half, x)));
}

/* Whether it is a constant, and no NaN. */
static bool is_number(const composer *c, const tirbi_lx *x) {
    if (!x || x->kind != TIRBI_LX_CONST) return false;
    const uint64_t bits = (uint64_t)x->value;
    return c->type == TIRB_F32 ? (bits & 0x7FFFFFFF) <= 0x7F800000 : (bits & INT64_MAX) <= 0x7FF0000000000000;
}

/* The one that is no NaN: MIN and MAX give the second one where either is, and what they give is a canonical NaN. */
static const tirbi_lx *extreme(const composer *c, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return op2(c, op, a, is_number(c, b) ? b : choose(c, op1(c, TIRB_OP_ISNAN, b), a, b));
}

/* The length of a vector, by hypotenuses of hypotenuses, or its inverse: of the vector times a power of two, by which
 * the result is undone. So nothing overflows or is lost on the way; and an infinity comes of one alone, which is what a
 * NaN beside it gives way to. */
static const tirbi_lx *length(const composer *c, const tirbi_lx *const *x, int n, bool inverse) {
    const tirbi_lx *scaled[TIRBI_COMPOSED_OPERANDS] = {NULL}, *largest = constant(c, 0.0);
    for (int i = 0; i < n; i++) largest = op2(c, TIRB_OP_MAX, op1(c, TIRB_OP_ABS, x[i]), largest);
    const tirbi_lx *large = op2(c, TIRB_OP_GT, largest, constant(c, 1.0));
    const tirbi_lx *scale = choose(c, large, constant(c, 0.25), constant(c, inverse ? 0x1p60 : 1.0));
    for (int i = 0; i < n; i++) scaled[i] = op2(c, TIRB_OP_MUL, x[i], scale);
    const tirbi_lx *first = op2(c, TIRB_OP_HYPOT, scaled[0], scaled[1]);
    const tirbi_lx *rest = n == 3 ? scaled[2] : op2(c, TIRB_OP_HYPOT, scaled[2], scaled[3]);
    if (inverse) return op2(c, TIRB_OP_MUL, op2(c, TIRB_OP_RHYPOT, first, rest), scale);
    const tirbi_lx *undo = choose(c, large, constant(c, 4.0), constant(c, 1.0));
    return op2(c, TIRB_OP_MUL, op2(c, TIRB_OP_HYPOT, first, rest), undo);
}

const tirbi_lx *tirbi_compose(tirbi_lx_pool *pool, tirb_builtin builtin, tirbi_dtype type,
                              const tirbi_lx *const *args) {
    const composer made = {pool, type}, *c = &made;
    const tirbi_lx *a = args[0], *b = args[1];
    switch (builtin) {
    case TIRB_BUILTIN_RCBRT: return op2(c, TIRB_OP_DIV, constant(c, 1.0), op1(c, TIRB_OP_CBRT, a));
    case TIRB_BUILTIN_NORMCDFINV: /* 0 of 1/2, not -0 */
        return op2(c, TIRB_OP_SUB, constant(c, 0.0),
                   op2(c, TIRB_OP_MUL, constant(c, 0x1.6a09e667f3bcdp+0),
                       op1(c, TIRB_OP_ERFCINV, op2(c, TIRB_OP_ADD, a, a))));
    case TIRB_BUILTIN_ROUND_AWAY: return round_away(c, a);
    case TIRB_BUILTIN_FDIM: /* the difference is a NaN where an operand is */
        return choose(c, op2(c, TIRB_OP_LE, a, b), constant(c, 0.0), op2(c, TIRB_OP_SUB, a, b));
    case TIRB_BUILTIN_FDIVIDE: return op2(c, TIRB_OP_DIV, a, b);
    case TIRB_BUILTIN_FMAX: return extreme(c, TIRB_OP_MAX, a, b);
    case TIRB_BUILTIN_FMIN: return extreme(c, TIRB_OP_MIN, a, b);
    case TIRB_BUILTIN_NORM3D: return length(c, args, 3, false);
    case TIRB_BUILTIN_NORM4D: return length(c, args, 4, false);
    case TIRB_BUILTIN_RNORM3D: return length(c, args, 3, true);
    case TIRB_BUILTIN_RNORM4D: return length(c, args, 4, true);
    default: return NULL;
    }
}
