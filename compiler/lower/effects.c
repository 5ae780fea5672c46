/* Calls that do something: how often and when they happen shows, so they are neither repeated nor moved. */
#include "compiler/lower/lower.h"

#include "compiler/ir/callers.h"
#include "compiler/ir/visit.h"

typedef struct effect_search {
    tirbi_visitor visitor;
    tirbi_arena *arena;
    bool *own;                    /* by variable: points to memory that the function allocates */
    bool *acts;                   /* by function of the module */
    const tirbi_caller **callers; /* of each function */
    uint32_t here;                /* the function that is looked at */
} effect_search;

static void search_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    effect_search *s = visitor->context;
    if (e->kind == TIRB_EXPR_CALL) {
        const tirb_primfunc *f = e->as.call.function;
        if (f) tirbi_note_call(s->arena, s->callers, s->here, f->index);
        else if (tirbi_builtin_acts(e->as.call.builtin)) s->acts[s->here] = true;
    }
    tirbi_visit_expr(visitor, e);
}

static void search_stmt(tirbi_visitor *visitor, const tirb_stmt *stmt) {
    effect_search *s = visitor->context;
    if (stmt->kind == TIRB_STMT_STORE && !s->own[stmt->as.store.buffer->data->as.var.id]) s->acts[s->here] = true;
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
    case TIRB_BUILTIN_TVM_CALL_PACKED_LOWERED:
    case TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED:
    case TIRB_BUILTIN_TVM_STRUCT_SET: return true;
    default: return false;
    }
}

/* Who calls a function that does something does something, too. */
static void tell_callers(effect_search *s, uint32_t n) {
    uint32_t *told = TIRBI_NEW_ARRAY(s->arena, uint32_t, n), last = 0;
    for (uint32_t i = 0; told && i < n; i++)
        if (s->acts[i]) told[last++] = i;
    for (uint32_t i = 0; i < last; i++) {
        for (const tirbi_caller *c = s->callers[told[i]]; c; c = c->next) {
            if (s->acts[c->function]) continue;
            s->acts[c->function] = true;
            told[last++] = c->function;
        }
    }
}

bool tirbi_find_effects(tirbi_lowerer *l, const tirb_irmodule *module) {
    effect_search s = {.visitor = {.expr = search_expr, .stmt = search_stmt}, .arena = l->arena};
    s.visitor.context = &s;
    s.own = TIRBI_NEW_ARRAY(l->arena, bool, module->n_vars);
    s.acts = TIRBI_NEW_ARRAY(l->arena, bool, module->n_functions);
    s.callers = TIRBI_NEW_ARRAY(l->arena, const tirbi_caller *, module->n_functions);
    if (l->arena->failed) return false;
    for (s.here = 0; s.here < module->n_functions; s.here++)
        if (module->functions[s.here]->body) search_stmt(&s.visitor, module->functions[s.here]->body);
    bool *called = TIRBI_NEW_ARRAY(l->arena, bool, module->n_functions);
    for (uint32_t i = 0; called && i < module->n_functions; i++) called[i] = s.callers[i] != NULL;
    l->acts = s.acts;
    l->called = called;
    if (!l->arena->failed) tell_callers(&s, module->n_functions);
    return !l->arena->failed;
}

const tirbi_lx *tirbi_settle(tirbi_lowerer *l, const tirbi_lx *x, const char *what, tirbi_span span) {
    if (!tirbi_lx_acts(x)) return x;
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

/* ---- Effects in vectors and in conditions that are evaluated again ----------------------------------------------- */

static bool call_acts(const tirbi_lowerer *l, const tirb_expr *e) {
    if (e->kind != TIRB_EXPR_CALL) return false;
    const tirb_primfunc *f = e->as.call.function;
    return f ? l->acts[f->index] : !e->as.call.function_name && tirbi_builtin_acts(e->as.call.builtin);
}

typedef struct act_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirbi_lowerer *l;
    bool found;
} act_search;

static void find_act(tirbi_visitor *visitor, const tirb_expr *e) {
    act_search *s = (act_search *)visitor;
    s->found = s->found || call_acts(s->l, e);
    if (!s->found) tirbi_visit_expr(visitor, e);
}

bool tirbi_expr_acts(const tirbi_lowerer *l, const tirb_expr *e) {
    act_search s = {.visitor = {.expr = find_act}, .l = l};
    if (e) find_act(&s.visitor, e);
    return s.found;
}

static void find_statement(tirbi_visitor *visitor, const tirb_expr *e) {
    act_search *s = (act_search *)visitor;
    s->found = s->found || e->kind == TIRB_EXPR_REDUCE || call_acts(s->l, e);
    if (!s->found) tirbi_visit_expr(visitor, e);
}

bool tirbi_needs_statements(const tirbi_lowerer *l, const tirb_expr *e) {
    act_search s = {.visitor = {.expr = find_statement}, .l = l};
    find_statement(&s.visitor, e);
    return s.found;
}

typedef struct early_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    tirbi_lowerer *l;
    bool read; /* memory has been read that a call could change */
    bool refused;
} early_search;

static void evaluate_early(tirbi_visitor *visitor, const tirb_expr *e);

/* Operands that are evaluated only where the one before them says so, or where a variable has its value. */
static void refuse_early(early_search *s, const tirb_expr *e) {
    if (!e || !tirbi_expr_acts(s->l, e)) return;
    tirbi_unsupported(s->l, e->span, "a call with effects that only some lanes of a vector take");
    s->refused = true;
}

static void evaluate_call_early(early_search *s, const tirb_expr *e) {
    if (s->read || e->dtype.lanes != 1) {
        tirbi_unsupported(s->l, e->span, s->read ? "a call with effects behind what a vector reads"
                                                 : "a call with effects that gives a vector");
        s->refused = true;
        return;
    }
    tirbi_early *early = TIRBI_NEW(s->l->arena, tirbi_early);
    const tirbi_lx *value = early ? tirbi_lower_expr(s->l, e, NULL) : NULL;
    if (!value) return;
    s->l->n_settled++;
    *early = (tirbi_early){.call = e, .value = tirbi_hold(s->l, "value", value, e->span), .next = s->l->early};
    s->l->early = early;
}

static void evaluate_early(tirbi_visitor *visitor, const tirb_expr *e) {
    early_search *s = (early_search *)visitor;
    if (call_acts(s->l, e)) {
        evaluate_call_early(s, e);
        return;
    }
    switch (e->kind) {
    case TIRB_EXPR_AND:
    case TIRB_EXPR_OR:
        evaluate_early(visitor, e->as.binary.a);
        refuse_early(s, e->as.binary.b);
        return;
    case TIRB_EXPR_SELECT:
        evaluate_early(visitor, e->as.select.condition);
        refuse_early(s, e->as.select.true_value);
        refuse_early(s, e->as.select.false_value);
        return;
    case TIRB_EXPR_LET:
        evaluate_early(visitor, e->as.let.value);
        refuse_early(s, e->as.let.body);
        return;
    case TIRB_EXPR_REDUCE: refuse_early(s, e); return;
    case TIRB_EXPR_CALL:
        if (!e->as.call.function && e->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE && e->as.call.n_args == 3) {
            evaluate_early(visitor, e->as.call.args[0]);
            for (uint32_t i = 1; i < 3; i++) refuse_early(s, e->as.call.args[i]);
            return;
        }
        tirbi_visit_expr(visitor, e);
        s->read = s->read || e->as.call.function || tirb_builtins[e->as.call.builtin].effect != TIRB_EFFECT_PURE;
        return;
    default: break;
    }
    tirbi_visit_expr(visitor, e);
    s->read = s->read || e->kind == TIRB_EXPR_LOAD;
}

bool tirbi_settle_vector(tirbi_lowerer *l, const tirb_expr *value, const tirb_stmt *store) {
    early_search s = {.visitor = {.expr = evaluate_early}, .l = l};
    if (tirbi_expr_acts(l, value)) evaluate_early(&s.visitor, value);
    else s.read = true;
    for (uint32_t i = 0; store && i < store->as.store.n_indices; i++) {
        const tirb_expr *index = store->as.store.indices[i];
        if (tirbi_expr_acts(l, index)) evaluate_early(&s.visitor, index);
    }
    if (store) refuse_early(&s, store->as.store.predicate);
    return !s.refused;
}
