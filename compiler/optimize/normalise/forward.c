/* A name is no more than what it stands for: whether an element has one before it is used decides nothing that follows.
 * A value moves from where it is named to where it is used. Until then nobody may write the memory that it loads from
 * or set a variable in it; it may fail there as it would have failed before, and is computed no more often, but that
 * elements alone are loaded again. */
#include "compiler/optimize/normalise/forward.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/normalise/order.h"
#include "compiler/optimize/normalise/reductions.h"
#include "compiler/optimize/normalise/targets.h"
#include "compiler/optimize/normalise/upwards.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum {
    MAX_ITEMS = 64,     /* statements of a sequence, */
    MAX_WORK = 1 << 17, /* statements that are looked at, */
    MAX_VALUE = 96,     /* nodes of a value that moves: indices taken apart by division are long */
    MAX_USES = 8,       /* of an element that is loaded again at each */
    MAX_DEPTH = 48
};

typedef struct forwarder {
    tirbi_lx_pool *pool;
    uint32_t work;
    bool names_only;
} forwarder;

/* ---- Where a value is used -------------------------------------------------------------------------------------- */

typedef struct uses {
    const tirbi_lvar *var;
    uint32_t n;
    bool guarded; /* some condition, or a loop, decides whether it is come to */
    bool bounds;  /* it bounds a loop */
    bool fixed;   /* what is around it, or is it itself, cannot be written anew */
    uint32_t loops;
} uses;

static tirbi_step note_use(tirbi_walk *walk, const tirbi_lx *x) {
    uses *u = walk->context;
    if (x->kind == TIRBI_LX_CALL) u->fixed = u->fixed || tirbi_lx_depends_on(x, u->var);
    if (x->kind != TIRBI_LX_VAR || x->var != u->var) return TIRBI_INTO;
    u->n++;
    u->guarded = u->guarded || walk->guarded || u->loops > 0;
    return TIRBI_INTO;
}

static bool is_bound_by(const tirbi_lvar *var, const tirbi_lvar *by) {
    return tirbi_lx_depends_on(var->min, by) || tirbi_lx_depends_on(var->extent, by) ||
           (var->below && tirbi_lx_depends_on(var->below, by));
}

static tirbi_step note_statement(tirbi_walk *walk, const tirbi_ls *s) {
    uses *u = walk->context;
    if (s->kind == TIRBI_LS_LOOP) {
        const tirbi_lx *step = s->as.loop.step;
        u->loops++;
        u->bounds = u->bounds || is_bound_by(s->as.loop.var, u->var) || (step && tirbi_lx_depends_on(step, u->var));
        u->fixed = u->fixed || s->as.loop.blocks || s->as.loop.rows;
    }
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_loops; i++, u->loops++)
        u->bounds = u->bounds || is_bound_by(s->as.tree.loops[i], u->var);
    if (s->kind == TIRBI_LS_IF && s->as.if_.first_of) u->fixed = true;
    if (s->kind == TIRBI_LS_SET && s->as.set.var == u->var) u->fixed = true;
    return TIRBI_INTO;
}

/* Extents of a view stay what they are, where its places are written anew. */
static bool note_place(tirbi_walk *walk, const tirbi_place *place, const tirbi_lx *load) {
    uses *u = walk->context;
    (void)load;
    for (const tirbi_place *p = place; p; p = p->view)
        for (uint32_t d = 0; d < p->ndim; d++) u->fixed = u->fixed || tirbi_lx_depends_on(p->buffer->shape[d], u->var);
    return true;
}

/* The uses in a statement; false where they are not known. */
static bool find_uses(uses *u, const tirbi_ls *s) {
    tirbi_walk walk = {.context = u,
                       .stmt = note_statement,
                       .expr = note_use,
                       .access = note_place,
                       .kinds = TIRBI_NESTS | TIRBI_KIND(TREE),
                       .deepest = MAX_DEPTH,
                       .reach = TIRBI_WALK_ALL & ~TIRBI_WALK_BOUNDS};
    tirbi_lvar *var = (tirbi_lvar *)(uintptr_t)u->var;
    return tirbi_walk_stmt(&walk, s) || (!tirbi_has_kind(s, TIRBI_KIND(LOOP)) && !tirbi_names(s, &var, 1));
}

/* ---- What may change it until then ------------------------------------------------------------------------------ */

/* A value that moves past statements. */
typedef struct moved {
    const tirbi_lx *value;
    const tirbi_ls *past;
} moved;

static bool is_changed_by(const void *context, const tirbi_lx *x) {
    const moved *m = context;
    if (x->kind == TIRBI_LX_LOAD) return tirbi_stores_to(m->past, x->access->buffer->root);
    return x->kind == TIRBI_LX_VAR && tirbi_may_set(m->past, x->var);
}

/* Whether a value stays what it is where it is computed behind a statement, and fails then as it would before. */
static bool may_pass(const tirbi_lx *value, const tirbi_ls *past) {
    const moved m = {value, past};
    if (!tirbi_is_made_of(past, TIRBI_NESTS | TIRBI_KIND(TREE) | TIRBI_KIND(ALLOC)) ||
        tirbi_any_value(past, TIRBI_WALK_ALL, tirbi_is_call, NULL) ||
        tirbi_any_expr(value, TIRBI_WALK_ALL, is_changed_by, &m))
        return false;
    return !value->traps ||
           (past->kind == TIRBI_LS_SET && !tirbi_any_value(past, TIRBI_WALK_ALL, tirbi_fails_by_itself, NULL));
}

/* Whether a value is but arithmetic: it can be computed anywhere, and is the same node wherever it is. */
static bool is_plain(const tirbi_lx *value) { return value->pure && !value->traps; }

/* Whether a value is an element, of another type of integers perhaps, or times and plus what is known: of an index. */
static bool is_element(const tirbi_lx *x) {
    for (; x->kind == TIRBI_LX_OP && tirbi_dtype_is_int((tirbi_dtype)x->type); x = x->args[0]) {
        const bool casts = x->op == TIRB_OP_CAST && tirbi_dtype_is_int((tirbi_dtype)x->source);
        const bool counts = x->op == TIRB_OP_ADD || x->op == TIRB_OP_MUL;
        if (!casts && !(counts && x->args[1]->pure && x->args[1]->kind != TIRBI_LX_OP)) break;
    }
    return x->kind == TIRBI_LX_LOAD;
}

/* The uses of the variable of item `at` behind it, and the last item that has some; false where they are not known, or
 * may not become its value. */
static bool find_all_uses(forwarder *f, const tirbi_ls *const *items, uint32_t at, uint32_t n, uses *all,
                          uint32_t *last) {
    *all = (uses){.var = items[at]->as.set.var};
    *last = at;
    for (uint32_t i = at + 1; i < n; i++) {
        uses u = {.var = all->var};
        if (f->work == 0) return false;
        f->work--;
        if (!find_uses(&u, items[i]) || tirbi_may_set(items[i], all->var)) return false;
        if (u.n == 0 && !u.bounds) continue;
        if (u.fixed || (u.bounds && !is_plain(items[at]->as.set.value))) return false;
        all->n += u.n;
        all->guarded = all->guarded || u.guarded;
        *last = i;
    }
    return *last > at;
}

/* Whether the value of item `at` may stand where its variable does. `last`: the item that uses it last. */
static bool may_forward(forwarder *f, const tirbi_ls *const *items, uint32_t at, uint32_t n, uint32_t *last) {
    const tirbi_ls *let = items[at];
    uses u;
    if (let->kind != TIRBI_LS_SET || !let->as.set.declares) return false; /* what sets it again is no use of it */
    const tirbi_lx *value = let->as.set.value;
    if (!value || value->size > MAX_VALUE || tirbi_any_expr(value, TIRBI_WALK_ALL, tirbi_fails_by_itself, NULL) ||
        !find_all_uses(f, items, at, n, &u, last))
        return false;
    if (is_plain(value)) return true;
    const bool element = is_element(value) && !value->traps;
    if (u.n > (element ? MAX_USES : 1) || (u.guarded && !element)) return false;
    for (uint32_t i = at + 1; i <= *last; i++) {
        const bool straight = items[i]->kind == TIRBI_LS_STORE || items[i]->kind == TIRBI_LS_SET;
        if (i == *last && straight) break;
        if (!may_pass(value, items[i])) return false;
    }
    return !value->traps || !tirbi_any_value(items[*last], TIRBI_WALK_ALL, tirbi_fails_by_itself, NULL);
}

/* Whether the variable that item `at` declares is only ever set, by items alone: these go, too. */
static bool is_unused(forwarder *f, const tirbi_ls *const *items, uint32_t at, uint32_t n) {
    const tirbi_ls *begin = items[at];
    if (begin->kind != TIRBI_LS_SET || !begin->as.set.declares) return false;
    for (uint32_t i = at; i < n; i++) {
        uses u = {.var = begin->as.set.var};
        if (f->work == 0) return false;
        f->work--;
        const bool sets = items[i]->kind == TIRBI_LS_SET && items[i]->as.set.var == u.var;
        if (sets && (!items[i]->as.set.value || items[i]->as.set.value->traps || tirbi_lx_acts(items[i]->as.set.value)))
            return false;
        if (!find_uses(&u, items[i]) || u.n > 0 || u.bounds || (!sets && tirbi_may_set(items[i], u.var))) return false;
    }
    return true;
}

/* ---- The code anew ---------------------------------------------------------------------------------------------- */

/* Writes the value of item `at` into those behind it, up to `last`; false where memory ran out, or one cannot be. */
static bool write_into(forwarder *f, const tirbi_ls **items, uint32_t at, uint32_t last) {
    const tirbi_ls *copy[MAX_ITEMS];
    tirbi_lvar *name = items[at]->as.set.var;
    tirbi_rewrite rewrite = {.pool = f->pool, .anew = TIRBI_LOOPS_ANEW, .kinds = TIRBI_NESTS | TIRBI_KIND(TREE)};
    tirbi_bind_variable(&rewrite, name, items[at]->as.set.value);
    for (uint32_t i = at + 1; i <= last; i++) {
        const bool may_use = tirbi_names(items[i], &name, 1) || tirbi_has_kind(items[i], TIRBI_KIND(LOOP));
        copy[i] = may_use ? tirbi_rewrite_stmt(&rewrite, items[i]) : items[i];
        if (!copy[i]) return false;
    }
    for (uint32_t i = at + 1; i <= last; i++) items[i] = copy[i];
    return true;
}

/* Leaves out item `at` and all that sets its variable. */
static uint32_t leave_out(const tirbi_ls **items, uint32_t at, uint32_t n) {
    const tirbi_lvar *var = items[at]->as.set.var;
    uint32_t left = at;
    for (uint32_t i = at; i < n; i++)
        if (items[i]->kind != TIRBI_LS_SET || items[i]->as.set.var != var) items[left++] = items[i];
    return left;
}

/* A sequence without the names that need not be. */
static const tirbi_ls *without_names(forwarder *f, const tirbi_ls *s) {
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n = 0, left = 0, last;
    if (!tirbi_list_statements(s, items, &n, MAX_ITEMS)) return s;
    const uint32_t all = n;
    for (uint32_t i = 0; i < n;) {
        if (is_unused(f, items, i, n)) {
            n = leave_out(items, i, n);
            continue;
        }
        const bool replaced = i + 1 < n && tirbi_is_replaced(items[i], items[i + 1]);
        if (replaced) {
            items[i + 1] =
                tirbi_new_set(f->pool, items[i + 1]->span, items[i]->as.set.var, items[i + 1]->as.set.value, true);
            if (!items[i + 1]) return s;
        }
        if (!replaced && (!may_forward(f, items, i, n, &last) || !write_into(f, items, i, last)))
            items[left++] = items[i];
        i++;
    }
    if (left == all) return s;
    const tirbi_ls *copy = tirbi_new_sequence(f->pool, s->span, items, left);
    return copy ? copy : s;
}

static bool is_small_guard(const tirbi_ls *s) {
    return tirbi_is_guard(s) && s->as.if_.condition->size <= TIRBI_MAX_SHARED_SIZE;
}

/* The body of a loop of one iteration, with its value for its variable; NULL where it is another loop. */
static const tirbi_ls *of_one_iteration(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_given none = {.n = 0};
    if (!tirbi_lx_is_int(var->extent, 1) || !tirbi_is_plain_loop(loop) || loop->as.loop.parallel) return NULL;
    if (!tirbi_names(loop->as.loop.body, &var, 1) && !tirbi_any_stmt(loop->as.loop.body, tirbi_asks_for_first, var))
        return loop->as.loop.body;
    if (var->min->kind != TIRBI_LX_CONST || !tirbi_can_resolve(loop)) return NULL;
    const tirbi_lx *value = tirbi_lx_int(pool, var->type, var->min->value);
    return tirbi_resolve(pool, &none, loop->as.loop.body, var, value, NULL);
}

/* What stands for its only part, or is a loop of one iteration, is that part; two conditions on the same are one. */
static const tirbi_ls *unwrapped(tirbi_lx_pool *pool, const tirbi_ls *s) {
    for (;;) {
        s = tirbi_only_part(s);
        const tirbi_ls *inner = is_small_guard(s) ? tirbi_only_part(s->as.if_.then_case) : NULL;
        const tirbi_ls *made = s->kind == TIRBI_LS_LOOP ? of_one_iteration(pool, s) : NULL;
        if (inner && is_small_guard(inner)) {
            const tirbi_lx *both =
                tirbi_lx_lazy(pool, TIRBI_LX_AND, s->as.if_.condition, inner->as.if_.condition, NULL);
            made = tirbi_new_if(pool, s->span, both, inner->as.if_.then_case, NULL);
        }
        if (!made) return s;
        s = made;
    }
}

/* What is done in the first iteration of loops that it could not be done ahead of depends on a condition as any other
 * does. */
static const tirbi_ls *as_condition(tirbi_lx_pool *pool, const tirbi_ls *branch) {
    tirbi_ls *plain = branch->as.if_.first_of ? tirbi_same_stmt(pool, branch) : NULL;
    if (!plain) return branch;
    plain->as.if_.first_of = NULL;
    plain->as.if_.n_first_of = 0;
    return plain;
}

static const tirbi_ls *forward(void *context, const tirbi_ls *s) {
    forwarder *f = context;
    s = unwrapped(f->pool, s);
    const bool is_loop = s->kind == TIRBI_LS_LOOP && !f->names_only;
    const tirbi_ls *begins = s->kind == TIRBI_LS_LOOP ? tirbi_begin_at_zero(f->pool, s) : NULL;
    if (begins) s = begins;
    const tirbi_ls *upwards = s->kind == TIRBI_LS_LOOP ? tirbi_count_upwards(f->pool, s) : NULL;
    if (upwards) s = upwards;
    const tirbi_ls *ordered = is_loop ? tirbi_order_reduction(f->pool, s) : NULL;
    if (!ordered && is_loop) ordered = tirbi_order_loops(f->pool, s);
    if (ordered) return forward(f, ordered);
    if (s->kind == TIRBI_LS_IF && !f->names_only) s = as_condition(f->pool, s);
    if (s->kind == TIRBI_LS_SEQ) s = without_names(f, s);
    const tirbi_ls *inside = tirbi_replace_inside(f->pool, s, forward, f);
    const bool again = s->kind == TIRBI_LS_LOOP && inside != s; /* its indices may go down, now that others go up */
    upwards = again ? tirbi_count_upwards(f->pool, inside) : NULL;
    s = upwards ? upwards : inside;
    const tirbi_ls *kept = is_loop && s->kind == TIRBI_LS_LOOP ? tirbi_keep_in_targets(f->pool, s) : NULL;
    return kept ? kept : s;
}

const tirbi_ls *tirbi_forward_values(tirbi_lx_pool *pool, const tirbi_ls *body) {
    forwarder f = {.pool = pool, .work = MAX_WORK};
    return forward(&f, body);
}

const tirbi_ls *tirbi_forward_names(tirbi_lx_pool *pool, const tirbi_ls *body) {
    forwarder f = {.pool = pool, .work = MAX_WORK, .names_only = true};
    return forward(&f, body);
}
