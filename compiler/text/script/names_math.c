/* Mathematics: operators by name and builtins over numbers. */
#include <math.h>
#include <string.h>

#include "compiler/text/script/names.h"

static const tirb_expr *arg(tirbi_script *s, const tirbi_call *c, int i) { return tirbi_to_expr(s, &c->args[i]); }

static tirbi_value type_error(tirbi_script *s, const tirbi_call *c, const char *needs, tirb_datatype type) {
    char text[32];
    return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s needs %s, not %s", c->entry->name, needs,
                      tirb_datatype_text(type, text));
}

static tirbi_value raw_operator(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0), *y = arg(s, c, 1);
    return tirbi_value_expr(tirbi_make_raw_binary(&s->builder, c->node->span, (tirb_expr_kind)c->entry->data, x, y));
}

static tirbi_value promoted_operator(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0), *y = arg(s, c, 1);
    tirb_expr_kind kind = (tirb_expr_kind)c->entry->data;
    if (!x || !y) return tirbi_value_error();
    if (kind == TIRB_EXPR_DIV && !(tirbi_type_is_int(x->dtype) && tirbi_type_is_int(y->dtype)))
        return type_error(s, c, "integer operands", tirbi_type_is_int(x->dtype) ? y->dtype : x->dtype);
    /* TVM prints this for the remainder of floats. */
    if (kind == TIRB_EXPR_MOD && (tirbi_type_is_float(x->dtype) || tirbi_type_is_float(y->dtype)))
        tirbi_report_warning(s->diagnostics, c->node->span,
                             "the specification has T.%s for integers only; for floats it is T.fmod", c->entry->name);
    return tirbi_value_expr(tirbi_make_binary(&s->builder, c->node->span, kind, x, y));
}

/* tvm.tirx.div: of integers it truncates. */
static tirbi_value divide(tirbi_script *s, const tirbi_call *c) {
    return tirbi_value_expr(tirbi_make_binary(&s->builder, c->node->span, TIRB_EXPR_DIV, arg(s, c, 0), arg(s, c, 1)));
}

static tirbi_value compare_operator(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0), *y = arg(s, c, 1);
    if (!tirbi_match_types(&s->builder, c->node->span, &x, &y)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_raw_binary(&s->builder, c->node->span, (tirb_expr_kind)c->entry->data, x, y));
}

static tirbi_value not_operator(tirbi_script *s, const tirbi_call *c) {
    return tirbi_value_expr(tirbi_make_not(&s->builder, c->node->span, arg(s, c, 0)));
}

static tirbi_value fold_logic(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *rest = &c->args[0];
    const tirb_expr *result = NULL;
    for (uint32_t i = 0; i < rest->as.sequence.n; i++) {
        const tirb_expr *e = tirbi_to_expr(s, &rest->as.sequence.items[i]);
        if (!e) return tirbi_value_error();
        result = i ? tirbi_make_raw_binary(&s->builder, c->node->span, (tirb_expr_kind)c->entry->data, result, e) : e;
    }
    return result ? tirbi_value_expr(result)
                  : tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s needs arguments", c->entry->name);
}

static tirbi_value bitwise(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x, *y;
    if (!tirbi_to_bit_operands(s, &c->args[0], &c->args[1], &x, &y)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_bitwise(&s->builder, c->node->span, (tirb_builtin)c->entry->data, x, y));
}

/* T.BitwiseAnd(a, b) and the like: the operation as it is written, of constants too. */
static tirbi_value raw_bitwise(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *args[2];
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    tirbi_value made = bitwise(s, c);
    bool folded =
        !tirbi_is_error(&made) && (made.as.expr->kind != TIRB_EXPR_CALL || made.as.expr->as.call.builtin != builtin);
    if (!folded || !tirbi_to_bit_operands(s, &c->args[0], &c->args[1], &args[0], &args[1])) return made;
    if (!tirb_datatype_equal(args[0]->dtype, args[1]->dtype)) return made;
    return tirbi_value_expr(tirbi_make_call(&s->builder, c->node->span, args[0]->dtype, builtin, args, 2));
}

static tirbi_value bitwise_not(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0);
    if (!x) return tirbi_value_error();
    if (!tirbi_type_is_int(x->dtype) && !tirbi_type_is_bool(x->dtype)) return type_error(s, c, "an integer", x->dtype);
    return tirbi_value_expr(tirbi_make_call(&s->builder, c->node->span, x->dtype, TIRB_BUILTIN_BITWISE_NOT, &x, 1));
}

static tirbi_value ceil_div(tirbi_script *s, const tirbi_call *c) {
    tirbi_builder *b = &s->builder;
    tirbi_span span = c->node->span;
    const tirb_expr *x = arg(s, c, 0), *y = arg(s, c, 1);
    const tirb_expr *one = tirbi_make_int(b, span, tirbi_type_i32, 1);
    const tirb_expr *sum =
        tirbi_make_binary(b, span, TIRB_EXPR_SUB, tirbi_make_binary(b, span, TIRB_EXPR_ADD, x, y), one);
    return tirbi_value_expr(tirbi_make_binary(b, span, TIRB_EXPR_FLOORDIV, sum, y));
}

/* ---- Functions of one number ------------------------------------------------------------------------------------ */

static const tirb_expr *call_one(tirbi_script *s, const tirbi_call *c, tirb_builtin builtin, tirb_datatype type,
                                 const tirb_expr *x) {
    return tirbi_make_call(&s->builder, c->node->span, type, builtin, &x, 1);
}

static tirbi_value float_function(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0);
    if (!x) return tirbi_value_error();
    if (!tirbi_type_is_float(x->dtype)) return type_error(s, c, "a floating-point operand", x->dtype);
    return tirbi_value_expr(call_one(s, c, (tirb_builtin)c->entry->data, x->dtype, x));
}

static double round_half_even(double x) {
    double whole = floor(x), fraction = x - whole;
    if (fraction < 0.5) return copysign(whole, x);
    if (fraction > 0.5) return copysign(whole + 1, x);
    return copysign(fmod(whole, 2) == 0 ? whole : whole + 1, x);
}

static double apply_rounding(tirb_builtin builtin, double x) {
    if (!isfinite(x)) return x;
    switch (builtin) {
    case TIRB_BUILTIN_FLOOR:
        return floor(x);
    case TIRB_BUILTIN_CEIL:
        return ceil(x);
    case TIRB_BUILTIN_TRUNC:
        return trunc(x);
    default:
        return round_half_even(x);
    }
}

static tirbi_value rounding_function(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0);
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    if (!x || tirbi_type_is_int(x->dtype) || tirbi_type_is_bool(x->dtype)) return tirbi_value_expr(x);
    if (x->kind == TIRB_EXPR_FLOAT_IMM)
        return tirbi_value_expr(
            tirbi_make_float(&s->builder, c->node->span, x->dtype, apply_rounding(builtin, x->as.float_value)));
    return float_function(s, c);
}

static const tirb_expr *absolute(tirbi_script *s, const tirbi_call *c, const tirb_expr *x) {
    tirbi_builder *b = &s->builder;
    tirbi_span span = c->node->span;
    if (!x || x->dtype.code == TIRB_CODE_UINT) return x;
    if (x->kind == TIRB_EXPR_FLOAT_IMM) return tirbi_make_float(b, span, x->dtype, fabs(x->as.float_value));
    if (x->kind == TIRB_EXPR_INT_IMM && x->dtype.code == TIRB_CODE_INT && x->as.int_value >= 0) return x;
    if (tirbi_type_is_float(x->dtype)) return call_one(s, c, TIRB_BUILTIN_FABS, x->dtype, x);
    if (x->dtype.code != TIRB_CODE_INT) {
        type_error(s, c, "a number", x->dtype);
        return NULL;
    }
    const tirb_expr *zero = tirbi_make_cast(b, span, x->dtype, tirbi_make_int(b, span, tirbi_type_i32, 0));
    const tirb_expr *negative = tirbi_make_binary(b, span, TIRB_EXPR_SUB, zero, x);
    if (x->kind == TIRB_EXPR_INT_IMM) return negative;
    return tirbi_make_select(b, span, tirbi_make_compare(b, span, TIRB_EXPR_GE, x, zero), x, negative);
}

static tirbi_value abs_function(tirbi_script *s, const tirbi_call *c) {
    return tirbi_value_expr(absolute(s, c, arg(s, c, 0)));
}

static const tirb_expr *bool_like(tirbi_script *s, const tirbi_call *c, bool value, const tirb_expr *x) {
    tirb_datatype type = tirbi_type_with_lanes(tirbi_type_bool, tirbi_lanes_of(x->dtype));
    return tirbi_make_cast(&s->builder, c->node->span, type, tirbi_make_bool(&s->builder, c->node->span, value));
}

static const tirb_expr *is_nan(tirbi_script *s, const tirbi_call *c, const tirb_expr *x) {
    if (!x) return NULL;
    if (x->kind == TIRB_EXPR_FLOAT_IMM) return bool_like(s, c, isnan(x->as.float_value), x);
    if (tirbi_type_is_int(x->dtype)) return bool_like(s, c, false, x);
    if (!tirbi_type_is_float(x->dtype)) {
        type_error(s, c, "a number", x->dtype);
        return NULL;
    }
    /* TVM's call asks a float16 as a float32. */
    if (x->dtype.code == TIRB_CODE_FLOAT && x->dtype.bits == 16)
        x = tirbi_make_cast(&s->builder, c->node->span, tirbi_type_with_lanes(tirbi_type_f32, tirbi_lanes_of(x->dtype)),
                            x);
    if (!x) return NULL;
    return call_one(s, c, TIRB_BUILTIN_ISNAN, tirbi_type_with_lanes(tirbi_type_bool, tirbi_lanes_of(x->dtype)), x);
}

static const tirb_expr *logical_and(tirbi_script *s, const tirbi_call *c, const tirb_expr *x, const tirb_expr *y) {
    if (!x || !y) return NULL;
    if (x->dtype.lanes > 1) return tirbi_make_bitwise(&s->builder, c->node->span, TIRB_BUILTIN_BITWISE_AND, x, y);
    return tirbi_make_raw_binary(&s->builder, c->node->span, TIRB_EXPR_AND, x, y);
}

static const tirb_expr *is_infinite(tirbi_script *s, const tirbi_call *c, const tirb_expr *x) {
    if (!x) return NULL;
    if (x->kind == TIRB_EXPR_FLOAT_IMM) return bool_like(s, c, isinf(x->as.float_value), x);
    if (tirbi_type_is_int(x->dtype)) return bool_like(s, c, false, x);
    const tirb_expr *limit = tirbi_make_float(&s->builder, c->node->span, tirbi_type_element(x->dtype), INFINITY);
    const tirb_expr *equal = tirbi_make_compare(&s->builder, c->node->span, TIRB_EXPR_EQ, absolute(s, c, x), limit);
    return logical_and(s, c, equal, tirbi_make_not(&s->builder, c->node->span, is_nan(s, c, x)));
}

static tirbi_value isnan_function(tirbi_script *s, const tirbi_call *c) {
    return tirbi_value_expr(is_nan(s, c, arg(s, c, 0)));
}
static tirbi_value isinf_function(tirbi_script *s, const tirbi_call *c) {
    return tirbi_value_expr(is_infinite(s, c, arg(s, c, 0)));
}
static tirbi_value isfinite_function(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0);
    if (x && x->kind == TIRB_EXPR_FLOAT_IMM) return tirbi_value_expr(bool_like(s, c, isfinite(x->as.float_value), x));
    const tirb_expr *finite = tirbi_make_not(&s->builder, c->node->span, is_infinite(s, c, x));
    return tirbi_value_expr(logical_and(s, c, finite, tirbi_make_not(&s->builder, c->node->span, is_nan(s, c, x))));
}

static tirbi_value bit_count(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0);
    if (!x) return tirbi_value_error();
    if (!tirbi_type_is_int(x->dtype)) return type_error(s, c, "an integer", x->dtype);
    tirb_builtin builtin = (tirb_builtin)c->entry->data;
    bool clz = builtin == TIRB_BUILTIN_CLZ;
    return tirbi_value_expr(
        call_one(s, c, builtin, clz ? tirbi_type_with_lanes(tirbi_type_i32, tirbi_lanes_of(x->dtype)) : x->dtype, x));
}

/* ---- Functions of several numbers ------------------------------------------------------------------------------- */

static tirbi_value float_function_2(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0), *y = arg(s, c, 1);
    if (!tirbi_match_types(&s->builder, c->node->span, &x, &y)) return tirbi_value_error();
    if (!tirbi_type_is_float(x->dtype)) return type_error(s, c, "floating-point operands", x->dtype);
    const tirb_expr *args[] = {x, y};
    return tirbi_value_expr(
        tirbi_make_call(&s->builder, c->node->span, x->dtype, (tirb_builtin)c->entry->data, args, 2));
}

static tirbi_value ldexp_function(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *args[] = {arg(s, c, 0), arg(s, c, 1)};
    if (!args[0] || !args[1]) return tirbi_value_error();
    if (!tirbi_type_is_float(args[0]->dtype))
        return type_error(s, c, "a floating-point number and an exponent", args[0]->dtype);
    return tirbi_value_expr(tirbi_make_call(&s->builder, c->node->span, args[0]->dtype, TIRB_BUILTIN_LDEXP, args, 2));
}

static tirbi_value fma_function(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *x = arg(s, c, 0), *y = arg(s, c, 1), *z = arg(s, c, 2);
    tirbi_span span = c->node->span;
    if (!tirbi_match_types(&s->builder, span, &x, &y) || !tirbi_match_types(&s->builder, span, &x, &z) ||
        !tirbi_match_types(&s->builder, span, &x, &y))
        return tirbi_value_error();
    if (!tirbi_type_is_float(x->dtype)) return type_error(s, c, "floating-point operands", x->dtype);
    const tirb_expr *args[] = {x, y, z};
    return tirbi_value_expr(tirbi_make_call(&s->builder, span, x->dtype, TIRB_BUILTIN_FMA, args, 3));
}

static tirbi_value q_multiply_shift(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *args[] = {arg(s, c, 0), arg(s, c, 1), arg(s, c, 2), arg(s, c, 3)};
    for (int i = 0; i < 4; i++)
        if (!args[i]) return tirbi_value_error();
    tirb_datatype type = tirbi_type_with_lanes(tirbi_type_i32, tirbi_lanes_of(args[0]->dtype));
    return tirbi_value_expr(tirbi_make_call(&s->builder, c->node->span, type, TIRB_BUILTIN_Q_MULTIPLY_SHIFT, args, 4));
}

/* ---- Limits of types -------------------------------------------------------------------------------------------- */

static tirbi_value limit_of_type(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    tirbi_builder *b = &s->builder;
    tirbi_span span = c->node->span;
    bool largest = c->entry->data == 1;
    if (tirbi_type_is_float(type) && !(c->entry->data == 2 && tirb_datatype_is_narrow_float(type))) {
        double least = tirb_datatype_is_unsigned_float(type) ? 0 : -tirb_datatype_max(type);
        return tirbi_value_expr(tirbi_make_float(b, span, type, largest ? tirb_datatype_max(type) : least));
    }
    if (c->entry->data == 2 || tirbi_type_is_handle(type)) return type_error(s, c, "a floating-point type", type);
    if (tirbi_type_is_bool(type)) return tirbi_value_expr(tirbi_make_bool(b, span, largest));
    uint64_t ones = type.bits == 64 ? UINT64_MAX : (UINT64_C(1) << type.bits) - 1;
    int64_t value = 0;
    if (type.code == TIRB_CODE_UINT)
        value = largest ? (int64_t)ones : 0;
    else
        value = largest ? (int64_t)(ones >> 1) : -(int64_t)(ones >> 1) - 1;
    return tirbi_value_expr(tirbi_make_int(b, span, type, value));
}

static tirbi_value infinity(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    if (!tirbi_type_is_float(type)) return type_error(s, c, "a floating-point type", type);
    return tirbi_value_expr(tirbi_make_float(&s->builder, c->node->span, type, INFINITY));
}

const tirbi_entry tirbi_math_names[] = {
    {"Add", raw_operator, "a b", TIRB_EXPR_ADD},
    {"Sub", raw_operator, "a b", TIRB_EXPR_SUB},
    {"Mul", raw_operator, "a b", TIRB_EXPR_MUL},
    {"Div", raw_operator, "a b", TIRB_EXPR_DIV},
    {"Mod", raw_operator, "a b", TIRB_EXPR_MOD},
    {"FloorDiv", raw_operator, "a b", TIRB_EXPR_FLOORDIV},
    {"FloorMod", raw_operator, "a b", TIRB_EXPR_FLOORMOD},
    {"Min", raw_operator, "a b", TIRB_EXPR_MIN},
    {"Max", raw_operator, "a b", TIRB_EXPR_MAX},
    {"EQ", raw_operator, "a b", TIRB_EXPR_EQ},
    {"NE", raw_operator, "a b", TIRB_EXPR_NE},
    {"LT", raw_operator, "a b", TIRB_EXPR_LT},
    {"LE", raw_operator, "a b", TIRB_EXPR_LE},
    {"GT", raw_operator, "a b", TIRB_EXPR_GT},
    {"GE", raw_operator, "a b", TIRB_EXPR_GE},
    {"And", raw_operator, "a b", TIRB_EXPR_AND},
    {"Or", raw_operator, "a b", TIRB_EXPR_OR},
    {"Not", not_operator, "a", 0},
    {"all", fold_logic, "*args", TIRB_EXPR_AND},
    {"any", fold_logic, "*args", TIRB_EXPR_OR},
    {"min", promoted_operator, "a b", TIRB_EXPR_MIN},
    {"max", promoted_operator, "a b", TIRB_EXPR_MAX},
    {"add", promoted_operator, "a b", TIRB_EXPR_ADD},
    {"subtract", promoted_operator, "a b", TIRB_EXPR_SUB},
    {"multiply", promoted_operator, "a b", TIRB_EXPR_MUL},
    {"floordiv", promoted_operator, "a b", TIRB_EXPR_FLOORDIV},
    {"floormod", promoted_operator, "a b", TIRB_EXPR_FLOORMOD},
    {"truncdiv", promoted_operator, "a b", TIRB_EXPR_DIV},
    {"div", divide, "a b", 0},
    {"truncmod", promoted_operator, "a b", TIRB_EXPR_MOD},
    {"indexdiv", promoted_operator, "a b", TIRB_EXPR_FLOORDIV},
    {"indexmod", promoted_operator, "a b", TIRB_EXPR_FLOORMOD},
    {"ceildiv", ceil_div, "lhs rhs", 0},
    {"equal", compare_operator, "a b", TIRB_EXPR_EQ},
    {"not_equal", compare_operator, "a b", TIRB_EXPR_NE},
    {"less", compare_operator, "a b", TIRB_EXPR_LT},
    {"less_equal", compare_operator, "a b", TIRB_EXPR_LE},
    {"greater", compare_operator, "a b", TIRB_EXPR_GT},
    {"greater_equal", compare_operator, "a b", TIRB_EXPR_GE},
    {"bitwise_and", bitwise, "x y", TIRB_BUILTIN_BITWISE_AND},
    {"bitwise_or", bitwise, "x y", TIRB_BUILTIN_BITWISE_OR},
    {"bitwise_xor", bitwise, "x y", TIRB_BUILTIN_BITWISE_XOR},
    {"shift_left", bitwise, "x y", TIRB_BUILTIN_SHIFT_LEFT},
    {"shift_right", bitwise, "x y", TIRB_BUILTIN_SHIFT_RIGHT},
    {"bitwise_not", bitwise_not, "x", 0},
    {"BitwiseAnd", raw_bitwise, "a b", TIRB_BUILTIN_BITWISE_AND},
    {"BitwiseOr", raw_bitwise, "a b", TIRB_BUILTIN_BITWISE_OR},
    {"BitwiseXor", raw_bitwise, "a b", TIRB_BUILTIN_BITWISE_XOR},
    {"BitwiseNot", bitwise_not, "a", 0},
    {"LShift", raw_bitwise, "a b", TIRB_BUILTIN_SHIFT_LEFT},
    {"RShift", raw_bitwise, "a b", TIRB_BUILTIN_SHIFT_RIGHT},
    {"abs", abs_function, "x", 0},
    {"fabs", abs_function, "x", 0},
    {"isnan", isnan_function, "x", 0},
    {"isinf", isinf_function, "x", 0},
    {"isfinite", isfinite_function, "x", 0},
    {"popcount", bit_count, "x", TIRB_BUILTIN_POPCOUNT},
    {"clz", bit_count, "x", TIRB_BUILTIN_CLZ},
    {"floor", rounding_function, "x", TIRB_BUILTIN_FLOOR},
    {"ceil", rounding_function, "x", TIRB_BUILTIN_CEIL},
    {"trunc", rounding_function, "x", TIRB_BUILTIN_TRUNC},
    {"round", rounding_function, "x", TIRB_BUILTIN_ROUND},
    {"nearbyint", rounding_function, "x", TIRB_BUILTIN_NEARBYINT},
    {"exp", float_function, "x", TIRB_BUILTIN_EXP},
    {"exp2", float_function, "x", TIRB_BUILTIN_EXP2},
    {"exp10", float_function, "x", TIRB_BUILTIN_EXP10},
    {"expm1", float_function, "x", TIRB_BUILTIN_EXPM1},
    {"log", float_function, "x", TIRB_BUILTIN_LOG},
    {"log2", float_function, "x", TIRB_BUILTIN_LOG2},
    {"log10", float_function, "x", TIRB_BUILTIN_LOG10},
    {"log1p", float_function, "x", TIRB_BUILTIN_LOG1P},
    {"sin", float_function, "x", TIRB_BUILTIN_SIN},
    {"cos", float_function, "x", TIRB_BUILTIN_COS},
    {"tan", float_function, "x", TIRB_BUILTIN_TAN},
    {"asin", float_function, "x", TIRB_BUILTIN_ASIN},
    {"acos", float_function, "x", TIRB_BUILTIN_ACOS},
    {"atan", float_function, "x", TIRB_BUILTIN_ATAN},
    {"sinh", float_function, "x", TIRB_BUILTIN_SINH},
    {"cosh", float_function, "x", TIRB_BUILTIN_COSH},
    {"tanh", float_function, "x", TIRB_BUILTIN_TANH},
    {"asinh", float_function, "x", TIRB_BUILTIN_ASINH},
    {"acosh", float_function, "x", TIRB_BUILTIN_ACOSH},
    {"atanh", float_function, "x", TIRB_BUILTIN_ATANH},
    {"sigmoid", float_function, "x", TIRB_BUILTIN_SIGMOID},
    {"erf", float_function, "x", TIRB_BUILTIN_ERF},
    {"sqrt", float_function, "x", TIRB_BUILTIN_SQRT},
    {"rsqrt", float_function, "x", TIRB_BUILTIN_RSQRT},
    {"pow", float_function_2, "x y", TIRB_BUILTIN_POW},
    {"power", float_function_2, "x y", TIRB_BUILTIN_POW},
    {"fmod", float_function_2, "x y", TIRB_BUILTIN_FMOD},
    {"atan2", float_function_2, "x1 x2", TIRB_BUILTIN_ATAN2},
    {"hypot", float_function_2, "x1 x2", TIRB_BUILTIN_HYPOT},
    {"copysign", float_function_2, "x1 x2", TIRB_BUILTIN_COPYSIGN},
    {"nextafter", float_function_2, "x1 x2", TIRB_BUILTIN_NEXTAFTER},
    {"ldexp", ldexp_function, "x1 x2", 0},
    {"fma", fma_function, "x y z", 0},
    {"q_multiply_shift", q_multiply_shift, "x y q s", 0},
    {"min_value", limit_of_type, "dtype", 0},
    {"max_value", limit_of_type, "dtype", 1},
    {"infinity", infinity, "dtype", 0},
    {NULL, NULL, NULL, 0},
};
