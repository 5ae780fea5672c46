/* Emission of statements: scalar loops, with what does not change in them computed before them. */
#include "compiler/emit/emit.h"

#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/quotient.h"

/* ---- Invariants ----------------------------------------------------------------------------------------------- */

/* Whether every variable of a pure expression is in its register already. */
static bool is_available(const tirbi_emitter *e, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return tirbi_reg_of(e, x->var) >= 0;
    for (int i = 0; i < x->n_args; i++) {
        if (!is_available(e, x->args[i])) return false;
    }
    return true;
}

static void hoist_place(tirbi_emitter *e, const tirbi_place *place);

/* Whether a load cannot trap and gives in every iteration of the loop what it gives before it. Where proven subscripts
 * are checked as well, what they are checked against is known before it, too. */
static bool stays_loaded(const tirbi_emitter *e, const tirbi_lx *x) {
    const bool checks = e->disabled & TIRB_PASS_CHECKS;
    if (x->traps || x->access->view || !e->changed || !tirbi_stays(e->changed, x->access->buffer->root)) return false;
    for (uint32_t i = 0; i < x->access->ndim; i++) {
        if (!x->access->indices[i]->pure || !is_available(e, x->access->indices[i])) return false;
        const tirbi_lx *extent = x->access->buffer->shape[i];
        if (checks && (!extent->pure || !is_available(e, extent))) return false;
    }
    return x->access->flat->pure && is_available(e, x->access->flat);
}

/* Computes the largest available parts of an expression, unless doing so could trap. */
void tirbi_hoist_value(tirbi_emitter *e, const tirbi_lx *x) {
    if (!x || (x->pure && tirbi_known_reg(e, x) >= 0)) return;
    bool worth = x->kind == TIRBI_LX_OP || x->kind == TIRBI_LX_CONST;
    if (worth && x->pure && !x->traps && is_available(e, x)) {
        tirbi_put_value(e, x);
        return;
    }
    if (x->kind == TIRBI_LX_LOAD && stays_loaded(e, x)) {
        tirbi_put_value(e, x);
        return;
    }
    if (x->kind == TIRBI_LX_LOAD) hoist_place(e, x->access);
    if (x->kind == TIRBI_LX_CALL) {
        for (uint32_t i = 0; i < x->call->n_scalars; i++) tirbi_hoist_value(e, x->call->scalars[i]);
    }
    const tirbi_lx *bits = tirbi_division_by_bits(e->pool, x); /* as it will be computed */
    if (bits) x = bits;
    for (int i = 0; i < x->n_args; i++) tirbi_hoist_value(e, x->args[i]);
}

static void hoist_place(tirbi_emitter *e, const tirbi_place *place) {
    if (place->flat->kind != TIRBI_LX_CONST) tirbi_hoist_value(e, tirbi_address(e, place));
    for (uint32_t d = 0; d < place->ndim; d++) {
        if (tirbi_dim_proven(place, d)) continue;
        if (tirbi_has_own_number(place)) tirbi_hoist_value(e, place->indices[d]);
        tirbi_hoist_value(e, place->buffer->shape[d]);
    }
}

static void hoist_stmt(tirbi_emitter *e, const tirbi_ls *s);

static void hoist_bounds(tirbi_emitter *e, const tirbi_lvar *loop) {
    tirbi_hoist_value(e, tirbi_lx_add(e->pool, loop->min, loop->extent));
    if (loop->extent->lo < 1) tirbi_hoist_value(e, tirbi_some_rounds(e, loop));
}

/* What a schedule asks and computes beside the statements that it is of: at versions, and ahead of loops. */
static void hoist_choices(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_ls *s = node->kind == TIRBI_S_PLAIN ? node->stmt : NULL;
    if (s && s->kind == TIRBI_LS_IF) tirbi_hoist_value(e, s->as.if_.condition);
    if (s && s->kind == TIRBI_LS_WHILE) tirbi_hoist_value(e, s->as.while_.condition);
    if (s && s->kind == TIRBI_LS_SET) tirbi_hoist_value(e, s->as.set.value);
    if (node->kind == TIRBI_S_VERSION) tirbi_hoist_value(e, node->as.version->condition);
    if (node->kind == TIRBI_S_LOOP) hoist_bounds(e, node->stmt->as.loop.var);
    if (node->kind == TIRBI_S_LEAF && node->as.leaf->kind == TIRBI_LEAF_LANES)
        tirbi_hoist_plan(e, node->as.leaf->nest.plan);
    for (uint32_t i = 0; i < node->n; i++)
        if (node->items[i]) hoist_choices(e, node->items[i]);
}

/* Computes before a loop what does not change in it. */
static void hoist_loop(tirbi_emitter *e, const tirbi_ls *loop, const tirbi_ls *body, const tirbi_sched *inside) {
    tirbi_changed changed;
    const tirbi_changed *outer = e->changed;
    tirbi_find_changes(loop, &changed);
    e->changed = &changed;
    hoist_stmt(e, body);
    hoist_choices(e, inside);
    e->changed = outer;
}

static void hoist_stmt(tirbi_emitter *e, const tirbi_ls *s) {
    if (!s) return;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) hoist_stmt(e, s->as.seq.items[i]);
        return;
    case TIRBI_LS_LOOP:
        hoist_bounds(e, s->as.loop.var);
        hoist_stmt(e, s->as.loop.body);
        return;
    case TIRBI_LS_IF:
        tirbi_hoist_value(e, s->as.if_.condition);
        hoist_stmt(e, s->as.if_.then_case);
        hoist_stmt(e, s->as.if_.else_case);
        return;
    case TIRBI_LS_WHILE:
        tirbi_hoist_value(e, s->as.while_.condition);
        hoist_stmt(e, s->as.while_.body);
        return;
    case TIRBI_LS_STORE:
        hoist_place(e, s->as.store.access);
        tirbi_hoist_value(e, s->as.store.value);
        return;
    case TIRBI_LS_SET: tirbi_hoist_value(e, s->as.set.value); return;
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN: tirbi_hoist_value(e, s->as.eval.value); return;
    case TIRBI_LS_ASSERT: tirbi_hoist_value(e, s->as.assert_.condition); return;
    case TIRBI_LS_TREE:
        for (uint32_t u = 0; u < s->as.tree.n_updates; u++) {
            hoist_place(e, s->as.tree.updates[u].target);
            tirbi_hoist_value(e, s->as.tree.updates[u].value);
            tirbi_hoist_value(e, s->as.tree.updates[u].factor);
        }
        return;
    default: return;
    }
}

/* ---- Loops ---------------------------------------------------------------------------------------------------- */

const tirbi_lx *tirbi_some_rounds(const tirbi_emitter *e, const tirbi_lvar *loop) {
    return tirbi_lx_with(e->pool, TIRB_OP_GT, loop->extent, 0);
}

void tirbi_put_guard(tirbi_emitter *e, const tirbi_lvar *loop, tirbi_patch_list *skip) {
    if (loop->extent->lo < 1) tirbi_put_branch_unless(e, tirbi_some_rounds(e, loop), skip);
}

/* How often a loop goes round that has at least one iteration; NULL: memory ran out. */
static const tirbi_lx *find_rounds(const tirbi_emitter *e, const tirbi_lvar *var, const tirbi_lx *step) {
    const tirbi_lx *one = tirbi_lx_number(e->pool, 1);
    return tirbi_lx_add(
        e->pool, tirbi_lx_wide(e->pool, TIRB_OP_FLOORDIV, tirbi_lx_sub(e->pool, var->extent, one), step), one);
}

/* One with a step counts its rounds, too, from which its variable is computed: the machine sees what goes by lines. */
void tirbi_put_counted(tirbi_emitter *e, tirbi_lvar *var, const tirbi_lx *step, tirbi_loop_frame *frame,
                        tirbi_loop_body body, const void *context) {
    tirbi_patch_list end = {0};
    const tirbi_lx *behind = tirbi_lx_add(e->pool, var->min, var->extent), *zero = tirbi_lx_number(e->pool, 0);
    uint16_t limit = tirbi_put_value(e, step ? var->min : behind);
    const uint16_t start = limit, stride = step ? tirbi_put_value(e, step) : 0;
    tirbi_put_guard(e, var, &end);
    tirbi_scope scope = tirbi_scope_open(e);
    if (step) limit = tirbi_put_value(e, find_rounds(e, var, step));
    const uint16_t counter = tirbi_new_sreg(e), value = step ? tirbi_new_sreg(e) : counter;
    tirbi_put_value_into(e, step ? zero : var->min, counter);
    tirbi_set_reg(e, var, value);
    tirbi_forget(e, var);
    tirbi_forget(e, NULL); /* the body may assign */
    uint32_t top = tirbi_here(e);
    if (step) {
        TIRBI_PUT(e, TIRB_OP_MUL, TIRB_I64, value, counter, stride);
        if (!tirbi_lx_is_int(var->min, 0)) TIRBI_PUT(e, TIRB_OP_ADD, TIRB_I64, value, value, start);
    }
    body(e, context);
    if (frame) tirbi_land(e, &frame->continues);
    if (tirbi_here(e) == top)
        TIRBI_PUT(e, TIRB_OP_NOP, TIRB_TYPE_NONE, 0); /* a jump goes back to another instruction */
    TIRBI_PUT(e, TIRB_OP_LOOP, TIRB_TYPE_NONE, counter, limit, top);
    tirbi_set_reg(e, var, -1);
    tirbi_scope_close(e, scope);
    tirbi_land(e, &end);
    if (frame) tirbi_land(e, &frame->breaks);
}

/* What the bounds have read is another value once the body has changed it. */
static void emit_loop_body(tirbi_emitter *e, const void *context) {
    const tirbi_sched *node = context;
    tirbi_forget_changes(e, node->stmt->as.loop.body);
    tirbi_put_sched(e, node->items[0]);
}

/* The iterations of a loop one after the other. */
static void emit_loop(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_ls *loop = node->stmt;
    tirbi_forget_changes(e, loop);
    hoist_loop(e, loop, loop->as.loop.body, node->items[0]);
    tirbi_loop_frame frame = {.outer = e->loops};
    e->loops = &frame;
    tirbi_put_counted(e, loop->as.loop.var, loop->as.loop.step, &frame, emit_loop_body, node);
    e->loops = frame.outer;
}

static void emit_while(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_ls *s = node->stmt;
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_forget_changes(e, s);
    const bool ends_inside = tirbi_lx_is_int(s->as.while_.condition, 1) && tirbi_leaves_loop(s->as.while_.body);
    if (!ends_inside) tirbi_hoist_value(e, s->as.while_.condition);
    hoist_loop(e, s, s->as.while_.body, node->items[0]);
    tirbi_loop_frame frame = {.outer = e->loops};
    e->loops = &frame;
    tirbi_forget(e, NULL);
    uint32_t top = tirbi_here(e);
    tirbi_scope body = tirbi_scope_open(e);
    if (!ends_inside) tirbi_put_exit_unless(e, s->as.while_.condition, &frame.breaks);
    tirbi_put_sched(e, node->items[0]);
    tirbi_land(e, &frame.continues);
    if (tirbi_here(e) == top) TIRBI_PUT(e, TIRB_OP_NOP, TIRB_TYPE_NONE, 0);
    TIRBI_PUT(e, TIRB_OP_BACK, TIRB_TYPE_NONE, top);
    tirbi_scope_close(e, body);
    tirbi_land(e, &frame.breaks);
    e->loops = frame.outer;
    tirbi_scope_close(e, scope);
}

/* ---- Tree reductions ------------------------------------------------------------------------------------------ */

typedef struct tree_context {
    const tirbi_ls *stmt;
    uint32_t level; /* of the reduce loops, this one runs next */
    const tirbi_lane_plan *plan; /* of the last loop; NULL: element by element */
} tree_context;

static void emit_pushes(tirbi_emitter *e, const tree_context *c) {
    for (uint32_t i = 0; i < c->stmt->as.tree.n_lets; i++) {
        tirbi_scope scope = tirbi_scope_open(e);
        tirbi_put_value(e, c->stmt->as.tree.lets[i]);
        tirbi_scope_close(e, scope);
    }
    for (uint32_t u = 0; u < c->stmt->as.tree.n_updates; u++) {
        const tirbi_update *update = &c->stmt->as.tree.updates[u];
        tirbi_scope scope = tirbi_scope_open(e);
        uint16_t value = tirbi_put_value(e, update->value);
        tirbi_dtype type = update->target->buffer->type;
        if (update->factor) {
            TIRBI_PUT(e, TIRB_OP_RED_PUSHMA, type, e->red_of[u], value, tirbi_put_value(e, update->factor));
        } else {
            TIRBI_PUT(e, TIRB_OP_RED_PUSH, type, e->red_of[u], value);
        }
        tirbi_scope_close(e, scope);
    }
}

static void emit_tree_level(tirbi_emitter *e, const void *context) {
    const tree_context *c = context;
    const tirbi_ls *s = c->stmt;
    if (c->plan && c->level == s->as.tree.n_loops - 1) {
        tirbi_put_lane_plan(e, c->plan);
        return;
    }
    if (c->level == s->as.tree.n_loops) {
        emit_pushes(e, c);
        return;
    }
    tree_context inner = *c;
    inner.level++;
    tirbi_scope scope = tirbi_scope_open(e);
    hoist_stmt(e, s);
    tirbi_put_counted(e, s->as.tree.loops[c->level], NULL, NULL, emit_tree_level, &inner);
    tirbi_scope_close(e, scope);
}

/* A state of the right kind for every update; those of earlier reductions are free again. */
static bool take_states(tirbi_emitter *e, const tirbi_ls *s) {
    uint32_t taken = 0;
    for (uint32_t u = 0; u < s->as.tree.n_updates; u++) {
        const tirbi_update *update = &s->as.tree.updates[u];
        tirbi_dtype type = update->target->buffer->type;
        uint32_t r = 0;
        while (r < e->n_reds && ((taken >> r & 1) || e->reds[r].dtype != type || e->reds[r].op != update->op)) r++;
        if (r == TIRBI_MAX_REDUCTIONS || u == TIRBI_MAX_REDUCTIONS) return false;
        if (r == e->n_reds) e->reds[e->n_reds++] = (tirbi_red_type){.dtype = (uint8_t)type, .op = (uint8_t)update->op};
        e->red_of[u] = (uint8_t)r;
        taken |= 1u << r;
    }
    return true;
}

static void emit_tree(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_ls *s = node->stmt;
    uint32_t n = s->as.tree.n_updates;
    tirbi_patch_list skip = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_forget_changes(e, s);
    if (!take_states(e, s)) {
        tirbi_put_too_large(e, s->span, "it needs more than 16 states of tree reductions");
        return;
    }
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) tirbi_put_guard(e, s->as.tree.loops[i], &skip);
    tirbi_scope inside = tirbi_scope_open(e);
    tirbi_put_sched(e, node->items[0]);
    for (uint32_t u = 0; u < n; u++) {
        const tirbi_update *update = &s->as.tree.updates[u];
        tirbi_dtype type = update->target->buffer->type;
        const tirbi_lvar *local = update->target->buffer->local;
        uint16_t entry = local ? (uint16_t)tirbi_reg_of(e, local) : tirbi_put_load(e, update->target);
        TIRBI_PUT(e, TIRB_OP_RED_BEGIN, type, e->red_of[u], entry);
    }
    const tree_context context = {.stmt = s, .plan = node->as.leaf->nest.plan};
    emit_tree_level(e, &context);
    for (uint32_t u = 0; u < n; u++) {
        const tirbi_place *target = s->as.tree.updates[u].target;
        const tirbi_lvar *local = target->buffer->local;
        uint16_t result = local ? (uint16_t)tirbi_reg_of(e, local) : tirbi_new_sreg(e);
        TIRBI_PUT(e, TIRB_OP_RED_END, target->buffer->type, result, e->red_of[u]);
        if (local) {
            tirbi_forget(e, local);
            continue;
        }
        uint16_t at = tirbi_put_operand(e, target->flat), ref = tirbi_buffer_ref(e, target->buffer->root);
        TIRBI_PUT(e, TIRB_OP_STORE, target->buffer->type, ref, at, result);
    }
    tirbi_scope_close(e, inside);
    tirbi_land(e, &skip);
    tirbi_scope_close(e, scope);
    tirbi_forget_changes(e, s);
}

/* ---- The other statements ------------------------------------------------------------------------------------- */

/* Whether a variable's register would hold the first operand of a conjunction or disjunction while the second one is
 * evaluated, which reads the variable. */
static bool reads_behind_first(const tirbi_lx *x, const tirbi_lvar *var) {
    const bool joins = x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR;
    if (!joins && x->kind != TIRBI_LX_COND) return false;
    if (joins && x->args[0]->kind == TIRBI_LX_VAR) return tirbi_lx_depends_on(x->args[1], var);
    return x->type == TIRB_BOOL && tirbi_lx_depends_on(x, var);
}

static void emit_set(tirbi_emitter *e, const tirbi_ls *s) {
    tirbi_lvar *var = s->as.set.var;
    if (tirbi_reg_of(e, var) < 0) tirbi_set_reg(e, var, tirbi_new_sreg(e));
    const uint16_t reg = (uint16_t)tirbi_reg_of(e, var);
    tirbi_scope scope = tirbi_scope_open(e);
    if (reads_behind_first(s->as.set.value, var))
        TIRBI_PUT(e, TIRB_OP_MOV, var->type, reg, tirbi_put_value(e, s->as.set.value));
    else
        tirbi_put_value_into(e, s->as.set.value, reg);
    if (var->kind == TIRBI_LVAR_LET) tirbi_remember(e, s->as.set.value, reg);
    tirbi_block_close(e, scope);
    tirbi_forget(e, var);
}

/* The only assignment of an arm; NULL where it does something else. */
static const tirbi_ls *assignment(const tirbi_emitter *e, const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
    bool plain = s->kind == TIRBI_LS_SET && !s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LOCAL &&
                 tirbi_reg_of(e, s->as.set.var) >= 0;
    return plain ? s : NULL;
}

/* Whether a value is there, or made of what is there by one operation that cannot trap. */
static bool is_near(const tirbi_emitter *e, const tirbi_lx *x) {
    if (tirbi_is_at_hand(e, x)) return true;
    if (x->kind != TIRBI_LX_OP || x->traps || !x->shared) return false;
    for (int i = 0; i < x->n_args; i++) {
        if (!tirbi_is_at_hand(e, x->args[i])) return false;
    }
    return true;
}

static void put_select(tirbi_emitter *e, tirbi_lvar *var, uint16_t condition, uint16_t yes, uint16_t no) {
    TIRBI_PUT(e, TIRB_OP_SELECT, tirbi_choice_type(var->type), tirbi_reg_of(e, var), condition, yes, no);
}

/* A condition that only chooses between values which are there already: nothing is jumped over, so nothing is
 * predicted. */
static bool put_choice(tirbi_emitter *e, const tirbi_ls *s) {
    const tirbi_lx *condition = s->as.if_.condition;
    const tirbi_ls *yes = assignment(e, s->as.if_.then_case),
                   *no = s->as.if_.else_case ? assignment(e, s->as.if_.else_case) : NULL;
    if (!yes || (s->as.if_.else_case && !no) || tirbi_calls(condition) || !is_near(e, yes->as.set.value) ||
        (no && !is_near(e, no->as.set.value)))
        return false;
    tirbi_patch_list skip = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    for (; !no && condition->kind == TIRBI_LX_AND; condition = condition->args[1])
        tirbi_put_exit_unless(e, condition->args[0], &skip);
    tirbi_lvar *var = yes->as.set.var;
    const uint16_t a = tirbi_put_value(e, yes->as.set.value),
                   b = no ? tirbi_put_value(e, no->as.set.value) : (uint16_t)tirbi_reg_of(e, var);
    const bool same = !no || no->as.set.var == var;
    if (same) {
        tirbi_put_select(e, (tirbi_dtype)var->type, (uint16_t)tirbi_reg_of(e, var), condition, a, b);
    } else {
        /* What is asked for may be the first variable itself, which is the last one to be set then. */
        const uint16_t c = tirbi_put_value(e, condition), first = (uint16_t)tirbi_reg_of(e, var);
        if (c != first) put_select(e, var, c, a, first);
        put_select(e, no->as.set.var, c, (uint16_t)tirbi_reg_of(e, no->as.set.var), b);
        if (c == first) put_select(e, var, c, a, first);
    }
    tirbi_scope_close(e, scope);
    tirbi_land(e, &skip);
    tirbi_forget(e, var);
    if (!same) tirbi_forget(e, no->as.set.var);
    return true;
}

/* Where an arm only leaves the loop or goes on with it; NULL where it does something else. */
static tirbi_patch_list *way_out(const tirbi_emitter *e, const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
    if (!e->loops || (s->kind != TIRBI_LS_BREAK && s->kind != TIRBI_LS_CONTINUE)) return NULL;
    return s->kind == TIRBI_LS_BREAK ? &e->loops->breaks : &e->loops->continues;
}

/* Branches on a condition; `arm` is opened behind what is always computed of it. */
static void put_arm_condition(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *other, tirbi_scope *arm,
                              bool *opened) {
    if (condition->kind == TIRBI_LX_AND) {
        put_arm_condition(e, condition->args[0], other, arm, opened);
        put_arm_condition(e, condition->args[1], other, arm, opened);
        return;
    }
    tirbi_put_branch_unless(e, condition, other);
    if (!*opened) *arm = tirbi_scope_open(e);
    *opened = true;
}

static void put_way_out(tirbi_emitter *e, const tirbi_lx *condition, tirbi_patch_list *out) {
    tirbi_patch_list other = {0};
    tirbi_scope arm;
    bool opened = false;
    if (condition->kind == TIRBI_LX_AND) put_arm_condition(e, condition->args[0], &other, &arm, &opened);
    tirbi_put_branch_if(e, condition->kind == TIRBI_LX_AND ? condition->args[1] : condition, out);
    if (opened) tirbi_scope_close(e, arm);
    tirbi_land(e, &other);
}

/* Whether an arm leaves the loop or the function, so that what stands behind the branch does not follow it. */
static bool leaves(const tirbi_emitter *e, const tirbi_ls *s) {
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n > 0) s = s->as.seq.items[s->as.seq.n - 1];
    return s->kind == TIRBI_LS_RETURN || (e->loops && (s->kind == TIRBI_LS_BREAK || s->kind == TIRBI_LS_CONTINUE));
}

/* The arms, each of which begins with what is known behind the condition: only one of them runs. */
static void put_arms(tirbi_emitter *e, const tirbi_sched *node, tirbi_patch_list *other, tirbi_patch_list *end,
                     tirbi_scope arm) {
    const tirbi_ls *s = node->stmt;
    const uint32_t mark = e->n_forgotten;
    e->arms++;
    tirbi_put_sched(e, node->items[0]);
    tirbi_scope_close(e, arm);
    const uint32_t behind_first = e->n_forgotten;
    const bool stays_forgotten = !leaves(e, s->as.if_.then_case);
    if (s->as.if_.else_case || !stays_forgotten) tirbi_unforget(e, mark, &arm);
    if (s->as.if_.else_case) {
        if (stays_forgotten) tirbi_put_jump(e, TIRB_OP_JMP, 0, end);
        tirbi_land(e, other);
        arm = tirbi_scope_open(e);
        tirbi_put_sched(e, node->items[1]);
        tirbi_scope_close(e, arm);
    }
    if (stays_forgotten) tirbi_forget_again(e, mark, behind_first, &arm);
    if (--e->arms == 0) e->n_forgotten = 0;
}

static void emit_if(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_ls *s = node->stmt;
    if (put_choice(e, s)) return;
    tirbi_patch_list other = {0}, end = {0}, *out = s->as.if_.else_case ? NULL : way_out(e, s->as.if_.then_case);
    tirbi_scope scope = tirbi_scope_open(e), arm;
    bool opened = false;
    if (out) {
        put_way_out(e, s->as.if_.condition, out);
        tirbi_block_close(e, scope);
        return;
    }
    put_arm_condition(e, s->as.if_.condition, &other, &arm, &opened);
    put_arms(e, node, &other, &end, arm);
    tirbi_land(e, &other);
    tirbi_land(e, &end);
    tirbi_block_close(e, scope);
}

static void emit_alloc(tirbi_emitter *e, tirbi_lbuf *buffer) {
    tirbi_scope scope = tirbi_scope_open(e);
    const tirbi_lx *count = buffer->length ? buffer->length : tirbi_lx_number(e->pool, 1),
                   *zero = tirbi_lx_number(e->pool, 0);
    const tirbi_lx *negative = NULL;
    for (uint32_t d = 0; d < buffer->ndim && count && !buffer->length; d++) {
        const tirbi_lx *extent = buffer->shape[d];
        count = tirbi_lx_mul(e->pool, count, extent);
        if (extent->lo >= 0) continue;
        const tirbi_lx *below = tirbi_lx_wide(e->pool, TIRB_OP_LT, extent, zero);
        negative = negative ? tirbi_lx_both(e->pool, TIRB_OP_OR, negative, below) : below;
    }
    if (negative) {
        tirbi_patch_list good = {0};
        tirbi_put_branch_unless(e, negative, &good);
        const char *message = tirbi_arena_format(e->arena, "an extent of buffer '%s' is negative", buffer->name);
        if (message) {
            TIRBI_PUT(e, TIRB_OP_TRAP, TIRB_TYPE_NONE, TIRB_VALUE, tirbi_string_number(e->strings, message));
        }
        tirbi_land(e, &good);
    }
    uint16_t ref = tirbi_buffer_ref(e, buffer);
    TIRBI_PUT(e, TIRB_OP_ALLOC, buffer->type, ref, tirbi_put_value(e, count));
    tirbi_forget_memory(e, buffer->root);
    tirbi_scope_close(e, scope);
}

static void emit_fetch(tirbi_emitter *e, const tirbi_ls *s) {
    tirbi_scope scope = tirbi_scope_open(e);
    uint16_t ref = tirbi_buffer_ref(e, s->as.fetch.buffer);
    TIRBI_PUT(e, TIRB_OP_REF_GET, TIRB_TYPE_NONE, ref, tirbi_put_value(e, s->as.fetch.handle));
    tirbi_forget_memory(e, NULL);
    tirbi_scope_close(e, scope);
}

/* That two sizes are equal: where they are not, the call ends with both. */
static void emit_assert(tirbi_emitter *e, const tirbi_ls *s) {
    tirbi_scope scope = tirbi_scope_open(e);
    const tirbi_lx *x = s->as.assert_.condition;
    const bool compares = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_EQ && x->args[0]->type == TIRB_I64;
    if (compares && strcmp(s->as.assert_.error_kind, "ShapeError") == 0) {
        const uint16_t found = tirbi_put_value(e, x->args[0]), expected = tirbi_put_value(e, x->args[1]);
        TIRBI_PUT(e, TIRB_OP_SAME, TIRB_TYPE_NONE, found, expected,
                   tirbi_string_number(e->strings, s->as.assert_.message));
        tirbi_scope_close(e, scope);
        return;
    }
    uint16_t condition = tirbi_put_value(e, x);
    TIRBI_PUT(e, TIRB_OP_ASSERT, TIRB_TYPE_NONE, condition, tirbi_string_number(e->strings, s->as.assert_.error_kind),
               tirbi_string_number(e->strings, s->as.assert_.message));
    tirbi_scope_close(e, scope);
}

static void emit_return(tirbi_emitter *e, const tirbi_lx *value) {
    if (!e->function->returns) {
        TIRBI_PUT(e, TIRB_OP_RETVOID, TIRB_TYPE_NONE, 0);
        return;
    }
    tirbi_scope scope = tirbi_scope_open(e);
    if (!value) value = tirbi_lx_bits(e->pool, e->function->return_type, 0);
    TIRBI_PUT(e, TIRB_OP_RET, e->function->return_type, tirbi_put_value(e, value));
    tirbi_scope_close(e, scope);
}

static void emit_plain(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_ls *s = node->stmt;
    tirbi_mark_line(e, s->span);
    switch (s->kind) {
    case TIRBI_LS_IF: emit_if(e, node); return;
    case TIRBI_LS_WHILE: emit_while(e, node); return;
    case TIRBI_LS_STORE: tirbi_put_store(e, s->as.store.access, s->as.store.value, node->reread); return;
    case TIRBI_LS_SET: emit_set(e, s); return;
    case TIRBI_LS_ALLOC: emit_alloc(e, s->as.alloc.buffer); return;
    case TIRBI_LS_FETCH: emit_fetch(e, s); return;
    case TIRBI_LS_EVAL: {
        tirbi_scope scope = tirbi_scope_open(e);
        tirbi_put_value(e, s->as.eval.value);
        tirbi_scope_close(e, scope);
        return;
    }
    case TIRBI_LS_ASSERT: emit_assert(e, s); return;
    case TIRBI_LS_RETURN: emit_return(e, s->as.eval.value); return;
    case TIRBI_LS_BREAK:
        if (e->loops) tirbi_put_jump(e, TIRB_OP_JMP, 0, &e->loops->breaks);
        return;
    case TIRBI_LS_CONTINUE:
        if (e->loops) tirbi_put_jump(e, TIRB_OP_JMP, 0, &e->loops->continues);
        return;
    default: return; /* the others are no plain statements */
    }
}

/* ---- Schedules ------------------------------------------------------------------------------------------------- */

static void emit_sequence(tirbi_emitter *e, const tirbi_sched *node) {
    tirbi_kept_ranges kept;
    tirbi_enter_ranges(node->ranges, &kept);
    for (uint32_t i = 0; i < node->n; i++) tirbi_put_sched(e, node->items[i]);
    tirbi_leave_ranges(node->ranges, &kept);
}

static void emit_leaf(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_leaf *leaf = node->as.leaf;
    switch (leaf->kind) {
    case TIRBI_LEAF_LANES: tirbi_put_nest(e, &leaf->nest); return;
    case TIRBI_LEAF_TREE: emit_tree(e, node); return;
    case TIRBI_LEAF_SEARCH: tirbi_put_search(e, node->stmt, leaf->nest.plan); return;
    case TIRBI_LEAF_CONTRACT:
    case TIRBI_LEAF_FOLD: tirbi_put_contractions(e, node); return;
    }
}

static void emit_node(tirbi_emitter *e, const tirbi_sched *node) {
    switch ((tirbi_sched_kind)node->kind) {
    case TIRBI_S_SEQ: emit_sequence(e, node); return;
    case TIRBI_S_LOOP: emit_loop(e, node); return;
    case TIRBI_S_VERSION: tirbi_put_version(e, node); return;
    case TIRBI_S_REGION: tirbi_put_region(e, node); return;
    case TIRBI_S_LEAF: emit_leaf(e, node); return;
    case TIRBI_S_PLAIN: emit_plain(e, node); return;
    }
}

void tirbi_put_sched(tirbi_emitter *e, const tirbi_sched *node) {
    if (!node || e->failed || e->arena->failed || e->code.failed) return;
    if (node->of) tirbi_mark_line(e, node->of->span);
    if (!node->of || node->of->kind != TIRBI_LS_LOOP) {
        emit_node(e, node);
        return;
    }
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_forget_changes(e, node->of);
    emit_node(e, node);
    tirbi_forget(e, NULL); /* the body may assign */
    tirbi_scope_close(e, scope);
}
