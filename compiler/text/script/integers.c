/* Python's integers while a text is read: those from -2^63 to 2^64 - 1, as signs and magnitudes. */
#include "compiler/text/script/script.h"

typedef struct number {
    bool negative; /* never with a size of 0 */
    uint64_t size;
} number;

static number make(bool negative, uint64_t size) { return (number){negative && size != 0, size}; }

static number number_of(const tirbi_value *v) {
    if (v->kind == TIRBI_VALUE_BOOL) return make(false, v->as.boolean);
    bool negative = v->as.integer < 0 && !v->big;
    return make(negative, negative ? 0 - (uint64_t)v->as.integer : (uint64_t)v->as.integer);
}

static bool in_range(number x) { return !x.negative || x.size <= UINT64_C(1) << 63; }

static tirbi_value value_of(number x) {
    tirbi_value v = tirbi_value_int((int64_t)(x.negative ? 0 - x.size : x.size));
    v.big = !x.negative && x.size > INT64_MAX;
    return v;
}

int tirbi_compare_integers(const tirbi_value *a, const tirbi_value *b) {
    number x = number_of(a), y = number_of(b);
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    int order = (x.size > y.size) - (x.size < y.size);
    return x.negative ? -order : order;
}

/* ---- Operators: false where a result has more than 64 bits ------------------------------------------------------ */

static bool add(number x, number y, number *out) {
    uint64_t size;
    if (x.negative != y.negative) {
        *out = x.size >= y.size ? make(x.negative, x.size - y.size) : make(y.negative, y.size - x.size);
        return true;
    }
    if (__builtin_add_overflow(x.size, y.size, &size)) return false;
    *out = make(x.negative, size);
    return true;
}

static bool multiply(number x, number y, number *out) {
    uint64_t size;
    if (__builtin_mul_overflow(x.size, y.size, &size)) return false;
    *out = make(x.negative != y.negative, size);
    return true;
}

/* Quotients are rounded down, and remainders have the sign of the divisor. */
static void divide(number x, number y, number *quotient, number *remainder) {
    uint64_t whole = x.size / y.size, rest = x.size % y.size;
    bool down = rest != 0 && x.negative != y.negative;
    *quotient = make(x.negative != y.negative, whole + down);
    *remainder = make(y.negative, down ? y.size - rest : rest);
}

static bool shift_left(number x, uint64_t amount, number *out) {
    *out = x;
    if (x.size == 0) return true;
    return amount < 64 && multiply(x, make(false, UINT64_C(1) << amount), out);
}

static number shift_right(number x, uint64_t amount) {
    if (amount > 63) return make(x.negative, x.negative);
    return x.negative ? make(true, ((x.size - 1) >> amount) + 1) : make(false, x.size >> amount);
}

/* The power of two numbers from 0 on, or of a negative one. */
static bool raise(number x, uint64_t n, number *out) {
    *out = make(false, 1);
    if (x.size < 2) { /* any number of rounds */
        if (n > 0) *out = make(x.negative && n % 2 != 0, x.size);
        return true;
    }
    for (uint64_t i = 0; i < n; i++) /* at most 64 rounds */
        if (!multiply(*out, x, out)) return false;
    return true;
}

/* On two's complements: a number from 2^63 on has a sign behind its 64 bits. */
static bool combine(tirbi_token_kind op, number x, number y, number *out) {
    uint64_t a = x.negative ? 0 - x.size : x.size, b = y.negative ? 0 - y.size : y.size;
    uint64_t bits = op == TIRBI_TOKEN_BITAND ? a & b : op == TIRBI_TOKEN_BITOR ? a | b : a ^ b;
    bool negative = op == TIRBI_TOKEN_BITAND  ? x.negative && y.negative
                    : op == TIRBI_TOKEN_BITOR ? x.negative || y.negative
                                              : x.negative != y.negative;
    *out = make(negative, negative ? 0 - bits : bits);
    return !negative || bits > INT64_MAX;
}

static bool apply(tirbi_token_kind op, number x, number y, number *out) {
    number other;
    switch (op) {
    case TIRBI_TOKEN_ADD: return add(x, y, out);
    case TIRBI_TOKEN_SUB: return add(x, make(!y.negative, y.size), out);
    case TIRBI_TOKEN_MUL: return multiply(x, y, out);
    case TIRBI_TOKEN_FLOORDIV: divide(x, y, out, &other); return true;
    case TIRBI_TOKEN_MOD: divide(x, y, &other, out); return true;
    case TIRBI_TOKEN_SHL: return shift_left(x, y.size, out);
    case TIRBI_TOKEN_SHR: *out = shift_right(x, y.size); return true;
    case TIRBI_TOKEN_POWER: return raise(x, y.size, out);
    default: return combine(op, x, y, out);
    }
}

static bool applies(tirbi_token_kind op) {
    switch (op) {
    case TIRBI_TOKEN_ADD:
    case TIRBI_TOKEN_SUB:
    case TIRBI_TOKEN_MUL:
    case TIRBI_TOKEN_FLOORDIV:
    case TIRBI_TOKEN_MOD:
    case TIRBI_TOKEN_SHL:
    case TIRBI_TOKEN_SHR:
    case TIRBI_TOKEN_POWER:
    case TIRBI_TOKEN_BITAND:
    case TIRBI_TOKEN_BITOR:
    case TIRBI_TOKEN_BITXOR: return true;
    default: return false;
    }
}

tirbi_value tirbi_integer_operator(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *a,
                                   const tirbi_value *b) {
    number x = number_of(a), y = number_of(b), result;
    if (y.size == 0 && (op == TIRBI_TOKEN_FLOORDIV || op == TIRBI_TOKEN_MOD))
        return tirbi_fail(s, TIRB_VALUE, node->span, "division by zero");
    if (y.negative && (op == TIRBI_TOKEN_SHL || op == TIRBI_TOKEN_SHR))
        return tirbi_fail(s, TIRB_VALUE, node->span, "the shift amount is %lld; it must not be negative",
                          (long long)b->as.integer);
    if (!applies(op))
        return tirbi_fail(s, TIRB_TYPE, node->span, "%s does not apply to integers", tirbi_token_text(op));
    if (!apply(op, x, y, &result) || !in_range(result))
        return tirbi_fail(s, TIRB_VALUE, node->span, "this constant does not fit 64 bits");
    return value_of(result);
}
