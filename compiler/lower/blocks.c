/* Lowering of blocks: iteration variables, predicates, inits; and of the nests that are tree reductions. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "loader/base/checked.h"

/* Block variables stand for their values; a value that is not pure is computed once. */
void tirbi_bind_axis(tirbi_lowerer *l, const tirb_stmt *realize, uint32_t axis) {
    const tirb_expr *var = realize->as.block.block->iters[axis].var;
    tirbi_dtype type;
    const tirbi_lx *value = tirbi_lower_expr(l, realize->as.block.values[axis], NULL);
    if (!value || !tirbi_machine_type(l, var->dtype, var->span, &type)) return;
    value = tirbi_hold(l, var->as.var.name, tirbi_lx_cast(l->pool, type, value), realize->span);
    if (value) tirbi_lower_bind(l, var, value);
}

void tirbi_bind_axes(tirbi_lowerer *l, const tirb_stmt *realize) {
    for (uint32_t i = 0; i < realize->as.block.block->n_iters; i++) tirbi_bind_axis(l, realize, i);
}

typedef struct first_loops {
    tirbi_lvar **loops;
    uint32_t n, max;
} first_loops;

static bool add_first_loop(tirbi_lowerer *l, first_loops *first, tirbi_lvar *var) {
    for (uint32_t i = 0; i < first->n; i++) {
        if (first->loops[i] == var) return true;
    }
    if (first->n == first->max) {
        tirbi_lvar **more = TIRBI_NEW_ARRAY(l->arena, tirbi_lvar *, 2 * first->max);
        if (!more) return false;
        memcpy(more, first->loops, first->n * sizeof(*more));
        first->loops = more;
        first->max *= 2;
    }
    first->loops[first->n++] = var;
    return true;
}

/* Adds the loops of a sum of loop variables times positive constants that does not wrap: it is at its least value when,
 * and only when, all of them are. */
static bool add_rising_loops(tirbi_lowerer *l, first_loops *first, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_CONST) return true;
    if (x->kind == TIRBI_LX_VAR) {
        bool loop = x->var->kind == TIRBI_LVAR_LOOP;
        return loop && tirbi_lx_is_int(x->var->min, x->lo) && add_first_loop(l, first, x->var);
    }
    const tirbi_dtype_info *info = &tirbi_dtypes[x->type];
    bool whole =
        info->class == 'I' && x->lo > -(INT64_C(1) << (info->bits - 2)) && x->hi < INT64_C(1) << (info->bits - 2);
    if (x->kind != TIRBI_LX_OP || !whole) return false;
    switch (x->op) {
    case TIRB_OP_CAST:
        return tirbi_dtype_is_int((tirbi_dtype)x->source) && add_rising_loops(l, first, x->args[0]);
    case TIRB_OP_ADD:
        return add_rising_loops(l, first, x->args[0]) && add_rising_loops(l, first, x->args[1]);
    case TIRB_OP_MUL: {
        unsigned constant = x->args[0]->kind == TIRBI_LX_CONST ? 0 : 1;
        return x->args[constant]->kind == TIRBI_LX_CONST && x->args[constant]->value > 0 &&
               add_rising_loops(l, first, x->args[1 - constant]);
    }
    default:
        return false;
    }
}

/* Adds the loops whose first iteration gives an axis the value `least`, and no other iteration does. */
static bool add_loops_of_axis(tirbi_lowerer *l, first_loops *first, const tirbi_lx *value, const tirbi_lx *least) {
    while (value->kind == TIRBI_LX_OP && value->op == TIRB_OP_CAST) value = value->args[0];
    if (value->kind == TIRBI_LX_VAR && value->var->kind == TIRBI_LVAR_LOOP && value->var->min == least) {
        return add_first_loop(l, first, value->var);
    }
    return tirbi_lx_is_int(least, value->lo) && add_rising_loops(l, first, value);
}

/* ---- Loops that axes take apart --------------------------------------------------------------------------------- */

enum { MAX_PARTS = 8, MAX_UNIT = 8 };

/* The number that a fused loop is taken apart by, as the factors that it is written with. */
typedef struct unit {
    const tirbi_lx *factor[MAX_UNIT];
    uint32_t n;
    int64_t constant;
} unit;

static const tirbi_lx *without_casts(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source))
        x = x->args[0];
    return x;
}

static bool add_to_unit(unit *u, const tirbi_lx *x) {
    x = without_casts(x);
    if (x->kind == TIRBI_LX_CONST) return x->value > 0 && tirbi_mul_i64(u->constant, x->value, &u->constant);
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_MUL) return add_to_unit(u, x->args[0]) && add_to_unit(u, x->args[1]);
    if (u->n == MAX_UNIT || !x->pure) return false;
    u->factor[u->n++] = x;
    return true;
}

static bool is_unit(const tirbi_lx *x, const unit *u) {
    unit left = {.constant = 1};
    if (!add_to_unit(&left, x) || left.n != u->n || left.constant != u->constant) return false;
    for (uint32_t i = 0; i < u->n; i++) {
        uint32_t at = 0;
        while (at < left.n && left.factor[at] != u->factor[i]) at++;
        if (at == left.n) return false;
        left.factor[at] = left.factor[--left.n];
    }
    return true;
}

static bool is_divided(const tirbi_lx *x, bool remainder) {
    const tirbi_op floor = remainder ? TIRB_OP_FLOORMOD : TIRB_OP_FLOORDIV,
                   other = remainder ? TIRB_OP_MOD : TIRB_OP_DIV;
    return x->kind == TIRBI_LX_OP && (x->op == floor || (x->op == other && x->args[0]->lo >= 0));
}

/* Whether x is the loop's variable, or that divided by the unit where there is one. */
static bool is_quotient(const tirbi_lx *x, const tirbi_lvar *var, const unit *u) {
    x = without_casts(x);
    if (u->n == 0 && u->constant == 1) return x->kind == TIRBI_LX_VAR && x->var == var;
    if (!is_divided(x, false) || !is_unit(x->args[1], u)) return false;
    x = without_casts(x->args[0]);
    return x->kind == TIRBI_LX_VAR && x->var == var;
}

/* The loop that a part was taken from; NULL: it is none. */
static tirbi_lvar *divided_loop(const tirbi_lx *x) {
    x = without_casts(x);
    while (is_divided(x, false) || is_divided(x, true)) x = without_casts(x->args[0]);
    const bool loop = x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOOP;
    return loop && x->lo == 0 && tirbi_lx_is_int(x->var->min, 0) ? x->var : NULL;
}

/* Takes out the parts i % a, i / a % b, i / (a * b) of one loop's counter, all of which are 0 in its first iteration
 * and in no other: what is not divided by more than 1 is 0 there. NULL: the last part is not among them. */
static tirbi_lvar *take_parts(const tirbi_lx **parts, uint32_t *n) {
    tirbi_lvar *var = divided_loop(parts[0]);
    unit u = {.constant = 1};
    for (uint32_t i = 0; var && i < *n; i++) {
        const tirbi_lx *x = without_casts(parts[i]);
        const bool last = is_quotient(x, var, &u);
        if (!last && (!is_divided(x, true) || !is_quotient(x->args[0], var, &u))) continue;
        if (!last && !add_to_unit(&u, x->args[1])) return NULL;
        parts[i] = parts[--*n];
        if (last) return var;
        i = UINT32_MAX; /* from the first one on again */
    }
    return NULL;
}

/* Adds the loops whose counters axes are parts of, all of them together. */
static bool add_parts(tirbi_lowerer *l, first_loops *first, const tirbi_lx **parts, uint32_t n) {
    while (n > 0) {
        tirbi_lvar *var = take_parts(parts, &n);
        if (!var || !add_first_loop(l, first, var)) return false;
    }
    return true;
}

/* The init runs when every reduce variable is at its domain's minimum. */
void tirbi_lower_init(tirbi_lowerer *l, const tirb_stmt *realize) {
    const tirb_block *block = realize->as.block.block;
    const tirbi_lx *condition = NULL, *parts[MAX_PARTS];
    first_loops first = {.loops = TIRBI_NEW_ARRAY(l->arena, tirbi_lvar *, block->n_iters + 1),
                         .max = block->n_iters + 1};
    bool known = first.loops != NULL;
    uint32_t n_parts = 0;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        const tirb_itervar *iter = &block->iters[i];
        if (iter->type != TIRB_ITER_COMM_REDUCE) continue;
        const tirbi_lx *value = tirbi_lower_index(l, iter->var, NULL);
        const tirbi_lx *least = tirbi_lower_index(l, iter->dom.min, NULL);
        if (!value || !least) return;
        const tirbi_lx *at = tirbi_lx_wide(l->pool, TIRB_OP_EQ, value, least);
        condition = condition ? tirbi_lx_both(l->pool, TIRB_OP_AND, condition, at) : at;
        const tirbi_lx *written = without_casts(value); /* a value that may fail has a name */
        if (written->kind == TIRBI_LX_VAR && written->var->kind == TIRBI_LVAR_LET)
            written = tirbi_lower_expr(l, realize->as.block.values[i], NULL);
        if (known && written && tirbi_lx_is_int(least, 0) && divided_loop(written) && n_parts < MAX_PARTS)
            parts[n_parts++] = written;
        else
            known = known && add_loops_of_axis(l, &first, value, least);
    }
    known = known && add_parts(l, &first, parts, n_parts);
    const tirbi_cell *before = l->cells;
    const tirbi_ls *init = tirbi_lower_body(l, block->init);
    if (l->cells != before) tirbi_forget_cells(l, block->init);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, block->init->span);
    branch->as.if_.condition = condition ? condition : tirbi_lx_int(l->pool, TIRB_BOOL, 1);
    branch->as.if_.then_case = init;
    branch->as.if_.first_of = known ? first.loops : NULL;
    branch->as.if_.n_first_of = known ? first.n : 0;
}

static void lower_guarded(tirbi_lowerer *l, const tirb_stmt *realize) {
    const tirb_block *block = realize->as.block.block;
    for (uint32_t i = 0; i < block->n_matches; i++) tirbi_match_region(l, &block->matches[i], realize->span);
    if (block->init) tirbi_lower_init(l, realize);
    tirbi_lower_stmt(l, block->body);
}

void tirbi_lower_block(tirbi_lowerer *l, const tirb_stmt *realize) {
    const tirb_block *block = realize->as.block.block;
    if (block->no_realize && block->n_iters > 0) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, realize->span,
                           "block '%s' is not realized: its axes have no values, so it cannot run", block->name);
        return;
    }
    tirbi_bind_axes(l, realize);
    for (uint32_t i = 0; i < block->n_allocs; i++) tirbi_allocate_buffer(l, block->allocs[i]);
    const tirb_expr *predicate = realize->as.block.predicate;
    const tirbi_lx *guard = predicate ? tirbi_lower_expr(l, predicate, NULL) : NULL;
    guard = guard ? tirbi_lx_cast(l->pool, TIRB_BOOL, guard) : NULL;
    if (!guard || tirbi_lx_is_int(guard, 1)) {
        lower_guarded(l, realize);
        return;
    }
    tirbi_ls_list list = {0}, *outer = l->out;
    const tirbi_cell *before = l->cells;
    l->out = &list;
    lower_guarded(l, realize);
    l->out = outer;
    tirbi_leave_cells(l, predicate, before);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, realize->span);
    branch->as.if_.condition = guard;
    branch->as.if_.then_case = tirbi_finish_list(l, &list, realize->span);
}

/* ---- Tree reductions ------------------------------------------------------------------------------------------ */

typedef struct tree_parts {
    tirbi_update *updates;
    const tirbi_lx **lets;
    uint32_t n_updates, n_lets, max_updates, max_lets;
} tree_parts;

static void collect_parts(tirbi_lowerer *l, const tirbi_tree *tree, const tirb_stmt *s, tree_parts *parts) {
    switch (s->kind) {
    case TIRB_STMT_LET: {
        const tirbi_lx *value = tirbi_lower_expr(l, s->as.let.value, NULL);
        tirbi_lower_bind(l, s->as.let.var, value);
        if (value && value->traps && parts->n_lets < parts->max_lets) parts->lets[parts->n_lets++] = value;
        collect_parts(l, tree, s->as.let.body, parts);
        return;
    }
    case TIRB_STMT_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) collect_parts(l, tree, s->as.seq.items[i], parts);
        return;
    case TIRB_STMT_STORE: {
        const tirb_expr *term;
        tirbi_update *u = &parts->updates[parts->n_updates];
        if (parts->n_updates == parts->max_updates || !tirbi_tree_update(tree, s, &u->op, &term)) return;
        bool fused = term->kind == TIRB_EXPR_MUL && u->op == TIRBI_RED_ADD && l->fp != TIRB_FP_STRICT;
        u->value = tirbi_lower_expr(l, fused ? term->as.binary.a : term, NULL);
        u->factor = fused ? tirbi_lower_expr(l, term->as.binary.b, NULL) : NULL;
        u->target = tirbi_lower_place(l, s->as.store.buffer, s->as.store.indices, s->as.store.n_indices, NULL, s->span);
        if (u->target && u->target->buffer->resized) {
            tirbi_unsupported(l, s->span, "a reduction into a view whose elements have another size than the memory's");
            return;
        }
        if (u->target && u->value) parts->n_updates++;
        return;
    }
    default:
        return;
    }
}

static uint32_t count_kind(const tirb_stmt *s, tirb_stmt_kind kind) {
    uint32_t n = s->kind == kind;
    if (s->kind == TIRB_STMT_LET) return n + count_kind(s->as.let.body, kind);
    for (uint32_t i = 0; s->kind == TIRB_STMT_SEQ && i < s->as.seq.n; i++) n += count_kind(s->as.seq.items[i], kind);
    return n;
}

static tirbi_lvar *tree_loop(tirbi_lowerer *l, const tirb_stmt *loop) {
    const tirbi_lx *min = tirbi_lower_index(l, loop->as.for_.min, NULL);
    const tirbi_lx *extent = tirbi_lower_extent(l, loop->as.for_.extent);
    return min && extent ? tirbi_lower_loop_var(l, loop->as.for_.var, min, extent) : NULL;
}

/* The reduction itself, inside the loops that are not reduction loops. */
static void lower_tree_body(tirbi_lowerer *l, const tirbi_tree *tree) {
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(l->arena, tirbi_lvar *, tree->n_order);
    tree_parts parts = {.max_updates = count_kind(tree->body, TIRB_STMT_STORE),
                        .max_lets = count_kind(tree->body, TIRB_STMT_LET)};
    parts.updates = TIRBI_NEW_ARRAY(l->arena, tirbi_update, parts.max_updates);
    parts.lets = TIRBI_NEW_ARRAY(l->arena, const tirbi_lx *, parts.max_lets);
    if (!loops || !parts.updates || !parts.lets) return;
    tirbi_span span = tree->outermost->span;
    uint32_t depth = l->depth;
    for (uint32_t i = 0; i < tree->n_order; i++) {
        loops[i] = tree_loop(l, tree->inner[tree->order[i]]);
        if (!loops[i]) return;
        l->depth++;
    }
    tirbi_ls_list list = {0}, *outer = l->out;
    if (tree->realize) tirbi_bind_axes(l, tree->realize);
    const tirb_expr *predicate = tree->realize ? tree->realize->as.block.predicate : NULL;
    const tirbi_lx *guard = predicate ? tirbi_lower_expr(l, predicate, NULL) : NULL;
    if (guard) l->out = &list;
    tirbi_ls *s = tirbi_append(l, TIRBI_LS_TREE, span);
    const tirb_stmt *init = tree->realize ? tree->realize->as.block.block->init : NULL;
    s->as.tree.init = init ? tirbi_lower_body(l, init) : NULL;
    l->again++;
    collect_parts(l, tree, tree->body, &parts);
    l->again--;
    l->depth = depth;
    l->out = outer;
    s->as.tree.loops = loops;
    s->as.tree.n_loops = tree->n_order;
    s->as.tree.updates = parts.updates;
    s->as.tree.n_updates = parts.n_updates;
    s->as.tree.lets = parts.lets;
    s->as.tree.n_lets = parts.n_lets;
    if (guard) {
        tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, span);
        branch->as.if_.condition = tirbi_lx_cast(l->pool, TIRB_BOOL, guard);
        branch->as.if_.then_case = s;
    }
}

static void lower_tree_loops(tirbi_lowerer *l, const tirbi_tree *tree, uint32_t i) {
    while (i < tree->n_inner && tree->reduces[i]) i++;
    if (i == tree->n_inner) {
        lower_tree_body(l, tree);
        return;
    }
    tirbi_lvar *v = tree_loop(l, tree->inner[i]);
    if (!v) return;
    tirbi_ls *loop = tirbi_append(l, TIRBI_LS_LOOP, tree->inner[i]->span);
    tirbi_ls_list list = {0}, *outer = l->out;
    l->out = &list;
    l->depth++;
    lower_tree_loops(l, tree, i + 1);
    l->depth--;
    l->out = outer;
    loop->as.loop.var = v;
    loop->as.loop.body = tirbi_finish_list(l, &list, loop->span);
}

void tirbi_lower_tree(tirbi_lowerer *l) {
    tirbi_tree tree = l->tree;
    lower_tree_loops(l, &tree, 0);
}
