/* Lanes that scatter what they write: whether the loops inside them would be better lanes. */
#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/lanes/lane_planner.h"

/* Whether all loops of a body, or those inside them, can be lanes; with `in_order`, also lanes that take turns. */
static bool are_lanes(tirbi_lx_pool *pool, const tirbi_ls *s, bool in_order) {
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!are_lanes(pool, s->as.seq.items[i], in_order)) return false;
        }
        return true;
    case TIRBI_LS_IF:
        return are_lanes(pool, s->as.if_.then_case, in_order) &&
               (!s->as.if_.else_case || are_lanes(pool, s->as.if_.else_case, in_order));
    case TIRBI_LS_LOOP: {
        tirbi_nest nest = {.n_outer = 0};
        tirbi_lane_plan *alone = NULL;
        bool found = tirbi_plan_nest(pool, s, TIRBI_NEST_ANY, &nest);
        if (!found) alone = tirbi_plan_lanes(pool, s);
        if (!found && !alone && in_order) alone = tirbi_plan_in_order(pool, s);
        found = found || alone || (in_order && tirbi_carry_elements(pool, s)) ||
                (tirbi_has_kind(s->as.loop.body, TIRBI_KIND(LOOP)) && are_lanes(pool, s->as.loop.body, in_order));
        tirbi_drop_plan(pool, nest.plan);
        tirbi_drop_plan(pool, alone);
        return found;
    }
    default:
        return true;
    }
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

/* What a body asks is asked again of the loops inside it, in each of the orders in which its nest is tried, and these
 * come to the same loops in very many ways. A question is asked once while the first is not answered; one more than
 * these is answered by no. */
enum { MAX_ASKED = 64 };

typedef struct question {
    const tirbi_lvar *loop[TIRBI_MAX_AFFINE]; /* the nest's, outermost first, */
    uint32_t n_loops;
    const tirbi_ls *body; /* and what is in them: it stays where it is while they are put into other orders */
    bool in_order;
    tirbi_extents positive;
} question;

struct tirbi_asked {
    struct {
        question question;
        bool answer;
    } item[MAX_ASKED];
    uint32_t n;
};

static question question_of(const tirbi_ls *body, bool in_order, const tirbi_extents *positive) {
    question q = {.body = body, .in_order = in_order, .positive = *positive};
    while (q.body->kind == TIRBI_LS_LOOP && q.n_loops < TIRBI_MAX_AFFINE) {
        q.loop[q.n_loops++] = q.body->as.loop.var;
        q.body = q.body->as.loop.body;
    }
    return q;
}

static bool same_question(const question *a, const question *b) {
    if (a->body != b->body || a->in_order != b->in_order || a->n_loops != b->n_loops ||
        a->positive.n != b->positive.n || memcmp(a->loop, b->loop, a->n_loops * sizeof(*a->loop)) != 0)
        return false;
    for (uint32_t i = 0; i < a->positive.n; i++) {
        if (!tirbi_is_positive(&b->positive, a->positive.item[i])) return false;
    }
    return true;
}

/* are_lanes for a body inside lanes, where `known` are the extents that are 1 at least. */
static bool ask(tirbi_lx_pool *pool, const tirbi_ls *body, bool in_order, const tirbi_extents *known) {
    struct tirbi_asked *asked = pool->asked;
    const tirbi_extents *positive = pool->positive;
    const question q = question_of(body, in_order, known);
    for (uint32_t i = 0; i < asked->n; i++) {
        if (same_question(&asked->item[i].question, &q)) return asked->item[i].answer;
    }
    if (asked->n == MAX_ASKED) return false;
    const uint32_t index = asked->n++;
    asked->item[index].question = q;
    pool->positive = known;
    const bool answer = are_lanes(pool, body, in_order);
    pool->positive = positive;
    asked->item[index].answer = answer;
    return answer;
}

static bool are_better_lanes(tirbi_lx_pool *pool, const tirbi_lane_plan *plan, const tirbi_ls *body, bool in_order) {
    /* Inside the loop over lanes there is one of them at least. */
    const tirbi_lx *lanes = plan->loops.var[0]->extent;
    tirbi_extents known = pool->positive ? *pool->positive : (tirbi_extents){.n = 0};
    if (!tirbi_is_positive(&known, lanes) && known.n < TIRBI_MAX_EXTENTS) known.item[known.n++] = lanes;
    if (pool->asked) return ask(pool, body, in_order, &known);
    pool->asked = TIRBI_NEW(pool->arena, struct tirbi_asked);
    const bool better = pool->asked && ask(pool, body, in_order, &known);
    TIRBI_GIVE_BACK(pool->arena, pool->asked);
    pool->asked = NULL;
    return better;
}

/* Whether one of the loops inside writes element after element, or leaves the element alone. */
static bool writes_better_inside(const tirbi_lane_plan *plan, const tirbi_lane_cursor *c) {
    for (uint32_t i = 1; i < plan->loops.n; i++) {
        int64_t step;
        if (tirbi_affine_constant(&c->form, i, &step) && step >= -1 && step <= 1) return true;
    }
    return false;
}

/* Sums in order do not do better where a lane writes once they have ended, for as many lanes as there are sum at the
 * same time. */
bool tirbi_plan_writes_well(tirbi_lx_pool *pool, const tirbi_lane_plan *plan, const tirbi_ls *body) {
    bool scatters = false, inside = false;
    const bool only_moves = plan->whole_nest && tirbi_lanes_only(plan, TIRBI_LANES_MOVE);
    if (plan->loops.n == 1 || only_moves) return true; /* which the machine does in the order that suits it */
    for (uint32_t i = 0; i < plan->n_cursors; i++) {
        int64_t step;
        const tirbi_lane_cursor *c = &plan->cursors[i];
        if (!(c->access & TIRBI_WRITE) || (tirbi_affine_constant(&c->form, 0, &step) && step == 1)) continue;
        if (!writes_better_inside(plan, c)) continue;
        scatters = true;
        inside = inside || c->level > 0;
    }
    return !scatters || !are_better_lanes(pool, plan, body, inside);
}
