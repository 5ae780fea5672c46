/* Calls of builtins and of PrimFuncs. */
#include "compiler/check/checker.h"

/* ---- Builtins ------------------------------------------------------------------------------------------------- */

static const char *name_of(const tirb_expr *call) { return tirb_builtins[call->as.call.builtin].name; }

static bool check_arity(tirbi_checker *c, const tirb_expr *call) {
    int8_t arity = tirb_builtins[call->as.call.builtin].arity;
    if (arity < 0 || call->as.call.n_args == (uint32_t)arity) return true;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, call->span, "%s takes %d argument%s, found %u", name_of(call), arity,
                       arity == 1 ? "" : "s", call->as.call.n_args);
    return false;
}

static bool check_same_args(tirbi_checker *c, const tirb_expr *call, uint32_t first, uint32_t n) {
    const tirb_expr *const *args = call->as.call.args;
    for (uint32_t i = first + 1; i < n; i++) {
        if (tirb_datatype_equal(args[i]->dtype, args[first]->dtype)) continue;
        tirbi_report_error(c->diagnostics, TIRB_TYPE, tirbi_check_place(c, args[i]),
                           "argument %u of %s is %s, expected %s", i + 1, name_of(call),
                           tirbi_check_text(args[i]->dtype).text, tirbi_check_text(args[first]->dtype).text);
        return false;
    }
    return true;
}

static bool check_class(tirbi_checker *c, const tirb_expr *call, bool allowed, const char *expected) {
    if (allowed) return true;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, call->span, "%s needs %s operands, found %s", name_of(call), expected,
                       tirbi_check_text(call->as.call.args[0]->dtype).text);
    return false;
}

static void check_result(tirbi_checker *c, const tirb_expr *call, tirb_datatype expected) {
    if (tirb_datatype_equal(call->dtype, expected)) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, call->span, "the type of %s is %s, expected %s", name_of(call),
                       tirbi_check_text(call->dtype).text, tirbi_check_text(expected).text);
}

/* A constant shift amount outside the width is an error; others are taken modulo the width at run time. */
static void check_shift_amount(tirbi_checker *c, const tirb_expr *call) {
    const tirb_expr *amount = call->as.call.args[1];
    if (amount->kind == TIRB_EXPR_BROADCAST) amount = amount->as.broadcast.value;
    if (amount->kind != TIRB_EXPR_INT_IMM) return;
    unsigned bits = call->as.call.args[0]->dtype.bits;
    if (amount->as.int_value >= 0 && amount->as.int_value < (int64_t)bits) return;
    tirbi_report_error(c->diagnostics, TIRB_VALUE, amount->span,
                       "shift amount %lld must be 0 or more and less than %u for %s", (long long)amount->as.int_value,
                       bits, tirbi_check_text(call->as.call.args[0]->dtype).text);
}

static void check_if_then_else(tirbi_checker *c, const tirb_expr *call) {
    tirbi_check_bool_scalar(c, call->as.call.args[0], "the condition of if_then_else");
    if (check_same_args(c, call, 1, 3)) check_result(c, call, call->as.call.args[1]->dtype);
}

static void check_reinterpret(tirbi_checker *c, const tirb_expr *call) {
    tirb_datatype from = call->as.call.args[0]->dtype;
    if (from.scalable == call->dtype.scalable &&
        (uint32_t)from.bits * from.lanes == (uint32_t)call->dtype.bits * call->dtype.lanes)
        return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, call->span, "cannot reinterpret %s as %s: the sizes differ",
                       tirbi_check_text(from).text, tirbi_check_text(call->dtype).text);
}

/* popcount has the type of what it counts, clz is an int32: as TVM makes them. */
static void check_counting(tirbi_checker *c, const tirb_expr *call) {
    tirb_datatype type = call->as.call.args[0]->dtype;
    if (!check_class(c, call, tirbi_check_is_int(type), "integer")) return;
    tirb_datatype counted = {TIRB_CODE_INT, 32, type.lanes, type.scalable};
    check_result(c, call, call->as.call.builtin == TIRB_BUILTIN_POPCOUNT ? type : counted);
}

static void check_elementwise(tirbi_checker *c, const tirb_expr *call) {
    tirb_datatype type = call->as.call.args[0]->dtype;
    bool is_int = tirbi_check_is_int(type);
    bool is_float = tirbi_check_is_float(type);
    tirb_datatype bool_type = {TIRB_CODE_BOOL, 8, type.lanes, type.scalable};
    switch (call->as.call.builtin) {
    case TIRB_BUILTIN_POPCOUNT:
    case TIRB_BUILTIN_CLZ: check_counting(c, call); return;
    case TIRB_BUILTIN_ISNAN:
        if (check_class(c, call, is_float, "float")) check_result(c, call, bool_type);
        return;
    case TIRB_BUILTIN_BITWISE_AND:
    case TIRB_BUILTIN_BITWISE_OR:
    case TIRB_BUILTIN_BITWISE_XOR:
    case TIRB_BUILTIN_BITWISE_NOT:
        if (!check_class(c, call, is_int || tirbi_check_is_bool(type), "integer or bool")) return;
        break;
    case TIRB_BUILTIN_SHIFT_LEFT:
    case TIRB_BUILTIN_SHIFT_RIGHT:
        if (!check_class(c, call, is_int, "integer")) return;
        check_shift_amount(c, call);
        break;
    case TIRB_BUILTIN_FLOOR:
    case TIRB_BUILTIN_CEIL:
    case TIRB_BUILTIN_TRUNC:
    case TIRB_BUILTIN_ROUND:
    case TIRB_BUILTIN_NEARBYINT:
    case TIRB_BUILTIN_FABS:
        if (!check_class(c, call, is_int || is_float, "numeric")) return;
        break;
    case TIRB_BUILTIN_LDEXP:
        if (!check_class(c, call, is_float, "float")) return;
        check_result(c, call, type);
        return; /* the exponent may have a type of its own */
    default:
        if (!check_class(c, call, is_float, "float")) return;
        break;
    }
    if (check_same_args(c, call, 0, call->as.call.n_args)) check_result(c, call, type);
}

static void check_multiply_shift(tirbi_checker *c, const tirb_expr *call) {
    tirb_datatype expected = {TIRB_CODE_INT, 32, call->dtype.lanes, call->dtype.scalable};
    if (check_same_args(c, call, 0, 4)) check_result(c, call, expected);
    check_class(c, call, tirb_datatype_equal(call->as.call.args[0]->dtype, expected), "int32");
}

static void check_builtin(tirbi_checker *c, const tirb_expr *call) {
    const tirb_expr *const *args = call->as.call.args;
    tirbi_check_exprs(c, args, call->as.call.n_args);
    if (!check_arity(c, call)) return;
    switch (call->as.call.builtin) {
    case TIRB_BUILTIN_IF_THEN_ELSE: check_if_then_else(c, call); return;
    case TIRB_BUILTIN_LIKELY: check_result(c, call, args[0]->dtype); return;
    case TIRB_BUILTIN_ASSUME: tirbi_check_bool_scalar(c, args[0], "the argument of assume"); return;
    case TIRB_BUILTIN_REINTERPRET: check_reinterpret(c, call); return;
    case TIRB_BUILTIN_Q_MULTIPLY_SHIFT: check_multiply_shift(c, call); return;
    default: break;
    }
    if (tirb_builtins[call->as.call.builtin].op != 0) check_elementwise(c, call);
}

/* ---- PrimFuncs ------------------------------------------------------------------------------------------------ */

/* The buffer whose elements an argument points to. */
static const tirb_buffer *pointed_buffer(const tirb_expr *arg) {
    if (arg->kind == TIRB_EXPR_CALL && arg->as.call.function_name == NULL && arg->as.call.n_args == 1) {
        const tirb_expr *of = arg->as.call.args[0];
        if (arg->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF && of->kind == TIRB_EXPR_LOAD) return of->as.load.buffer;
        if (arg->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA) arg = of;
    }
    return arg->kind == TIRB_EXPR_VAR ? arg->as.var.data_of : NULL;
}

static bool constant_extent(const tirb_expr *e, int64_t *out) {
    *out = e->as.int_value;
    return e->kind == TIRB_EXPR_INT_IMM;
}

/* Shapes that are constant on both sides must agree; others are compared when the call runs. */
static void check_shapes(tirbi_checker *c, tirbi_span place, const tirb_primfunc *f, const tirb_buffer *formal,
                         const tirb_buffer *actual) {
    for (uint32_t d = 0; d < formal->ndim && d < actual->ndim; d++) {
        int64_t expected;
        int64_t found;
        if (!constant_extent(formal->shape[d], &expected) || !constant_extent(actual->shape[d], &found)) continue;
        if (expected == found) continue;
        tirbi_report_error(c->diagnostics, TIRB_TYPE, place,
                           "dimension %u of argument '%s' of %s is %lld, expected %lld", d, formal->name, f->name,
                           (long long)found, (long long)expected);
        return;
    }
}

/* Only what names a buffer has a shape to compare: a pointer has none. */
static void check_buffer_arg(tirbi_checker *c, const tirb_expr *arg, const tirb_buffer_region *passed, tirbi_span place,
                             const tirb_primfunc *f, const tirb_buffer *formal) {
    bool whole = passed != NULL && passed->buffer != NULL && passed->region == NULL;
    if (arg->dtype.code != TIRB_CODE_HANDLE) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, place, "argument '%s' of %s is %s, expected a buffer",
                           formal->name, f->name, tirbi_check_text(arg->dtype).text);
        return;
    }
    const tirb_buffer *actual = whole ? passed->buffer : pointed_buffer(arg);
    if (actual == NULL) return;
    if (!tirb_datatype_equal(actual->dtype, formal->dtype)) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, place, "argument '%s' of %s has elements of type %s, expected %s",
                           formal->name, f->name, tirbi_check_text(actual->dtype).text,
                           tirbi_check_text(formal->dtype).text);
    } else if (whole && actual->ndim != formal->ndim) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, place, "argument '%s' of %s has %u dimensions, expected %u",
                           formal->name, f->name, actual->ndim, formal->ndim);
    } else if (whole) {
        check_shapes(c, place, f, formal, actual);
    }
}

static void check_scalar_arg(tirbi_checker *c, const tirb_expr *arg, tirbi_span place, const tirb_primfunc *f,
                             const tirb_expr *param) {
    if (tirb_datatype_equal(arg->dtype, param->dtype)) return;
    /* A literal takes the parameter's type. */
    bool literal = arg->kind == TIRB_EXPR_INT_IMM && tirbi_check_is_int(param->dtype) && param->dtype.lanes == 1;
    if (literal && (param->dtype.code == TIRB_CODE_INT || arg->as.int_value >= 0)) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, place, "argument '%s' of %s is %s, expected %s", param->as.var.name,
                       f->name, tirbi_check_text(arg->dtype).text, tirbi_check_text(param->dtype).text);
}

static void check_extents(tirbi_checker *c, const tirb_expr *call) {
    const tirb_buffer_region *passed = call->as.call.passed;
    for (uint32_t i = 0; passed != NULL && i < call->as.call.n_args; i++)
        for (uint32_t d = 0; passed[i].region != NULL && d < passed[i].buffer->ndim; d++)
            tirbi_check_expr(c, passed[i].region[d].extent);
}

static void check_function(tirbi_checker *c, const tirb_expr *call) {
    const tirb_primfunc *f = call->as.call.function;
    tirbi_check_exprs(c, call->as.call.args, call->as.call.n_args);
    check_extents(c, call);
    if (call->as.call.n_args != f->n_params) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, call->span, "%s takes %u argument%s, found %u", f->name,
                           f->n_params, f->n_params == 1 ? "" : "s", call->as.call.n_args);
        return;
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *formal = tirbi_check_param_buffer(f, i);
        const tirb_expr *arg = call->as.call.args[i];
        /* A variable's node is that of its declaration: the call is nearer to the mistake. */
        tirbi_span place = arg->kind == TIRB_EXPR_VAR ? call->span : arg->span;
        if (formal != NULL) {
            check_buffer_arg(c, arg, call->as.call.passed != NULL ? &call->as.call.passed[i] : NULL, place, f, formal);
        } else {
            check_scalar_arg(c, arg, place, f, f->params[i]);
        }
    }
}

void tirbi_check_call(tirbi_checker *c, const tirb_expr *call) {
    if (call->as.call.function != NULL) {
        check_function(c, call);
    } else if (call->as.call.function_name != NULL) { /* ends the call that comes here, and is none of compilation */
        for (uint32_t i = 0; i < call->as.call.n_args; i++) tirbi_check_expr(c, call->as.call.args[i]);
    } else {
        check_builtin(c, call);
    }
}
