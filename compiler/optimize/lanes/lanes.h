/* Lane plans: loops whose iterations are independent, as the body of one lane loop.
 *
 * A plan is made by looking at the loop IR alone and emits nothing, so that several can be tried. */
#ifndef TIRB_COMPILER_OPTIMIZE_LANES_LANES_H
#define TIRB_COMPILER_OPTIMIZE_LANES_LANES_H

#include "compiler/optimize/schedule/leaf.h"

/* Plans the iterations of `loop` as lanes. NULL when that is not possible (or memory ran out). */
tirbi_lane_plan *tirbi_plan_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* The same where values may go from lane to lane, in order, and lanes may compute where they read and write. */
tirbi_lane_plan *tirbi_plan_in_order(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* Either of a nest that the caller has put into another order, who knows whether it fails alike there. */
tirbi_lane_plan *tirbi_plan_rearranged(tirbi_lx_pool *pool, const tirbi_ls *loop, bool in_order);
/* How many loops of a plan are around all that its lanes do. */
uint32_t tirbi_loops_around(const tirbi_lane_plan *plan);
/* Whether lanes do an operation. */
bool tirbi_lanes_do(const tirbi_lane_plan *plan, uint8_t op);
/* Whether they do nothing but what is named here, in whatever loops. */
enum {
    TIRBI_LANES_MOVE = 1,    /* loads and stores along cursors, and what is the same for all */
    TIRBI_LANES_COMPUTE = 2, /* element by element, where that cannot fail */
    TIRBI_LANES_FAIL = 4,    /* .. and where it can */
    TIRBI_LANES_GATHER = 8   /* load elements that lanes name */
};
bool tirbi_lanes_only(const tirbi_lane_plan *plan, unsigned what);
/* About how long the operations of a plan take for a block of lanes; one that is cheap counts 2. */
uint32_t tirbi_lane_work(const tirbi_lane_plan *plan);
/* Gives back the memory of a plan that nobody has a use for; NULL is allowed. */
void tirbi_drop_plan(tirbi_lx_pool *pool, tirbi_lane_plan *plan);
/* Whether there are such plans. */
bool tirbi_has_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop);
bool tirbi_has_lanes_in_order(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* A loop that updates elements which stand still in it, as a loop that carries them in variables and has such a plan:
 * with what loads them before it and stores them behind it, where it runs. Also a loop whose bounds are not pure. NULL
 * where there is none. */
const tirbi_ls *tirbi_carry_elements(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* The same for a loop inside lanes that are independent of each other, each of which carries its own elements. */
const tirbi_ls *tirbi_carry_rows(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* The same for a loop that stays scalar code. */
const tirbi_ls *tirbi_carry_in_order(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* Why there is no plan for it: what "because" can stand before. NULL when there is one (or memory ran out). */
const char *tirbi_why_not_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* Plans the last loop of a tree reduction, with `sequences` also lanes that compute where they read; `red` of its
 * operations numbers the updates. */
tirbi_lane_plan *tirbi_plan_tree(tirbi_lx_pool *pool, const tirbi_ls *tree, bool sequences);

/* Whether straight-line code uses some of the variables; other code counts as if it did. */
bool tirbi_code_uses(const tirbi_ls *s, tirbi_lvar *const *vars, uint32_t n);

enum { TIRBI_MAX_STILL_LOADS = 16 };
/* Moves some of the loads that give the same in all iterations of a loop of the plan before it. Whether there were
 * any. */
bool tirbi_move_still_loads(tirbi_lane_plan *plan);

/* Replaces the values of a plan by lane registers; false when 64 are not enough (or memory ran out). */
bool tirbi_allocate_lane_registers(tirbi_lane_plan *plan, uint32_t n_values, tirbi_arena *arena);

/* Whether the lane loop may be another one than the nest's first, and whether lanes may load elements that they
 * name. */
enum { TIRBI_NEST_INTERCHANGE = 1, TIRBI_NEST_GATHERS = 2, TIRBI_NEST_ANY = 3 };

bool tirbi_plan_nest(tirbi_lx_pool *pool, const tirbi_ls *loop, unsigned may, tirbi_nest *out);
/* What lanes of a nest, or of the loops in it, take: their loop, NULL where there are none, about how long for a block
 * (tirbi_lane_work), and in how many loops around them. */
typedef struct tirbi_nest_cost {
    const tirbi_lvar *lane;
    uint32_t work, outer;
} tirbi_nest_cost;

tirbi_nest_cost tirbi_cost_of_nest(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* Whether there is such a plan. */
bool tirbi_nest_has_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop, unsigned may);
/* .. or the loop itself is one of lanes. */
bool tirbi_runs_as_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* Whether the lanes of a plan are a few channels in rows that are better packed, several in a block, than gone through
 * with steps from row to row. */
bool tirbi_suits_short_rows(const tirbi_lane_plan *plan);
/* False: they are not, whatever the plan of this loop of few iterations. */
bool tirbi_may_suit_short_rows(const tirbi_ls *loop);

/* The loops of a perfect nest around straight-line code, outermost first, that may be taken in another order as
 * tirbi_plan_nest does, or their ranges in parts; which of them are spatial; and the code. */
typedef struct tirbi_free_nest {
    const tirbi_ls *loops[TIRBI_MAX_AFFINE];
    bool spatial[TIRBI_MAX_AFFINE];
    uint32_t n;
    const tirbi_ls *body;
} tirbi_free_nest;

/* False when it is no such nest (or memory ran out). */
bool tirbi_find_free_nest(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_free_nest *out);
/* Marks the spatial ones of loops around a body, which may have loops: their iterations write elements of their own and
 * read no others of those. False where that cannot be told (or memory ran out). */
bool tirbi_find_spatial(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_ls *body,
                        bool spatial[TIRBI_MAX_AFFINE]);

#endif
