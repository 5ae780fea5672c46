/* Rows of a few channels: whether the machine should go through them as rows, several in a block, or one channel of
 * many rows at a time, with steps from row to row.
 *
 * What both ways take is told in hundredths of a nanosecond for an element, as measured with AVX-512; without its picks
 * and masks, steps take longer and rows do not. */
#include "compiler/optimize/lanes/lanes.h"

enum { MOST_CHANNELS = 4, LEAST_ROWS = 8, LONGEST_STEP = 4 };

/* By rows: those that follow each other, those that do not, of bytes that are a power of two or others, and one that
 * all rows read. */
enum { FOLLOWS = 10, EVEN_APART = 25, ODD_APART = 80, REPEATED = 50 };
/* By steps: elements of words as far apart as a vector picks them, others as far apart, and those further apart. */
enum { WORD_STEP = 20, STEP = 30, FAR_STEP = 100 };

typedef struct costs {
    int64_t by_rows, by_steps;
} costs;

static bool count_cursor(const tirbi_lane_plan *plan, const tirbi_lane_cursor *c, int64_t channels, costs *out) {
    const int64_t size = tirbi_dtypes[c->type].size, bytes = channels * size;
    int64_t lane, row;
    if (!tirbi_affine_constant(&c->form, 0, &lane) || lane != 1 ||
        !tirbi_affine_constant(&c->form, plan->loops.n - 1, &row))
        return false;
    if (row != channels && (c->access & TIRBI_WRITE)) return false;
    const bool is_near = row >= -LONGEST_STEP && row <= LONGEST_STEP;
    const int64_t apart = (bytes & (bytes - 1)) == 0 ? EVEN_APART : ODD_APART;
    out->by_rows += row == channels ? FOLLOWS : row == 0 ? REPEATED : apart;
    out->by_steps += row == 0 ? 0 : !is_near ? FAR_STEP : size == 4 ? WORD_STEP : STEP;
    return true;
}

static bool are_few(const tirbi_lx *channels) {
    return channels->kind == TIRBI_LX_CONST && channels->value >= 2 && channels->value <= MOST_CHANNELS;
}

bool tirbi_may_suit_short_rows(const tirbi_ls *loop) {
    if (!are_few(loop->as.loop.var->extent)) return false;
    for (const tirbi_ls *s = loop->as.loop.body; s->kind == TIRBI_LS_LOOP; s = s->as.loop.body) {
        if (s->as.loop.var->extent->hi >= LEAST_ROWS) return true;
    }
    return false;
}

/* Whether the lanes of a plan are a few channels, which are computed, in rows that are packed
 * (vm/translate/lane_pack.c) in less time than lanes over the rows would take with steps. */
bool tirbi_suits_short_rows(const tirbi_lane_plan *plan) {
    const uint32_t around = plan->loops.n - 1;
    const tirbi_lx *channels = plan->loops.var[0]->extent;
    costs cost = {0};
    if (around == 0 || plan->n_rows > 0 || !are_few(channels) || plan->loops.var[around]->extent->hi < LEAST_ROWS ||
        tirbi_loops_around(plan) != around || tirbi_lanes_only(plan, TIRBI_LANES_MOVE) ||
        !tirbi_lanes_only(plan, TIRBI_LANES_MOVE | TIRBI_LANES_COMPUTE | TIRBI_LANES_FAIL))
        return false;
    for (uint32_t i = 0; i < plan->n_cursors; i++)
        if (!count_cursor(plan, &plan->cursors[i], channels->value, &cost)) return false;
    return cost.by_rows < cost.by_steps;
}
