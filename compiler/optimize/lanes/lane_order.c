/* The order of a plan's operations where loops were written out.
 *
 * Rounds one after the other go on with several values in turn, of which a machine holds few in registers at once. What
 * goes into one store, or into a value that later code needs, is computed before what goes into the next one; of its
 * operands the one that takes most comes first. Loads and stores of memory that may meet keep their order. */
#include "compiler/optimize/lanes/lane_planner.h"

/* Longer stretches stay as they are. */
enum { MOST_ORDERED = 256, NO_OP = 0xFFFF };

/* Operations behind each other that give values once, and fail in nothing. */
typedef struct stretch {
    const tirbi_lane_plan *plan;
    tirbi_lane_op *ops; /* of the plan */
    uint32_t n;
    uint16_t setter[MOST_ORDERED][3]; /* which of them give the operands; NO_OP: none */
    uint16_t size[MOST_ORDERED];      /* how many compute what one gives */
    bool is_operand[MOST_ORDERED], is_lost[MOST_ORDERED], is_placed[MOST_ORDERED];
    tirbi_lane_op ordered[MOST_ORDERED];
    uint32_t n_ordered;
} stretch;

static bool computes(const tirbi_lane_op *o) { return (tirbi_ops[o->op].flags & TIRBI_FLAG_ELEMENTWISE) != 0; }

static bool is_plain(const tirbi_lane_op *o) {
    if (computes(o)) return !(tirbi_ops[o->op].flags & TIRBI_FLAG_TRAP) || tirbi_dtype_is_float((tirbi_dtype)o->type);
    return o->op == TIRB_OP_VLOAD || o->op == TIRB_OP_VSTORE || o->op == TIRB_OP_VSPLAT || o->op == TIRB_OP_VIOTA;
}

static bool is_access(const tirbi_lane_op *o) { return o->op == TIRB_OP_VLOAD || o->op == TIRB_OP_VSTORE; }

/* Whether two accesses have to keep their order. */
static bool are_tied(const stretch *s, const tirbi_lane_op *a, const tirbi_lane_op *b) {
    return is_access(a) && is_access(b) && (a->op == TIRB_OP_VSTORE || b->op == TIRB_OP_VSTORE) &&
           tirbi_may_meet(s->plan->cursors[a->cursor].place->buffer->root,
                          s->plan->cursors[b->cursor].place->buffer->root);
}

/* Stores to elements that a later one stores to, which nothing between them loads. */
static void lose_stores(stretch *s) {
    for (uint32_t j = 0; j < s->n; j++) {
        if (s->ops[j].op != TIRB_OP_VSTORE) continue;
        uint32_t i = j;
        while (i-- > 0 && !are_tied(s, &s->ops[i], &s->ops[j])) {}
        if (i < j && s->ops[i].op == TIRB_OP_VSTORE && s->ops[i].cursor == s->ops[j].cursor) s->is_lost[i] = true;
    }
}

/* False where a value is given twice, or read before it is given. `setters` is NO_OP for all values, and is left so. */
static bool find_operands(stretch *s, uint16_t *setters) {
    bool once = true;
    for (uint32_t j = 0; j < s->n; j++) {
        const tirbi_lane_op *o = &s->ops[j];
        uint32_t size = computes(o);
        for (unsigned k = 0; k < 3; k++) {
            const uint16_t by = o->from[k] == TIRBI_NO_VALUE ? (uint16_t)NO_OP : setters[o->from[k]];
            s->setter[j][k] = by;
            if (by == NO_OP) continue;
            s->is_operand[by] = s->is_operand[by] || !s->is_lost[j];
            size += s->size[by];
        }
        s->size[j] = (uint16_t)(size < NO_OP ? size : NO_OP);
        if (o->to == TIRBI_NO_VALUE) continue;
        once = once && setters[o->to] == NO_OP;
        setters[o->to] = (uint16_t)j;
    }
    for (uint32_t j = 0; j < s->n; j++) {
        for (unsigned k = 0; k < 3; k++) /* what is given behind is no operand that was found */
            once = once && (s->ops[j].from[k] == TIRBI_NO_VALUE || setters[s->ops[j].from[k]] == s->setter[j][k]);
    }
    for (uint32_t j = 0; j < s->n; j++)
        if (s->ops[j].to != TIRBI_NO_VALUE) setters[s->ops[j].to] = NO_OP;
    return once;
}

/* What has to be placed before operation j: the first access before it that is tied to it, else the operand that takes
 * most; NO_OP: nothing. */
static uint32_t next_before(const stretch *s, uint32_t j) {
    for (uint32_t i = 0; i < j && is_access(&s->ops[j]); i++)
        if (!s->is_placed[i] && !s->is_lost[i] && are_tied(s, &s->ops[i], &s->ops[j])) return i;
    uint32_t most = NO_OP;
    for (unsigned k = 0; k < 3; k++) {
        const uint16_t by = s->setter[j][k];
        if (by != NO_OP && !s->is_placed[by] && (most == NO_OP || s->size[by] > s->size[most])) most = by;
    }
    return most;
}

/* Places an operation behind what it needs, each of which stands before it. */
static void place(stretch *s, uint32_t op) {
    uint16_t open[MOST_ORDERED];
    uint32_t n = 0;
    open[n++] = (uint16_t)op;
    while (n > 0) {
        const uint32_t at = open[n - 1], before = s->is_placed[at] ? (uint32_t)NO_OP : next_before(s, at);
        if (before != NO_OP) {
            open[n++] = (uint16_t)before;
            continue;
        }
        if (!s->is_placed[at]) s->ordered[s->n_ordered++] = s->ops[at];
        s->is_placed[at] = true;
        n--;
    }
}

/* Puts a stretch in order; how many operations are left of it. */
static uint32_t order(stretch *s, uint16_t *setters) {
    for (uint32_t i = 0; i < s->n; i++) s->is_operand[i] = s->is_lost[i] = s->is_placed[i] = false;
    s->n_ordered = 0;
    lose_stores(s);
    if (!find_operands(s, setters)) return s->n;
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->is_placed[i] && !s->is_lost[i] && !s->is_operand[i]) place(s, i);
    for (uint32_t i = 0; i < s->n_ordered; i++) s->ops[i] = s->ordered[i];
    return s->n_ordered;
}

bool tirbi_order_lanes(tirbi_lane_plan *plan, uint32_t n_values, tirbi_arena *arena) {
    stretch *s = TIRBI_NEW(arena, stretch);
    uint16_t *setters = TIRBI_NEW_ARRAY(arena, uint16_t, n_values);
    if (!s || !setters) return false;
    for (uint32_t i = 0; i < n_values; i++) setters[i] = NO_OP;
    s->plan = plan;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->n_ops;) {
        uint32_t n = 0;
        while (i + n < plan->n_ops && is_plain(&plan->ops[i + n])) n++;
        const uint32_t all = n > 0 ? n : 1;
        for (uint32_t k = 0; k < all; k++) plan->ops[kept + k] = plan->ops[i + k];
        s->ops = &plan->ops[kept];
        s->n = n;
        tirbi_arena_work(arena, n * n / 16);
        kept += n > 1 && n <= MOST_ORDERED ? order(s, setters) : all;
        i += all;
    }
    plan->n_ops = kept;
    tirbi_arena_give_back(arena, setters, n_values, sizeof(*setters));
    TIRBI_GIVE_BACK(arena, s);
    return true;
}
