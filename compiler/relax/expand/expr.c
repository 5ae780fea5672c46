/* Expressions of operators' texts to TIR: the language of Tensor Comprehensions (compiler/tc/LANGUAGE.md) with int64
 * sizes and indices, literals that take the type of what they meet, and what OPERATORS.md adds. */
#include <math.h>
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/expand/expanding.h"
#include "compiler/tc/check.h"
#include "compiler/tc/lexer.h"

static const tirbi_relax_value nothing = {NULL, false};

static tirbi_relax_value computed(const tirb_expr *e) { return (tirbi_relax_value){e, false}; }
static tirbi_relax_value literal(const tirb_expr *e) { return (tirbi_relax_value){e, true}; }

/* ---- Types ------------------------------------------------------------------------------------------------------ */

/* A literal by itself is an int64 or a float32. */
tirb_datatype tirbi_relax_value_type(tirbi_relax_value v) {
    return v.is_literal && tirbi_type_is_float(v.e->dtype) ? tirbi_type_f32 : v.e->dtype;
}

static const tirb_expr *literal_as(tirbi_relax_expansion *x, const tirb_expr *e, tirb_datatype type) {
    const tirbi_span span = tirbi_relax_span(x);
    if (e->kind == TIRB_EXPR_INT_IMM && tirbi_type_is_int(type) && type.bits == 64)
        return tirbi_make_int(x->b, span, type, e->as.int_value);
    const double value = e->kind == TIRB_EXPR_INT_IMM ? (double)e->as.int_value : e->as.float_value;
    if (tirbi_type_is_bool(type)) return tirbi_make_bool(x->b, span, value != 0);
    if (e->kind != TIRB_EXPR_INT_IMM && tirbi_type_is_int(type)) return tirbi_make_raw_cast(x->b, span, type, e);
    return tirbi_make_number(x->b, span, type, value);
}

const tirb_expr *tirbi_relax_as(tirbi_relax_expansion *x, tirbi_relax_value v, tirb_datatype type) {
    if (!v.e || tirb_datatype_equal(v.e->dtype, type)) return v.e;
    if (v.is_literal) return literal_as(x, v.e, type);
    const tirbi_span span = tirbi_relax_span(x);
    if (tirbi_type_is_bool(type)) {
        const tirb_expr *zero = tirbi_make_number(x->b, span, v.e->dtype, 0);
        return zero ? tirbi_make_compare(x->b, span, TIRB_EXPR_NE, v.e, zero) : NULL;
    }
    return tirbi_make_cast(x->b, span, type, v.e);
}

/* Both as the type in which they meet; false after an error. */
static bool meet(tirbi_relax_expansion *x, tirbi_relax_value *a, tirbi_relax_value *b) {
    if (!a->e || !b->e) return false;
    tirb_datatype type = b->e->dtype;
    if (a->is_literal == b->is_literal)
        type = tirbi_tc_match(a->e->dtype, b->e->dtype);
    else if (!a->is_literal)
        type = a->e->dtype;
    const tirbi_relax_value l = a->is_literal ? *a : *b;
    if (a->is_literal != b->is_literal && tirbi_type_is_float(l.e->dtype) && !tirbi_type_is_float(type))
        type = tirbi_type_f32;
    const bool both = a->is_literal && b->is_literal;
    *a = (tirbi_relax_value){tirbi_relax_as(x, *a, type), both};
    *b = (tirbi_relax_value){tirbi_relax_as(x, *b, type), both};
    return a->e && b->e;
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

/* Sums of bools are whether one holds, as TVM has them. */
static const tirb_expr *combine_bools(tirbi_relax_expansion *x, tirbi_tc_expr_kind kind, const tirb_expr *a,
                                      const tirb_expr *b) {
    const tirbi_span span = tirbi_relax_span(x);
    switch (kind) {
    case TIRBI_TC_ADD:
    case TIRBI_TC_MAX:
        return tirbi_make_raw_binary(x->b, span, TIRB_EXPR_OR, a, b);
    case TIRBI_TC_MUL:
    case TIRBI_TC_MIN:
        return tirbi_make_raw_binary(x->b, span, TIRB_EXPR_AND, a, b);
    case TIRBI_TC_SUB:
        return tirbi_make_compare(x->b, span, TIRB_EXPR_NE, a, b);
    default:
        tirbi_relax_refuse(x, "bools are not divided");
        return NULL;
    }
}

static const tirb_expr *call(tirbi_relax_expansion *x, tirb_datatype type, tirb_builtin builtin, const tirb_expr *a,
                             const tirb_expr *b, const tirb_expr *c) {
    const tirb_expr **args = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, 3);
    if (!args) return NULL;
    args[0] = a;
    args[1] = b;
    args[2] = c;
    return tirbi_make_call(x->b, tirbi_relax_span(x), type, builtin, args, c ? 3 : b ? 2 : 1);
}

const tirb_expr *tirbi_relax_combine(tirbi_relax_expansion *x, tirbi_tc_expr_kind kind, const tirb_expr *a,
                                     const tirb_expr *b) {
    static const tirb_expr_kind kinds[] = {
        [TIRBI_TC_ADD] = TIRB_EXPR_ADD,      [TIRBI_TC_SUB] = TIRB_EXPR_SUB,      [TIRBI_TC_MUL] = TIRB_EXPR_MUL,
        [TIRBI_TC_DIV] = TIRB_EXPR_FLOORDIV, [TIRBI_TC_MOD] = TIRB_EXPR_FLOORMOD, [TIRBI_TC_MIN] = TIRB_EXPR_MIN,
        [TIRBI_TC_MAX] = TIRB_EXPR_MAX,
    };
    if (!a || !b) return NULL;
    if (tirbi_type_is_bool(a->dtype)) return combine_bools(x, kind, a, b);
    const bool is_float = tirbi_type_is_float(a->dtype);
    if (is_float && kind == TIRBI_TC_MOD) return call(x, a->dtype, TIRB_BUILTIN_FMOD, a, b, NULL);
    return tirbi_make_binary(x->b, tirbi_relax_span(x), is_float && kind == TIRBI_TC_DIV ? TIRB_EXPR_DIV : kinds[kind],
                             a, b);
}

static tirbi_relax_value arithmetic(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[0], element);
    tirbi_relax_value b = tirbi_relax_evaluate(x, e->args[1], element);
    if (!meet(x, &a, &b)) return nothing;
    return (tirbi_relax_value){tirbi_relax_combine(x, e->kind, a.e, b.e), a.is_literal};
}

static tirbi_relax_value compare(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    static const tirb_expr_kind kinds[] = {
        [TIRBI_TC_EQ] = TIRB_EXPR_EQ, [TIRBI_TC_NE] = TIRB_EXPR_NE, [TIRBI_TC_LT] = TIRB_EXPR_LT,
        [TIRBI_TC_LE] = TIRB_EXPR_LE, [TIRBI_TC_GT] = TIRB_EXPR_GT, [TIRBI_TC_GE] = TIRB_EXPR_GE,
    };
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[0], element);
    tirbi_relax_value b = tirbi_relax_evaluate(x, e->args[1], element);
    if (!meet(x, &a, &b)) return nothing;
    if (tirbi_type_is_bool(a.e->dtype) && e->kind != TIRBI_TC_EQ && e->kind != TIRBI_TC_NE) {
        const tirb_datatype byte = {.code = TIRB_CODE_UINT, .bits = 8, .lanes = 1}; /* false is below true */
        a.e = tirbi_relax_as(x, a, byte);
        b.e = tirbi_relax_as(x, b, byte);
        if (!a.e || !b.e) return nothing;
    }
    return computed(tirbi_make_compare(x->b, tirbi_relax_span(x), kinds[e->kind], a.e, b.e));
}

static tirbi_relax_value logical(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    const tirb_expr *a = tirbi_relax_as(x, tirbi_relax_evaluate(x, e->args[0], element), tirbi_type_bool);
    const tirb_expr *b = tirbi_relax_as(x, tirbi_relax_evaluate(x, e->args[1], element), tirbi_type_bool);
    const bool is_and = e->kind == TIRBI_TC_AND;
    if (!a || !b) return nothing;
    return computed(tirbi_make_raw_binary(x->b, tirbi_relax_span(x), is_and ? TIRB_EXPR_AND : TIRB_EXPR_OR, a, b));
}

static tirbi_relax_value negative(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[0], element);
    const tirbi_span span = tirbi_relax_span(x);
    if (!a.e || tirbi_type_is_bool(a.e->dtype)) return a;
    if (a.is_literal && a.e->kind == TIRB_EXPR_INT_IMM)
        return literal(tirbi_make_int(x->b, span, a.e->dtype, (int64_t)(0 - (uint64_t)a.e->as.int_value)));
    if (a.is_literal) return literal(tirbi_make_float(x->b, span, a.e->dtype, -a.e->as.float_value));
    const bool is_unsigned = a.e->dtype.code == TIRB_CODE_UINT;
    const tirb_expr *one = tirbi_make_number(x->b, span, a.e->dtype, is_unsigned ? 0 : -1);
    if (!one) return nothing;
    if (is_unsigned) return computed(tirbi_make_binary(x->b, span, TIRB_EXPR_SUB, one, a.e));
    return computed(tirbi_make_binary(x->b, span, TIRB_EXPR_MUL, a.e, one));
}

static tirbi_relax_value choice(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    int64_t chosen;
    if (tirbi_relax_fixed(x, e->args[0], element, &chosen))
        return tirbi_relax_evaluate(x, e->args[chosen ? 1 : 2], element);
    const tirb_expr *c = tirbi_relax_as(x, tirbi_relax_evaluate(x, e->args[0], element), tirbi_type_bool);
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[1], element);
    tirbi_relax_value b = tirbi_relax_evaluate(x, e->args[2], element);
    if (!c || !meet(x, &a, &b)) return nothing;
    if (a.is_literal) {
        const tirb_datatype type = tirbi_relax_value_type(a);
        a.e = tirbi_relax_as(x, a, type);
        b.e = tirbi_relax_as(x, b, type);
    }
    return computed(tirbi_make_if_then_else(x->b, tirbi_relax_span(x), c, a.e, b.e));
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

typedef enum function_form { CALLS, DIVIDES, BITS, FLOATS_ONLY } function_form;

/* What operators have besides the functions of Tensor Comprehensions. */
static const struct {
    const char *name;
    uint32_t arity;
    function_form form;
    tirb_builtin builtin;
    tirb_expr_kind kind;
} functions[] = {
    {"rint", 1, CALLS, TIRB_BUILTIN_ROUND, TIRB_EXPR_VAR}, /* half to even */
    {"sigmoid", 1, CALLS, TIRB_BUILTIN_SIGMOID, TIRB_EXPR_VAR},
    {"isnan", 1, FLOATS_ONLY, TIRB_BUILTIN_ISNAN, TIRB_EXPR_VAR},
    {"bitnot", 1, CALLS, TIRB_BUILTIN_BITWISE_NOT, TIRB_EXPR_VAR},
    {"quotient", 2, DIVIDES, TIRB_BUILTIN_UNDEF, TIRB_EXPR_DIV}, /* of integers, to 0 */
    {"remains", 2, DIVIDES, TIRB_BUILTIN_UNDEF, TIRB_EXPR_MOD},
    {"bitand", 2, BITS, TIRB_BUILTIN_BITWISE_AND, TIRB_EXPR_VAR},
    {"bitor", 2, BITS, TIRB_BUILTIN_BITWISE_OR, TIRB_EXPR_VAR},
    {"bitxor", 2, BITS, TIRB_BUILTIN_BITWISE_XOR, TIRB_EXPR_VAR},
    {"shift_left", 2, BITS, TIRB_BUILTIN_SHIFT_LEFT, TIRB_EXPR_VAR},
    {"shift_right", 2, BITS, TIRB_BUILTIN_SHIFT_RIGHT, TIRB_EXPR_VAR},
};

static tirbi_relax_value own_function(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element, size_t f) {
    const tirbi_span span = tirbi_relax_span(x);
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[0], element), b = nothing;
    if (!a.e) return nothing;
    if (functions[f].arity == 2) {
        b = tirbi_relax_evaluate(x, e->args[1], element);
        if (!meet(x, &a, &b)) return nothing;
    }
    switch (functions[f].form) {
    case DIVIDES:
        return computed(tirbi_make_binary(x->b, span, functions[f].kind, a.e, b.e));
    case BITS:
        return computed(tirbi_make_bitwise(x->b, span, functions[f].builtin, a.e, b.e));
    case FLOATS_ONLY:
        return computed(call(x, tirbi_type_bool, functions[f].builtin, a.e, NULL, NULL));
    default:
        return computed(call(x, a.e->dtype, functions[f].builtin, a.e, NULL, NULL));
    }
}

/* lowest(T), highest(T): the finite limits of a type. */
static tirbi_relax_value limit(tirbi_relax_expansion *x, tirb_datatype type, bool highest) {
    const tirbi_span span = tirbi_relax_span(x);
    if (tirbi_type_is_bool(type)) return computed(tirbi_make_bool(x->b, span, highest));
    if (tirbi_type_is_float(type))
        return computed(
            tirbi_make_float(x->b, span, type, highest ? tirb_datatype_max(type) : -tirb_datatype_max(type)));
    const uint64_t ones = UINT64_MAX >> (64 - type.bits);
    int64_t value = highest ? (int64_t)(ones >> 1) : -(int64_t)(ones >> 1) - 1;
    if (type.code == TIRB_CODE_UINT) value = highest ? (int64_t)ones : 0;
    return computed(tirbi_make_int(x->b, span, type, value));
}

/* all(c...): whether all of the conditions hold. */
static tirbi_relax_value all(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_spread(x, e->args, e->n_args, element, &slots)) return nothing;
    const tirbi_relax_slot *items = slots.items;
    const tirb_expr *result = slots.n ? NULL : tirbi_make_bool(x->b, tirbi_relax_span(x), true);
    for (uint32_t i = 0; i < slots.n; i++) {
        const tirb_expr *c = tirbi_relax_as(x, tirbi_relax_evaluate(x, items[i].e, items[i].element), tirbi_type_bool);
        if (!c) return nothing;
        result = result ? tirbi_make_raw_binary(x->b, tirbi_relax_span(x), TIRB_EXPR_AND, result, c) : c;
    }
    return computed(result);
}

/* product(n...) and sum(e...): of all operands, which meet in one type; of none it is 1 or 0. */
static tirbi_relax_value of_all(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element,
                                tirbi_tc_expr_kind kind) {
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_spread(x, e->args, e->n_args, element, &slots)) return nothing;
    const tirbi_relax_slot *items = slots.items;
    tirbi_relax_value result = literal(tirbi_make_int(x->b, tirbi_relax_span(x), tirbi_type_i64, kind == TIRBI_TC_MUL));
    for (uint32_t i = 0; i < slots.n; i++) {
        tirbi_relax_value next = tirbi_relax_evaluate(x, items[i].e, items[i].element);
        if (i == 0) {
            result = next;
            continue;
        }
        if (!meet(x, &result, &next)) return nothing;
        result.e = tirbi_relax_combine(x, kind, result.e, next.e);
        result.is_literal = result.is_literal && next.is_literal;
    }
    return result.e ? computed(result.e) : nothing;
}

static tirbi_relax_value language_function(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element,
                                           const tirbi_tc_builtin *f) {
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[0], element), b = nothing, c = nothing;
    if (f->arity >= 2) {
        b = tirbi_relax_evaluate(x, e->args[1], element);
        if (!meet(x, &a, &b)) return nothing;
    }
    if (f->arity == 3) {
        c = tirbi_relax_evaluate(x, e->args[2], element);
        if (c.e) c.e = tirbi_relax_as(x, c, a.e->dtype);
        if (!c.e) return nothing;
    }
    if (!a.e) return nothing;
    if (a.is_literal) a.e = tirbi_relax_as(x, a, tirbi_relax_value_type(a));
    return computed(call(x, a.e->dtype, f->builtin, a.e, b.e, c.e));
}

static tirbi_relax_value function(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    tirb_datatype type;
    int64_t fixed;
    if (tirbi_relax_fixed(x, e, element, &fixed))
        return literal(tirbi_make_int(x->b, tirbi_relax_span(x), tirbi_type_i64, fixed));
    if (e->n_args == 1 && tirbi_relax_type_of(x, e->name, &type))
        return computed(tirbi_relax_as(x, tirbi_relax_evaluate(x, e->args[0], element), type));
    const bool highest = strcmp(e->name, "highest") == 0;
    if ((highest || strcmp(e->name, "lowest") == 0) && e->n_args == 1 && e->args[0]->kind == TIRBI_TC_NAME &&
        tirbi_relax_type_of(x, e->args[0]->name, &type))
        return limit(x, type, highest);
    if (strcmp(e->name, "undefined") == 0 && e->n_args == 1 && e->args[0]->kind == TIRBI_TC_NAME &&
        tirbi_relax_type_of(x, e->args[0]->name, &type))
        return computed(tirbi_make_float(x->b, tirbi_relax_span(x), type, NAN));
    if (strcmp(e->name, "product") == 0) return of_all(x, e, element, TIRBI_TC_MUL);
    if (strcmp(e->name, "sum") == 0) return of_all(x, e, element, TIRBI_TC_ADD);
    if (strcmp(e->name, "all") == 0) return all(x, e, element);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (strcmp(functions[f].name, e->name) == 0 && functions[f].arity == e->n_args)
            return own_function(x, e, element, f);
    const tirbi_tc_builtin *builtin = tirbi_tc_find_builtin(e->name);
    if (builtin && builtin->arity == e->n_args && builtin->arity <= 3) return language_function(x, e, element, builtin);
    tirbi_relax_refuse(x, "`%s` is no tensor and no function of %u arguments", e->name, (unsigned)e->n_args);
    return nothing;
}

/* ---- Names and reads -------------------------------------------------------------------------------------------- */

static tirbi_relax_value read(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirbi_tc_expr *e,
                              int32_t element) {
    if (t->is_absent) {
        tirbi_relax_refuse(x, "`%s` is read and not given", t->name);
        return nothing;
    }
    if (t->scalar) return computed(t->scalar);
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_subscripts(x, t, e->args, e->n_args, element, &slots)) return nothing;
    const tirb_expr *const *indices = tirbi_relax_evaluate_slots(x, &slots);
    return indices ? computed(tirbi_make_load(x->b, tirbi_relax_span(x), t->buffer, indices, slots.n, NULL)) : nothing;
}

static tirbi_relax_value name(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
    if (let) return tirbi_relax_evaluate(x, let, element);
    const tirbi_relax_tensor *t = tirbi_relax_tensor_of(x, e->name);
    if (t && (!t->is_absent || !tirbi_relax_given_of(x, e->name))) return read(x, t, e, element);
    const tirbi_relax_pack *pack = tirbi_relax_pack_of(x, e->name);
    if (pack) {
        const uint32_t at = pack->is_pack ? (uint32_t)element : 0;
        if ((!pack->is_pack || element >= 0) && at < pack->n)
            return (tirbi_relax_value){pack->items[at], pack->is_literal};
        tirbi_relax_refuse(x, "the pack `%s` stands where one number does", e->name);
        return nothing;
    }
    const tirbi_relax_given *given = tirbi_relax_given_of(x, e->name);
    if (given && given->kind == TIRBI_RELAX_GIVEN_REAL)
        return literal(tirbi_make_float(x->b, tirbi_relax_span(x),
                                        (tirb_datatype){.code = TIRB_CODE_FLOAT, .bits = 64, .lanes = 1},
                                        given->as.real));
    int64_t fixed;
    if (tirbi_relax_fixed(x, e, element, &fixed))
        return literal(tirbi_make_int(x->b, tirbi_relax_span(x), tirbi_type_i64, fixed));
    const tirbi_relax_index *index = tirbi_relax_index_of(x, &(tirbi_relax_slot){e, element, false});
    if (index && index->value) return computed(index->value);
    tirbi_relax_refuse(x, "`%s` has no value here", e->name);
    return nothing;
}

const tirb_expr *const *tirbi_relax_evaluate_slots(tirbi_relax_expansion *x, const tirbi_list *slots) {
    const tirb_expr **values = TIRBI_NEW_ARRAY(x->arena, const tirb_expr *, slots->n);
    const tirbi_relax_slot *items = slots->items;
    for (uint32_t i = 0; values && i < slots->n; i++) {
        if (items[i].element == TIRBI_RELAX_ZERO_ELEMENT)
            values[i] = tirbi_make_int(x->b, tirbi_relax_span(x), tirbi_type_i64, 0);
        else
            values[i] = tirbi_relax_as(x, tirbi_relax_evaluate(x, items[i].e, items[i].element), tirbi_type_i64);
        if (!values[i]) return NULL;
    }
    return values;
}

/* ---- pad -------------------------------------------------------------------------------------------------------- */

static const tirb_expr *both(tirbi_relax_expansion *x, const tirb_expr *a, const tirb_expr *b) {
    return !a || !b ? b : tirbi_make_raw_binary(x->b, tirbi_relax_span(x), TIRB_EXPR_AND, a, b);
}

/* The index that a subscript is, also by a name of a where clause. */
static const tirbi_relax_index *index_behind(tirbi_relax_expansion *x, tirbi_relax_slot slot) {
    int64_t chosen;
    while (slot.element != TIRBI_RELAX_ZERO_ELEMENT) {
        const tirbi_tc_expr *let = slot.e->kind == TIRBI_TC_NAME ? tirbi_relax_let_of(x, slot.e->name) : NULL;
        if (slot.e->kind == TIRBI_TC_CHOICE && tirbi_relax_fixed(x, slot.e->args[0], slot.element, &chosen))
            slot.e = slot.e->args[chosen ? 1 : 2];
        else if (let)
            slot.e = let;
        else
            break;
    }
    return tirbi_relax_index_of(x, &slot);
}

/* Adds to *met that the subscripts of a read are in bounds, where they are not so by the range of an index. */
static bool guard_read(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirbi_tc_expr *e, int32_t element,
                       const tirb_expr **met) {
    tirbi_list subscripts = {.n = 0};
    if (!tirbi_relax_subscripts(x, t, e->args, e->n_args, element, &subscripts)) return false;
    const tirbi_relax_slot *slots = subscripts.items;
    const tirb_expr *const *at = tirbi_relax_evaluate_slots(x, &subscripts);
    const tirb_expr *zero = tirbi_make_int(x->b, tirbi_relax_span(x), tirbi_type_i64, 0);
    for (uint32_t i = 0; at && zero && i < subscripts.n; i++) {
        const tirbi_relax_index *index = index_behind(x, slots[i]);
        if (slots[i].element == TIRBI_RELAX_ZERO_ELEMENT || at[i]->kind == TIRB_EXPR_INT_IMM) continue;
        if (index && tirbi_expr_equal(index->extent, t->shape[i])) continue;
        if (!index) *met = both(x, *met, tirbi_make_compare(x->b, tirbi_relax_span(x), TIRB_EXPR_GE, at[i], zero));
        *met = both(x, *met, tirbi_make_compare(x->b, tirbi_relax_span(x), TIRB_EXPR_LT, at[i], t->shape[i]));
        if (!*met) return false;
    }
    return at && zero;
}

static bool add_guards(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element, const tirb_expr **met) {
    if (!tirbi_arena_work(x->arena, 1)) return false;
    if (e->kind == TIRBI_TC_NAME) {
        const tirbi_tc_expr *let = tirbi_relax_let_of(x, e->name);
        return !let || add_guards(x, let, element, met);
    }
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i]->kind != TIRBI_TC_PACK && !add_guards(x, e->args[i], element, met)) return false;
    const tirbi_relax_tensor *t = e->kind == TIRBI_TC_READ ? tirbi_relax_tensor_of(x, e->name) : NULL;
    return !t || t->scalar || t->is_absent || guard_read(x, t, e, element, met);
}

static tirbi_relax_value pad(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    const tirb_expr *met = NULL;
    if (!add_guards(x, e->args[0], element, &met)) return nothing;
    tirbi_relax_value a = tirbi_relax_evaluate(x, e->args[0], element);
    tirbi_relax_value b = tirbi_relax_evaluate(x, e->args[1], element);
    if (!meet(x, &a, &b)) return nothing;
    if (!met) return a;
    return computed(tirbi_make_if_then_else(x->b, tirbi_relax_span(x), met, a.e, b.e));
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

/* A list that chooses one operand. */
static tirbi_relax_value chosen(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    tirbi_list slots = {.n = 0};
    if (!tirbi_relax_spread(x, &e, 1, element, &slots)) return nothing;
    const tirbi_relax_slot *items = slots.items;
    if (slots.n == 1) return tirbi_relax_evaluate(x, items[0].e, items[0].element);
    tirbi_relax_refuse(x, "`%s` chooses %u operands where one value is", e->name, (unsigned)slots.n);
    return nothing;
}

static tirbi_relax_value evaluate_read(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    const tirbi_relax_tensor *t = tirbi_relax_tensor_of(x, e->name);
    if (t) return read(x, t, e, element);
    if (strcmp(e->name, "pad") == 0 && e->n_args == 2) return pad(x, e, element);
    const tirbi_relax_pack *list = tirbi_relax_pack_of(x, e->name);
    if (list && list->is_pack) return chosen(x, e, element);
    return function(x, e, element);
}

tirbi_relax_value tirbi_relax_evaluate(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element) {
    const tirbi_span span = tirbi_relax_span(x);
    if (!tirbi_arena_work(x->arena, 1)) return nothing;
    switch (e->kind) {
    case TIRBI_TC_INT:
        return literal(tirbi_make_int(x->b, span, tirbi_type_i64, e->int_value));
    case TIRBI_TC_FLOAT:
        return literal(tirbi_make_float(x->b, span, (tirb_datatype){.code = TIRB_CODE_FLOAT, .bits = 64, .lanes = 1},
                                        e->float_value));
    case TIRBI_TC_BOOL:
        return computed(tirbi_make_bool(x->b, span, e->int_value != 0));
    case TIRBI_TC_NAME:
        return name(x, e, element);
    case TIRBI_TC_DIM: {
        const tirbi_relax_tensor *t = tirbi_relax_tensor_of(x, e->name);
        if (!t) return name(x, e, (int32_t)e->int_value);
        if (t->has_shape && e->int_value < t->ndim) return computed(t->shape[e->int_value]);
        tirbi_relax_refuse(x, "`%s` has no dimension %lld", t->name, (long long)e->int_value);
        return nothing;
    }
    case TIRBI_TC_READ:
        return evaluate_read(x, e, element);
    case TIRBI_TC_CAST:
        return computed(tirbi_relax_as(x, tirbi_relax_evaluate(x, e->args[0], element), e->dtype));
    case TIRBI_TC_NEG:
        return negative(x, e, element);
    case TIRBI_TC_NOT: {
        const tirb_expr *a = tirbi_relax_as(x, tirbi_relax_evaluate(x, e->args[0], element), tirbi_type_bool);
        return a ? computed(tirbi_make_not(x->b, span, a)) : nothing;
    }
    case TIRBI_TC_ADD:
    case TIRBI_TC_SUB:
    case TIRBI_TC_MUL:
    case TIRBI_TC_DIV:
    case TIRBI_TC_MOD:
    case TIRBI_TC_MIN:
    case TIRBI_TC_MAX:
        return arithmetic(x, e, element);
    case TIRBI_TC_AND:
    case TIRBI_TC_OR:
        return logical(x, e, element);
    case TIRBI_TC_CHOICE:
        return choice(x, e, element);
    case TIRBI_TC_PACK:
        tirbi_relax_refuse(x, "a pack stands where one value does");
        return nothing;
    default:
        return compare(x, e, element);
    }
}
