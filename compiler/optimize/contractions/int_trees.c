#include "compiler/optimize/contractions/int_trees.h"

#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_UPDATES = 4, MAX_DEPTH = 64 };

/* ---- Loops as trees --------------------------------------------------------------------------------------------- */

/* Whether any or all of several are true is their greatest or least, as numbers 0 and 1, where looking at all of them
 * does no harm. */
static bool reduces_truth(const tirbi_lx *x, tirbi_red_op *out) {
    const bool lazy = x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR;
    const bool is_op = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_AND || x->op == TIRB_OP_OR);
    *out = x->kind == TIRBI_LX_OR || (is_op && x->op == TIRB_OP_OR) ? TIRBI_RED_MAX : TIRBI_RED_MIN;
    return (lazy || is_op) && !x->args[0]->traps && !x->args[1]->traps;
}

static bool reduces(const tirbi_lx *x, tirbi_dtype type, tirbi_red_op *out) {
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

/* What leaves every value as it is; the greatest uint64 is no number of the loop IR. */
static const tirbi_lx *identity(tirbi_lx_pool *pool, tirbi_red_op op, tirbi_dtype type) {
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

static bool is_proven(const tirbi_place *place) {
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!tirbi_dim_proven(place, d)) return false;
    return true;
}

/* O = op(O, e), or the same under a condition, where e is what changes nothing if that does not hold. */
static bool match_update(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lvar *var, tirbi_update *out) {
    const tirbi_lx *condition = NULL;
    if (s->kind == TIRBI_LS_IF && !s->as.if_.first_of && !s->as.if_.else_case) {
        condition = s->as.if_.condition;
        s = s->as.if_.then_case;
    }
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
    if (s->kind != TIRBI_LS_STORE) return false;
    const tirbi_place *place = s->as.store.access;
    const tirbi_lx *x = s->as.store.value;
    if (!is_whole(place->buffer->type) || place->buffer->local || !stands_still(place, var) ||
        !reduces(x, place->buffer->type, &out->op))
        return false;
    const bool first = x->args[0]->kind == TIRBI_LX_LOAD && tirbi_same_place(x->args[0]->access, place);
    const tirbi_lx *old = x->args[first ? 0 : 1];
    if (old->kind != TIRBI_LX_LOAD || !tirbi_same_place(old->access, place) || (condition && !is_proven(place)))
        return false;
    const tirbi_lx *term = x->args[first ? 1 : 0];
    const tirbi_lx *nothing = condition ? identity(pool, out->op, place->buffer->type) : NULL;
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

/* The init of a block whose only reduce loop this is, or NULL. False where it cannot stand before the loop. */
static bool match_init(const tirbi_ls *s, const tirbi_lvar *var, const tirbi_ls **init) {
    tirbi_lvar *own = (tirbi_lvar *)(uintptr_t)var;
    *init = NULL;
    if (s->kind != TIRBI_LS_IF || !s->as.if_.first_of) return true;
    if (s->as.if_.else_case || s->as.if_.n_first_of != 1 || s->as.if_.first_of[0] != var) return false;
    *init = s->as.if_.then_case;
    return !tirbi_code_uses(*init, &own, 1);
}

/* `begun`: something of this program was stored to all targets before. */
static const tirbi_ls *as_tree(tirbi_lx_pool *pool, const tirbi_ls *loop, bool begun) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_ls *body = loop->as.loop.body, *init;
    if (loop->as.loop.step || loop->as.loop.rows || loop->as.loop.blocks || loop->as.loop.parallel) return NULL;
    const tirbi_ls *const *items = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    const uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    if (n == 0 || n > MAX_UPDATES + 1 || !match_init(items[0], var, &init)) return NULL;
    const uint32_t first = init != NULL, n_updates = n - first;
    tirbi_update updates[MAX_UPDATES + 1];
    if (n_updates == 0 || n_updates > MAX_UPDATES) return NULL;
    for (uint32_t i = 0; i < n_updates; i++)
        if (!match_update(pool, items[first + i], var, &updates[i])) return NULL;
    if (!keep_apart(updates, n_updates)) return NULL;
    for (uint32_t i = 0; i < n_updates && !init && !begun; i++) /* bytes from outside may be true and more than 1 */
        if (updates[i].target->buffer->type == TIRB_BOOL) return NULL;
    tirbi_ls *tree = tirbi_new_stmt(pool, TIRBI_LS_TREE, loop->span);
    tirbi_update *copy = TIRBI_NEW_ARRAY(pool->arena, tirbi_update, n_updates);
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(pool->arena, tirbi_lvar *, 1);
    if (!tree || !copy || !loops) return NULL;
    for (uint32_t i = 0; i < n_updates; i++) copy[i] = updates[i];
    loops[0] = var;
    tree->as.tree.loops = loops;
    tree->as.tree.n_loops = 1;
    tree->as.tree.init = init;
    tree->as.tree.updates = copy;
    tree->as.tree.n_updates = n_updates;
    return tree;
}

/* ---- Sums in variables ------------------------------------------------------------------------------------------ */

/* c = 0; for k: c = c + ..; C[..] = f(c), with the element in the variables' place. */
typedef struct in_place {
    tirbi_lx_pool *pool;
    tirbi_lvar *vars[MAX_UPDATES];
    const tirbi_lx *begin[MAX_UPDATES];     /* what the variables hold at first */
    const tirbi_place *places[MAX_UPDATES]; /* and where they go */
    uint32_t n;
} in_place;

static const tirbi_place *place_of(const in_place *to, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < to->n; i++)
        if (to->vars[i] == var) return to->places[i];
    return NULL;
}

static const tirbi_lx *replace_variable(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_place *place = x->kind == TIRBI_LX_VAR ? place_of(rewrite->context, x->var) : NULL;
    return place ? tirbi_lx_load(rewrite->pool, place) : NULL;
}

static const tirbi_lx *with_places(const in_place *to, const tirbi_lx *x) {
    tirbi_rewrite rewrite = {.pool = to->pool, .replace = replace_variable, .context = (void *)(uintptr_t)to};
    return tirbi_rewrite_value(&rewrite, x);
}

static const tirbi_ls *store_to(const in_place *to, const tirbi_place *place, const tirbi_lx *value, tirbi_span span) {
    return tirbi_new_store(to->pool, span, place, with_places(to, value));
}

/* What the loop's body does to the variables. */
static const tirbi_ls *update_in_place(const in_place *to, const tirbi_ls *s, unsigned depth) {
    const tirbi_place *place = s->kind == TIRBI_LS_SET ? place_of(to, s->as.set.var) : NULL;
    if (place) return store_to(to, place, s->as.set.value, s->span);
    tirbi_ls *copy = depth < MAX_DEPTH ? tirbi_new_stmt(to->pool, (tirbi_ls_kind)s->kind, s->span) : NULL;
    if (!copy) return NULL;
    *copy = *s;
    if (s->kind == TIRBI_LS_IF && !s->as.if_.else_case && !s->as.if_.first_of) {
        copy->as.if_.condition = with_places(to, s->as.if_.condition);
        copy->as.if_.then_case = update_in_place(to, s->as.if_.then_case, depth + 1);
        return copy->as.if_.condition && copy->as.if_.then_case ? copy : NULL;
    }
    const tirbi_ls **items =
        s->kind == TIRBI_LS_SEQ ? TIRBI_NEW_ARRAY(to->pool->arena, const tirbi_ls *, s->as.seq.n) : NULL;
    for (uint32_t i = 0; items && i < s->as.seq.n; i++) {
        items[i] = update_in_place(to, s->as.seq.items[i], depth + 1);
        if (!items[i]) return NULL;
    }
    copy->as.seq.items = items;
    return items ? copy : NULL;
}

/* Whether a store has nothing to do with memory of `root`. */
static bool leaves_alone(const tirbi_ls *store, const tirbi_lbuf *root) {
    const tirbi_place *place = store->as.store.access;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!place->indices[d]->pure) return false;
    return !tirbi_may_meet(place->buffer->root, root) && !tirbi_may_read(store->as.store.value, root);
}

/* Where variable `v` goes, by the only one of the stores behind the loop that uses it. Nothing else beside the loop has
 * to do with the memory that is there. */
static bool find_place(in_place *to, uint32_t v, const tirbi_ls *seq, uint32_t loop) {
    const tirbi_lvar *var = to->vars[v];
    const tirbi_ls *own = NULL;
    for (uint32_t i = loop + 1; i < seq->as.seq.n; i++) {
        if (!tirbi_code_uses(seq->as.seq.items[i], &to->vars[v], 1)) continue;
        if (own) return false;
        own = seq->as.seq.items[i];
    }
    if (!own || own->kind != TIRBI_LS_STORE || !is_whole(var->type)) return false;
    const tirbi_place *place = to->places[v] = own->as.store.access;
    const tirbi_lbuf *root = place->buffer->root;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!place->indices[d]->pure || tirbi_lx_depends_on(place->indices[d], var)) return false;
    for (uint32_t i = loop + 1; i < seq->as.seq.n; i++)
        if (seq->as.seq.items[i] != own && !leaves_alone(seq->as.seq.items[i], root)) return false;
    return place->buffer->type == var->type && is_proven(place) && !tirbi_may_read(own->as.store.value, root);
}

static bool only_stores(const tirbi_ls *seq, uint32_t loop) {
    for (uint32_t i = loop + 1; i < seq->as.seq.n; i++)
        if (seq->as.seq.items[i]->kind != TIRBI_LS_STORE) return false;
    return true;
}

/* Notes the variables that a sequence begins with, and what each holds then. The number of its next statement. */
static uint32_t note_variables(in_place *to, const tirbi_ls *seq) {
    uint32_t i = 0;
    for (; i < seq->as.seq.n; i++) {
        const tirbi_ls *s = seq->as.seq.items[i];
        uint32_t v = 0;
        if (s->kind != TIRBI_LS_SET || s->as.set.var->kind != TIRBI_LVAR_LOCAL || !s->as.set.value->pure) break;
        while (v < to->n && to->vars[v] != s->as.set.var) v++;
        if (v == MAX_UPDATES || (v == to->n && !s->as.set.declares)) break;
        for (uint32_t k = 0; k < to->n; k++)
            if (tirbi_lx_depends_on(s->as.set.value, to->vars[k])) return i;
        to->vars[v] = s->as.set.var;
        to->begin[v] = s->as.set.value;
        if (v == to->n) to->n++;
    }
    return i;
}

/* The sequence with the sums of its loop in place; NULL where it stays as it is. */
static const tirbi_ls *sum_in_place(tirbi_lx_pool *pool, const tirbi_ls *seq) {
    in_place to = {.pool = pool};
    const uint32_t at = note_variables(&to, seq);
    const tirbi_ls *loop = to.n > 0 && at < seq->as.seq.n ? seq->as.seq.items[at] : NULL;
    if (!loop || loop->kind != TIRBI_LS_LOOP || !only_stores(seq, at)) return NULL;
    for (uint32_t v = 0; v < to.n; v++) {
        const tirbi_lvar *round = loop->as.loop.var;
        if (!find_place(&to, v, seq, at) || tirbi_lx_depends_on(round->min, to.vars[v]) ||
            tirbi_lx_depends_on(round->extent, to.vars[v]))
            return NULL;
    }
    tirbi_ls *copy = tirbi_new_stmt(pool, TIRBI_LS_SEQ, seq->span);
    tirbi_ls *fresh = tirbi_new_stmt(pool, TIRBI_LS_LOOP, loop->span);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, seq->as.seq.n);
    if (!copy || !fresh || !items) return NULL;
    *fresh = *loop;
    fresh->as.loop.body = update_in_place(&to, loop->as.loop.body, 0);
    uint32_t n = 0;
    for (uint32_t v = 0; v < to.n; v++) items[n++] = store_to(&to, to.places[v], to.begin[v], loop->span);
    items[n++] = fresh->as.loop.body ? as_tree(pool, fresh, true) : NULL;
    for (uint32_t i = at + 1; i < seq->as.seq.n; i++) {
        const tirbi_ls *s = seq->as.seq.items[i];
        if (s->as.store.value->kind == TIRBI_LX_VAR && place_of(&to, s->as.store.value->var)) continue;
        items[n++] = store_to(&to, s->as.store.access, s->as.store.value, s->span);
    }
    for (uint32_t i = 0; i < n; i++)
        if (!items[i]) return NULL;
    copy->as.seq.items = items;
    copy->as.seq.n = n;
    return copy;
}

/* ---- Everything ------------------------------------------------------------------------------------------------- */

static const tirbi_ls *with_trees(tirbi_lx_pool *pool, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_DEPTH || (s->kind != TIRBI_LS_LOOP && s->kind != TIRBI_LS_SEQ)) return s;
    tirbi_ls *copy = tirbi_new_stmt(pool, (tirbi_ls_kind)s->kind, s->span);
    if (!copy) return s;
    *copy = *s;
    if (s->kind == TIRBI_LS_LOOP) {
        const tirbi_ls *tree = as_tree(pool, s, false);
        if (tree) return tree;
        copy->as.loop.body = with_trees(pool, s->as.loop.body, depth + 1);
        return copy->as.loop.body == s->as.loop.body ? s : copy;
    }
    const tirbi_ls *placed = sum_in_place(pool, s);
    if (placed) return placed;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, s->as.seq.n);
    bool changed = false;
    for (uint32_t i = 0; items && i < s->as.seq.n; i++) {
        items[i] = with_trees(pool, s->as.seq.items[i], depth + 1);
        changed = changed || items[i] != s->as.seq.items[i];
    }
    copy->as.seq.items = items;
    return changed ? copy : s;
}

const tirbi_ls *tirbi_int_trees(tirbi_lx_pool *pool, const tirbi_ls *s) { return with_trees(pool, s, 0); }

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
    if (!old) return NULL;
    const tirbi_lx_kind join = update->op == TIRBI_RED_MAX ? TIRBI_LX_OR : TIRBI_LX_AND;
    const tirbi_lx *both =
        type == TIRB_BOOL ? tirbi_lx_lazy(pool, join, old, update->value, NULL)
                          : tirbi_lx_op(pool, ops[update->op], type, TIRB_TYPE_NONE, old, update->value, NULL);
    return tirbi_new_store(pool, span, update->target, both);
}

const tirbi_ls *tirbi_loops_of_tree(tirbi_lx_pool *pool, const tirbi_ls *tree) {
    tirbi_lvar *var = tree->as.tree.loops[0];
    tirbi_ls *loop = tirbi_new_stmt(pool, TIRBI_LS_LOOP, tree->span);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, tree->as.tree.n_updates);
    if (!loop || !items) return NULL;
    for (uint32_t i = 0; i < tree->as.tree.n_updates; i++)
        items[i] = update_as_store(pool, &tree->as.tree.updates[i], tree->span);
    loop->as.loop.var = var;
    loop->as.loop.body = tirbi_new_sequence(pool, tree->span, items, tree->as.tree.n_updates);
    if (!loop->as.loop.body) return NULL;
    if (!tree->as.tree.init) return loop;
    const tirbi_ls *parts[2] = {tree->as.tree.init, loop}, *both = tirbi_new_sequence(pool, tree->span, parts, 2);
    if (var->extent->lo >= 1) return both;
    return tirbi_new_if(pool, tree->span, tirbi_lx_wide(pool, TIRB_OP_GT, var->extent, tirbi_lx_number(pool, 0)), both,
                        NULL);
}
