/* Calls that do something: how often and when they happen shows, so they are neither repeated nor moved. */
#include "compiler/lower/lower.h"

#include "compiler/ir/visit.h"

typedef struct effect_search {
    tirbi_visitor visitor;
    bool *own;   /* by variable: points to memory that the function allocates */
    bool *acts;  /* by function of the module */
    bool here;   /* the function that is looked at does something */
} effect_search;

static void search_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    effect_search *s = visitor->context;
    if (e->kind == TIRB_EXPR_CALL) {
        const tirb_primfunc *f = e->as.call.function;
        if (f ? s->acts[f->index] : tirbi_builtin_acts(e->as.call.builtin)) s->here = true;
    }
    tirbi_visit_expr(visitor, e);
}

static void search_stmt(tirbi_visitor *visitor, const tirb_stmt *stmt) {
    effect_search *s = visitor->context;
    if (stmt->kind == TIRB_STMT_STORE && !s->own[stmt->as.store.buffer->data->as.var.id]) s->here = true;
    if (stmt->kind == TIRB_STMT_ALLOCATE) s->own[stmt->as.allocate.buffer->data->as.var.id] = true;
    if (stmt->kind == TIRB_STMT_BUFFER_REALIZE) s->own[stmt->as.realize.buffer->data->as.var.id] = true;
    if (stmt->kind == TIRB_STMT_BLOCK_REALIZE) {
        const tirb_block *block = stmt->as.block.block;
        for (uint32_t i = 0; i < block->n_allocs; i++) s->own[block->allocs[i]->data->as.var.id] = true;
    }
    tirbi_visit_stmt(visitor, stmt);
}

bool tirbi_builtin_acts(tirb_builtin builtin) {
    switch (builtin) {
    case TIRB_BUILTIN_CALL_EXTERN:
    case TIRB_BUILTIN_CALL_PACKED:
    case TIRB_BUILTIN_CALL_CPACKED:
    case TIRB_BUILTIN_TVM_STRUCT_SET: return true;
    default: return false;
    }
}

bool tirbi_find_effects(tirbi_lowerer *l, const tirb_irmodule *module) {
    effect_search s = {.visitor = {.expr = search_expr, .stmt = search_stmt}};
    s.visitor.context = &s;
    s.own = TIRBI_NEW_ARRAY(l->arena, bool, module->n_vars);
    s.acts = TIRBI_NEW_ARRAY(l->arena, bool, module->n_functions);
    if (l->arena->failed) return false;
    bool changed = module->n_functions > 0;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < module->n_functions; i++) {
            if (s.acts[i] || !module->functions[i]->body) continue;
            s.here = false;
            search_stmt(&s.visitor, module->functions[i]->body);
            s.acts[i] = s.here;
            changed = changed || s.here;
        }
    }
    l->acts = s.acts;
    return true;
}

bool tirbi_acts(const tirbi_lx *x) {
    if (!x || x->shared) return false;
    if (x->kind == TIRBI_LX_CALL) {
        bool found = x->call->acts;
        for (uint32_t i = 0; i < x->call->n_scalars && !found; i++) found = tirbi_acts(x->call->scalars[i]);
        return found;
    }
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_acts(x->args[i])) return true;
    }
    return false;
}

const tirbi_lx *tirbi_settle(tirbi_lowerer *l, const tirbi_lx *x, const char *what, tirbi_span span) {
    if (!tirbi_acts(x)) return x;
    if (l->again > 0 || l->in_lanes > 0) {
        tirbi_unsupported(l, span, what);
        return NULL;
    }
    l->n_settled++;
    return tirbi_hold(l, "value", x, span);
}

const tirbi_lx *tirbi_keep_order(tirbi_lowerer *l, tirbi_mark mark, const tirbi_lx *earlier, tirbi_span span) {
    if (!earlier || l->n_settled == mark.n_settled || (earlier->pure && !earlier->traps)) return earlier;
    const tirbi_lx *kept = tirbi_hold(l, "value", earlier, span);
    if (!kept || l->arena->failed || l->out->n <= mark.n) return kept;
    const tirbi_ls *set = l->out->items[l->out->n - 1];
    for (uint32_t i = l->out->n - 1; i > mark.n; i--) l->out->items[i] = l->out->items[i - 1];
    l->out->items[mark.n] = set;
    return kept;
}
