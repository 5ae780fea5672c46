/* What becomes instructions for whole nests: lane loops, tree reductions, searches, contractions, folds. */
#include <string.h>

#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/plan/planner.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/isa/semirings.h"

static tirbi_sched *new_leaf(tirbi_scheduler *p, tirbi_leaf_kind kind, const tirbi_ls *stmt, uint32_t n,
                             tirbi_leaf **leaf) {
    *leaf = TIRBI_NEW(p->pool->arena, tirbi_leaf);
    tirbi_sched *node = *leaf ? tirbi_new_sched(p, TIRBI_S_LEAF, stmt, n) : NULL;
    if (!node) return NULL;
    (*leaf)->kind = kind;
    node->as.leaf = *leaf;
    return node;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------ */

/* Whether lanes may be taken the other way round: none of them comes to what another one does, can fail or counts. */
static bool may_turn(const tirbi_lane_plan *plan) {
    return tirbi_lanes_only(plan, TIRBI_LANES_MOVE | TIRBI_LANES_COMPUTE) && plan->n_rows == 0 &&
           !plan->loops.var[0]->forwards;
}

/* Lanes that go down in all that they read and write go up from their last iteration on: vectors are as in memory. */
static bool turned(tirbi_lx_pool *pool, const tirbi_lane_plan *plan, tirbi_affine *forms) {
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *zero = tirbi_lx_number(pool, 0);
    const tirbi_lx *last = tirbi_lx_sub(pool, plan->loops.var[0]->extent, one);
    bool moves = false;
    for (uint32_t i = 0; last && zero && i < plan->n_cursors; i++) {
        int64_t step;
        forms[i] = plan->cursors[i].form;
        if (!tirbi_affine_constant(&forms[i], 0, &step) || step > 0) return false;
        if (step == 0) continue;
        moves = true;
        forms[i].start = tirbi_lx_add(pool, forms[i].start, tirbi_lx_mul(pool, forms[i].coefficient[0], last));
        forms[i].coefficient[0] = tirbi_lx_sub(pool, zero, forms[i].coefficient[0]);
        if (!forms[i].start || !forms[i].coefficient[0]) return false;
    }
    return moves;
}

static void turn_lanes(tirbi_lx_pool *pool, tirbi_lane_plan *plan) {
    if (!may_turn(plan)) return;
    tirbi_affine *forms = TIRBI_NEW_ARRAY(pool->arena, tirbi_affine, plan->n_cursors);
    const bool turns = forms && turned(pool, plan, forms);
    for (uint32_t i = 0; turns && i < plan->n_cursors; i++) plan->cursors[i].form = forms[i];
    tirbi_arena_give_back(pool->arena, forms, plan->n_cursors, sizeof(*forms));
}

bool tirbi_choose_lanes(tirbi_scheduler *p, const tirbi_ls *loop, tirbi_nest *out) {
    if (tirbi_not_planned(p) & TIRB_PASS_LANES) return false;
    unsigned may = (tirbi_not_planned(p) & TIRB_PASS_INTERCHANGE ? 0 : TIRBI_NEST_INTERCHANGE) |
                   (tirbi_not_planned(p) & TIRB_PASS_SEQUENCES ? 0 : TIRBI_NEST_GATHERS);
    if (!tirbi_plan_nest(p->pool, loop, may, out)) {
        out->n_outer = 0;
        out->plan = tirbi_plan_lanes(p->pool, loop);
    }
    if (out->plan) turn_lanes(p->pool, out->plan);
    return out->plan != NULL;
}

static void note_nest(tirbi_scheduler *p, const tirbi_nest *nest) {
    if (!p->in.notes) return;
    const tirbi_lvar *lane = nest->plan->loops.var[0];
    for (uint32_t i = 0; i < nest->n_outer; i++) {
        tirbi_note_loop(p->in.notes, nest->outer[i], lane->span, TIRB_FORM_OUTER, "runs around the lane loop over %s",
                        lane->name);
    }
    tirbi_note_lanes(p->in.notes, nest->plan);
}

tirbi_sched *tirbi_sched_lanes(tirbi_scheduler *p, const tirbi_nest *nest) {
    tirbi_leaf *leaf;
    tirbi_sched *node = new_leaf(p, TIRBI_LEAF_LANES, NULL, 0, &leaf);
    note_nest(p, nest);
    if (node) leaf->nest = *nest;
    return node;
}

static void note_tree(tirbi_scheduler *p, const tirbi_ls *s, bool lanes) {
    if (!p->in.notes) return;
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) {
        bool last = i + 1 == s->as.tree.n_loops;
        tirbi_note_loop(p->in.notes, s->as.tree.loops[i], s->span, TIRB_FORM_TREE, "rule R3, %s",
                        !last   ? "an outer axis"
                        : lanes ? "many lanes at once"
                                : "element by element");
    }
}

tirbi_sched *tirbi_schedule_tree(tirbi_scheduler *p, const tirbi_ls *tree) {
    const bool lanes = !(tirbi_not_planned(p) & TIRB_PASS_LANES);
    tirbi_leaf *leaf;
    tirbi_sched *node = new_leaf(p, TIRBI_LEAF_TREE, tree, 1, &leaf);
    if (!node) return NULL;
    if (tree->as.tree.init) {
        node->items[0] = tirbi_schedule(p, tree->as.tree.init);
        if (!node->items[0]) return NULL;
    }
    leaf->nest.plan = lanes ? tirbi_plan_tree(p->pool, tree, !(tirbi_not_planned(p) & TIRB_PASS_SEQUENCES)) : NULL;
    note_tree(p, tree, leaf->nest.plan != NULL);
    return node;
}

tirbi_sched *tirbi_schedule_search(tirbi_scheduler *p, const tirbi_ls *search) {
    tirbi_leaf *leaf;
    tirbi_sched *node = new_leaf(p, TIRBI_LEAF_SEARCH, search, 0, &leaf);
    if (!node) return NULL;
    node->of = search;
    leaf->nest.plan = tirbi_plan_search(p->pool, search);
    tirbi_live_set(p->pool, search->as.search.found, true);
    return node;
}

/* ---- Contractions and folds ------------------------------------------------------------------------------------ */

/* What is done along the loops of the sum. */
static const char *reduction_of(const tirbi_contract_plan *plan) {
    switch (tirbi_semiring_of(plan->flags)) {
#define TIRBI_SEMIRING(NAME, types, text) \
    case TIRBI_##NAME:                    \
        return text;
#include "loader/isa/semirings.def"
#undef TIRBI_SEMIRING
    default:
        return "sums the products";
    }
}

static void note_loops(tirbi_scheduler *p, const tirbi_contract_plan *plan) {
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        bool a = plan->operands[TIRBI_CONTRACT_A].form.coefficient[i] != NULL;
        bool b = plan->operands[TIRBI_CONTRACT_B].form.coefficient[i] != NULL;
        const char *part = plan->reduces[i] ? reduction_of(plan) : a == b ? "a batch" : a ? "rows" : "columns";
        tirbi_note_loop(p->in.notes, plan->loops.var[i], plan->span, TIRB_FORM_CONTRACTION, "contract.%s: %s",
                        tirbi_dtypes[plan->type].name, part);
    }
}

/* Whole rows at once, and the loops around them. */
static void note_rows(tirbi_scheduler *p, const tirbi_contract_plan *plan, const char *rule) {
    for (uint32_t k = 0; k < plan->loops.n; k++) {
        const bool row = k + 1 == plan->loops.n;
        tirbi_note_loop(p->in.notes, plan->loops.var[k], plan->span, TIRB_FORM_TREE, "fold.%s: %s%s",
                        tirbi_dtypes[plan->type].name, row ? rule : "", row ? "whole rows at once" : "rows");
    }
}

/* Plans over the same loops, one after the other. */
static tirbi_sched *schedule_plans(tirbi_scheduler *p, tirbi_leaf_kind kind, const tirbi_contract_plan *plans,
                                   uint32_t n) {
    tirbi_leaf *leaf;
    tirbi_sched *node = new_leaf(p, kind, NULL, 0, &leaf);
    tirbi_contract_plan *kept = node ? TIRBI_NEW_ARRAY(p->pool->arena, tirbi_contract_plan, n) : NULL;
    if (!kept) return NULL;
    leaf->contract = kept;
    leaf->n = n;
    memcpy(kept, plans, n * sizeof(*plans));
    return node;
}

static tirbi_sched *schedule_contract(tirbi_scheduler *p, const tirbi_contract_plan *plan) {
    if (plan->folds)
        note_rows(p, plan, "");
    else
        note_loops(p, plan);
    return schedule_plans(p, plan->folds ? TIRBI_LEAF_FOLD : TIRBI_LEAF_CONTRACT, plan, 1);
}

/* A nest around contractions, as loops of their own and these between them. */
static tirbi_sched *schedule_distribution(tirbi_scheduler *p, const tirbi_distribution *parts) {
    tirbi_sched *node = tirbi_new_sched(p, TIRBI_S_SEQ, NULL, parts->n);
    if (!node) return NULL;
    node->step = "distribution";
    for (uint32_t i = 0; i < parts->n; i++) {
        tirbi_contract_plan plan;
        node->items[i] = tirbi_plan_contraction(p->pool, parts->item[i], &plan) ? schedule_contract(p, &plan)
                                                                                : tirbi_schedule(p, parts->item[i]);
        if (!node->items[i]) return NULL;
    }
    return node;
}

tirbi_sched *tirbi_schedule_contraction(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_contract_plan plan;
    tirbi_distribution parts;
    if (tirbi_not_planned(p) & TIRB_PASS_CONTRACT) return NULL;
    if (tirbi_plan_contraction(p->pool, loop, &plan)) return schedule_contract(p, &plan);
    return tirbi_distribute_contraction(p->pool, loop, &parts) ? schedule_distribution(p, &parts) : NULL;
}

tirbi_sched *tirbi_schedule_folds(tirbi_scheduler *p, const tirbi_ls *loop) {
    tirbi_fold_plans *folds =
        tirbi_not_planned(p) & TIRB_PASS_CONTRACT ? NULL : TIRBI_NEW(p->pool->arena, tirbi_fold_plans);
    tirbi_sched *node = NULL;
    if (!folds) return NULL;
    if (tirbi_plan_folds(p->pool, loop, folds)) {
        for (uint32_t i = 0; i < folds->n; i++) note_rows(p, &folds->plan[i], "rule R3, ");
        node = schedule_plans(p, TIRBI_LEAF_FOLD, folds->plan, folds->n);
    }
    TIRBI_GIVE_BACK(p->pool->arena, folds);
    return node;
}
