/* Planning lane loops: see lanes.h. A plan exists when every iteration of the lane loop touches memory of its own,
 * inner loops run alike in all lanes, and everything in the body is an elementwise operation, an affine access or a
 * choice between values that cannot trap. */
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/narrow_lanes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/optimize/lanes/guard.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/statements.h"

uint16_t tirbi_plan_fail(planner *p) {
    p->failed = true;
    return TIRBI_NO_VALUE;
}

uint16_t tirbi_plan_refuse(planner *p, const char *format, ...) {
    if (p->explains && !p->failed) {
        char text[256];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        p->why = tirbi_arena_text(p->pool->arena, text, strlen(text));
    }
    return tirbi_plan_fail(p);
}

/* Fewer lanes than this are faster one by one, but where they are short rows of the loops inside. */
enum { LEAST_LANES = 4 };

/* Nor are loops in fewer lanes written out. */
enum { LEAST_WRITTEN_OUT = 16 };

static bool worth_lanes(const tirbi_lvar *var) { return var->extent->hi >= LEAST_LANES; }

static bool may_be_lanes(const tirbi_ls *loop) {
    return worth_lanes(loop->as.loop.var) || loop->as.loop.body->kind == TIRBI_LS_LOOP;
}

/* The same as plan_lanes will find of it, told without a plan: a nest of few iterations asks for very many plans. */
static bool has_enough(const tirbi_ls *loop, bool sequences) {
    return worth_lanes(loop->as.loop.var) || (!sequences && tirbi_may_suit_short_rows(loop));
}

/* To clear one, in steps. */
enum { WORK_OF_PLANNER = 16 };

planner *tirbi_new_planner(tirbi_lx_pool *pool, tirbi_lvar *var) {
    tirbi_arena_work(pool->arena, WORK_OF_PLANNER);
    tirbi_lane_plan *plan = TIRBI_NEW(pool->arena, tirbi_lane_plan);
    planner *p = plan ? tirbi_heap_calloc(pool->arena->heap, 1, sizeof(*p)) : NULL;
    pool->arena->failed = pool->arena->failed || !p;
    if (!p) return NULL;
    plan->loops.var[0] = var;
    plan->loops.n = 1;
    plan->loops.checked = true; /* where an index is not proven: check_place */
    p->pool = pool;
    p->copies = 1;
    p->plan = plan;
    return p;
}

void tirbi_drop_plan(tirbi_lx_pool *pool, tirbi_lane_plan *plan) {
    if (!plan) return;
    tirbi_arena_give_back(pool->arena, plan->ops, plan->capacity, sizeof(*plan->ops));
    tirbi_arena_give_back(pool->arena, plan->cursors, plan->cursor_capacity, sizeof(*plan->cursors));
    tirbi_arena_give_back(pool->arena, plan->checks, MAX_CHECKS, sizeof(*plan->checks));
    TIRBI_GIVE_BACK(pool->arena, plan);
}

bool tirbi_lanes_do(const tirbi_lane_plan *plan, uint8_t op) {
    for (uint32_t i = 0; i < plan->n_ops; i++)
        if (plan->ops[i].op == op) return true;
    return false;
}

static unsigned what_does(uint8_t op) {
    const uint8_t flags = tirbi_ops[op].flags;
    if (flags & TIRBI_FLAG_ELEMENTWISE) return flags & TIRBI_FLAG_TRAP ? TIRBI_LANES_FAIL : TIRBI_LANES_COMPUTE;
    switch (op) {
    case TIRB_OP_VLOAD:
    case TIRB_OP_VSTORE:
    case TIRB_OP_VSPLAT: return TIRBI_LANES_MOVE;
    case TIRB_OP_VLOADX:
    case TIRB_OP_VIOTA:
    case TIRB_OP_VINDEX: return TIRBI_LANES_GATHER;
    default: return 0;
    }
}

bool tirbi_lanes_only(const tirbi_lane_plan *plan, unsigned what) {
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const uint8_t op = plan->ops[i].op;
        if (op != TIRB_OP_INNER && op != TIRB_OP_INNER_END && !(what_does(op) & what)) return false;
    }
    return true;
}

tirbi_lane_plan *tirbi_end_planner(planner *p, bool planned) {
    tirbi_lane_plan *plan = planned ? p->plan : NULL;
    tirbi_arena *arena = p->pool->arena;
    if (!planned) tirbi_drop_plan(p->pool, p->plan);
    tirbi_heap_free(arena->heap, p, sizeof(*p));
    return plan;
}

/* Whether the loops of the body are one perfect nest, and everything is inside them. */
static bool is_whole_nest(const tirbi_ls *body) {
    if (body->kind != TIRBI_LS_LOOP) return false;
    while (body->kind == TIRBI_LS_LOOP) body = body->as.loop.body;
    return !tirbi_has_kind(body, TIRBI_KIND(LOOP));
}

static void refuse_few(planner *p) { tirbi_plan_refuse(p, "it has fewer than %d iterations", LEAST_LANES); }

/* Plans the body of the planner's lane loop; false when it is not to be lanes. */
static bool plan_lanes(planner *p, const tirbi_ls *loop) {
    tirbi_lane_plan *plan = p->plan;
    p->body = loop->as.loop.body;
    if (loop->as.loop.step)
        tirbi_plan_refuse(p, "its step is not 1");
    else if (!may_be_lanes(loop))
        refuse_few(p);
    else if (!tirbi_has_plain_bounds(loop->as.loop.var))
        tirbi_plan_refuse(p, "its bounds depend on memory, or computing them may fail");
    tirbi_plan_find_written(p, p->body);
    if (p->sequences) tirbi_plan_find_carried(p, p->body);
    plan->whole_nest = is_whole_nest(p->body);
    tirbi_plan_stmt(p, p->body);
    if (p->failed) return false;
    if (plan->n_ops == 0)
        tirbi_plan_refuse(p, "it does nothing");
    else if (!tirbi_plan_writes_well(p->pool, plan, p->body))
        tirbi_plan_refuse(p, "it would scatter what it writes");
    else if (plan->n_rows > 0 && !tirbi_plan_rows_fit(p))
        tirbi_plan_refuse(p, "rows that it reaches by number may meet others");
    else if (p->wrote_out && !tirbi_order_lanes(plan, p->n_values, p->pool->arena))
        tirbi_plan_fail(p);
    else if (!tirbi_narrow_lanes(plan, p->n_values, p->pool->arena))
        tirbi_plan_fail(p);
    else if (tirbi_plan_independent(p) && !tirbi_allocate_lane_registers(plan, p->n_values, p->pool->arena))
        tirbi_plan_refuse(p, "it needs more than %d lane registers", TIRBI_MAX_LANE_REGS);
    if (!worth_lanes(loop->as.loop.var) && (p->sequences || p->failed || !tirbi_suits_short_rows(plan))) refuse_few(p);
    return !p->failed;
}

tirbi_lane_plan *tirbi_plan_rearranged(tirbi_lx_pool *pool, const tirbi_ls *loop, bool sequences) {
    if (!tirbi_arena_may_try(pool->arena)) return NULL;
    if (loop->as.loop.step || !tirbi_has_plain_bounds(loop->as.loop.var) || !may_be_lanes(loop) ||
        !has_enough(loop, sequences))
        return NULL;
    tirbi_lane_plan *plan = NULL;
    bool by_number = false;
    const bool fails_alike = tirbi_fails_alike(loop), is_long = loop->as.loop.var->extent->hi >= LEAST_WRITTEN_OUT;
    enum { WRITTEN_OUT, IN_LOOPS, IN_MEMORY } way =
        !sequences && is_long && tirbi_plan_may_write_out(loop) ? WRITTEN_OUT : IN_LOOPS;
    for (; !plan && way <= (by_number ? IN_MEMORY : IN_LOOPS); way++) {
        planner *p = tirbi_new_planner(pool, loop->as.loop.var);
        if (!p) return NULL;
        p->sequences = sequences;
        p->writes_out = way == WRITTEN_OUT;
        p->in_memory = way == IN_MEMORY;
        p->fails_alike = fails_alike;
        const bool planned = plan_lanes(p, loop);
        by_number = !sequences && p->plan->n_rows > 0 && p->plan->whole_nest;
        if (!p->wrote_out && way == WRITTEN_OUT) way = IN_LOOPS; /* which would be the same */
        plan = tirbi_end_planner(p, planned);
    }
    return plan;
}

uint32_t tirbi_loops_around(const tirbi_lane_plan *plan) {
    uint32_t n = 0;
    while (2 * n + 2 < plan->n_ops && plan->ops[n].op == TIRB_OP_INNER &&
           plan->ops[plan->n_ops - 1 - n].op == TIRB_OP_INNER_END)
        n++;
    return n;
}

static tirbi_lane_plan *lanes_of(tirbi_lx_pool *pool, const tirbi_ls *loop, bool sequences) {
    tirbi_lane_plan *plan = tirbi_plan_rearranged(pool, loop, sequences);
    if (!plan || tirbi_loops_around(plan) == 0 || tirbi_fails_alike(loop)) return plan;
    tirbi_drop_plan(pool, plan);
    return NULL;
}

tirbi_lane_plan *tirbi_plan_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop) { return lanes_of(pool, loop, false); }

tirbi_lane_plan *tirbi_plan_in_order(tirbi_lx_pool *pool, const tirbi_ls *loop) { return lanes_of(pool, loop, true); }

static bool dropped(tirbi_lx_pool *pool, tirbi_lane_plan *plan) {
    tirbi_drop_plan(pool, plan);
    return plan != NULL;
}

bool tirbi_has_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop) { return dropped(pool, tirbi_plan_lanes(pool, loop)); }

bool tirbi_has_lanes_in_order(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    return dropped(pool, tirbi_plan_in_order(pool, loop));
}

const char *tirbi_why_not_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    planner *p = tirbi_new_planner(pool, loop->as.loop.var);
    if (!p) return NULL;
    p->explains = p->sequences = true;
    const char *why = plan_lanes(p, loop) ? NULL : p->why;
    tirbi_end_planner(p, false);
    return why;
}

static tirbi_lane_plan *plan_tree(tirbi_lx_pool *pool, const tirbi_ls *tree, bool sequences) {
    tirbi_lvar *var = tree->as.tree.loops[tree->as.tree.n_loops - 1];
    if (!tirbi_has_plain_bounds(var) || !worth_lanes(var)) return NULL;
    planner *p = tirbi_new_planner(pool, var);
    if (!p) return NULL;
    p->body = tree;
    p->span = tree->span;
    p->sequences = sequences;
    for (uint32_t u = 0; u < tree->as.tree.n_updates && u < MAX_WRITTEN; u++) {
        p->written[p->n_written++] = tree->as.tree.updates[u].target;
    }
    for (uint32_t i = 0; i < tree->as.tree.n_lets; i++) tirbi_plan_value(p, tree->as.tree.lets[i]);
    for (uint32_t u = 0; u < tree->as.tree.n_updates && !p->failed; u++) {
        const tirbi_update *update = &tree->as.tree.updates[u];
        uint16_t value = tirbi_plan_value(p, update->value);
        uint16_t factor = update->factor ? tirbi_plan_value(p, update->factor) : TIRBI_NO_VALUE;
        tirbi_lane_op *o =
            tirbi_plan_op(p, update->factor ? TIRB_OP_VREDMA : TIRB_OP_VRED, update->target->buffer->type);
        o->red = (uint8_t)u;
        o->from[0] = value;
        o->from[1] = factor;
    }
    return tirbi_end_planner(p, !p->failed && tirbi_allocate_lane_registers(p->plan, p->n_values, pool->arena));
}

/* Terms that only some iterations may compute are guarded, where lanes may load elements that they name. */
tirbi_lane_plan *tirbi_plan_tree(tirbi_lx_pool *pool, const tirbi_ls *tree, bool sequences) {
    tirbi_lane_plan *plan = plan_tree(pool, tree, false);
    return plan || !sequences ? plan : plan_tree(pool, tree, true);
}
