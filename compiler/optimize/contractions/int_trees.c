#include "compiler/optimize/contractions/int_trees.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_UPDATES = 4 };

/* ---- Loops as trees --------------------------------------------------------------------------------------------- */

/* Whether any or all of several are true is their greatest or least, as numbers 0 and 1, where looking at all of them
 * does no harm. */
static bool reduces_truth(const tirbi_lx *x, tirbi_red_op *out) {
    const bool lazy = x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR;
    const bool is_op = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_AND || x->op == TIRB_OP_OR);
    *out = x->kind == TIRBI_LX_OR || (is_op && x->op == TIRB_OP_OR) ? TIRBI_RED_MAX : TIRBI_RED_MIN;
    return (lazy || is_op) && !x->args[0]->traps && !x->args[1]->traps;
}

bool tirbi_reduces(const tirbi_lx *x, tirbi_dtype type, tirbi_red_op *out) {
    if (type == TIRB_BOOL) return x->type == type && reduces_truth(x, out);
    if (x->kind != TIRBI_LX_OP || x->optype != type) return false;
    switch (x->op) {
    case TIRB_OP_ADD: *out = TIRBI_RED_ADD; return true;
    case TIRB_OP_MUL: *out = TIRBI_RED_MUL; return true;
    case TIRB_OP_MIN: *out = TIRBI_RED_MIN; return true;
    case TIRB_OP_MAX: *out = TIRBI_RED_MAX; return true;
    default: return false;
    }
}

const tirbi_lx *tirbi_identity(tirbi_lx_pool *pool, tirbi_red_op op, tirbi_dtype type) {
    if (type == TIRB_BOOL) return tirbi_lx_int(pool, type, op == TIRBI_RED_MIN);
    const tirbi_dtype_info *info = &tirbi_dtypes[type];
    const bool is_signed = info->class == 'I';
    const int64_t least = is_signed ? INT64_MIN >> (64 - info->bits) : 0;
    const int64_t greatest = is_signed ? INT64_MAX >> (64 - info->bits) : (int64_t)(UINT64_MAX >> (64 - info->bits));
    switch (op) {
    case TIRBI_RED_MUL: return tirbi_lx_int(pool, type, 1);
    case TIRBI_RED_MIN: return type == TIRB_U64 ? NULL : tirbi_lx_int(pool, type, greatest);
    case TIRBI_RED_MAX: return tirbi_lx_int(pool, type, least);
    default: return tirbi_lx_int(pool, type, 0);
    }
}

static bool is_whole(tirbi_dtype type) { return tirbi_dtype_is_int(type) || type == TIRB_BOOL; }

/* Whether a place is the same element in all iterations of a loop, whatever memory holds. */
static bool stands_still(const tirbi_place *place, const tirbi_lvar *var) {
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!place->indices[d]->pure) return false;
    return !place->view && place->flat->pure && !tirbi_place_depends_on(place, var);
}

/* O = op(O, e), or the same under a condition, where e is what changes nothing if that does not hold. */
static bool match_update(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lvar *var, tirbi_update *out) {
    const tirbi_lx *condition = NULL;
    if (s->kind == TIRBI_LS_IF && !s->as.if_.else_case) {
        condition = s->as.if_.condition;
        s = s->as.if_.then_case;
    }
    s = tirbi_only_part(s);
    if (s->kind != TIRBI_LS_STORE) return false;
    const tirbi_place *place = s->as.store.access;
    const tirbi_lx *x = s->as.store.value;
    if (!is_whole(place->buffer->type) || place->buffer->local || !stands_still(place, var) ||
        !tirbi_reduces(x, place->buffer->type, &out->op))
        return false;
    const bool first = x->args[0]->kind == TIRBI_LX_LOAD && tirbi_same_place(x->args[0]->access, place);
    const tirbi_lx *old = x->args[first ? 0 : 1];
    if (old->kind != TIRBI_LX_LOAD || !tirbi_same_place(old->access, place) ||
        (condition && !tirbi_is_surely_inside(place)))
        return false;
    const tirbi_lx *term = x->args[first ? 1 : 0];
    const tirbi_lx *nothing = condition ? tirbi_identity(pool, out->op, place->buffer->type) : NULL;
    if (condition) term = nothing ? tirbi_lx_lazy(pool, TIRBI_LX_COND, condition, term, nothing) : NULL;
    out->target = place;
    out->value = term;
    out->factor = NULL;
    return term != NULL;
}

/* Whether no update reads or writes what another one writes, nor what it writes itself but for its own value. */
static bool keep_apart(const tirbi_update *updates, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lbuf *root = updates[i].target->buffer->root;
        for (uint32_t k = 0; k < n; k++) {
            if (k != i && tirbi_may_meet(updates[k].target->buffer->root, root)) return false;
            if (tirbi_may_read(updates[k].value, root)) return false;
        }
    }
    return true;
}

static const tirbi_ls *as_tree(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_ls *body = loop->as.loop.body;
    if (loop->as.loop.step || loop->as.loop.rows || loop->as.loop.blocks || loop->as.loop.parallel) return NULL;
    const tirbi_ls *const *items = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    const uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    if (n == 0 || n > MAX_UPDATES) return NULL;
    tirbi_update updates[MAX_UPDATES];
    for (uint32_t i = 0; i < n; i++) /* bytes from outside may be true and more than 1 */
        if (!match_update(pool, items[i], var, &updates[i]) || updates[i].target->buffer->type == TIRB_BOOL)
            return NULL;
    if (!keep_apart(updates, n)) return NULL;
    tirbi_ls *tree = tirbi_new_stmt(pool, TIRBI_LS_TREE, loop->span);
    tirbi_update *copy = TIRBI_NEW_ARRAY(pool->arena, tirbi_update, n);
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(pool->arena, tirbi_lvar *, 1);
    if (!tree || !copy || !loops) return NULL;
    for (uint32_t i = 0; i < n; i++) copy[i] = updates[i];
    loops[0] = var;
    tree->as.tree.loops = loops;
    tree->as.tree.n_loops = 1;
    tree->as.tree.updates = copy;
    tree->as.tree.n_updates = n;
    return tree;
}

/* ---- Everything ------------------------------------------------------------------------------------------------- */

static const tirbi_ls *with_trees(void *pool, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_LOOP && s->kind != TIRBI_LS_SEQ) return s;
    const tirbi_ls *tree = s->kind == TIRBI_LS_LOOP ? as_tree(pool, s) : NULL;
    return tree ? tree : tirbi_replace_inside(pool, s, with_trees, pool);
}

const tirbi_ls *tirbi_int_trees(tirbi_lx_pool *pool, const tirbi_ls *s) { return with_trees(pool, s); }

/* ---- Trees as loops --------------------------------------------------------------------------------------------- */

bool tirbi_is_int_tree(const tirbi_ls *tree) {
    return tree->as.tree.n_updates > 0 && is_whole(tree->as.tree.updates[0].target->buffer->type);
}

static const tirbi_ls *update_as_store(tirbi_lx_pool *pool, const tirbi_update *update, tirbi_span span) {
    static const tirbi_op ops[] = {[TIRBI_RED_ADD] = TIRB_OP_ADD,
                                   [TIRBI_RED_MUL] = TIRB_OP_MUL,
                                   [TIRBI_RED_MIN] = TIRB_OP_MIN,
                                   [TIRBI_RED_MAX] = TIRB_OP_MAX};
    const tirbi_dtype type = update->target->buffer->type;
    const tirbi_lx *old = tirbi_lx_load(pool, update->target);
    const tirbi_lx_kind join = update->op == TIRBI_RED_MAX ? TIRBI_LX_OR : TIRBI_LX_AND;
    const tirbi_lx *both = type == TIRB_BOOL ? tirbi_lx_lazy(pool, join, old, update->value, NULL)
                                             : tirbi_lx_binary(pool, ops[update->op], type, old, update->value);
    return tirbi_new_store(pool, span, update->target, both);
}

const tirbi_ls *tirbi_loops_of_tree(tirbi_lx_pool *pool, const tirbi_ls *tree) {
    tirbi_lvar *var = tree->as.tree.loops[0];
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, tree->as.tree.n_updates);
    if (!items) return NULL;
    for (uint32_t i = 0; i < tree->as.tree.n_updates; i++)
        items[i] = update_as_store(pool, &tree->as.tree.updates[i], tree->span);
    const tirbi_ls *loop =
        tirbi_new_loop(pool, tree->span, var, tirbi_new_sequence(pool, tree->span, items, tree->as.tree.n_updates));
    if (!tree->as.tree.init) return loop;
    const tirbi_ls *parts[2] = {tree->as.tree.init, loop}, *both = tirbi_new_sequence(pool, tree->span, parts, 2);
    if (var->extent->lo >= 1) return both;
    return tirbi_new_if(pool, tree->span, tirbi_lx_with(pool, TIRB_OP_GT, var->extent, 0), both, NULL);
}
