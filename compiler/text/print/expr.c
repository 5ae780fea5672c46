/* Expressions, types and buffer accesses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/text/print/printer.h"

/* Python's levels of precedence. */
enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_BIT_OR, LEVEL_BIT_XOR, LEVEL_BIT_AND, LEVEL_SHIFT,
       LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY, LEVEL_ATOM };

typedef struct operator_sign {
    const char *text; /* NULL: none */
    int level;
} operator_sign;

static operator_sign sign_of_kind(tirb_expr_kind kind) {
    switch (kind) {
    case TIRB_EXPR_ADD: return (operator_sign){" + ", LEVEL_SUM};
    case TIRB_EXPR_SUB: return (operator_sign){" - ", LEVEL_SUM};
    case TIRB_EXPR_MUL: return (operator_sign){" * ", LEVEL_PRODUCT};
    case TIRB_EXPR_DIV: return (operator_sign){" / ", LEVEL_PRODUCT};
    case TIRB_EXPR_FLOORDIV: return (operator_sign){" // ", LEVEL_PRODUCT};
    case TIRB_EXPR_FLOORMOD: return (operator_sign){" % ", LEVEL_PRODUCT};
    case TIRB_EXPR_EQ: return (operator_sign){" == ", LEVEL_COMPARE};
    case TIRB_EXPR_NE: return (operator_sign){" != ", LEVEL_COMPARE};
    case TIRB_EXPR_LT: return (operator_sign){" < ", LEVEL_COMPARE};
    case TIRB_EXPR_LE: return (operator_sign){" <= ", LEVEL_COMPARE};
    case TIRB_EXPR_GT: return (operator_sign){" > ", LEVEL_COMPARE};
    case TIRB_EXPR_GE: return (operator_sign){" >= ", LEVEL_COMPARE};
    case TIRB_EXPR_AND: return (operator_sign){" and ", LEVEL_AND};
    case TIRB_EXPR_OR: return (operator_sign){" or ", LEVEL_OR};
    default: return (operator_sign){NULL, LEVEL_ATOM};
    }
}

static operator_sign sign_of_builtin(tirb_builtin builtin) {
    switch (builtin) {
    case TIRB_BUILTIN_BITWISE_AND: return (operator_sign){" & ", LEVEL_BIT_AND};
    case TIRB_BUILTIN_BITWISE_OR: return (operator_sign){" | ", LEVEL_BIT_OR};
    case TIRB_BUILTIN_BITWISE_XOR: return (operator_sign){" ^ ", LEVEL_BIT_XOR};
    case TIRB_BUILTIN_SHIFT_LEFT: return (operator_sign){" << ", LEVEL_SHIFT};
    case TIRB_BUILTIN_SHIFT_RIGHT: return (operator_sign){" >> ", LEVEL_SHIFT};
    default: return (operator_sign){NULL, LEVEL_ATOM};
    }
}

static const char *raw_name(tirb_expr_kind kind) {
    static const char *const names[] = {"Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max",
                                        "EQ",  "NE",  "LT",  "LE",  "GT",  "GE",       "And",      "Or"};
    return names[kind - TIRB_EXPR_ADD];
}

static bool is_constant(const tirb_expr *e) { return e->kind == TIRB_EXPR_INT_IMM || e->kind == TIRB_EXPR_FLOAT_IMM; }

/* A constant that prints as a bare number. */
static bool is_python_int(const tirb_expr *e) {
    return e->kind == TIRB_EXPR_INT_IMM && tirb_datatype_equal(e->dtype, tirbi_type_i32);
}

/* Whether reading the promoted and folded form of the operation gives this node back. */
static bool survives_folding(tirbi_printer *p, const tirb_expr *e) {
    const tirb_expr *a = e->as.binary.a, *b = e->as.binary.b;
    if (p->relax) return true;
    if (e->kind >= TIRB_EXPR_EQ && e->kind <= TIRB_EXPR_GE) return !(is_constant(a) && is_constant(b));
    if (e->kind == TIRB_EXPR_AND || e->kind == TIRB_EXPR_OR)
        return e->dtype.lanes == 1 && !is_constant(a) && !is_constant(b);
    bool whole = tirbi_type_is_int(e->dtype);
    if (e->kind == TIRB_EXPR_DIV && whole && !p->hybrid) return false;
    if ((e->kind == TIRB_EXPR_FLOORDIV || e->kind == TIRB_EXPR_FLOORMOD) && !whole) return false;
    bool truth = tirbi_type_is_bool(e->dtype);
    if (!whole && !truth && !tirbi_type_is_float(e->dtype)) return false;
    if (is_constant(b) && b->as.int_value == 0 && tirbi_type_is_int(b->dtype) &&
        (e->kind == TIRB_EXPR_MOD || e->kind == TIRB_EXPR_FLOORDIV || e->kind == TIRB_EXPR_FLOORMOD))
        return false; /* the parser rejects it, and would say so here */
    const tirb_expr *made = tirbi_make_binary(&p->builder, e->span, e->kind, a, b);
    return made && made->kind == e->kind && made->as.binary.a == a && made->as.binary.b == b;
}

static bool bitwise_survives(tirbi_printer *p, const tirb_expr *e) {
    if (e->as.call.n_args != 2 || !sign_of_builtin(e->as.call.builtin).text) return false;
    const tirb_expr *a = e->as.call.args[0], *b = e->as.call.args[1];
    bool folds = tirb_datatype_equal(a->dtype, tirbi_type_i32) || tirb_datatype_equal(a->dtype, tirbi_type_i64);
    if (is_constant(a) && is_constant(b) && folds) return false;
    if (folds && is_constant(b) &&
        (e->as.call.builtin == TIRB_BUILTIN_SHIFT_LEFT || e->as.call.builtin == TIRB_BUILTIN_SHIFT_RIGHT))
        return b->as.int_value > 0 && b->as.int_value < a->dtype.bits;
    const tirb_expr *made = tirbi_make_bitwise(&p->builder, e->span, e->as.call.builtin, a, b);
    return made && made->kind == TIRB_EXPR_CALL && made->as.call.n_args == 2 && made->as.call.args[0] == a &&
           made->as.call.args[1] == b;
}

bool tirbi_prints_call(tirbi_printer *p, const tirb_expr *e) {
    if (e->kind != TIRB_EXPR_CALL) return false;
    if (e->as.call.function_name) return true;
    return !tirbi_data_view(e) && e->as.call.builtin != TIRB_BUILTIN_BITWISE_NOT && !bitwise_survives(p, e);
}

static void print_at(tirbi_printer *p, const tirb_expr *e, int least);

static void print_operator(tirbi_printer *p, operator_sign sign, const tirb_expr *a, const tirb_expr *b, int least) {
    bool brackets = sign.level < least;
    if (brackets) tirbi_put(p, "(");
    /* a < b < c would be a chain. */
    print_at(p, a, sign.level == LEVEL_COMPARE ? sign.level + 1 : sign.level);
    tirbi_put(p, sign.text);
    print_at(p, b, sign.level + 1);
    if (brackets) tirbi_put(p, ")");
}

static void print_args(tirbi_printer *p, const tirb_expr *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_expr(p, args[i]);
    }
}

static void print_binary(tirbi_printer *p, const tirb_expr *e, int least) {
    bool same = survives_folding(p, e);
    operator_sign sign = sign_of_kind(e->kind);
    if (same && sign.text) {
        print_operator(p, sign, e->as.binary.a, e->as.binary.b, least);
        return;
    }
    const char *name = raw_name(e->kind);
    if (same) name = e->kind == TIRB_EXPR_MOD ? "truncmod" : e->kind == TIRB_EXPR_MIN ? "min" : "max";
    tirbi_putf(p, "T.%s(", name);
    tirbi_print_expr(p, e->as.binary.a);
    tirbi_put(p, ", ");
    tirbi_print_expr(p, e->as.binary.b);
    tirbi_put(p, ")");
}

/* ---- Constants and types ---------------------------------------------------------------------------------------- */

static void print_number(tirbi_printer *p, double value) {
    bool whole = value == floor(value);
    tirbi_putf(p, whole ? "%.1f" : "%.17g", value);
}

static void print_float(tirbi_printer *p, const tirb_expr *e) {
    char type[32];
    double value = e->as.float_value;
    tirbi_putf(p, "T.%s(", tirb_datatype_text(e->dtype, type));
    if (isnan(value)) {
        tirbi_put(p, "\"nan\"");
    } else if (isinf(value)) {
        tirbi_put(p, value > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        print_number(p, value);
    }
    tirbi_put(p, ")");
}

static void print_int(tirbi_printer *p, const tirb_expr *e) {
    char type[32];
    if (p->relax) {
        if (tirbi_type_is_bool(e->dtype)) tirbi_put(p, e->as.int_value ? "True" : "False");
        else tirbi_putf(p, "%lld", (long long)e->as.int_value);
    } else if (tirbi_type_is_bool(e->dtype)) {
        tirbi_put(p, e->as.int_value ? "T.bool(True)" : "T.bool(False)");
    } else if (tirb_datatype_equal(e->dtype, tirbi_type_i32)) {
        tirbi_putf(p, "%lld", (long long)e->as.int_value);
    } else if (e->dtype.code == TIRB_CODE_UINT) {
        tirbi_putf(p, "T.%s(%llu)", tirb_datatype_text(e->dtype, type), (unsigned long long)e->as.int_value);
    } else {
        tirbi_putf(p, "T.%s(%lld)", tirb_datatype_text(e->dtype, type), (long long)e->as.int_value);
    }
}

static void print_hybrid_type(tirbi_printer *p, tirb_type type) {
    char text[32];
    bool is_void = type.kind != TIRB_TYPE_POINTER || (type.dtype.code == TIRB_CODE_HANDLE && type.dtype.bits == 0);
    if (is_void) {
        tirbi_putf(p, "ty.%s", tirbi_type_is_handle(type.dtype) ? "handle" : tirb_datatype_text(type.dtype, text));
        return;
    }
    tirbi_putf(p, "ty.Ptr[ty.%s", tirb_datatype_text(type.dtype, text));
    if (type.scope && type.scope[0]) {
        tirbi_put(p, ", ");
        tirbi_put_string(p, type.scope, strlen(type.scope));
    }
    tirbi_put(p, "]");
}

void tirbi_print_type(tirbi_printer *p, tirb_type type) {
    char text[32];
    if (p->hybrid) {
        print_hybrid_type(p, type);
        return;
    }
    if (type.kind == TIRB_TYPE_PRIM && !tirbi_type_is_handle(type.dtype)) {
        tirbi_putf(p, "T.%s", tirb_datatype_text(type.dtype, text));
        return;
    }
    tirbi_put(p, "T.handle");
    bool is_void = type.kind != TIRB_TYPE_POINTER || (type.dtype.code == TIRB_CODE_HANDLE && type.dtype.bits == 0);
    if (is_void) return;
    tirbi_putf(p, "(\"%s\"", tirb_datatype_text(type.dtype, text));
    if (type.scope && type.scope[0]) {
        tirbi_put(p, ", ");
        tirbi_put_string(p, type.scope, strlen(type.scope));
    }
    tirbi_put(p, ")");
}

void tirbi_print_attr_value(tirbi_printer *p, const tirb_attr *attr) {
    const tirb_expr *value = attr->value;
    if (!value) {
        tirbi_put(p, attr->text ? attr->text : "None");
    } else if (attr->bare && value->kind == TIRB_EXPR_INT_IMM) {
        if (tirbi_type_is_bool(value->dtype)) tirbi_put(p, value->as.int_value ? "True" : "False");
        else tirbi_putf(p, "%lld", (long long)value->as.int_value);
    } else if (attr->bare && value->kind == TIRB_EXPR_FLOAT_IMM && isfinite(value->as.float_value)) {
        print_number(p, value->as.float_value);
    } else {
        tirbi_print_expr(p, value);
    }
}

static void print_listed(tirbi_printer *p, const tirb_attr *const *attrs, uint32_t n) {
    tirbi_put(p, "{");
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put_string(p, attrs[i]->key, strlen(attrs[i]->key));
        tirbi_put(p, ": ");
        tirbi_print_attr_value(p, attrs[i]);
    }
    tirbi_put(p, "}");
}

void tirbi_print_attrs(tirbi_printer *p, const tirb_attr *attrs, uint32_t n) {
    const tirb_attr **sorted = TIRBI_NEW_ARRAY(p->arena, const tirb_attr *, n);
    if (!sorted) return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && strcmp(sorted[at - 1]->key, attrs[i].key) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = &attrs[i];
    }
    print_listed(p, sorted, n);
}

void tirbi_print_attrs_in_order(tirbi_printer *p, const tirb_attr *attrs, uint32_t n) {
    const tirb_attr **listed = TIRBI_NEW_ARRAY(p->arena, const tirb_attr *, n);
    if (!listed) return;
    for (uint32_t i = 0; i < n; i++) listed[i] = &attrs[i];
    print_listed(p, listed, n);
}

/* ---- Variables and buffers -------------------------------------------------------------------------------------- */

static void add_line(tirbi_printer *p, tirbi_text *to, uint32_t indent, tirbi_text line) {
    for (uint32_t i = 0; i < indent; i++) tirbi_print_add(p, to, "    ", 4);
    tirbi_print_add(p, to, line.data, line.size);
    tirbi_print_add(p, to, "\n", 1);
}

/* `name = T.int32()` where the line under way will find it. */
static void declare_var(tirbi_printer *p, const tirb_expr *var, const char *name, tirbi_text *to, uint32_t indent) {
    tirbi_text outer = p->line;
    p->line = (tirbi_text){0};
    tirb_type type = var->as.var.type;
    bool is_void = type.kind != TIRB_TYPE_POINTER || (type.dtype.code == TIRB_CODE_HANDLE && type.dtype.bits == 0);
    char text[32];
    tirbi_put(p, name);
    tirbi_put(p, " = ");
    if (p->hybrid) {
        tirbi_putf(p, is_void ? "T.var(\"%s\"" : "T.buffer_var(\"%s\"",
                   tirb_datatype_text(is_void ? var->dtype : type.dtype, text));
        if (!is_void) {
            tirbi_put(p, ", ");
            tirbi_put_string(p, type.scope ? type.scope : "", type.scope ? strlen(type.scope) : 0);
        }
        tirbi_put(p, ")");
    } else {
        tirbi_print_type(p, type);
        if (p->line.size && p->line.data[p->line.size - 1] != ')') tirbi_put(p, "()");
    }
    add_line(p, to, indent, p->line);
    p->line = outer;
}

static const char *buffer_name(tirbi_printer *p, const tirb_buffer *buffer);

static void print_var(tirbi_printer *p, const tirb_expr *e) {
    uint32_t id = e->as.var.id;
    if (e->as.var.data_of && !p->vars[id]) {
        tirbi_put(p, buffer_name(p, e->as.var.data_of));
        tirbi_put(p, ".data");
        return;
    }
    if (p->vars[id] && p->undeclared[id] && p->place == TIRBI_PRINT_BODY) {
        p->undeclared[id] = false;
        p->used[id] = true; /* the signature's variables are declared together, at the start of the body */
    }
    if (!p->vars[id]) {
        tirbi_text *to = p->relax ? &p->declared : &p->out;
        declare_var(p, e, tirbi_name_var(p, e), to, p->relax ? p->body_indent : p->indent);
    }
    tirbi_put(p, p->vars[id] ? p->vars[id] : "v");
}

/* The buffer's name; one that no statement declares is declared before the line under way. */
static const char *buffer_name(tirbi_printer *p, const tirb_buffer *buffer) {
    if (p->buffers[buffer->id]) return p->buffers[buffer->id];
    const char *name = tirbi_name_buffer(p, buffer);
    tirbi_text outer = p->line;
    p->line = (tirbi_text){0};
    tirbi_put(p, name);
    const tirb_expr *data = buffer->data;
    bool over_data = data && data->as.var.data_of != buffer;
    tirbi_put(p, over_data || !p->hybrid ? " = T.Buffer(" : " = T.buffer_decl(");
    tirbi_print_buffer_args(p, buffer, over_data ? data : NULL, p->hybrid, true);
    tirbi_put(p, ")");
    add_line(p, &p->out, p->indent, p->line);
    p->line = outer;
    return name;
}

void tirbi_print_buffer_name(tirbi_printer *p, const tirb_buffer *buffer) { tirbi_put(p, buffer_name(p, buffer)); }

static bool gives_extent(tirbi_printer *p, const tirb_range *range, const tirb_expr *stop) {
    const tirb_expr *extent = stop ? tirbi_make_difference(&p->builder, stop->span, stop, range->min) : NULL;
    return extent && tirbi_expr_equal(extent, range->extent);
}

const tirb_expr *tirbi_print_stop(tirbi_printer *p, const tirb_range *range, bool *exact) {
    const tirb_expr *extent = range->extent;
    const tirb_expr *sum = tirbi_make_binary(&p->builder, range->min->span, TIRB_EXPR_ADD, range->min, extent);
    *exact = true;
    *exact = gives_extent(p, range, sum);
    if (*exact) return sum;
    const tirb_expr *raw = tirbi_make_raw_binary(&p->builder, range->min->span, TIRB_EXPR_ADD, range->min, extent);
    *exact = gives_extent(p, range, raw);
    return *exact ? raw : sum;
}

void tirbi_print_bounds(tirbi_printer *p, const tirb_range *range, const char *between) {
    bool exact;
    tirbi_print_expr(p, range->min);
    tirbi_put(p, between);
    const tirb_expr *stop = tirbi_print_stop(p, range, &exact);
    if (stop) tirbi_print_expr(p, stop);
}

/* A slice of constant stride, as stores write vectors. */
static bool print_slice(tirbi_printer *p, const tirb_expr *e) {
    if (e->kind != TIRB_EXPR_RAMP || e->as.ramp.stride->kind != TIRB_EXPR_INT_IMM ||
        e->as.ramp.stride->as.int_value <= 0)
        return false;
    const tirb_expr *base = e->as.ramp.base, *stride = e->as.ramp.stride;
    const tirb_expr *lanes = tirbi_make_lanes(&p->builder, e->span, base->dtype, tirbi_lanes_of(e->dtype));
    const tirb_expr *length = tirbi_make_binary(&p->builder, e->span, TIRB_EXPR_MUL, lanes, stride);
    if (!length) return false;
    tirbi_print_bounds(p, &(tirb_range){base, length}, ":");
    if (stride->as.int_value != 1) tirbi_putf(p, ":%lld", (long long)stride->as.int_value);
    return true;
}

bool tirbi_is_one_i32(const tirb_buffer *b) {
    return b->ndim == 1 && tirbi_is_const_int(b->shape[0], 1) &&
           tirb_datatype_equal(b->shape[0]->dtype, tirbi_type_i32);
}

void tirbi_print_access(tirbi_printer *p, const tirb_buffer *buffer, const tirb_expr *const *indices, uint32_t n,
                        bool stored) {
    tirbi_put(p, buffer_name(p, buffer));
    /* Where none is written, one of 32 bits is read. */
    bool first = n == 1 && tirbi_is_const_int(indices[0], 0) && is_python_int(indices[0]);
    if (first && p->scalars[buffer->id]) return;
    if (first && stored && !p->s_tir && !p->classic && tirbi_is_one_i32(buffer) && !buffer->layout) return;
    tirbi_put(p, "[");
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        if (!stored || !print_slice(p, indices[i])) tirbi_print_expr(p, indices[i]);
    }
    tirbi_put(p, n ? "]" : "()]");
}

static void print_ranges(tirbi_printer *p, const tirb_buffer *buffer, const tirb_range *region, bool slices) {
    tirbi_put(p, buffer_name(p, buffer));
    tirbi_put(p, "[");
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (i) tirbi_put(p, ", ");
        if (!slices && tirbi_is_const_int(region[i].extent, 1)) {
            tirbi_print_expr(p, region[i].min);
        } else {
            tirbi_print_bounds(p, &region[i], ":");
        }
    }
    tirbi_put(p, buffer->ndim ? "]" : "()]");
}

void tirbi_print_region(tirbi_printer *p, const tirb_buffer *buffer, const tirb_range *region) {
    print_ranges(p, buffer, region, false);
}

static void print_load(tirbi_printer *p, const tirb_expr *e) {
    if (tirbi_is_implied(p, e->as.load.buffer)) {
        tirbi_print_pointer_load(p, e);
        return;
    }
    if (!e->as.load.predicate) {
        tirbi_print_access(p, e->as.load.buffer, e->as.load.indices, e->as.load.n_indices, false);
        return;
    }
    char type[32];
    const char *name = buffer_name(p, e->as.load.buffer);
    if (p->classic) {
        tirbi_put(p, name);
        tirbi_put(p, ".vload([");
    } else {
        tirbi_putf(p, "T.masked_load(\"%s\", %s, ", tirb_datatype_text(e->dtype, type), name);
    }
    print_args(p, e->as.load.indices, e->as.load.n_indices);
    tirbi_put(p, p->classic ? "], predicate=" : ", ");
    tirbi_print_expr(p, e->as.load.predicate);
    tirbi_put(p, ")");
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static bool takes_type_first(tirb_builtin builtin, tirb_datatype type) {
    switch (builtin) {
    case TIRB_BUILTIN_REINTERPRET:
    case TIRB_BUILTIN_VECTORLOW:
    case TIRB_BUILTIN_VECTORHIGH:
    case TIRB_BUILTIN_VECTORCOMBINE:
    case TIRB_BUILTIN_CALL_EXTERN:
    case TIRB_BUILTIN_CALL_PURE_EXTERN:
    case TIRB_BUILTIN_CALL_LLVM_INTRIN:
    case TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN:
    case TIRB_BUILTIN_TYPE_ANNOTATION:
    case TIRB_BUILTIN_GET_ACTIVE_LANE_MASK: return true;
    case TIRB_BUILTIN_UNDEF: return !tirb_datatype_equal(type, tirbi_type_i32);
    default: return false;
    }
}

/* All of a buffer, or the part of it that is passed, as slices: an element alone would be its value. */
static void print_passed(tirbi_printer *p, const tirb_buffer_region *passed) {
    bool element = passed->region != NULL;
    for (uint32_t i = 0; element && i < passed->buffer->ndim; i++)
        element = tirbi_is_const_int(passed->region[i].extent, 1);
    if (passed->region) print_ranges(p, passed->buffer, passed->region, element);
    else tirbi_put(p, buffer_name(p, passed->buffer));
}

/* The arguments of a call from the first that is asked for. */
static void print_arguments(tirbi_printer *p, const tirb_expr *call, uint32_t first) {
    for (uint32_t i = first; i < call->as.call.n_args; i++) {
        const tirb_buffer_region *passed = call->as.call.passed ? &call->as.call.passed[i] : NULL;
        if (i > first) tirbi_put(p, ", ");
        if (passed && passed->buffer) print_passed(p, passed);
        else tirbi_print_expr(p, call->as.call.args[i]);
    }
}

static void print_function_call(tirbi_printer *p, const tirb_expr *e) {
    if (p->in_class) {
        tirbi_put(p, p->module->name);
        tirbi_put(p, ".");
    }
    tirbi_put(p, e->as.call.function_name);
    tirbi_put(p, "(");
    print_arguments(p, e, 0);
    tirbi_put(p, ")");
}

/* The type that a call is said to have: of a pointer as TVM writes it, a variable's without a name. */
static void print_call_type(tirbi_printer *p, const tirb_expr *e, const char *type) {
    bool pointer = e->dtype.code == TIRB_CODE_HANDLE && e->dtype.bits != 0 && !p->classic;
    if (!pointer) {
        tirbi_putf(p, "\"%s\"", type);
    } else if (e->as.call.pointer) {
        tirbi_print_type(p, *e->as.call.pointer);
        tirbi_put(p, ".ty");
    } else {
        tirbi_put(p, "T.handle().ty");
    }
}

static const char *raw_bitwise_name(tirb_builtin builtin) {
    switch (builtin) {
    case TIRB_BUILTIN_BITWISE_AND: return "BitwiseAnd";
    case TIRB_BUILTIN_BITWISE_OR: return "BitwiseOr";
    case TIRB_BUILTIN_BITWISE_XOR: return "BitwiseXor";
    case TIRB_BUILTIN_SHIFT_LEFT: return "LShift";
    case TIRB_BUILTIN_SHIFT_RIGHT: return "RShift";
    default: return NULL;
    }
}

static void print_call(tirbi_printer *p, const tirb_expr *e, int least) {
    if (e->as.call.function_name) {
        print_function_call(p, e);
        return;
    }
    tirb_builtin builtin = e->as.call.symbol ? e->as.call.written_as : e->as.call.builtin;
    const tirb_expr *const *args = e->as.call.args;
    if (bitwise_survives(p, e)) {
        print_operator(p, sign_of_builtin(builtin), args[0], args[1], least);
        return;
    }
    if (tirbi_data_view(e)) {
        tirbi_putf(p, "%s.data", buffer_name(p, tirbi_data_view(e)));
        return;
    }
    if (builtin == TIRB_BUILTIN_BITWISE_NOT && e->as.call.n_args == 1 && is_python_int(args[0]) && !p->hybrid) {
        tirbi_put(p, "T.BitwiseNot("); /* ~3 would be Python's */
        print_args(p, args, 1);
        tirbi_put(p, ")");
        return;
    }
    if (builtin == TIRB_BUILTIN_BITWISE_NOT && e->as.call.n_args == 1 && !is_python_int(args[0])) {
        tirbi_put(p, least > LEVEL_UNARY ? "(~" : "~");
        print_at(p, args[0], LEVEL_UNARY);
        if (least > LEVEL_UNARY) tirbi_put(p, ")");
        return;
    }
    const char *raw = e->as.call.n_args == 2 ? raw_bitwise_name(builtin) : NULL;
    if (raw) { /* by name it would be folded */
        tirbi_putf(p, "T.%s(", raw);
        print_args(p, args, 2);
        tirbi_put(p, ")");
        return;
    }
    bool foreign = builtin == TIRB_BUILTIN_FOREIGN;
    char type[32];
    tirb_datatype_text(e->dtype, type);
    tirbi_putf(p, "T.%s(", foreign ? args[0]->as.string.text : tirb_builtins[builtin].name);
    /* TVM's masks are of one bit. */
    if (builtin == TIRB_BUILTIN_GET_ACTIVE_LANE_MASK && tirbi_type_is_bool(e->dtype))
        snprintf(type, sizeof type, "uint1%s%u", e->dtype.scalable ? "xvscalex" : "x", e->dtype.lanes);
    if (takes_type_first(builtin, e->dtype) && !p->hybrid) {
        print_call_type(p, e, type);
        if (e->as.call.n_args) tirbi_put(p, ", ");
    }
    if (e->as.call.symbol) tirbi_putf(p, "\"%s\"%s", e->as.call.symbol, e->as.call.n_args ? ", " : "");
    print_arguments(p, e, foreign);
    if (p->hybrid && !foreign) {
        tirbi_putf(p, "%sdtype=\"%s\"", e->as.call.n_args ? ", " : "", type);
    } else if (builtin == TIRB_BUILTIN_TVM_STRUCT_GET) {
        tirbi_put(p, ", ");
        print_call_type(p, e, type);
    } else if (builtin == TIRB_BUILTIN_TVM_STORAGE_SYNC && e->as.call.n_args == 1 && !p->classic) {
        tirbi_put(p, ", T.bool(False), -1");
    }
    tirbi_put(p, ")");
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static void print_list(tirbi_printer *p, const tirb_expr *const *items, uint32_t n) {
    tirbi_put(p, "[");
    print_args(p, items, n);
    tirbi_put(p, "]");
}

static void print_let(tirbi_printer *p, const tirb_expr *e) {
    const tirb_expr *var = e->as.let.var; /* declared by a line of this frame: its name ends with the frame */
    if (!p->vars[var->as.var.id]) declare_var(p, var, tirbi_name_var(p, var), &p->out, p->indent);
    tirbi_put(p, "T.Let(");
    tirbi_print_expr(p, e->as.let.body);
    tirbi_put(p, ", where={");
    tirbi_print_expr(p, var);
    tirbi_put(p, ": ");
    tirbi_print_expr(p, e->as.let.value);
    tirbi_put(p, "})");
}

/* T.comm_reducer(lambda x, y: x + y, [identity]) */
void tirbi_print_reducer(tirbi_printer *p, const tirb_reduce *r) {
    const uint32_t n = r->n_values, mark = tirbi_names_mark(p);
    tirbi_put(p, "T.comm_reducer(lambda ");
    for (uint32_t i = 0; i < 2 * n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, tirbi_name_var(p, i < n ? r->lhs[i] : r->rhs[i - n]));
    }
    tirbi_put(p, n > 1 ? ": (" : ": ");
    print_args(p, r->result, n);
    tirbi_put(p, n > 1 ? "), " : ", ");
    tirbi_names_release(p, mark);
    print_list(p, r->identity, n);
    tirbi_put(p, ")");
}

/* T.reduce(T.comm_reducer(...), source=[...], init=[...], axis=[...], ...) */
static void print_reduce(tirbi_printer *p, const tirb_expr *e) {
    const tirb_reduce *r = e->as.reduce;
    uint32_t n = r->n_values;
    for (uint32_t i = 0; i < r->n_axis; i++)
        if (!p->vars[r->axis[i].var->as.var.id])
            declare_var(p, r->axis[i].var, tirbi_name_var(p, r->axis[i].var), &p->out, p->indent);
    tirbi_put(p, "T.reduce(");
    tirbi_print_reducer(p, r);
    tirbi_put(p, ", source=");
    print_list(p, r->source, n);
    tirbi_put(p, ", init=");
    print_list(p, r->init, r->init ? n : 0);
    tirbi_put(p, ", axis=[");
    for (uint32_t i = 0; i < r->n_axis; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, "T.iter_var(");
        tirbi_print_expr(p, r->axis[i].var);
        tirbi_put(p, ", T.Range(");
        tirbi_print_bounds(p, &r->axis[i].dom, ", ");
        tirbi_put(p, "), \"CommReduce\", \"\")");
    }
    tirbi_put(p, "], condition=");
    if (r->condition) tirbi_print_expr(p, r->condition);
    else tirbi_put(p, "T.bool(True)");
    tirbi_putf(p, ", value_index=%u)", r->value_index);
}

/* The last argument of what makes a vector. */
static void print_lanes(tirbi_printer *p, const tirb_expr *e) {
    tirbi_put(p, ", ");
    if (!e->dtype.scalable) tirbi_putf(p, "%u", (unsigned)e->dtype.lanes);
    else tirbi_print_expr(p, tirbi_make_lanes(&p->builder, e->span, tirbi_type_i32, tirbi_lanes_of(e->dtype)));
    tirbi_put(p, ")");
}

static void print_at(tirbi_printer *p, const tirb_expr *e, int least) {
    char type[32];
    if (!e) {
        tirbi_put(p, "0");
        return;
    }
    switch (e->kind) {
    case TIRB_EXPR_VAR: print_var(p, e); break;
    case TIRB_EXPR_INT_IMM: print_int(p, e); break;
    case TIRB_EXPR_FLOAT_IMM: print_float(p, e); break;
    case TIRB_EXPR_STRING_IMM: tirbi_put_string(p, e->as.string.text, e->as.string.size); break;
    case TIRB_EXPR_CAST:
        tirbi_putf(p, "T.Cast(\"%s\", ", tirb_datatype_text(e->dtype, type));
        tirbi_print_expr(p, e->as.cast.value);
        tirbi_put(p, ")");
        break;
    case TIRB_EXPR_NOT:
        tirbi_put(p, least > LEVEL_NOT ? "(not " : "not ");
        print_at(p, e->as.cast.value, LEVEL_NOT);
        if (least > LEVEL_NOT) tirbi_put(p, ")");
        break;
    case TIRB_EXPR_SELECT:
        tirbi_put(p, "T.Select(");
        print_args(p, (const tirb_expr *const[]){e->as.select.condition, e->as.select.true_value,
                                                 e->as.select.false_value}, 3);
        tirbi_put(p, ")");
        break;
    case TIRB_EXPR_LOAD: print_load(p, e); break;
    case TIRB_EXPR_RAMP:
        tirbi_put(p, "T.Ramp(");
        print_args(p, (const tirb_expr *const[]){e->as.ramp.base, e->as.ramp.stride}, 2);
        print_lanes(p, e);
        break;
    case TIRB_EXPR_BROADCAST:
        tirbi_put(p, "T.Broadcast(");
        tirbi_print_expr(p, e->as.broadcast.value);
        print_lanes(p, e);
        break;
    case TIRB_EXPR_LET: print_let(p, e); break;
    case TIRB_EXPR_CALL: print_call(p, e, least); break;
    case TIRB_EXPR_SHUFFLE:
        tirbi_put(p, "T.Shuffle(");
        print_list(p, e->as.shuffle.vectors, e->as.shuffle.n_vectors);
        tirbi_put(p, ", ");
        print_list(p, e->as.shuffle.indices, e->as.shuffle.n_indices);
        tirbi_put(p, ")");
        break;
    case TIRB_EXPR_REDUCE: print_reduce(p, e); break;
    default: print_binary(p, e, least); break;
    }
}

void tirbi_print_expr(tirbi_printer *p, const tirb_expr *e) { print_at(p, e, 0); }

/* ---- Declarations of buffers ------------------------------------------------------------------------------------ */

/* Whether a variable in `e` has no name yet. */
static bool is_open(const tirbi_printer *p, const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_VAR: return !p->vars[e->as.var.id] && !e->as.var.data_of;
    case TIRB_EXPR_CAST: return is_open(p, e->as.cast.value);
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
    case TIRB_EXPR_MUL:
    case TIRB_EXPR_DIV:
    case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD:
    case TIRB_EXPR_MIN:
    case TIRB_EXPR_MAX: return is_open(p, e->as.binary.a) || is_open(p, e->as.binary.b);
    default: return false;
    }
}

static bool holds_name(const tirbi_list *names, const char *name) {
    const char *const *items = names->items;
    for (uint32_t i = 0; i < names->n; i++)
        if (strcmp(items[i], name) == 0) return true;
    return false;
}

static void add_name(tirbi_printer *p, tirbi_list *names, const char *name) {
    const char **slot = holds_name(names, name) ? NULL : TIRBI_LIST_ADD(p->arena, names, const char *);
    if (slot) *slot = name;
}

void tirbi_print_type_var(tirbi_printer *p, const char *name) { add_name(p, &p->type_vars, name); }

/* A name for the variable of a signature that the other kind has in no function of the module: TypeVars are of the
 * file. */
static const char *name_apart(tirbi_printer *p, const tirb_expr *var, const tirbi_list *others) {
    const char *name = tirbi_name_var(p, var);
    for (uint32_t i = 1; holds_name(others, name); i++) {
        const char *wanted =
            tirbi_arena_format(p->arena, "%s_%u", var->as.var.name ? var->as.var.name : "v", (unsigned)i);
        if (!wanted) break;
        name = tirbi_name_new(p, wanted, &p->vars[var->as.var.id]);
    }
    return name;
}

/* Gives the open variables of a signature's shape their names: int64 ones stand above the function as TypeVars, int32
 * ones are defined by the quoted shape itself (true: quote it), as are scalar parameters behind it. `alone`: the
 * expression is all of an extent. */
static bool open_vars(tirbi_printer *p, const tirb_expr *e, bool alone) {
    if (e->kind == TIRB_EXPR_CAST) return open_vars(p, e->as.cast.value, false);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_MAX) {
        bool left = open_vars(p, e->as.binary.a, false);
        return open_vars(p, e->as.binary.b, false) || left;
    }
    if (e->kind != TIRB_EXPR_VAR) return false;
    if (p->later[e->as.var.id]) {
        p->later[e->as.var.id] = false;
        return true;
    }
    if (!is_open(p, e)) return false;
    if (tirb_datatype_equal(e->dtype, tirbi_type_i32)) {
        add_name(p, &p->quoted_names, name_apart(p, e, &p->type_vars));
        tirbi_quoted_var *slot = TIRBI_LIST_ADD(p->arena, &p->quoted, tirbi_quoted_var);
        if (slot) *slot = (tirbi_quoted_var){e, alone};
        p->undeclared[e->as.var.id] = true;
        return true;
    }
    if (!tirb_datatype_equal(e->dtype, tirbi_type_i64)) {
        tirbi_print_reject(p, e->span, "a shape variable that is neither int32 nor int64");
        return false;
    }
    add_name(p, &p->type_vars, name_apart(p, e, &p->quoted_names));
    return false;
}

static bool mentions_type_var(const tirbi_printer *p, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_CAST) return mentions_type_var(p, e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_MAX)
        return mentions_type_var(p, e->as.binary.a) || mentions_type_var(p, e->as.binary.b);
    return e->kind == TIRB_EXPR_VAR && p->vars[e->as.var.id] && holds_name(&p->type_vars, p->vars[e->as.var.id]);
}

static void print_extent(tirbi_printer *p, const tirb_expr *extent) {
    bool signature = p->place == TIRBI_PRINT_SIGNATURE;
    bool quote = signature && open_vars(p, extent, true);
    bool type_var = signature && extent->kind != TIRB_EXPR_VAR && mentions_type_var(p, extent);
    if (quote || type_var) tirbi_put(p, "\"");
    tirbi_print_expr(p, extent);
    if (quote || type_var) tirbi_put(p, "\"");
}

static void print_extents(tirbi_printer *p, const tirb_expr *const *extents, uint32_t n) {
    tirbi_put(p, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        print_extent(p, extents[i]);
    }
    tirbi_put(p, n == 1 ? ",)" : ")");
}

/* A variable that the declaration of a buffer makes: what follows names it as an attribute of the buffer. */
static bool is_made(const tirbi_printer *p, const tirb_buffer *buffer, const tirb_expr *e) {
    if (p->place == TIRBI_PRINT_BODY || e->kind != TIRB_EXPR_VAR || !is_open(p, e) || !buffer->ndim) return false;
    bool match = p->place == TIRBI_PRINT_MATCH;
    return tirb_datatype_equal(e->dtype, match ? buffer->shape[0]->dtype : tirbi_type_i32) && !(match && p->classic);
}

/* Whether the buffer's strides have a variable more than once: strides that it makes are variables of their own. */
static bool is_repeated(const tirb_buffer *buffer, const tirb_expr *stride) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < buffer->ndim; i++) n += buffer->strides[i] == stride;
    return n > 1;
}

static void print_strides(tirbi_printer *p, const tirb_buffer *buffer) {
    tirbi_put(p, ", strides=(");
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        const tirb_expr *stride = buffer->strides[i];
        if (i) tirbi_put(p, ", ");
        if (!is_made(p, buffer, stride) || is_repeated(buffer, stride)) {
            print_extent(p, stride);
            continue;
        }
        tirbi_putf(p, "\"%s\"", tirbi_name_as_is(p, stride));
        p->vars[stride->as.var.id] =
            tirbi_arena_format(p->arena, "%s.strides[%u]", p->buffers[buffer->id], (unsigned)i);
    }
    tirbi_put(p, buffer->ndim == 1 ? ",)" : ")");
}

void tirbi_print_buffer_args(tirbi_printer *p, const tirb_buffer *buffer, const tirb_expr *data, bool typed,
                             bool scoped) {
    char type[32];
    print_extents(p, buffer->shape, buffer->ndim);
    if (typed || !tirb_datatype_equal(buffer->dtype, tirbi_type_f32))
        tirbi_putf(p, ", \"%s\"", tirb_datatype_text(buffer->dtype, type));
    if (data) {
        tirbi_put(p, ", data=");
        if (data == buffer->data && buffer->over) tirbi_putf(p, "%s.data", buffer_name(p, buffer->over));
        else tirbi_print_expr(p, data);
    }
    if (buffer->strides) print_strides(p, buffer);
    if (buffer->n_odd_strides) {
        tirbi_put(p, ", strides=");
        print_extents(p, buffer->odd_strides, buffer->n_odd_strides);
    }
    const tirb_expr *offset = buffer->elem_offset;
    tirb_datatype index_type = tirbi_offset_type(buffer);
    /* offset_factor alone makes the offset. */
    bool implied = offset && is_made(p, buffer, offset) && tirb_datatype_equal(offset->dtype, index_type) &&
                   buffer->offset_factor > 0;
    if (implied) {
        p->vars[offset->as.var.id] = tirbi_arena_format(p->arena, "%s.elem_offset", p->buffers[buffer->id]);
    } else if (offset && !(tirbi_is_const_int(offset, 0) && tirb_datatype_equal(offset->dtype, index_type))) {
        tirbi_put(p, ", elem_offset=");
        if (p->place == TIRBI_PRINT_SIGNATURE && open_vars(p, offset, true))
            tirbi_print_reject(p, buffer->span, "an element offset of type int32 that a parameter defines");
        tirbi_print_expr(p, offset);
    }
    if (scoped && buffer->scope && buffer->scope[0] && strcmp(buffer->scope, "global") != 0) {
        tirbi_put(p, ", scope=");
        tirbi_put_string(p, buffer->scope, strlen(buffer->scope));
    }
    if (buffer->data_alignment > 0 && buffer->data_alignment != 64) tirbi_putf(p, ", align=%d", buffer->data_alignment);
    if (buffer->offset_factor > 1 || implied) tirbi_putf(p, ", offset_factor=%d", buffer->offset_factor);
    if (buffer->layout && !p->classic) tirbi_putf(p, ", layout=%s", buffer->layout);
    if (buffer->auto_broadcast) tirbi_put(p, ", buffer_type=\"auto\"");
}
