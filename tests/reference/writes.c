/* A store writes what its buffer's data points to. Pointers that are made of others (a let, a matched or declared
 * buffer) pass that on to these, and so does a call to the pointers that it is given. Repeated until nothing
 * changes. */
#include "tests/reference/writes.h"

#include "compiler/ir/visit.h"

typedef struct search {
    tirbi_visitor visitor;
    bool *written;
    bool changed;
} search;

static void mark(search *s, const tirb_expr *var) {
    if (s->written[var->as.var.id]) return;
    s->written[var->as.var.id] = true;
    s->changed = true;
}

/* Marks the variables that a pointer is made of. */
static void mark_pointers(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = visitor->context;
    if (e->kind == TIRB_EXPR_VAR && e->dtype.code == TIRB_CODE_HANDLE) mark(s, e);
    if (e->kind == TIRB_EXPR_LOAD) mark(s, e->as.load.buffer->data);
    else tirbi_visit_expr(visitor, e);
}

static void mark_source(search *s, const tirb_expr *e) {
    tirbi_visitor marker = {.expr = mark_pointers, .context = s};
    mark_pointers(&marker, e);
}

static void walk_call(search *s, const tirb_expr *e) {
    const tirb_primfunc *f = e->as.call.function;
    bool opaque = f == NULL &&
                  (e->as.call.builtin == TIRB_BUILTIN_CALL_EXTERN || e->as.call.builtin == TIRB_BUILTIN_CALL_PACKED ||
                   e->as.call.builtin == TIRB_BUILTIN_CALL_CPACKED);
    for (uint32_t i = 0; i < e->as.call.n_args; i++) {
        bool written = opaque || (f != NULL && i < f->n_params && f->buffers[i] != NULL &&
                                  s->written[f->buffers[i]->data->as.var.id]);
        if (written && e->as.call.args[i]->dtype.code == TIRB_CODE_HANDLE) mark_source(s, e->as.call.args[i]);
    }
}

static void walk_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_CALL) walk_call(visitor->context, e);
    tirbi_visit_expr(visitor, e);
}

static void walk_stmt(tirbi_visitor *visitor, const tirb_stmt *stmt) {
    search *s = visitor->context;
    if (stmt->kind == TIRB_STMT_STORE) mark(s, stmt->as.store.buffer->data);
    if (stmt->kind == TIRB_STMT_LET && stmt->as.let.var->dtype.code == TIRB_CODE_HANDLE &&
        s->written[stmt->as.let.var->as.var.id]) {
        mark_source(s, stmt->as.let.value);
    }
    if (stmt->kind == TIRB_STMT_DECL_BUFFER && stmt->as.decl.source != NULL &&
        s->written[stmt->as.decl.buffer->data->as.var.id]) {
        mark_source(s, stmt->as.decl.source);
    }
    if (stmt->kind == TIRB_STMT_BLOCK_REALIZE) {
        const tirb_block *block = stmt->as.block.block;
        for (uint32_t i = 0; i < block->n_matches; i++) {
            const tirb_match_buffer *match = &block->matches[i];
            if (s->written[match->buffer->data->as.var.id]) mark(s, match->source.buffer->data);
        }
    }
    tirbi_visit_stmt(visitor, stmt);
}

const bool *tirbi_ref_find_writes(const tirb_irmodule *module, tirbi_arena *arena) {
    search s = {.visitor = {.expr = walk_expr, .stmt = walk_stmt}};
    s.visitor.context = &s;
    s.written = TIRBI_NEW_ARRAY(arena, bool, module->n_vars + 1);
    if (s.written == NULL) return NULL;
    do {
        s.changed = false;
        for (uint32_t i = 0; i < module->n_functions; i++) {
            if (module->functions[i]->body != NULL) walk_stmt(&s.visitor, module->functions[i]->body);
        }
    } while (s.changed);
    return s.written;
}
