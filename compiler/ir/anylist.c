#include "compiler/ir/anylist.h"

static const tirb_datatype register_type = {TIRB_CODE_INT, 64, 1};

static bool is_builtin(const tirb_expr *e, tirb_builtin builtin) {
    return e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name && e->as.call.builtin == builtin;
}

bool tirbi_is_anylist_call(const tirb_expr *e) {
    return is_builtin(e, TIRB_BUILTIN_ANYLIST_GETITEM) || is_builtin(e, TIRB_BUILTIN_ANYLIST_RESETITEM) ||
           is_builtin(e, TIRB_BUILTIN_ANYLIST_SETITEM_CALL_PACKED) || is_builtin(e, TIRB_BUILTIN_ANYLIST_SETITEM_CALL_CPACKED);
}

/* The registers that a call's first argument is; NULL: it is no parameter. */
static const tirb_buffer *registers_of(const tirb_expr *call) {
    const tirb_expr *list = call->as.call.n_args >= 2 ? call->as.call.args[0] : NULL;
    const tirb_buffer *of = list && list->kind == TIRB_EXPR_VAR ? list->as.var.data_of : NULL;
    return of && of->is_implied && tirb_datatype_equal(of->dtype, register_type) ? of : NULL;
}

static tirb_expr *copied(tirbi_arena *arena, const tirb_expr *e) {
    tirb_expr *made = TIRBI_NEW(arena, tirb_expr);
    if (made) *made = *e;
    return made;
}

/* An argument of the host's function: a register's contents, or what it is. */
static const tirb_expr *argument_of(tirbi_arena *arena, const tirb_expr *e) {
    if (!is_builtin(e, TIRB_BUILTIN_ANYLIST_GETITEM)) return e;
    const tirb_buffer *registers = registers_of(e);
    tirb_expr *load = registers ? copied(arena, e) : NULL;
    if (!load) return NULL;
    load->kind = TIRB_EXPR_LOAD;
    load->dtype = register_type;
    load->as.load.buffer = registers;
    load->as.load.indices = e->as.call.args + 1;
    load->as.load.n_indices = 1;
    load->as.load.predicate = NULL;
    return load;
}

/* What the host's function gives for the register. */
static const tirb_expr *called(tirbi_arena *arena, const tirb_expr *e) {
    uint32_t n = e->as.call.n_args - 2;
    const tirb_expr **args = TIRBI_NEW_ARRAY(arena, const tirb_expr *, n);
    tirb_expr *call = copied(arena, e);
    if (!args || !call) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        args[i] = argument_of(arena, e->as.call.args[i + 2]);
        if (!args[i]) return NULL;
    }
    bool c = e->as.call.builtin == TIRB_BUILTIN_ANYLIST_SETITEM_CALL_CPACKED;
    call->dtype = register_type;
    call->as.call.builtin = c ? TIRB_BUILTIN_CALL_CPACKED : TIRB_BUILTIN_CALL_PACKED;
    call->as.call.args = args;
    call->as.call.n_args = n;
    return call;
}

static const tirb_expr *zero(tirbi_arena *arena, const tirb_expr *e) {
    tirb_expr *made = copied(arena, e);
    if (!made) return NULL;
    made->kind = TIRB_EXPR_INT_IMM;
    made->dtype = register_type;
    made->as.int_value = 0;
    return made;
}

const tirb_stmt *tirbi_anylist_statement(tirbi_arena *arena, const tirb_expr *call) {
    bool reset = is_builtin(call, TIRB_BUILTIN_ANYLIST_RESETITEM);
    if (!tirbi_is_anylist_call(call) || is_builtin(call, TIRB_BUILTIN_ANYLIST_GETITEM)) return NULL;
    const tirb_buffer *registers = registers_of(call);
    bool whole = registers && call->as.call.n_args >= (reset ? 2u : 3u);
    const tirb_expr *value = !whole ? NULL : reset ? zero(arena, call) : called(arena, call);
    tirb_stmt *store = value ? TIRBI_NEW(arena, tirb_stmt) : NULL;
    if (!store) return NULL;
    store->kind = TIRB_STMT_STORE;
    store->span = call->span;
    store->as.store.buffer = registers;
    store->as.store.value = value;
    store->as.store.indices = call->as.call.args + 1;
    store->as.store.n_indices = 1;
    return store;
}
