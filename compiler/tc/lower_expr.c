#include "compiler/tc/check.h"
#include "compiler/tc/lowering.h"

/* ---- Sizes and subscripts --------------------------------------------------------------------------------------- */

const tirb_expr *tirbi_tc_lower_sum(tirbi_tc_lowering *l, tirbi_span span, const tirbi_tc_sum *sum) {
    uint32_t n_nodes = 0;
    const tirb_expr *e = tirbi_tc_sum_expr(&l->b, span, tirbi_type_i32, sum, &n_nodes);
    if (n_nodes <= TIRBI_TC_MAX_DIM_TERMS) return e;
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, span,
                       "an extent or a bound that follows from this has more than %d terms", TIRBI_TC_MAX_DIM_TERMS);
    return NULL;
}

static tirbi_tc_forms forms_here(tirbi_tc_lowering *l) {
    return (tirbi_tc_forms){&l->sizes, l->here.scope, l->here.stmt};
}

/* x + y * factor, with y left out where it is 0 and subtracted where the factor is -1. */
static const tirb_expr *add_term(tirbi_tc_lowering *l, tirbi_span span, const tirb_expr *x, const tirb_expr *y,
                                 const tirbi_tc_sum *factor) {
    const bool subtracts = x && tirbi_tc_is(factor, -1);
    if (!y) return NULL;
    if (!subtracts && !tirbi_tc_is(factor, 1)) {
        const tirb_expr *by = tirbi_tc_lower_sum(l, span, factor);
        y = by ? tirbi_make_binary(&l->b, span, TIRB_EXPR_MUL, y, by) : NULL;
    }
    return x && y ? tirbi_make_binary(&l->b, span, subtracts ? TIRB_EXPR_SUB : TIRB_EXPR_ADD, x, y) : y;
}

/* An affine form less a sum, with axes, which begin at 0, for indices. */
static const tirb_expr *lower_affine(tirbi_tc_lowering *l, tirbi_span span, const tirbi_tc_form *form,
                                     const tirbi_tc_sum *less) {
    const tirbi_tc_sum *rest = tirbi_tc_sub(&l->sizes, form->constant, less);
    const tirb_expr *out = NULL;
    for (uint32_t i = 0; i < form->n; i++) {
        const tirbi_tc_form_term *term = &form->terms[i];
        rest = tirbi_tc_add(&l->sizes, rest, tirbi_tc_mul(&l->sizes, term->factor, l->here.ranges[term->index].low));
    }
    for (int last = 0; last < 2; last++)
        for (uint32_t i = 0; i < form->n; i++) {
            const tirbi_tc_form_term *term = &form->terms[i];
            const bool negative = term->factor->n == 0 && term->factor->constant < 0;
            if (negative != (last == 1)) continue;
            if (!(out = add_term(l, span, out, l->axes[term->index], term->factor))) return NULL;
        }
    if (out && tirbi_tc_is(rest, 0)) return out;
    if (rest && rest->n == 0 && rest->constant < 0 && rest->constant > INT32_MIN && out)
        return add_term(l, span, out, tirbi_tc_lower_sum(l, span, tirbi_tc_scale(&l->sizes, rest, -1)),
                        tirbi_tc_constant(&l->sizes, -1));
    return add_term(l, span, out, tirbi_tc_lower_sum(l, span, rest), tirbi_tc_constant(&l->sizes, 1));
}

const tirb_expr *tirbi_tc_lower_subscript(tirbi_tc_lowering *l, const tirbi_tc_expr *e, const tirbi_tc_tensor *tensor,
                                          uint32_t dim) {
    const tirbi_tc_forms forms = forms_here(l);
    const tirbi_tc_form *form = tirbi_tc_form_of(&forms, e);
    if (form && tirbi_tc_form_is_affine(form)) return lower_affine(l, e->span, form, tensor->low[dim]);
    const bool wide = e->dtype.bits == 64 || (e->dtype.code == TIRB_CODE_UINT && e->dtype.bits == 32);
    const tirb_expr *at = tirbi_tc_lower_as(l, e, wide ? tirbi_type_i64 : tirbi_type_i32);
    if (tirbi_tc_is(tensor->low[dim], 0) || !at) return at;
    const tirb_expr *low = tirbi_tc_lower_sum(l, e->span, tensor->low[dim]);
    low = low ? tirbi_make_cast(&l->b, e->span, at->dtype, low) : NULL;
    return low ? tirbi_make_binary(&l->b, e->span, TIRB_EXPR_SUB, at, low) : NULL;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static const tirb_expr *lower_read(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirbi_tc_tensor *tensor = l->here.scope->tensors[e->symbol->number];
    if (tensor->scalar) return tensor->scalar;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, e->n_args);
    for (uint32_t i = 0; indices && i < e->n_args; i++)
        if (!(indices[i] = tirbi_tc_lower_subscript(l, e->args[i], tensor, i))) return NULL;
    return indices ? tirbi_make_load(&l->b, e->span, tensor->buffer, indices, e->n_args, NULL) : NULL;
}

static const tirb_expr *lower_name(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirbi_tc_symbol *symbol = e->symbol;
    if (symbol->kind == TIRBI_TC_LET) return tirbi_tc_lower_expr(l, symbol->value);
    if (symbol->kind == TIRBI_TC_TENSOR) return lower_read(l, e);
    const tirbi_tc_forms forms = forms_here(l);
    const tirbi_tc_form *form = tirbi_tc_form_of(&forms, e);
    return form ? lower_affine(l, e->span, form, tirbi_tc_constant(&l->sizes, 0)) : NULL;
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

/* A number as one of the type: what does not fit wraps, as it does where it is not known. */
static const tirb_expr *convert_number(tirbi_tc_lowering *l, tirbi_span span, int64_t value, tirb_datatype type) {
    const unsigned unused = 64 - type.bits;
    const uint64_t bits = (uint64_t)value << unused;
    const bool is_signed = type.code == TIRB_CODE_INT;
    return tirbi_make_int(&l->b, span, type, is_signed ? (int64_t)bits >> unused : (int64_t)(bits >> unused));
}

/* A comparison with 0 where bool is wanted. */
const tirb_expr *tirbi_tc_convert(tirbi_tc_lowering *l, tirbi_span span, const tirb_expr *value, tirb_datatype type) {
    if (!value || tirb_datatype_equal(value->dtype, type)) return value;
    if (tirbi_type_is_bool(type)) {
        const tirb_expr *zero = tirbi_make_number(&l->b, span, value->dtype, 0);
        return zero ? tirbi_make_compare(&l->b, span, TIRB_EXPR_NE, value, zero) : NULL;
    }
    if (value->kind == TIRB_EXPR_INT_IMM && tirbi_type_is_int(type))
        return convert_number(l, span, value->as.int_value, type);
    if (value->kind == TIRB_EXPR_FLOAT_IMM && tirbi_type_is_int(type))
        return tirbi_make_raw_cast(&l->b, span, type, value);
    return tirbi_make_cast(&l->b, span, type, value);
}

const tirb_expr *tirbi_tc_lower_as(tirbi_tc_lowering *l, const tirbi_tc_expr *e, tirb_datatype type) {
    return tirbi_tc_convert(l, e->span, tirbi_tc_lower_expr(l, e), type);
}

/* Of bools, numbers of one bit: a sum is whether they differ, a product and a minimum whether both hold. */
static const tirb_expr *combine_bools(tirbi_tc_lowering *l, tirbi_span span, tirbi_tc_expr_kind kind,
                                      const tirb_expr *x, const tirb_expr *y) {
    switch (kind) {
    case TIRBI_TC_MUL:
    case TIRBI_TC_MIN:
        return tirbi_make_raw_binary(&l->b, span, TIRB_EXPR_AND, x, y);
    case TIRBI_TC_MAX:
        return tirbi_make_raw_binary(&l->b, span, TIRB_EXPR_OR, x, y);
    case TIRBI_TC_ADD:
    case TIRBI_TC_SUB:
        return tirbi_make_compare(&l->b, span, TIRB_EXPR_NE, x, y);
    default:
        tirbi_report_error(l->diagnostics, TIRB_TYPE, span, "bools are not divided: a cast is written int32(x)");
        return NULL;
    }
}

static const tirb_expr *remainder_of_floats(tirbi_tc_lowering *l, tirbi_span span, const tirb_expr *x,
                                            const tirb_expr *y) {
    const tirb_datatype type = x->dtype, wide = type.bits < 32 ? tirbi_type_f32 : type;
    const tirb_expr *args[2] = {tirbi_make_cast(&l->b, span, wide, x), tirbi_make_cast(&l->b, span, wide, y)};
    const tirb_expr **kept = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, 2);
    if (!kept || !args[0] || !args[1]) return NULL;
    kept[0] = args[0];
    kept[1] = args[1];
    return tirbi_make_cast(&l->b, span, type, tirbi_make_call(&l->b, span, wide, TIRB_BUILTIN_FMOD, kept, 2));
}

const tirb_expr *tirbi_tc_combine(tirbi_tc_lowering *l, tirbi_span span, tirbi_tc_expr_kind kind, const tirb_expr *x,
                                  const tirb_expr *y) {
    static const tirb_expr_kind kinds[] = {
        [TIRBI_TC_ADD] = TIRB_EXPR_ADD,      [TIRBI_TC_SUB] = TIRB_EXPR_SUB,      [TIRBI_TC_MUL] = TIRB_EXPR_MUL,
        [TIRBI_TC_DIV] = TIRB_EXPR_FLOORDIV, [TIRBI_TC_MOD] = TIRB_EXPR_FLOORMOD, [TIRBI_TC_MIN] = TIRB_EXPR_MIN,
        [TIRBI_TC_MAX] = TIRB_EXPR_MAX,
    };
    if (!x || !y) return NULL;
    if (tirbi_type_is_bool(x->dtype)) return combine_bools(l, span, kind, x, y);
    const bool is_float = tirbi_type_is_float(x->dtype);
    if (is_float && kind == TIRBI_TC_MOD) return remainder_of_floats(l, span, x, y);
    return tirbi_make_binary(&l->b, span, is_float && kind == TIRBI_TC_DIV ? TIRB_EXPR_DIV : kinds[kind], x, y);
}

static const tirb_expr *lower_compare(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    static const tirb_expr_kind kinds[] = {
        [TIRBI_TC_EQ] = TIRB_EXPR_EQ, [TIRBI_TC_NE] = TIRB_EXPR_NE, [TIRBI_TC_LT] = TIRB_EXPR_LT,
        [TIRBI_TC_LE] = TIRB_EXPR_LE, [TIRBI_TC_GT] = TIRB_EXPR_GT, [TIRBI_TC_GE] = TIRB_EXPR_GE,
    };
    tirb_datatype type = tirbi_tc_match(e->args[0]->dtype, e->args[1]->dtype);
    const bool ordered = e->kind != TIRBI_TC_EQ && e->kind != TIRBI_TC_NE;
    const tirb_datatype byte = {TIRB_CODE_UINT, 8, 1, false};
    const tirb_expr *x = tirbi_tc_lower_as(l, e->args[0], type), *y = tirbi_tc_lower_as(l, e->args[1], type);
    if (tirbi_type_is_bool(type) && ordered) { /* false is below true */
        x = tirbi_tc_convert(l, e->span, x, byte);
        y = tirbi_tc_convert(l, e->span, y, byte);
    }
    return x && y ? tirbi_make_compare(&l->b, e->span, kinds[e->kind], x, y) : NULL;
}

static const tirb_expr *lower_negative(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirb_expr *x = tirbi_tc_lower_as(l, e->args[0], e->dtype);
    if (!x || tirbi_type_is_bool(e->dtype)) return x; /* of one bit, it is itself */
    const bool is_unsigned = e->dtype.code == TIRB_CODE_UINT;
    const tirb_expr *one = tirbi_make_number(&l->b, e->span, e->dtype, is_unsigned ? 0 : -1);
    if (!one) return NULL;
    if (is_unsigned) return tirbi_make_binary(&l->b, e->span, TIRB_EXPR_SUB, one, x);
    return tirbi_make_binary(&l->b, e->span, TIRB_EXPR_MUL, x, one);
}

static const tirb_expr *lower_builtin(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirb_expr **args = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, e->n_args);
    for (uint32_t i = 0; args && i < e->n_args; i++)
        if (!(args[i] = tirbi_tc_lower_as(l, e->args[i], e->dtype))) return NULL;
    return args ? tirbi_make_call(&l->b, e->span, e->dtype, e->builtin->builtin, args, e->n_args) : NULL;
}

/* ---- What is lazy ----------------------------------------------------------------------------------------------- */

/* Whether evaluating it where it is not wanted can do no harm: it reads no memory and divides nothing. */
static bool is_harmless(const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_VAR:
    case TIRB_EXPR_INT_IMM:
    case TIRB_EXPR_FLOAT_IMM:
        return true;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT:
        return is_harmless(e->as.cast.value);
    case TIRB_EXPR_DIV:
    case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD:
        return tirbi_type_is_float(e->dtype) && is_harmless(e->as.binary.a) && is_harmless(e->as.binary.b);
    default:
        break;
    }
    return e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR && e->size < 64 && is_harmless(e->as.binary.a) &&
           is_harmless(e->as.binary.b);
}

static const tirb_expr *lower_both(tirbi_tc_lowering *l, tirbi_span span, const tirb_expr *x, const tirb_expr *y) {
    if (!x || !y) return NULL;
    if (tirbi_is_const_int(x, 1)) return y;
    if (is_harmless(y)) return tirbi_make_raw_binary(&l->b, span, TIRB_EXPR_AND, x, y);
    return tirbi_make_if_then_else(&l->b, span, x, y, tirbi_make_bool(&l->b, span, false));
}

static const tirb_expr *lower_logical(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirb_expr *x = tirbi_tc_lower_expr(l, e->args[0]), *y = tirbi_tc_lower_expr(l, e->args[1]);
    if (e->kind == TIRBI_TC_AND) return lower_both(l, e->span, x, y);
    if (!x || !y) return NULL;
    if (is_harmless(y)) return tirbi_make_raw_binary(&l->b, e->span, TIRB_EXPR_OR, x, y);
    return tirbi_make_if_then_else(&l->b, e->span, x, tirbi_make_bool(&l->b, e->span, true), y);
}

static const tirb_expr *lower_choice(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirb_expr *condition = tirbi_tc_lower_expr(l, e->args[0]);
    const tirb_expr *x = tirbi_tc_lower_as(l, e->args[1], e->dtype), *y = tirbi_tc_lower_as(l, e->args[2], e->dtype);
    return condition && x && y ? tirbi_make_if_then_else(&l->b, e->span, condition, x, y) : NULL;
}

/* ---- pad -------------------------------------------------------------------------------------------------------- */

/* Whether the form is never negative over the ranges of the indices. */
static bool is_surely_met(tirbi_tc_lowering *l, const tirbi_tc_form *form) {
    const tirbi_tc_sum *least = form ? form->constant : NULL;
    for (uint32_t i = 0; least && i < form->n; i++) {
        const tirbi_tc_form_term *term = &form->terms[i];
        if (term->kind != TIRBI_TC_FORM_INDEX || term->factor->n > 0) return false;
        const tirbi_tc_range *r = &l->here.ranges[term->index];
        least = tirbi_tc_add(&l->sizes, least,
                             tirbi_tc_mul(&l->sizes, term->factor, term->factor->constant > 0 ? r->low : r->high));
    }
    return least && tirbi_tc_is_never_negative(&l->sizes, least);
}

/* `met` and that a subscript lies in its dimension, as far as that is not sure. */
static const tirb_expr *add_guard(tirbi_tc_lowering *l, const tirbi_tc_expr *e, const tirbi_tc_tensor *tensor,
                                  uint32_t dim, const tirb_expr *met) {
    tirbi_tc_sizes *z = &l->sizes;
    const tirbi_tc_forms forms = forms_here(l);
    const tirbi_tc_form *form = tirbi_tc_form_of(&forms, e), *low = NULL, *high = NULL;
    const tirbi_tc_sum *one = tirbi_tc_constant(z, 1);
    const tirbi_tc_sum *from = tirbi_tc_scale(z, tensor->low[dim], -1);
    const tirbi_tc_sum *end = tirbi_tc_add_constant(z, tirbi_tc_add(z, tensor->low[dim], tensor->extent[dim]), -1);
    if (form) {
        low = tirbi_tc_form_add(z, form, from ? tirbi_tc_form_constant(z, from) : NULL, one);
        high = tirbi_tc_form_add(z, end ? tirbi_tc_form_constant(z, end) : NULL, form, tirbi_tc_constant(z, -1));
    }
    for (int upper = 0; met && upper < 2; upper++) {
        if (is_surely_met(l, upper ? high : low)) continue;
        const tirb_expr *at = tirbi_tc_lower_subscript(l, e, tensor, dim);
        const tirb_expr *bound = upper ? tirbi_tc_lower_sum(l, e->span, tensor->extent[dim])
                                       : tirbi_make_int(&l->b, e->span, tirbi_type_i32, 0);
        if (!at || !bound) return NULL;
        bound = tirbi_make_cast(&l->b, e->span, at->dtype, bound);
        met = lower_both(l, e->span, met,
                         tirbi_make_compare(&l->b, e->span, upper ? TIRB_EXPR_LT : TIRB_EXPR_GE, at, bound));
    }
    return met;
}

/* `met` and that all reads below an expression are in bounds; what a subscript reads comes before it. */
static const tirb_expr *add_guards(tirbi_tc_lowering *l, const tirbi_tc_expr *e, const tirb_expr *met) {
    if (!tirbi_arena_work(l->arena, 1)) return NULL;
    if (e->kind == TIRBI_TC_NAME) return e->symbol->kind == TIRBI_TC_LET ? add_guards(l, e->symbol->value, met) : met;
    if (e->kind == TIRBI_TC_PAD) return add_guards(l, e->args[1], met);
    for (uint32_t i = 0; met && i < e->n_args; i++) {
        met = add_guards(l, e->args[i], met);
        if (e->kind == TIRBI_TC_READ && met)
            met = add_guard(l, e->args[i], l->here.scope->tensors[e->symbol->number], i, met);
    }
    return met;
}

static const tirb_expr *lower_pad(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    const tirb_expr *met = add_guards(l, e->args[0], tirbi_make_bool(&l->b, e->span, true));
    const tirb_expr *x = tirbi_tc_lower_as(l, e->args[0], e->dtype), *y = tirbi_tc_lower_as(l, e->args[1], e->dtype);
    if (!met || !x || !y) return NULL;
    return tirbi_is_const_int(met, 1) ? x : tirbi_make_if_then_else(&l->b, e->span, met, x, y);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

const tirb_expr *tirbi_tc_lower_expr(tirbi_tc_lowering *l, const tirbi_tc_expr *e) {
    if (!tirbi_arena_work(l->arena, 1)) return NULL;
    switch (e->kind) {
    case TIRBI_TC_INT:
        return tirbi_make_int(&l->b, e->span, e->dtype, e->int_value);
    case TIRBI_TC_FLOAT:
        return tirbi_make_float(&l->b, e->span, e->dtype, e->float_value);
    case TIRBI_TC_BOOL:
        return tirbi_make_bool(&l->b, e->span, e->int_value != 0);
    case TIRBI_TC_NAME:
        return lower_name(l, e);
    case TIRBI_TC_READ:
        return lower_read(l, e);
    case TIRBI_TC_BUILTIN:
        return lower_builtin(l, e);
    case TIRBI_TC_DIM:
        return tirbi_tc_lower_sum(l, e->span, l->here.scope->tensors[e->symbol->number]->extent[e->int_value]);
    case TIRBI_TC_CAST:
        return tirbi_tc_lower_as(l, e->args[0], e->dtype);
    case TIRBI_TC_NEG:
        return lower_negative(l, e);
    case TIRBI_TC_NOT: {
        const tirb_expr *x = tirbi_tc_lower_expr(l, e->args[0]);
        return x ? tirbi_make_not(&l->b, e->span, x) : NULL;
    }
    case TIRBI_TC_ADD:
    case TIRBI_TC_SUB:
    case TIRBI_TC_MUL:
    case TIRBI_TC_DIV:
    case TIRBI_TC_MOD:
    case TIRBI_TC_MIN:
    case TIRBI_TC_MAX:
        return tirbi_tc_combine(l, e->span, e->kind, tirbi_tc_lower_as(l, e->args[0], e->dtype),
                                tirbi_tc_lower_as(l, e->args[1], e->dtype));
    case TIRBI_TC_AND:
    case TIRBI_TC_OR:
        return lower_logical(l, e);
    case TIRBI_TC_CHOICE:
        return lower_choice(l, e);
    case TIRBI_TC_PAD:
        return lower_pad(l, e);
    default:
        return lower_compare(l, e);
    }
}
