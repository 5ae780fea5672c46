#include "compiler/ir/anylist.h"

static const tirb_datatype register_type = {TIRB_CODE_INT, 64, 1, false};

static bool is_builtin(const tirb_expr *e, tirb_builtin builtin) {
    return e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
           e->as.call.builtin == builtin;
}

bool tirbi_is_anylist_call(const tirb_expr *e) {
    return is_builtin(e, TIRB_BUILTIN_ANYLIST_GETITEM) || is_builtin(e, TIRB_BUILTIN_ANYLIST_RESETITEM) ||
           is_builtin(e, TIRB_BUILTIN_ANYLIST_SETITEM_CALL_PACKED) ||
           is_builtin(e, TIRB_BUILTIN_ANYLIST_SETITEM_CALL_CPACKED) ||
           is_builtin(e, TIRB_BUILTIN_ANYLIST_SET_PACKED_ARG) || is_builtin(e, TIRB_BUILTIN_ANYLIST_MOVE_FROM_RETURN) ||
           is_builtin(e, TIRB_BUILTIN_ANYLIST_RESET);
}

/* The registers that a call's first argument is; NULL: it is no parameter. */
static const tirb_buffer *registers_of(const tirb_expr *call) {
    const tirb_expr *list = call->as.call.n_args >= 2 ? call->as.call.args[0] : NULL;
    const tirb_buffer *of = list && list->kind == TIRB_EXPR_VAR ? list->as.var.data_of : NULL;
    return of && of->is_implied && tirb_datatype_equal(of->dtype, register_type) ? of : NULL;
}

/* The contents of the register that a call's first arguments name. */
static const tirb_expr *contents_of(tirbi_arena *arena, const tirb_expr *e) {
    const tirb_buffer *registers = registers_of(e);
    tirb_expr *load = registers ? tirbi_copy_expr(arena, e) : NULL;
    if (!load) return NULL;
    load->kind = TIRB_EXPR_LOAD;
    load->dtype = register_type;
    load->as.load.buffer = registers;
    load->as.load.indices = e->as.call.args + 1;
    load->as.load.n_indices = 1;
    load->as.load.predicate = NULL;
    return load;
}

const tirb_expr *tirbi_anylist_argument(tirbi_arena *arena, const tirb_expr *e) {
    return is_builtin(e, TIRB_BUILTIN_ANYLIST_GETITEM) ? contents_of(arena, e) : e;
}

/* What the host's function gives for the register. */
static const tirb_expr *called(tirbi_arena *arena, const tirb_expr *e) {
    uint32_t n = e->as.call.n_args - 2;
    const tirb_expr **args = TIRBI_NEW_ARRAY(arena, const tirb_expr *, n);
    tirb_expr *call = tirbi_copy_expr(arena, e);
    if (!args || !call) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        args[i] = tirbi_anylist_argument(arena, e->as.call.args[i + 2]);
        if (!args[i]) return NULL;
    }
    bool c = e->as.call.builtin == TIRB_BUILTIN_ANYLIST_SETITEM_CALL_CPACKED;
    call->dtype = register_type;
    call->as.call.builtin = c ? TIRB_BUILTIN_CALL_CPACKED : TIRB_BUILTIN_CALL_PACKED;
    call->as.call.args = args;
    call->as.call.n_args = n;
    return call;
}

static const tirb_expr *number(tirbi_arena *arena, const tirb_expr *e, int64_t value) {
    tirb_expr *made = tirbi_copy_expr(arena, e);
    if (!made) return NULL;
    made->kind = TIRB_EXPR_INT_IMM;
    made->dtype = register_type;
    made->as.int_value = value;
    return made;
}

/* A field of the stack's cell that the third and fourth arguments name; `value` NULL: what it holds. */
static const tirb_expr *cell_field(tirbi_arena *arena, const tirb_expr *e, int64_t field, const tirb_expr *value) {
    const tirb_expr **args = TIRBI_NEW_ARRAY(arena, const tirb_expr *, 4);
    tirb_expr *made = tirbi_copy_expr(arena, e);
    const tirb_expr *kind = number(arena, e, field);
    if (!args || !made || !kind) return NULL;
    args[0] = e->as.call.args[2];
    args[1] = e->as.call.args[3];
    args[2] = kind;
    args[3] = value;
    made->dtype = register_type;
    made->as.call.builtin = value ? TIRB_BUILTIN_TVM_STRUCT_SET : TIRB_BUILTIN_TVM_STRUCT_GET;
    made->as.call.args = args;
    made->as.call.n_args = value ? 4 : 3;
    return made;
}

/* The register as an argument: a number, whatever the host means by it. */
static const tirb_stmt *set_argument(tirbi_arena *arena, const tirb_expr *e) {
    enum { INTEGER = 1, FIELD_TYPE = 13, FIELD_VALUE = 15 };
    const tirb_expr *type = number(arena, e, INTEGER), *value = registers_of(e) ? contents_of(arena, e) : NULL;
    const tirb_stmt **items = TIRBI_NEW_ARRAY(arena, const tirb_stmt *, 2);
    tirb_stmt *seq = TIRBI_NEW(arena, tirb_stmt);
    if (!type || !value || !items || !seq) return NULL;
    for (int i = 0; i < 2; i++) {
        tirb_stmt *set = TIRBI_NEW(arena, tirb_stmt);
        const tirb_expr *call = cell_field(arena, e, i ? FIELD_VALUE : FIELD_TYPE, i ? value : type);
        if (!set || !call) return NULL;
        set->kind = TIRB_STMT_EVALUATE;
        set->span = e->span;
        set->as.evaluate.value = call;
        items[i] = set;
    }
    seq->kind = TIRB_STMT_SEQ;
    seq->span = e->span;
    seq->as.seq.items = items;
    seq->as.seq.n = 2;
    return seq;
}

const tirb_stmt *tirbi_anylist_statement(tirbi_arena *arena, const tirb_expr *call) {
    enum { FIELD_VALUE = 15 };
    bool reset = is_builtin(call, TIRB_BUILTIN_ANYLIST_RESETITEM) || is_builtin(call, TIRB_BUILTIN_ANYLIST_RESET);
    bool moves = is_builtin(call, TIRB_BUILTIN_ANYLIST_MOVE_FROM_RETURN);
    if (is_builtin(call, TIRB_BUILTIN_ANYLIST_SET_PACKED_ARG)) return set_argument(arena, call);
    if (!tirbi_is_anylist_call(call) || is_builtin(call, TIRB_BUILTIN_ANYLIST_GETITEM)) return NULL;
    const tirb_buffer *registers = registers_of(call);
    bool whole = registers && call->as.call.n_args >= (reset ? 2u : 3u);
    const tirb_expr *value = !whole  ? NULL
                             : reset ? number(arena, call, 0)
                             : moves ? cell_field(arena, call, FIELD_VALUE, NULL)
                                     : called(arena, call);
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
