/* Planning lane loops: see lanes.h. A plan exists when every iteration of the lane loop touches memory of its own,
 * inner loops run alike in all lanes, and everything in the body is an elementwise operation, an affine access or a
 * choice between values that cannot trap. */
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/lanes/narrow_lanes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/lanes/guard.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/statements.h"

static void plan_stmt(planner *p, const tirbi_ls *s);

static uint16_t fail(planner *p) {
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
    return fail(p);
}

/* ---- Operations ----------------------------------------------------------------------------------------------- */

uint16_t tirbi_plan_new_value(planner *p) {
    if (p->n_values == MAX_VALUES) return tirbi_plan_refuse(p, "its body has more than %d values", MAX_VALUES);
    return (uint16_t)p->n_values++;
}

tirbi_lane_op *tirbi_plan_op(planner *p, unsigned op, tirbi_dtype type) {
    tirbi_lane_plan *plan = p->plan;
    if (!tirbi_arena_work(p->pool->arena, 1)) fail(p);
    if (plan->n_ops == plan->capacity) {
        uint32_t capacity = plan->capacity ? plan->capacity * 2 : 32;
        tirbi_lane_op *ops = capacity > MAX_OPS ? NULL : TIRBI_NEW_ARRAY(p->pool->arena, tirbi_lane_op, capacity);
        if (!ops) {
            tirbi_plan_refuse(p, "its body has more than %d operations", MAX_OPS);
            return &p->lost;
        }
        if (plan->n_ops) memcpy(ops, plan->ops, plan->n_ops * sizeof(*ops));
        tirbi_arena_give_back(p->pool->arena, plan->ops, plan->capacity, sizeof(*ops));
        plan->ops = ops;
        plan->capacity = capacity;
    }
    tirbi_lane_op *o = &plan->ops[plan->n_ops++];
    *o = (tirbi_lane_op){.op = (uint8_t)op, .type = (uint8_t)type, .source = TIRB_TYPE_NONE, .to = TIRBI_NO_VALUE,
                         .from = {TIRBI_NO_VALUE, TIRBI_NO_VALUE, TIRBI_NO_VALUE}, .loop = 0xFF, .span = p->span};
    return o;
}

/* Whether a value may be given again: it holds a variable, or an element that stays in a lane value. */
static bool is_assigned(const planner *p, uint16_t value) {
    for (uint32_t i = 0; i < p->n_vars; i++) {
        if (p->vars[i].value == value && p->vars[i].var->kind != TIRBI_LVAR_LET) return true;
    }
    for (uint32_t i = 0; i < p->n_promoted; i++) {
        if (p->promoted[i].value == value) return true;
    }
    return false;
}

/* The value that an equal operation on the same operands has given before, in this iteration; none of them is assigned
 * in between. */
static uint16_t same_operation(const planner *p, const tirbi_lane_op *wanted) {
    enum { FAR = 256 };
    const tirbi_lane_plan *plan = p->plan;
    if (p->ahead) return TIRBI_NO_VALUE;
    for (uint32_t i = plan->n_ops, left = FAR; i-- > 0 && left > 0; left--) {
        const tirbi_lane_op *o = &plan->ops[i];
        bool edge =
            o->op == TIRB_OP_INNER || o->op == TIRB_OP_INNER_END || o->op == TIRB_OP_VLOOP || o->op == TIRB_OP_VAGAIN;
        if (edge) break;
        bool same = o->op == wanted->op && o->type == wanted->type && o->source == wanted->source &&
                    memcmp(o->from, wanted->from, sizeof(o->from)) == 0;
        if (same && !is_assigned(p, o->to)) return o->to;
        for (int k = 0; k < 3; k++) {
            if (o->to != TIRBI_NO_VALUE && o->to == wanted->from[k]) return TIRBI_NO_VALUE;
        }
    }
    return TIRBI_NO_VALUE;
}

static uint16_t elementwise(planner *p, tirbi_op op, tirbi_dtype type, tirbi_dtype source, uint16_t a, uint16_t b,
                            uint16_t c) {
    if (p->failed) return TIRBI_NO_VALUE;
    const tirbi_lane_op wanted = {.op = (uint8_t)(op + TIRB_OP_LANE_FORM), .type = (uint8_t)type,
                                  .source = (uint8_t)source, .from = {a, b, c}};
    uint16_t known = same_operation(p, &wanted);
    if (known != TIRBI_NO_VALUE) return known;
    uint16_t to = tirbi_plan_new_value(p);
    tirbi_lane_op *o = tirbi_plan_op(p, (unsigned)op + TIRB_OP_LANE_FORM, type);
    o->source = (uint8_t)source;
    o->to = to;
    o->from[0] = a;
    o->from[1] = b;
    o->from[2] = c;
    return to;
}

/* An operation that stands before the loops of a lane's own that are open, so that it is done once. */
static tirbi_lane_op *op_before_own(planner *p, unsigned op, tirbi_dtype type) {
    tirbi_lane_op *o = tirbi_plan_op(p, op, type);
    if (p->n_own == 0 || p->failed) return o;
    tirbi_lane_op fresh = *o, *first = &p->plan->ops[p->own_start];
    memmove(first + 1, first, (size_t)(o - first) * sizeof(*o));
    *first = fresh;
    p->own_start++;
    return first;
}

static uint16_t splat(planner *p, tirbi_dtype type, const tirbi_lx *scalar) {
    uint16_t to = tirbi_plan_new_value(p);
    tirbi_lane_op *o = op_before_own(p, TIRB_OP_VSPLAT, type);
    o->to = to;
    o->scalar = scalar;
    return to;
}

static tirbi_dtype raw_type(tirbi_dtype type) {
    switch (tirbi_dtypes[type].size) {
    case 2: return TIRB_U16;
    case 4: return TIRB_U32;
    default: return TIRB_U64;
    }
}

/* ---- Remembered values ------------------------------------------------------------------------------------------ */

static void remember(planner *p, const tirbi_lx *x, uint8_t cursor, bool raw, uint16_t value) {
    if (value == TIRBI_NO_VALUE || p->n_memo == MEMO_SIZE) return;
    p->memo[p->n_memo++] = (lane_memo){.x = x, .cursor = cursor, .raw = raw, .value = value};
}

static uint16_t recall(const planner *p, const tirbi_lx *x, uint8_t cursor, bool raw) {
    for (uint32_t i = p->n_memo; i-- > 0;) {
        const lane_memo *m = &p->memo[i];
        bool known = !p->ahead || m->value < p->own_values || m->value >= p->ahead_values;
        if (known && m->x == x && m->raw == raw && (x || m->cursor == cursor)) return m->value;
    }
    return TIRBI_NO_VALUE;
}

/* Forgets what was loaded from a buffer's memory, or from all. */
static void forget_loads(planner *p, const tirbi_lbuf *root) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n_memo; i++) {
        const lane_memo *m = &p->memo[i];
        if (!m->x && (!root || tirbi_may_meet(p->plan->cursors[m->cursor].place->buffer->root, root))) continue;
        p->memo[kept++] = *m;
    }
    p->n_memo = kept;
}

lane_var *tirbi_plan_find_var(planner *p, const tirbi_lvar *var) {
    for (uint32_t i = p->n_vars; i-- > 0;) {
        if (p->vars[i].var == var) return &p->vars[i];
    }
    return NULL;
}

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

static uint16_t load(planner *p, const tirbi_place *place, tirbi_dtype type, bool raw) {
    for (uint32_t i = p->n_promoted; i-- > 0;) {
        if (!tirbi_same_place(p->promoted[i].place, place)) continue;
        const promotion *kept = &p->promoted[i];
        if (kept->raw == raw) return kept->value;
        if (raw) return tirbi_plan_refuse(p, "%s is copied while it is updated", place->buffer->name);
        return elementwise(p, TIRB_OP_BITS, type, raw_type(type), kept->value, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
    }
    /* What only some lanes access is checked there, not before the loop. */
    bool alone = p->n_own > 0 && !tirbi_plan_is_proven(place);
    if (p->sequences && (alone || !tirbi_plan_moves_alike(p, place))) return tirbi_plan_gather(p, place, type);
    uint8_t cursor = tirbi_plan_cursor(p, place, type, false);
    if (p->failed) return TIRBI_NO_VALUE;
    uint16_t known = recall(p, NULL, cursor, false);
    if (known != TIRBI_NO_VALUE) return known;
    uint16_t to = tirbi_plan_new_value(p);
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VLOAD, type);
    o->to = to;
    o->cursor = cursor;
    remember(p, NULL, cursor, false, to);
    return to;
}

static uint16_t loop_counter(planner *p, const tirbi_lx *x, tirbi_dtype type) {
    const tirbi_loop_set *loops = &p->plan->loops;
    uint32_t i = 0;
    while (i < loops->n && loops->var[i] != x->var) i++;
    if (i == loops->n) return fail(p);
    uint16_t to = tirbi_plan_new_value(p);
    tirbi_lane_op *o;
    if (i == 0) {
        o = tirbi_plan_op(p, TIRB_OP_VIOTA, type);
        o->scalar = x->var->min;
    } else {
        o = tirbi_plan_op(p, TIRB_OP_VSPLAT, type);
        o->loop = (uint8_t)(i - 1);
        p->plan->index_used[i - 1] = true;
    }
    o->to = to;
    if (i == 0 || tirbi_lx_is_int(x->var->min, 0)) return to;
    return elementwise(p, TIRB_OP_ADD, type, TIRB_TYPE_NONE, to,
                       splat(p, type, tirbi_lx_cast(p->pool, type, x->var->min)), TIRBI_NO_VALUE);
}

/* Whether a counter is asked for in another type, which holds all that it counts. */
static bool is_narrow_counter(planner *p, const tirbi_lx *x) {
    const tirbi_lx *counter = x->args[0];
    if (x->op != TIRB_OP_CAST || (x->type != TIRB_I32 && x->type != TIRB_I64) || counter->kind != TIRBI_LX_VAR)
        return false;
    return counter->lo >= INT32_MIN && counter->hi <= INT32_MAX && tirbi_mentions_loops(counter, &p->plan->loops);
}

static uint16_t variable(planner *p, const tirbi_lx *x) {
    lane_var *v = tirbi_plan_find_var(p, x->var);
    if (!v && tirbi_plan_is_carried(p, x->var)) {
        v = tirbi_plan_carried_before(p, x->var);
        if (!v) return TIRBI_NO_VALUE;
    }
    if (!v) {
        if (x->var->kind == TIRBI_LVAR_LOCAL)
            return tirbi_plan_refuse(p, "%s is carried from one iteration to the next", x->var->name);
        return tirbi_mentions_loops(x, &p->plan->loops) ? loop_counter(p, x, (tirbi_dtype)x->type)
                                                        : splat(p, (tirbi_dtype)x->type, x);
    }
    if (!v->raw) return v->value;
    tirbi_dtype type = (tirbi_dtype)x->type;
    return elementwise(p, TIRB_OP_BITS, type, raw_type(type), v->value, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
}

/* Whether a pure expression is the same for all lanes and iterations, and can be computed before the loop. */
bool tirbi_plan_is_invariant(planner *p, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return !tirbi_plan_find_var(p, x->var) && !tirbi_mentions_loops(x, &p->plan->loops);
    for (int i = 0; i < x->n_args; i++) {
        if (!tirbi_plan_is_invariant(p, x->args[i])) return false;
    }
    return true;
}

static const char lazy_arm[] = "what only some iterations compute may fail, as an index or a division can";

static const tirbi_lx *as_variable(planner *p, const tirbi_lx *condition);

/* A value for all lanes that only those ask for where the condition holds. */
static const tirbi_lx *guard(planner *p, const tirbi_lx *condition, const tirbi_lx *x) {
    tirbi_loop_set open = {.var = {p->plan->loops.var[0]}, .n = 1};
    for (uint32_t i = 0; i < p->n_path && open.n < TIRBI_MAX_AFFINE; i++)
        open.var[open.n++] = p->plan->loops.var[p->path[i] + 1];
    return tirbi_guard(p->pool, &open, condition, x);
}

/* The condition of a lazy expression and what it chooses from; those that may fail are guarded, so that all lanes may
 * compute them. False where that cannot be. */
static bool settle_arms(planner *p, const tirbi_lx *x, const tirbi_lx *arms[3]) {
    for (int i = 0; i < 3; i++) arms[i] = i < x->n_args ? x->args[i] : NULL;
    if (!arms[1]->traps && (!arms[2] || !arms[2]->traps)) return true;
    arms[0] = p->sequences ? as_variable(p, arms[0]) : NULL;
    for (int i = 1; arms[0] && i < x->n_args; i++) {
        if (!arms[i]->traps) continue;
        bool first = x->kind == TIRBI_LX_COND ? i == 1 : x->kind == TIRBI_LX_AND;
        const tirbi_lx *holds = first ? arms[0] : tirbi_lx_not(p->pool, arms[0]);
        arms[i] = holds ? guard(p, holds, arms[i]) : NULL;
        if (!arms[i]) break;
    }
    if (arms[0] && arms[1] && (x->n_args < 3 || arms[2])) return !p->failed;
    tirbi_plan_refuse(p, "%s", lazy_arm);
    return false;
}

static void plan_set(planner *p, tirbi_lvar *var, const tirbi_lx *value, bool declares);

/* An expression that may be used twice. */
static const tirbi_lx *used_twice(planner *p, const tirbi_lx *x) {
    if (x->pure) return x;
    tirbi_lvar *var = TIRBI_NEW(p->pool->arena, tirbi_lvar);
    if (!var) return NULL;
    *var = (tirbi_lvar){
        .name = "dividend", .kind = TIRBI_LVAR_LET, .type = (tirbi_dtype)x->type, .lo = x->lo, .hi = x->hi};
    plan_set(p, var, x, true);
    return p->failed ? NULL : tirbi_lx_var(p->pool, var);
}

/* A quotient or remainder of an integer and a power of two, by its bits; NULL where it is none. Truncation adds what is
 * missing to the next multiple first where the dividend is below zero. */
static const tirbi_lx *by_bits(planner *p, const tirbi_lx *x) {
    tirbi_dtype type = (tirbi_dtype)x->type;
    const bool floors = x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_FLOORMOD,
               divides = x->op == TIRB_OP_DIV || x->op == TIRB_OP_FLOORDIV;
    if (!tirbi_dtype_is_int(type) || (!floors && x->op != TIRB_OP_DIV && x->op != TIRB_OP_MOD)) return NULL;
    const tirbi_lx *by = x->args[1], *n = x->args[0];
    if (by->kind != TIRBI_LX_CONST || by->value < 2 || (by->value & (by->value - 1)) != 0) return NULL;
    tirbi_lx_pool *pool = p->pool;
    const tirbi_lx *missing = NULL;
    if (!floors && tirbi_dtype_is_signed(type) && n->lo < 0) {
        const tirbi_lx *last = tirbi_lx_int(pool, type, tirbi_dtypes[type].size * 8 - 1);
        n = used_twice(p, n);
        const tirbi_lx *sign = n ? tirbi_lx_op(pool, TIRB_OP_SHR, type, TIRB_TYPE_NONE, n, last, NULL) : NULL;
        missing = sign ? tirbi_floor_by_bits(pool, sign, by->value, true) : NULL;
        n = missing ? tirbi_lx_op(pool, TIRB_OP_ADD, type, TIRB_TYPE_NONE, n, missing, NULL) : NULL;
    }
    if (n) n = tirbi_floor_by_bits(pool, n, by->value, !divides);
    return n && missing && !divides ? tirbi_lx_op(pool, TIRB_OP_SUB, type, TIRB_TYPE_NONE, n, missing, NULL) : n;
}

static bool is_comparison(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->op >= TIRB_OP_EQ && x->op <= TIRB_OP_GE;
}

/* How many values of an expression are computed and not used yet, at most, when operands that need more come first:
 * what is loaded or splat costs nothing. A large expression counts for its first parts. */
static unsigned values_at_once(const tirbi_lx *x, unsigned *budget) {
    if (x->kind != TIRBI_LX_OP || *budget == 0) return 0;
    (*budget)--;
    unsigned most = 0, second = 0;
    for (int i = 0; i < x->n_args; i++) {
        const unsigned n = values_at_once(x->args[i], budget);
        second = n > most ? most : n > second ? n : second;
        most = n > most ? n : most;
    }
    return most == 0 || second == most ? most + 1 : most;
}

/* The values of an operation's operands. Two lane values are held in registers: the operand that needs most of them is
 * computed first, so that few others are put away in the meantime. Those that may trap do so in their order. */
static void plan_operands(planner *p, const tirbi_lx *x, uint16_t v[3]) {
    enum { BUDGET = 24 };
    unsigned need[3] = {0}, computed = 0;
    for (int i = 0; i < x->n_args; i++) computed += x->args[i]->kind == TIRBI_LX_OP;
    for (int i = 0; i < x->n_args && computed > 1 && !x->traps; i++) {
        unsigned budget = BUDGET;
        need[i] = values_at_once(x->args[i], &budget);
    }
    for (int n = 0; n < x->n_args; n++) {
        int next = -1;
        for (int i = 0; i < x->n_args; i++) {
            if (v[i] == TIRBI_NO_VALUE && (next < 0 || need[i] > need[next])) next = i;
        }
        v[next] = tirbi_plan_value(p, x->args[next]);
        if (p->failed) return;
    }
}

static uint16_t plan_new_value(planner *p, const tirbi_lx *x) {
    const tirbi_lx *arms[3];
    tirbi_dtype type = (tirbi_dtype)x->type;
    if (x->pure && !x->traps && tirbi_plan_is_invariant(p, x)) return splat(p, type, x);
    switch (x->kind) {
    case TIRBI_LX_VAR: return variable(p, x);
    case TIRBI_LX_LOAD: return load(p, x->access, type, false);
    case TIRBI_LX_OP: {
        uint16_t v[3] = {TIRBI_NO_VALUE, TIRBI_NO_VALUE, TIRBI_NO_VALUE};
        if (x->op == TIRB_OP_BITS && tirbi_plan_is_copy(p, x->args[0])) {
            tirbi_dtype raw = raw_type(type);
            uint16_t bits = tirbi_plan_raw(p, x->args[0]);
            return raw == type ? bits : elementwise(p, TIRB_OP_BITS, type, raw, bits, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
        }
        if (is_narrow_counter(p, x)) return loop_counter(p, x->args[0], type);
        const tirbi_lx *bits = by_bits(p, x);
        if (bits) return tirbi_plan_value(p, bits);
        if (x->optype == TIRB_I64 && is_comparison(x)) {
            const tirbi_lx *a = tirbi_plan_in_32_bits(p, x->args[0]),
                           *b = a ? tirbi_plan_in_32_bits(p, x->args[1]) : NULL;
            if (b) {
                const uint16_t left = tirbi_plan_value(p, a), right = tirbi_plan_value(p, b);
                return elementwise(p, (tirbi_op)x->op, TIRB_I32, TIRB_TYPE_NONE, left, right, TIRBI_NO_VALUE);
            }
        }
        plan_operands(p, x, v);
        return elementwise(p, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, v[0], v[1], v[2]);
    }
    case TIRBI_LX_COND: {
        if (!settle_arms(p, x, arms)) return TIRBI_NO_VALUE;
        uint16_t c = tirbi_plan_value(p, arms[0]), a = tirbi_plan_value(p, arms[1]), b = tirbi_plan_value(p, arms[2]);
        return elementwise(p, TIRB_OP_SELECT, type, TIRB_TYPE_NONE, c, a, b);
    }
    case TIRBI_LX_AND:
    case TIRBI_LX_OR: {
        if (!settle_arms(p, x, arms)) return TIRBI_NO_VALUE;
        uint16_t a = tirbi_plan_value(p, arms[0]), b = tirbi_plan_value(p, arms[1]);
        return elementwise(p, x->kind == TIRBI_LX_AND ? TIRB_OP_AND : TIRB_OP_OR, TIRB_BOOL, TIRB_TYPE_NONE, a, b,
                           TIRBI_NO_VALUE);
    }
    default: return tirbi_plan_refuse(p, "it calls a function");
    }
}

/* Whether an expression of a loop of each lane's own is the same in all rounds: it has no variable of the body in
 * it. */
static bool is_same_in_rounds(planner *p, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return x->var->kind != TIRBI_LVAR_LOCAL && !tirbi_plan_find_var(p, x->var);
    if (x->kind != TIRBI_LX_OP && x->kind != TIRBI_LX_CONST) return false;
    for (int i = 0; i < x->n_args; i++) {
        if (!is_same_in_rounds(p, x->args[i])) return false;
    }
    return true;
}

/* Plans it before the outermost of these loops. */
static uint16_t plan_ahead(planner *p, const tirbi_lx *x) {
    tirbi_lane_plan *plan = p->plan;
    const uint32_t before = plan->n_ops, n_own = p->n_own;
    p->n_own = 0;
    p->ahead = true;
    p->ahead_values = p->n_values;
    uint16_t value = plan_new_value(p, x);
    p->ahead = false;
    p->n_own = n_own;
    if (p->failed) return TIRBI_NO_VALUE;
    const uint32_t n = plan->n_ops - before;
    tirbi_lane_op *ops = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_lane_op, n + 1);
    if (!ops) return fail(p);
    memcpy(ops, plan->ops + before, n * sizeof(*ops));
    memmove(plan->ops + p->own_start + n, plan->ops + p->own_start, (before - p->own_start) * sizeof(*ops));
    memcpy(plan->ops + p->own_start, ops, n * sizeof(*ops));
    tirbi_arena_give_back(p->pool->arena, ops, n + 1, sizeof(*ops));
    p->own_start += n;
    return value;
}

uint16_t tirbi_plan_value(planner *p, const tirbi_lx *x) {
    if (p->failed || !x) return fail(p);
    const tirbi_lx *var = tirbi_plan_uniform(p, x);
    if (var) x = var;
    bool bound = x->kind == TIRBI_LX_VAR && tirbi_plan_find_var(p, x->var) && !tirbi_plan_find_var(p, x->var)->raw;
    if (!x->pure || bound) return plan_new_value(p, x);
    uint16_t known = recall(p, x, 0, false);
    if (known != TIRBI_NO_VALUE) return known;
    bool ahead = p->n_own > 0 && x->kind == TIRBI_LX_OP && !x->traps && is_same_in_rounds(p, x);
    uint16_t value = ahead ? plan_ahead(p, x) : plan_new_value(p, x);
    if (!p->failed) remember(p, x, 0, false, value);
    return value;
}

/* ---- Copies of floats, whose NaNs keep their bits ---------------------------------------------------------------- */

/* Whether x is no NaN where the condition holds, for it compares x. */
static bool excludes_nan(const tirbi_lx *condition, const tirbi_lx *x) {
    if (condition->kind == TIRBI_LX_AND || (condition->kind == TIRBI_LX_OP && condition->op == TIRB_OP_AND))
        return excludes_nan(condition->args[0], x) || excludes_nan(condition->args[1], x);
    if (!is_comparison(condition) || condition->op == TIRB_OP_NE) return false;
    return tirbi_same_value(condition->args[0], x) || tirbi_same_value(condition->args[1], x);
}

static bool chooses_copy(planner *p, const tirbi_lx *x) {
    return (tirbi_plan_is_copy(p, x->args[1]) && !excludes_nan(x->args[0], x->args[1])) ||
           tirbi_plan_is_copy(p, x->args[2]);
}

bool tirbi_plan_is_copy(planner *p, const tirbi_lx *x) {
    if (!tirbi_dtype_is_float((tirbi_dtype)x->type)) return false;
    switch (x->kind) {
    case TIRBI_LX_LOAD: return true;
    case TIRBI_LX_VAR: {
        lane_var *v = tirbi_plan_find_var(p, x->var);
        return v ? v->raw : true; /* carried values are copied where the body has not set them yet */
    }
    case TIRBI_LX_COND: return chooses_copy(p, x);
    case TIRBI_LX_OP:
        if (x->op == TIRB_OP_SELECT) return chooses_copy(p, x);
        return tirbi_op_copies(x->op);
    default: return false;
    }
}

static uint16_t plan_raw_choice(planner *p, const tirbi_lx *x) {
    const tirbi_lx *arms[3] = {x->args[0], x->args[1], x->args[2]};
    if (x->kind == TIRBI_LX_COND && !settle_arms(p, x, arms)) return TIRBI_NO_VALUE;
    uint16_t c = tirbi_plan_value(p, arms[0]), a = tirbi_plan_raw(p, arms[1]), b = tirbi_plan_raw(p, arms[2]);
    return elementwise(p, TIRB_OP_SELECT, raw_type((tirbi_dtype)x->type), TIRB_TYPE_NONE, c, a, b);
}

uint16_t tirbi_plan_raw(planner *p, const tirbi_lx *x) {
    if (p->failed) return TIRBI_NO_VALUE;
    tirbi_dtype type = (tirbi_dtype)x->type, raw = raw_type(type);
    if (x->pure && !x->traps && x->kind != TIRBI_LX_CONST && tirbi_plan_is_invariant(p, x)) return splat(p, raw, x);
    switch (x->kind) {
    case TIRBI_LX_CONST: return splat(p, raw, x);
    case TIRBI_LX_LOAD: return load(p, x->access, raw, true);
    case TIRBI_LX_VAR: {
        lane_var *v = tirbi_plan_find_var(p, x->var);
        if (!v && tirbi_plan_is_carried(p, x->var)) v = tirbi_plan_carried_before(p, x->var);
        if (v && v->raw) return v->value;
        break;
    }
    case TIRBI_LX_COND: return plan_raw_choice(p, x);
    case TIRBI_LX_OP:
        if (x->op == TIRB_OP_SELECT) return plan_raw_choice(p, x);
        if (x->op == TIRB_OP_BITS) {
            tirbi_dtype from = (tirbi_dtype)x->source;
            uint16_t v = tirbi_dtype_is_float(from) ? tirbi_plan_raw(p, x->args[0]) : tirbi_plan_value(p, x->args[0]);
            if (tirbi_dtype_is_float(from) || from == raw) return v;
            return elementwise(p, TIRB_OP_BITS, raw, from, v, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
        }
        break;
    default: break;
    }
    uint16_t v = tirbi_plan_value(p, x);
    return elementwise(p, TIRB_OP_BITS, raw, type, v, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
}

/* ---- Stores and variables --------------------------------------------------------------------------------------- */

static bool remembered(const planner *p, uint16_t value) {
    for (uint32_t i = 0; i < p->n_memo; i++) {
        if (p->memo[i].value == value) return true;
    }
    for (uint32_t i = 0; i < p->n_vars; i++) {
        if (p->vars[i].value == value) return true;
    }
    return false;
}

/* Gives `to` the value: by the operation that made it where nothing else knows that, else by a move. */
static void move_to(planner *p, uint16_t to, uint16_t value, tirbi_dtype type, uint32_t n_before) {
    if (p->failed || to == value) return;
    tirbi_lane_op *last = p->plan->n_ops ? &p->plan->ops[p->plan->n_ops - 1] : NULL;
    if (last && last->to == value && value >= n_before && !remembered(p, value)) {
        last->to = to;
        return;
    }
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VMOV, type);
    o->to = to;
    o->from[0] = value;
}

static void plan_store(planner *p, const tirbi_place *place, const tirbi_lx *value) {
    tirbi_dtype type = place->buffer->type;
    if (!value || value->type != type) {
        fail(p);
        return;
    }
    for (uint32_t i = p->n_promoted; i-- > 0;) {
        if (!tirbi_same_place(p->promoted[i].place, place)) continue;
        uint32_t before = p->n_values;
        bool bits = p->promoted[i].raw;
        uint16_t v = bits ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
        move_to(p, p->promoted[i].value, v, bits ? raw_type(type) : type, before);
        return;
    }
    if (p->sequences && ((p->n_own > 0 && !tirbi_plan_is_proven(place)) || !tirbi_plan_moves_alike(p, place))) {
        tirbi_plan_scatter(p, place, value);
        return;
    }
    bool raw = tirbi_plan_is_copy(p, value);
    tirbi_dtype as = raw ? raw_type(type) : type;
    uint16_t v = raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
    uint8_t cursor = tirbi_plan_cursor(p, place, as, true);
    if (p->failed) return;
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VSTORE, as);
    o->cursor = cursor;
    o->from[0] = v;
    forget_loads(p, place->buffer->root);
    if (!is_assigned(p, v)) remember(p, NULL, cursor, false, v); /* else it may be another one at the next load */
}

bool tirbi_plan_add_var(planner *p, lane_var var) {
    if (p->n_vars == MAX_VARS) {
        tirbi_plan_refuse(p, "its body has more than %d variables", MAX_VARS);
        return false;
    }
    p->vars[p->n_vars++] = var;
    return true;
}

typedef struct copy_of {
    planner *p;
    const tirbi_lvar *var;
} copy_of;

static bool sets_copy(const void *context, const tirbi_ls *s) {
    const copy_of *c = context;
    return s->kind == TIRBI_LS_SET && s->as.set.var == c->var && tirbi_plan_is_copy(c->p, s->as.set.value);
}

static void plan_set(planner *p, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    lane_var *known = tirbi_plan_find_var(p, var);
    if (!value) {
        fail(p);
        return;
    }
    if (tirbi_plan_is_carried(p, var)) {
        if (!known) tirbi_plan_carry(p, var, value, NULL);
        if (!known || tirbi_plan_is_done(p, var)) return;
    }
    if (!known && !declares) { /* a variable from outside would carry a value from lane to lane */
        tirbi_plan_refuse(p, "%s is carried from one iteration to the next", var->name);
        return;
    }
    if (!known && var->kind == TIRBI_LVAR_LOOP && value->kind == TIRBI_LX_VAR && tirbi_plan_is_done(p, value->var)) {
        uint16_t same = tirbi_plan_value(p, value); /* another name, for neither is set again */
        if (!p->failed) tirbi_plan_add_var(p, (lane_var){.var = var, .value = same});
        return;
    }
    if (!known) {
        bool raw = tirbi_dtype_is_float(var->type) && tirbi_any_stmt(p->body, sets_copy, &(copy_of){p, var}) &&
                   tirbi_plan_shows_bits(p->body, var);
        uint16_t fresh = tirbi_plan_new_value(p);
        uint32_t before = p->n_values;
        uint16_t v = raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
        move_to(p, fresh, v, raw ? raw_type(var->type) : var->type, before);
        tirbi_plan_add_var(p, (lane_var){.var = var, .value = fresh, .raw = raw});
        return;
    }
    uint32_t before = p->n_values;
    uint16_t v = known->raw ? tirbi_plan_raw(p, value) : tirbi_plan_value(p, value);
    move_to(p, known->value, v, known->raw ? raw_type(var->type) : var->type, before);
}

static const tirbi_lx *as_variable(planner *p, const tirbi_lx *condition) {
    if (condition->pure) return condition;
    tirbi_lvar *var = TIRBI_NEW(p->pool->arena, tirbi_lvar);
    if (!var) {
        fail(p);
        return NULL;
    }
    *var = (tirbi_lvar){.name = "condition", .kind = TIRBI_LVAR_LET, .type = TIRB_BOOL, .hi = 1};
    plan_set(p, var, condition, true);
    return tirbi_lx_var(p->pool, var);
}

/* A condition is evaluated once: what the stores behind it change does not change it. */
static const tirbi_lx *keep_condition(planner *p, const tirbi_lx *condition) {
    if (!condition || (condition->traps && !p->sequences)) {
        tirbi_plan_refuse(p, "a condition in it may fail, as an index or a division can");
        return NULL;
    }
    return as_variable(p, condition);
}

static void plan_loop(planner *p, const tirbi_ls *loop, const tirbi_ls *hoisted);
static void leave_unless(planner *p, const tirbi_lx *condition);

static const tirbi_lx *negated(planner *p, const tirbi_lx *condition) { return tirbi_lx_not(p->pool, condition); }

/* A loop of so many iterations may run for all lanes though only some come to it. */
enum { SHORT_LOOP = 8 };

/* A conditional store writes what was there where the condition does not hold; the place must be proven. */
static void plan_guarded(planner *p, const tirbi_ls *s, const tirbi_lx *condition) {
    if (p->failed) return;
    p->span = s->span;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) plan_guarded(p, s->as.seq.items[i], condition);
        return;
    case TIRBI_LS_STORE: {
        const tirbi_lx *old = tirbi_lx_load(p->pool, s->as.store.access), *value = s->as.store.value;
        if (!old || old->traps || (value->traps && !p->sequences)) break;
        plan_store(p, s->as.store.access, tirbi_lx_lazy(p->pool, TIRBI_LX_COND, condition, value, old));
        return;
    }
    case TIRBI_LS_SET:
        if (s->as.set.value->traps && !p->sequences) break;
        if (s->as.set.declares) { /* what the other lanes have for it is not looked at */
            const tirbi_lx *value = s->as.set.value;
            const tirbi_lx *none = value->traps ? tirbi_lx_bits(p->pool, (tirbi_dtype)value->type, 0) : NULL;
            if (none) value = tirbi_lx_lazy(p->pool, TIRBI_LX_COND, condition, value, none);
            plan_set(p, s->as.set.var, value, true);
            return;
        }
        if (!tirbi_plan_find_var(p, s->as.set.var)) {
            if (s->as.set.value->traps || !tirbi_plan_is_carried(p, s->as.set.var)) break;
            tirbi_plan_carry(p, s->as.set.var, s->as.set.value, condition);
            return;
        }
        plan_set(p, s->as.set.var,
                 tirbi_lx_lazy(p->pool, TIRBI_LX_COND, condition, s->as.set.value,
                               tirbi_lx_var(p->pool, s->as.set.var)),
                 false);
        return;
    case TIRBI_LS_IF: {
        const tirbi_lx *own = s->as.if_.condition;
        if (own->traps && p->sequences) own = guard(p, condition, own);
        own = keep_condition(p, own);
        if (!own) return;
        plan_guarded(p, s->as.if_.then_case, tirbi_lx_lazy(p->pool, TIRBI_LX_AND, condition, own, NULL));
        if (s->as.if_.else_case) {
            own = negated(p, own);
            plan_guarded(p, s->as.if_.else_case, tirbi_lx_lazy(p->pool, TIRBI_LX_AND, condition, own, NULL));
        }
        return;
    }
    case TIRBI_LS_LOOP: { /* each of its rounds asks for the condition */
        tirbi_ls *inside = tirbi_new_stmt(p->pool, TIRBI_LS_IF, s->span), *loop = TIRBI_NEW(p->pool->arena, tirbi_ls);
        if (!tirbi_has_plain_bounds(s->as.loop.var) || s->as.loop.var->extent->hi > SHORT_LOOP) break;
        if (!inside || !loop) {
            fail(p);
            return;
        }
        inside->as.if_.condition = condition;
        inside->as.if_.then_case = s->as.loop.body;
        *loop = *s;
        loop->as.loop.body = inside;
        plan_loop(p, loop, NULL);
        return;
    }
    case TIRBI_LS_BREAK: /* of the loop of a lane's own around it */
        if (p->n_own == 0) break;
        leave_unless(p, negated(p, condition));
        return;
    default: break;
    }
    tirbi_plan_refuse(p, "%s", s->kind == TIRBI_LS_LOOP ? "a loop in it runs in some iterations only" : lazy_arm);
}

/* What a statement stores to a place, where that is all that it does, whatever its conditions are; NULL where it does
 * something else. */
static const tirbi_lx *stored_value(planner *p, const tirbi_ls *s, const tirbi_place *place) {
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
    if (s->kind == TIRBI_LS_STORE)
        return tirbi_same_place(s->as.store.access, place) ? s->as.store.value : NULL;
    if (s->kind != TIRBI_LS_IF || s->as.if_.first_of || !s->as.if_.else_case) return NULL;
    const tirbi_lx *yes = stored_value(p, s->as.if_.then_case, place),
                   *no = yes ? stored_value(p, s->as.if_.else_case, place) : NULL;
    return no ? tirbi_lx_lazy(p->pool, TIRBI_LX_COND, s->as.if_.condition, yes, no) : NULL;
}

/* A place that one branch or the other stores to, and nothing else: one store of what is chosen. */
static bool plan_choice(planner *p, const tirbi_ls *s) {
    const tirbi_ls *first = s;
    while ((first->kind == TIRBI_LS_SEQ && first->as.seq.n == 1) || first->kind == TIRBI_LS_IF)
        first = first->kind == TIRBI_LS_IF ? first->as.if_.then_case : first->as.seq.items[0];
    const tirbi_place *place = first->kind == TIRBI_LS_STORE ? first->as.store.access : NULL;
    const tirbi_lx *value = place ? stored_value(p, s, place) : NULL;
    if (!value || value->traps) return false;
    plan_store(p, place, value);
    return true;
}

static void plan_if(planner *p, const tirbi_ls *s) {
    if (plan_choice(p, s)) return;
    const tirbi_lx *condition = keep_condition(p, s->as.if_.condition);
    if (!condition) return;
    plan_guarded(p, s->as.if_.then_case, condition);
    if (!s->as.if_.else_case) return;
    plan_guarded(p, s->as.if_.else_case, negated(p, condition));
}

/* ---- Inner loops ---------------------------------------------------------------------------------------------- */

/* Whether the body has stored to an element what a load of it would give here. */
static bool was_stored(planner *p, const tirbi_place *place) {
    for (uint32_t i = p->plan->n_ops; i-- > 0;) {
        const tirbi_lane_op *o = &p->plan->ops[i];
        if (o->op == TIRB_OP_INNER || o->op == TIRB_OP_INNER_END) return false;
        if (o->op != TIRB_OP_VSTORE || !tirbi_same_place(p->plan->cursors[o->cursor].place, place)) continue;
        return recall(p, NULL, o->cursor, false) == o->from[0] && place->buffer->type == o->type;
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
        for (uint32_t j = 0; j < p->n_promoted; j++)
            known = known || tirbi_same_place(p->promoted[j].place, places[i]);
        unsigned copied = 0;
        if (known || p->n_promoted == MAX_PROMOTED || !tirbi_plan_stands_still(places[i], loop) ||
            !tirbi_plan_only_this(p, loop, places[i], &p->plan->loops, &copied)) {
            continue;
        }
        const bool raw = copied != 0 && !(copied == TIRBI_STAYS && was_stored(p, places[i]));
        /* Where the loop may not run at all, what is put back must be what was there. */
        if (!sure && !raw && tirbi_dtype_is_float(places[i]->buffer->type) && !was_stored(p, places[i])) continue;
        tirbi_dtype type = raw ? raw_type(places[i]->buffer->type) : places[i]->buffer->type;
        uint16_t start = load(p, places[i], type, raw);
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
        tirbi_dtype type = done.raw ? raw_type(done.place->buffer->type) : done.place->buffer->type;
        uint8_t cursor = tirbi_plan_cursor(p, done.place, type, true);
        if (p->failed) return;
        tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VSTORE, type);
        o->cursor = cursor;
        o->from[0] = done.value;
        forget_loads(p, done.place->buffer->root);
    }
}

static void plan_inner_body(planner *p, const tirbi_ls *body, const tirbi_ls *init) {
    if (body->kind != TIRBI_LS_SEQ || !init) {
        if (body != init) plan_stmt(p, body);
        return;
    }
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        if (body->as.seq.items[i] != init) plan_stmt(p, body->as.seq.items[i]);
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
    forget_loads(p, NULL);
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
    forget_loads(p, NULL);
}

/* Lanes leave where a condition is false. The second one of two is only evaluated where the first holds, if that
 * matters. */
static void leave_unless(planner *p, const tirbi_lx *condition) {
    if (condition->kind == TIRBI_LX_AND && condition->args[1]->traps) {
        leave_unless(p, condition->args[0]);
        leave_unless(p, condition->args[1]);
        return;
    }
    uint16_t truth = tirbi_plan_value(p, condition);
    if (p->failed) return;
    tirbi_plan_op(p, TIRB_OP_VWHILE, TIRB_BOOL)->from[0] = truth;
}

static void plan_while(planner *p, const tirbi_ls *s) {
    if (!p->sequences) {
        tirbi_plan_refuse(p, "there is a while loop in it");
        return;
    }
    if (tirbi_plan_advance(p, s)) return;
    own_loop outside = open_own(p);
    if (p->failed) return;
    leave_unless(p, s->as.while_.condition);
    plan_stmt(p, s->as.while_.body);
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

/* An element that a loop of a lane's own updates in each iteration, in a lane value meanwhile. */
typedef struct own_element {
    const tirbi_place *place;
    uint16_t bits, value; /* what it is before, as it is; what it is in the loop */
} own_element;

static uint32_t keep_elements(planner *p, const tirbi_ls *loop, own_element *out) {
    const tirbi_ls *body = loop->as.loop.body;
    uint32_t n = 0, n_items = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    for (uint32_t i = 0; i < n_items && !p->failed; i++) {
        const tirbi_ls *s = body->kind == TIRBI_LS_SEQ ? body->as.seq.items[i] : body;
        if (s->kind != TIRBI_LS_STORE || p->n_promoted == MAX_PROMOTED) continue;
        const tirbi_place *place = s->as.store.access;
        unsigned copied = 0;
        bool known = false;
        for (uint32_t j = 0; j < p->n_promoted; j++)
            known = known || tirbi_same_place(p->promoted[j].place, place);
        if (known || !tirbi_plan_is_proven(place) || !tirbi_plan_moves_alike(p, place) ||
            !tirbi_plan_stands_still(place, loop) || tirbi_plan_depends_on_body(p, place->flat) ||
            !tirbi_plan_only_this(p, loop, place, &p->plan->loops, &copied) || copied) {
            continue;
        }
        tirbi_dtype type = place->buffer->type;
        bool is_float = tirbi_dtype_is_float(type);
        own_element e = {.place = place, .bits = load(p, place, is_float ? raw_type(type) : type, is_float)};
        uint16_t start =
            is_float ? elementwise(p, TIRB_OP_BITS, type, raw_type(type), e.bits, TIRBI_NO_VALUE, TIRBI_NO_VALUE)
                     : e.bits;
        e.value = begin_value(p, type, start);
        if (p->failed) return n;
        p->promoted[p->n_promoted++] = (promotion){.place = place, .value = e.value};
        out[n++] = e;
    }
    return n;
}

/* Where the loop has not run, what is put back are the bits that were there. */
static void put_elements_back(planner *p, const own_element *elements, uint32_t n, uint16_t ran) {
    for (; n > 0 && !p->failed; n--) {
        const own_element *e = &elements[n - 1];
        p->n_promoted--;
        tirbi_dtype type = e->place->buffer->type, as = type;
        uint16_t value = e->value;
        if (tirbi_dtype_is_float(type)) {
            as = raw_type(type);
            value = elementwise(p, TIRB_OP_BITS, as, type, value, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
            value = elementwise(p, TIRB_OP_SELECT, as, TIRB_TYPE_NONE, ran, value, e->bits);
        }
        uint8_t cursor = tirbi_plan_cursor(p, e->place, as, true);
        if (p->failed) return;
        tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VSTORE, as);
        o->cursor = cursor;
        o->from[0] = value;
        forget_loads(p, e->place->buffer->root);
    }
}

/* A loop that runs as often as each lane says: its rounds are counted, and so is its variable where that is another
 * number. */
static void plan_own_loop(planner *p, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *extent = tirbi_plan_narrow(var->extent);
    if (extent->kind == TIRBI_LX_CONST && extent->value <= INT32_MAX)
        extent = tirbi_lx_int(p->pool, TIRB_I32, extent->value > 0 ? extent->value : 0);
    tirbi_dtype type = (tirbi_dtype)var->type, counts = (tirbi_dtype)extent->type;
    own_element elements[MAX_PROMOTED];
    if (loop->as.loop.step) {
        tirbi_plan_refuse(p, "the loop over %s in it does not run alike in all iterations", var->name);
        return;
    }
    uint16_t n = tirbi_plan_value(p, extent), first = tirbi_plan_value(p, tirbi_lx_cast(p->pool, type, var->min));
    uint16_t zero = splat(p, counts, tirbi_lx_int(p->pool, counts, 0)),
             one = splat(p, counts, tirbi_lx_int(p->pool, counts, 1));
    bool both = type == counts && tirbi_lx_is_int(var->min, 0);
    uint16_t step = both ? one : splat(p, type, tirbi_lx_int(p->pool, type, 1));
    uint16_t round = begin_value(p, counts, zero), counter = both ? round : begin_value(p, type, first);
    uint16_t ran = elementwise(p, TIRB_OP_LT, counts, TIRB_TYPE_NONE, zero, n, TIRBI_NO_VALUE);
    uint32_t n_elements = p->failed ? 0 : keep_elements(p, loop, elements);
    own_loop outside = open_own(p);
    if (p->failed) return;
    uint16_t more = tirbi_plan_new_value(p);
    tirbi_lane_op *test = tirbi_plan_op(p, TIRB_OP_VLT, counts);
    test->to = more;
    test->from[0] = round;
    test->from[1] = n;
    tirbi_plan_op(p, TIRB_OP_VWHILE, TIRB_BOOL)->from[0] = more;
    if (!tirbi_plan_add_var(p, (lane_var){.var = var, .value = counter})) return;
    plan_stmt(p, loop->as.loop.body);
    if (p->failed) return;
    count_on(p, counts, round, one);
    if (!both) count_on(p, type, counter, step);
    close_own(p, outside);
    put_elements_back(p, elements, n_elements, ran);
}

/* Whether a variable of x is set, which does not begin there. */
static bool carries(const void *x, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && !s->as.set.declares && tirbi_lx_depends_on(x, s->as.set.var);
}

/* Whether where an iteration leaves a loop does not depend on what others have computed: a search finds it sooner than
 * lanes that go from element to element each. */
static bool finds_its_end(const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.loop.body;
    for (uint32_t i = 0; body->kind == TIRBI_LS_SEQ && i < body->as.seq.n; i++) {
        const tirbi_ls *s = body->as.seq.items[i];
        const bool leaves = s->kind == TIRBI_LS_IF && tirbi_leaves_loop(s);
        const bool names = s->kind == TIRBI_LS_SET && s->as.set.declares;
        if ((leaves && tirbi_any_stmt(body, carries, s->as.if_.condition)) ||
            (names && tirbi_any_stmt(body, carries, s->as.set.value)))
            return false;
    }
    return true;
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
    const tirbi_ls *body = tirbi_resolve(p->pool, &none, loop->as.loop.body, var, value, NULL, true);
    plan->single[plan->n_single++] = var;
    if (body) plan_stmt(p, body);
    else fail(p);
    return true;
}

static void plan_loop(planner *p, const tirbi_ls *loop, const tirbi_ls *hoisted) {
    tirbi_lane_plan *plan = p->plan;
    tirbi_lvar *var = loop->as.loop.var;
    if (!hoisted && plan_single(p, loop)) return;
    bool regular = !loop->as.loop.step && tirbi_has_plain_bounds(var) && tirbi_plan_is_invariant(p, var->min) &&
                   tirbi_plan_is_invariant(p, var->extent);
    uint32_t index = plan->loops.n - 1;
    const bool leaves = tirbi_leaves_loop(loop->as.loop.body);
    if (leaves && finds_its_end(loop)) {
        tirbi_plan_refuse(p, "an iteration may leave the loop over %s in it", var->name);
        return;
    }
    if (p->n_own > 0 || (leaves && p->sequences)) {
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
    const tirbi_ls *init = hoisted;
    if (!init) {
        init = tirbi_plan_hoistable_init(loop);
        if (init && !tirbi_plan_runs(p, var)) init = NULL;
        for (const tirbi_ls *s = loop; init && s->kind == TIRBI_LS_LOOP; s = s->as.loop.body) {
            if (!tirbi_plan_runs(p, s->as.loop.var)) init = NULL;
        }
        if (init) plan_stmt(p, init->as.if_.then_case);
    }
    uint32_t promoted = promote(p, loop);
    forget_loads(p, NULL);
    uint32_t memo = p->n_memo, vars = p->n_vars;
    plan->loops.var[plan->loops.n++] = var;
    tirbi_plan_op(p, TIRB_OP_INNER, TIRB_TYPE_NONE)->loop = (uint8_t)index;
    p->path[p->n_path++] = (uint8_t)index;
    const tirbi_ls *body = loop->as.loop.body;
    if (body->kind == TIRBI_LS_LOOP) plan_loop(p, body, init);
    else plan_inner_body(p, body, init);
    p->n_path--;
    tirbi_plan_op(p, TIRB_OP_INNER_END, TIRB_TYPE_NONE)->loop = (uint8_t)index;
    p->n_memo = memo < p->n_memo ? memo : p->n_memo;
    p->n_vars = vars;
    forget_loads(p, NULL);
    demote(p, promoted);
}

static void plan_stmt(planner *p, const tirbi_ls *s) {
    if (p->failed) return;
    p->span = s->span;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) plan_stmt(p, s->as.seq.items[i]);
        return;
    case TIRBI_LS_STORE: plan_store(p, s->as.store.access, s->as.store.value); return;
    case TIRBI_LS_SET: plan_set(p, s->as.set.var, s->as.set.value, s->as.set.declares); return;
    case TIRBI_LS_LOOP: plan_loop(p, s, NULL); return;
    case TIRBI_LS_IF: plan_if(p, s); return;
    case TIRBI_LS_WHILE: plan_while(p, s); return;
    case TIRBI_LS_ALLOC: tirbi_plan_refuse(p, "%s is allocated in it", s->as.alloc.buffer->name); return;
    case TIRBI_LS_TREE: tirbi_plan_refuse(p, "there is a tree reduction in it"); return;
    case TIRBI_LS_EVAL: tirbi_plan_refuse(p, "it calls a function"); return;
    case TIRBI_LS_ASSERT: tirbi_plan_refuse(p, "there is an assertion in it"); return;
    default: tirbi_plan_refuse(p, "an iteration may leave it"); return;
    }
}

/* ---- Whole plans ---------------------------------------------------------------------------------------------- */

/* Fewer lanes than this are faster one by one, but where they are short rows of the loops inside. */
enum { LEAST_LANES = 4 };

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
    if (loop->as.loop.step) tirbi_plan_refuse(p, "its step is not 1");
    else if (!may_be_lanes(loop)) refuse_few(p);
    else if (!tirbi_has_plain_bounds(loop->as.loop.var))
        tirbi_plan_refuse(p, "its bounds depend on memory, or computing them may fail");
    tirbi_plan_find_written(p, p->body);
    if (p->sequences) tirbi_plan_find_carried(p, p->body);
    plan->whole_nest = is_whole_nest(p->body);
    plan_stmt(p, p->body);
    if (p->failed) return false;
    if (plan->n_ops == 0) tirbi_plan_refuse(p, "it does nothing");
    else if (!tirbi_plan_writes_well(p->pool, plan, p->body)) tirbi_plan_refuse(p, "it would scatter what it writes");
    else if (plan->n_rows > 0 && !tirbi_plan_rows_fit(p))
        tirbi_plan_refuse(p, "rows that it reaches by number may meet others");
    else if (!tirbi_narrow_lanes(plan, p->n_values, p->pool->arena)) fail(p);
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
    const bool fails_alike = tirbi_fails_alike(loop);
    for (int in_memory = 0; !plan && in_memory <= by_number; in_memory++) {
        planner *p = tirbi_new_planner(pool, loop->as.loop.var);
        if (!p) return NULL;
        p->sequences = sequences;
        p->in_memory = in_memory != 0;
        p->fails_alike = fails_alike;
        const bool planned = plan_lanes(p, loop);
        by_number = !sequences && p->plan->n_rows > 0 && p->plan->whole_nest;
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
