/* Types and expressions of Relax. */
#include <math.h>
#include <string.h>

#include "compiler/text/print/relax.h"

/* ---- Types ------------------------------------------------------------------------------------------------------- */

/* Whether it has a variable that the signature declares: no parameter. */
static bool mentions_var(const tirbi_printer *p, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_CAST) return mentions_var(p, e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR)
        return mentions_var(p, e->as.binary.a) || mentions_var(p, e->as.binary.b);
    for (uint32_t i = 0; e->kind == TIRB_EXPR_CALL && i < e->as.call.n_args; i++)
        if (mentions_var(p, e->as.call.args[i])) return true;
    const tirb_expr *const *vars = p->signature.items;
    for (uint32_t i = 0; i < p->signature.n; i++)
        if (vars[i] == e) return true;
    return false;
}

static void print_dim(tirbi_printer *p, const tirb_expr *e, bool quoted) {
    bool quotes = quoted && e->kind != TIRB_EXPR_VAR && mentions_var(p, e);
    if (quotes) tirbi_put(p, "\"");
    tirbi_print_expr(p, e);
    if (quotes) tirbi_put(p, "\"");
}

static void print_dims(tirbi_printer *p, const tirb_expr *const *dims, uint32_t n, bool quoted) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        print_dim(p, dims[i], quoted);
    }
}

static void print_vdevice(tirbi_printer *p, const tirb_relax_vdevice *v) {
    tirbi_putf(p, "\"%s:%u:%s\"", v->kind, v->index, v->scope);
}

static void print_tensor_type(tirbi_printer *p, const tirb_relax_type *t, bool quoted) {
    char text[32];
    bool typed = tirb_relax_knows_dtype(t), shaped = t->has_shape || t->shape_var, ranked = !shaped && t->ndim >= 0;
    const char *between = "";
    tirbi_put(p, "R.Tensor");
    if (!typed && !shaped && !ranked && !t->vdevice) return;
    tirbi_put(p, "(");
    if (t->shape_var) {
        tirbi_print_relax_var(p, t->shape_var);
    } else if (t->has_shape) {
        tirbi_put(p, "(");
        print_dims(p, t->shape, (uint32_t)t->ndim, quoted);
        tirbi_put(p, t->ndim == 1 ? ",)" : ")");
    }
    if (shaped) between = ", ";
    if (typed) {
        tirbi_putf(p, "%sdtype=\"%s\"", between, tirb_datatype_text(t->dtype, text));
        between = ", ";
    }
    if (ranked) {
        tirbi_putf(p, "%sndim=%d", between, t->ndim);
        between = ", ";
    }
    if (t->vdevice) {
        tirbi_putf(p, "%svdevice=", between);
        print_vdevice(p, t->vdevice);
    }
    tirbi_put(p, ")");
}

static void print_types(tirbi_printer *p, const tirb_relax_type *const *types, uint32_t n, bool quoted) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_relax_type(p, types[i], quoted);
    }
}

static void print_function_type(tirbi_printer *p, const tirb_relax_type *t, bool quoted) {
    tirbi_put(p, "R.Callable");
    if (!t->opaque) {
        tirbi_put(p, "((");
        print_types(p, t->fields, t->n_fields, quoted);
        tirbi_put(p, t->n_fields == 1 ? ",), " : "), ");
        tirbi_print_relax_type(p, t->ret, quoted);
        tirbi_put(p, t->pure ? ", True)" : ", False)");
        return;
    }
    bool any = t->ret->kind == TIRB_RELAX_TYPE_ANY;
    if (any && !t->pure) return;
    tirbi_put(p, "(");
    if (!any) {
        tirbi_put(p, "ret=");
        tirbi_print_relax_type(p, t->ret, quoted);
    }
    if (t->pure) tirbi_put(p, any ? "purity=True" : ", purity=True");
    tirbi_put(p, ")");
}

void tirbi_print_relax_type(tirbi_printer *p, const tirb_relax_type *t, bool quoted) {
    char text[32];
    switch (t->kind) {
    case TIRB_RELAX_TYPE_ANY:
        tirbi_put(p, t->is_text ? "I.StringType()" : "R.Any");
        p->uses_ir = p->uses_ir || t->is_text;
        return;
    case TIRB_RELAX_TYPE_PRIM:
        tirbi_putf(p, "T.%s", tirb_datatype_text(t->dtype, text));
        return;
    case TIRB_RELAX_TYPE_SHAPE:
        if (!t->has_shape) {
            tirbi_putf(p, "R.Shape(ndim=%d)", t->ndim);
            return;
        }
        tirbi_put(p, "R.Shape([");
        print_dims(p, t->shape, (uint32_t)t->ndim, quoted);
        tirbi_put(p, "])");
        return;
    case TIRB_RELAX_TYPE_TENSOR:
        print_tensor_type(p, t, quoted);
        return;
    case TIRB_RELAX_TYPE_TUPLE:
        tirbi_put(p, "R.Tuple");
        if (t->n_fields == 0) return;
        tirbi_put(p, "(");
        print_types(p, t->fields, t->n_fields, quoted);
        tirbi_put(p, ")");
        return;
    case TIRB_RELAX_TYPE_FUNCTION:
        print_function_type(p, t, quoted);
        return;
    }
}

/* ---- Constants --------------------------------------------------------------------------------------------------- */

static void print_real(tirbi_printer *p, double value) {
    if (isnan(value))
        tirbi_put(p, "\"nan\"");
    else if (isinf(value))
        tirbi_put(p, value > 0 ? "\"inf\"" : "\"-inf\"");
    else
        tirbi_putf(p, value == floor(value) ? "%.1f" : "%.17g", value);
}

static double real_of(tirb_datatype type, uint64_t bits) {
    double value;
    if (type.bits == 64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    int exponent = type.bits == 32 ? 8 : 5, fraction = type.bits == 32 ? 23 : 10, bias = (1 << (exponent - 1)) - 1;
    uint64_t mantissa = bits & ((1ull << fraction) - 1);
    int e = (int)(bits >> fraction) & ((1 << exponent) - 1);
    if (e == (1 << exponent) - 1)
        value = mantissa ? NAN : INFINITY;
    else
        value = ldexp((double)(mantissa + (e ? 1ull << fraction : 0)), (e ? e : 1) - bias - fraction);
    return bits >> (exponent + fraction) & 1 ? -value : value;
}

/* A constant without dimensions, of a type that R.const has. */
static bool is_plain(const tirb_relax_tensor *t) {
    if (t->ndim != 0 || t->n_bytes > 8 || t->dtype.lanes != 1) return false;
    return t->dtype.code == TIRB_CODE_INT || t->dtype.code == TIRB_CODE_BOOL || t->dtype.code == TIRB_CODE_FLOAT;
}

static void print_constant(tirbi_printer *p, const tirb_relax_tensor *t) {
    char text[32];
    if (!is_plain(t)) {
        uint32_t number = 0;
        const tirb_relax_tensor *const *known = p->constants.items;
        while (number < p->constants.n && known[number] != t) number++;
        if (number == p->constants.n) {
            const tirb_relax_tensor **slot = TIRBI_LIST_ADD(p->arena, &p->constants, const tirb_relax_tensor *);
            if (slot) *slot = t;
        }
        if (t->metadata >= 0) number = (uint32_t)t->metadata;
        tirbi_putf(p, "metadata[\"ir.GenericConst\"][%u]", number);
        return;
    }
    uint64_t bits = 0;
    for (uint64_t i = 0; i < t->n_bytes; i++) bits |= (uint64_t)t->bytes[i] << (8 * i);
    tirbi_put(p, "R.const(");
    if (t->dtype.code == TIRB_CODE_BOOL)
        tirbi_put(p, bits ? "True" : "False");
    else if (t->dtype.code == TIRB_CODE_FLOAT)
        print_real(p, real_of(t->dtype, bits));
    else {
        uint32_t unused = 64u - t->dtype.bits;
        tirbi_putf(p, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    }
    tirbi_putf(p, ", \"%s\")", tirb_datatype_text(t->dtype, text));
}

/* ---- Attributes -------------------------------------------------------------------------------------------------- */

static void print_map(tirbi_printer *p, const tirb_relax_attr *map) {
    uint32_t mark = tirbi_names_mark(p);
    tirbi_put(p, "T.index_map(lambda ");
    for (uint32_t i = 0; i < map->as.map.n_vars; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_put(p, tirbi_name_var(p, map->as.map.vars[i]));
    }
    tirbi_put(p, ": (");
    print_dims(p, map->as.map.indices, map->as.map.n_indices, false);
    tirbi_put(p, map->as.map.n_indices == 1 ? ",))" : "))");
    tirbi_names_release(p, mark);
}

static void print_attr(tirbi_printer *p, const tirb_relax_attr *a) {
    char text[32];
    switch (a->kind) {
    case TIRB_RELAX_ATTR_NONE:
        tirbi_put(p, "None");
        return;
    case TIRB_RELAX_ATTR_VDEVICE:
        print_vdevice(p, a->as.vdevice);
        return;
    case TIRB_RELAX_ATTR_BOOL:
        tirbi_put(p, a->as.boolean ? "True" : "False");
        return;
    case TIRB_RELAX_ATTR_INT:
        tirbi_putf(p, "%lld", (long long)a->as.integer);
        return;
    case TIRB_RELAX_ATTR_FLOAT:
        print_real(p, a->as.real);
        return;
    case TIRB_RELAX_ATTR_STRING:
        tirbi_put_string(p, a->as.text, strlen(a->as.text));
        return;
    case TIRB_RELAX_ATTR_DTYPE:
        tirbi_putf(p, "\"%s\"", tirb_datatype_text(a->as.dtype, text));
        return;
    case TIRB_RELAX_ATTR_EXPR:
        tirbi_print_expr(p, a->as.expr);
        return;
    case TIRB_RELAX_ATTR_MAP:
        print_map(p, a);
        return;
    case TIRB_RELAX_ATTR_LIST:
        tirbi_put(p, "[");
        for (uint32_t i = 0; i < a->as.list.n; i++) {
            if (i) tirbi_put(p, ", ");
            print_attr(p, &a->as.list.items[i]);
        }
        tirbi_put(p, "]");
        return;
    }
}

static void print_named_attr(tirbi_printer *p, const tirbi_relax_parameter *parameter, const tirb_relax_attr *a) {
    tirbi_print_add(p, &p->line, ", ", 2);
    tirbi_print_add(p, &p->line, parameter->name, parameter->name_size);
    tirbi_put(p, "=");
    print_attr(p, a);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static void print_out_types(tirbi_printer *p, const tirb_relax_expr *e) {
    uint32_t n = e->as.call.n_types;
    tirbi_put(p, n == 1 ? ", out_ty=" : ", out_ty=[");
    print_types(p, e->as.call.types, n, false);
    if (n != 1) tirbi_put(p, "]");
}

static void print_type_args(tirbi_printer *p, const tirb_relax_expr *e) {
    uint32_t n = e->as.call.n_types;
    if (n == 0) return;
    tirbi_put(p, ", ty_args=(");
    print_types(p, e->as.call.types, n, false);
    tirbi_put(p, n == 1 ? ",)" : ")");
}

static void print_arguments(tirbi_printer *p, const tirb_relax_expr *e, bool begun) {
    const tirb_relax_expr *const *args = e->as.call.args;
    bool formats = tirb_relax_is_call(e, TIRB_RELAX_PRINT) || tirb_relax_is_call(e, TIRB_RELAX_ASSERT_OP);
    for (uint32_t i = 0; i < e->as.call.n_args; i++) {
        if (i || begun) tirbi_put(p, ", ");
        if (formats && i + 1 == e->as.call.n_args) tirbi_put(p, "format=");
        if (args[i]->kind == TIRB_RELAX_EXTERN)
            tirbi_put_string(p, args[i]->as.symbol, strlen(args[i]->as.symbol));
        else
            tirbi_print_relax_expr(p, args[i]);
    }
}

static void print_hint(tirbi_printer *p, const tirb_relax_expr *e) {
    const tirb_relax_attr *attrs = e->as.call.attrs;
    tirbi_put(p, "R.hint_on_device(");
    tirbi_print_relax_expr(p, e->as.call.args[0]);
    tirbi_putf(p, ", R.device(device_type=%lld, index=%lld), ", (long long)attrs[0].as.integer,
               (long long)attrs[1].as.integer);
    print_attr(p, &attrs[2]);
    tirbi_put(p, ")");
}

static void print_operator_call(tirbi_printer *p, const tirb_relax_expr *e) {
    if (tirb_relax_is_call(e, TIRB_RELAX_HINT_ON_DEVICE)) {
        print_hint(p, e);
        return;
    }
    tirbi_relax_parameter params[TIRBI_MAX_RELAX_PARAMETERS];
    uint32_t n = tirbi_relax_parameters(e->as.call.op, params), at = 0;
    const tirbi_relax_parameter *later = NULL;
    const tirb_relax_attr *later_value = NULL;
    bool typed = false;
    tirbi_putf(p, "R.%s(", e->as.call.op->name);
    print_arguments(p, e, false);
    for (uint32_t i = 0; i < n; i++)
        if (params[i].kind == 'T' && params[i].name[0] == 'o')
            print_out_types(p, e);
        else
            typed |= params[i].kind == 'T';
    for (uint32_t i = 0; i < n; i++) {
        if (!tirbi_relax_is_attr(&params[i])) continue;
        const tirb_relax_attr *value = &e->as.call.attrs[at++];
        if (params[i].printed_later) {
            later = &params[i];
            later_value = value;
            continue;
        }
        print_named_attr(p, &params[i], value);
        if (later) print_named_attr(p, later, later_value);
        later = NULL;
    }
    if (typed) print_type_args(p, e);
    tirbi_put(p, ")");
}

static void print_packed_call(tirbi_printer *p, const tirb_relax_expr *e) {
    const char *symbol = e->as.call.callee->as.symbol;
    tirbi_put(p, "R.call_packed(");
    tirbi_put_string(p, symbol, strlen(symbol));
    print_arguments(p, e, true);
    for (uint32_t i = 0; i < e->as.call.n_named; i++) {
        tirbi_put(p, ", ");
        tirbi_put(p, e->as.call.named[i].key);
        tirbi_put(p, "=");
        tirbi_print_attr_value(p, &e->as.call.named[i]);
    }
    print_type_args(p, e);
    tirbi_put(p, ")");
}

static void print_call(tirbi_printer *p, const tirb_relax_expr *e) {
    if (e->as.call.op) {
        print_operator_call(p, e);
    } else if (e->as.call.callee->kind == TIRB_RELAX_EXTERN) {
        print_packed_call(p, e);
    } else {
        tirbi_print_relax_expr(p, e->as.call.callee);
        tirbi_put(p, "(");
        print_arguments(p, e, false);
        tirbi_put(p, ")");
    }
}

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

static void print_items(tirbi_printer *p, const tirb_relax_expr *e) {
    for (uint32_t i = 0; i < e->as.tuple.n; i++) {
        if (i) tirbi_put(p, ", ");
        tirbi_print_relax_expr(p, e->as.tuple.items[i]);
    }
}

void tirbi_print_relax_value(tirbi_printer *p, const tirb_relax_expr *e) {
    if (e->kind == TIRB_RELAX_TUPLE && e->as.tuple.n > 1)
        print_items(p, e);
    else
        tirbi_print_relax_expr(p, e);
}

void tirbi_print_relax_expr(tirbi_printer *p, const tirb_relax_expr *e) {
    char text[32];
    switch (e->kind) {
    case TIRB_RELAX_VAR:
        tirbi_print_relax_var(p, e->as.var);
        return;
    case TIRB_RELAX_PRIM:
        tirbi_print_expr(p, e->as.prim);
        return;
    case TIRB_RELAX_CONST:
        print_constant(p, e->as.constant);
        return;
    case TIRB_RELAX_STRING:
        tirbi_put(p, "R.str(");
        tirbi_put_string(p, e->as.string.text, e->as.string.size);
        tirbi_put(p, ")");
        return;
    case TIRB_RELAX_DTYPE:
        tirbi_putf(p, "R.dtype(\"%s\")", tirb_datatype_text(e->as.dtype, text));
        return;
    case TIRB_RELAX_SHAPE:
        tirbi_put(p, "R.shape([");
        print_dims(p, e->as.shape.values, e->as.shape.n, false);
        tirbi_put(p, "])");
        return;
    case TIRB_RELAX_TUPLE:
        tirbi_put(p, e->as.tuple.n ? "(" : "R.tuple(");
        print_items(p, e);
        tirbi_put(p, e->as.tuple.n == 1 ? ",)" : ")");
        return;
    case TIRB_RELAX_TUPLE_GET:
        tirbi_print_relax_expr(p, e->as.get.tuple);
        tirbi_putf(p, "[%u]", e->as.get.index);
        return;
    case TIRB_RELAX_CALL:
        print_call(p, e);
        return;
    case TIRB_RELAX_GLOBAL:
        tirbi_put(p, "cls.");
        tirbi_put(p, e->as.global.name);
        return;
    case TIRB_RELAX_EXTERN:
        tirbi_put(p, "R.ExternFunc(");
        tirbi_put_string(p, e->as.symbol, strlen(e->as.symbol));
        tirbi_put(p, ")");
        return;
    case TIRB_RELAX_FUNCTION:
    case TIRB_RELAX_IF:
        tirbi_print_reject(p, e->span, "this value as an operand");
        return;
    }
}
