/* Constructors of expressions: node shapes, type rules of construction, promotion and conversion. */
#include <math.h>
#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/c_functions.h"
#include "compiler/ir/fold.h"

/* ---- Nodes ------------------------------------------------------------------------------------------------------ */

#define WITH(member) (offsetof(tirb_expr, as) + sizeof(((tirb_expr *)0)->as.member))

/* A node has the memory that its kind needs: see tirbi_copy_expr. */
static size_t size_of(tirb_expr_kind kind) {
    switch (kind) {
    case TIRB_EXPR_VAR: return WITH(var);
    case TIRB_EXPR_INT_IMM: return WITH(int_value);
    case TIRB_EXPR_FLOAT_IMM: return WITH(float_value);
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT: return WITH(cast);
    case TIRB_EXPR_LOAD: return WITH(load);
    case TIRB_EXPR_RAMP: return WITH(ramp);
    case TIRB_EXPR_BROADCAST: return WITH(broadcast);
    case TIRB_EXPR_SELECT: return WITH(select);
    default: break;
    }
    bool binary = (kind >= TIRB_EXPR_ADD && kind <= TIRB_EXPR_MAX) || (kind >= TIRB_EXPR_EQ && kind <= TIRB_EXPR_GE);
    return binary || kind == TIRB_EXPR_AND || kind == TIRB_EXPR_OR ? WITH(binary) : sizeof(tirb_expr);
}

static tirb_expr *new_expr(tirbi_builder *b, tirb_expr_kind kind, tirb_datatype dtype, tirbi_span span) {
    tirb_expr *e = tirbi_arena_alloc(b->arena, size_of(kind), 1);
    if (!e) return NULL;
    e->kind = kind;
    e->dtype = dtype;
    e->span = span;
    e->depth = 1;
    e->size = 1;
    return e;
}

tirb_expr *tirbi_copy_expr(tirbi_arena *arena, const tirb_expr *e) {
    tirb_expr *copy = TIRBI_NEW(arena, tirb_expr);
    return copy ? memcpy(copy, e, size_of(e->kind)) : NULL;
}

static void adopt(tirb_expr *e, const tirb_expr *child) {
    if (!child) return;
    if (child->depth >= e->depth) e->depth = (uint16_t)(child->depth + 1);
    e->size += child->size;
}

static void adopt_all(tirb_expr *e, const tirb_expr *const *children, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        adopt(e, children[i]);
        if (e->size > TIRBI_MAX_EXPR_SIZE) return;
    }
}

static const tirb_expr *finish(tirbi_builder *b, tirb_expr *e) {
    if (e->depth <= TIRBI_MAX_EXPR_DEPTH && e->size <= TIRBI_MAX_EXPR_SIZE) return e;
    if (!b->too_deep)
        tirbi_report_error(b->diagnostics, TIRB_UNSUPPORTED, e->span,
                           "the expression is too large: %u levels and %u nodes, the limits are %d and %d", e->depth,
                           e->size, TIRBI_MAX_EXPR_DEPTH, TIRBI_MAX_EXPR_SIZE);
    b->too_deep = true;
    return NULL;
}

static bool any_null(const tirb_expr *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!items[i]) return true;
    return false;
}

bool tirbi_is_const_int(const tirb_expr *e, int64_t value) {
    return e && e->kind == TIRB_EXPR_INT_IMM && e->as.int_value == value;
}

tirb_type tirbi_prim_type(tirb_datatype dtype) {
    return (tirb_type){.kind = TIRB_TYPE_PRIM, .dtype = dtype, .scope = ""};
}

tirb_type tirbi_pointer_type(tirb_datatype element, const char *scope) {
    return (tirb_type){.kind = TIRB_TYPE_POINTER, .dtype = element, .scope = scope};
}

static tirb_type pointer_of_call(const tirb_expr *e) {
    const tirb_type unknown = tirbi_pointer_type(tirbi_type_void, "");
    const tirb_expr *const *args = e->as.call.args;
    if (e->as.call.function)
        return e->as.call.function->ret_type.kind == TIRB_TYPE_POINTER ? e->as.call.function->ret_type : unknown;
    if (e->as.call.function_name) return unknown;
    if (e->as.call.pointer) return *e->as.call.pointer;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_ADDRESS_OF:
        if (args[0]->kind != TIRB_EXPR_LOAD) return unknown;
        return tirbi_pointer_type(args[0]->as.load.buffer->dtype, args[0]->as.load.buffer->scope);
    case TIRB_BUILTIN_PTR_BYTE_OFFSET:
        return args[2]->kind == TIRB_EXPR_CALL
                   ? tirbi_pointer_type(args[2]->dtype, tirbi_pointer_type_of(args[0]).scope)
                   : unknown;
    case TIRB_BUILTIN_TVM_STACK_MAKE_SHAPE: return tirbi_pointer_type(tirbi_type_i64, "global");
    case TIRB_BUILTIN_TVM_STACK_ALLOCA:
        if (args[0]->kind != TIRB_EXPR_STRING_IMM) return unknown;
        if (strcmp(args[0]->as.string.text, "shape") == 0) return tirbi_pointer_type(tirbi_type_i64, "global");
        return strcmp(args[0]->as.string.text, "arg_tcode") == 0 ? tirbi_pointer_type(tirbi_type_i32, "global")
                                                                 : unknown;
    default: return unknown;
    }
}

tirb_type tirbi_pointer_type_of(const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_VAR && e->as.var.type.kind == TIRB_TYPE_POINTER) return e->as.var.type;
    if (e->kind == TIRB_EXPR_CALL) return pointer_of_call(e);
    return tirbi_pointer_type(tirbi_type_void, "");
}

const tirb_expr *tirbi_with_pointer(tirbi_builder *b, const tirb_expr *call, tirb_type type) {
    if (!call || call->kind != TIRB_EXPR_CALL || type.kind != TIRB_TYPE_POINTER || tirbi_type_is_handle(type.dtype))
        return call;
    tirb_expr *typed = tirbi_copy_expr(b->arena, call);
    tirb_type *pointer = TIRBI_NEW(b->arena, tirb_type);
    if (!typed || !pointer) return NULL;
    *pointer = type;
    if (!pointer->scope || !pointer->scope[0]) pointer->scope = "global";
    typed->as.call.pointer = pointer;
    return typed;
}

const char tirbi_unnamed[] = "v";

tirb_expr *tirbi_make_var(tirbi_builder *b, tirbi_span span, const char *name, tirb_type type) {
    tirb_datatype dtype = type.kind == TIRB_TYPE_PRIM      ? type.dtype
                          : type.kind == TIRB_TYPE_POINTER ? tirbi_type_handle
                                                           : tirbi_type_void;
    tirb_expr *e = new_expr(b, TIRB_EXPR_VAR, dtype, span);
    if (!e) return NULL;
    e->as.var.name = name ? name : tirbi_unnamed;
    e->as.var.type = type;
    e->as.var.id = b->n_vars++;
    return e;
}

/* ---- Constants -------------------------------------------------------------------------------------------------- */

static bool int_fits(tirb_datatype type, int64_t value) {
    if (type.code == TIRB_CODE_BOOL || type.bits == 1) return value == 0 || value == 1;
    if (type.bits >= 64) return true;
    return tirbi_wrap_int(type, value) == value;
}

const tirb_expr *tirbi_make_int(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, int64_t value) {
    char text[32];
    if (!int_fits(dtype, value)) {
        tirbi_report_error(b->diagnostics, TIRB_VALUE, span, "the value %lld does not fit type %s", (long long)value,
                           tirb_datatype_text(dtype, text));
        return NULL;
    }
    tirb_expr *e = new_expr(b, TIRB_EXPR_INT_IMM, dtype, span);
    if (e) e->as.int_value = value;
    return e;
}

const tirb_expr *tirbi_make_float(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, double value) {
    char text[32];
    bool too_large = isfinite(value) && fabs(value) > tirb_datatype_max(dtype);
    /* TVM prints the largest float32 as bfloat16 as well, where it rounds to infinity. */
    if (too_large && dtype.code == TIRB_CODE_BFLOAT && fabs(value) <= 0x1.FFFFFEp127) {
        tirbi_report_warning(b->diagnostics, span, "the value %g rounds to infinity in type bfloat16", value);
        too_large = false;
    }
    if (too_large) {
        tirbi_report_error(b->diagnostics, TIRB_VALUE, span, "the value %g exceeds the maximum %g of type %s", value,
                           tirb_datatype_max(dtype), tirb_datatype_text(dtype, text));
        return NULL;
    }
    tirb_expr *e = new_expr(b, TIRB_EXPR_FLOAT_IMM, dtype, span);
    /* One NaN, so that what a machine folds and what is read from its text are the same constant. */
    if (e) e->as.float_value = isnan(value) ? (double)NAN : value;
    return e;
}

const tirb_expr *tirbi_make_bool(tirbi_builder *b, tirbi_span span, bool value) {
    return tirbi_make_int(b, span, tirbi_type_bool, value);
}

const tirb_expr *tirbi_make_string(tirbi_builder *b, tirbi_span span, const char *text, uint32_t size) {
    tirb_expr *e = new_expr(b, TIRB_EXPR_STRING_IMM, tirbi_type_handle, span);
    if (!e) return NULL;
    e->as.string.text = text;
    e->as.string.size = size;
    return e;
}

/* A floating-point literal as an integer: towards zero. */
static const tirb_expr *float_to_int(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, double value) {
    char text[32];
    double low = dtype.code == TIRB_CODE_INT ? -ldexp(1, dtype.bits - 1) : 0;
    double high = ldexp(1, dtype.code == TIRB_CODE_INT ? dtype.bits - 1 : dtype.bits);
    double whole = trunc(value);
    if (!(whole >= low && whole < high)) {
        tirbi_report_error(b->diagnostics, TIRB_VALUE, span, "the value %g does not fit type %s", value,
                           tirb_datatype_text(dtype, text));
        return NULL;
    }
    int64_t bits = whole >= 0x1p63 ? (int64_t)(uint64_t)whole : (int64_t)whole;
    return tirbi_make_int(b, span, dtype, bits);
}

const tirb_expr *tirbi_make_number(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, double value) {
    char text[32];
    if (tirbi_type_is_float(dtype)) return tirbi_make_float(b, span, dtype, value);
    if (tirbi_type_is_bool(dtype)) return tirbi_make_bool(b, span, value != 0);
    if (tirbi_type_is_int(dtype)) return float_to_int(b, span, dtype, value);
    tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "a number cannot have type %s",
                       tirb_datatype_text(dtype, text));
    return NULL;
}

/* ---- Conversion ------------------------------------------------------------------------------------------------- */

static double int_as_double(const tirb_expr *e) {
    if (e->dtype.code == TIRB_CODE_UINT && e->dtype.bits == 64) return (double)(uint64_t)e->as.int_value;
    return (double)e->as.int_value;
}

static const tirb_expr *convert_literal(tirbi_builder *b, tirbi_span span, tirb_datatype dtype,
                                        const tirb_expr *value) {
    if (value->kind == TIRB_EXPR_FLOAT_IMM) return tirbi_make_number(b, span, dtype, value->as.float_value);
    char text[32];
    if (dtype.code == TIRB_CODE_UINT && value->dtype.code == TIRB_CODE_INT && value->as.int_value < 0) {
        tirbi_report_error(b->diagnostics, TIRB_VALUE, span, "cannot make %s from the negative value %lld",
                           tirb_datatype_text(dtype, text), (long long)value->as.int_value);
        return NULL;
    }
    if (tirbi_type_is_int(dtype) || tirbi_type_is_bool(dtype))
        return tirbi_make_int(b, span, dtype, value->as.int_value);
    return tirbi_make_number(b, span, dtype, int_as_double(value));
}

const tirb_expr *tirbi_make_raw_cast(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, const tirb_expr *value) {
    char from[32], to[32];
    if (!value) return NULL;
    if (!tirbi_lanes_equal(tirbi_lanes_of(value->dtype), tirbi_lanes_of(dtype))) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "cannot cast %s to %s: the numbers of lanes differ",
                           tirb_datatype_text(value->dtype, from), tirb_datatype_text(dtype, to));
        return NULL;
    }
    if (value->kind == TIRB_EXPR_STRING_IMM) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "a string is no value of type %s",
                           tirb_datatype_text(dtype, to));
        return NULL;
    }
    bool to_pointer = tirbi_type_is_handle(dtype) && dtype.bits != 0;
    bool from_pointer = tirbi_type_is_handle(value->dtype) && value->dtype.bits != 0;
    bool pointers =
        to_pointer && (from_pointer || tirbi_type_is_int(value->dtype)); /* an integer 0 is the null pointer */
    if (!pointers && (tirbi_type_is_handle(value->dtype) || tirbi_type_is_handle(dtype))) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "cannot cast %s to %s",
                           tirb_datatype_text(value->dtype, from), tirb_datatype_text(dtype, to));
        return NULL;
    }
    tirb_expr *e = new_expr(b, TIRB_EXPR_CAST, dtype, span);
    if (!e) return NULL;
    e->as.cast.value = value;
    adopt(e, value);
    return finish(b, e);
}

static bool is_literal(const tirb_expr *e) { return e->kind == TIRB_EXPR_INT_IMM || e->kind == TIRB_EXPR_FLOAT_IMM; }

const tirb_expr *tirbi_make_cast(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, const tirb_expr *value) {
    if (!value || tirb_datatype_equal(value->dtype, dtype)) return value;
    tirb_datatype element = tirbi_type_element(dtype);
    const tirbi_lanes lanes = tirbi_lanes_of(dtype);
    if (value->dtype.lanes == 1) {
        const tirb_expr *scalar = value;
        if (!tirb_datatype_equal(value->dtype, element))
            scalar = is_literal(value) ? convert_literal(b, value->span, element, value)
                                       : tirbi_make_raw_cast(b, span, element, value);
        return dtype.lanes == 1 ? scalar : tirbi_make_broadcast(b, span, scalar, lanes);
    }
    bool same_lanes = tirbi_lanes_equal(tirbi_lanes_of(value->dtype), lanes);
    if (same_lanes && value->kind == TIRB_EXPR_BROADCAST)
        return tirbi_make_broadcast(b, span, tirbi_make_cast(b, span, element, value->as.broadcast.value), lanes);
    if (same_lanes && value->kind == TIRB_EXPR_RAMP && tirbi_type_is_int(dtype))
        return tirbi_make_ramp(b, span, tirbi_make_cast(b, span, element, value->as.ramp.base),
                               tirbi_make_cast(b, span, element, value->as.ramp.stride), lanes);
    return tirbi_make_raw_cast(b, span, dtype, value);
}

/* ---- Promotion -------------------------------------------------------------------------------------------------- */

/* The common type of two different element types; false if there is none. */
static bool common_type(tirb_datatype x, tirb_datatype y, tirb_datatype *out) {
    if (tirbi_type_is_handle(x) || tirbi_type_is_handle(y)) return false;
    bool x_float = x.code == TIRB_CODE_FLOAT, y_float = y.code == TIRB_CODE_FLOAT;
    if (x_float && y_float)
        *out = x.bits >= y.bits ? x : y;
    else if (x_float || y_float)
        *out = x_float ? x : y;
    else if (x.code == TIRB_CODE_BFLOAT || y.code == TIRB_CODE_BFLOAT)
        *out = x.code == TIRB_CODE_BFLOAT ? x : y;
    else if (tirb_datatype_is_narrow_float(x) && tirb_datatype_is_narrow_float(y))
        *out = x.bits >= y.bits ? x : y;
    else if (tirb_datatype_is_narrow_float(x) || tirb_datatype_is_narrow_float(y))
        *out = tirb_datatype_is_narrow_float(x) ? x : y;
    else if (tirbi_type_is_bool(x) || tirbi_type_is_bool(y))
        *out = tirbi_type_is_bool(x) ? y : x;
    else if (x.bits != y.bits)
        *out = x.bits > y.bits ? x : y;
    else
        *out = x.code == TIRB_CODE_UINT ? x : y;
    return true;
}

static bool match_lanes(tirbi_builder *b, tirbi_span span, const tirb_expr **x, const tirb_expr **y) {
    char left[32], right[32];
    tirbi_lanes m = tirbi_lanes_of((*x)->dtype), n = tirbi_lanes_of((*y)->dtype);
    if (m.n == 1 && n.n > 1) *x = tirbi_make_broadcast(b, (*x)->span, *x, n);
    if (n.n == 1 && m.n > 1) *y = tirbi_make_broadcast(b, (*y)->span, *y, m);
    if (!*x || !*y) return false;
    if (tirbi_lanes_equal(tirbi_lanes_of((*x)->dtype), tirbi_lanes_of((*y)->dtype))) return true;
    tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "mismatched numbers of lanes: %s and %s",
                       tirb_datatype_text((*x)->dtype, left), tirb_datatype_text((*y)->dtype, right));
    return false;
}

bool tirbi_match_types(tirbi_builder *b, tirbi_span span, const tirb_expr **x, const tirb_expr **y) {
    char left[32], right[32];
    if (!*x || !*y) return false;
    if (tirb_datatype_equal((*x)->dtype, (*y)->dtype)) return true;
    if (!match_lanes(b, span, x, y)) return false;
    if (tirb_datatype_equal((*x)->dtype, (*y)->dtype)) return true;
    tirb_datatype type;
    if (!common_type((*x)->dtype, (*y)->dtype, &type)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "mismatched types: %s and %s",
                           tirb_datatype_text((*x)->dtype, left), tirb_datatype_text((*y)->dtype, right));
        return false;
    }
    *x = tirbi_make_cast(b, (*x)->span, type, *x);
    *y = tirbi_make_cast(b, (*y)->span, type, *y);
    return *x && *y;
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

static bool is_compare(tirb_expr_kind kind) { return kind >= TIRB_EXPR_EQ && kind <= TIRB_EXPR_GE; }

static const tirb_expr *binary_node(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                    const tirb_expr *y) {
    bool logical = is_compare(kind) || kind == TIRB_EXPR_AND || kind == TIRB_EXPR_OR;
    tirb_datatype type = logical ? tirbi_type_with_lanes(tirbi_type_bool, tirbi_lanes_of(x->dtype)) : x->dtype;
    tirb_expr *e = new_expr(b, kind, type, span);
    if (!e) return NULL;
    e->as.binary.a = x;
    e->as.binary.b = y;
    adopt(e, x);
    adopt(e, y);
    return finish(b, e);
}

const tirb_expr *tirbi_make_raw_binary(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                       const tirb_expr *y) {
    char left[32], right[32];
    if (!x || !y) return NULL;
    if (!tirb_datatype_equal(x->dtype, y->dtype)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "mismatched types: %s and %s",
                           tirb_datatype_text(x->dtype, left), tirb_datatype_text(y->dtype, right));
        return NULL;
    }
    if ((kind == TIRB_EXPR_AND || kind == TIRB_EXPR_OR) && !tirbi_type_is_bool(x->dtype)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                           "`%s` needs bool operands, not %s: write `x != 0` for whether x is not 0",
                           kind == TIRB_EXPR_AND ? "and" : "or", tirb_datatype_text(x->dtype, left));
        return NULL;
    }
    return binary_node(b, span, kind, x, y);
}

static bool is_bad_operand(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x) {
    char text[32];
    bool floor_kind = kind == TIRB_EXPR_FLOORDIV || kind == TIRB_EXPR_FLOORMOD;
    if (!tirbi_type_is_handle(x->dtype) && !(floor_kind && !tirbi_type_is_int(x->dtype))) return false;
    tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                       floor_kind ? "'//' and '%%' need integer operands, not %s: write T.floor(a / b), or T.fmod(a, b)"
                                  : "this operator needs numbers, not %s",
                       tirb_datatype_text(x->dtype, text));
    return true;
}

const tirb_expr *tirbi_make_binary(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                   const tirb_expr *y) {
    bool failed;
    if (!x || !y || is_bad_operand(b, span, kind, x) || is_bad_operand(b, span, kind, y)) return NULL;
    if (!tirbi_match_types(b, span, &x, &y)) return NULL;
    const tirb_expr *folded = tirbi_fold_binary(b, span, kind, x, y, &failed);
    if (folded || failed) return folded;
    return binary_node(b, span, kind, x, y);
}

const tirb_expr *tirbi_make_compare(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                    const tirb_expr *y) {
    if (!x || !y || !match_lanes(b, span, &x, &y)) return NULL;
    return tirbi_make_raw_binary(b, span, kind, x, y);
}

const tirb_expr *tirbi_make_not(tirbi_builder *b, tirbi_span span, const tirb_expr *x) {
    char text[32];
    if (!x) return NULL;
    if (!tirbi_type_is_bool(x->dtype)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                           "`not` needs a bool operand, not %s: write `x == 0` for whether x is 0",
                           tirb_datatype_text(x->dtype, text));
        return NULL;
    }
    tirb_expr *e = new_expr(b, TIRB_EXPR_NOT, x->dtype, span);
    if (!e) return NULL;
    e->as.cast.value = x;
    adopt(e, x);
    return finish(b, e);
}

const tirb_expr *tirbi_make_bitwise(tirbi_builder *b, tirbi_span span, tirb_builtin builtin, const tirb_expr *x,
                                    const tirb_expr *y) {
    char text[32];
    bool failed;
    if (!x || !y) return NULL;
    bool shift = builtin == TIRB_BUILTIN_SHIFT_LEFT || builtin == TIRB_BUILTIN_SHIFT_RIGHT;
    for (int i = 0; i < 2; i++) {
        tirb_datatype type = (i ? y : x)->dtype;
        if (tirbi_type_is_int(type) || (!shift && tirbi_type_is_bool(type))) continue;
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                           "%s needs integer operands, not %s: write T.reinterpret(\"uint32\", x) for the bits of "
                           "a float, or T.pow(x, y)",
                           tirb_builtins[builtin].name, tirb_datatype_text(type, text));
        return NULL;
    }
    if (!tirbi_match_types(b, span, &x, &y)) return NULL;
    const tirb_expr *folded = tirbi_fold_bitwise(b, span, builtin, x, y, &failed);
    if (folded || failed) return folded;
    const tirb_expr *args[] = {x, y};
    return tirbi_make_call(b, span, x->dtype, builtin, args, 2);
}

const tirb_expr *tirbi_make_select(tirbi_builder *b, tirbi_span span, const tirb_expr *condition,
                                   const tirb_expr *true_value, const tirb_expr *false_value) {
    char left[32], right[32];
    if (!condition || !true_value || !false_value) return NULL;
    if (!tirbi_type_is_bool(condition->dtype)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, tirbi_place(b, condition),
                           "the condition of Select must be bool, not %s", tirb_datatype_text(condition->dtype, left));
        return NULL;
    }
    if (condition->dtype.lanes != 1 && condition->dtype.lanes != true_value->dtype.lanes) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, condition->span,
                           "the condition of Select is %s, which has not as many lanes as its arms, %s",
                           tirb_datatype_text(condition->dtype, left), tirb_datatype_text(true_value->dtype, right));
        return NULL;
    }
    if (!tirb_datatype_equal(true_value->dtype, false_value->dtype)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                           "the arms have different types: %s and %s; write T.Cast(type, x) around one",
                           tirb_datatype_text(true_value->dtype, left), tirb_datatype_text(false_value->dtype, right));
        return NULL;
    }
    tirb_expr *e = new_expr(b, TIRB_EXPR_SELECT, true_value->dtype, span);
    if (!e) return NULL;
    e->as.select.condition = condition;
    e->as.select.true_value = true_value;
    e->as.select.false_value = false_value;
    adopt(e, condition);
    adopt(e, true_value);
    adopt(e, false_value);
    return finish(b, e);
}

const tirb_expr *tirbi_make_if_then_else(tirbi_builder *b, tirbi_span span, const tirb_expr *condition,
                                         const tirb_expr *true_value, const tirb_expr *false_value) {
    char text[32];
    if (!condition || !tirbi_match_types(b, span, &true_value, &false_value)) return NULL;
    if (!tirbi_type_is_bool(condition->dtype) || condition->dtype.lanes != 1) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, tirbi_place(b, condition),
                           "the condition must be a scalar bool, not %s: write `x != 0`",
                           tirb_datatype_text(condition->dtype, text));
        return NULL;
    }
    if (condition->kind == TIRB_EXPR_INT_IMM) return condition->as.int_value ? true_value : false_value;
    const tirb_expr *args[] = {condition, true_value, false_value};
    return tirbi_make_call(b, span, true_value->dtype, TIRB_BUILTIN_IF_THEN_ELSE, args, 3);
}

/* ---- Vectors ---------------------------------------------------------------------------------------------------- */

static bool good_lanes(tirbi_builder *b, tirbi_span span, tirbi_lanes lanes) {
    if (lanes.n >= 2 && lanes.n <= TIRBI_MAX_LANES) return true;
    tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "a vector of %s%lld lanes; there may be 2 to %d",
                       lanes.scalable ? "vscale x " : "", (long long)lanes.n, TIRBI_MAX_LANES);
    return false;
}

const tirb_expr *tirbi_make_lanes(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirbi_lanes lanes) {
    if (!lanes.scalable) return tirbi_make_int(b, span, type, lanes.n);
    const tirb_expr *n = tirbi_make_int(b, span, tirbi_type_i32, lanes.n);
    const tirb_expr *scale = tirbi_make_call(b, span, tirbi_type_i32, TIRB_BUILTIN_VSCALE, NULL, 0);
    return tirbi_make_cast(b, span, type, tirbi_make_binary(b, span, TIRB_EXPR_MUL, scale, n));
}

static bool is_scalar(tirbi_builder *b, const tirb_expr *e, const char *what) {
    char text[32];
    if (e->dtype.lanes == 1 && !tirbi_type_is_handle(e->dtype)) return true;
    tirbi_report_error(b->diagnostics, TIRB_TYPE, tirbi_place(b, e), "%s must be a scalar, not %s", what,
                       tirb_datatype_text(e->dtype, text));
    return false;
}

const tirb_expr *tirbi_make_ramp(tirbi_builder *b, tirbi_span span, const tirb_expr *base, const tirb_expr *stride,
                                 tirbi_lanes lanes) {
    char left[32], right[32];
    if (!base || !stride || !good_lanes(b, span, lanes)) return NULL;
    if (!is_scalar(b, base, "the base of a ramp") || !is_scalar(b, stride, "the stride of a ramp")) return NULL;
    if (is_literal(stride)) stride = tirbi_make_cast(b, stride->span, base->dtype, stride);
    if (stride && is_literal(base)) base = tirbi_make_cast(b, base->span, stride->dtype, base);
    if (!base || !stride) return NULL;
    if (!tirb_datatype_equal(base->dtype, stride->dtype) || !tirbi_type_is_int(base->dtype)) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                           "the base and the stride of a ramp must be integers of one type, not %s and %s",
                           tirb_datatype_text(base->dtype, left), tirb_datatype_text(stride->dtype, right));
        return NULL;
    }
    tirb_expr *e = new_expr(b, TIRB_EXPR_RAMP, tirbi_type_with_lanes(base->dtype, lanes), span);
    if (!e) return NULL;
    e->as.ramp.base = base;
    e->as.ramp.stride = stride;
    adopt(e, base);
    adopt(e, stride);
    return finish(b, e);
}

const tirb_expr *tirbi_make_broadcast(tirbi_builder *b, tirbi_span span, const tirb_expr *value, tirbi_lanes lanes) {
    if (!value || !good_lanes(b, span, lanes) || !is_scalar(b, value, "a value that is broadcast")) return NULL;
    tirb_expr *e = new_expr(b, TIRB_EXPR_BROADCAST, tirbi_type_with_lanes(value->dtype, lanes), span);
    if (!e) return NULL;
    e->as.broadcast.value = value;
    adopt(e, value);
    return finish(b, e);
}

const tirb_expr *tirbi_make_shuffle(tirbi_builder *b, tirbi_span span, const tirb_expr *const *vectors,
                                    uint32_t n_vectors, const tirb_expr *const *indices, uint32_t n_indices) {
    char text[32];
    if (any_null(vectors, n_vectors) || any_null(indices, n_indices)) return NULL;
    if (n_vectors == 0 || n_indices == 0 || n_indices > TIRBI_MAX_LANES) {
        tirbi_report_error(b->diagnostics, TIRB_TYPE, span, "a shuffle needs vectors and 1 to %d indices",
                           TIRBI_MAX_LANES);
        return NULL;
    }
    tirb_datatype element = tirbi_type_element(vectors[0]->dtype);
    for (uint32_t i = 1; i < n_vectors; i++) {
        if (tirb_datatype_equal(tirbi_type_element(vectors[i]->dtype), element)) continue;
        tirbi_report_error(b->diagnostics, TIRB_TYPE, tirbi_place(b, vectors[i]),
                           "the vectors of a shuffle must have one element type");
        return NULL;
    }
    for (uint32_t i = 0; i < n_vectors; i++) {
        if (!vectors[i]->dtype.scalable) continue;
        tirbi_report_error(b->diagnostics, TIRB_TYPE, tirbi_place(b, vectors[i]),
                           "a shuffle takes vectors of a fixed length, not %s",
                           tirb_datatype_text(vectors[i]->dtype, text));
        return NULL;
    }
    tirb_expr *e =
        new_expr(b, TIRB_EXPR_SHUFFLE, tirbi_type_with_lanes(element, (tirbi_lanes){n_indices, false}), span);
    if (!e) return NULL;
    e->as.shuffle.vectors = vectors;
    e->as.shuffle.indices = indices;
    e->as.shuffle.n_vectors = n_vectors;
    e->as.shuffle.n_indices = n_indices;
    adopt_all(e, vectors, n_vectors);
    adopt_all(e, indices, n_indices);
    return finish(b, e);
}

const tirb_expr *tirbi_make_reduce(tirbi_builder *b, tirbi_span span, const tirb_reduce *r) {
    uint32_t n = r->n_values;
    if (any_null(r->source, n) || any_null(r->result, n) || any_null(r->identity, n)) return NULL;
    tirb_expr *e = new_expr(b, TIRB_EXPR_REDUCE, r->source[r->value_index]->dtype, span);
    if (!e) return NULL;
    e->as.reduce = r;
    adopt_all(e, r->source, n);
    adopt_all(e, r->result, n);
    adopt_all(e, r->identity, n);
    if (r->init) adopt_all(e, r->init, n);
    adopt(e, r->condition);
    for (uint32_t i = 0; i < r->n_axis; i++) {
        adopt(e, r->axis[i].dom.min);
        adopt(e, r->axis[i].dom.extent);
    }
    return finish(b, e);
}

/* ---- Lets, loads and calls -------------------------------------------------------------------------------------- */

bool tirbi_access_type(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *const *indices,
                       uint32_t n_indices, tirb_datatype *out) {
    tirbi_lanes lanes = tirbi_access_lanes(buffer, indices, n_indices);
    if (lanes.n > TIRBI_MAX_LANES) return good_lanes(b, span, lanes);
    *out = tirbi_type_with_lanes(buffer->dtype, lanes);
    if (!buffer->dtype.scalable || !n_indices || !indices[n_indices - 1]->dtype.scalable) return true;
    char text[32];
    tirbi_report_error(b->diagnostics, TIRB_TYPE, span,
                       "a scalable vector of elements that are %s: one of the two may be scalable",
                       tirb_datatype_text(buffer->dtype, text));
    return false;
}

const tirb_expr *tirbi_make_let(tirbi_builder *b, tirbi_span span, const tirb_expr *var, const tirb_expr *value,
                                const tirb_expr *body) {
    if (!var || !value || !body) return NULL;
    tirb_expr *e = new_expr(b, TIRB_EXPR_LET, body->dtype, span);
    if (!e) return NULL;
    e->as.let.var = var;
    e->as.let.value = value;
    e->as.let.body = body;
    adopt(e, value);
    adopt(e, body);
    return finish(b, e);
}

const tirb_expr *tirbi_make_load(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer,
                                 const tirb_expr *const *indices, uint32_t n_indices, const tirb_expr *predicate) {
    if (!buffer || any_null(indices, n_indices)) return NULL;
    tirb_datatype type;
    if (!tirbi_access_type(b, span, buffer, indices, n_indices, &type)) return NULL;
    tirb_expr *e = new_expr(b, TIRB_EXPR_LOAD, type, span);
    if (!e) return NULL;
    e->as.load.buffer = buffer;
    e->as.load.indices = indices;
    e->as.load.n_indices = n_indices;
    e->as.load.predicate = predicate;
    adopt_all(e, indices, n_indices);
    adopt(e, predicate);
    return finish(b, e);
}

static const tirb_expr *call_node(tirbi_builder *b, tirb_expr *e, const tirb_expr *const *args, uint32_t n_args) {
    e->as.call.args = TIRBI_NEW_ARRAY(b->arena, const tirb_expr *, n_args);
    if (!e->as.call.args) return NULL;
    if (n_args) memcpy((void *)e->as.call.args, args, n_args * sizeof *args);
    e->as.call.n_args = n_args;
    adopt_all(e, args, n_args);
    return finish(b, e);
}

/* Regions are part of the call as their extents are; where they begin is in the arguments. */
static const tirb_expr *passing_call(tirbi_builder *b, tirb_expr *e, const tirb_expr *const *args,
                                     const tirb_buffer_region *passed, uint32_t n_args) {
    tirb_buffer_region *copy = passed ? TIRBI_NEW_ARRAY(b->arena, tirb_buffer_region, n_args) : NULL;
    if (passed && !copy) return NULL;
    e->as.call.passed = copy;
    for (uint32_t i = 0; passed && i < n_args; i++) {
        copy[i] = passed[i];
        for (uint32_t d = 0; passed[i].region && d < passed[i].buffer->ndim; d++) adopt(e, passed[i].region[d].extent);
    }
    return call_node(b, e, args, n_args);
}

const tirb_expr *tirbi_make_passing_call(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, tirb_builtin builtin,
                                         const tirb_expr *const *args, const tirb_buffer_region *passed,
                                         uint32_t n_args) {
    if (any_null(args, n_args)) return NULL;
    tirb_expr *e = new_expr(b, TIRB_EXPR_CALL, dtype, span);
    if (!e) return NULL;
    e->as.call.builtin = builtin;
    e->as.call.symbol = tirbi_c_name(b->arena, builtin, dtype);
    if (e->as.call.symbol) e->as.call.written_as = TIRB_BUILTIN_CALL_PURE_EXTERN;
    return passing_call(b, e, args, passed, n_args);
}

const tirb_expr *tirbi_make_call(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, tirb_builtin builtin,
                                 const tirb_expr *const *args, uint32_t n_args) {
    return tirbi_make_passing_call(b, span, dtype, builtin, args, NULL, n_args);
}

const tirb_expr *tirbi_make_data(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer) {
    if (!buffer->data || buffer->data->kind != TIRB_EXPR_VAR || buffer->data->as.var.data_of == buffer)
        return buffer->data;
    return tirbi_make_passing_call(b, span, tirbi_type_handle, TIRB_BUILTIN_BUFFER_DATA, &buffer->data,
                                   &(tirb_buffer_region){.buffer = buffer}, 1);
}

const tirb_buffer *tirbi_data_view(const tirb_expr *e) {
    bool names = e->kind == TIRB_EXPR_CALL && !e->as.call.function_name &&
                 e->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA && e->as.call.passed;
    return names ? e->as.call.passed[0].buffer : NULL;
}

const tirb_expr *tirbi_make_extern_call(tirbi_builder *b, tirbi_span span, const char *name,
                                        const tirb_expr *const *args, const tirb_buffer_region *passed,
                                        uint32_t n_args) {
    tirb_expr *e = any_null(args, n_args) ? NULL : new_expr(b, TIRB_EXPR_CALL, tirbi_type_void, span);
    if (!e) return NULL;
    e->as.call.function_name = name;
    return passing_call(b, e, args, passed, n_args);
}

const tirb_expr *tirbi_make_function_call(tirbi_builder *b, tirbi_span span, const tirb_primfunc *function,
                                          const tirb_expr *const *args, const tirb_buffer_region *passed,
                                          uint32_t n_args) {
    if (any_null(args, n_args)) return NULL;
    bool returns = function->ret_type.kind != TIRB_TYPE_TUPLE;
    tirb_datatype dtype = returns ? function->ret_type.dtype : tirbi_type_void;
    if (function->ret_type.kind == TIRB_TYPE_POINTER) dtype = tirbi_type_handle;
    tirb_expr *e = new_expr(b, TIRB_EXPR_CALL, dtype, span);
    if (!e) return NULL;
    e->as.call.function = function;
    e->as.call.function_name = function->name;
    return passing_call(b, e, args, passed, n_args);
}
