/* Loops inside a lane loop: those that all lanes run alike, and while loops, which each lane leaves by itself. */
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

/* ---- Loops of all lanes ----------------------------------------------------------------------------------------- */

/* Whether the body has stored to an element what a load of it would give here. */
static bool was_stored(planner *p, const tirbi_place *place) {
    for (uint32_t i = p->plan->n_ops; i-- > 0;) {
        const tirbi_lane_op *o = &p->plan->ops[i];
        if (o->op == TIRB_OP_INNER || o->op == TIRB_OP_INNER_END) return false;
        if (o->op != TIRB_OP_VSTORE || !tirbi_same_place(p->plan->cursors[o->cursor].place, place)) continue;
        return tirbi_plan_recall(p, NULL, o->cursor, false) == o->from[0] && place->buffer->type == o->type;
    }
    return false;
}

/* Keeps elements that a loop updates in place in lane values while it runs. Returns how many were promoted. */
static uint32_t promote(planner *p, const tirbi_ls *loop) {
    const tirbi_place *places[MAX_PROMOTED];
    uint32_t n = 0, promoted = 0;
    if (p->in_memory) return 0;
    tirbi_loop_set loops = {.n = 0};
    bool sure = tirbi_find_loops(&loops, loop);
    for (uint32_t i = 0; i < loops.n; i++) sure = sure && tirbi_plan_runs(p, loops.var[i]);
    tirbi_plan_find_stores(p, loop->as.loop.body, sure, places, &n);
    for (uint32_t i = 0; i < n && !p->failed; i++) {
        bool known = false;
        for (uint32_t j = 0; j < p->n_promoted; j++) known = known || tirbi_same_place(p->promoted[j].place, places[i]);
        unsigned copied = 0;
        if (known || p->n_promoted == MAX_PROMOTED || !tirbi_plan_stands_still(places[i], loop) ||
            !tirbi_plan_only_this(p, loop, places[i], &p->plan->loops, &copied)) {
            continue;
        }
        const bool raw = copied != 0 && !(copied == TIRBI_STAYS && was_stored(p, places[i]));
        /* Where the loop may not run at all, what is put back must be what was there. */
        if (!sure && !raw && tirbi_dtype_is_float(places[i]->buffer->type) && !was_stored(p, places[i])) continue;
        tirbi_dtype type = raw ? tirbi_plan_raw_type(places[i]->buffer->type) : places[i]->buffer->type;
        uint16_t start = tirbi_plan_load(p, places[i], type, raw);
        uint16_t value = tirbi_plan_new_value(p);
        if (p->failed) return promoted;
        tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VMOV, type);
        o->to = value;
        o->from[0] = start;
        p->promoted[p->n_promoted++] = (promotion){.place = places[i], .value = value, .raw = raw};
        promoted++;
    }
    return promoted;
}

static void demote(planner *p, uint32_t n) {
    for (; n > 0 && !p->failed; n--) {
        promotion done = p->promoted[--p->n_promoted];
        tirbi_dtype type = done.raw ? tirbi_plan_raw_type(done.place->buffer->type) : done.place->buffer->type;
        uint8_t cursor = tirbi_plan_cursor(p, done.place, type, true);
        if (p->failed) return;
        tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VSTORE, type);
        o->cursor = cursor;
        o->from[0] = done.value;
        tirbi_plan_forget_loads(p, done.place->buffer->root);
    }
}

/* ---- Loops of a lane's own -------------------------------------------------------------------------------------- */

typedef struct own_loop {
    uint32_t memo, vars;
} own_loop;

static own_loop open_own(planner *p) {
    own_loop outside = {.memo = p->n_memo, .vars = p->n_vars};
    if (p->n_own == TIRBI_MAX_OWN_DEPTH || p->own_total == TIRBI_MAX_OWN) {
        tirbi_plan_refuse(p, "there are too many loops in it");
        return outside;
    }
    tirbi_plan_forget_loads(p, NULL);
    outside.memo = p->n_memo;
    if (p->n_own++ == 0) {
        p->own_start = p->plan->n_ops;
        p->own_values = p->n_values;
    }
    p->own_total++;
    tirbi_plan_op(p, TIRB_OP_VLOOP, TIRB_TYPE_NONE);
    return outside;
}

static void close_own(planner *p, own_loop outside) {
    if (p->failed) return;
    tirbi_plan_op(p, TIRB_OP_VAGAIN, TIRB_TYPE_NONE);
    p->n_own--;
    p->n_memo = outside.memo < p->n_memo ? outside.memo : p->n_memo;
    p->n_vars = outside.vars;
    tirbi_plan_forget_loads(p, NULL);
}

/* Lanes leave where a condition is false. The second one of two is only evaluated where the first holds, if that
 * matters. */
void tirbi_plan_leave_unless(planner *p, const tirbi_lx *condition) {
    if (condition->kind == TIRBI_LX_AND && condition->args[1]->traps) {
        tirbi_plan_leave_unless(p, condition->args[0]);
        tirbi_plan_leave_unless(p, condition->args[1]);
        return;
    }
    uint16_t truth = tirbi_plan_value(p, condition);
    if (p->failed) return;
    tirbi_plan_op(p, TIRB_OP_VWHILE, TIRB_BOOL)->from[0] = truth;
}

void tirbi_plan_while(planner *p, const tirbi_ls *s) {
    if (!p->sequences) {
        tirbi_plan_refuse(p, "there is a while loop in it");
        return;
    }
    if (tirbi_plan_advance(p, s)) return;
    own_loop outside = open_own(p);
    if (p->failed) return;
    tirbi_plan_leave_unless(p, s->as.while_.condition);
    tirbi_plan_stmt(p, s->as.while_.body);
    close_own(p, outside);
}

/* A value that operations give more than once, which begins as another one. */
static uint16_t begin_value(planner *p, tirbi_dtype type, uint16_t as) {
    uint16_t value = tirbi_plan_new_value(p);
    if (p->failed) return TIRBI_NO_VALUE;
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VMOV, type);
    o->to = value;
    o->from[0] = as;
    return value;
}

static void count_on(planner *p, tirbi_dtype type, uint16_t value, uint16_t one) {
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VADD, type);
    o->to = value;
    o->from[0] = value;
    o->from[1] = one;
}

/* A counted loop in a while loop: no loop that runs alike in all lanes begins there, so that each lane counts its
 * rounds, and the loop's variable where that is another number. */
static void plan_own_loop(planner *p, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *extent = tirbi_plan_narrow(var->extent);
    if (loop->as.loop.step) {
        tirbi_plan_refuse(p, "the loop over %s in it does not run alike in all iterations", var->name);
        return;
    }
    if (extent->kind == TIRBI_LX_CONST && extent->value <= INT32_MAX)
        extent = tirbi_lx_int(p->pool, TIRB_I32, extent->value > 0 ? extent->value : 0);
    const tirbi_dtype type = (tirbi_dtype)var->type, counts = (tirbi_dtype)extent->type;
    const bool both = type == counts && tirbi_lx_is_int(var->min, 0);
    const uint16_t n = tirbi_plan_value(p, extent), first = tirbi_plan_value(p, tirbi_lx_cast(p->pool, type, var->min));
    const uint16_t one = tirbi_plan_splat(p, counts, tirbi_lx_int(p->pool, counts, 1));
    const uint16_t step = both ? one : tirbi_plan_splat(p, type, tirbi_lx_int(p->pool, type, 1));
    const uint16_t zero = tirbi_plan_splat(p, counts, tirbi_lx_int(p->pool, counts, 0));
    const uint16_t round = begin_value(p, counts, zero), counter = both ? round : begin_value(p, type, first);
    if (p->failed) return;
    const own_loop outside = open_own(p);
    if (p->failed) return;
    const uint16_t more = tirbi_plan_new_value(p);
    tirbi_lane_op *test = tirbi_plan_op(p, TIRB_OP_VLT, counts);
    test->to = more;
    test->from[0] = round;
    test->from[1] = n;
    tirbi_plan_op(p, TIRB_OP_VWHILE, TIRB_BOOL)->from[0] = more;
    if (!tirbi_plan_add_var(p, (lane_var){.var = var, .value = counter})) return;
    tirbi_plan_stmt(p, loop->as.loop.body);
    if (p->failed) return;
    count_on(p, counts, round, one);
    if (!both) count_on(p, type, counter, step);
    close_own(p, outside);
}

/* Plans the body of a loop of one iteration as code of the loop around it, where it may store what lanes place; false
 * where that is another loop. */
static bool plan_single(planner *p, const tirbi_ls *loop) {
    const tirbi_given none = {.n = 0};
    tirbi_lvar *var = loop->as.loop.var;
    tirbi_lane_plan *plan = p->plan;
    if (!p->sequences || !tirbi_lx_is_int(var->extent, 1) || var->min->kind != TIRBI_LX_CONST ||
        tirbi_has_kind(loop->as.loop.body, TIRBI_KIND(LOOP)))
        return false;
    if (plan->n_single == TIRBI_MAX_INNER || !tirbi_can_resolve(loop)) return false;
    const tirbi_lx *value = tirbi_lx_int(p->pool, var->type, var->min->value);
    const tirbi_ls *body = tirbi_resolve(p->pool, &none, loop->as.loop.body, var, value, NULL);
    plan->single[plan->n_single++] = var;
    p->single = body;
    if (body)
        tirbi_plan_stmt(p, body);
    else
        tirbi_plan_fail(p);
    p->single = NULL;
    return true;
}

/* ---- Loops that are written out --------------------------------------------------------------------------------- */

/* So many rounds of a loop, copies of a statement in loops in each other, and operations of a plan. */
enum { MOST_ROUNDS = 9, MOST_COPIES = 27, MOST_WRITTEN_OUT = 160 };

/* As far apart elements are picked from vectors; columns of a row that is longer are transposed at once in a loop. And
 * so many lanes, in all rounds of the loops around, pay for one more cursor. */
enum { FARTHEST_STEP = 4, LANES_OF_CURSOR = 4 };

static bool is_short(const tirbi_ls *loop) {
    const tirbi_lvar *var = loop->as.loop.var;
    return !loop->as.loop.step && var->min->kind == TIRBI_LX_CONST && var->extent->kind == TIRBI_LX_CONST &&
           var->extent->value >= 2 && var->extent->value <= MOST_ROUNDS;
}

static tirbi_step find_short(tirbi_walk *w, const tirbi_ls *s) {
    (void)w;
    return s->kind == TIRBI_LS_LOOP && is_short(s) ? TIRBI_STOP : TIRBI_INTO;
}

bool tirbi_plan_may_write_out(const tirbi_ls *loop) {
    tirbi_walk walk = {.stmt = find_short};
    return !tirbi_walk_stmt(&walk, loop->as.loop.body);
}

/* Whether all that lanes do is in the loops that are open: the machine runs those around its blocks. */
static bool does_nothing_yet(const tirbi_lane_plan *plan) {
    for (uint32_t i = 0; i < plan->n_ops; i++)
        if (plan->ops[i].op != TIRB_OP_INNER) return false;
    return plan->whole_nest;
}

/* The cursors from number `first` on of elements that are far from each other in the lanes. */
static uint32_t count_far(const tirbi_lane_plan *plan, uint32_t first) {
    uint32_t n = 0;
    for (uint32_t i = first; i < plan->n_cursors; i++) {
        int64_t step;
        n += !tirbi_affine_constant(&plan->cursors[i].form, 0, &step) || step < -1 || step > FARTHEST_STEP;
    }
    return n;
}

static bool pay_for_cursors(const planner *p, uint32_t n) {
    const tirbi_loop_set *loops = &p->plan->loops;
    int64_t lanes = loops->var[0]->extent->hi;
    for (uint32_t i = 0; i < p->n_path; i++)
        if (!tirbi_mul_i64(lanes, loops->var[p->path[i] + 1]->extent->hi, &lanes)) return true;
    return lanes >= LANES_OF_CURSOR * (int64_t)n;
}

/* Plans the rounds of a short loop one after the other: which elements they access is known then, what they carry is
 * lane values, and no word goes to the loop itself. False where that is no such loop, or its rounds stay in one. */
static bool plan_written_out(planner *p, const tirbi_ls *loop) {
    const tirbi_given none = {.n = 0};
    tirbi_lvar *var = loop->as.loop.var;
    const uint32_t copies = p->copies, n_cursors = p->plan->n_cursors;
    const tirbi_ls *around = p->single;
    if (!p->writes_out || p->n_own > 0 || !is_short(loop) || copies * (uint32_t)var->extent->value > MOST_COPIES ||
        does_nothing_yet(p->plan) || !tirbi_can_resolve(loop->as.loop.body) ||
        tirbi_leaves_loop(loop->as.loop.body))
        return false;
    p->copies = copies * (uint32_t)var->extent->value;
    p->wrote_out = true;
    for (int64_t i = 0; i < var->extent->value && !p->failed; i++) {
        const tirbi_lx *value = tirbi_lx_int(p->pool, var->type, var->min->value + i);
        p->single = tirbi_resolve(p->pool, &none, loop->as.loop.body, var, value, NULL);
        if (p->single)
            tirbi_plan_stmt(p, p->single);
        else
            tirbi_plan_fail(p);
        if (p->plan->n_ops > MOST_WRITTEN_OUT) tirbi_plan_refuse(p, "the loop over %s in it is too long", var->name);
    }
    if (count_far(p->plan, n_cursors) > 1)
        tirbi_plan_refuse(p, "the loop over %s in it reads rows", var->name);
    else if (!pay_for_cursors(p, p->plan->n_cursors - n_cursors))
        tirbi_plan_refuse(p, "it has too few iterations for the loop over %s in it", var->name);
    p->single = around;
    p->copies = copies;
    return true;
}

void tirbi_plan_loop(planner *p, const tirbi_ls *loop) {
    tirbi_lane_plan *plan = p->plan;
    tirbi_lvar *var = loop->as.loop.var;
    if (plan_single(p, loop) || plan_written_out(p, loop)) return;
    bool regular = !loop->as.loop.step && tirbi_has_plain_bounds(var) && tirbi_plan_is_invariant(p, var->min) &&
                   tirbi_plan_is_invariant(p, var->extent);
    uint32_t index = plan->loops.n - 1;
    if (tirbi_leaves_loop(loop->as.loop.body)) {
        tirbi_plan_refuse(p, "an iteration may leave the loop over %s in it", var->name);
        return;
    }
    if (p->n_own > 0) {
        plan_own_loop(p, loop);
        return;
    }
    if (!regular || index >= TIRBI_MAX_INNER || plan->loops.n == TIRBI_MAX_AFFINE) {
        tirbi_plan_refuse(p,
                          regular ? "there are too many loops in it"
                                  : "the loop over %s in it does not run alike in all iterations",
                          var->name);
        return;
    }
    uint32_t promoted = promote(p, loop);
    tirbi_plan_forget_loads(p, NULL);
    uint32_t memo = p->n_memo, vars = p->n_vars;
    plan->loops.var[plan->loops.n++] = var;
    tirbi_plan_op(p, TIRB_OP_INNER, TIRB_TYPE_NONE)->loop = (uint8_t)index;
    p->path[p->n_path++] = (uint8_t)index;
    tirbi_plan_stmt(p, loop->as.loop.body);
    p->n_path--;
    tirbi_plan_op(p, TIRB_OP_INNER_END, TIRB_TYPE_NONE)->loop = (uint8_t)index;
    p->n_memo = memo < p->n_memo ? memo : p->n_memo;
    p->n_vars = vars;
    tirbi_plan_forget_loads(p, NULL);
    demote(p, promoted);
}
