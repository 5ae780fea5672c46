/* A name is no more than what it stands for: whether an element has one before it is used decides nothing that follows.
 * A value moves from where it is named to where it is used. Until then nobody may write the memory that it loads from
 * or set a variable in it; it may fail there as it would have failed before, and is computed no more often, but that
 * elements alone are loaded again. */
#include "compiler/optimize/normalise/forward.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/normalise/reductions.h"
#include "compiler/optimize/normalise/targets.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum {
    MAX_ITEMS = 64,     /* statements of a sequence, */
    MAX_WORK = 1 << 17, /* statements that are looked at, */
    MAX_VALUE = 24,     /* and nodes of a value that moves */
    MAX_USES = 8,       /* of an element that is loaded again at each */
    MAX_DEPTH = 48
};

typedef struct forwarder {
    tirbi_lx_pool *pool;
    uint32_t work;
} forwarder;

/* ---- Where a value is used -------------------------------------------------------------------------------------- */

typedef struct uses {
    const tirbi_lvar *var;
    uint32_t n;
    bool guarded; /* some condition, or a loop, decides whether it is come to */
    bool fixed;   /* it is used where only variables may stand */
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

static bool is_bound_by(const tirbi_lvar *loop, const tirbi_lvar *var) {
    return tirbi_lx_depends_on(loop->min, var) || tirbi_lx_depends_on(loop->extent, var) ||
           (loop->below && tirbi_lx_depends_on(loop->below, var));
}

static tirbi_step note_loop(tirbi_walk *walk, const tirbi_ls *s) {
    uses *u = walk->context;
    if (s->kind == TIRBI_LS_LOOP) {
        u->loops++;
        if (is_bound_by(s->as.loop.var, u->var) || (s->as.loop.step && tirbi_lx_depends_on(s->as.loop.step, u->var)) ||
            s->as.loop.blocks || s->as.loop.rows)
            u->fixed = true;
    }
    if (s->kind == TIRBI_LS_IF && s->as.if_.first_of) u->fixed = true;
    if (s->kind == TIRBI_LS_SET && s->as.set.var == u->var) u->fixed = true;
    return TIRBI_INTO;
}

/* Adds the uses in a statement; false where one is of a kind that cannot be rewritten. */
static bool find_uses(uses *u, const tirbi_ls *s) {
    tirbi_walk walk = {.context = u,
                       .stmt = note_loop,
                       .expr = note_use,
                       .kinds = TIRBI_NESTS,
                       .deepest = MAX_DEPTH,
                       .reach = TIRBI_WALK_ALL & ~TIRBI_WALK_BOUNDS};
    u->loops = 0;
    return tirbi_walk_stmt(&walk, s) && !u->fixed;
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

static bool is_call(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_CALL;
}

/* Whether something other than a subscript may be wrong in a node: it ends the call with another status. */
static bool fails_by_itself(const void *context, const tirbi_lx *x) {
    (void)context;
    const bool divides =
        x->op == TIRB_OP_DIV || x->op == TIRB_OP_MOD || x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_FLOORMOD;
    return x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_OP && x->traps && divides);
}

/* Whether a value stays what it is where it is computed behind a statement, and fails then as it would before. */
static bool may_pass(const tirbi_lx *value, const tirbi_ls *past) {
    const moved m = {value, past};
    if (!tirbi_is_made_of(past, TIRBI_NESTS | TIRBI_KIND(ALLOC)) ||
        tirbi_any_value(past, TIRBI_WALK_ALL, is_call, NULL) ||
        tirbi_any_expr(value, TIRBI_WALK_ALL, is_changed_by, &m))
        return false;
    return !value->traps ||
           (past->kind == TIRBI_LS_SET && !tirbi_any_value(past, TIRBI_WALK_ALL, fails_by_itself, NULL));
}

/* Whether the value of item `at` may stand where its variable does. `last`: the item that uses it last. */
static bool may_forward(forwarder *f, const tirbi_ls *const *items, uint32_t at, uint32_t n, uint32_t *last) {
    const tirbi_ls *let = items[at];
    if (let->kind != TIRBI_LS_SET || !let->as.set.declares || let->as.set.var->kind != TIRBI_LVAR_LET) return false;
    const tirbi_lx *value = let->as.set.value;
    if (!value || value->pure || value->size > MAX_VALUE ||
        tirbi_any_expr(value, TIRBI_WALK_ALL, fails_by_itself, NULL))
        return false;
    uses u = {.var = let->as.set.var};
    *last = at;
    for (uint32_t i = at + 1; i < n; i++) {
        const uint32_t before = u.n;
        tirbi_lvar *name = let->as.set.var;
        if (f->work == 0) return false;
        f->work--;
        const bool known = find_uses(&u, items[i]);
        if (u.fixed || (!known && (tirbi_has_kind(items[i], TIRBI_KIND(LOOP)) || tirbi_names(items[i], &name, 1))))
            return false;
        if (u.n > before) *last = i;
    }
    const bool element = value->kind == TIRBI_LX_LOAD && !value->traps;
    if (u.n == 0 || u.n > (element ? MAX_USES : 1) || (u.guarded && !element)) return false;
    for (uint32_t i = at + 1; i <= *last; i++) {
        const bool straight = items[i]->kind == TIRBI_LS_STORE || items[i]->kind == TIRBI_LS_SET;
        if (i == *last && straight) break;
        if (!may_pass(value, items[i])) return false;
    }
    return !value->traps || !tirbi_any_value(items[*last], TIRBI_WALK_ALL, fails_by_itself, NULL);
}

/* ---- The code anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_ls *let = rewrite->context;
    return x->kind == TIRBI_LX_VAR && x->var == let->as.set.var ? let->as.set.value : NULL;
}

/* Writes the value of item `at` into those behind it, up to `last`; false where memory ran out, or one cannot be. */
static bool write_into(forwarder *f, const tirbi_ls **items, uint32_t at, uint32_t last) {
    const tirbi_ls *copy[MAX_ITEMS];
    tirbi_lvar *name = items[at]->as.set.var;
    tirbi_rewrite rewrite = {.pool = f->pool, .replace = replace, .context = (void *)items[at], .loops = true};
    for (uint32_t i = at + 1; i <= last; i++) {
        copy[i] = tirbi_names(items[i], &name, 1) ? tirbi_rewrite_assignments(&rewrite, items[i]) : items[i];
        if (!copy[i]) return false;
    }
    for (uint32_t i = at + 1; i <= last; i++) items[i] = copy[i];
    return true;
}

/* Whether a variable begins with a value that the next statement replaces. */
static bool is_replaced(const tirbi_ls *s, const tirbi_ls *next) {
    return s->kind == TIRBI_LS_SET && s->as.set.declares && s->as.set.value->kind == TIRBI_LX_CONST &&
           next->kind == TIRBI_LS_SET && next->as.set.var == s->as.set.var && !next->as.set.declares &&
           !tirbi_lx_depends_on(next->as.set.value, s->as.set.var);
}

/* A sequence without the names that need not be. */
static const tirbi_ls *without_names(forwarder *f, const tirbi_ls *s) {
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n = 0, left = 0, last;
    if (!tirbi_list_statements(s, items, &n, MAX_ITEMS)) return s;
    const uint32_t all = n;
    for (uint32_t i = 0; i < n; i++) {
        if (i + 1 < n && is_replaced(items[i], items[i + 1])) {
            items[i + 1] =
                tirbi_new_set(f->pool, items[i + 1]->span, items[i]->as.set.var, items[i + 1]->as.set.value, true);
            if (!items[i + 1]) return s;
            continue;
        }
        if (!may_forward(f, items, i, n, &last) || !write_into(f, items, i, last)) items[left++] = items[i];
    }
    if (left == all) return s;
    const tirbi_ls *copy = tirbi_new_sequence(f->pool, s->span, items, left);
    return copy ? copy : s;
}

static const tirbi_ls *forward(void *context, const tirbi_ls *s) {
    forwarder *f = context;
    while (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 1) s = s->as.seq.items[0];
    const tirbi_ls *ordered = s->kind == TIRBI_LS_LOOP ? tirbi_order_reduction(f->pool, s) : NULL;
    if (ordered) return forward(f, ordered);
    if (s->kind == TIRBI_LS_SEQ) s = without_names(f, s);
    s = tirbi_replace_inside(f->pool, s, forward, f);
    const tirbi_ls *kept = s->kind == TIRBI_LS_LOOP ? tirbi_keep_in_targets(f->pool, s) : NULL;
    return kept ? kept : s;
}

const tirbi_ls *tirbi_forward_values(tirbi_lx_pool *pool, const tirbi_ls *body) {
    forwarder f = {.pool = pool, .work = MAX_WORK};
    return forward(&f, body);
}
