#include "compiler/ir/fold.h"

#include <math.h>

int64_t tirbi_wrap_int(tirb_datatype type, int64_t value) {
    if (type.bits >= 64) return value;
    if (type.bits == 1) return value & 1; /* 0 and 1 are the constants of int1, too */
    uint64_t mask = (UINT64_C(1) << type.bits) - 1;
    uint64_t low = (uint64_t)value & mask;
    if (type.code == TIRB_CODE_INT && (low >> (type.bits - 1)) != 0) low |= ~mask;
    return (int64_t)low;
}

static bool is_index_type(tirb_datatype t) {
    return t.code == TIRB_CODE_INT && (t.bits == 32 || t.bits == 64) && t.lanes == 1;
}

static bool divide_by_zero(tirbi_builder *b, tirbi_span span, bool *failed) {
    tirbi_report_error(b->diagnostics, TIRB_VALUE, span, "division by zero");
    *failed = true;
    return false;
}

static int64_t divide(bool is_unsigned, int64_t x, int64_t y) {
    if (is_unsigned) return (int64_t)((uint64_t)x / (uint64_t)y);
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t remainder_of(bool is_unsigned, int64_t x, int64_t y) {
    if (is_unsigned) return (int64_t)((uint64_t)x % (uint64_t)y);
    return y == -1 ? 0 : x % y;
}

static bool int_less(bool is_unsigned, int64_t x, int64_t y) { return is_unsigned ? (uint64_t)x < (uint64_t)y : x < y; }

/* x op y for integer constants; false when this operator does not fold in this type. */
static bool fold_ints(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, tirb_datatype type, int64_t x, int64_t y,
                      int64_t *out, bool *failed) {
    bool is_unsigned = type.code != TIRB_CODE_INT;
    bool divides =
        kind == TIRB_EXPR_DIV || kind == TIRB_EXPR_MOD || kind == TIRB_EXPR_FLOORDIV || kind == TIRB_EXPR_FLOORMOD;
    if (kind == TIRB_EXPR_MOD && !is_index_type(type) && !(is_unsigned && type.bits == 64)) return false;
    if (kind == TIRB_EXPR_FLOORMOD && !is_unsigned && !is_index_type(type)) return false;
    if (divides && y == 0) return divide_by_zero(b, span, failed);
    switch (kind) {
    case TIRB_EXPR_ADD:
        *out = (int64_t)((uint64_t)x + (uint64_t)y);
        break;
    case TIRB_EXPR_SUB:
        /* From 0 it is a sign that was meant; other differences wrap. */
        if (is_unsigned && x == 0 && y != 0) {
            tirbi_report_error(b->diagnostics, TIRB_VALUE, span, "0 - %llu is negative, and its type is unsigned",
                               (unsigned long long)y);
            *failed = true;
            return false;
        }
        *out = (int64_t)((uint64_t)x - (uint64_t)y);
        break;
    case TIRB_EXPR_MUL:
        *out = (int64_t)((uint64_t)x * (uint64_t)y);
        break;
    case TIRB_EXPR_DIV:
        *out = divide(is_unsigned, x, y);
        break;
    case TIRB_EXPR_MOD:
        *out = remainder_of(is_unsigned, x, y);
        break;
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD: {
        int64_t r = remainder_of(is_unsigned, x, y);
        bool below = !is_unsigned && r != 0 && (r < 0) != (y < 0);
        *out = kind == TIRB_EXPR_FLOORDIV ? divide(is_unsigned, x, y) - below : r + (below ? y : 0);
        break;
    }
    case TIRB_EXPR_MIN:
        *out = int_less(is_unsigned, x, y) ? x : y;
        break;
    case TIRB_EXPR_MAX:
        *out = int_less(is_unsigned, y, x) ? x : y;
        break;
    default:
        return false;
    }
    *out = tirbi_wrap_int(type, *out);
    return true;
}

static double float_op(tirb_expr_kind kind, double x, double y) {
    switch (kind) {
    case TIRB_EXPR_ADD:
        return x + y;
    case TIRB_EXPR_SUB:
        return x - y;
    case TIRB_EXPR_MUL:
        return x * y;
    default:
        return x / y;
    }
}

/* In the type's own precision: of two floats the double result rounded once is the float result. */
static bool fold_floats(tirb_expr_kind kind, tirb_datatype type, double x, double y, double *out) {
    bool chooses = kind == TIRB_EXPR_MIN || kind == TIRB_EXPR_MAX; /* which needs no rounding */
    if (!chooses && (type.code != TIRB_CODE_FLOAT || (type.bits != 32 && type.bits != 64))) return false;
    bool single = type.bits == 32;
    switch (kind) {
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
    case TIRB_EXPR_MUL:
    case TIRB_EXPR_DIV:
        *out = single ? (double)(float)float_op(kind, (double)(float)x, (double)(float)y) : float_op(kind, x, y);
        return true;
    case TIRB_EXPR_MIN: /* of constants TVM keeps the first, where one is NaN or both are 0 */
        *out = y < x ? y : x;
        return true;
    case TIRB_EXPR_MAX:
        *out = x < y ? y : x;
        return true;
    default:
        return false;
    }
}

static bool is_number(const tirb_expr *e, double value) {
    if (e->kind == TIRB_EXPR_INT_IMM && !tirbi_type_is_bool(e->dtype)) return (double)e->as.int_value == value;
    return e->kind == TIRB_EXPR_FLOAT_IMM && e->as.float_value == value;
}

/* x+0, 1*x and the like, one operand being a literal. */
static const tirb_expr *fold_identity(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                      const tirb_expr *y, bool *failed) {
    switch (kind) {
    case TIRB_EXPR_ADD:
        return is_number(x, 0) ? y : is_number(y, 0) ? x : NULL;
    case TIRB_EXPR_SUB:
        return is_number(y, 0) ? x : NULL;
    case TIRB_EXPR_MUL:
        if (is_number(x, 1)) return y;
        if (is_number(x, 0)) return x;
        return is_number(y, 1) ? x : is_number(y, 0) ? y : NULL;
    case TIRB_EXPR_DIV:
    case TIRB_EXPR_FLOORDIV:
        if (is_number(y, 0)) {
            divide_by_zero(b, span, failed);
            return NULL;
        }
        return is_number(x, 0) || is_number(y, 1) ? x : NULL;
    case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORMOD:
        if (kind == TIRB_EXPR_FLOORMOD && is_number(y, 0)) divide_by_zero(b, span, failed);
        if (!is_index_type(x->dtype) || *failed) return NULL;
        if (is_number(y, 0)) divide_by_zero(b, span, failed);
        if (is_number(x, 0)) return x;
        return is_number(y, 1) ? tirbi_make_int(b, span, y->dtype, 0) : NULL;
    case TIRB_EXPR_MIN:
    case TIRB_EXPR_MAX:
        return x == y ? x : NULL;
    default:
        return NULL;
    }
}

const tirb_expr *tirbi_fold_binary(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                   const tirb_expr *y, bool *failed) {
    *failed = false;
    if (x->kind == TIRB_EXPR_INT_IMM && y->kind == TIRB_EXPR_INT_IMM && tirbi_type_is_int(x->dtype)) {
        int64_t value;
        if (fold_ints(b, span, kind, x->dtype, x->as.int_value, y->as.int_value, &value, failed))
            return tirbi_make_int(b, span, x->dtype, value);
        if (*failed) return NULL;
    }
    if (x->kind == TIRB_EXPR_FLOAT_IMM && y->kind == TIRB_EXPR_FLOAT_IMM) {
        double value;
        if (kind == TIRB_EXPR_DIV && y->as.float_value == 0) {
            divide_by_zero(b, span, failed);
            return NULL;
        }
        if (fold_floats(kind, x->dtype, x->as.float_value, y->as.float_value, &value))
            return tirbi_make_float(b, span, x->dtype, value);
    }
    return fold_identity(b, span, kind, x, y, failed);
}

bool tirbi_fold_order(tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y, bool *out) {
    bool less, more;
    if (x->kind == TIRB_EXPR_INT_IMM && y->kind == TIRB_EXPR_INT_IMM) {
        bool is_unsigned = x->dtype.code != TIRB_CODE_INT;
        less = int_less(is_unsigned, x->as.int_value, y->as.int_value);
        more = int_less(is_unsigned, y->as.int_value, x->as.int_value);
        *out = kind == TIRB_EXPR_LT ? less : kind == TIRB_EXPR_LE ? !more : kind == TIRB_EXPR_GT ? more : !less;
        return true;
    }
    if (x->kind != TIRB_EXPR_FLOAT_IMM || y->kind != TIRB_EXPR_FLOAT_IMM) return false;
    double a = x->as.float_value, c = y->as.float_value;
    *out = kind == TIRB_EXPR_LT ? a < c : kind == TIRB_EXPR_LE ? a <= c : kind == TIRB_EXPR_GT ? a > c : a >= c;
    return true;
}

const tirb_expr *tirbi_fold_bitwise(tirbi_builder *b, tirbi_span span, tirb_builtin builtin, const tirb_expr *x,
                                    const tirb_expr *y, bool *failed) {
    char text[32];
    *failed = false;
    bool shift = builtin == TIRB_BUILTIN_SHIFT_LEFT || builtin == TIRB_BUILTIN_SHIFT_RIGHT;
    if (shift && is_index_type(x->dtype) && y->kind == TIRB_EXPR_INT_IMM &&
        (y->as.int_value < 0 || y->as.int_value >= (int64_t)x->dtype.bits)) {
        tirbi_report_error(b->diagnostics, TIRB_VALUE, span,
                           "the shift amount is %lld; it must be non-negative and less than %u for type %s",
                           (long long)y->as.int_value, x->dtype.bits, tirb_datatype_text(x->dtype, text));
        *failed = true;
        return NULL;
    }
    if (!is_index_type(x->dtype) || y->kind != TIRB_EXPR_INT_IMM) return NULL;
    if (shift && y->as.int_value == 0) return x;
    if (x->kind != TIRB_EXPR_INT_IMM) return NULL;
    int64_t m = x->as.int_value, n = y->as.int_value, value;
    switch (builtin) {
    case TIRB_BUILTIN_BITWISE_AND:
        value = m & n;
        break;
    case TIRB_BUILTIN_BITWISE_OR:
        value = m | n;
        break;
    case TIRB_BUILTIN_BITWISE_XOR:
        value = m ^ n;
        break;
    case TIRB_BUILTIN_SHIFT_LEFT:
        value = (int64_t)((uint64_t)m << n);
        break;
    case TIRB_BUILTIN_SHIFT_RIGHT:
        value = m >> n;
        break;
    default:
        return NULL;
    }
    return tirbi_make_int(b, span, x->dtype, tirbi_wrap_int(x->dtype, value));
}
