/* Expressions: names, operators, attributes, indexing. */
#include <math.h>
#include <string.h>

#include "compiler/ir/fold.h"
#include "compiler/text/script/names.h"
#include "compiler/text/script/script.h"

static tirbi_value at_node(tirbi_value v, const tirbi_node *node) {
    v.node = node;
    return v;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static tirbi_value define_shape_var(tirbi_script *s, const tirbi_node *node) {
    const tirb_expr *var = tirbi_make_var(&s->builder, node->span, node->name, tirbi_prim_type(s->define_type));
    if (!var) return tirbi_value_error();
    tirbi_value v = tirbi_value_expr(var);
    tirbi_bind(s, node->name, node->span, v);
    return v;
}

static tirbi_value builtin_name(const tirbi_script *s, const char *name) {
    static const struct {
        const char *name;
        tirbi_namespace space;
    } spaces[] = {
        {"T", TIRBI_SPACE_TIR}, {"tir", TIRBI_SPACE_TIR}, {"tirx", TIRBI_SPACE_TIR}, {"I", TIRBI_SPACE_IR},
        {"ir", TIRBI_SPACE_IR}, {"R", TIRBI_SPACE_RELAX}, {"tvm", TIRBI_SPACE_TVM},  {"relax", TIRBI_SPACE_RELAX},
    };
    if (tirbi_hybrid(s)) {
        if (strcmp(name, "tir") == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_NAMESPACE, .as.space = TIRBI_SPACE_HYBRID};
        if (strcmp(name, "ty") == 0) return (tirbi_value){.kind = TIRBI_VALUE_NAMESPACE, .as.space = TIRBI_SPACE_TYPES};
        if (strcmp(name, "grid") == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = tirbi_find_entry(TIRBI_SPACE_TIR, name)};
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(spaces[i].name, name) == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_NAMESPACE, .as.space = spaces[i].space};
    const tirbi_entry *entry = tirbi_find_entry(TIRBI_SPACE_PYTHON, name);
    if (entry) return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = entry};
    /* What is no text is kept in a section by itself: meta[Target][0], metadata["ir.Range"][0]. */
    if (strcmp(name, "meta") == 0 || strcmp(name, "metadata") == 0) return (tirbi_value){.kind = TIRBI_VALUE_OPAQUE};
    return (tirbi_value){.kind = TIRBI_VALUE_MISSING};
}

/* What a name stands for in a shape: a function's name may be a size's as well, which TVM does not look up. */
static const tirbi_binding *lookup_size(const tirbi_script *s, const char *name) {
    const tirbi_binding *binding = tirbi_lookup(s, name);
    return binding && binding->value.kind == TIRBI_VALUE_FUNCTION ? NULL : binding;
}

static tirbi_value evaluate_name(tirbi_script *s, const tirbi_node *node) {
    if (s->function && strcmp(node->name, "metadata") == 0) s->keeps_metadata = true;
    const tirbi_binding *binding = s->define_names ? lookup_size(s, node->name) : tirbi_lookup(s, node->name);
    if (binding && binding->value.kind == TIRBI_VALUE_IMPORTED && strcmp(binding->value.as.name, "math") != 0)
        return tirbi_fail_imported(s, node, binding->value.as.name, NULL);
    if (binding && binding->value.kind == TIRBI_VALUE_CONSTANT)
        return tirbi_use_constant(s, node, binding->value.as.constant);
    if (binding) return binding->value;
    tirbi_value v = builtin_name(s, node->name);
    if (v.kind != TIRBI_VALUE_MISSING) return v;
    if (s->define_names) return define_shape_var(s, node);
    return tirbi_fail_undefined(s, node);
}

/* ---- Python numbers --------------------------------------------------------------------------------------------- */

static double to_double(const tirbi_value *v) {
    if (v->kind == TIRBI_VALUE_FLOAT) return v->as.real;
    if (v->kind == TIRBI_VALUE_BOOL) return v->as.boolean;
    return v->big ? (double)(uint64_t)v->as.integer : (double)v->as.integer;
}

/* x to the power of n by squaring, with twice the digits of a double so that the result is rounded about once. */
static double integer_power(double x, uint64_t n) {
    double base[2] = {x, 0}, power[2] = {1, 0};
    for (; n; n >>= 1) {
        for (int square = !(n & 1); square < 2; square++) {
            double *a = square ? base : power;
            double high = a[0] * base[0];
            double low = fma(a[0], base[0], -high) + (a[0] * base[1] + a[1] * base[0]);
            a[0] = isfinite(high) ? high + low : high;
            a[1] = isfinite(high) ? low - (a[0] - high) : 0;
        }
    }
    return power[0];
}

/* Python's x ** y where the result does not depend on a library's pow. */
static tirbi_value python_power(tirbi_script *s, const tirbi_node *node, double x, double y) {
    tirbi_value v = {.kind = TIRBI_VALUE_FLOAT};
    if (x == 0 && y < 0) return tirbi_fail(s, TIRB_VALUE, node->span, "division by zero");
    if (y == 0.5 && x >= 0) {
        v.as.real = sqrt(x);
        return v;
    }
    if (y != floor(y) || fabs(y) > 0x1p32)
        return tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "the exponent of '**' must be an integer or 0.5");
    v.as.real = integer_power(x, (uint64_t)fabs(y));
    if (y < 0) v.as.real = 1 / v.as.real;
    return v;
}

static tirbi_value python_floats(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, double x, double y) {
    tirbi_value v = {.kind = TIRBI_VALUE_FLOAT};
    if (y == 0 && (op == TIRBI_TOKEN_DIV || op == TIRBI_TOKEN_FLOORDIV || op == TIRBI_TOKEN_MOD))
        return tirbi_fail(s, TIRB_VALUE, node->span, "division by zero");
    switch (op) {
    case TIRBI_TOKEN_ADD:
        v.as.real = x + y;
        break;
    case TIRBI_TOKEN_SUB:
        v.as.real = x - y;
        break;
    case TIRBI_TOKEN_MUL:
        v.as.real = x * y;
        break;
    case TIRBI_TOKEN_DIV:
        v.as.real = x / y;
        break;
    case TIRBI_TOKEN_FLOORDIV:
        v.as.real = floor(x / y);
        break;
    case TIRBI_TOKEN_MOD:
        v.as.real = fmod(x, y); /* with the sign of the divisor, 0 too */
        if (v.as.real == 0)
            v.as.real = copysign(0, y);
        else if ((v.as.real < 0) != (y < 0))
            v.as.real += y;
        break;
    case TIRBI_TOKEN_POWER:
        return python_power(s, node, x, y);
    default:
        return tirbi_fail(s, TIRB_TYPE, node->span, "%s needs integer operands", tirbi_token_text(op));
    }
    return v;
}

static bool is_negative(const tirbi_value *v) { return v->kind == TIRBI_VALUE_INT && v->as.integer < 0 && !v->big; }

static tirbi_value python_numbers(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *x,
                                  const tirbi_value *y) {
    bool floats = x->kind == TIRBI_VALUE_FLOAT || y->kind == TIRBI_VALUE_FLOAT || op == TIRBI_TOKEN_DIV ||
                  (op == TIRBI_TOKEN_POWER && is_negative(y));
    return floats ? python_floats(s, node, op, to_double(x), to_double(y)) : tirbi_integer_operator(s, node, op, x, y);
}

/* ---- Binary operators ------------------------------------------------------------------------------------------- */

static bool is_bit_operator(tirbi_token_kind op) {
    return op == TIRBI_TOKEN_BITAND || op == TIRBI_TOKEN_BITOR || op == TIRBI_TOKEN_BITXOR || op == TIRBI_TOKEN_SHL ||
           op == TIRBI_TOKEN_SHR;
}

static bool is_signed_int(tirb_datatype t) { return t.code == TIRB_CODE_INT; }

static tirbi_value arithmetic(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirb_expr *x,
                              const tirb_expr *y) {
    tirbi_builder *b = &s->builder;
    if (!x || !y) return tirbi_value_error();
    switch (op) {
    case TIRBI_TOKEN_ADD:
        return tirbi_value_expr(tirbi_make_binary(b, node->span, TIRB_EXPR_ADD, x, y));
    case TIRBI_TOKEN_SUB:
        return tirbi_value_expr(tirbi_make_binary(b, node->span, TIRB_EXPR_SUB, x, y));
    case TIRBI_TOKEN_MUL:
        return tirbi_value_expr(tirbi_make_binary(b, node->span, TIRB_EXPR_MUL, x, y));
    case TIRBI_TOKEN_DIV:
        if (!tirbi_hybrid(s) && is_signed_int(x->dtype) && is_signed_int(y->dtype))
            return tirbi_fail(
                s, TIRB_TYPE, node->span,
                "'/' of integers is ambiguous: write // or T.floordiv, T.truncdiv, or cast to a float type");
        return tirbi_value_expr(tirbi_make_binary(b, node->span, TIRB_EXPR_DIV, x, y));
    case TIRBI_TOKEN_FLOORDIV:
        return tirbi_value_expr(tirbi_make_binary(b, node->span, TIRB_EXPR_FLOORDIV, x, y));
    case TIRBI_TOKEN_MOD:
        return tirbi_value_expr(tirbi_make_binary(b, node->span, TIRB_EXPR_FLOORMOD, x, y));
    case TIRBI_TOKEN_BITAND:
        return tirbi_value_expr(tirbi_make_bitwise(b, node->span, TIRB_BUILTIN_BITWISE_AND, x, y));
    case TIRBI_TOKEN_BITOR:
        return tirbi_value_expr(tirbi_make_bitwise(b, node->span, TIRB_BUILTIN_BITWISE_OR, x, y));
    case TIRBI_TOKEN_BITXOR:
        return tirbi_value_expr(tirbi_make_bitwise(b, node->span, TIRB_BUILTIN_BITWISE_XOR, x, y));
    case TIRBI_TOKEN_SHL:
        return tirbi_value_expr(tirbi_make_bitwise(b, node->span, TIRB_BUILTIN_SHIFT_LEFT, x, y));
    case TIRBI_TOKEN_SHR:
        return tirbi_value_expr(tirbi_make_bitwise(b, node->span, TIRB_BUILTIN_SHIFT_RIGHT, x, y));
    case TIRBI_TOKEN_POWER:
        return tirbi_fail(s, TIRB_TYPE, node->span,
                          "the operator '**' is for Python's numbers; write T.pow(x, y), or x * x");
    default:
        return tirbi_fail(s, TIRB_TYPE, node->span, "%s is not part of the language", tirbi_token_text(op));
    }
}

enum { MAX_ITEMS = 10000 };

static tirbi_value fail_items(tirbi_script *s, const tirbi_node *node) {
    return tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "this has more than %d items", (int)MAX_ITEMS);
}

static tirbi_value join_tuples(tirbi_script *s, const tirbi_node *node, const tirbi_value *x, const tirbi_value *y) {
    if (x->as.sequence.n > MAX_ITEMS || y->as.sequence.n > MAX_ITEMS - x->as.sequence.n) return fail_items(s, node);
    uint32_t n = x->as.sequence.n + y->as.sequence.n;
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE};
    v.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    if (!v.as.sequence.items) return tirbi_value_error();
    v.as.sequence.n = n;
    if (x->as.sequence.n) memcpy(v.as.sequence.items, x->as.sequence.items, x->as.sequence.n * sizeof v);
    if (y->as.sequence.n)
        memcpy(v.as.sequence.items + x->as.sequence.n, y->as.sequence.items, y->as.sequence.n * sizeof v);
    return v;
}

static tirbi_value repeat_tuple(tirbi_script *s, const tirbi_node *node, const tirbi_value *x, int64_t times) {
    uint32_t n = x->as.sequence.n;
    if (times < 0 || n == 0) times = 0;
    if (n > 0 && times > MAX_ITEMS / n) return fail_items(s, node);
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE};
    v.as.sequence.n = n * (uint32_t)times;
    v.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, v.as.sequence.n);
    if (!v.as.sequence.items) return tirbi_value_error();
    for (uint32_t i = 0; i < v.as.sequence.n; i++) v.as.sequence.items[i] = x->as.sequence.items[i % n];
    return v;
}

static tirbi_value join_strings(tirbi_script *s, const tirbi_node *node, const tirbi_value *x, const tirbi_value *y) {
    uint32_t size = x->as.string.size, more = y->as.string.size;
    if (size > MAX_ITEMS || more > MAX_ITEMS - size) return fail_items(s, node);
    char *text = tirbi_arena_alloc(s->arena, (size_t)size + more + 1, 1);
    if (!text) return tirbi_value_error();
    memcpy(text, x->as.string.text, size);
    memcpy(text + size, y->as.string.text, more);
    text[size + more] = 0;
    tirbi_value v = {.kind = TIRBI_VALUE_STRING};
    v.as.string.text = text;
    v.as.string.size = size + more;
    return v;
}

tirbi_value tirbi_binary(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *x,
                         const tirbi_value *y) {
    if (tirbi_is_error(x) || tirbi_is_error(y)) return tirbi_value_error();
    if (x->kind == TIRBI_VALUE_META) return tirbi_binary(s, node, op, x->as.meta, y);
    if (y->kind == TIRBI_VALUE_META) return tirbi_binary(s, node, op, x, y->as.meta);
    if (tirbi_is_relax(x) || tirbi_is_relax(y)) {
        const tirbi_value left = tirbi_relax_number(s, x), right = tirbi_relax_number(s, y);
        if (tirbi_is_relax(&left) || tirbi_is_relax(&right)) return tirbi_relax_operator(s, node, op, &left, &right);
        return tirbi_binary(s, node, op, &left, &right);
    }
    if (tirbi_is_number(x) && tirbi_is_number(y)) return python_numbers(s, node, op, x, y);
    if (x->kind == TIRBI_VALUE_TUPLE && y->kind == TIRBI_VALUE_TUPLE && op == TIRBI_TOKEN_ADD)
        return join_tuples(s, node, x, y);
    if (x->kind == TIRBI_VALUE_TUPLE && y->kind == TIRBI_VALUE_INT && op == TIRBI_TOKEN_MUL)
        return repeat_tuple(s, node, x, y->as.integer);
    if (x->kind == TIRBI_VALUE_STRING && y->kind == TIRBI_VALUE_STRING && op == TIRBI_TOKEN_ADD)
        return join_strings(s, node, x, y);
    const tirb_expr *left, *right;
    if (is_bit_operator(op)) {
        if (!tirbi_to_bit_operands(s, x, y, &left, &right)) return tirbi_value_error();
    } else {
        left = tirbi_to_expr(s, x);
        right = tirbi_to_expr(s, y);
    }
    return arithmetic(s, node, op, left, right);
}

/* ---- Comparisons and logic -------------------------------------------------------------------------------------- */

static tirb_expr_kind compare_kind(tirbi_token_kind op) {
    switch (op) {
    case TIRBI_TOKEN_LT:
        return TIRB_EXPR_LT;
    case TIRBI_TOKEN_LE:
        return TIRB_EXPR_LE;
    case TIRBI_TOKEN_GT:
        return TIRB_EXPR_GT;
    case TIRBI_TOKEN_GE:
        return TIRB_EXPR_GE;
    case TIRBI_TOKEN_EQ:
        return TIRB_EXPR_EQ;
    default:
        return TIRB_EXPR_NE;
    }
}

static bool order_holds(tirbi_token_kind op, int order) {
    switch (op) {
    case TIRBI_TOKEN_LT:
        return order < 0;
    case TIRBI_TOKEN_LE:
        return order <= 0;
    case TIRBI_TOKEN_GT:
        return order > 0;
    case TIRBI_TOKEN_GE:
        return order >= 0;
    case TIRBI_TOKEN_EQ:
        return order == 0;
    default:
        return order != 0;
    }
}

static tirbi_value compare_values(tirbi_script *s, const tirbi_node *node, tirbi_token_kind op, const tirbi_value *x,
                                  const tirbi_value *y) {
    if (tirbi_is_error(x) || tirbi_is_error(y)) return tirbi_value_error();
    if (x->kind == TIRBI_VALUE_META) return compare_values(s, node, op, x->as.meta, y);
    if (y->kind == TIRBI_VALUE_META) return compare_values(s, node, op, x, y->as.meta);
    if (tirbi_is_relax(x) || tirbi_is_relax(y)) {
        const tirbi_value left = tirbi_relax_number(s, x), right = tirbi_relax_number(s, y);
        if (tirbi_is_relax(&left) || tirbi_is_relax(&right)) return tirbi_relax_operator(s, node, op, &left, &right);
        return compare_values(s, node, op, &left, &right);
    }
    tirbi_value v = {.kind = TIRBI_VALUE_BOOL};
    if (tirbi_is_number(x) && tirbi_is_number(y)) {
        bool floats = x->kind == TIRBI_VALUE_FLOAT || y->kind == TIRBI_VALUE_FLOAT;
        int order =
            floats ? (to_double(x) > to_double(y)) - (to_double(x) < to_double(y)) : tirbi_compare_integers(x, y);
        v.as.boolean = order_holds(op, order);
        return v;
    }
    if (x->kind == TIRBI_VALUE_STRING && y->kind == TIRBI_VALUE_STRING) {
        v.as.boolean = order_holds(op, strcmp(x->as.string.text, y->as.string.text));
        return v;
    }
    char text[32];
    const tirb_expr *left, *right;
    bool order = op != TIRBI_TOKEN_EQ && op != TIRBI_TOKEN_NE;
    if (tirbi_is_number(x)) {
        right = tirbi_to_expr(s, y);
        if (right && x->kind == TIRBI_VALUE_FLOAT && !tirbi_type_is_float(right->dtype))
            return tirbi_fail(s, TIRB_TYPE, node->span, "mismatched types: float32 and %s",
                              tirb_datatype_text(right->dtype, text));
        left = right ? tirbi_to_typed(s, x, tirbi_type_element(right->dtype)) : NULL;
    } else if (order) { /* as TVM has it: <, <=, > and >= of an expression promote as + does, == and != do not */
        left = tirbi_to_expr(s, x);
        right = !left ? NULL : y->big ? tirbi_to_typed(s, y, tirbi_type_element(left->dtype)) : tirbi_to_expr(s, y);
        if (!tirbi_match_types(&s->builder, node->span, &left, &right)) return tirbi_value_error();
        bool holds;
        if (tirbi_fold_order(compare_kind(op), left, right, &holds))
            return tirbi_value_expr(tirbi_make_bool(&s->builder, node->span, holds));
    } else {
        left = tirbi_to_expr(s, x);
        right = left ? tirbi_to_typed(s, y, tirbi_type_element(left->dtype)) : NULL;
    }
    return tirbi_value_expr(tirbi_make_compare(&s->builder, node->span, compare_kind(op), left, right));
}

static tirbi_value logic(tirbi_script *s, const tirbi_node *node, bool is_and, const tirbi_value *x,
                         const tirbi_value *y) {
    if (tirbi_is_error(x) || tirbi_is_error(y)) return tirbi_value_error();
    if (x->kind == TIRBI_VALUE_BOOL && x->as.boolean != is_and) return *x;
    if (x->kind == TIRBI_VALUE_BOOL && y->kind == TIRBI_VALUE_BOOL) return *y;
    const tirb_expr *left = tirbi_to_expr(s, x);
    const tirb_expr *right = left ? tirbi_to_typed(s, y, tirbi_type_element(left->dtype)) : NULL;
    if (!left || !right) return tirbi_value_error();
    if (left->dtype.lanes > 1 || right->dtype.lanes > 1)
        return tirbi_value_expr(tirbi_make_bitwise(
            &s->builder, node->span, is_and ? TIRB_BUILTIN_BITWISE_AND : TIRB_BUILTIN_BITWISE_OR, left, right));
    return tirbi_value_expr(
        tirbi_make_raw_binary(&s->builder, node->span, is_and ? TIRB_EXPR_AND : TIRB_EXPR_OR, left, right));
}

static tirbi_value evaluate_compare(tirbi_script *s, const tirbi_node *node) {
    tirbi_value left = tirbi_evaluate(s, node->items[0]), result = {.kind = TIRBI_VALUE_MISSING};
    for (uint32_t i = 1; i < node->n_items; i++) {
        tirbi_value right = tirbi_evaluate(s, node->items[i]);
        tirbi_value v = compare_values(s, node, node->as.ops[i - 1], &left, &right);
        result = i == 1 ? v : logic(s, node, true, &result, &v);
        left = right;
    }
    return result;
}

static tirbi_value evaluate_boolean(tirbi_script *s, const tirbi_node *node) {
    bool is_and = node->op == TIRBI_KEYWORD_AND;
    tirbi_value result = tirbi_evaluate(s, node->items[0]);
    for (uint32_t i = 1; i < node->n_items; i++) {
        bool known = tirbi_is_number(&result);
        if (known && (to_double(&result) != 0) != is_and) return result;
        tirbi_value v = tirbi_evaluate(s, node->items[i]);
        result = known && tirbi_is_number(&v) ? v : logic(s, node, is_and, &result, &v);
    }
    return result;
}

static tirbi_value evaluate_ternary(tirbi_script *s, const tirbi_node *node) {
    tirbi_value condition = tirbi_evaluate(s, node->items[0]);
    if (tirbi_is_error(&condition)) return condition;
    if (tirbi_is_number(&condition)) return tirbi_evaluate(s, node->items[to_double(&condition) != 0 ? 1 : 2]);
    tirbi_value x = tirbi_evaluate(s, node->items[1]), y = tirbi_evaluate(s, node->items[2]);
    const tirb_expr *c = tirbi_to_expr(s, &condition), *t = tirbi_to_expr(s, &x), *f = tirbi_to_expr(s, &y);
    return tirbi_value_expr(tirbi_make_if_then_else(&s->builder, node->span, c, t, f));
}

static tirbi_value negate(tirbi_script *s, const tirbi_node *node, const tirbi_value *v) {
    if (tirbi_is_relax(v)) {
        const tirbi_value number = tirbi_relax_number(s, v);
        if (tirbi_is_relax(&number)) return tirbi_relax_operator(s, node, TIRBI_TOKEN_SUB, v, NULL);
        return negate(s, node, &number);
    }
    if (v->kind == TIRBI_VALUE_FLOAT) return (tirbi_value){.kind = TIRBI_VALUE_FLOAT, .as.real = -v->as.real};
    if (tirbi_is_number(v)) {
        const tirbi_value zero = tirbi_value_int(0);
        return tirbi_integer_operator(s, node, TIRBI_TOKEN_SUB, &zero, v);
    }
    const tirb_expr *e = tirbi_to_expr(s, v);
    if (!e) return tirbi_value_error();
    tirb_datatype type = tirbi_type_element(e->dtype);
    char text[32];
    if (type.code == TIRB_CODE_UINT)
        return tirbi_fail(s, TIRB_VALUE, node->span, "cannot make %s from the negative value -1",
                          tirb_datatype_text(type, text));
    const tirb_expr *minus_one = tirbi_type_is_float(type) ? tirbi_make_float(&s->builder, node->span, type, -1)
                                                           : tirbi_make_int(&s->builder, node->span, type, -1);
    return tirbi_value_expr(tirbi_make_binary(&s->builder, node->span, TIRB_EXPR_MUL, e, minus_one));
}

static tirbi_value evaluate_unary(tirbi_script *s, const tirbi_node *node) {
    tirbi_value v = tirbi_evaluate(s, node->items[0]);
    while (v.kind == TIRBI_VALUE_META) v = *v.as.meta;
    if (tirbi_is_error(&v)) return v;
    if (node->op == TIRBI_TOKEN_SUB) return negate(s, node, &v);
    if (node->op == TIRBI_KEYWORD_NOT) {
        if (tirbi_is_number(&v)) return (tirbi_value){.kind = TIRBI_VALUE_BOOL, .as.boolean = to_double(&v) == 0};
        return tirbi_value_expr(tirbi_make_not(&s->builder, node->span, tirbi_to_expr(s, &v)));
    }
    if (node->op == TIRBI_TOKEN_ADD) return tirbi_is_number(&v) ? v : tirbi_value_expr(tirbi_to_expr(s, &v));
    if (v.kind == TIRBI_VALUE_INT || v.kind == TIRBI_VALUE_BOOL) {
        const tirbi_value ones = tirbi_value_int(-1);
        return tirbi_integer_operator(s, node, TIRBI_TOKEN_SUB, &ones, &v);
    }
    const tirb_expr *e = tirbi_to_expr(s, &v);
    if (!e) return tirbi_value_error();
    char text[32];
    if (!tirbi_type_is_int(e->dtype) && !tirbi_type_is_bool(e->dtype))
        return tirbi_fail(s, TIRB_TYPE, node->span, "'~' needs an integer operand, not %s: write -x, or `not x`",
                          tirb_datatype_text(e->dtype, text));
    return tirbi_value_expr(tirbi_make_call(&s->builder, node->span, e->dtype, TIRB_BUILTIN_BITWISE_NOT, &e, 1));
}

/* ---- Tuples and dictionaries ------------------------------------------------------------------------------------ */

static bool add_value(tirbi_script *s, tirbi_list *list, tirbi_value v) {
    tirbi_value *slot = TIRBI_LIST_ADD(s->arena, list, tirbi_value);
    if (slot) *slot = v;
    return slot != NULL;
}

/* TVM prints a shape's variable quoted where it is first used and bare from then on, in one shape too: ("n", 16, n).
 * What the quoted sizes before a bare name, or a sum with one, define is defined in time for it. */
static void define_quoted_before(tirbi_script *s, const tirbi_node *item, const tirbi_list *before) {
    if (!s->in_signature || item->kind == TIRBI_NODE_STRING || item->kind == TIRBI_NODE_INT) return;
    if (item->kind == TIRBI_NODE_NAME && lookup_size(s, item->name)) return;
    const tirbi_value *values = before->items;
    for (uint32_t i = 0; i < before->n; i++) {
        bool quoted =
            values[i].kind == TIRBI_VALUE_STRING && values[i].node && values[i].node->kind == TIRBI_NODE_STRING;
        if (quoted) tirbi_evaluate_quoted(s, &values[i], tirbi_type_i32);
    }
}

static tirbi_value evaluate_sequence(tirbi_script *s, const tirbi_node *node, tirbi_value_kind kind) {
    tirbi_list items = {.n = 0};
    for (uint32_t i = 0; i < node->n_items; i++) {
        const tirbi_node *item = node->items[i];
        define_quoted_before(s, item, &items);
        if (item->kind != TIRBI_NODE_STARRED) {
            tirbi_value v = tirbi_evaluate(s, item);
            if (tirbi_is_error(&v) || !add_value(s, &items, v)) return tirbi_value_error();
            continue;
        }
        tirbi_value v = tirbi_evaluate(s, item->items[0]);
        if (tirbi_is_error(&v)) return v;
        if (v.kind != TIRBI_VALUE_TUPLE)
            return tirbi_fail(s, TIRB_TYPE, item->span, "'*' needs a tuple, not %s", tirbi_value_text(&v));
        for (uint32_t j = 0; j < v.as.sequence.n; j++)
            if (!add_value(s, &items, v.as.sequence.items[j])) return tirbi_value_error();
    }
    tirbi_value v = {.kind = kind};
    v.as.sequence.items = items.items;
    v.as.sequence.n = items.n;
    return v;
}

/* ---- Indexing --------------------------------------------------------------------------------------------------- */

typedef struct index_list {
    const tirbi_node **nodes; /* NULL where `values` has it */
    tirbi_value *values;
    uint32_t n;
} index_list;

/* The parts of an index, starred tuples expanded and everything but slices evaluated. */
static bool read_index(tirbi_script *s, const tirbi_node *index, index_list *out) {
    const tirbi_node *const *nodes = (const tirbi_node *const *)&index;
    uint32_t n = 1;
    if (index->kind == TIRBI_NODE_TUPLE) {
        nodes = (const tirbi_node *const *)index->items;
        n = index->n_items;
    }
    tirbi_list values = {.n = 0}, places = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        bool starred = nodes[i]->kind == TIRBI_NODE_STARRED, slice = nodes[i]->kind == TIRBI_NODE_SLICE;
        tirbi_value v = {.kind = TIRBI_VALUE_NONE};
        if (!slice) v = tirbi_evaluate(s, starred ? nodes[i]->items[0] : nodes[i]);
        if (tirbi_is_error(&v)) return false;
        bool expand = v.kind == TIRBI_VALUE_TUPLE && (starred || n == 1);
        if (starred && !expand) {
            tirbi_fail(s, TIRB_TYPE, nodes[i]->span, "'*' needs a tuple, not %s", tirbi_value_text(&v));
            return false;
        }
        for (uint32_t j = 0; j < (expand ? v.as.sequence.n : 1); j++) {
            const tirbi_node **place = TIRBI_LIST_ADD(s->arena, &places, const tirbi_node *);
            if (!place || !add_value(s, &values, expand ? v.as.sequence.items[j] : v)) return false;
            *place = slice ? nodes[i] : NULL;
        }
    }
    out->nodes = places.items;
    out->values = values.items;
    out->n = values.n;
    return true;
}

static bool check_rank(tirbi_script *s, const tirb_buffer *buffer, const tirbi_node *node, uint32_t n, bool exact) {
    if (n == buffer->ndim || (!exact && n < buffer->ndim && n > 0)) return true;
    tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is %u-dimensional and cannot be indexed with %u %s", buffer->name,
               buffer->ndim, n, n == 1 ? "index" : "indices");
    return false;
}

static const tirb_expr *index_expr(tirbi_script *s, const tirbi_value *v) {
    char text[32];
    const tirb_expr *e = tirbi_to_expr(s, v);
    if (!e || tirbi_type_is_int(e->dtype) || tirbi_type_is_bool(e->dtype)) return e;
    tirbi_fail(s, TIRB_TYPE, v->node ? v->node->span : e->span, "an index must be an integer, not %s",
               tirb_datatype_text(e->dtype, text));
    return NULL;
}

/* One end of a slice: the given expression, or `otherwise`. A literal takes the type of the buffer's index. */
static const tirb_expr *slice_end(tirbi_script *s, const tirbi_node *node, const tirb_expr *otherwise) {
    if (!node) return otherwise;
    tirbi_value v = tirbi_evaluate(s, node);
    return index_expr(s, &v);
}

typedef struct slice_parts {
    const tirb_expr *start, *stop, *step; /* step NULL: 1 */
    const tirb_expr *given;               /* the start before it took the type of the stop */
} slice_parts;

static bool read_slice(tirbi_script *s, const tirbi_node *node, const tirb_expr *extent, slice_parts *out) {
    const tirb_expr *zero = tirbi_make_int(&s->builder, node->span, extent->dtype, 0);
    out->start = slice_end(s, node->items[0], zero);
    out->stop = slice_end(s, node->items[1], extent);
    out->step = slice_end(s, node->items[2], NULL);
    if (!out->start || !out->stop || (node->items[2] && !out->step)) return false;
    out->given = out->start;
    if (!tirbi_match_types(&s->builder, node->span, &out->start, &out->stop)) return false;
    if (tirbi_is_const_int(out->step, 1)) out->step = NULL;
    return true;
}

/* A strided slice as vector index. */
static const tirb_expr *slice_to_ramp(tirbi_script *s, const tirbi_node *node, const slice_parts *parts) {
    tirbi_builder *b = &s->builder;
    const tirb_expr *step = parts->step ? parts->step : tirbi_make_int(b, node->span, parts->start->dtype, 1);
    const tirb_expr *steps = tirbi_make_steps(b, node->span, parts->start, parts->stop, step);
    tirbi_lanes lanes;
    if (!steps) return NULL;
    if (!tirbi_lanes_of_expr(steps, &lanes)) {
        tirbi_fail(s, TIRB_TYPE, node->span, "the length of this slice is not a constant");
        return NULL;
    }
    if (lanes.n == 1) return parts->start;
    return tirbi_make_ramp(b, node->span, parts->start, step, lanes);
}

static bool check_vectors(tirbi_script *s, const tirb_expr *const *indices, uint32_t n) {
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (!indices[i] || indices[i]->dtype.lanes == 1) continue;
        tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, indices[i]),
                   "only the last index of a buffer access may be a vector");
        return false;
    }
    return true;
}

bool tirbi_store_indices(tirbi_script *s, const tirb_buffer *buffer, const tirbi_node *index,
                         const tirb_expr *const **out, uint32_t *n) {
    index_list list;
    if (!read_index(s, index, &list) || !check_rank(s, buffer, index, list.n, true)) return false;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, list.n);
    if (!indices) return false;
    for (uint32_t i = 0; i < list.n; i++) {
        slice_parts parts;
        if (!list.nodes[i])
            indices[i] = index_expr(s, &list.values[i]);
        else if (read_slice(s, list.nodes[i], buffer->shape[i], &parts))
            indices[i] = slice_to_ramp(s, list.nodes[i], &parts);
        if (!indices[i]) return false;
    }
    *out = indices;
    *n = list.n;
    return check_vectors(s, indices, list.n);
}

static tirbi_value make_region(tirbi_script *s, const tirb_buffer *buffer, const index_list *list) {
    tirb_range *ranges = TIRBI_NEW_ARRAY(s->arena, tirb_range, buffer->ndim);
    if (!ranges) return tirbi_value_error();
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        tirb_range *range = &ranges[i];
        slice_parts parts;
        if (i >= list->n) {
            range->min = tirbi_make_int(&s->builder, buffer->span, buffer->shape[i]->dtype, 0);
            range->extent = buffer->shape[i];
        } else if (list->nodes[i]) {
            if (!read_slice(s, list->nodes[i], buffer->shape[i], &parts)) return tirbi_value_error();
            range->min = parts.given;
            range->extent = tirbi_make_difference(&s->builder, list->nodes[i]->span, parts.stop, parts.start);
        } else {
            range->min = index_expr(s, &list->values[i]);
            if (range->min)
                range->extent = tirbi_make_int(&s->builder, range->min->span, tirbi_type_element(range->min->dtype), 1);
        }
        if (!range->min || !range->extent) return tirbi_value_error();
        if (range->min->dtype.lanes > 1)
            return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, range->min),
                              "a vector index and a slice cannot be mixed");
    }
    tirbi_value v = {.kind = TIRBI_VALUE_REGION};
    v.as.region.buffer = buffer;
    v.as.region.ranges = ranges;
    return v;
}

/* `a:b:1` is `a:b`. */
static bool is_strided(const tirbi_node *slice) {
    const tirbi_node *step = slice->items[2];
    return step && (step->kind != TIRBI_NODE_INT || step->as.integer != 1);
}

tirbi_value tirbi_index_buffer(tirbi_script *s, const tirb_buffer *buffer, const tirbi_node *node,
                               const tirbi_node *index) {
    index_list list;
    if (!read_index(s, index, &list) || !check_rank(s, buffer, node, list.n, false)) return tirbi_value_error();
    bool region = list.n < buffer->ndim;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, list.n);
    if (!indices) return tirbi_value_error();
    for (uint32_t i = 0; i < list.n; i++) region |= list.nodes[i] && !is_strided(list.nodes[i]);
    if (region) {
        for (uint32_t i = 0; i < list.n; i++)
            if (list.nodes[i] && is_strided(list.nodes[i]))
                return tirbi_fail(s, TIRB_TYPE, list.nodes[i]->span, "a strided slice and a region cannot be mixed");
        return make_region(s, buffer, &list);
    }
    for (uint32_t i = 0; i < list.n; i++) {
        slice_parts parts;
        if (!list.nodes[i])
            indices[i] = index_expr(s, &list.values[i]);
        else if (read_slice(s, list.nodes[i], buffer->shape[i], &parts))
            indices[i] = slice_to_ramp(s, list.nodes[i], &parts);
        if (!indices[i]) return tirbi_value_error();
    }
    if (!check_vectors(s, indices, list.n)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_load(&s->builder, node->span, buffer, indices, list.n, NULL));
}

/* One end of a slice of a tuple, clipped to its length as Python does. */
static bool tuple_end(tirbi_script *s, const tirbi_node *node, int64_t n, int64_t otherwise, int64_t *out) {
    *out = otherwise;
    if (!node) return true;
    tirbi_value v = tirbi_evaluate(s, node);
    if (!tirbi_to_int(s, &v, "an end of a slice of a tuple", out)) return false;
    if (*out < 0) *out += n;
    *out = *out < 0 ? 0 : *out > n ? n : *out;
    return true;
}

static tirbi_value slice_tuple(tirbi_script *s, const tirbi_node *slice, const tirbi_value *tuple) {
    int64_t begin, end, n = tuple->as.sequence.n;
    if (slice->items[2]) return tirbi_fail(s, TIRB_UNSUPPORTED, slice->span, "a slice of a tuple has no step here");
    if (!tuple_end(s, slice->items[0], n, 0, &begin) || !tuple_end(s, slice->items[1], n, n, &end))
        return tirbi_value_error();
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE};
    if (begin >= end) return v;
    v.as.sequence.items = tuple->as.sequence.items + begin;
    v.as.sequence.n = (uint32_t)(end - begin);
    return v;
}

/* Python's == of keys: numbers by value, strings by their characters. */
static bool same_key(const tirbi_value *a, const tirbi_value *b) {
    if (a->kind == TIRBI_VALUE_STRING && b->kind == TIRBI_VALUE_STRING)
        return a->as.string.size == b->as.string.size &&
               memcmp(a->as.string.text, b->as.string.text, a->as.string.size) == 0;
    return tirbi_is_number(a) && tirbi_is_number(b) && a->big == b->big && to_double(a) == to_double(b);
}

static tirbi_value index_dict(tirbi_script *s, const tirbi_node *node, const tirbi_value *dict) {
    tirbi_value key = tirbi_evaluate(s, node->items[1]);
    if (tirbi_is_error(&key)) return key;
    for (uint32_t i = dict->as.sequence.n; i >= 2; i -= 2) /* the last of equal keys counts */
        if (same_key(&dict->as.sequence.items[i - 2], &key)) return dict->as.sequence.items[i - 1];
    return tirbi_fail(s, TIRB_TYPE, node->span, "the dictionary has no such key");
}

static tirbi_value index_tuple(tirbi_script *s, const tirbi_node *node, const tirbi_value *tuple) {
    if (node->items[1]->kind == TIRBI_NODE_SLICE) return slice_tuple(s, node->items[1], tuple);
    tirbi_value index = tirbi_evaluate(s, node->items[1]);
    int64_t at, n = tuple->as.sequence.n;
    if (!tirbi_to_int(s, &index, "the index of a tuple", &at)) return tirbi_value_error();
    if (at < 0) at += n;
    if (at < 0 || at >= n)
        return tirbi_fail(s, TIRB_TYPE, node->span, "the index is outside the tuple, which has %lld item%s",
                          (long long)n, n == 1 ? "" : "s");
    return tuple->as.sequence.items[at];
}

static tirbi_value index_dtype(tirbi_script *s, const tirbi_node *node, tirb_datatype dtype) {
    tirbi_value index = tirbi_evaluate(s, node->items[1]), v = {.kind = TIRBI_VALUE_ARRAY};
    if (!tirbi_to_exprs(s, &index, &v.as.array.shape, &v.as.array.ndim)) return tirbi_value_error();
    v.as.array.dtype = dtype;
    return v;
}

static tirbi_value let_type(tirbi_script *s, const tirbi_node *node) {
    tirbi_value inner = tirbi_evaluate(s, node->items[1]), v = {.kind = TIRBI_VALUE_LET};
    if (tirbi_is_error(&inner)) return inner;
    v.as.type.known = true;
    if (inner.kind == TIRBI_VALUE_DTYPE)
        v.as.type.type = tirbi_prim_type(inner.as.dtype);
    else if (inner.kind == TIRBI_VALUE_POINTER)
        v.as.type.type = inner.as.type.type;
    else
        return tirbi_fail(s, TIRB_TYPE, node->items[1]->span, "expected a type, found %s", tirbi_value_text(&inner));
    return v;
}

/* v[i] of a bare pointer reads what the pointer is declared to lead to, else float32. */
static tirbi_value index_pointer(tirbi_script *s, const tirbi_node *node, const tirbi_value *object) {
    const tirb_expr *pointer = tirbi_to_expr(s, object);
    tirbi_value index = tirbi_evaluate(s, node->items[1]);
    const tirb_expr *at = tirbi_to_expr(s, &index);
    if (!pointer || !at) return tirbi_value_error();
    tirb_datatype type = tirbi_type_f32;
    if (pointer->kind == TIRB_EXPR_VAR && pointer->as.var.type.kind == TIRB_TYPE_POINTER &&
        !tirbi_type_is_handle(pointer->as.var.type.dtype))
        type = pointer->as.var.type.dtype;
    return tirbi_pointer_load(s, node->span, pointer, type, at, NULL);
}

/* ty.Ptr[ty.float32], ty.Ptr[ty.float32, "shared"] */
static tirbi_value pointer_to_type(tirbi_script *s, const tirbi_node *node) {
    tirbi_value inner = tirbi_evaluate(s, node->items[1]), v = {.kind = TIRBI_VALUE_POINTER};
    const tirbi_value *type = inner.kind == TIRBI_VALUE_TUPLE && inner.as.sequence.n ? inner.as.sequence.items : &inner;
    v.as.type.type = tirbi_pointer_type(tirbi_type_void, "global");
    if (!tirbi_to_dtype(s, type, &v.as.type.type.dtype)) return tirbi_value_error();
    if (type != &inner && inner.as.sequence.n > 1 &&
        !tirbi_to_text(s, &inner.as.sequence.items[1], "the storage scope", &v.as.type.type.scope))
        return tirbi_value_error();
    return v;
}

/* T.Buffer[shape, "type", ...] of older texts is a call. */
const tirbi_node *tirbi_subscript_call(tirbi_script *s, const tirbi_node *node) {
    tirbi_node *index = node->items[1];
    bool several = index->kind == TIRBI_NODE_TUPLE && index->n_items > 1 && index->items[1]->kind == TIRBI_NODE_STRING;
    uint32_t n = several ? index->n_items : 1;
    tirbi_node *call = TIRBI_NEW(s->arena, tirbi_node);
    tirbi_node **items = TIRBI_NEW_ARRAY(s->arena, tirbi_node *, (size_t)n + 1);
    if (!call || !items) return NULL;
    *call = *node;
    call->kind = TIRBI_NODE_CALL;
    call->items = items;
    call->n_items = n + 1;
    items[0] = node->items[0];
    for (uint32_t i = 0; i < n; i++) items[i + 1] = several ? index->items[i] : index;
    return call;
}

const char *tirbi_buffer_of_pointer(tirbi_script *s, const tirbi_value *v) {
    if (v->kind != TIRBI_VALUE_EXPR || !tirbi_type_is_handle(v->as.expr->dtype)) return "";
    const tirb_expr *e = v->as.expr;
    for (uint32_t i = 0; s->function && i < s->function->ir->n_params; i++)
        if (s->function->ir->params[i] == e && e->as.var.type.kind == TIRB_TYPE_POINTER)
            return ": a handle becomes a buffer by A = T.match_buffer(handle, shape, dtype)";
    return ": a pointer becomes a buffer by A = T.decl_buffer(shape, dtype, data=pointer)";
}

static tirbi_value evaluate_subscript(tirbi_script *s, const tirbi_node *node) {
    tirbi_value object = tirbi_evaluate(s, node->items[0]);
    while (object.kind == TIRBI_VALUE_META) object = *object.as.meta;
    switch (object.kind) {
    case TIRBI_VALUE_ERROR:
        return object;
    case TIRBI_VALUE_BUFFER:
        return tirbi_index_buffer(s, object.as.buffer, node, node->items[1]);
    case TIRBI_VALUE_TUPLE:
        return index_tuple(s, node, &object);
    case TIRBI_VALUE_DICT:
        return index_dict(s, node, &object);
    case TIRBI_VALUE_RELAX:
        return tirbi_relax_index(s, node, &object);
    case TIRBI_VALUE_DTYPE:
        return index_dtype(s, node, object.as.dtype);
    case TIRBI_VALUE_OPAQUE:
        return object;
    case TIRBI_VALUE_EXPR:
        if (tirbi_hybrid(s) && tirbi_type_is_handle(object.as.expr->dtype)) return index_pointer(s, node, &object);
        break;
    case TIRBI_VALUE_ENTRY:
        if (strcmp(object.as.entry->name, "Ptr") == 0) return pointer_to_type(s, node);
        if (strcmp(object.as.entry->name, "let") == 0) return let_type(s, node);
        if (strcmp(object.as.entry->name, "Buffer") == 0) {
            const tirbi_node *call = tirbi_subscript_call(s, node);
            return call ? tirbi_evaluate(s, call) : tirbi_value_error();
        }
        break;
    default:
        break;
    }
    return tirbi_fail(s, TIRB_TYPE, node->span, "%s cannot be indexed%s", tirbi_value_text(&object),
                      tirbi_buffer_of_pointer(s, &object));
}

/* ---- Attributes ------------------------------------------------------------------------------------------------- */

static tirbi_value hybrid_type(tirbi_script *s, const tirbi_node *node) {
    tirb_datatype type;
    if (strcmp(node->name, "handle") == 0)
        return (tirbi_value){.kind = TIRBI_VALUE_POINTER, .as.type.type = tirbi_pointer_type(tirbi_type_void, "")};
    if (strcmp(node->name, "Ptr") == 0)
        return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = tirbi_find_entry(TIRBI_SPACE_TIR, "Ptr")};
    if (tirb_datatype_from_text(node->name, strlen(node->name), &type))
        return (tirbi_value){.kind = TIRBI_VALUE_DTYPE, .as.dtype = type};
    return tirbi_fail(s, strcmp(node->name, "Tuple") == 0 ? TIRB_UNSUPPORTED : TIRB_TYPE, node->span,
                      strcmp(node->name, "Tuple") == 0 ? "the type ty.%s is not supported: a function returns one value"
                                                       : "there is no type ty.%s",
                      node->name);
}

static tirbi_value space_attribute(tirbi_script *s, const tirbi_node *node, tirbi_namespace space) {
    static const char *const names[] = {"T", "T.axis", "I", "R", "tvm", "tvm.script", "", "tir", "ty"};
    const char *name = node->name;
    tirbi_value v = {.kind = TIRBI_VALUE_NAMESPACE};
    if (space == TIRBI_SPACE_RELAX && !tirbi_find_entry(space, name)) return tirbi_relax_attribute(s, node, NULL);
    if (space == TIRBI_SPACE_TVM || space == TIRBI_SPACE_SCRIPT) {
        if (strcmp(name, "script") == 0)
            v.as.space = TIRBI_SPACE_SCRIPT;
        else if (strcmp(name, "tir") == 0 || strcmp(name, "tirx") == 0)
            v.as.space = TIRBI_SPACE_TIR;
        else if (space == TIRBI_SPACE_SCRIPT && (strcmp(name, "ir") == 0 || strcmp(name, "parser") == 0))
            v.as.space = TIRBI_SPACE_IR;
        else if (strcmp(name, "ir_module") == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = tirbi_find_entry(TIRBI_SPACE_IR, name)};
        else
            return (tirbi_value){.kind = TIRBI_VALUE_OPAQUE};
        return v;
    }
    if (space == TIRBI_SPACE_TYPES) return hybrid_type(s, node);
    if (space == TIRBI_SPACE_TIR || space == TIRBI_SPACE_HYBRID) {
        tirb_datatype type;
        if (strcmp(name, "axis") == 0 || strcmp(name, "tirx") == 0) {
            v.as.space = *name == 'a' ? TIRBI_SPACE_AXIS : space; /* TVM writes T.tirx.name where T has no such name */
            return v;
        }
        /* T.TileLayout(T.S[(4, 5):(5, 1)]): how a buffer lies on an accelerator; kept as it is written. */
        if (strcmp(name, "TileLayout") == 0 || strcmp(name, "SwizzleLayout") == 0 ||
            strcmp(name, "ComposeLayout") == 0 || strcmp(name, "S") == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_OPAQUE};
        const tirbi_entry *alias = tirbi_find_entry(space, name);
        if (!alias && tirbi_type_of_name(name, &type) && !tirbi_type_is_handle(type))
            return (tirbi_value){.kind = TIRBI_VALUE_DTYPE, .as.dtype = type};
        if (strcmp(name, "handle") == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_POINTER, .as.type.type = tirbi_pointer_type(tirbi_type_void, "")};
        if (strcmp(name, "void") == 0) return (tirbi_value){.kind = TIRBI_VALUE_DTYPE, .as.dtype = tirbi_type_void};
    }
    bool older = space == TIRBI_SPACE_HYBRID || (space == TIRBI_SPACE_TIR && tirbi_classic(s));
    const tirbi_entry *entry = older ? tirbi_block_entry(name) : NULL;
    if (!entry) entry = tirbi_find_entry(space, name);
    if (entry) return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = entry};
    if (space == TIRBI_SPACE_HYBRID && (entry = tirbi_builtin_entry(s, name)))
        return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = entry};
    if ((space == TIRBI_SPACE_TIR || space == TIRBI_SPACE_HYBRID) && tirbi_is_foreign(name))
        return tirbi_foreign(s, NULL, name);
    tirbi_suggestion suggestion = {.wanted = name};
    char written[64];
    const bool of_tir = space == TIRBI_SPACE_TIR || space == TIRBI_SPACE_HYBRID;
    if (of_tir && tirbi_written_in_tir(name, written)) return tirbi_fail_unknown(s, node, names[space], name);
    tirbi_suggest_entries(space, &suggestion);
    if (of_tir) tirbi_suggest_types(&suggestion);
    if (suggestion.best)
        return tirbi_fail(s, TIRB_TYPE, node->span, "there is no `%s.%s`; did you mean `%s.%s`?", names[space], name,
                          names[space], suggestion.best);
    if (of_tir) return tirbi_fail_unknown(s, node, names[space], name);
    return tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "`%s.%s` is not supported", names[space], name);
}

static tirbi_value text_value(tirbi_script *s, const char *text) {
    tirbi_value v = {.kind = TIRBI_VALUE_STRING};
    v.as.string.text = tirbi_arena_text(s->arena, text, strlen(text));
    v.as.string.size = (uint32_t)strlen(text);
    return v.as.string.text ? v : tirbi_value_error();
}

static tirbi_value tuple_of_exprs(tirbi_script *s, const tirb_expr *const *exprs, uint32_t n) {
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE};
    v.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    if (!v.as.sequence.items) return tirbi_value_error();
    v.as.sequence.n = n;
    for (uint32_t i = 0; i < n; i++) v.as.sequence.items[i] = tirbi_value_expr(exprs[i]);
    return v;
}

static tirbi_value method_value(tirbi_script *s, const tirbi_value *object, const tirbi_entry *entry) {
    tirbi_value v = {.kind = TIRBI_VALUE_METHOD};
    tirbi_value *copy = TIRBI_NEW(s->arena, tirbi_value);
    if (!copy) return tirbi_value_error();
    *copy = *object;
    v.as.method.object = copy;
    v.as.method.entry = entry;
    return v;
}

/* What arrays of Python have, and buffers have not: what to write. */
static const char *instead_of_method(const char *name) {
    static const char *const names[][2] = {
        {"sum", "a loop that adds to one element"},
        {"mean", "a loop that adds to one element, and divide"},
        {"max", "a loop that keeps the largest, T.max(best, x[i])"},
        {"min", "a loop that keeps the smallest, T.min(best, x[i])"},
        {"argmax", "a loop that keeps the largest and its index"},
        {"dot", "loops that add up the products"},
        {"fill", "a loop that stores the value"},
        {"copy", "a loop that stores each element into another buffer"},
        {"T", "the indices in the other order"},
        {"transpose", "the indices in the other order"},
        {"reshape", "T.decl_buffer(shape, dtype, data=x.data)"},
        {"view", "T.decl_buffer(shape, dtype, data=x.data)"},
        {"flatten", "T.decl_buffer((n,), dtype, data=x.data)"},
        {"size", "the product of x.shape[i]"},
        {"numel", "the product of x.shape[i]"},
        {"item", "x[0]"},
        {"append", "a store to an element: a buffer has a fixed size"},
        {"exp", "T.exp(x[i]) of each element in a loop"},
        {"astype", "T.Cast(dtype, x[i]) of each element in a loop"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0) return names[i][1];
    return NULL;
}

static tirbi_value buffer_attribute(tirbi_script *s, const tirbi_node *node, const tirbi_value *object) {
    const tirb_buffer *buffer = object->as.buffer;
    const char *name = node->name;
    char text[32];
    if (strcmp(name, "data") == 0) return tirbi_value_expr(tirbi_make_data(&s->builder, node->span, buffer));
    if (strcmp(name, "shape") == 0) return tuple_of_exprs(s, buffer->shape, buffer->ndim);
    if (strcmp(name, "strides") == 0 && buffer->n_odd_strides)
        return tuple_of_exprs(s, buffer->odd_strides, buffer->n_odd_strides);
    if (strcmp(name, "strides") == 0) return tuple_of_exprs(s, buffer->strides, buffer->strides ? buffer->ndim : 0);
    if (strcmp(name, "elem_offset") == 0)
        return tirbi_value_expr(buffer->elem_offset
                                    ? buffer->elem_offset
                                    : tirbi_make_int(&s->builder, node->span, tirbi_offset_type(buffer), 0));
    if (strcmp(name, "dtype") == 0) return text_value(s, tirb_datatype_text(buffer->dtype, text));
    if (strcmp(name, "name") == 0) return text_value(s, buffer->name);
    if (strcmp(name, "ndim") == 0) return tirbi_value_int(buffer->ndim);
    const tirbi_entry *entry = tirbi_find_method(name);
    if (entry) return method_value(s, object, entry);
    const char *instead = instead_of_method(name);
    return tirbi_fail(s, TIRB_TYPE, node->span, "a buffer has no attribute `%s`%s%s", name, instead ? "; write " : "",
                      instead ? instead : "");
}

static tirbi_value module_attribute(tirbi_script *s, const tirbi_node *node) {
    tirbi_script_function *function = tirbi_find_function(s, node->name);
    if (function) return (tirbi_value){.kind = TIRBI_VALUE_FUNCTION, .as.function = function};
    const tirb_extern *externs = s->externs.items;
    for (uint32_t i = 0; i < s->externs.n; i++)
        if (externs[i].name == node->name) return (tirbi_value){.kind = TIRBI_VALUE_EXTERN, .as.name = node->name};
    tirbi_value relax = tirbi_find_relax(s, node->name, node->span);
    if (relax.kind != TIRBI_VALUE_MISSING && !tirbi_relax_type_vars(s)) /* a PrimFunc names it: it ends there */
        return (tirbi_value){.kind = TIRBI_VALUE_EXTERN, .as.name = node->name};
    if (relax.kind != TIRBI_VALUE_MISSING) return relax;
    tirbi_suggestion suggestion = {.wanted = node->name};
    tirbi_script_function *const *functions = s->functions.items;
    const uint32_t n = tirbi_may_explain(s->diagnostics, s->functions.n) ? s->functions.n : 0;
    for (uint32_t k = 0; k < n; k++) tirbi_suggest(&suggestion, functions[k]->line->name);
    if (suggestion.best)
        return tirbi_fail(s, TIRB_TYPE, node->span, "the module has no function `%s`; did you mean `%s`?", node->name,
                          suggestion.best);
    return tirbi_fail(s, TIRB_TYPE, node->span, "the module has no function `%s`", node->name);
}

/* Whether a name that nothing has defined is that of a library which a file would have imported. */
static bool is_library(const tirbi_node *node) {
    static const char *const libraries[] = {"np", "numpy", "math", "torch", "jnp", "tf"};
    for (size_t i = 0; node->kind == TIRBI_NODE_NAME && i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(libraries[i], node->name) == 0) return true;
    return false;
}

static tirbi_value evaluate_attribute(tirbi_script *s, const tirbi_node *node) {
    const tirbi_binding *module =
        node->items[0]->kind == TIRBI_NODE_NAME ? tirbi_lookup(s, node->items[0]->name) : NULL;
    if (module && module->value.kind == TIRBI_VALUE_IMPORTED && strcmp(module->value.as.name, "math") != 0)
        return tirbi_fail_imported(s, node, module->value.as.name, node->name);
    if (!module && is_library(node->items[0]) &&
        tirbi_explain_imported(s, node, node->items[0]->name, node->name))
        return tirbi_value_error();
    tirbi_value object = at_node(tirbi_evaluate(s, node->items[0]), node->items[0]);
    char text[32];
    while (object.kind == TIRBI_VALUE_META) object = *object.as.meta;
    switch (object.kind) {
    case TIRBI_VALUE_ERROR:
        return object;
    case TIRBI_VALUE_NAMESPACE:
        return space_attribute(s, node, object.as.space);
    case TIRBI_VALUE_MODULE:
        return module_attribute(s, node);
    case TIRBI_VALUE_RELAX:
    case TIRBI_VALUE_RELAX_NAME:
        return tirbi_relax_member(s, node, &object);
    case TIRBI_VALUE_FOREIGN:
        return tirbi_foreign(s, object.as.name, node->name);
    case TIRBI_VALUE_IMPORTED:
        return tirbi_math_member(s, node, node->name);
    case TIRBI_VALUE_OPAQUE:
        return object;
    case TIRBI_VALUE_RANGE:
        if (strcmp(node->name, "min") == 0) return tirbi_value_expr(object.as.range.min);
        if (strcmp(node->name, "extent") == 0) return tirbi_value_expr(object.as.range.extent);
        break;
    case TIRBI_VALUE_BUFFER:
        if (strcmp(node->name, "source") == 0) { /* the buffer that a bare name is an element of */
            object.scalar = false;
            return object;
        }
        if (!object.scalar || strcmp(node->name, "data") == 0 || strcmp(node->name, "shape") == 0)
            return buffer_attribute(s, node, &object);
        object = at_node(tirbi_value_expr(tirbi_to_expr(s, &object)), node->items[0]);
        if (tirbi_is_error(&object)) return object;
        break;
    case TIRBI_VALUE_REGION:
        object = at_node(tirbi_value_expr(tirbi_to_expr(s, &object)), node->items[0]);
        if (tirbi_is_error(&object)) return object;
        break;
    default:
        break;
    }
    if (object.kind == TIRBI_VALUE_EXPR) {
        if (strcmp(node->name, "dtype") == 0) return text_value(s, tirb_datatype_text(object.as.expr->dtype, text));
        const tirbi_entry *entry = tirbi_find_method(node->name);
        if (entry && strcmp(node->name, "astype") == 0) return method_value(s, &object, entry);
    }
    bool type = object.kind == TIRBI_VALUE_POINTER || object.kind == TIRBI_VALUE_DTYPE;
    if (type && strcmp(node->name, "ty") == 0)
        return object; /* of a variable without a name, TVM's way to print a type */
    if (object.kind == TIRBI_VALUE_ITERVAR && strcmp(node->name, "var") == 0)
        return tirbi_value_expr(object.as.itervar->var);
    return tirbi_fail(s, TIRB_TYPE, node->span, "%s has no attribute `%s`", tirbi_value_text(&object), node->name);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static tirbi_value call_dtype(tirbi_script *s, const tirbi_node *node, tirb_datatype dtype, const char *hint);
static tirbi_value call_pointer(tirbi_script *s, const tirbi_node *node, const char *hint);

static tirbi_value evaluate_call(tirbi_script *s, const tirbi_node *node) {
    const char *hint = s->hint, *const *hints = s->hints;
    uint32_t n_hints = s->n_hints;
    s->hint = NULL;
    s->n_hints = 0;
    tirbi_value callee = tirbi_evaluate(s, node->items[0]);
    switch (callee.kind) {
    case TIRBI_VALUE_ERROR:
        return callee;
    case TIRBI_VALUE_ENTRY:
    case TIRBI_VALUE_METHOD: {
        bool method = callee.kind == TIRBI_VALUE_METHOD;
        s->hint = hint;
        s->hints = hints;
        s->n_hints = n_hints;
        tirbi_value v = tirbi_call_entry(s, node, method ? callee.as.method.entry : callee.as.entry,
                                         method ? callee.as.method.object : NULL);
        s->hint = NULL;
        s->n_hints = 0;
        return v;
    }
    case TIRBI_VALUE_DTYPE:
        return call_dtype(s, node, callee.as.dtype, hint);
    case TIRBI_VALUE_POINTER:
        return call_pointer(s, node, hint);
    case TIRBI_VALUE_EXTERN:
        if (tirbi_relax_type_vars(s)) return tirbi_call_relax(s, node, &callee);
        return tirbi_call_extern(s, node, callee.as.name);
    case TIRBI_VALUE_FUNCTION:
        if (tirbi_relax_type_vars(s)) return tirbi_call_relax(s, node, &callee);
        return tirbi_call_function(s, node, callee.as.function);
    case TIRBI_VALUE_MACRO:
        tirbi_expand_macro(s, node, callee.as.macro);
        return tirbi_value_none();
    case TIRBI_VALUE_LAMBDA:
        return tirbi_call_lambda(s, node, callee.as.macro);
    case TIRBI_VALUE_FOREIGN:
        return tirbi_call_foreign(s, node, callee.as.name);
    case TIRBI_VALUE_RELAX:
    case TIRBI_VALUE_RELAX_NAME:
    case TIRBI_VALUE_RELAX_CAST:
        return tirbi_call_relax(s, node, &callee);
    case TIRBI_VALUE_OPAQUE:
        return callee;
    default:
        return tirbi_fail(s, TIRB_TYPE, node->span, "%s cannot be called: `%.60s`", tirbi_value_text(&callee),
                          tirbi_node_text(s, node));
    }
}

/* A new variable; one that the signature has by that name already is meant again. */
static tirbi_value declare_var(tirbi_script *s, const tirbi_node *node, tirb_type type, const char *hint) {
    char old_text[32], new_text[32];
    const tirbi_binding *old = hint ? tirbi_lookup(s, hint) : NULL;
    tirbi_value known = old ? old->value : tirbi_value_none();
    if (known.kind == TIRBI_VALUE_TYPEVAR) known = tirbi_value_expr(tirbi_to_expr(s, &known));
    if (s->function && !s->in_signature && known.kind == TIRBI_VALUE_EXPR && known.as.expr->kind == TIRB_EXPR_VAR &&
        old->level <= s->level && old->level <= 1 && type.kind == TIRB_TYPE_PRIM) {
        if (tirb_datatype_equal(known.as.expr->dtype, type.dtype)) {
            known.declares = true;
            return known;
        }
        return tirbi_fail(s, TIRB_TYPE, node->span, "`%s` is of type %s in the signature, not %s", hint,
                          tirb_datatype_text(known.as.expr->dtype, old_text), tirb_datatype_text(type.dtype, new_text));
    }
    return tirbi_value_declared(tirbi_make_var(&s->builder, node->span, hint, type));
}

static const tirb_expr *special_float(tirbi_script *s, const tirbi_value *v, tirb_datatype dtype) {
    static const char *const names[] = {"inf", "-inf", "nan"};
    const double values[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; i++)
        if (strcmp(v->as.string.text, names[i]) == 0 && tirbi_type_is_float(dtype))
            return tirbi_make_float(&s->builder, v->node->span, dtype, values[i]);
    tirbi_fail(s, TIRB_TYPE, v->node->span, "\"%s\" is no value of this type", v->as.string.text);
    return NULL;
}

static tirbi_value call_dtype(tirbi_script *s, const tirbi_node *node, tirb_datatype dtype, const char *hint) {
    if (node->n_items == 1) return declare_var(s, node, tirbi_prim_type(dtype), hint);
    const tirbi_node *argument = node->items[1];
    bool named = argument->kind == TIRBI_NODE_KEYWORD;
    if (named && strcmp(argument->name, "is_size_var") == 0) return declare_var(s, node, tirbi_prim_type(dtype), hint);
    if (named && strcmp(argument->name, "expr") == 0) argument = argument->items[0];
    if (node->n_items > 2 || argument->kind == TIRBI_NODE_KEYWORD || argument->kind == TIRBI_NODE_STARRED)
        return tirbi_fail(s, TIRB_TYPE, node->span, "a type takes one value to convert");
    tirbi_value v = at_node(tirbi_evaluate(s, argument), argument);
    if (v.kind == TIRBI_VALUE_NONE) return declare_var(s, node, tirbi_prim_type(dtype), hint);
    const tirb_expr *e = v.kind == TIRBI_VALUE_STRING ? special_float(s, &v, dtype) : tirbi_to_typed(s, &v, dtype);
    return tirbi_value_expr(tirbi_make_cast(&s->builder, node->span, dtype, e));
}

/* T.handle(): a new variable; T.handle("float32", "global"): in a body also, in a signature a type. */
static tirbi_value call_pointer(tirbi_script *s, const tirbi_node *node, const char *hint) {
    /* A pointer that is typed is one to global memory unless it says otherwise. */
    tirb_type type = tirbi_pointer_type(tirbi_type_void, node->n_items > 1 ? "global" : "");
    for (uint32_t i = 1; i < node->n_items; i++) {
        const tirbi_node *argument = node->items[i];
        bool scope = i == 2;
        if (argument->kind == TIRBI_NODE_KEYWORD) {
            if (strcmp(argument->name, "is_size_var") == 0) continue;
            scope = strcmp(argument->name, "storage_scope") == 0;
            argument = argument->items[0];
        }
        tirbi_value v = at_node(tirbi_evaluate(s, argument), argument);
        if (i > 2 || tirbi_is_error(&v)) return tirbi_value_error();
        if (scope ? !tirbi_to_text(s, &v, "the storage scope", &type.scope) : !tirbi_to_dtype(s, &v, &type.dtype))
            return tirbi_value_error();
    }
    if (s->in_signature) return (tirbi_value){.kind = TIRBI_VALUE_POINTER, .as.type.type = type};
    if (!hint) return (tirbi_value){.kind = TIRBI_VALUE_POINTER, .as.type.type = type};
    return tirbi_value_declared(tirbi_make_var(&s->builder, node->span, hint, type));
}

/* ---- Evaluation ------------------------------------------------------------------------------------------------- */

static tirbi_value evaluate_kind(tirbi_script *s, const tirbi_node *node) {
    tirbi_value v = {.kind = TIRBI_VALUE_NONE};
    switch (node->kind) {
    case TIRBI_NODE_NAME:
        return evaluate_name(s, node);
    case TIRBI_NODE_INT:
        v = tirbi_value_int((int64_t)node->as.integer);
        v.big = node->as.integer > INT64_MAX;
        return v;
    case TIRBI_NODE_FLOAT:
        return (tirbi_value){.kind = TIRBI_VALUE_FLOAT, .as.real = node->as.real};
    case TIRBI_NODE_STRING:
        v.kind = TIRBI_VALUE_STRING;
        v.as.string.text = node->as.string.text;
        v.as.string.size = node->as.string.size;
        return v;
    case TIRBI_NODE_BOOL:
        return (tirbi_value){.kind = TIRBI_VALUE_BOOL, .as.boolean = node->as.integer != 0};
    case TIRBI_NODE_NONE:
        return v;
    case TIRBI_NODE_TUPLE:
    case TIRBI_NODE_LIST:
        return evaluate_sequence(s, node, TIRBI_VALUE_TUPLE);
    case TIRBI_NODE_DICT:
        return evaluate_sequence(s, node, TIRBI_VALUE_DICT);
    case TIRBI_NODE_ATTRIBUTE:
        return evaluate_attribute(s, node);
    case TIRBI_NODE_SUBSCRIPT:
        return evaluate_subscript(s, node);
    case TIRBI_NODE_CALL:
        return evaluate_call(s, node);
    case TIRBI_NODE_UNARY:
        return evaluate_unary(s, node);
    case TIRBI_NODE_BINARY: {
        tirbi_value x = tirbi_evaluate(s, node->items[0]), y = tirbi_evaluate(s, node->items[1]);
        return tirbi_binary(s, node, node->op, &x, &y);
    }
    case TIRBI_NODE_COMPARE:
        return evaluate_compare(s, node);
    case TIRBI_NODE_BOOLEAN:
        return evaluate_boolean(s, node);
    case TIRBI_NODE_TERNARY:
        return evaluate_ternary(s, node);
    case TIRBI_NODE_LAMBDA:
        return tirbi_make_lambda(s, node);
    case TIRBI_NODE_FORMAT:
        return tirbi_evaluate_format(s, node);
    case TIRBI_NODE_COMPREHENSION:
        return tirbi_evaluate_comprehension(s, node);
    case TIRBI_NODE_CLAUSE:
    case TIRBI_NODE_FORMATTED:
        break;
    case TIRBI_NODE_SLICE:
        return tirbi_fail(s, TIRB_SYNTAX, node->span, "a slice is only meaningful as an index");
    case TIRBI_NODE_STARRED:
        return tirbi_fail(s, TIRB_SYNTAX, node->span, "'*' is not possible here");
    case TIRBI_NODE_KEYWORD:
        break;
    }
    return tirbi_fail(s, TIRB_SYNTAX, node->span, "a keyword argument is not possible here");
}

tirbi_value tirbi_evaluate(tirbi_script *s, const tirbi_node *node) {
    const char *hint = s->hint;
    uint32_t n_hints = s->n_hints;
    if (node->kind != TIRBI_NODE_CALL) {
        s->hint = NULL;
        s->n_hints = 0;
    }
    tirbi_span outer = s->builder.at;
    s->builder.at = node->span;
    tirbi_value v = at_node(evaluate_kind(s, node), node);
    if (tirbi_is_error(&v)) tirbi_report_unexplained(s->diagnostics, node->span, "an expression");
    s->builder.at = outer;
    s->hint = node->kind == TIRBI_NODE_CALL ? NULL : hint;
    s->n_hints = node->kind == TIRBI_NODE_CALL ? 0 : n_hints;
    return v;
}

tirbi_value tirbi_evaluate_named(tirbi_script *s, const tirbi_node *node, const char *hint) {
    s->hint = hint;
    tirbi_value v = tirbi_evaluate(s, node);
    s->hint = NULL;
    s->n_hints = 0;
    return v;
}

tirbi_value tirbi_evaluate_quoted(tirbi_script *s, const tirbi_value *text, tirb_datatype type) {
    tirbi_span span = text->node->span;
    /* Without escapes the text stands in the source as it is, one quote in. */
    if (span.end - span.begin != text->as.string.size + 2)
        return tirbi_fail(s, TIRB_SYNTAX, span, "a quoted shape must be a plain string");
    tirbi_tokens tokens;
    tirbi_span inside = {span.begin + 1, span.end - 1};
    uint32_t errors = s->diagnostics->n_errors;
    if (!tirbi_lex(s->source, inside, true, &s->names, s->arena, s->diagnostics, &tokens)) return tirbi_value_error();
    tirbi_node *node = errors == s->diagnostics->n_errors ? tirbi_parse_expression(&s->syntax, &tokens) : NULL;
    if (!node) return tirbi_value_error();
    bool defining = s->define_names;
    tirb_datatype old_type = s->define_type;
    s->define_names = true;
    s->define_type = type;
    tirbi_value v = tirbi_evaluate(s, node);
    s->define_names = defining;
    s->define_type = old_type;
    return v;
}
