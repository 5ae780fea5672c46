/* Lowering of statements, functions and modules to the loop IR. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/llvm.h"
#include "compiler/ir/visit.h"
#include "compiler/loop/sums.h"
#include "compiler/lower/narrow.h"

enum { MAX_DEPTH = 200, UNROLLED_LANES = 4 };

void tirbi_unsupported(tirbi_lowerer *l, tirbi_span span, const char *what) {
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, span, "%s cannot be compiled yet", what);
}

/* ---- Lists ---------------------------------------------------------------------------------------------------- */

tirbi_ls *tirbi_append(tirbi_lowerer *l, tirbi_ls_kind kind, tirbi_span span) {
    tirbi_ls_list *list = l->out;
    if (list->n == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 8;
        const tirbi_ls **items = TIRBI_NEW_ARRAY(l->arena, const tirbi_ls *, capacity);
        if (!items) return &l->lost;
        if (list->n) memcpy(items, list->items, list->n * sizeof(*items));
        list->items = items;
        list->capacity = capacity;
    }
    tirbi_ls *stmt = TIRBI_NEW(l->arena, tirbi_ls);
    if (!stmt) return &l->lost;
    stmt->kind = (uint8_t)kind;
    stmt->span = span;
    list->items[list->n++] = stmt;
    return stmt;
}

const tirbi_ls *tirbi_finish_list(tirbi_lowerer *l, const tirbi_ls_list *list, tirbi_span span) {
    if (list->n == 1) return list->items[0];
    tirbi_ls *seq = TIRBI_NEW(l->arena, tirbi_ls);
    if (!seq) return NULL;
    seq->kind = TIRBI_LS_SEQ;
    seq->span = span;
    seq->as.seq.items = list->items;
    seq->as.seq.n = list->n;
    return seq;
}

const tirbi_ls *tirbi_lower_body(tirbi_lowerer *l, const tirb_stmt *stmt) {
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    if (stmt) tirbi_lower_stmt(l, stmt);
    l->out = outer;
    return tirbi_finish_list(l, &list, stmt ? stmt->span : (tirbi_span){0, 0});
}

tirbi_lvar *tirbi_new_var(tirbi_lowerer *l, const char *name, tirbi_lvar_kind kind, tirbi_dtype type) {
    tirbi_lvar *var = TIRBI_NEW(l->arena, tirbi_lvar);
    if (!var) return NULL;
    *var = (tirbi_lvar){.name = name, .kind = kind, .type = type, .lo = INT64_MIN, .hi = INT64_MAX};
    return var;
}

/* ---- Loops ---------------------------------------------------------------------------------------------------- */

static bool is_plain_loop(const tirb_stmt *s) {
    if (s->kind != TIRB_STMT_FOR || s->as.for_.kind != TIRB_FOR_SERIAL) return false;
    const tirb_expr *step = s->as.for_.step;
    return !step || (step->kind == TIRB_EXPR_INT_IMM && step->as.int_value == 1);
}

/* Remembers the perfect nest around the statement being lowered, and recognises the tree reduction that it may be. */
static void enter_nest(tirbi_lowerer *l, const tirb_stmt *loop) {
    if (!is_plain_loop(loop)) {
        l->n_chain = 0;
        l->tree.outermost = NULL;
        return;
    }
    uint32_t max = sizeof(l->chain) / sizeof(l->chain[0]);
    bool inside = l->n_chain > 0 && l->chain[l->n_chain - 1]->as.for_.body == loop;
    if (inside) {
        /* The whole chain was recorded when its first loop was entered; a deeper nest is no tree reduction. */
        if (l->n_chain < max) l->n_chain++;
        l->chain[l->n_chain - 1] = loop;
        return;
    }
    uint32_t n = 0;
    const tirb_stmt *s = loop;
    for (; is_plain_loop(s) && n < max; s = s->as.for_.body) l->chain[n++] = s;
    l->tree.outermost = NULL;
    if (!is_plain_loop(s)) tirbi_find_tree(l, l->chain, n, &l->tree);
    l->n_chain = 1;
}

static void set_loop_range(tirbi_lvar *var) {
    int64_t last;
    if (!var->min || !var->extent) return;
    var->lo = var->min->lo;
    if (!__builtin_add_overflow(var->min->hi, var->extent->hi - 1, &last)) var->hi = last;
    /* range(i + 1, 300) ends at 300, whatever i is: min and extent have it in common. */
    tirbi_sum end = {.constant = -1};
    int64_t least;
    if (tirbi_sum_of(&end, var->min, 1) && tirbi_sum_of(&end, var->extent, 1) && tirbi_sum_range(&end, &least, &last) &&
        last < var->hi && last >= var->lo) {
        var->hi = last;
    }
}

tirbi_lvar *tirbi_lower_loop_var(tirbi_lowerer *l, const tirb_expr *var, const tirbi_lx *min, const tirbi_lx *extent) {
    tirbi_dtype type;
    if (!tirbi_machine_type(l, var->dtype, var->span, &type)) return NULL;
    tirbi_lvar *v = tirbi_new_var(l, var->as.var.name, TIRBI_LVAR_LOOP, type);
    if (!v) return NULL;
    v->min = min;
    v->extent = extent && extent->lo == extent->hi && extent->pure && !extent->traps
                    ? tirbi_lx_number(l->pool, extent->lo) /* however it is written */
                    : extent;
    v->span = var->span;
    set_loop_range(v);
    tirbi_lower_bind(l, var, tirbi_lx_var(l->pool, v));
    return v;
}

typedef struct set_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    const tirbi_lowerer *l;
    const tirbi_lx *bound;
    bool found;
} set_search;

static void find_set(tirbi_visitor *visitor, const tirb_stmt *s) {
    set_search *search = (set_search *)visitor;
    if (s->kind == TIRB_STMT_STORE && s->as.store.buffer->id < search->l->n_buffers) {
        const tirbi_lbuf *b = search->l->buffers[s->as.store.buffer->id];
        search->found = search->found || (b && b->local && tirbi_lx_mentions(search->bound, b->local));
    }
    if (!search->found) tirbi_visit_stmt(visitor, s);
}

/* Whether a statement sets a variable of a value, which is then another one where it is computed again. */
static bool sets(const tirbi_lowerer *l, const tirb_stmt *body, const tirbi_lx *value) {
    set_search search = {.visitor = {.expr = tirbi_visit_expr, .stmt = find_set}, .l = l, .bound = value};
    if (value && !value->pure && body) find_set(&search.visitor, body);
    return search.found;
}

/* Whether computing a bound may fail: it is computed once then, so that the loop is one whose bounds are known. */
static bool may_fail(const tirbi_lx *bound) { return bound && bound->traps && bound->pure; }

/* Whether a value of a loop in steps, of which its variable is computed in each iteration, could be another one there:
 * the iterations may store to what it loads. */
static bool may_change(const tirbi_lowerer *l, const tirb_stmt *body, const tirbi_lx *value) {
    return value && (!value->shared || sets(l, body, value));
}

/* The bounds of a loop as they are when it begins; what may be computed again stays as it is. */
static void hold_bounds(tirbi_lowerer *l, const tirb_expr *var, const tirb_stmt *body, bool steps,
                        const tirbi_lx **first, const tirbi_lx **count, tirbi_span span) {
    bool act = tirbi_lx_acts(*first) || tirbi_lx_acts(*count);
    if (act || may_fail(*first) || (steps ? may_change(l, body, *first) : sets(l, body, *first)))
        *first = tirbi_hold(l, var->as.var.name, *first, span);
    if (act || may_fail(*count) || sets(l, body, *count)) *count = tirbi_hold(l, var->as.var.name, *count, span);
}

/* A step that is known when the loop begins: the call ends where it is 0 or less. It is what it was before that check,
 * so that a parameter stays a size. */
static const tirbi_lx *positive_step(tirbi_lowerer *l, const tirb_expr *var, const tirbi_lx *step, tirbi_span span) {
    const tirbi_lx *held = tirbi_hold(l, var->as.var.name, step, span), *one = tirbi_lx_number(l->pool, 1);
    const tirbi_lx *trap = tirbi_lower_trap(l, TIRB_VALUE, "the step of a loop is not positive", TIRB_I64);
    const tirbi_lx *good = held ? tirbi_lx_wide(l->pool, TIRB_OP_GE, held, one) : NULL;
    if (!good || !trap) return NULL;
    const tirbi_lx *checked =
        tirbi_hold(l, var->as.var.name, tirbi_lx_lazy(l->pool, TIRBI_LX_COND, good, held, trap), span);
    return checked ? tirbi_lx_wide(l->pool, TIRB_OP_MAX, held, one) : NULL;
}

/* How many iterations a loop has whose step is `size` up, or down, for an extent that is counted in units of 1. */
static const tirbi_lx *count_steps(tirbi_lx_pool *pool, const tirbi_lx *extent, const tirbi_lx *size, bool down) {
    const tirbi_lx *zero = tirbi_lx_number(pool, 0), *minus_one = tirbi_lx_number(pool, -1);
    /* -1 - extent for an extent below 0, which cannot overflow; what is longer than any loop is one iteration. */
    const tirbi_lx *length = tirbi_lx_wide(pool, down ? TIRB_OP_MIN : TIRB_OP_MAX, extent, zero);
    const tirbi_lx *last = !length ? NULL
                           : down  ? tirbi_lx_sub(pool, minus_one, length)
                                   : tirbi_lx_add(pool, length, minus_one);
    if (!last || !size) return NULL;
    last = tirbi_lx_wide(pool, TIRB_OP_FLOORDIV, last, size);
    return last ? tirbi_lx_add(pool, last, tirbi_lx_number(pool, 1)) : NULL;
}

static bool counts_down(const tirb_expr *step) {
    return step && step->kind == TIRB_EXPR_INT_IMM && step->as.int_value < 0 && step->dtype.code == TIRB_CODE_INT;
}

/* The values that the variable of a loop in steps up has: those that it would have in steps of 1. */
static const tirbi_lx *within_loop(tirbi_lx_pool *pool, const tirbi_lx *value, const tirbi_lx *min,
                                   const tirbi_lx *extent) {
    tirbi_lvar in_ones = {.type = TIRB_I64, .lo = INT64_MIN, .hi = INT64_MAX, .min = min, .extent = extent};
    tirbi_lx *known = value->kind == TIRBI_LX_OP ? TIRBI_NEW(pool->arena, tirbi_lx) : NULL;
    if (!known) return value;
    set_loop_range(&in_ones);
    *known = *value;
    known->id = 0;
    if (in_ones.lo > known->lo) known->lo = in_ones.lo;
    if (in_ones.hi < known->hi && in_ones.hi >= known->lo) known->hi = in_ones.hi;
    return known;
}

tirbi_lvar *tirbi_lower_steps(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *step, const tirbi_lx *min,
                              const tirbi_lx *extent, const tirbi_lx *stride) {
    tirbi_lx_pool *pool = l->pool;
    tirbi_dtype type;
    if (!min || !extent || !stride || tirbi_lx_is_int(stride, 1)) return tirbi_lower_loop_var(l, var, min, extent);
    if (!tirbi_machine_type(l, var->dtype, var->span, &type)) return NULL;
    const bool down = counts_down(step);
    const int64_t constant = down ? step->as.int_value : 0;
    const tirbi_lx *size = down ? tirbi_lx_number(pool, constant == INT64_MIN ? INT64_MAX : -constant) : stride;
    tirbi_lvar *v = tirbi_new_var(l, var->as.var.name, TIRBI_LVAR_LOOP, TIRB_I64);
    if (!v) return NULL;
    v->min = tirbi_lx_number(pool, 0);
    v->extent = count_steps(pool, extent, size, down);
    v->span = var->span;
    if (!v->min || !v->extent) return NULL;
    set_loop_range(v);
    const tirbi_lx *way = tirbi_lx_mul(pool, tirbi_lx_var(pool, v), stride);
    const tirbi_lx *value = way ? tirbi_lx_add(pool, min, way) : NULL;
    if (value && !down) value = within_loop(pool, value, min, extent);
    tirbi_lower_bind(l, var, tirbi_lx_cast(pool, type, value));
    return v;
}

static void lower_loop(tirbi_lowerer *l, const tirb_stmt *s, const tirb_expr *var, const tirb_expr *min,
                       const tirb_expr *extent, const tirb_expr *step, const tirb_stmt *body) {
    const tirbi_lx *first = min ? tirbi_lower_index(l, min, NULL) : tirbi_lx_number(l->pool, 0);
    const tirbi_lx *count = tirbi_lower_extent(l, extent);
    const tirbi_lx *stride = step ? tirbi_lower_index(l, step, NULL) : NULL;
    const bool checked = stride && stride->lo < 1 && !counts_down(step);
    hold_bounds(l, var, body, stride && !tirbi_lx_is_int(stride, 1), &first, &count, s->span);
    if (checked) stride = positive_step(l, var, stride, s->span);
    else if (may_change(l, body, stride)) stride = tirbi_hold(l, var->as.var.name, stride, s->span);
    tirbi_lvar *v = tirbi_lower_steps(l, var, step, first, count, stride);
    if (!v) return;
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_LOOP, s->span);
    /* A name of the step means what the step is. */
    tirbi_binding *name = checked && step->kind == TIRB_EXPR_VAR && step->as.var.id < l->n_vars
                              ? &l->bindings[step->as.var.id]
                              : NULL;
    const tirbi_binding named = name ? *name : (tirbi_binding){.value = NULL};
    if (named.value && named.value->pure) name->value = tirbi_lx_cast(l->pool, (tirbi_dtype)named.value->type, stride);
    tirbi_forget_cells(l, body);
    const tirbi_cell *known = l->cells;
    l->depth++;
    const tirbi_ls *lowered = tirbi_lower_body(l, body);
    l->depth--;
    l->cells = known;
    if (name) *name = named;
    /* What is no for loop is an attribute that binds a thread. */
    loop->as.loop.parallel = s->kind != TIRB_STMT_FOR || s->as.for_.kind == TIRB_FOR_PARALLEL ||
                             s->as.for_.kind == TIRB_FOR_THREAD_BINDING;
    loop->as.loop.var = v;
    loop->as.loop.body = lowered;
}

/* Whether a thread loop runs in step: threads of different blocks never meet at a sync. */
static bool is_step_of_threads(const tirbi_lowerer *l, const char *tag, const tirb_stmt *s) {
    return l->synchronises && tag && strncmp(tag, "blockIdx", 8) != 0 && tirbi_synchronises(s);
}

static void lower_for(tirbi_lowerer *l, const tirb_stmt *s) {
    if (s->as.for_.kind == TIRB_FOR_THREAD_BINDING && is_step_of_threads(l, s->as.for_.thread_tag, s)) {
        tirbi_lower_threads(l, s);
        return;
    }
    enter_nest(l, s);
    if (l->tree.outermost == s) {
        tirbi_lower_tree(l);
        l->n_chain = 0;
        l->tree.outermost = NULL;
        return;
    }
    lower_loop(l, s, s->as.for_.var, s->as.for_.min, s->as.for_.extent, s->as.for_.step, s->as.for_.body);
    l->n_chain = 0;
}

/* The condition does something each time, or is a sum: it is the first statement of the body, which it ends or not. */
static void lower_acting_while(tirbi_lowerer *l, const tirb_stmt *s) {
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_WHILE, s->span);
    tirbi_ls_list list = {0}, none = {0}, *outer = l->out;
    loop->as.while_.condition = tirbi_lx_int(l->pool, TIRB_BOOL, 1);
    l->depth++;
    l->out = &list;
    const tirbi_lx *condition = tirbi_lower_expr(l, s->as.while_.condition, NULL);
    condition = condition ? tirbi_hold(l, "condition", tirbi_lx_cast(l->pool, TIRB_BOOL, condition), s->span) : NULL;
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, s->span);
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = tirbi_finish_list(l, &none, s->span);
    l->out = &none;
    tirbi_append(l, TIRBI_LS_BREAK, s->span);
    branch->as.if_.else_case = tirbi_finish_list(l, &none, s->span);
    l->out = &list;
    tirbi_lower_stmt(l, s->as.while_.body);
    l->out = outer;
    l->depth--;
    loop->as.while_.body = tirbi_finish_list(l, &list, s->span);
}

static void lower_while_as_it_is(tirbi_lowerer *l, const tirb_stmt *s) {
    if (tirbi_needs_statements(l, s->as.while_.condition)) {
        lower_acting_while(l, s);
        return;
    }
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_WHILE, s->span);
    l->depth++;
    l->again++;
    const tirbi_lx *condition = tirbi_lower_expr(l, s->as.while_.condition, NULL);
    l->again--;
    loop->as.while_.condition = condition ? tirbi_lx_cast(l->pool, TIRB_BOOL, condition) : NULL;
    loop->as.while_.body = tirbi_lower_body(l, s->as.while_.body);
    l->depth--;
}

static void lower_while(tirbi_lowerer *l, const tirb_stmt *s) {
    tirbi_forget_cells(l, s->as.while_.body);
    const tirbi_cell *known = l->cells;
    lower_while_as_it_is(l, s);
    l->cells = known;
}

/* ---- Stores --------------------------------------------------------------------------------------------------- */

void tirbi_store_place(tirbi_lowerer *l, const tirbi_place *place, const tirbi_lx *value, tirbi_span span) {
    if (!place || !value) return;
    if (place->buffer->local) {
        tirbi_ls *set = tirbi_append(l, TIRBI_LS_SET, span);
        set->as.set.var = place->buffer->local;
        set->as.set.value = value;
        return;
    }
    if (place->buffer->resized) {
        tirbi_store_resized(l, place, value, span);
        return;
    }
    tirbi_ls *store = tirbi_append(l, TIRBI_LS_STORE, span);
    store->as.store.access = place;
    store->as.store.value = value;
}

/* The number of statements at the end of the list that is written of which the first declares `var` and no other one
 * reads it; 0: there are none. */
static uint32_t since_declared(const tirbi_ls_list *list, const tirbi_lvar *var) {
    for (uint32_t n = 1; n <= list->n; n++) {
        const tirbi_ls *s = list->items[list->n - n];
        if (s->kind != TIRBI_LS_SET || !s->as.set.declares || !s->as.set.value) return 0;
        if (s->as.set.var == var) return n;
        if (tirbi_lx_depends_on(s->as.set.value, var)) return 0;
    }
    return 0;
}

/* A variable that is given its only value where it is declared stands for that value from then on: loops and indices
 * with an expression are understood, with a register that is set they are not. */
static bool settle_local(tirbi_lowerer *l, const tirb_stmt *s, const tirbi_place *place, const tirbi_lx *value) {
    const tirb_buffer *buffer = s->as.store.buffer;
    if (!place || !value || !place->buffer->local || l->synchronises) return false;
    if (buffer->id >= l->n_buffers || l->buffers[buffer->id] != place->buffer || l->stores[buffer->id] != 1)
        return false;
    const uint32_t since = since_declared(l->out, place->buffer->local);
    if (since == 0 || tirbi_lx_depends_on(value, place->buffer->local)) return false;
    const tirbi_ls **declaration = &l->out->items[l->out->n - since];
    memmove(declaration, declaration + 1, (since - 1) * sizeof(*declaration));
    l->out->n--;
    l->buffers[buffer->id]->settled = tirbi_hold(l, buffer->name, value, s->span);
    return true;
}

static bool reads_root(const tirbi_lx *x, const tirbi_lbuf *root) {
    if (x->kind == TIRBI_LX_CALL) return true;
    if (x->kind == TIRBI_LX_LOAD) {
        if (tirbi_may_meet(x->access->buffer->root, root)) return true;
        for (uint32_t i = 0; i < x->access->ndim; i++) {
            if (reads_root(x->access->indices[i], root)) return true;
        }
    }
    for (int i = 0; i < x->n_args; i++) {
        if (reads_root(x->args[i], root)) return true;
    }
    return false;
}

typedef void (*lane_action)(tirbi_lowerer *l, const tirbi_lx *lane, void *context);

/* Runs `action` for lanes 0 .. n - 1: written out when there are few or when each must be a constant, else as a
 * loop. */
static void for_each_lane(tirbi_lowerer *l, uint32_t n, bool constant, tirbi_span span, lane_action action,
                          void *context) {
    if (constant || n <= UNROLLED_LANES) {
        l->in_lanes++;
        for (uint32_t i = 0; i < n; i++) action(l, tirbi_lx_number(l->pool, i), context);
        l->in_lanes--;
        return;
    }
    tirbi_lvar *lane = tirbi_new_var(l, "lane", TIRBI_LVAR_LOOP, TIRB_I64);
    if (!lane) return;
    lane->min = tirbi_lx_number(l->pool, 0);
    lane->extent = tirbi_lx_number(l->pool, n);
    lane->span = span;
    if (!lane->min || !lane->extent) return;
    set_loop_range(lane);
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_LOOP, span);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    l->depth++;
    l->in_lanes++;
    action(l, tirbi_lx_var(l->pool, lane), context);
    l->in_lanes--;
    l->depth--;
    l->out = outer;
    loop->as.loop.var = lane;
    loop->as.loop.body = tirbi_finish_list(l, &list, span);
}

static bool has_shuffle(const tirb_expr *e);

static bool any_shuffle(const tirb_expr *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (has_shuffle(items[i])) return true;
    }
    return false;
}

/* A shuffle chooses by a constant lane. */
static bool has_shuffle(const tirb_expr *e) {
    if (!e || e->dtype.lanes == 1) return false;
    switch (e->kind) {
    case TIRB_EXPR_SHUFFLE: return true;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT: return has_shuffle(e->as.cast.value);
    case TIRB_EXPR_SELECT:
        return has_shuffle(e->as.select.condition) || has_shuffle(e->as.select.true_value) ||
               has_shuffle(e->as.select.false_value);
    case TIRB_EXPR_LOAD: return any_shuffle(e->as.load.indices, e->as.load.n_indices);
    case TIRB_EXPR_LET: return has_shuffle(e->as.let.value) || has_shuffle(e->as.let.body);
    case TIRB_EXPR_CALL:
        if (!e->as.call.function && !e->as.call.function_name &&
            (e->as.call.builtin == TIRB_BUILTIN_CALL_LLVM_INTRIN ||
             e->as.call.builtin == TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN) &&
            tirbi_llvm_regroups(e)) {
            return true;
        }
        return any_shuffle(e->as.call.args, e->as.call.n_args);
    case TIRB_EXPR_ADD: case TIRB_EXPR_SUB: case TIRB_EXPR_MUL: case TIRB_EXPR_DIV: case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV: case TIRB_EXPR_FLOORMOD: case TIRB_EXPR_MIN: case TIRB_EXPR_MAX: case TIRB_EXPR_EQ:
    case TIRB_EXPR_NE: case TIRB_EXPR_LT: case TIRB_EXPR_LE: case TIRB_EXPR_GT: case TIRB_EXPR_GE: case TIRB_EXPR_AND:
    case TIRB_EXPR_OR: return has_shuffle(e->as.binary.a) || has_shuffle(e->as.binary.b);
    default: return false;
    }
}

typedef struct vector_store {
    const tirb_stmt *stmt;
    const tirb_expr *value;
    tirbi_lbuf *lanes;                   /* where the value goes, or comes from */
    tirbi_lbuf *indices[TIRBI_MAX_NDIM]; /* where the indices come from, with `kept` */
    tirbi_lbuf *predicate;
    bool kept;
} vector_store;

static const tirbi_lx *kept_lane(tirbi_lowerer *l, tirbi_lbuf *from, const tirbi_lx *lane, tirbi_span span) {
    const tirbi_place *place = from ? tirbi_place_at(l, from, &lane, span) : NULL;
    return place ? tirbi_read_place(l, place) : NULL;
}

static void keep_lane(tirbi_lowerer *l, tirbi_lbuf *to, const tirbi_lx *lane, const tirbi_lx *value, tirbi_span span) {
    if (to) tirbi_store_place(l, tirbi_place_at(l, to, &lane, span), value, span);
}

static void value_to_lanes(tirbi_lowerer *l, const tirbi_lx *lane, void *context) {
    vector_store *v = context;
    keep_lane(l, v->lanes, lane, tirbi_lower_expr(l, v->value, lane), v->value->span);
}

static void indices_to_lanes(tirbi_lowerer *l, const tirbi_lx *lane, void *context) {
    vector_store *v = context;
    const tirb_stmt *s = v->stmt;
    const tirbi_lx *lowered[TIRBI_MAX_NDIM];
    tirbi_lbuf *b =
        tirbi_lower_indices(l, s->as.store.buffer, s->as.store.indices, s->as.store.n_indices, lane, s->span, lowered);
    for (uint32_t d = 0; b && d < b->ndim; d++) keep_lane(l, v->indices[d], lane, lowered[d], s->span);
    if (v->predicate) keep_lane(l, v->predicate, lane, tirbi_lower_expr(l, s->as.store.predicate, lane), s->span);
}

static const tirbi_place *target_of(tirbi_lowerer *l, const vector_store *v, const tirbi_lx *lane) {
    const tirb_stmt *s = v->stmt;
    if (!v->kept)
        return tirbi_lower_place(l, s->as.store.buffer, s->as.store.indices, s->as.store.n_indices, lane, s->span);
    tirbi_lbuf *b = tirbi_buffer_of(l, s->as.store.buffer, s->span);
    const tirbi_lx *indices[TIRBI_MAX_NDIM];
    for (uint32_t d = 0; b && d < b->ndim; d++) indices[d] = kept_lane(l, v->indices[d], lane, s->span);
    return b ? tirbi_place_at(l, b, indices, s->span) : NULL;
}

static const tirbi_lx *guard_of(tirbi_lowerer *l, const vector_store *v, const tirbi_lx *lane) {
    const tirb_expr *predicate = v->stmt->as.store.predicate;
    if (v->predicate) return kept_lane(l, v->predicate, lane, v->stmt->span);
    return predicate ? tirbi_lower_expr(l, predicate, lane) : NULL;
}

static void store_lane(tirbi_lowerer *l, const tirbi_lx *lane, void *context) {
    vector_store *v = context;
    const tirb_stmt *s = v->stmt;
    const tirbi_lx *guard = guard_of(l, v, lane);
    tirbi_ls_list list = {0}, *outer = l->out;
    if (guard) l->out = &list;
    const tirbi_lx *value =
        v->lanes ? kept_lane(l, v->lanes, lane, s->span) : tirbi_lower_expr(l, s->as.store.value, lane);
    tirbi_mark mark = tirbi_mark_here(l);
    const tirbi_place *target = target_of(l, v, lane);
    value = tirbi_keep_order(l, mark, value, s->span);
    if (!settle_local(l, s, target, value)) tirbi_store_place(l, target, value, s->span);
    if (guard) {
        l->out = outer;
        tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, s->span);
        branch->as.if_.condition = guard;
        branch->as.if_.then_case = tirbi_finish_list(l, &list, s->span);
    }
}

typedef struct read_search {
    tirbi_visitor visitor; /* first: the callbacks get its address */
    tirbi_lowerer *l;
    const tirbi_lbuf *root;
    const tirb_stmt *own; /* the store, where its lanes may read the elements that they write; NULL: they may not */
    bool found;
} read_search;

/* Whether the lanes of a store write elements of their own, which its indices alone tell. */
static bool lanes_are_apart(const tirb_stmt *s, const tirbi_lbuf *target) {
    uint32_t n = s->as.store.n_indices;
    if (n == 0 || s->as.store.buffer->dtype.lanes != 1 || target->overlaps || target->broadcasts) return false;
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (s->as.store.indices[i]->dtype.lanes != 1) return false;
    }
    const tirb_expr *last = s->as.store.indices[n - 1];
    const tirb_expr *stride = last->kind == TIRB_EXPR_RAMP ? last->as.ramp.stride : NULL;
    return stride && stride->kind == TIRB_EXPR_INT_IMM && stride->as.int_value != 0;
}

/* Whether a load reads in each lane the element that the store writes in this lane. */
static bool reads_own(const tirb_expr *load, const tirb_stmt *store) {
    if (load->as.load.buffer != store->as.store.buffer || load->as.load.n_indices != store->as.store.n_indices)
        return false;
    for (uint32_t i = 0; i < load->as.load.n_indices; i++) {
        if (!tirbi_expr_equal(load->as.load.indices[i], store->as.store.indices[i])) return false;
    }
    return !load->as.load.predicate;
}

/* Whether lane k of e is made of lanes k of its operands. */
static bool keeps_lanes(const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_SHUFFLE || e->kind == TIRB_EXPR_RAMP || e->kind == TIRB_EXPR_BROADCAST) return false;
    if (e->kind != TIRB_EXPR_CALL) return true;
    tirb_builtin builtin = e->as.call.builtin;
    return !e->as.call.function && !e->as.call.function_name &&
           (tirb_builtins[builtin].op || builtin == TIRB_BUILTIN_IF_THEN_ELSE || builtin == TIRB_BUILTIN_LIKELY);
}

static void find_read(tirbi_visitor *visitor, const tirb_expr *e) {
    read_search *search = (read_search *)visitor;
    tirbi_lowerer *l = search->l;
    const tirb_stmt *own = search->own;
    if (search->found) return;
    if (!keeps_lanes(e)) search->own = NULL;
    if (e->kind == TIRB_EXPR_LOAD) {
        if (search->own && reads_own(e, search->own)) return;
        const tirbi_lbuf *b = tirbi_buffer_of(l, e->as.load.buffer, e->span);
        search->found = !b || (!b->local && tirbi_may_meet(b->root, search->root));
    } else if (e->kind == TIRB_EXPR_CALL) {
        search->found = e->as.call.function_name || tirb_builtins[e->as.call.builtin].effect == TIRB_EFFECT_UPDATE ||
                        tirb_builtins[e->as.call.builtin].effect == TIRB_EFFECT_OPAQUE;
    } else if (e->kind == TIRB_EXPR_VAR && e->as.var.id < l->n_vars) {
        const tirbi_binding *binding = &l->bindings[e->as.var.id];
        if (binding->value) search->found = reads_root(binding->value, search->root);
        else if (binding->vector) find_read(visitor, binding->vector);
    }
    if (!search->found) tirbi_visit_expr(visitor, e);
    search->own = own;
}

/* Whether some lane of an expression may read memory that a store to `root` changes; what only its own lane of the
 * store `own` changes does not count. */
static bool may_read(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lbuf *root, const tirb_stmt *own) {
    read_search search = {.visitor = {.expr = find_read}, .l = l, .root = root, .own = own};
    if (e) find_read(&search.visitor, e);
    return search.found;
}

/* Reads the indices and the predicate of all lanes. */
static bool keep_indices(tirbi_lowerer *l, vector_store *v, const tirbi_lbuf *target, uint32_t lanes, bool constant) {
    const tirb_stmt *s = v->stmt;
    v->kept = true;
    for (uint32_t d = 0; d < target->ndim; d++) {
        v->indices[d] = tirbi_new_temporary(l, "index", TIRB_I64, lanes, s->span);
        if (!v->indices[d]) return false;
    }
    if (s->as.store.predicate && !(v->predicate = tirbi_new_temporary(l, "predicate", TIRB_BOOL, lanes, s->span)))
        return false;
    for_each_lane(l, lanes, constant, s->span, indices_to_lanes, v);
    return true;
}

/* A vector store reads all that its lanes read before it writes one. */
static void lower_vector_store(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirb_expr *value = s->as.store.value;
    uint32_t n = s->as.store.n_indices;
    uint32_t lanes = (n ? s->as.store.indices[n - 1]->dtype.lanes : 1U) * s->as.store.buffer->dtype.lanes;
    vector_store v = {.stmt = s, .value = value};
    bool constant = has_shuffle(value) || any_shuffle(s->as.store.indices, n);
    tirbi_lbuf *target = tirbi_buffer_of(l, s->as.store.buffer, s->span);
    tirbi_dtype type;
    if (!target || !tirbi_machine_type(l, tirbi_type_element(value->dtype), value->span, &type)) return;
    if (!tirbi_settle_vector(l, value, s)) return;
    if (value->dtype.lanes > 1) { /* what is wrong with its lanes is said once */
        l->again++;
        const tirbi_lx *probe = tirbi_lower_expr(l, value, tirbi_lx_number(l->pool, 0));
        l->again--;
        if (!probe) return;
    }
    bool indices = may_read(l, s->as.store.predicate, target->root, NULL);
    for (uint32_t i = 0; i < n; i++) indices = indices || may_read(l, s->as.store.indices[i], target->root, NULL);
    if (may_read(l, value, target->root, !indices && lanes_are_apart(s, target) ? s : NULL)) {
        v.lanes = tirbi_new_temporary(l, "vector", type, lanes, s->span);
        if (!v.lanes) return;
        for_each_lane(l, lanes, constant, s->span, value_to_lanes, &v);
    }
    if (indices && !keep_indices(l, &v, target, lanes, constant)) return;
    for_each_lane(l, lanes, constant, s->span, store_lane, &v);
}

static void lower_store(tirbi_lowerer *l, const tirb_stmt *s) {
    uint32_t n = s->as.store.n_indices;
    bool vector = s->as.store.value->dtype.lanes > 1 || (n && s->as.store.indices[n - 1]->dtype.lanes > 1);
    if (vector) {
        const tirbi_early *outer = l->early;
        lower_vector_store(l, s);
        l->early = outer;
        return;
    }
    vector_store v = {.stmt = s, .value = s->as.store.value};
    store_lane(l, NULL, &v);
    tirbi_know_code(l, s);
}

/* ---- Lets and allocations ------------------------------------------------------------------------------------- */

static void bind_vector(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *value) {
    tirbi_dtype type;
    if (!tirbi_machine_type(l, value->dtype, value->span, &type)) return;
    vector_store v = {.value = value};
    const tirbi_early *outer = l->early;
    if (!tirbi_settle_vector(l, value, NULL)) return;
    v.lanes = tirbi_new_temporary(l, var->as.var.name, type, value->dtype.lanes, value->span);
    if (!v.lanes) return;
    for_each_lane(l, value->dtype.lanes, has_shuffle(value), value->span, value_to_lanes, &v);
    l->early = outer;
    if (var->as.var.id < l->n_vars) l->bindings[var->as.var.id] = (tirbi_binding){.lanes = v.lanes};
}

static void lower_let(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirb_expr *var = s->as.let.var, *value = s->as.let.value;
    if (tirbi_lower_handle_let(l, s)) {
        tirbi_lower_stmt(l, s->as.let.body);
        return;
    }
    if (var->as.var.type.kind == TIRB_TYPE_POINTER) {
        tirbi_bind_pointer(l, var, value, s->span);
    } else if (value->dtype.lanes > 1) {
        bind_vector(l, var, value);
    } else {
        const tirbi_lx *x = tirbi_hold(l, var->as.var.name, tirbi_lower_expr(l, value, NULL), s->span);
        tirbi_lower_bind(l, var, x);
    }
    tirbi_lower_stmt(l, s->as.let.body);
}

/* Where the condition does not hold, the body does not run either. */
static void lower_allocate(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirbi_lx *wanted = s->as.allocate.condition ? tirbi_lower_expr(l, s->as.allocate.condition, NULL) : NULL;
    if (s->as.allocate.condition && !wanted) return;
    tirbi_ls_list list = {0}, *outer = l->out;
    if (wanted && tirbi_lx_is_int(wanted, 1)) wanted = NULL;
    if (wanted) l->out = &list;
    const tirbi_cell *before = l->cells;
    tirbi_allocate_buffer(l, s->as.allocate.buffer);
    tirbi_lower_stmt(l, s->as.allocate.body);
    l->out = outer;
    if (!wanted) return;
    tirbi_leave_cells(l, s->as.allocate.condition, before);
    const tirbi_ls *body = tirbi_finish_list(l, &list, s->span);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, s->span);
    branch->as.if_.condition = tirbi_lx_cast(l->pool, TIRB_BOOL, wanted);
    branch->as.if_.then_case = body;
}

static const tirbi_place *constant_place(tirbi_lowerer *l, tirbi_lbuf *b, const tirbi_lx *at, tirbi_span span) {
    tirbi_place *place = TIRBI_NEW(l->arena, tirbi_place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, b->ndim);
    if (!place || !indices || !at) return NULL;
    const tirbi_lx *rest = at;
    for (uint32_t d = 0; d < b->ndim && rest; d++) {
        indices[d] = d + 1 == b->ndim ? rest : tirbi_lx_wide(l->pool, TIRB_OP_FLOORDIV, rest, b->strides[d]);
        rest = d + 1 == b->ndim ? rest : tirbi_lx_wide(l->pool, TIRB_OP_FLOORMOD, rest, b->strides[d]);
    }
    *place = (tirbi_place){.buffer = b, .ndim = b->ndim, .indices = indices, .flat = at, .span = span};
    return place;
}

typedef struct constant_run {
    tirbi_lbuf *buffer;
    uint32_t first;
    const tirbi_lx *value;
    tirbi_span span;
} constant_run;

static void store_constant(tirbi_lowerer *l, const tirbi_lx *lane, void *context) {
    const constant_run *run = context;
    const tirbi_lx *at = tirbi_lx_add(l->pool, lane, tirbi_lx_number(l->pool, run->first));
    tirbi_store_place(l, constant_place(l, run->buffer, at, run->span), run->value, run->span);
}

static void for_each_constant(tirbi_lowerer *l, tirbi_lbuf *b, uint32_t first, uint32_t n, const tirbi_lx *value,
                              tirbi_span span) {
    constant_run run = {.buffer = b, .first = first, .value = value, .span = span};
    for_each_lane(l, n, false, span, store_constant, &run);
}

/* Stores the elements of a constant: zeros are there already, and a run of equal ones is a loop. */
static void lower_constant(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirb_expr *const *elements = s->as.allocate.elements;
    const tirb_buffer *buffer = s->as.allocate.buffer;
    if (s->as.allocate.bytes) {
        tirbi_constant_buffer(l, buffer, s->as.allocate.bytes, s->as.allocate.n_bytes);
        if (s->as.allocate.body) tirbi_lower_stmt(l, s->as.allocate.body);
        return;
    }
    tirbi_allocate_buffer(l, buffer);
    tirbi_lbuf *b = tirbi_buffer_of(l, buffer, s->span);
    for (uint32_t i = 0, run; b && i < s->as.allocate.n_elements && !l->arena->failed; i += run) {
        const tirbi_lx *value = tirbi_lower_expr(l, elements[i], NULL);
        if (!value) return;
        for (run = 1; i + run < s->as.allocate.n_elements; run++)
            if (tirbi_lower_expr(l, elements[i + run], NULL) != value) break;
        if (value->kind == TIRBI_LX_CONST && value->value == 0) continue;
        if (b->local) {
            tirbi_store_place(l, constant_place(l, b, tirbi_lx_number(l->pool, 0), s->span), value, s->span);
            continue;
        }
        for_each_constant(l, b, i, run, value, s->span);
    }
    tirbi_lower_stmt(l, s->as.allocate.body);
}

/* ---- The other statements ------------------------------------------------------------------------------------- */

static void lower_assert(tirbi_lowerer *l, const tirb_stmt *s) {
    if (l->n_required > 0) {
        l->n_required--;
        if (s->as.assert_.body) tirbi_lower_stmt(l, s->as.assert_.body);
        return;
    }
    const tirb_expr *message = s->as.assert_.message;
    const tirbi_lx *condition = tirbi_lower_expr(l, s->as.assert_.condition, NULL);
    tirbi_ls *assertion = tirbi_append(l, TIRBI_LS_ASSERT, s->span);
    assertion->as.assert_.condition = condition;
    assertion->as.assert_.error_kind = s->as.assert_.error_kind ? s->as.assert_.error_kind : "RuntimeError";
    if (message && message->kind == TIRB_EXPR_STRING_IMM) {
        assertion->as.assert_.message = message->as.string.text;
    } else if (message && message->kind == TIRB_EXPR_INT_IMM) {
        assertion->as.assert_.message = tirbi_arena_format(l->arena, "%lld", (long long)message->as.int_value);
    } else {
        assertion->as.assert_.message = "assertion failed";
    }
    if (s->as.assert_.body) tirbi_lower_stmt(l, s->as.assert_.body);
}

static void lower_if(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirbi_lx *condition = tirbi_lower_expr(l, s->as.if_.condition, NULL);
    if (!condition) return;
    condition = tirbi_lx_cast(l->pool, TIRB_BOOL, condition);
    const tirbi_cell *before = l->cells;
    const tirbi_ls *then_case = tirbi_lower_body(l, s->as.if_.then_case);
    const tirbi_cell *then_cells = l->cells;
    l->cells = before;
    const tirbi_ls *else_case = s->as.if_.else_case ? tirbi_lower_body(l, s->as.if_.else_case) : NULL;
    /* Whatever the condition is known to be: what settles a branch's pointers is declared in that branch. */
    if (then_cells != before || l->cells != before)
        tirbi_merge_cells(l, s->as.if_.condition, before, then_cells);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, s->span);
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = then_case;
    branch->as.if_.else_case = else_case;
}

static void lower_return(tirbi_lowerer *l, const tirb_expr *value, tirbi_span span) {
    bool pointer = l->function->ast->ret_type.kind == TIRB_TYPE_POINTER;
    const tirbi_lx *x = NULL;
    if (value) x = pointer ? tirbi_lower_returned_pointer(l, value, span) : tirbi_lower_expr(l, value, NULL);
    if (x && l->function->returns) x = tirbi_lx_cast(l->pool, l->function->return_type, x);
    tirbi_append(l, TIRBI_LS_RETURN, span)->as.eval.value = x;
}

static void evaluate_lane(tirbi_lowerer *l, const tirbi_lx *lane, void *context) {
    const tirb_expr *value = context;
    const tirbi_lx *x = tirbi_lower_expr(l, value, lane);
    if (x && !(x->pure && !x->traps)) tirbi_append(l, TIRBI_LS_EVAL, value->span)->as.eval.value = x;
}

/* LLVM's functions that only tell its optimizer something. */
static bool is_llvm_hint(const tirb_expr *e) {
    static const char *const hints[] = {"llvm.prefetch", "llvm.assume",   "llvm.donothing", "llvm.sideeffect",
                                        "llvm.lifetime", "llvm.invariant"};
    const tirb_expr *name = e->as.call.n_args ? e->as.call.args[0] : NULL;
    for (size_t i = 0; name && name->kind == TIRB_EXPR_STRING_IMM && i < sizeof hints / sizeof *hints; i++)
        if (strncmp(name->as.string.text, hints[i], strlen(hints[i])) == 0) return true;
    return false;
}

/* Whether a value is an address that is made of others: no statement needs it for itself. */
static bool is_address(const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_VAR) return e->dtype.code == TIRB_CODE_HANDLE;
    if (e->kind == TIRB_EXPR_CAST && e->dtype.code == TIRB_CODE_HANDLE)
        return is_address(e->as.cast.value) || e->as.cast.value->kind == TIRB_EXPR_INT_IMM;
    if (e->kind != TIRB_EXPR_CALL || e->as.call.function_name) return false;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_ADDRESS_OF:
    case TIRB_BUILTIN_BUFFER_DATA:
    case TIRB_BUILTIN_TVM_ACCESS_PTR:
    case TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET:
    case TIRB_BUILTIN_PTR_BYTE_OFFSET: return true;
    case TIRB_BUILTIN_REINTERPRET: return is_address(e->as.call.args[0]);
    default: return false;
    }
}

static void lower_evaluate(tirbi_lowerer *l, const tirb_stmt *s) {
    const tirb_expr *value = s->as.evaluate.value;
    if (!value || is_address(value)) return;
    if (value->kind == TIRB_EXPR_CALL && !value->as.call.function) {
        switch (value->as.call.builtin) {
        case TIRB_BUILTIN_RET:
            lower_return(l, value->as.call.n_args ? value->as.call.args[0] : NULL, s->span);
            return;
        case TIRB_BUILTIN_BREAK_LOOP: tirbi_append(l, TIRBI_LS_BREAK, s->span); return;
        case TIRB_BUILTIN_CONTINUE_LOOP: tirbi_append(l, TIRBI_LS_CONTINUE, s->span); return;
        case TIRB_BUILTIN_CALL_LLVM_INTRIN:
        case TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN:
            if (is_llvm_hint(value)) return;
            break;
        case TIRB_BUILTIN_TVM_STORAGE_SYNC: /* one thread, or threads that run one after another up to here */
        case TIRB_BUILTIN_ASSUME:
        case TIRB_BUILTIN_PREFETCH:
        case TIRB_BUILTIN_START_PROFILE_INTRINSIC:
        case TIRB_BUILTIN_END_PROFILE_INTRINSIC: return;
        default: break;
        }
        if (tirbi_lower_packed_statement(l, value)) return;
    }
    if (value->dtype.lanes > 1) {
        for_each_lane(l, value->dtype.lanes, has_shuffle(value), s->span, evaluate_lane, (void *)(uintptr_t)value);
    } else {
        evaluate_lane(l, NULL, (void *)(uintptr_t)value);
    }
}

static void lower_attr(tirbi_lowerer *l, const tirb_stmt *s) {
    const char *key = s->as.attr.key;
    bool thread = strcmp(key, "thread_extent") == 0 || strcmp(key, "virtual_thread") == 0;
    if (!thread) {
        tirbi_lower_stmt(l, s->as.attr.body);
        return;
    }
    const tirb_expr *var = s->as.attr.thread ? s->as.attr.thread->var : s->as.attr.node_expr;
    if (!var || var->kind != TIRB_EXPR_VAR) {
        tirbi_unsupported(l, s->span, "a thread extent without its variable");
        return;
    }
    if (s->as.attr.thread && is_step_of_threads(l, s->as.attr.thread->thread_tag, s)) {
        tirbi_lower_threads(l, s);
        return;
    }
    l->n_chain = 0;
    lower_loop(l, s, var, NULL, s->as.attr.value, NULL, s->as.attr.body);
}

void tirbi_lower_stmt(tirbi_lowerer *l, const tirb_stmt *s) {
    if (l->arena->failed) return;
    if (l->depth > MAX_DEPTH) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, s->span, "loops are nested more than %d deep", MAX_DEPTH);
        return;
    }
    switch (s->kind) {
    case TIRB_STMT_LET: lower_let(l, s); break;
    case TIRB_STMT_ATTR: lower_attr(l, s); break;
    case TIRB_STMT_ASSERT: lower_assert(l, s); break;
    case TIRB_STMT_STORE: lower_store(l, s); break;
    case TIRB_STMT_ALLOCATE: lower_allocate(l, s); break;
    case TIRB_STMT_DECL_BUFFER:
        tirbi_declare_view(l, s);
        tirbi_lower_stmt(l, s->as.decl.body);
        break;
    case TIRB_STMT_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) tirbi_lower_stmt(l, s->as.seq.items[i]);
        break;
    case TIRB_STMT_IF: lower_if(l, s); break;
    case TIRB_STMT_EVALUATE: lower_evaluate(l, s); break;
    case TIRB_STMT_FOR: lower_for(l, s); break;
    case TIRB_STMT_WHILE: lower_while(l, s); break;
    case TIRB_STMT_BLOCK_REALIZE: tirbi_lower_block(l, s); break;
    case TIRB_STMT_RETURN: lower_return(l, s->as.evaluate.value, s->span); break;
    case TIRB_STMT_BREAK: tirbi_append(l, TIRBI_LS_BREAK, s->span); break;
    case TIRB_STMT_CONTINUE: tirbi_append(l, TIRBI_LS_CONTINUE, s->span); break;
    case TIRB_STMT_BUFFER_REALIZE:
        tirbi_realize_buffer(l, s);
        tirbi_lower_stmt(l, s->as.realize.body);
        break;
    case TIRB_STMT_ALLOCATE_CONST: lower_constant(l, s); break;
    case TIRB_STMT_PREFETCH: break;
    }
}

/* ---- Functions and modules ------------------------------------------------------------------------------------ */

/* A call rejects negative extents, so a variable that is one by itself is not negative. */
static bool is_extent(const tirb_primfunc *f, const tirb_expr *var) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        for (uint32_t d = 0; f->buffers[i] && d < f->buffers[i]->ndim; d++) {
            if (f->buffers[i]->shape[d] == var) return true;
        }
    }
    return false;
}

static tirbi_lvar *parameter_var(tirbi_lowerer *l, const tirb_primfunc *f, const tirb_expr *param) {
    tirbi_dtype type;
    if (!tirbi_machine_type(l, param->dtype, param->span, &type)) return NULL;
    tirbi_lvar *var = tirbi_new_var(l, param->as.var.name, TIRBI_LVAR_PARAM, type);
    if (!var) return NULL;
    if (is_extent(f, param)) var->lo = 0;
    tirbi_lower_bind(l, param, tirbi_lx_var(l->pool, var));
    return var;
}

static void lower_parameters(tirbi_lowerer *l, const tirb_primfunc *f) {
    tirbi_lfunc *out = l->function;
    out->param_buffers = TIRBI_NEW_ARRAY(l->arena, tirbi_lbuf *, f->n_params);
    out->param_vars = TIRBI_NEW_ARRAY(l->arena, tirbi_lvar *, f->n_params);
    out->shape_vars = TIRBI_NEW_ARRAY(l->arena, tirbi_lvar *, f->n_shape_vars);
    if (l->arena->failed) return;
    for (uint32_t i = 0; i < f->n_shape_vars; i++) out->shape_vars[i] = parameter_var(l, f, f->shape_vars[i]);
    if (tirbi_lower_packed_params(l, f)) return;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i] || out->param_buffers[i]) continue;
        if (f->params[i]->dtype.code == TIRB_CODE_HANDLE) {
            /* Nothing says what it leads to: it is a number that the body cannot use. */
            out->param_vars[i] = tirbi_new_var(l, f->params[i]->as.var.name, TIRBI_LVAR_PARAM, TIRB_I64);
        } else {
            out->param_vars[i] = parameter_var(l, f, f->params[i]);
        }
    }
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->buffers[i]) out->param_buffers[i] = tirbi_declare_buffer(l, f->buffers[i], (int32_t)i);
    }
    out->aliases = (tirbi_aliases){.function = f, .mode = TIRBI_ALIAS_ANY};
    for (uint32_t i = 0; i < f->n_may_alias; i++) {
        tirbi_lbuf *first = out->param_buffers[f->may_alias[i].first],
                   *second = out->param_buffers[f->may_alias[i].second];
        if (first) first->aliases = &out->aliases;
        if (second) second->aliases = &out->aliases;
    }
}

/* Whether what stands last in a list leaves the function on every path. */
static bool leaves(const tirbi_ls *s, unsigned depth);

static bool always_returns(const tirbi_ls_list *list) { return list->n > 0 && leaves(list->items[list->n - 1], 0); }

static bool leaves(const tirbi_ls *s, unsigned depth) {
    if (!s || depth > MAX_DEPTH) return false;
    if (s->kind == TIRBI_LS_SEQ) return s->as.seq.n > 0 && leaves(s->as.seq.items[s->as.seq.n - 1], depth + 1);
    if (s->kind == TIRBI_LS_IF) return leaves(s->as.if_.then_case, depth + 1) && leaves(s->as.if_.else_case, depth + 1);
    return s->kind == TIRBI_LS_RETURN;
}

static void lower_function(tirbi_lowerer *l, const tirb_primfunc *f) {
    tirbi_lfunc *out = l->function;
    if (f->n_params > TIRBI_MAX_CALL_ARGS || f->n_shape_vars > TIRBI_MAX_CALL_ARGS) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, f->span,
                           "function '%s' is too large: it has more than %d parameters", f->name,
                           (int)TIRBI_MAX_CALL_ARGS);
        return;
    }
    out->ast = f;
    out->returns = f->ret_type.kind == TIRB_TYPE_PRIM && tirbi_storage_type(f->ret_type.dtype, &out->return_type);
    if (f->ret_type.kind == TIRB_TYPE_POINTER) {
        out->returns = true;
        out->return_type = TIRB_I64;
    }
    l->pool = out->pool = TIRBI_NEW(l->arena, tirbi_lx_pool);
    if (!l->pool) return;
    l->pool->arena = l->arena;
    l->moves_results = false;
    l->cells = NULL;
    tirbi_find_pinned(l, f);
    l->synchronises = f->body && tirbi_synchronises(f->body);
    lower_parameters(l, f);
    if (l->arena->failed || tirbi_has_errors(l->diagnostics)) return;
    /* Calls inside the module bind no arguments: what they call checks them itself. */
    l->n_required = l->called[f->index] || !tirbi_is_public(f) ? 0 : f->n_required;
    l->n_chain = 0;
    l->depth = 0;
    l->tree.outermost = NULL;
    tirbi_ls_list list = {0};
    l->out = &list;
    if (f->body && !tirbi_lower_foreign_body(l, f)) tirbi_lower_stmt(l, f->body);
    if (out->returns && !out->packed && !always_returns(&list)) {
        tirbi_ls *missing = tirbi_append(l, TIRBI_LS_ASSERT, f->span);
        missing->as.assert_.condition = tirbi_lx_int(l->pool, TIRB_BOOL, 0);
        missing->as.assert_.error_kind = "RuntimeError";
        missing->as.assert_.message = tirbi_arena_format(l->arena, "%s ends without returning a value", f->name);
    }
    l->out = NULL;
    out->body = tirbi_finish_list(l, &list, f->span);
}

tirbi_lmodule *tirbi_lower_module(const tirb_irmodule *module, tirb_fp_mode fp, uint32_t disabled, tirbi_arena *arena,
                                  tirbi_diagnostics *diagnostics) {
    tirbi_lowerer l = {.arena = arena, .diagnostics = diagnostics, .fp = fp, .disabled = disabled};
    module = tirbi_with_type_codes(module, arena);
    if (!module) return NULL;
    l.module = TIRBI_NEW(arena, tirbi_lmodule);
    l.n_vars = module->n_vars;
    l.n_buffers = module->n_buffers;
    l.bindings = TIRBI_NEW_ARRAY(arena, tirbi_binding, l.n_vars);
    l.buffers = TIRBI_NEW_ARRAY(arena, tirbi_lbuf *, l.n_buffers);
    l.pinned = TIRBI_NEW_ARRAY(arena, uint8_t, l.n_buffers);
    l.stores = TIRBI_NEW_ARRAY(arena, uint8_t, l.n_buffers);
    l.fetched = TIRBI_NEW_ARRAY(arena, tirbi_lbuf *, l.n_vars);
    if (arena->failed || !tirbi_start_returned(&l, module->n_functions)) return NULL;
    l.module->ast = module;
    if (!tirbi_find_effects(&l, module)) return NULL;
    l.module->functions = TIRBI_NEW_ARRAY(arena, tirbi_lfunc, module->n_functions);
    l.module->n_functions = module->n_functions;
    if (arena->failed) return NULL;
    for (uint32_t i = 0; i < module->n_functions; i++) {
        l.function = &l.module->functions[i];
        lower_function(&l, module->functions[i]);
    }
    return arena->failed ? NULL : l.module;
}
