/* Lane registers for the values of a plan: a linear scan over straight-line code with nested loops. */
#include "compiler/optimize/lanes/lanes.h"

typedef struct lifetime {
    uint32_t first, last;
} lifetime;

static void touch(lifetime *lives, uint16_t value, uint32_t at) {
    if (value == TIRBI_NO_VALUE) return;
    if (at < lives[value].first) lives[value].first = at;
    if (at > lives[value].last) lives[value].last = at;
}

/* The operation that ends the loop which another one begins. */
static uint32_t end_of_loop(const tirbi_lane_plan *plan, uint32_t begin) {
    uint32_t end = begin, open = 0;
    if (plan->ops[begin].op == TIRB_OP_INNER) {
        while (plan->ops[end].op != TIRB_OP_INNER_END || plan->ops[end].loop != plan->ops[begin].loop) end++;
        return end;
    }
    for (;; end++) {
        if (plan->ops[end].op == TIRB_OP_VLOOP) open++;
        if (plan->ops[end].op == TIRB_OP_VAGAIN && --open == 0) return end;
    }
}

/* A value that is live into an inner loop and used in it is live until the loop ends. */
static void stretch(const tirbi_lane_plan *plan, lifetime *lives, uint32_t n_values) {
    for (uint32_t begin = plan->n_ops; begin-- > 0;) {
        if (plan->ops[begin].op != TIRB_OP_INNER && plan->ops[begin].op != TIRB_OP_VLOOP) continue;
        uint32_t end = end_of_loop(plan, begin);
        for (uint32_t v = 0; v < n_values; v++) {
            if (lives[v].first < begin && lives[v].last > begin && lives[v].last < end) lives[v].last = end;
        }
    }
}

/* Gives each value a register; how many these are, or more than there are. */
static uint32_t assign(const tirbi_lane_plan *plan, uint32_t n_values, lifetime *lives, uint8_t *reg) {
    for (uint32_t v = 0; v < n_values; v++) lives[v] = (lifetime){.first = UINT32_MAX};
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        for (int k = 0; k < 3; k++) touch(lives, plan->ops[i].from[k], i);
        touch(lives, plan->ops[i].to, i);
    }
    stretch(plan, lives, n_values);
    uint32_t free_at[TIRBI_MAX_LANE_REGS] = {0}, n = 0;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        uint16_t v = plan->ops[i].to;
        if (v == TIRBI_NO_VALUE || lives[v].first != i) continue;
        uint32_t r = 0;
        while (r < TIRBI_MAX_LANE_REGS && free_at[r] > i) r++;
        if (r == TIRBI_MAX_LANE_REGS) return r + 1;
        reg[v] = (uint8_t)r;
        free_at[r] = lives[v].last > i ? lives[v].last : i + 1;
        if (r + 1u > n) n = r + 1;
    }
    return n;
}

bool tirbi_allocate_lane_registers(tirbi_lane_plan *plan, uint32_t n_values, tirbi_arena *arena) {
    lifetime *lives = TIRBI_NEW_ARRAY(arena, lifetime, n_values);
    uint8_t *reg = TIRBI_NEW_ARRAY(arena, uint8_t, n_values);
    if (!lives || !reg) return false;
    uint32_t n = assign(plan, n_values, lives, reg);
    /* A load that stands earlier takes one more register at most. */
    if (n + TIRBI_MAX_STILL_LOADS <= TIRBI_MAX_LANE_REGS && tirbi_move_still_loads(plan))
        n = assign(plan, n_values, lives, reg);
    if (n > TIRBI_MAX_LANE_REGS) return false;
    plan->n_values = (uint16_t)n;
    uint32_t n_ops = 0;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        tirbi_lane_op *o = &plan->ops[n_ops];
        *o = plan->ops[i];
        for (int k = 0; k < 3; k++) o->from[k] = o->from[k] == TIRBI_NO_VALUE ? TIRBI_NO_VALUE : reg[o->from[k]];
        o->to = o->to == TIRBI_NO_VALUE ? TIRBI_NO_VALUE : reg[o->to];
        /* A value that moves on where it was is the same one. */
        if (o->op != TIRB_OP_VMOV || o->to != o->from[0]) n_ops++;
    }
    plan->n_ops = n_ops;
    return true;
}
