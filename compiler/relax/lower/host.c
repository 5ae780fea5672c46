#include "compiler/relax/lower/host.h"

#include <string.h>

/* The function's name and the arguments, which an operator has behind it. */
typedef struct host_call {
    const char *name;
    const tirb_relax_expr *const *args;
    uint32_t n_args;
} host_call;

static bool read_call(const tirb_relax_expr *e, host_call *out) {
    if (e->kind != TIRB_RELAX_CALL) return false;
    const bool is_operator = tirb_relax_is_call(e, TIRB_RELAX_CALL_PURE_PACKED) ||
                             tirb_relax_is_call(e, TIRB_RELAX_CALL_DPS_PACKED) ||
                             tirb_relax_is_call(e, TIRB_RELAX_CALL_INPLACE_PACKED);
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

/* R.call_inplace_packed: results that are arguments, which the host writes; others are made. */
static const tirbi_relax_held *make_results_in_place(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                                     const tirbi_relax_held **args, uint32_t n_args,
                                                     const tirbi_relax_held *destination) {
    const tirb_relax_attr *places = tirbi_relax_attr_of(e, "inplace_indices");
    const bool is_tuple = e->type->kind == TIRB_RELAX_TYPE_TUPLE;
    const tirb_relax_type *const *types = is_tuple ? e->type->fields : &e->type;
    const uint32_t n = is_tuple ? e->type->n_fields : 1;
    const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, n);
    tirbi_relax_held *all = fields ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_TUPLE) : NULL;
    for (uint32_t i = 0; all && i < n; i++) {
        const tirbi_relax_held *wanted = is_tuple && destination ? destination->fields[i] : destination;
        const int64_t place = i < places->as.list.n ? places->as.list.items[i].as.integer : -1;
        const bool is_given = place >= 0 && place < (int64_t)n_args;
        if (is_given && args[place]->kind != TIRBI_RELAX_HELD_TENSOR) {
            tirbi_relax_refuse_here(l, e->span, "argument %d, which is written in place, is no tensor", (int)place);
            return NULL;
        }
        fields[i] = tirbi_relax_room_of_result(l, e->span, types[i], is_given ? &args[place] : NULL, wanted);
        if (!fields[i]) return NULL;
    }
    if (!all || !is_tuple) return all ? fields[0] : NULL;
    all->fields = fields;
    all->n = n;
    return all;
}

static const tirbi_relax_held **hold_arguments(tirbi_relax_lowering *l, const host_call *call) {
    const tirbi_relax_held **args = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, call->n_args);
    for (uint32_t i = 0; args && i < call->n_args; i++)
        if (!(args[i] = tirbi_relax_held_of(l, call->args[i]))) return NULL;
    return args;
}

const tirbi_relax_held *tirbi_relax_call_host(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                              const tirbi_relax_held *destination) {
    host_call call;
    host_arguments a = {.span = e->span};
    const tirbi_relax_held *result = NULL, **args = NULL;
    if (!read_call(e, &call) || !(args = hold_arguments(l, &call))) return NULL;
    const bool in_place = tirb_relax_is_call(e, TIRB_RELAX_CALL_INPLACE_PACKED);
    if (in_place && !(result = make_results_in_place(l, e, args, call.n_args, destination))) return NULL;
    a.name = call.name;
    const tirb_expr *marker = tirbi_make_string(&l->b, e->span, TIRBI_HOST_NAME, sizeof TIRBI_HOST_NAME - 1);
    const tirb_expr *name = tirbi_make_string(&l->b, e->span, call.name, (uint32_t)strlen(call.name));
    if (!add_expr(l, &a, marker) || !add_expr(l, &a, name) || !add_expr(l, &a, marker)) return NULL;
    const uint32_t first = a.items.n;
    for (uint32_t i = 0; i < call.n_args; i++)
        if (!add_value(l, &a, args[i])) return NULL;
    const tirb_expr **items = a.items.items;
    items[first - 1] = tirbi_make_int(&l->b, e->span, tirbi_type_i32, a.items.n - first);
    if (!items[first - 1] || (!in_place && !make_results(l, e, call.name, destination, &result))) return NULL;
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
