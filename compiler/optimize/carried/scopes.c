/* A program's scratch of one element is often allocated once, in front of all loops. As a variable it would be carried
 * from each iteration to the next, though every one sets it before it reads it. */
#include "compiler/optimize/carried/scopes.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_DEPTH = 48, MAX_LOOPS = 16, MAX_WORK = 1 << 18, MAX_ANEW = 32 };

/* What statements do with a variable on their way. */
typedef enum first_use {
    UNUSED,
    SET_PERHAPS, /* none reads it ahead of setting it */
    SET_FIRST,   /* it is set for certain, and not read ahead of that */
    READ_FIRST   /* or that cannot be told */
} first_use;

typedef struct scope {
    tirbi_lx_pool *pool;
    const tirbi_lvar *var;
    /* Loops around the statement at hand, from the iteration that is looked at: in that of their beginning, it runs. */
    const tirbi_lvar *loops[MAX_LOOPS];
    uint32_t n_loops;
    uint32_t certain; /* only those from here on run for certain */
    bool jumps;       /* iterations may end early */
    uint32_t *work;   /* statements that may still be looked at */
} scope;

/* ---- What comes first ------------------------------------------------------------------------------------------- */

static first_use of_value(const scope *c, const tirbi_lx *x) {
    return x && tirbi_lx_depends_on(x, c->var) ? READ_FIRST : UNUSED;
}

static first_use of_bounds(const scope *c, const tirbi_lvar *loop) {
    const bool used = of_value(c, loop->min) || of_value(c, loop->extent) || of_value(c, loop->below);
    return used ? READ_FIRST : UNUSED;
}

static first_use then(first_use a, first_use b) {
    if (a == SET_FIRST || a == READ_FIRST || b == UNUSED) return a;
    return b;
}

/* Of two ways, one of which is taken. */
static first_use either(first_use a, first_use b) {
    if (a == b) return a;
    return a == READ_FIRST || b == READ_FIRST ? READ_FIRST : SET_PERHAPS;
}

static first_use of_stmt(scope *c, const tirbi_ls *s, unsigned depth);

/* A statement that may not be reached. */
static first_use of_arm(scope *c, const tirbi_ls *s, unsigned depth) {
    const uint32_t certain = c->certain;
    c->certain = c->n_loops;
    const first_use use = s ? of_stmt(c, s, depth) : UNUSED;
    c->certain = certain;
    return use;
}

/* Whether a condition, that some loops are at their beginning, holds when the statement is come to first. */
static bool holds_first(const scope *c, const tirbi_ls *branch) {
    if (!branch->as.if_.first_of || branch->as.if_.else_case || c->jumps) return false;
    for (uint32_t i = 0; i < branch->as.if_.n_first_of; i++) {
        uint32_t k = c->certain;
        while (k < c->n_loops && c->loops[k] != branch->as.if_.first_of[i]) k++;
        if (k == c->n_loops) return false;
    }
    return true;
}

static first_use of_branch(scope *c, const tirbi_ls *s, unsigned depth) {
    if (holds_first(c, s)) return of_stmt(c, s->as.if_.then_case, depth + 1);
    const first_use yes = of_arm(c, s->as.if_.then_case, depth + 1), no = of_arm(c, s->as.if_.else_case, depth + 1);
    return then(of_value(c, s->as.if_.condition), either(yes, no));
}

static first_use of_loop(scope *c, const tirbi_ls *s, unsigned depth) {
    const tirbi_lvar *loop = s->as.loop.var;
    const uint32_t certain = c->certain;
    const bool runs = loop->extent->lo >= 1;
    if (c->n_loops == MAX_LOOPS) return READ_FIRST;
    if (!runs) c->certain = c->n_loops;
    c->loops[c->n_loops++] = loop;
    first_use use = of_stmt(c, s->as.loop.body, depth + 1);
    c->n_loops--;
    c->certain = certain;
    if (use == SET_FIRST && (!runs || c->jumps)) use = SET_PERHAPS;
    return then(then(of_bounds(c, loop), of_value(c, s->as.loop.step)), use);
}

static first_use of_tree(scope *c, const tirbi_ls *s, unsigned depth) {
    bool runs = true;
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) {
        if (of_bounds(c, s->as.tree.loops[i]) == READ_FIRST) return READ_FIRST;
        runs = runs && s->as.tree.loops[i]->extent->lo >= 1;
    }
    first_use use = s->as.tree.init ? of_stmt(c, s->as.tree.init, depth + 1) : UNUSED;
    if (use == SET_FIRST) return runs ? SET_FIRST : SET_PERHAPS;
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) use = then(use, of_value(c, s->as.tree.lets[i]));
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *u = &s->as.tree.updates[i];
        if (u->target->buffer->local == c->var || tirbi_place_depends_on(u->target, c->var)) return READ_FIRST;
        use = then(then(use, of_value(c, u->value)), of_value(c, u->factor));
    }
    return use;
}

static first_use of_stmt(scope *c, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_DEPTH || *c->work == 0) return READ_FIRST;
    --*c->work;
    first_use use = UNUSED;
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) use = then(use, of_stmt(c, s->as.seq.items[i], depth + 1));
        return use;
    case TIRBI_LS_LOOP:
        return of_loop(c, s, depth);
    case TIRBI_LS_IF:
        return of_branch(c, s, depth);
    case TIRBI_LS_WHILE:
        use = of_arm(c, s->as.while_.body, depth + 1);
        return then(of_value(c, s->as.while_.condition), use == SET_FIRST ? SET_PERHAPS : use);
    case TIRBI_LS_STORE:
        if (tirbi_place_depends_on(s->as.store.access, c->var)) return READ_FIRST;
        return of_value(c, s->as.store.value);
    case TIRBI_LS_SET:
        return then(of_value(c, s->as.set.value), s->as.set.var == c->var ? SET_FIRST : UNUSED);
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN:
        return of_value(c, s->as.eval.value);
    case TIRBI_LS_ASSERT:
        return of_value(c, s->as.assert_.condition);
    case TIRBI_LS_SEARCH:
        return then(of_bounds(c, s->as.search.var), of_value(c, s->as.search.condition));
    case TIRBI_LS_ALLOC:
        for (uint32_t i = 0; i < s->as.alloc.buffer->ndim; i++)
            use = then(use, of_value(c, s->as.alloc.buffer->shape[i]));
        return then(use, of_value(c, s->as.alloc.buffer->length));
    case TIRBI_LS_FETCH:
        return of_value(c, s->as.fetch.handle);
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE:
        return UNUSED;
    case TIRBI_LS_TREE:
        return of_tree(c, s, depth);
    }
    return READ_FIRST;
}

/* ---- Moving declarations ---------------------------------------------------------------------------------------- */

/* The body with the variable beginning at the first of its statements that uses it. */
static const tirbi_ls *beginning_in(scope *c, const tirbi_ls *body, const tirbi_ls *declaration) {
    const tirbi_ls *const *items = body->kind == TIRBI_LS_SEQ ? body->as.seq.items : &body;
    const uint32_t n = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    const tirbi_ls **copy = TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, n + 1);
    uint32_t at = 0, m = 0;
    while (at < n && of_stmt(c, items[at], 0) == UNUSED) at++;
    if (!copy || at == n) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_ls *s = items[i];
        const bool sets = s->kind == TIRBI_LS_SET && s->as.set.var == c->var;
        if (i == at && !sets) copy[m++] = declaration;
        copy[m++] = i == at && sets ? tirbi_new_set(c->pool, s->span, s->as.set.var, s->as.set.value, true) : s;
    }
    return tirbi_new_sequence(c->pool, body->span, copy, m);
}

/* The loop, or while loop, with the variable beginning in each iteration; NULL where one needs what another one has
 * set. */
static const tirbi_ls *inside_loop(scope *c, const tirbi_ls *loop, const tirbi_ls *declaration) {
    const bool counts = loop->kind == TIRBI_LS_LOOP;
    const first_use bounds = counts ? then(of_bounds(c, loop->as.loop.var), of_value(c, loop->as.loop.step))
                                    : of_value(c, loop->as.while_.condition);
    const tirbi_ls *body = counts ? loop->as.loop.body : loop->as.while_.body;
    c->jumps = tirbi_has_kind(body, TIRBI_KIND(BREAK) | TIRBI_KIND(CONTINUE));
    if (bounds != UNUSED || of_stmt(c, body, 0) == READ_FIRST) return NULL;
    body = beginning_in(c, body, declaration);
    if (counts) return tirbi_loop_like(c->pool, loop, NULL, body);
    tirbi_ls *copy = body ? tirbi_same_stmt(c->pool, loop) : NULL;
    if (copy) copy->as.while_.body = body;
    return copy;
}

/* Whether a statement does nothing but give the variable another first value. */
static bool begins_anew(const scope *c, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && s->as.set.var == c->var && !s->as.set.value->traps &&
           !tirbi_lx_acts(s->as.set.value) && of_value(c, s->as.set.value) == UNUSED;
}

/* Takes the declaration at `i` into the only one of the statements behind it that uses the variable, if that is a
 * loop. What the variable is set to ahead of the loop is read by none then. */
static bool move_inwards(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t i, uint32_t n, uint32_t *work) {
    const tirbi_ls *declaration = items[i];
    scope c = {.pool = pool, .var = declaration->as.set.var, .work = work};
    uint32_t user = n;
    for (uint32_t k = i + 1; k < n; k++) {
        if (!items[k] || (user == n && begins_anew(&c, items[k])) || of_stmt(&c, items[k], 0) == UNUSED) continue;
        if (user != n || (items[k]->kind != TIRBI_LS_LOOP && items[k]->kind != TIRBI_LS_WHILE)) return false;
        user = k;
    }
    const tirbi_ls *loop = user == n ? NULL : inside_loop(&c, items[user], declaration);
    if (!loop) return false;
    items[user] = loop;
    for (uint32_t k = i + 1; k < user; k++)
        if (items[k] && begins_anew(&c, items[k])) items[k] = NULL;
    return true;
}

static bool begins_local(const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LOCAL;
}

static bool may_move(const tirbi_ls *s) { return begins_local(s) && s->as.set.value->kind == TIRBI_LX_CONST; }

typedef struct narrower {
    tirbi_lx_pool *pool;
    uint32_t work;
} narrower;

/* What stands for a variable that is set again and again. */
typedef struct renaming {
    const tirbi_lvar *var;
    const tirbi_lx *value;
    bool read;
} renaming;

static const tirbi_lx *replace_renamed(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    renaming *r = rewrite->context;
    if (x->kind != TIRBI_LX_VAR || x->var != r->var) return NULL;
    r->read = true;
    return r->value;
}

/* The set of a variable as that of one that is set once. */
static const tirbi_ls *set_once(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    renaming *r = rewrite->context;
    const tirbi_lx *value = r->value ? tirbi_rewrite_value(rewrite, s->as.set.value) : s->as.set.value;
    tirbi_lvar *fresh = tirbi_variable_like(rewrite->pool, s->as.set.var);
    if (!value || !fresh) return NULL;
    fresh->kind = TIRBI_LVAR_LET;
    if (value->lo > fresh->lo) fresh->lo = value->lo;
    if (value->hi < fresh->hi) fresh->hi = value->hi;
    r->value = tirbi_lx_var(rewrite->pool, fresh);
    return r->value ? tirbi_new_set(rewrite->pool, s->span, fresh, value, true) : NULL;
}

/* Each set of the variable that begins at `i` as a variable of its own, where all of them are among the items: which
 * one is read is known everywhere then. */
static void rename_sets(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t i, uint32_t n) {
    tirbi_lvar *var = items[i]->as.set.var;
    const tirbi_ls **copy = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, n);
    renaming r = {.var = var};
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace_renamed, .context = &r};
    uint32_t last = i;
    if (!copy) return;
    for (uint32_t k = i; k < n; k++) {
        const tirbi_ls *s = items[k];
        copy[k] = s;
        if (!s) continue;
        if (s->kind == TIRBI_LS_SET && s->as.set.var == var) {
            const bool was_read = r.read;
            copy[k] = set_once(&rewrite, s);
            if (k > i && !r.read && !was_read && !copy[last]->as.set.value->traps &&
                !tirbi_lx_acts(copy[last]->as.set.value))
                copy[last] = NULL;
            r.read = false;
            last = k;
        } else if (tirbi_may_set(s, var)) {
            return;
        } else if (tirbi_names(s, &var, 1)) {
            copy[k] = tirbi_rewrite_stmt(&rewrite, s);
        }
        if (!copy[k]) return;
    }
    for (uint32_t k = i; k < n; k++) items[k] = copy[k];
}

/* The set of a variable for which another one stands. */
static const tirbi_ls *set_renamed(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    const renaming *r = rewrite->context;
    if (s->kind != TIRBI_LS_SET || s->as.set.var != r->var) return NULL;
    return tirbi_new_set(rewrite->pool, s->span, r->value->var, tirbi_rewrite_value(rewrite, s->as.set.value), false);
}

/* What statements that are copied as something else may not have in them: they name variables in other ways as well. */
static bool names_otherwise(const tirbi_ls *s) {
    return tirbi_has_kind(s, TIRBI_KIND(TREE) | TIRBI_KIND(ALLOC) | TIRBI_KIND(FETCH));
}

static bool mentions(const tirbi_ls *s, tirbi_lvar *var) { return tirbi_names(s, &var, 1) || tirbi_sets(s, var); }

/* The first of the items behind a declaration from which on no value is needed that the variable has by then, though
 * something has used it; n: there is none. */
static uint32_t find_anew(scope *c, const tirbi_ls *const *items, uint32_t i, uint32_t n) {
    uint32_t found = n, first = n;
    first_use behind = UNUSED;
    for (uint32_t k = i + 1; k < n && first == n; k++)
        if (items[k] && !begins_anew(c, items[k]) && of_stmt(c, items[k], 0) != UNUSED) first = k;
    for (uint32_t k = n; k-- > first + 1;) {
        const first_use use = items[k] ? of_stmt(c, items[k], 0) : UNUSED;
        if (use != UNUSED && names_otherwise(items[k])) return n;
        behind = then(use, behind);
        if (use != UNUSED && behind != READ_FIRST) found = k;
    }
    return found;
}

/* A counter that several loops have, one after the other, is another variable in each: gives those behind the first one
 * a declaration of their own, for which there is room behind the items. */
static bool begin_again(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t i, uint32_t n, uint32_t *work) {
    const tirbi_ls *declaration = items[i];
    tirbi_lvar *const var = declaration->as.set.var;
    scope c = {.pool = pool, .var = var, .work = work};
    const uint32_t at = find_anew(&c, items, i, n);
    tirbi_lvar *fresh = at < n ? tirbi_variable_like(pool, var) : NULL;
    renaming r = {.var = var, .value = fresh ? tirbi_lx_var(pool, fresh) : NULL};
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace_renamed, .statement = set_renamed, .context = &r};
    rewrite.kinds = TIRBI_ANY_CODE;
    const tirbi_ls **copy = r.value ? TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, n) : NULL;
    if (!copy) return false;
    for (uint32_t k = at; k < n; k++) {
        copy[k] = items[k] && mentions(items[k], var) ? tirbi_rewrite_stmt(&rewrite, items[k]) : items[k];
        if (items[k] && !copy[k]) return false;
    }
    for (uint32_t k = n; k-- > at;) items[k + 1] = copy[k];
    items[at] = tirbi_new_set(pool, declaration->span, fresh, declaration->as.set.value, true);
    return items[at] != NULL;
}

static uint32_t count_items(const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_SEQ) return 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->as.seq.n; i++) n += count_items(s->as.seq.items[i]);
    return n;
}

static void add_items(const tirbi_ls *s, const tirbi_ls **items, uint32_t *n) {
    if (s->kind != TIRBI_LS_SEQ) items[(*n)++] = s;
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++) add_items(s->as.seq.items[i], items, n);
}

/* The sequence with those of its declarations moved that may be. Sequences in it are no scopes of their own. */
static const tirbi_ls *without_declarations(narrower *w, const tirbi_ls *s) {
    bool some = false;
    for (uint32_t i = 0; i < s->as.seq.n && !some; i++) some = begins_local(s->as.seq.items[i]);
    uint32_t all = some ? count_items(s) : 0, n = 0;
    const tirbi_ls **items =
        all > 0 && all <= w->work ? TIRBI_NEW_ARRAY(w->pool->arena, const tirbi_ls *, all + MAX_ANEW) : NULL;
    if (!items) return s;
    w->work -= all;
    add_items(s, items, &n);
    const uint32_t most = all + MAX_ANEW;
    for (uint32_t i = 0; i < all && all < most && w->work > 2 * all; i++)
        if (may_move(items[i]) && begin_again(w->pool, items, i, all, &w->work)) all++;
    for (uint32_t i = all; i-- > 0;) {
        if (may_move(items[i]) && move_inwards(w->pool, items, i, all, &w->work)) items[i] = NULL;
        if (!items[i] || !begins_local(items[i]) || w->work < all) continue;
        w->work -= all;
        rename_sets(w->pool, items, i, all);
    }
    n = 0;
    for (uint32_t i = 0; i < all; i++)
        if (items[i]) items[n++] = items[i];
    bool changed = n != all;
    for (uint32_t i = 0; i < n && !changed; i++) changed = all != s->as.seq.n || items[i] != s->as.seq.items[i];
    if (!changed) return s;
    const tirbi_ls *copy = tirbi_new_sequence(w->pool, s->span, items, n);
    return copy ? copy : s;
}

static const tirbi_ls *narrow(void *context, const tirbi_ls *s) {
    narrower *w = context;
    if (s->kind == TIRBI_LS_SEQ) s = without_declarations(w, s);
    return tirbi_replace_inside(w->pool, s, narrow, w);
}

const tirbi_ls *tirbi_narrow_scopes(tirbi_lx_pool *pool, const tirbi_ls *body) {
    narrower w = {.pool = pool, .work = MAX_WORK};
    return narrow(&w, body);
}
