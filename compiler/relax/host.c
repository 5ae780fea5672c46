#include "compiler/relax/host.h"

#include <string.h>

/* The function's name and the arguments, which an operator has behind it. */
typedef struct host_call {
    const char *name;
    const tirb_relax_expr *const *args;
    uint32_t n_args;
} host_call;

static bool read_call(const tirb_relax_expr *e, host_call *out) {
    if (e->kind != TIRB_RELAX_CALL) return false;
    const bool is_operator =
        tirb_relax_is_call(e, TIRB_RELAX_CALL_PURE_PACKED) || tirb_relax_is_call(e, TIRB_RELAX_CALL_DPS_PACKED);
    if (e->as.call.op && !is_operator) return false;
    const tirb_relax_expr *callee = is_operator ? e->as.call.args[0] : e->as.call.callee;
    if (!callee || callee->kind != TIRB_RELAX_EXTERN) return false;
    *out = (host_call){callee->as.symbol, e->as.call.args + is_operator, e->as.call.n_args - is_operator};
    return true;
}

bool tirbi_relax_is_host_call(const tirb_relax_expr *e) {
    host_call call;
    return read_call(e, &call);
}

/* What the import is called with, before it is known how many that are. */
typedef struct host_arguments {
    tirbi_list items; /* of const tirb_expr * */
    const char *name;
    tirbi_span span;
} host_arguments;

static bool add_expr(tirbi_relax_lowering *l, host_arguments *a, const tirb_expr *e) {
    const tirb_expr **slot = e ? TIRBI_LIST_ADD(l->arena, &a->items, const tirb_expr *) : NULL;
    if (slot) *slot = e;
    return slot != NULL;
}

static bool add_value(tirbi_relax_lowering *l, host_arguments *a, const tirbi_relax_held *h) {
    switch (h->kind) {
    case TIRBI_RELAX_HELD_TENSOR:
        return add_expr(l, a, tirbi_make_data(&l->b, a->span, h->buffer));
    case TIRBI_RELAX_HELD_SCALAR:
        return add_expr(l, a, h->scalar);
    case TIRBI_RELAX_HELD_SHAPE:
        for (uint32_t i = 0; i < h->n; i++)
            if (!add_expr(l, a, h->dims[i])) return false;
        return true;
    case TIRBI_RELAX_HELD_TUPLE:
        for (uint32_t i = 0; i < h->n; i++)
            if (!add_value(l, a, h->fields[i])) return false;
        return true;
    default:
        return tirbi_relax_refuse_here(l, a->span, "`%s` of the host takes tensors, shapes and numbers only", a->name);
    }
}

/* Where its value is to be: nothing where the type says that there is none; of a number, which the import returns,
 * NULL as well. */
static bool make_results(tirbi_relax_lowering *l, const tirb_relax_expr *e, const char *name,
                         const tirbi_relax_held *destination, const tirbi_relax_held **out) {
    const tirb_relax_type *type = e->type;
    *out = NULL;
    if (type->kind == TIRB_RELAX_TYPE_PRIM) return true;
    const bool is_nothing = type->kind == TIRB_RELAX_TYPE_TUPLE && type->n_fields == 0;
    if (type->kind != TIRB_RELAX_TYPE_TENSOR && type->kind != TIRB_RELAX_TYPE_TUPLE)
        return tirbi_relax_refuse_here(l, e->span,
                                       "`%s` of the host gives tensors, a number or nothing: its type says "
                                       "neither",
                                       name);
    *out =
        is_nothing ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_TUPLE) : tirbi_relax_make_room(l, e->span, type, destination);
    return *out != NULL;
}

static const tirbi_relax_held *keep_number(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *call) {
    const tirb_expr *var = tirbi_make_var(&l->b, span, "given", tirbi_prim_type(call->dtype));
    tirb_stmt *let = var ? tirbi_make_stmt(&l->b, span, TIRB_STMT_LET) : NULL;
    tirbi_relax_held *h = let ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_SCALAR) : NULL;
    if (!h) return NULL;
    let->as.let.var = var;
    let->as.let.value = call;
    tirbi_relax_emit_scope(l, let, NULL);
    h->scalar = var;
    return h;
}

const tirbi_relax_held *tirbi_relax_call_host(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                              const tirbi_relax_held *destination) {
    host_call call;
    host_arguments a = {.span = e->span};
    const tirbi_relax_held *result;
    if (!read_call(e, &call)) return NULL;
    a.name = call.name;
    const tirb_expr *marker = tirbi_make_string(&l->b, e->span, TIRBI_HOST_NAME, sizeof TIRBI_HOST_NAME - 1);
    const tirb_expr *name = tirbi_make_string(&l->b, e->span, call.name, (uint32_t)strlen(call.name));
    if (!add_expr(l, &a, marker) || !add_expr(l, &a, name) || !add_expr(l, &a, marker)) return NULL;
    const uint32_t first = a.items.n;
    for (uint32_t i = 0; i < call.n_args; i++) {
        const tirbi_relax_held *h = tirbi_relax_held_of(l, call.args[i]);
        if (!h || !add_value(l, &a, h)) return NULL;
    }
    const tirb_expr **items = a.items.items;
    items[first - 1] = tirbi_make_int(&l->b, e->span, tirbi_type_i32, a.items.n - first);
    if (!items[first - 1] || !make_results(l, e, call.name, destination, &result)) return NULL;
    if (result && !add_value(l, &a, result)) return NULL;
    const tirb_datatype type = result ? tirbi_type_void : e->type->dtype;
    const tirb_expr *made = tirbi_make_call(&l->b, e->span, type, TIRB_BUILTIN_CALL_EXTERN, a.items.items, a.items.n);
    if (!made) return NULL;
    if (!result) return keep_number(l, e->span, made);
    tirbi_emit_evaluate(&l->b, e->span, made);
    l->called = call.name;
    l->n_calls++;
    return result;
}
