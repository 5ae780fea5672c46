/* Lane values: what an expression of a lane loop's body becomes, once in an iteration. */
#include <string.h>

#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/lanes/guard.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/statements.h"

/* ---- Operations ----------------------------------------------------------------------------------------------- */

uint16_t tirbi_plan_new_value(planner *p) {
    if (p->n_values == MAX_VALUES) return tirbi_plan_refuse(p, "its body has more than %d values", MAX_VALUES);
    return (uint16_t)p->n_values++;
}

tirbi_lane_op *tirbi_plan_op(planner *p, unsigned op, tirbi_dtype type) {
    tirbi_lane_plan *plan = p->plan;
    if (!tirbi_arena_work(p->pool->arena, 1)) tirbi_plan_fail(p);
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
    *o = (tirbi_lane_op){.op = (uint8_t)op,
                         .type = (uint8_t)type,
                         .source = TIRB_TYPE_NONE,
                         .to = TIRBI_NO_VALUE,
                         .from = {TIRBI_NO_VALUE, TIRBI_NO_VALUE, TIRBI_NO_VALUE},
                         .loop = 0xFF,
                         .span = p->span};
    return o;
}

bool tirbi_plan_is_assigned(const planner *p, uint16_t value) {
    for (uint32_t i = 0; i < p->n_vars; i++) {
        if (p->vars[i].value == value && p->vars[i].var->kind != TIRBI_LVAR_LET) return true;
    }
    for (uint32_t i = 0; i < p->n_promoted; i++) {
        if (p->promoted[i].value == value) return true;
    }
    return false;
}

const tirbi_lane_op *tirbi_plan_find_same(const planner *p, const tirbi_lane_op *wanted) {
    enum { FAR = 256 };
    const tirbi_lane_plan *plan = p->plan;
    if (p->ahead) return NULL;
    for (uint32_t i = plan->n_ops, left = FAR; i-- > 0 && left > 0; left--) {
        const tirbi_lane_op *o = &plan->ops[i];
        bool edge =
            o->op == TIRB_OP_INNER || o->op == TIRB_OP_INNER_END || o->op == TIRB_OP_VLOOP || o->op == TIRB_OP_VAGAIN;
        if (edge) break;
        bool same = o->op == wanted->op && o->type == wanted->type && o->source == wanted->source &&
                    memcmp(o->from, wanted->from, sizeof(o->from)) == 0 && o->cursor == wanted->cursor &&
                    o->scalar == wanted->scalar && o->fold == wanted->fold;
        if (same && (o->to == TIRBI_NO_VALUE || !tirbi_plan_is_assigned(p, o->to))) return o;
        for (int k = 0; k < 3; k++) {
            if (o->to != TIRBI_NO_VALUE && o->to == wanted->from[k]) return NULL;
        }
    }
    return NULL;
}

uint16_t tirbi_plan_elementwise(planner *p, tirbi_op op, tirbi_dtype type, tirbi_dtype source, uint16_t a, uint16_t b,
                                uint16_t c) {
    if (p->failed) return TIRBI_NO_VALUE;
    const tirbi_lane_op wanted = {
        .op = (uint8_t)(op + TIRB_OP_LANE_FORM), .type = (uint8_t)type, .source = (uint8_t)source, .from = {a, b, c}};
    const tirbi_lane_op *known = tirbi_plan_find_same(p, &wanted);
    if (known) return known->to;
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

uint16_t tirbi_plan_splat(planner *p, tirbi_dtype type, const tirbi_lx *scalar) {
    uint16_t to = tirbi_plan_new_value(p);
    tirbi_lane_op *o = op_before_own(p, TIRB_OP_VSPLAT, type);
    o->to = to;
    o->scalar = scalar;
    return to;
}

tirbi_dtype tirbi_plan_raw_type(tirbi_dtype type) {
    switch (tirbi_dtypes[type].size) {
    case 2:
        return TIRB_U16;
    case 4:
        return TIRB_U32;
    default:
        return TIRB_U64;
    }
}

/* ---- Remembered values ------------------------------------------------------------------------------------------ */

void tirbi_plan_remember(planner *p, const tirbi_lx *x, uint8_t cursor, bool raw, uint16_t value) {
    if (value == TIRBI_NO_VALUE || p->n_memo == MEMO_SIZE) return;
    p->memo[p->n_memo++] = (lane_memo){.x = x, .cursor = cursor, .raw = raw, .value = value};
}

uint16_t tirbi_plan_recall(const planner *p, const tirbi_lx *x, uint8_t cursor, bool raw) {
    for (uint32_t i = p->n_memo; i-- > 0;) {
        const lane_memo *m = &p->memo[i];
        bool known = !p->ahead || m->value < p->own_values || m->value >= p->ahead_values;
        if (known && m->x == x && m->raw == raw && (x || m->cursor == cursor)) return m->value;
    }
    return TIRBI_NO_VALUE;
}

void tirbi_plan_forget_loads(planner *p, const tirbi_lbuf *root) {
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

uint16_t tirbi_plan_load(planner *p, const tirbi_place *place, tirbi_dtype type, bool raw) {
    const promotion *kept = tirbi_plan_promoted(p, place);
    if (p->failed) return TIRBI_NO_VALUE;
    if (kept) {
        if (kept->raw == raw) return kept->value;
        if (raw) return tirbi_plan_refuse(p, "%s is copied while it is updated", place->buffer->name);
        return tirbi_plan_elementwise(p, TIRB_OP_BITS, type, tirbi_plan_raw_type(type), kept->value, TIRBI_NO_VALUE,
                                      TIRBI_NO_VALUE);
    }
    /* What only some lanes access is checked there, not before the loop. */
    bool alone = p->n_own > 0 && !tirbi_plan_is_proven(place);
    if (p->sequences && (alone || !tirbi_plan_moves_alike(p, place))) return tirbi_plan_gather(p, place, type);
    uint8_t cursor = tirbi_plan_cursor(p, place, type, false);
    if (p->failed) return TIRBI_NO_VALUE;
    uint16_t known = tirbi_plan_recall(p, NULL, cursor, false);
    if (known != TIRBI_NO_VALUE) return known;
    uint16_t to = tirbi_plan_new_value(p);
    tirbi_lane_op *o = tirbi_plan_op(p, TIRB_OP_VLOAD, type);
    o->to = to;
    o->cursor = cursor;
    tirbi_plan_remember(p, NULL, cursor, false, to);
    return to;
}

static uint16_t loop_counter(planner *p, const tirbi_lx *x, tirbi_dtype type) {
    const tirbi_loop_set *loops = &p->plan->loops;
    uint32_t i = 0;
    while (i < loops->n && loops->var[i] != x->var) i++;
    if (i == loops->n) return tirbi_plan_fail(p);
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
    return tirbi_plan_elementwise(p, TIRB_OP_ADD, type, TIRB_TYPE_NONE, to,
                                  tirbi_plan_splat(p, type, tirbi_lx_cast(p->pool, type, x->var->min)), TIRBI_NO_VALUE);
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
                                                        : tirbi_plan_splat(p, (tirbi_dtype)x->type, x);
    }
    if (!v->raw) return v->value;
    tirbi_dtype type = (tirbi_dtype)x->type;
    return tirbi_plan_elementwise(p, TIRB_OP_BITS, type, tirbi_plan_raw_type(type), v->value, TIRBI_NO_VALUE,
                                  TIRBI_NO_VALUE);
}

bool tirbi_plan_is_invariant(planner *p, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return !tirbi_plan_find_var(p, x->var) && !tirbi_mentions_loops(x, &p->plan->loops);
    for (int i = 0; i < x->n_args; i++) {
        if (!tirbi_plan_is_invariant(p, x->args[i])) return false;
    }
    return true;
}

const char tirbi_plan_lazy_arm[] = "what only some iterations compute may fail, as an index or a division can";

static const tirbi_place *checked(const void *context, const tirbi_place *place) {
    return tirbi_plan_checked(context, place);
}

const tirbi_lx *tirbi_plan_guard(planner *p, const tirbi_lx *condition, const tirbi_lx *x) {
    tirbi_loop_set open = {.var = {p->plan->loops.var[0]}, .n = 1};
    for (uint32_t i = 0; i < p->n_path && open.n < TIRBI_MAX_AFFINE; i++)
        open.var[open.n++] = p->plan->loops.var[p->path[i] + 1];
    return tirbi_guard(p->pool, &open, condition, x, checked, p);
}

/* The condition of a lazy expression and what it chooses from; those that may fail are guarded, so that all lanes may
 * compute them. False where that cannot be. */
static bool settle_arms(planner *p, const tirbi_lx *x, const tirbi_lx *arms[3]) {
    for (int i = 0; i < 3; i++) arms[i] = i < x->n_args ? x->args[i] : NULL;
    if (!arms[1]->traps && (!arms[2] || !arms[2]->traps)) return true;
    arms[0] = p->sequences ? tirbi_plan_as_variable(p, arms[0]) : NULL;
    for (int i = 1; arms[0] && i < x->n_args; i++) {
        if (!arms[i]->traps) continue;
        bool first = x->kind == TIRBI_LX_COND ? i == 1 : x->kind == TIRBI_LX_AND;
        const tirbi_lx *holds = first ? arms[0] : tirbi_lx_not(p->pool, arms[0]);
        arms[i] = holds ? tirbi_plan_guard(p, holds, arms[i]) : NULL;
        if (!arms[i]) break;
    }
    if (arms[0] && arms[1] && (x->n_args < 3 || arms[2])) return !p->failed;
    tirbi_plan_refuse(p, "%s", tirbi_plan_lazy_arm);
    return false;
}

/* An expression that may be used twice. */
static const tirbi_lx *used_twice(planner *p, const tirbi_lx *x) {
    if (x->pure) return x;
    tirbi_lvar *var = tirbi_variable_for(p->pool, TIRBI_LVAR_LET, "dividend", x, (tirbi_span){0});
    if (!var) return NULL;
    tirbi_plan_set(p, var, x, true);
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
        const tirbi_lx *sign = tirbi_lx_binary(pool, TIRB_OP_SHR, type, n, last);
        missing = sign ? tirbi_floor_by_bits(pool, sign, by->value, true) : NULL;
        n = tirbi_lx_binary(pool, TIRB_OP_ADD, type, n, missing);
    }
    if (n) n = tirbi_floor_by_bits(pool, n, by->value, !divides);
    return n && missing && !divides ? tirbi_lx_binary(pool, TIRB_OP_SUB, type, n, missing) : n;
}

static bool is_comparison(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->op >= TIRB_OP_EQ && x->op <= TIRB_OP_GE;
}

static bool is_computed(const tirbi_lx *x) { return x->kind == TIRBI_LX_OP || x->kind == TIRBI_LX_COND; }

/* How many values of an expression are computed and not used yet, at most, when operands that need more come first:
 * what is loaded or splat costs nothing. A large expression counts for its first parts. */
static unsigned values_at_once(const tirbi_lx *x, unsigned *budget) {
    if (!is_computed(x) || *budget == 0) return 0;
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
 * computed first, so that few others are put away in the meantime, and truths behind what they choose from, for these
 * alone can be chosen where they were put. Those that may trap do so in their order. `raw`: choices are by bits. */
static void plan_operands(planner *p, const tirbi_lx *x, const tirbi_lx *const *args, bool raw, uint16_t v[3]) {
    enum { BUDGET = 24 };
    unsigned need[3] = {0}, computed = 0;
    for (int i = 0; i < x->n_args; i++) computed += is_computed(args[i]);
    for (int i = 0; i < x->n_args && computed > 1 && !x->traps; i++) {
        unsigned budget = BUDGET;
        need[i] = values_at_once(args[i], &budget);
    }
    for (int n = 0; n < x->n_args; n++) {
        int next = -1;
        for (int k = 0; k < x->n_args; k++) {
            const int i = tirbi_is_choice(x) && !x->traps ? (k + 1) % 3 : k;
            if (v[i] == TIRBI_NO_VALUE && (next < 0 || need[i] > need[next])) next = i;
        }
        v[next] = raw && next > 0 ? tirbi_plan_raw(p, args[next]) : tirbi_plan_value(p, args[next]);
        if (p->failed) return;
    }
}

static uint16_t plan_new_value(planner *p, const tirbi_lx *x) {
    const tirbi_lx *arms[3];
    uint16_t v[3] = {TIRBI_NO_VALUE, TIRBI_NO_VALUE, TIRBI_NO_VALUE};
    tirbi_dtype type = (tirbi_dtype)x->type;
    if (x->pure && !x->traps && tirbi_plan_is_invariant(p, x)) return tirbi_plan_splat(p, type, x);
    switch (x->kind) {
    case TIRBI_LX_VAR:
        return variable(p, x);
    case TIRBI_LX_LOAD:
        return tirbi_plan_load(p, x->access, type, false);
    case TIRBI_LX_OP: {
        if (x->op == TIRB_OP_BITS && tirbi_plan_is_copy(p, x->args[0])) {
            tirbi_dtype raw = tirbi_plan_raw_type(type);
            uint16_t bits = tirbi_plan_raw(p, x->args[0]);
            return raw == type
                       ? bits
                       : tirbi_plan_elementwise(p, TIRB_OP_BITS, type, raw, bits, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
        }
        if (is_narrow_counter(p, x)) return loop_counter(p, x->args[0], type);
        const tirbi_lx *bits = by_bits(p, x);
        if (bits) return tirbi_plan_value(p, bits);
        if (x->optype == TIRB_I64 && is_comparison(x)) {
            const tirbi_lx *a = tirbi_plan_in_32_bits(p, x->args[0]),
                           *b = a ? tirbi_plan_in_32_bits(p, x->args[1]) : NULL;
            if (b) {
                const uint16_t left = tirbi_plan_value(p, a), right = tirbi_plan_value(p, b);
                return tirbi_plan_elementwise(p, (tirbi_op)x->op, TIRB_I32, TIRB_TYPE_NONE, left, right,
                                              TIRBI_NO_VALUE);
            }
        }
        plan_operands(p, x, x->args, false, v);
        return tirbi_plan_elementwise(p, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, v[0], v[1],
                                      v[2]);
    }
    case TIRBI_LX_COND: {
        if (!settle_arms(p, x, arms)) return TIRBI_NO_VALUE;
        plan_operands(p, x, arms, false, v);
        return tirbi_plan_elementwise(p, TIRB_OP_SELECT, type, TIRB_TYPE_NONE, v[0], v[1], v[2]);
    }
    case TIRBI_LX_AND:
    case TIRBI_LX_OR: {
        if (!settle_arms(p, x, arms)) return TIRBI_NO_VALUE;
        uint16_t a = tirbi_plan_value(p, arms[0]), b = tirbi_plan_value(p, arms[1]);
        return tirbi_plan_elementwise(p, x->kind == TIRBI_LX_AND ? TIRB_OP_AND : TIRB_OP_OR, TIRB_BOOL, TIRB_TYPE_NONE,
                                      a, b, TIRBI_NO_VALUE);
    }
    default:
        return tirbi_plan_refuse(p, "it calls a function");
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
    if (!ops) return tirbi_plan_fail(p);
    memcpy(ops, plan->ops + before, n * sizeof(*ops));
    memmove(plan->ops + p->own_start + n, plan->ops + p->own_start, (before - p->own_start) * sizeof(*ops));
    memcpy(plan->ops + p->own_start, ops, n * sizeof(*ops));
    tirbi_arena_give_back(p->pool->arena, ops, n + 1, sizeof(*ops));
    p->own_start += n;
    return value;
}

uint16_t tirbi_plan_value(planner *p, const tirbi_lx *x) {
    if (p->failed || !x) return tirbi_plan_fail(p);
    const tirbi_lx *var = tirbi_plan_uniform(p, x);
    if (var) x = var;
    bool bound = x->kind == TIRBI_LX_VAR && tirbi_plan_find_var(p, x->var) && !tirbi_plan_find_var(p, x->var)->raw;
    if (!x->pure || bound) return plan_new_value(p, x);
    uint16_t known = tirbi_plan_recall(p, x, 0, false);
    if (known != TIRBI_NO_VALUE) return known;
    bool ahead = p->n_own > 0 && x->kind == TIRBI_LX_OP && !x->traps && is_same_in_rounds(p, x);
    uint16_t value = ahead ? plan_ahead(p, x) : plan_new_value(p, x);
    if (!p->failed) tirbi_plan_remember(p, x, 0, false, value);
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
    case TIRBI_LX_LOAD:
        return true;
    case TIRBI_LX_VAR: {
        lane_var *v = tirbi_plan_find_var(p, x->var);
        return v ? v->raw : true; /* carried values are copied where the body has not set them yet */
    }
    case TIRBI_LX_COND:
        return chooses_copy(p, x);
    case TIRBI_LX_OP:
        if (x->op == TIRB_OP_SELECT) return chooses_copy(p, x);
        return tirbi_op_copies(x->op);
    default:
        return false;
    }
}

static uint16_t plan_raw_choice(planner *p, const tirbi_lx *x) {
    const tirbi_lx *arms[3] = {x->args[0], x->args[1], x->args[2]};
    if (x->kind == TIRBI_LX_COND && !settle_arms(p, x, arms)) return TIRBI_NO_VALUE;
    uint16_t v[3] = {TIRBI_NO_VALUE, TIRBI_NO_VALUE, TIRBI_NO_VALUE};
    plan_operands(p, x, arms, true, v);
    return tirbi_plan_elementwise(p, TIRB_OP_SELECT, tirbi_plan_raw_type((tirbi_dtype)x->type), TIRB_TYPE_NONE, v[0],
                                  v[1], v[2]);
}

uint16_t tirbi_plan_raw(planner *p, const tirbi_lx *x) {
    if (p->failed) return TIRBI_NO_VALUE;
    tirbi_dtype type = (tirbi_dtype)x->type, raw = tirbi_plan_raw_type(type);
    if (x->pure && !x->traps && x->kind != TIRBI_LX_CONST && tirbi_plan_is_invariant(p, x))
        return tirbi_plan_splat(p, raw, x);
    switch (x->kind) {
    case TIRBI_LX_CONST:
        return tirbi_plan_splat(p, raw, x);
    case TIRBI_LX_LOAD:
        return tirbi_plan_load(p, x->access, raw, true);
    case TIRBI_LX_VAR: {
        lane_var *v = tirbi_plan_find_var(p, x->var);
        if (!v && tirbi_plan_is_carried(p, x->var)) v = tirbi_plan_carried_before(p, x->var);
        if (v && v->raw) return v->value;
        break;
    }
    case TIRBI_LX_COND:
        return plan_raw_choice(p, x);
    case TIRBI_LX_OP:
        if (x->op == TIRB_OP_SELECT) return plan_raw_choice(p, x);
        if (x->op == TIRB_OP_BITS) {
            tirbi_dtype from = (tirbi_dtype)x->source;
            uint16_t v = tirbi_dtype_is_float(from) ? tirbi_plan_raw(p, x->args[0]) : tirbi_plan_value(p, x->args[0]);
            if (tirbi_dtype_is_float(from) || from == raw) return v;
            return tirbi_plan_elementwise(p, TIRB_OP_BITS, raw, from, v, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
        }
        break;
    default:
        break;
    }
    uint16_t v = tirbi_plan_value(p, x);
    return tirbi_plan_elementwise(p, TIRB_OP_BITS, raw, type, v, TIRBI_NO_VALUE, TIRBI_NO_VALUE);
}
