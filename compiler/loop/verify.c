#include "compiler/loop/verify.h"

#include <stdarg.h>
#include <stdio.h>

#include "compiler/source/index.h"
#include "loader/base/error.h"

/* A variable or a buffer's memory, and in how many of the blocks around it has begun. */
typedef struct begun {
    const void *what;
    uint32_t times;
} begun;

typedef struct verifier {
    const tirbi_lfunc *function;
    tirbi_arena arena; /* of its own */
    begun *items;
    uint32_t n, capacity;
    tirbi_index by_address;
    uint32_t *open; /* the items that have begun, those of the innermost block last */
    uint32_t n_open, open_capacity;
    uint32_t n_loops; /* around: of those that break and continue may mean */
    tirb_error *error;
    tirb_status status;
} verifier;

static void wrong(verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(verifier *v, const char *format, ...) {
    char message[160];
    va_list arguments;
    if (v->status != TIRB_OK) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    v->status = tirbi_error_set(v->error, TIRB_INTERNAL, "%s: %s", v->function->ast->name, message);
}

static void fail_memory(verifier *v) {
    if (v->status == TIRB_OK) v->status = tirbi_error_set(v->error, TIRB_NO_MEMORY, "no memory");
}

/* ---- What has begun --------------------------------------------------------------------------------------------- */

static begun *find(verifier *v, const void *what) {
    const uint32_t hash = tirbi_text_hash(v, (const char *)&what, sizeof(what));
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&v->by_address, hash, &probe)) != 0)
        if (v->items[found - 1].what == what) return &v->items[found - 1];
    return NULL;
}

/* Room for one item more of an array; NULL: there is none. */
static void *grow(verifier *v, void *items, uint32_t n, uint32_t *capacity, size_t size) {
    if (n < *capacity) return items;
    const uint32_t more = *capacity ? 2 * *capacity : 64;
    items = tirbi_arena_extend(&v->arena, items, *capacity, more, size);
    if (items)
        *capacity = more;
    else
        fail_memory(v);
    return items;
}

static begun *add(verifier *v, const void *what) {
    begun *items = grow(v, v->items, v->n, &v->capacity, sizeof(*items));
    if (!items) return NULL;
    v->items = items;
    const uint32_t hash = tirbi_text_hash(v, (const char *)&what, sizeof(what));
    if (!tirbi_index_add(&v->by_address, &v->arena, hash, v->n)) return fail_memory(v), NULL;
    items[v->n] = (begun){.what = what};
    return &items[v->n++];
}

static void begin(verifier *v, const void *what) {
    begun *item = find(v, what);
    if (!item) item = add(v, what);
    uint32_t *open = item ? grow(v, v->open, v->n_open, &v->open_capacity, sizeof(*open)) : NULL;
    if (!open) return;
    v->open = open;
    open[v->n_open++] = (uint32_t)(item - v->items);
    item->times++;
}

/* Ends the block that was begun when so many were open. */
static void end_block(verifier *v, uint32_t n_open) {
    while (v->n_open > n_open) v->items[v->open[--v->n_open]].times--;
}

static bool has_begun(verifier *v, const void *what) {
    const begun *item = find(v, what);
    return item && item->times > 0;
}

/* ---- Expressions ----------------------------------------------------------------------------------------------- */

static const char *type_name(unsigned type) { return type < TIRB_N_DTYPES ? tirbi_dtypes[type].name : "nothing"; }

static void check_expr(verifier *v, const tirbi_lx *x);

static void check_typed(verifier *v, const tirbi_lx *x, unsigned type, const char *what) {
    if (!x) {
        wrong(v, "%s is missing", what);
        return;
    }
    if (x->type != type) wrong(v, "%s is of %s, not of %s", what, type_name(x->type), type_name(type));
    check_expr(v, x);
}

/* Memory of one element may have become a variable, which trees still name so; constants are there from the start. */
static void check_buffer(verifier *v, const tirbi_lbuf *b) {
    if (!b->root || b->root->root != b->root)
        wrong(v, "%s is no part of any memory", b->name);
    else if (!b->root->constant && !has_begun(v, b->root->local ? (const void *)b->root->local : b->root))
        wrong(v, "the memory of %s is not there", b->name);
}

/* An element's number, and the place that this one is a view of, are made of the indices: looked into at each level of
 * indices in indices, they would be gone through twice as often there. */
static void check_place(verifier *v, const tirbi_place *place) {
    for (const tirbi_place *p = place; p && v->status == TIRB_OK; p = p->view) {
        check_buffer(v, p->buffer);
        if (p->ndim != p->buffer->ndim)
            wrong(v, "%u indices of %s, which has %u dimensions", p->ndim, p->buffer->name, p->buffer->ndim);
        for (uint32_t d = 0; d < p->ndim; d++) {
            if (p == place)
                check_typed(v, p->indices[d], TIRB_I64, "an index");
            else if (p->indices[d]->type != TIRB_I64)
                wrong(v, "an index of %s is no int64", p->buffer->name);
        }
        if (p->flat->type != TIRB_I64) wrong(v, "the number of an element of %s is no int64", p->buffer->name);
    }
}

static void check_call(verifier *v, const tirbi_lcall *call) {
    for (uint32_t i = 0; i < call->n_scalars; i++) check_expr(v, call->scalars[i]);
    for (uint32_t i = 0; i < call->n_refs; i++) {
        if (call->refs[i].buffer) check_buffer(v, call->refs[i].buffer);
        if (!call->refs[i].start) continue;
        if (call->refs[i].start->ndim > 0)
            check_place(v, call->refs[i].start); /* else its number is all there is */
        else
            check_typed(v, call->refs[i].start->flat, TIRB_I64, "an element's number");
        check_typed(v, call->refs[i].count, TIRB_I64, "a count");
    }
    for (uint32_t i = 0; i < call->n_checks; i++) {
        check_expr(v, call->checks[i].actual);
        check_expr(v, call->checks[i].expected);
    }
}

/* What a node says of itself against what its operands say. */
static void check_flags(verifier *v, const tirbi_lx *x) {
    if (x->pure && !x->shared) wrong(v, "what is pure is shared");
    for (unsigned i = 0; i < x->n_args; i++) {
        if (!x->args[i])
            wrong(v, "an operand is missing");
        else if (x->shared && !x->args[i]->shared)
            wrong(v, "a shared node of one that is not");
        else if (x->pure && !x->args[i]->pure)
            wrong(v, "a pure node of one that is not");
        else if (!x->traps && x->args[i]->traps)
            wrong(v, "a node without traps of one with");
    }
}

static void check_operation(verifier *v, const tirbi_lx *x) {
    const tirbi_op_info *info = &tirbi_ops[x->op];
    if (!(info->flags & TIRBI_FLAG_ELEMENTWISE) || (info->flags & TIRBI_FLAG_LANE) || !(info->types >> x->optype & 1)) {
        wrong(v, "there is no operation %u of %s", x->op, type_name(x->optype));
        return;
    }
    if (x->n_args != info->arity) wrong(v, "%s of %u operands", info->mnemonic, x->n_args);
    if (x->type != tirbi_op_result_type((tirbi_op)x->op, (tirbi_dtype)x->optype))
        wrong(v, "%s.%s gives no %s", info->mnemonic, type_name(x->optype), type_name(x->type));
    for (unsigned i = 0; i < x->n_args && v->status == TIRB_OK; i++) {
        const unsigned wanted =
            tirbi_op_operand_type((tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, i);
        check_typed(v, x->args[i], wanted, info->mnemonic);
    }
}

static void check_expr(verifier *v, const tirbi_lx *x) {
    if (v->status != TIRB_OK) return;
    check_flags(v, x);
    if (v->status != TIRB_OK) return;
    switch ((tirbi_lx_kind)x->kind) {
    case TIRBI_LX_CONST:
        return;
    case TIRBI_LX_VAR:
        if (x->type != x->var->type) wrong(v, "%s is of %s", x->var->name, type_name(x->var->type));
        if (x->var->kind != TIRBI_LVAR_NUMBER && !has_begun(v, x->var->as ? x->var->as : x->var))
            wrong(v, "%s has not begun", x->var->name);
        return;
    case TIRBI_LX_OP:
        check_operation(v, x);
        return;
    case TIRBI_LX_LOAD:
        if (x->type != x->access->buffer->type) wrong(v, "a load of %s", x->access->buffer->name);
        check_place(v, x->access);
        return;
    case TIRBI_LX_COND:
        check_typed(v, x->args[0], TIRB_BOOL, "a condition");
        check_typed(v, x->args[1], x->type, "what is chosen");
        check_typed(v, x->args[2], x->type, "what is chosen");
        return;
    case TIRBI_LX_AND:
    case TIRBI_LX_OR:
        check_typed(v, x->args[0], TIRB_BOOL, "a condition");
        check_typed(v, x->args[1], TIRB_BOOL, "a condition");
        return;
    case TIRBI_LX_CALL:
        check_call(v, x->call);
        return;
    }
    wrong(v, "there is no expression %u", x->kind);
}

/* ---- Statements ------------------------------------------------------------------------------------------------ */

static void check_stmt(verifier *v, const tirbi_ls *s);

static void check_block(verifier *v, const tirbi_ls *body) {
    const uint32_t open = v->n_open;
    if (body) check_stmt(v, body);
    end_block(v, open);
}

static void check_bounds(verifier *v, const tirbi_lvar *var) {
    if (var->kind != TIRBI_LVAR_LOOP) wrong(v, "%s is no variable of a loop", var->name);
    check_typed(v, var->min, TIRB_I64, "the first value of a loop");
    check_typed(v, var->extent, TIRB_I64, "the extent of a loop");
    if (var->below) check_typed(v, var->below, TIRB_I64, "what a loop is below");
}

static void check_loop(verifier *v, const tirbi_ls *s) {
    const uint32_t open = v->n_open;
    check_bounds(v, s->as.loop.var);
    if (s->as.loop.step) check_typed(v, s->as.loop.step, TIRB_I64, "a step");
    begin(v, s->as.loop.var);
    v->n_loops++;
    check_stmt(v, s->as.loop.body);
    v->n_loops--;
    end_block(v, open);
}

static void check_if(verifier *v, const tirbi_ls *s) {
    check_typed(v, s->as.if_.condition, TIRB_BOOL, "a condition");
    for (uint32_t i = 0; i < s->as.if_.n_first_of; i++)
        if (!has_begun(v, s->as.if_.first_of[i]))
            wrong(v, "the first of %s, which is not there", s->as.if_.first_of[i]->name);
    check_block(v, s->as.if_.then_case);
    check_block(v, s->as.if_.else_case);
}

static void check_search(verifier *v, const tirbi_ls *s) {
    const uint32_t open = v->n_open;
    check_bounds(v, s->as.search.var);
    begin(v, s->as.search.var);
    check_typed(v, s->as.search.condition, TIRB_BOOL, "a condition");
    end_block(v, open);
    begin(v, s->as.search.found);
}

static void check_set(verifier *v, const tirbi_ls *s) {
    const tirbi_lvar *var = s->as.set.var;
    check_typed(v, s->as.set.value, var->type, var->name);
    if (s->as.set.declares)
        begin(v, var);
    else if (!has_begun(v, var))
        wrong(v, "%s is set and has not begun", var->name);
    else if (var->kind != TIRBI_LVAR_LOCAL)
        wrong(v, "%s is set again", var->name);
}

static void check_tree(verifier *v, const tirbi_ls *s) {
    const uint32_t open = v->n_open;
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) check_bounds(v, s->as.tree.loops[i]);
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) begin(v, s->as.tree.loops[i]);
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) check_expr(v, s->as.tree.lets[i]);
    if (s->as.tree.init) check_block(v, s->as.tree.init);
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *update = &s->as.tree.updates[i];
        check_place(v, update->target);
        check_typed(v, update->value, update->target->buffer->type, "a term");
        if (update->factor) check_typed(v, update->factor, update->target->buffer->type, "a factor");
    }
    end_block(v, open);
}

static void check_memory(verifier *v, const tirbi_lbuf *b) {
    if (b->root != b) wrong(v, "the memory of %s is another buffer's", b->name);
    for (uint32_t d = 0; d < b->ndim; d++) check_typed(v, b->shape[d], TIRB_I64, "an extent");
    if (b->length) check_typed(v, b->length, TIRB_I64, "a length");
    begin(v, b);
}

static void check_stmt(verifier *v, const tirbi_ls *s) {
    if (v->status != TIRB_OK) return;
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) check_stmt(v, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        check_loop(v, s);
        return;
    case TIRBI_LS_IF:
        check_if(v, s);
        return;
    case TIRBI_LS_WHILE:
        check_typed(v, s->as.while_.condition, TIRB_BOOL, "a condition");
        v->n_loops++;
        check_block(v, s->as.while_.body);
        v->n_loops--;
        return;
    case TIRBI_LS_SEARCH:
        check_search(v, s);
        return;
    case TIRBI_LS_STORE:
        check_place(v, s->as.store.access);
        check_typed(v, s->as.store.value, s->as.store.access->buffer->type, "what is stored");
        return;
    case TIRBI_LS_SET:
        check_set(v, s);
        return;
    case TIRBI_LS_ALLOC:
        check_memory(v, s->as.alloc.buffer);
        return;
    case TIRBI_LS_FETCH:
        check_expr(v, s->as.fetch.handle);
        check_memory(v, s->as.fetch.buffer);
        return;
    case TIRBI_LS_EVAL:
        check_expr(v, s->as.eval.value);
        return;
    case TIRBI_LS_ASSERT:
        check_typed(v, s->as.assert_.condition, TIRB_BOOL, "a condition");
        return;
    case TIRBI_LS_RETURN:
        if (s->as.eval.value) check_typed(v, s->as.eval.value, v->function->return_type, "what is returned");
        return;
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE:
        if (v->n_loops == 0) wrong(v, "a jump out of no loop");
        return;
    case TIRBI_LS_TREE:
        check_tree(v, s);
        return;
    }
    wrong(v, "there is no statement %u", s->kind);
}

tirb_status tirbi_verify_loops(const tirbi_lfunc *function, const tirbi_ls *body, tirbi_heap *heap, tirb_error *error) {
    verifier v = {.function = function, .error = error, .status = TIRB_OK};
    tirbi_arena_init(&v.arena, heap);
    for (uint32_t i = 0; i < function->ast->n_params; i++) {
        if (function->param_vars[i]) begin(&v, function->param_vars[i]);
        if (function->param_buffers[i]) begin(&v, function->param_buffers[i]);
    }
    for (uint32_t i = 0; i < function->ast->n_shape_vars; i++) begin(&v, function->shape_vars[i]);
    for (uint32_t i = 0; i < function->n_constants; i++) begin(&v, function->constants[i]);
    check_stmt(&v, body);
    tirbi_arena_destroy(&v.arena);
    return v.status;
}
