/* Matching rows of tree reductions: loops around a tree over one axis, whose terms are elements, or products of
 * elements, that follow each other along it. The rows may be taken update by update when no update reads what another
 * one writes. */
#include <string.h>

#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/rewriting/statements.h"

typedef struct matcher {
    tirbi_lx_pool *pool;
    tirbi_fold_plans *out;
    tirbi_loop_set loops, rows; /* all, and without the tree's axis */
    const tirbi_ls *tree;
} matcher;

static bool add_loop(tirbi_loop_set *loops, uint32_t most, tirbi_lvar *var) {
    if (loops->n == most || !tirbi_is_bounded_before(loops, var)) return false;
    loops->var[loops->n++] = var;
    return true;
}

const tirbi_ls *tirbi_tree_nest(const tirbi_ls *s, uint32_t most, tirbi_loop_set *loops) {
    for (s = tirbi_only_part(s); s->kind == TIRBI_LS_LOOP; s = tirbi_only_part(s->as.loop.body))
        if (s->as.loop.step || !add_loop(loops, most, s->as.loop.var)) return NULL;
    if (s->kind != TIRBI_LS_TREE || s->as.tree.n_lets > 0) return NULL;
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++)
        if (!add_loop(loops, most, s->as.tree.loops[i])) return NULL;
    return s;
}

static bool collect(matcher *m, const tirbi_ls *s) {
    m->tree = tirbi_tree_nest(s, TIRBI_MAX_CONTRACT_LOOPS, &m->loops);
    if (!m->tree || m->tree->as.tree.n_loops != 1 || m->loops.n < 2) return false;
    m->loops.checked = true;
    m->rows = m->loops;
    m->rows.n--;
    return true;
}

/* What the tree's init stores to a place, where that is the same for all rows; each store of it belongs to one
 * update. */
static bool match_init(const matcher *m, const tirbi_ls *init, tirbi_contract_plan *plan, uint32_t *stores) {
    if (!init) return true;
    if (init->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < init->as.seq.n; i++) {
            if (!match_init(m, init->as.seq.items[i], plan, stores)) return false;
        }
        return true;
    }
    if (init->kind != TIRBI_LS_STORE) return false;
    ++*stores;
    const tirbi_lx *value = init->as.store.value;
    if (!tirbi_same_place(init->as.store.access, plan->operands[TIRBI_CONTRACT_C].place)) return true;
    if (plan->first || !value->pure || value->traps || tirbi_mentions_loops(value, &m->loops)) return false;
    plan->first = value;
    return true;
}

/* An element of the sum's type; along the row they follow each other. */
static bool match_term(matcher *m, const tirbi_lx *x, tirbi_contract_plan *plan, unsigned operand) {
    int64_t step;
    if (x->kind != TIRBI_LX_LOAD || x->type != plan->type) return false;
    plan->operands[operand].place = x->access;
    plan->operands[operand].type = plan->type;
    return tirbi_affine_number(m->pool, x->access, &m->loops, &plan->operands[operand].form) &&
           tirbi_affine_constant(&plan->operands[operand].form, m->rows.n, &step) && step == 1 &&
           tirbi_checkable(m->pool, x->access, &m->loops);
}

/* Every row has an element of its own. */
static bool match_target(matcher *m, const tirbi_place *c, tirbi_contract_plan *plan) {
    bool spatial[TIRBI_MAX_AFFINE];
    plan->operands[TIRBI_CONTRACT_C].place = c;
    plan->type = plan->operands[TIRBI_CONTRACT_C].type = c->buffer->type;
    tirbi_affine *form = &plan->operands[TIRBI_CONTRACT_C].form;
    const bool folds = plan->type == TIRB_F32 || plan->type == TIRB_F64 || plan->type == TIRB_BOOL ||
                       tirbi_dtype_is_int(plan->type);
    if (!folds || c->buffer->local || c->view || c->buffer->overlaps ||
        !tirbi_spatial_loops(m->pool, &m->loops, c, spatial) || !tirbi_affine_number(m->pool, c, &m->loops, form) ||
        !tirbi_checkable(m->pool, c, &m->loops) || spatial[m->rows.n] || form->coefficient[m->rows.n]) {
        return false;
    }
    for (uint32_t i = 0; i < m->rows.n; i++) {
        if (spatial[i] != (form->coefficient[i] != NULL)) return false;
        if (!spatial[i] && m->rows.var[i]->extent->hi > 1) return false;
    }
    return true;
}

static bool match_update(matcher *m, const tirbi_update *update, tirbi_contract_plan *plan, uint32_t *stores) {
    *plan = (tirbi_contract_plan){.loops = m->loops, .span = m->tree->span};
    plan->flags = (uint8_t)((unsigned)update->op | (update->factor ? TIRBI_FOLD_PRODUCTS : 0));
    plan->reduces[m->rows.n] = true;
    return match_target(m, update->target, plan) && match_term(m, update->value, plan, TIRBI_CONTRACT_A) &&
           match_term(m, update->factor ? update->factor : update->value, plan, TIRBI_CONTRACT_B) &&
           match_init(m, m->tree->as.tree.init, plan, stores);
}

/* Whether no update reads or writes what another one writes, nor reads what it writes itself. */
static bool apart(const tirbi_fold_plans *plans) {
    for (uint32_t i = 0; i < plans->n; i++) {
        const tirbi_lbuf *written = plans->plan[i].operands[TIRBI_CONTRACT_C].place->buffer->root;
        for (uint32_t k = 0; k < plans->n; k++) {
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
                if (k == i && o == TIRBI_CONTRACT_C) continue;
                if (tirbi_may_meet(plans->plan[k].operands[o].place->buffer->root, written)) return false;
            }
        }
    }
    return true;
}

/* Truth is a number of a byte. */
static void count_truth(tirbi_contract_plan *plan) {
    if (plan->type != TIRB_BOOL) return;
    plan->type = TIRB_U8;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) plan->operands[o].type = TIRB_U8;
}

bool tirbi_plan_folds(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_fold_plans *out) {
    matcher m = {.pool = pool, .out = out};
    uint32_t with_first = 0;
    out->n = 0;
    if (!collect(&m, loop) || m.tree->as.tree.n_updates > TIRBI_MAX_FOLDS) return false;
    uint32_t stores = 0;
    for (uint32_t i = 0; i < m.tree->as.tree.n_updates; i++) {
        stores = 0;
        if (!match_update(&m, &m.tree->as.tree.updates[i], &out->plan[i], &stores)) return false;
        with_first += out->plan[i].first != NULL;
        count_truth(&out->plan[i]);
        out->n++;
    }
    return with_first == stores && apart(out);
}
