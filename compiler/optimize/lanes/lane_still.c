/* Loads of a lane plan whose element is the same in all iterations of a loop in it, before that loop. A loop of a
 * lane's own would pick the elements of the lanes that are left in every round, and an inner loop gather them anew
 * where they do not lie side by side. */
#include "compiler/optimize/lanes/lanes.h"

#include <string.h>

enum { MAX_OPEN = TIRBI_MAX_INNER + TIRBI_MAX_OWN_DEPTH };

typedef struct mover {
    tirbi_lane_plan *plan;
    uint32_t open[MAX_OPEN]; /* the operations that begin the loops around the one at hand */
    uint32_t n_open;
} mover;

static bool is_inner(const mover *m, uint32_t depth) { return m->plan->ops[m->open[depth]].op == TIRB_OP_INNER; }

/* Whether one operation alone uses the cursor, and nothing stores where it reads. */
static bool only_reads(const tirbi_lane_plan *plan, uint8_t cursor) {
    const tirbi_lane_cursor *c = &plan->cursors[cursor];
    uint32_t uses = 0;
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const uint8_t op = plan->ops[i].op;
        const bool has_cursor = op == TIRB_OP_VLOAD || op == TIRB_OP_VSTORE || op == TIRB_OP_VLOADX;
        uses += has_cursor && plan->ops[i].cursor == cursor;
    }
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        const tirbi_lane_cursor *other = &plan->cursors[i];
        if ((other->access & TIRBI_WRITE) && tirbi_may_meet(other->place->buffer->root, c->place->buffer->root))
            return false;
        if (plan->n_rows > 0 && other->row != 0) return false; /* whose numbers are loaded by cursors, too */
    }
    return uses == 1 && c->level != TIRBI_LEVEL_INDEXED;
}

/* Whether each lane has such an element, whatever the loops inside do: its subscripts are the lane's number, or numbers
 * that the buffer's extents are above. */
static bool is_of_lane(const tirbi_lane_plan *plan, const tirbi_place *place) {
    for (uint32_t d = 0; d < place->ndim; d++) {
        const tirbi_lx *index = tirbi_lx_before_cast(place->indices[d]), *extent = place->buffer->shape[d];
        const bool is_lane = index->kind == TIRBI_LX_VAR && index->var == plan->loops.var[0];
        const bool is_number = index->kind == TIRBI_LX_CONST && extent->kind == TIRBI_LX_CONST;
        if ((!is_lane && !is_number) || !tirbi_dim_proven(place, d)) return false;
    }
    return !place->view;
}

/* Whether a load may stand before the loop at a depth, and had better. */
static bool may_leave(const mover *m, const tirbi_lane_op *load, uint32_t depth) {
    const tirbi_lane_plan *plan = m->plan;
    const tirbi_affine *form = &plan->cursors[load->cursor].form;
    int64_t step, lanes;
    if (!is_inner(m, depth)) return true; /* its cursor is checked for all lanes already */
    const uint32_t loop = plan->ops[m->open[depth]].loop + 1u;
    const bool runs = plan->loops.var[loop]->extent->lo >= 1;
    if (m->open[depth] < tirbi_loops_around(plan) || /* which the machine then runs as rows */
        (!runs && !is_of_lane(plan, plan->cursors[load->cursor].place)))
        return false;
    if (!tirbi_affine_constant(form, loop, &step) || step != 0) return false;
    return !tirbi_affine_constant(form, 0, &lanes) || (lanes != 0 && lanes != 1);
}

/* Moves the operation to where the loop at a depth begins. */
static void move_before(mover *m, uint32_t at, uint32_t depth) {
    tirbi_lane_op *ops = m->plan->ops;
    const tirbi_lane_op load = ops[at];
    const uint32_t begin = m->open[depth];
    memmove(ops + begin + 1, ops + begin, (at - begin) * sizeof(*ops));
    ops[begin] = load;
    uint8_t level = 0;
    for (uint32_t d = 0; d < depth; d++)
        if (is_inner(m, d)) level = (uint8_t)(ops[m->open[d]].loop + 1);
    m->plan->cursors[load.cursor].level = level;
    for (uint32_t d = depth; d < m->n_open; d++) m->open[d]++;
}

bool tirbi_move_still_loads(tirbi_lane_plan *plan) {
    mover m = {.plan = plan};
    uint32_t moved = 0;
    for (uint32_t i = 0; i < plan->n_ops && moved < TIRBI_MAX_STILL_LOADS; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        if (o->op == TIRB_OP_INNER || o->op == TIRB_OP_VLOOP) {
            if (m.n_open == MAX_OPEN) return moved > 0;
            m.open[m.n_open++] = i;
        } else if (o->op == TIRB_OP_INNER_END || o->op == TIRB_OP_VAGAIN) {
            m.n_open--;
        } else if (o->op == TIRB_OP_VLOAD && m.n_open > 0 && may_leave(&m, o, m.n_open - 1) &&
                   only_reads(plan, o->cursor)) {
            uint32_t depth = m.n_open - 1;
            while (depth > 0 && may_leave(&m, o, depth - 1)) depth--;
            move_before(&m, i, depth);
            moved++;
        }
    }
    return moved > 0;
}
