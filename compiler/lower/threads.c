/* Threads that synchronise. Code between two syncs runs for all threads before what follows the sync: each such stretch
 * gets the thread loops around it. What a thread keeps across a sync, its local buffers and lets, lives in memory with
 * a part for each thread or is computed anew in each stretch. Loops and branches around a sync must be the same for all
 * threads: a condition that each thread reads from memory of its own is asked of all of them, and they must agree. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/allreduce.h"
#include "compiler/ir/visit.h"

enum { MAX_THREAD_LOOPS = 16 };
enum { OWN_INSIDE = 1, OWN_OUTSIDE = 2 }; /* a thread's own buffer: allocated inside of the loops, or around them */

typedef struct thread_loop {
    const tirb_expr *var;
    const tirbi_lx *min, *extent;
    bool in_warp; /* threadIdx.x, whose threads are those of one warp */
} thread_loop;

/* What every stretch begins with. */
typedef enum redo_kind {
    REDO_LET,
    REDO_POINTER,
    REDO_KEPT,
    REDO_DECLARE,
    REDO_AXIS,
    REDO_MATCH,
    REDO_PRIVATE
} redo_kind;

typedef struct redo {
    redo_kind kind;
    const tirb_stmt *stmt;
    const tirb_expr *var, *value; /* KEPT: what has the value */
    uint32_t axis;
    const tirb_match_buffer *match;
    const tirb_buffer *buffer;
    tirbi_lbuf *kept; /* KEPT, PRIVATE: the memory of all threads */
    uint32_t n_loops; /* KEPT, PRIVATE: the loops that it has parts for */
    struct redo *next;
} redo;

typedef struct threads {
    tirbi_lowerer *l;
    thread_loop loops[MAX_THREAD_LOOPS];
    uint32_t n_loops;
    redo *first, **last;
    uint8_t *own_vars, *own_buffers; /* by id: differ from thread to thread */
    uint8_t *examined;               /* by id of a buffer from outside: in how many loops */
    const tirb_reduce *reducer;      /* of the attribute around */
    bool failed;
} threads;

/* ---- Syncs and what is the same for all threads ----------------------------------------------------------------- */

typedef struct search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const threads *t;
    const tirb_stmt *scope; /* where stores are looked for */
    const tirb_expr *found;
} search;

static void find_sync(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = (search *)visitor;
    if (s->found) return;
    if (e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
        (e->as.call.builtin == TIRB_BUILTIN_TVM_STORAGE_SYNC || tirbi_is_allreduce(e)))
        s->found = e;
    tirbi_visit_expr(visitor, e);
}

static void find_in_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    if (!((search *)visitor)->found) tirbi_visit_stmt(visitor, s);
}

static const tirb_expr *sync_in(const tirb_stmt *s) {
    search found = {.visitor = {.expr = find_sync, .stmt = find_in_stmt}};
    if (s) find_in_stmt(&found.visitor, s);
    return found.found;
}

bool tirbi_synchronises(const tirb_stmt *s) { return sync_in(s) != NULL; }

static void find_own(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = (search *)visitor;
    const tirb_buffer *of = e->kind == TIRB_EXPR_VAR ? e->as.var.data_of : NULL;
    bool own = (e->kind == TIRB_EXPR_VAR && s->t->own_vars[e->as.var.id]) || (of && s->t->own_buffers[of->id]) ||
               (e->kind == TIRB_EXPR_LOAD && s->t->own_buffers[e->as.load.buffer->id]) ||
               (e->kind == TIRB_EXPR_CALL && (e->as.call.function || e->as.call.function_name ||
                                              tirb_builtins[e->as.call.builtin].effect >= TIRB_EFFECT_UPDATE));
    if (own && !s->found) s->found = e;
    tirbi_visit_expr(visitor, e);
}

static bool is_common(const threads *t, const tirb_expr *e) {
    search found = {.visitor = {.expr = find_own}, .t = t};
    if (e) find_own(&found.visitor, e);
    return found.found == NULL;
}

static bool are_common(const threads *t, const tirb_expr *const *items, uint32_t n) {
    for (uint32_t i = 0; items && i < n; i++)
        if (!is_common(t, items[i])) return false;
    return true;
}

/* Whether a view shows each thread something else: its own memory, or another part of what they share. */
static bool is_own_view(const threads *t, const tirb_stmt *decl) {
    const tirb_buffer *b = decl->as.decl.buffer;
    return !is_common(t, decl->as.decl.source ? decl->as.decl.source : b->data) || !is_common(t, b->elem_offset) ||
           !are_common(t, b->shape, b->ndim) || !are_common(t, b->strides, b->ndim);
}

static bool is_own_region(const threads *t, const tirb_buffer_region *region) {
    bool own = t->own_buffers[region->buffer->id] != 0;
    for (uint32_t i = 0; i < region->buffer->ndim && !own; i++)
        own = !is_common(t, region->region[i].min) || !is_common(t, region->region[i].extent);
    return own;
}

static void find_load(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = (search *)visitor;
    if (e->kind == TIRB_EXPR_LOAD || e->kind == TIRB_EXPR_CALL) s->found = e;
    tirbi_visit_expr(visitor, e);
}

static bool reads_memory(const tirb_expr *e) {
    search found = {.visitor = {.expr = find_load}};
    find_load(&found.visitor, e);
    return found.found != NULL;
}

/* As find_own, but a thread's own memory may be read. */
static void find_apart(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = (search *)visitor;
    if (e->kind == TIRB_EXPR_LOAD) {
        tirbi_visit_expr(visitor, e);
        return;
    }
    bool apart = (e->kind == TIRB_EXPR_VAR && s->t->own_vars[e->as.var.id]) ||
                 (e->kind == TIRB_EXPR_CALL && (e->as.call.function || e->as.call.function_name ||
                                                tirb_builtins[e->as.call.builtin].effect >= TIRB_EFFECT_UPDATE));
    if (apart && !s->found) s->found = e;
    tirbi_visit_expr(visitor, e);
}

static bool may_agree(const threads *t, const tirb_expr *e) {
    search found = {.visitor = {.expr = find_apart}, .t = t};
    find_apart(&found.visitor, e);
    return found.found == NULL;
}

typedef struct jump_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    uint32_t loops;
    const tirb_stmt *found;
} jump_search;

static bool is_jump(const tirb_stmt *s, uint32_t loops) {
    bool call = s->kind == TIRB_STMT_EVALUATE && s->as.evaluate.value && s->as.evaluate.value->kind == TIRB_EXPR_CALL &&
                !s->as.evaluate.value->as.call.function_name;
    tirb_builtin builtin = call ? s->as.evaluate.value->as.call.builtin : TIRB_N_BUILTINS;
    if (s->kind == TIRB_STMT_RETURN || builtin == TIRB_BUILTIN_RET) return true;
    bool jump = s->kind == TIRB_STMT_BREAK || s->kind == TIRB_STMT_CONTINUE || builtin == TIRB_BUILTIN_BREAK_LOOP ||
                builtin == TIRB_BUILTIN_CONTINUE_LOOP;
    return jump && loops == 0;
}

static void find_jump(tirbi_visitor *visitor, const tirb_stmt *s) {
    jump_search *jumps = (jump_search *)visitor;
    bool loop = s->kind == TIRB_STMT_FOR || s->kind == TIRB_STMT_WHILE;
    if (is_jump(s, jumps->loops)) jumps->found = s;
    jumps->loops += loop;
    if (!jumps->found) tirbi_visit_stmt(visitor, s);
    jumps->loops -= loop;
}

/* Whether a thread can leave a stretch for elsewhere. */
static bool leaves(threads *t, const tirb_stmt *s) {
    jump_search jumps = {.visitor = {.stmt = find_jump}};
    find_jump(&jumps.visitor, s);
    if (!jumps.found) return false;
    t->failed = true;
    tirbi_report_error(t->l->diagnostics, TIRB_UNSUPPORTED, jumps.found->span,
                       "a thread leaves here what has a tvm_storage_sync in it, where all of them must arrive");
    return true;
}

static void refuse(threads *t, const tirb_stmt *s, const char *why) {
    const tirb_expr *sync = sync_in(s);
    t->failed = true;
    tirbi_report_error(t->l->diagnostics, TIRB_UNSUPPORTED, sync ? sync->span : s->span,
                       "this tvm_storage_sync cannot be compiled: %s", why);
}

/* ---- Stretches -------------------------------------------------------------------------------------------------- */

static void add_redo(threads *t, redo what) {
    redo *r = TIRBI_NEW(t->l->arena, redo);
    if (!r) return;
    *r = what;
    r->next = NULL;
    *t->last = r;
    t->last = &r->next;
}

static bool is_of_warp(const tirb_buffer *buffer) {
    return buffer && buffer->scope && strncmp(buffer->scope, "warp", 4) == 0;
}

/* The number of the running thread among those of the first `n` loops; of its warp, for memory that a warp shares. */
static const tirbi_lx *thread_number(const threads *t, uint32_t n, const tirb_buffer *buffer) {
    tirbi_lowerer *l = t->l;
    const tirbi_lx *number = tirbi_lx_number(l->pool, 0);
    for (uint32_t i = 0; i < n && number; i++) {
        if (is_of_warp(buffer) && t->loops[i].in_warp) continue;
        const tirbi_lx *at = tirbi_lower_index(l, t->loops[i].var, NULL);
        if (!at) return NULL;
        number = tirbi_lx_add(l->pool, tirbi_lx_mul(l->pool, number, t->loops[i].extent),
                              tirbi_lx_sub(l->pool, at, t->loops[i].min));
    }
    return number;
}

static const tirbi_lx *thread_count(const threads *t, const tirb_buffer *buffer) {
    const tirbi_lx *count = tirbi_lx_number(t->l->pool, 1);
    for (uint32_t i = 0; i < t->n_loops && count; i++)
        if (!is_of_warp(buffer) || !t->loops[i].in_warp) count = tirbi_lx_mul(t->l->pool, count, t->loops[i].extent);
    return count;
}

static const tirbi_place *kept_place(threads *t, const redo *r) {
    const tirbi_lx *number = thread_number(t, r->n_loops, NULL);
    return number ? tirbi_place_at(t->l, r->kept, &number, r->stmt->span) : NULL;
}

static void run_redo(threads *t, const redo *r) {
    tirbi_lowerer *l = t->l;
    switch (r->kind) {
    case REDO_LET:
        tirbi_lower_bind(l, r->stmt->as.let.var,
                         tirbi_hold(l, r->stmt->as.let.var->as.var.name,
                                    tirbi_lower_expr(l, r->stmt->as.let.value, NULL), r->stmt->span));
        return;
    case REDO_POINTER:
        tirbi_bind_pointer(l, r->stmt->as.let.var, r->stmt->as.let.value, r->stmt->span);
        return;
    case REDO_KEPT: {
        const tirbi_place *place = kept_place(t, r);
        if (place)
            tirbi_lower_bind(l, r->var, tirbi_hold(l, r->var->as.var.name, tirbi_read_place(l, place), r->stmt->span));
        return;
    }
    case REDO_DECLARE:
        tirbi_declare_view(l, r->stmt);
        return;
    case REDO_AXIS:
        tirbi_bind_axis(l, r->stmt, r->axis);
        return;
    case REDO_MATCH:
        tirbi_match_region(l, r->match, r->stmt->span);
        return;
    case REDO_PRIVATE:
        tirbi_use_part(l, r->buffer, r->kept, thread_number(t, r->n_loops, r->buffer));
        return;
    }
}

typedef void (*stretch_action)(threads *t, const void *context);

static void run_loops(threads *t, uint32_t i, stretch_action action, const void *context, tirbi_span span) {
    tirbi_lowerer *l = t->l;
    if (i == t->n_loops) {
        const tirbi_cell *before = l->cells; /* no stretch knows what another one has written */
        for (const redo *r = t->first; r; r = r->next) run_redo(t, r);
        action(t, context);
        l->cells = before;
        return;
    }
    tirbi_lvar *v = tirbi_lower_loop_var(l, t->loops[i].var, t->loops[i].min, t->loops[i].extent);
    if (!v) return;
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_LOOP, span);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    l->depth++;
    run_loops(t, i + 1, action, context, span);
    l->depth--;
    l->out = outer;
    loop->as.loop.var = v;
    loop->as.loop.body = tirbi_finish_list(l, &list, span);
}

static void lower_one(threads *t, const void *context) { tirbi_lower_stmt(t->l, context); }

static void run_stretch(threads *t, const tirb_stmt *s) {
    if (leaves(t, s)) return;
    t->l->n_chain = 0;
    run_loops(t, 0, lower_one, s, s->span);
}

typedef struct run {
    const tirb_stmt *const *items;
    uint32_t n;
} run;

static void lower_run(threads *t, const void *context) {
    const run *r = context;
    for (uint32_t i = 0; i < r->n; i++) tirbi_lower_stmt(t->l, r->items[i]);
}

static void keep_value(threads *t, const void *context) {
    const redo *r = context;
    const tirbi_lx *value = tirbi_lower_expr(t->l, r->value, NULL);
    const tirbi_place *place = kept_place(t, r);
    value = value ? tirbi_lx_cast(t->l->pool, r->kept->type, value) : NULL;
    if (!value || !place) return;
    tirbi_ls *store = tirbi_append(t->l, TIRBI_LS_STORE, r->stmt->span);
    store->as.store.access = place;
    store->as.store.value = value;
}

/* ---- What threads agree on --------------------------------------------------------------------------------------- */

/* What every thread evaluates. A condition: whether it holds for any of them, and for all. A number: the greatest, and
 * the least. */
typedef struct vote {
    const tirb_expr *question;
    bool number;
    tirbi_lbuf *any, *all;
    tirbi_span span;
} vote;

static const tirbi_place *only_element(threads *t, tirbi_lbuf *memory, tirbi_span span) {
    const tirbi_lx *zero = tirbi_lx_number(t->l->pool, 0);
    return zero ? tirbi_place_at(t->l, memory, &zero, span) : NULL;
}

static void set_only(threads *t, tirbi_lbuf *memory, const tirbi_lx *value, tirbi_span span) {
    const tirbi_place *place = only_element(t, memory, span);
    if (!place || !value) return;
    tirbi_ls *store = tirbi_append(t->l, TIRBI_LS_STORE, span);
    store->as.store.access = place;
    store->as.store.value = value;
}

static const tirbi_lx *read_only_element(threads *t, tirbi_lbuf *memory, tirbi_span span) {
    const tirbi_place *place = only_element(t, memory, span);
    return place ? tirbi_read_place(t->l, place) : NULL;
}

static void cast_vote(threads *t, const void *context) {
    const vote *v = context;
    tirbi_lx_pool *pool = t->l->pool;
    const tirbi_lx *value =
        v->number ? tirbi_lower_index(t->l, v->question, NULL) : tirbi_lower_expr(t->l, v->question, NULL);
    const tirbi_lx *any = read_only_element(t, v->any, v->span), *all = read_only_element(t, v->all, v->span);
    if (!value || !any || !all) return;
    if (!v->number) value = tirbi_lx_cast(pool, TIRB_I64, tirbi_lx_cast(pool, TIRB_BOOL, value));
    value = tirbi_hold(t->l, "vote", value, v->span);
    set_only(t, v->any, tirbi_lx_wide(pool, TIRB_OP_MAX, any, value), v->span);
    set_only(t, v->all, tirbi_lx_wide(pool, TIRB_OP_MIN, all, value), v->span);
}

static bool start_vote(threads *t, const tirb_expr *question, bool number, tirbi_span span, vote *v) {
    const tirbi_lx *one = tirbi_lx_number(t->l->pool, 1);
    *v = (vote){.question = question, .number = number, .span = span};
    if (!one) return false;
    v->any = tirbi_allocate_memory(t->l, "any", TIRB_I64, one, span);
    v->all = tirbi_allocate_memory(t->l, "all", TIRB_I64, one, span);
    return v->any && v->all;
}

/* Asks all threads; the answer is in `any`. */
static void take_vote(threads *t, const vote *v) {
    tirbi_lx_pool *pool = t->l->pool;
    set_only(t, v->any, tirbi_lx_number(pool, v->number ? INT64_MIN : 0), v->span);
    set_only(t, v->all, tirbi_lx_number(pool, v->number ? INT64_MAX : 1), v->span);
    t->l->n_chain = 0;
    run_loops(t, 0, cast_vote, v, v->span);
    const tirbi_lx *any = read_only_element(t, v->any, v->span), *all = read_only_element(t, v->all, v->span);
    if (!any || !all) return;
    tirbi_ls *check = tirbi_append(t->l, TIRBI_LS_ASSERT, v->span);
    check->as.assert_.condition = tirbi_lx_wide(pool, TIRB_OP_LE, any, all);
    check->as.assert_.error_kind = "RuntimeError";
    check->as.assert_.message = "threads do not go the same way to a tvm_storage_sync";
}

static const tirbi_lx *answer(threads *t, const vote *v) {
    const tirbi_lx *any = read_only_element(t, v->any, v->span);
    return any ? tirbi_lx_cast(t->l->pool, TIRB_BOOL, any) : NULL;
}

/* A condition as one value for all threads; NULL after an error, which says `why`. */
static const tirbi_lx *common_condition(threads *t, const tirb_stmt *s, const tirb_expr *condition, const char *why) {
    vote v;
    if (is_common(t, condition)) {
        const tirbi_lx *value = tirbi_lower_expr(t->l, condition, NULL);
        return value ? tirbi_lx_cast(t->l->pool, TIRB_BOOL, value) : NULL;
    }
    if (!may_agree(t, condition)) {
        refuse(t, s, why);
        return NULL;
    }
    if (!start_vote(t, condition, false, s->span, &v)) return NULL;
    take_vote(t, &v);
    return tirbi_hold(t->l, "agreed", answer(t, &v), s->span);
}

/* A bound of a loop as one value for all threads; NULL after an error. */
static const tirbi_lx *common_bound(threads *t, const tirb_stmt *s, const tirb_expr *bound) {
    vote v;
    if (is_common(t, bound)) return tirbi_lower_index(t->l, bound, NULL);
    if (!may_agree(t, bound)) {
        refuse(t, s, "a loop around it does not run equally often for all threads");
        return NULL;
    }
    if (!start_vote(t, bound, true, s->span, &v)) return NULL;
    take_vote(t, &v);
    return tirbi_hold(t->l, "agreed", read_only_element(t, v.any, s->span), s->span);
}

/* ---- Reductions over threads ------------------------------------------------------------------------------------- */

/* Threads that differ in the variables of the call alone reduce together, in their order from the identity on; the
 * results lie in memory with a part for each such group. */
typedef struct reduction {
    const tirb_expr *call;
    tirbi_allreduce parts;
    const tirb_reduce *reducer;
    bool reduces[MAX_THREAD_LOOPS]; /* by loop */
    tirbi_lbuf **results;
} reduction;

static const tirbi_place *result_place(threads *t, const reduction *r, uint32_t i) {
    tirbi_lx_pool *pool = t->l->pool;
    const tirbi_lx *group = tirbi_lx_number(pool, 0);
    for (uint32_t k = 0; k < t->n_loops && group; k++) {
        if (r->reduces[k]) continue;
        const tirbi_lx *at = tirbi_lower_index(t->l, t->loops[k].var, NULL);
        if (!at) return NULL;
        group =
            tirbi_lx_add(pool, tirbi_lx_mul(pool, group, t->loops[k].extent), tirbi_lx_sub(pool, at, t->loops[k].min));
    }
    return group ? tirbi_place_at(t->l, r->results[i], &group, r->call->span) : NULL;
}

static const tirbi_lx *is_first(threads *t, const reduction *r) {
    tirbi_lx_pool *pool = t->l->pool;
    const tirbi_lx *first = tirbi_lx_int(pool, TIRB_BOOL, 1);
    for (uint32_t k = 0; k < t->n_loops && first; k++) {
        if (!r->reduces[k]) continue;
        const tirbi_lx *at = tirbi_lower_index(t->l, t->loops[k].var, NULL);
        const tirbi_lx *here = at ? tirbi_lx_wide(pool, TIRB_OP_EQ, at, t->loops[k].min) : NULL;
        first = here ? tirbi_lx_lazy(pool, TIRBI_LX_AND, first, here, NULL) : NULL;
    }
    return first;
}

/* Statements under a condition: what is appended from `outer = open_branch(..)` to close_branch. */
static tirbi_ls_list *open_branch(threads *t, tirbi_ls_list *list) {
    tirbi_ls_list *outer = t->l->out;
    t->l->out = list;
    return outer;
}

static void close_branch(threads *t, const tirbi_ls_list *list, tirbi_ls_list *outer, const tirbi_lx *condition,
                         tirbi_span span) {
    t->l->out = outer;
    tirbi_ls *branch = tirbi_append(t->l, TIRBI_LS_IF, span);
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = tirbi_finish_list(t->l, list, span);
}

static void begin_reduction(threads *t, const reduction *r) {
    tirbi_ls_list list = {0}, *outer = open_branch(t, &list);
    for (uint32_t i = 0; i < r->parts.n; i++) {
        const tirbi_lx *identity = tirbi_lower_expr(t->l, r->reducer->identity[i], NULL);
        const tirbi_place *place = result_place(t, r, i);
        if (identity && place)
            tirbi_store_place(t->l, place, tirbi_lx_cast(t->l->pool, place->buffer->type, identity), r->call->span);
    }
    close_branch(t, &list, outer, is_first(t, r), r->call->span);
}

static void combine(threads *t, const void *context) {
    const reduction *r = context;
    tirbi_lowerer *l = t->l;
    tirbi_span span = r->call->span;
    begin_reduction(t, r);
    const tirbi_lx *condition = tirbi_lower_expr(l, r->parts.condition, NULL);
    tirbi_ls_list list = {0}, *outer = open_branch(t, &list);
    for (uint32_t i = 0; i < r->parts.n; i++) {
        const tirbi_place *place = result_place(t, r, i);
        const tirbi_lx *value = tirbi_lower_expr(l, r->parts.sources[i], NULL);
        if (!place || !value) break;
        tirbi_lower_bind(l, r->reducer->lhs[i], tirbi_hold(l, "reduced", tirbi_read_place(l, place), span));
        tirbi_lower_bind(l, r->reducer->rhs[i],
                         tirbi_hold(l, "value", tirbi_lx_cast(l->pool, place->buffer->type, value), span));
    }
    const tirbi_lx **next = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, r->parts.n);
    for (uint32_t i = 0; next && i < r->parts.n && !tirbi_has_errors(l->diagnostics); i++)
        next[i] = tirbi_hold(l, "next", tirbi_lower_expr(l, r->reducer->result[i], NULL), span);
    for (uint32_t i = 0; next && i < r->parts.n && !tirbi_has_errors(l->diagnostics); i++) {
        const tirbi_place *place = result_place(t, r, i);
        if (place && next[i]) tirbi_store_place(l, place, tirbi_lx_cast(l->pool, place->buffer->type, next[i]), span);
    }
    close_branch(t, &list, outer, condition ? tirbi_lx_cast(l->pool, TIRB_BOOL, condition) : NULL, span);
}

static void give_results(threads *t, const void *context) {
    const reduction *r = context;
    for (uint32_t i = 0; i < r->parts.n; i++) {
        const tirb_expr *target = r->parts.targets[i];
        const tirbi_place *from = result_place(t, r, i);
        const tirbi_place *to =
            tirbi_lower_place(t->l, target->as.load.buffer, target->as.load.indices, target->as.load.n_indices,
                              tirbi_lx_number(t->l->pool, 0), r->call->span);
        if (!from || !to) return;
        tirbi_store_place(t->l, to, tirbi_lx_cast(t->l->pool, to->buffer->type, tirbi_read_place(t->l, from)),
                          r->call->span);
    }
}

static void refuse_reduction(threads *t, const tirb_expr *call, const char *why) {
    t->failed = true;
    tirbi_report_error(t->l->diagnostics, TIRB_UNSUPPORTED, call->span,
                       "this tvm_thread_allreduce cannot be compiled: %s", why);
}

static bool find_threads(threads *t, reduction *r) {
    for (uint32_t i = 0; i < r->parts.n_threads; i++) {
        const tirb_expr *var = r->parts.threads[i];
        uint32_t k = 0;
        if (var->kind == TIRB_EXPR_INT_IMM) continue; /* there is one such thread */
        while (k < t->n_loops && t->loops[k].var != var) k++;
        if (k == t->n_loops) return false;
        r->reduces[k] = true;
    }
    return true;
}

static void walk_allreduce(threads *t, const tirb_expr *call) {
    tirbi_lowerer *l = t->l;
    reduction r = {.call = call, .reducer = t->reducer};
    if (!tirbi_allreduce_of(call, &r.parts)) {
        refuse_reduction(t, call, "it takes a number, so many values, a condition, so many elements and threads");
        return;
    }
    if (!r.reducer || r.reducer->n_values != r.parts.n) {
        refuse_reduction(t, call, "no attribute \"reduce_scope\" around it says how its values are combined");
        return;
    }
    if (!find_threads(t, &r)) {
        refuse_reduction(t, call, "a thread that it names is not around it");
        return;
    }
    const tirbi_lx *groups = tirbi_lx_number(l->pool, 1);
    for (uint32_t k = 0; k < t->n_loops && groups; k++) {
        if (!r.reduces[k]) groups = tirbi_lx_mul(l->pool, groups, t->loops[k].extent);
    }
    r.results = TIRBI_NEW_ARRAY(l->arena, tirbi_lbuf *, r.parts.n);
    for (uint32_t i = 0; groups && r.results && i < r.parts.n; i++) {
        tirbi_dtype type;
        if (!tirbi_machine_type(l, r.parts.sources[i]->dtype, call->span, &type)) return;
        if (!tirb_datatype_equal(r.parts.sources[i]->dtype, r.reducer->identity[i]->dtype) ||
            tirb_datatype_is_narrow_float(r.parts.sources[i]->dtype)) {
            refuse_reduction(t, call,
                             "its values have other types than the identity, or none that a machine computes with");
            return;
        }
        r.results[i] = tirbi_allocate_memory(l, "reduced", type, groups, call->span);
        if (!r.results[i]) return;
    }
    l->n_chain = 0;
    run_loops(t, 0, combine, &r, call->span);
    run_loops(t, 0, give_results, &r, call->span);
}

/* ---- Statements with a sync in them ----------------------------------------------------------------------------- */

static void walk(threads *t, const tirb_stmt *s);

static const tirbi_ls *walk_into(threads *t, const tirb_stmt *s) {
    tirbi_ls_list list = {0}, *outer = t->l->out;
    t->l->out = &list;
    if (s) walk(t, s);
    t->l->out = outer;
    return tirbi_finish_list(t->l, &list, s ? s->span : (tirbi_span){0, 0});
}

static void walk_seq(threads *t, const tirb_stmt *s) {
    for (uint32_t i = 0, n; i < s->as.seq.n; i += n) {
        for (n = 0; i + n < s->as.seq.n && !sync_in(s->as.seq.items[i + n]); n++) {
            if (leaves(t, s->as.seq.items[i + n])) return;
        }
        if (n > 0) {
            run stretch = {s->as.seq.items + i, n};
            t->l->n_chain = 0;
            run_loops(t, 0, lower_run, &stretch, s->as.seq.items[i]->span);
        } else {
            walk(t, s->as.seq.items[i]);
            n = 1;
        }
    }
}

/* Memory that a thread, or a warp, has for itself. */
static bool is_private(const tirb_buffer *buffer) {
    return is_of_warp(buffer) || (buffer->scope && strncmp(buffer->scope, "local", 5) == 0);
}

/* ---- Private buffers from outside -------------------------------------------------------------------------------- */

typedef struct mention_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirb_buffer *buffer;
    uint32_t n;
    bool stored;
} mention_search;

static void mention_in_expr(tirbi_visitor *visitor, const tirb_expr *e) {
    mention_search *m = (mention_search *)visitor;
    m->n += (e->kind == TIRB_EXPR_LOAD && e->as.load.buffer == m->buffer) || e == m->buffer->data;
    tirbi_visit_expr(visitor, e);
}

static void mention_in_stmt(tirbi_visitor *visitor, const tirb_stmt *s) {
    mention_search *m = (mention_search *)visitor;
    bool stored = s->kind == TIRB_STMT_STORE && s->as.store.buffer == m->buffer;
    m->n += stored;
    m->stored = m->stored || stored;
    tirbi_visit_stmt(visitor, s);
}

static mention_search mentions_of(const tirb_buffer *buffer, const tirb_stmt *s) {
    mention_search m = {.visitor = {.expr = mention_in_expr, .stmt = mention_in_stmt}, .buffer = buffer};
    mention_in_stmt(&m.visitor, s);
    return m;
}

typedef struct outside_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    threads *t;
    const tirb_stmt *body;
} outside_search;

/* A private buffer that is allocated around the threads, as TVM's reductions have it, and that only they use: each has
 * its own. */
static void own_outside(tirbi_visitor *visitor, const tirb_stmt *s) {
    outside_search *o = (outside_search *)visitor;
    tirbi_lowerer *l = o->t->l;
    const tirb_buffer *buffer = s->kind == TIRB_STMT_STORE ? s->as.store.buffer : NULL;
    tirbi_lbuf *b = buffer && is_private(buffer) ? l->buffers[buffer->id] : NULL;
    uint8_t own = b ? o->t->own_buffers[buffer->id] : OWN_INSIDE;
    bool examined = b && o->t->examined[buffer->id] == o->t->n_loops;
    if (!examined && (own == OWN_OUTSIDE || (own == 0 && b->root == b && b->param < 0))) {
        o->t->examined[buffer->id] = (uint8_t)o->t->n_loops;
        mention_search inside = mentions_of(buffer, o->body), all = mentions_of(buffer, l->function->ast->body);
        if (inside.stored && inside.n == all.n) {
            o->t->own_buffers[buffer->id] = OWN_OUTSIDE;
            tirbi_lbuf *parts = tirbi_allocate_parts(l, buffer, thread_count(o->t, buffer));
            if (parts)
                add_redo(
                    o->t,
                    (redo){.kind = REDO_PRIVATE, .stmt = s, .buffer = buffer, .kept = parts, .n_loops = o->t->n_loops});
        }
    }
    tirbi_visit_stmt(visitor, s);
}

/* For the loops that have been entered; those inside of them divide the buffers again. */
static void own_what_is_outside(threads *t, const tirb_stmt *body) {
    outside_search o = {.visitor = {.stmt = own_outside}, .t = t, .body = body};
    own_outside(&o.visitor, body);
}

static void enter_thread_loop(threads *t, const tirb_stmt *s, const tirb_expr *var, const tirb_expr *min,
                              const tirb_expr *extent, const char *tag, const tirb_stmt *body) {
    tirbi_lowerer *l = t->l;
    for (uint32_t i = 0; i < t->n_loops; i++) {
        if (t->loops[i].var != var) continue;
        walk(t, body); /* the same thread again */
        return;
    }
    if (t->n_loops == MAX_THREAD_LOOPS || !is_common(t, extent) || (min && !is_common(t, min))) {
        refuse(t, s, "the number of threads around it is not the same for all threads");
        return;
    }
    const tirbi_lx *first = min ? tirbi_lower_index(l, min, NULL) : tirbi_lx_number(l->pool, 0);
    const tirbi_lx *count = tirbi_lower_index(l, extent, NULL);
    if (!first || !count) return;
    t->loops[t->n_loops++] =
        (thread_loop){var, tirbi_hold(l, var->as.var.name, first, s->span),
                      tirbi_hold(l, var->as.var.name, count, s->span), tag && strcmp(tag, "threadIdx.x") == 0};
    t->own_vars[var->as.var.id] = 1;
    redo **mark = t->last;
    own_what_is_outside(t, body);
    walk(t, body);
    *mark = NULL;
    t->last = mark;
    t->n_loops--;
}

/* What each thread reads from memory now, which it may find changed in a later stretch. */
static void keep(threads *t, const tirb_stmt *s, const tirb_expr *var, const tirb_expr *value) {
    tirbi_lowerer *l = t->l;
    tirbi_dtype type;
    if (!tirbi_machine_type(l, var->dtype, value->span, &type)) return;
    redo kept = {.kind = REDO_KEPT, .stmt = s, .var = var, .value = value, .n_loops = t->n_loops};
    kept.kept = tirbi_allocate_memory(l, var->as.var.name, type, thread_count(t, NULL), s->span);
    if (!kept.kept) return;
    run_loops(t, 0, keep_value, &kept, s->span);
    add_redo(t, kept);
}

typedef struct store_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirb_expr *data;
    bool found;
} store_search;

static void find_store(tirbi_visitor *visitor, const tirb_stmt *s) {
    store_search *stores = (store_search *)visitor;
    stores->found = stores->found || (s->kind == TIRB_STMT_STORE && s->as.store.buffer->data == stores->data);
    if (!stores->found) tirbi_visit_stmt(visitor, s);
}

/* An element that the scope stores to; the address of one is no such element, whatever its subscripts are. */
static void find_changing(tirbi_visitor *visitor, const tirb_expr *e) {
    search *s = (search *)visitor;
    const bool address = e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
                         e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF && e->as.call.n_args == 1;
    if (e->kind == TIRB_EXPR_LOAD) {
        store_search stores = {.visitor = {.stmt = find_store}, .data = e->as.load.buffer->data};
        find_store(&stores.visitor, s->scope);
        if (stores.found) s->found = e;
    }
    tirbi_visit_expr(visitor, address ? e->as.call.args[0] : e);
}

/* Whether a value reads what a statement stores to. */
static bool reads_what_changes(const tirb_expr *e, const tirb_stmt *scope) {
    search found = {.visitor = {.expr = find_changing}, .scope = scope};
    if (e && reads_memory(e)) find_changing(&found.visitor, e);
    return found.found != NULL;
}

/* Whether memory says where a part of memory lies or how large it is. If it says so to all threads, which share what it
 * is a part of, that is told once; else it is told again behind each sync, and has to be the same. */
typedef struct telling {
    bool reads, changes, common;
} telling;

static void note_telling(const threads *t, const tirb_stmt *s, telling *all, const tirb_expr *e) {
    all->reads = all->reads || (e && reads_memory(e));
    all->changes = all->changes || reads_what_changes(e, s);
    all->common = all->common && is_common(t, e);
}

static void refuse_moving(threads *t, const tirb_stmt *s) {
    refuse(t, s, "where a part of memory lies is read around it, from what is stored to behind that");
}

static telling tells(const threads *t, const tirb_stmt *s, const tirb_buffer *part, const tirb_buffer *of,
                     const tirb_buffer_region *region) {
    telling all = {.common = of && !t->own_buffers[of->id] && of->data->as.var.data_of == of};
    for (uint32_t d = 0; d < part->ndim; d++) {
        note_telling(t, s, &all, part->shape[d]);
        if (part->strides) note_telling(t, s, &all, part->strides[d]);
    }
    note_telling(t, s, &all, part->elem_offset);
    for (uint32_t d = 0; region && d < of->ndim; d++) {
        note_telling(t, s, &all, region->region[d].min);
        note_telling(t, s, &all, region->region[d].extent);
    }
    return all;
}

static void walk_let(threads *t, const tirb_stmt *s) {
    tirbi_lowerer *l = t->l;
    const tirb_expr *var = s->as.let.var, *value = s->as.let.value;
    const bool is_pointer = var->as.var.type.kind == TIRB_TYPE_POINTER;
    if (is_pointer) t->own_vars[var->as.var.id] = !is_common(t, value);
    if (is_pointer && reads_what_changes(value, s)) {
        refuse_moving(t, s);
    } else if (is_pointer) {
        add_redo(t, (redo){.kind = REDO_POINTER, .stmt = s});
    } else if (value->dtype.lanes > 1) {
        refuse(t, s, "a vector is bound around it");
        return;
    } else if (is_common(t, value)) {
        tirbi_lower_bind(l, var, tirbi_hold(l, var->as.var.name, tirbi_lower_expr(l, value, NULL), s->span));
    } else if (!reads_memory(value)) {
        t->own_vars[var->as.var.id] = 1;
        add_redo(t, (redo){.kind = REDO_LET, .stmt = s});
    } else {
        t->own_vars[var->as.var.id] = 1;
        keep(t, s, var, value);
    }
    walk(t, s->as.let.body);
}

static void walk_declaration(threads *t, const tirb_stmt *s) {
    const tirb_buffer *part = s->as.decl.buffer, *of = part->data->as.var.data_of;
    t->own_buffers[part->id] = is_own_view(t, s);
    const telling all = tells(t, s, part, of, NULL);
    if (!s->as.decl.source && all.reads && all.common)
        tirbi_declare_view(t->l, s);
    else if (all.changes || reads_what_changes(s->as.decl.source, s))
        refuse_moving(t, s);
    else
        add_redo(t, (redo){.kind = REDO_DECLARE, .stmt = s});
    walk(t, s->as.decl.body);
}

static void walk_match(threads *t, const tirb_stmt *s, const tirb_match_buffer *match) {
    const tirb_buffer *part = match->buffer, *of = match->source.buffer;
    t->own_buffers[part->id] = is_own_region(t, &match->source);
    const telling all = tells(t, s, part, of, &match->source);
    if (all.reads && all.common)
        tirbi_match_region(t->l, match, s->span);
    else if (all.changes)
        refuse_moving(t, s);
    else
        add_redo(t, (redo){.kind = REDO_MATCH, .stmt = s, .match = match});
}

static void walk_allocation(threads *t, const tirb_stmt *s, const tirb_buffer *buffer) {
    if (!is_private(buffer)) {
        tirbi_allocate_buffer(t->l, buffer);
        return;
    }
    t->own_buffers[buffer->id] = 1;
    tirbi_lbuf *all = tirbi_allocate_parts(t->l, buffer, thread_count(t, buffer));
    if (all) add_redo(t, (redo){.kind = REDO_PRIVATE, .stmt = s, .buffer = buffer, .kept = all, .n_loops = t->n_loops});
}

static void lower_guarded_init(threads *t, const void *context) { tirbi_lower_init(t->l, context); }

/* What is inside of a block's predicate. */
static void enter_block(threads *t, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        const tirb_expr *value = s->as.block.values[i];
        const bool reads = reads_memory(value);
        if (reads && is_common(t, value)) {
            tirbi_bind_axis(t->l, s, i);
            continue;
        }
        t->own_vars[block->iters[i].var->as.var.id] = 1;
        if (reads)
            keep(t, s, block->iters[i].var, value);
        else
            add_redo(t, (redo){.kind = REDO_AXIS, .stmt = s, .axis = i});
    }
    for (uint32_t i = 0; i < block->n_allocs; i++) walk_allocation(t, s, block->allocs[i]);
    for (uint32_t i = 0; i < block->n_matches; i++) walk_match(t, s, &block->matches[i]);
    if (block->init) {
        t->l->n_chain = 0;
        run_loops(t, 0, lower_guarded_init, s, block->init->span);
    }
    walk(t, block->body);
}

static void walk_block(threads *t, const tirb_stmt *s) {
    const tirb_block *block = s->as.block.block;
    const tirb_expr *predicate = s->as.block.predicate;
    if (block->no_realize || sync_in(block->init)) {
        refuse(t, s, block->no_realize ? "the block around it is not realized" : "it stands in the init of a block");
        return;
    }
    if (!predicate) {
        enter_block(t, s);
        return;
    }
    const tirbi_lx *condition =
        common_condition(t, s, predicate, "the predicate of the block around it is not the same for all threads");
    if (!condition) return;
    tirbi_ls_list list = {0}, *outer = t->l->out;
    t->l->out = &list;
    enter_block(t, s);
    t->l->out = outer;
    tirbi_ls *branch = tirbi_append(t->l, TIRBI_LS_IF, s->span);
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = tirbi_finish_list(t->l, &list, s->span);
}

static void walk_loop(threads *t, const tirb_stmt *s) {
    tirbi_lowerer *l = t->l;
    if (s->as.for_.kind == TIRB_FOR_THREAD_BINDING) {
        enter_thread_loop(t, s, s->as.for_.var, s->as.for_.min, s->as.for_.extent, s->as.for_.thread_tag,
                          s->as.for_.body);
        return;
    }
    const tirbi_lx *min = common_bound(t, s, s->as.for_.min),
                   *extent = min ? common_bound(t, s, s->as.for_.extent) : NULL;
    const tirbi_lx *step = extent && s->as.for_.step ? common_bound(t, s, s->as.for_.step) : NULL;
    if (t->failed) return;
    if (step) min = tirbi_hold(l, s->as.for_.var->as.var.name, min, s->span);
    if (step) step = tirbi_hold(l, s->as.for_.var->as.var.name, step, s->span);
    tirbi_lvar *v = min && extent ? tirbi_lower_steps(l, s->as.for_.var, s->as.for_.step, min, extent, step) : NULL;
    if (!v) return;
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_LOOP, s->span);
    l->depth++;
    const tirbi_ls *body = walk_into(t, s->as.for_.body);
    l->depth--;
    loop->as.loop.var = v;
    loop->as.loop.body = body;
}

static void walk_if(threads *t, const tirb_stmt *s) {
    tirbi_lowerer *l = t->l;
    const tirbi_lx *condition =
        common_condition(t, s, s->as.if_.condition, "a branch around it is not taken by all threads or none");
    if (!condition) return;
    const tirbi_ls *then_case = walk_into(t, s->as.if_.then_case);
    const tirbi_ls *else_case = s->as.if_.else_case ? walk_into(t, s->as.if_.else_case) : NULL;
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, s->span);
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = then_case;
    branch->as.if_.else_case = else_case;
}

static void walk_while(threads *t, const tirb_stmt *s) {
    tirbi_lowerer *l = t->l;
    const tirb_expr *condition = s->as.while_.condition;
    bool common = is_common(t, condition) && !tirbi_needs_statements(l, condition);
    vote v = {.question = NULL};
    if (!common && !may_agree(t, condition)) {
        refuse(t, s, "a loop around it does not run equally often for all threads");
        return;
    }
    if (!common && !start_vote(t, condition, false, s->span, &v)) return;
    if (!common) take_vote(t, &v);
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_WHILE, s->span);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->depth++;
    l->again++;
    const tirbi_lx *value = common ? tirbi_lower_expr(l, condition, NULL) : answer(t, &v);
    l->again--;
    l->out = &list;
    walk(t, s->as.while_.body);
    if (!common && !t->failed) take_vote(t, &v);
    l->out = outer;
    l->depth--;
    loop->as.while_.condition = value ? tirbi_lx_cast(l->pool, TIRB_BOOL, value) : NULL;
    loop->as.while_.body = tirbi_finish_list(l, &list, s->span);
}

static void walk_scope(threads *t, const tirb_stmt *s) {
    bool thread = strcmp(s->as.attr.key, "thread_extent") == 0 || strcmp(s->as.attr.key, "virtual_thread") == 0;
    const tirb_reduce *outer = t->reducer;
    if (s->as.attr.reducer) t->reducer = s->as.attr.reducer;
    if (thread && s->as.attr.thread)
        enter_thread_loop(t, s, s->as.attr.thread->var, NULL, s->as.attr.value, s->as.attr.thread->thread_tag,
                          s->as.attr.body);
    else
        walk(t, s->as.attr.body);
    t->reducer = outer;
}

static void walk_kind(threads *t, const tirb_stmt *s) {
    switch (s->kind) {
    case TIRB_STMT_SEQ:
        walk_seq(t, s);
        return;
    case TIRB_STMT_EVALUATE: /* the sync itself */
        if (tirbi_is_allreduce(s->as.evaluate.value)) walk_allreduce(t, s->as.evaluate.value);
        return;
    case TIRB_STMT_ATTR:
        walk_scope(t, s);
        return;
    case TIRB_STMT_FOR:
        walk_loop(t, s);
        return;
    case TIRB_STMT_IF:
        walk_if(t, s);
        return;
    case TIRB_STMT_WHILE:
        walk_while(t, s);
        return;
    case TIRB_STMT_LET:
        walk_let(t, s);
        return;
    case TIRB_STMT_ALLOCATE:
        walk_allocation(t, s, s->as.allocate.buffer);
        walk(t, s->as.allocate.body);
        return;
    case TIRB_STMT_DECL_BUFFER:
        walk_declaration(t, s);
        return;
    case TIRB_STMT_BLOCK_REALIZE:
        walk_block(t, s);
        return;
    default:
        refuse(t, s, "it stands in a statement that threads cannot leave together");
        return;
    }
}

/* What a statement declares ends with it. */
static void walk(threads *t, const tirb_stmt *s) {
    if (t->failed || t->l->arena->failed) return;
    if (!sync_in(s)) {
        run_stretch(t, s);
        return;
    }
    redo **mark = t->last;
    walk_kind(t, s);
    *mark = NULL;
    t->last = mark;
}

void tirbi_lower_threads(tirbi_lowerer *l, const tirb_stmt *s) {
    threads t = {.l = l,
                 .own_vars = TIRBI_NEW_ARRAY(l->arena, uint8_t, l->n_vars),
                 .own_buffers = TIRBI_NEW_ARRAY(l->arena, uint8_t, l->n_buffers),
                 .examined = TIRBI_NEW_ARRAY(l->arena, uint8_t, l->n_buffers)};
    t.last = &t.first;
    if (!t.own_vars || !t.own_buffers || !t.examined) return;
    l->n_chain = 0;
    tirbi_forget_cells(l, s);
    walk(&t, s);
    l->n_chain = 0;
}
