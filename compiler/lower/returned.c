/* Functions that return pointers: into the memory of one of their parameters, always the same. What is returned is how
 * many bytes lie between the parameter's pointer and it; who calls knows what it passed. */
#include "compiler/ir/visit.h"
#include "compiler/lower/lower.h"

enum { MAX_STEPS = 64, MAX_FUNCTIONS = 16, NOT_LOOKED_FOR = -2 };

typedef struct returned_search {
    tirbi_visitor visitor;
    tirbi_lowerer *lowerer;
    const tirb_primfunc *function;
    int32_t param;
    bool several; /* or none that is known */
} returned_search;

static int32_t param_of(const returned_search *s, const tirb_expr *var) {
    const tirb_primfunc *f = s->function;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i] == var || (f->buffers && f->buffers[i] && f->buffers[i]->data == var)) return (int32_t)i;
    return -1;
}

/* The parameter that a pointer is made of, or -1. */
static int32_t base_of(const returned_search *s, const tirb_expr *e) {
    for (unsigned step = 0; e && step < MAX_STEPS; step++) {
        if (e->kind == TIRB_EXPR_VAR) {
            int32_t param = param_of(s, e);
            if (param >= 0) return param;
            e = s->lowerer->pointer_values[e->as.var.id];
        } else if (e->kind == TIRB_EXPR_CAST) {
            e = e->as.cast.value;
        } else if (e->kind != TIRB_EXPR_CALL || (e->as.call.function_name && !e->as.call.function)) {
            return -1;
        } else if (e->as.call.function) {
            int32_t param = tirbi_returned_param(s->lowerer, e->as.call.function);
            e = param >= 0 && (uint32_t)param < e->as.call.n_args ? e->as.call.args[param] : NULL;
        } else if (e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF) {
            e = e->as.call.args[0]->kind == TIRB_EXPR_LOAD ? e->as.call.args[0]->as.load.buffer->data : NULL;
        } else if (e->as.call.builtin == TIRB_BUILTIN_TVM_ACCESS_PTR) {
            e = e->as.call.args[1];
        } else if (e->as.call.builtin == TIRB_BUILTIN_BUFFER_DATA || e->as.call.builtin == TIRB_BUILTIN_REINTERPRET ||
                   e->as.call.builtin == TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET ||
                   e->as.call.builtin == TIRB_BUILTIN_PTR_BYTE_OFFSET) {
            e = e->as.call.args[0];
        } else {
            return -1;
        }
    }
    return -1;
}

static void note_value(returned_search *s, const tirb_expr *value) {
    int32_t param = value ? base_of(s, value) : -1;
    s->several |= param < 0 || (s->param >= 0 && s->param != param);
    s->param = param;
}

static void find_returns(tirbi_visitor *v, const tirb_stmt *stmt) {
    returned_search *s = v->context;
    if (stmt->kind == TIRB_STMT_LET) s->lowerer->pointer_values[stmt->as.let.var->as.var.id] = stmt->as.let.value;
    if (stmt->kind == TIRB_STMT_DECL_BUFFER && stmt->as.decl.source)
        s->lowerer->pointer_values[stmt->as.decl.buffer->data->as.var.id] = stmt->as.decl.source;
    if (stmt->kind == TIRB_STMT_RETURN) note_value(s, stmt->as.evaluate.value);
    const tirb_expr *e = stmt->kind == TIRB_STMT_EVALUATE ? stmt->as.evaluate.value : NULL;
    bool returns = e && e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
                   e->as.call.builtin == TIRB_BUILTIN_RET;
    if (returns) note_value(s, e->as.call.args[0]);
    tirbi_visit_stmt(v, stmt);
}

int32_t tirbi_returned_param(tirbi_lowerer *l, const tirb_primfunc *f) {
    int32_t *known = &l->returned[f->index];
    if (*known != NOT_LOOKED_FOR || f->ret_type.kind != TIRB_TYPE_POINTER || !f->body)
        return *known == NOT_LOOKED_FOR ? -1 : *known;
    if (l->n_returning == MAX_FUNCTIONS) return -1;
    *known = -1; /* of a function that asks for itself */
    returned_search s = {
        .visitor = {.expr = tirbi_visit_expr, .stmt = find_returns}, .lowerer = l, .function = f, .param = -1};
    s.visitor.context = &s;
    if (!l->pointer_values) l->pointer_values = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, l->n_vars);
    if (!l->pointer_values) return -1;
    l->n_returning++;
    find_returns(&s.visitor, f->body);
    l->n_returning--;
    *known = s.several ? -1 : s.param;
    return *known;
}

bool tirbi_start_returned(tirbi_lowerer *l, uint32_t n_functions) {
    l->returned = TIRBI_NEW_ARRAY(l->arena, int32_t, n_functions);
    for (uint32_t i = 0; l->returned && i < n_functions; i++) l->returned[i] = NOT_LOOKED_FOR;
    return l->returned != NULL;
}

const tirbi_lx *tirbi_lower_returned_pointer(tirbi_lowerer *l, const tirb_expr *value, tirbi_span span) {
    tirbi_pointer p;
    int32_t param = tirbi_returned_param(l, l->function->ast);
    if (param < 0 || !l->function->ast->buffers[param]) {
        tirbi_unsupported(l, span, "returning a pointer that does not always lead into the same parameter's memory");
        return NULL;
    }
    if (!tirbi_lower_pointer(l, value, span, &p)) return NULL;
    const tirbi_lx *size = tirbi_lx_number(l->pool, tirbi_dtypes[p.memory->type].size);
    return size && p.offset ? tirbi_lx_mul(l->pool, p.offset, size) : NULL;
}

bool tirbi_pointer_from_call(tirbi_lowerer *l, const tirb_expr *call, tirbi_span span, const tirb_expr **base,
                             const tirbi_lx **bytes) {
    int32_t param = tirbi_returned_param(l, call->as.call.function);
    *base = param >= 0 && (uint32_t)param < call->as.call.n_args ? call->as.call.args[param] : NULL;
    if (!*base || ((*base)->kind == TIRB_EXPR_CALL && (*base)->as.call.function)) {
        tirbi_unsupported(
            l, call->span,
            *base ? "a pointer that a call returns as the argument of a call that returns it: bind it to a variable"
                  : "a pointer that does not always lead into the same argument's memory");
        return false;
    }
    *bytes = tirbi_hold(l, call->as.call.function->name, tirbi_lower_call(l, call), span);
    return *bytes != NULL;
}
