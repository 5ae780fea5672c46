/* Each element gets its updates in the order in which it got them: the loops that do not tell elements apart stay in
 * order. Iterations of those that do are taken in another one, which nobody can tell where all that the nest does with
 * the memory that it stores to is to reach the element of the iteration. */
#include "compiler/optimize/normalise/reductions.h"

#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_CHAIN = 2 * TIRBI_MAX_AFFINE, MAX_OWN = 16, MAX_ELEMENTS = 8 };

typedef struct nest {
    tirbi_lx_pool *pool;
    const tirbi_ls *around[MAX_CHAIN]; /* loops, and conditions without another case, each in the one before */
    bool reduces[MAX_CHAIN];           /* a loop that does not tell elements */
    uint32_t n, outermost;             /* of those that reduce */
    tirbi_loop_set loops;
    tirbi_ls *init; /* what the body begins with in first iterations, or NULL */
    const tirbi_ls *rest;
    const tirbi_place *element[MAX_ELEMENTS]; /* that the init stores to, or where there is none, the rest */
    uint32_t n_elements;
    const tirbi_lvar *own[MAX_OWN];
    uint32_t n_own; /* variables that begin in the body */
    bool alone;     /* the rest stores to no others */
} nest;

/* ---- The nest --------------------------------------------------------------------------------------------------- */

/* The loops that a condition asks for the first iterations of: each variable is its least value, which is 0, or a sum
 * of such is 0. False where it asks for anything else. */
static bool find_first(const nest *n, const tirbi_lx *x, tirbi_lvar **first, uint32_t *n_first) {
    const bool is_zero = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_EQ && tirbi_lx_is_int(x->args[1], 0);
    const bool is_cast = tirbi_keeps_value(x), adds = tirbi_is_arithmetic(x) && x->op == TIRB_OP_ADD,
               scales = tirbi_is_arithmetic(x) && x->op == TIRB_OP_MUL && x->args[1]->kind == TIRBI_LX_CONST;
    if (tirbi_is_conjunction(x) ||
        (adds && x->args[0]->lo >= 0 && x->args[1]->lo >= 0 && tirbi_is_exact(x, NULL)))
        return find_first(n, x->args[0], first, n_first) && find_first(n, x->args[1], first, n_first);
    if (is_zero || is_cast || (scales && x->args[1]->value > 0 && tirbi_is_exact(x, NULL)))
        return find_first(n, x->args[0], first, n_first);
    for (uint32_t i = 0; i < n->loops.n && x->kind == TIRBI_LX_VAR; i++) {
        if (x->var != n->loops.var[i] || !tirbi_lx_is_int(x->var->min, 0)) continue;
        first[(*n_first)++] = x->var;
        return *n_first < TIRBI_MAX_AFFINE;
    }
    return false;
}

/* The statement as an init, where it is one that says so or that asks for first iterations; else NULL. */
static tirbi_ls *read_init(const nest *n, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_IF || s->as.if_.else_case || s->as.if_.sizes) return NULL;
    tirbi_ls *init = tirbi_same_stmt(n->pool, s);
    if (!init) return NULL;
    if (s->as.if_.n_first_of > 0) return init;
    tirbi_lvar **first = TIRBI_NEW_ARRAY(n->pool->arena, tirbi_lvar *, TIRBI_MAX_AFFINE);
    uint32_t n_first = 0;
    if (!first || s->as.if_.first_of || !find_first(n, s->as.if_.condition, first, &n_first)) return NULL;
    init->as.if_.first_of = first;
    init->as.if_.n_first_of = n_first;
    return init;
}

static bool asks_for(const tirbi_ls *init, const tirbi_lvar *var) {
    return tirbi_is_listed(var, init->as.if_.first_of, init->as.if_.n_first_of);
}

/* Whether a condition holds where some loop that the init asks for runs: 0 < all, of one over (all + c) // d tiles with
 * c below d. The sum has not wrapped then. */
static bool holds_where_it_runs(const tirbi_ls *init, const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_LT || !tirbi_lx_is_int(x->args[0], 0)) return false;
    for (uint32_t i = 0; i < init->as.if_.n_first_of; i++) {
        const tirbi_lx *tiles = tirbi_lx_before_cast(init->as.if_.first_of[i]->extent);
        if (tiles->kind != TIRBI_LX_OP || tiles->op != TIRB_OP_FLOORDIV || tiles->args[1]->kind != TIRBI_LX_CONST)
            continue;
        const tirbi_lx *sum = tiles->args[0];
        if (sum->kind == TIRBI_LX_OP && sum->op == TIRB_OP_ADD && sum->args[0] == x->args[1] &&
            sum->args[1]->kind == TIRBI_LX_CONST && sum->args[1]->value < tiles->args[1]->value)
            return true;
    }
    return false;
}

/* What a condition asks for besides what holds where such a loop runs: NULL in *out, if there is nothing. False: memory
 * ran out. */
static bool ask_for_rest(const nest *n, const tirbi_ls *init, const tirbi_lx *x, const tirbi_lx **out) {
    const tirbi_lx *a, *b;
    *out = x;
    if (!tirbi_is_conjunction(x)) {
        if (holds_where_it_runs(init, x)) *out = NULL;
        return true;
    }
    if (!ask_for_rest(n, init, x->args[0], &a) || !ask_for_rest(n, init, x->args[1], &b)) return false;
    if (a == x->args[0] && b == x->args[1]) return true;
    *out = a && b ? tirbi_lx_lazy(n->pool, TIRBI_LX_AND, a, b, NULL) : a ? a : b;
    return *out || !a || !b;
}

/* Conditions right around the body that name loops which the init asks for decide of the rest as they are, and of the
 * init as they are in first iterations. */
static bool move_guards(nest *n, tirbi_ls *init) {
    tirbi_rewrite rewrite = {.pool = n->pool};
    for (uint32_t i = 0; i < init->as.if_.n_first_of; i++) {
        const tirbi_lvar *var = init->as.if_.first_of[i];
        tirbi_bind_variable(&rewrite, var, tirbi_lx_cast(n->pool, var->type, var->min));
    }
    uint32_t end = n->n, kept = n->n;
    while (kept > 0 && n->around[kept - 1]->kind == TIRBI_LS_IF) kept--;
    for (n->n = kept; kept < end; kept++) {
        const tirbi_ls *guard = n->around[kept];
        const tirbi_lx *condition = guard->as.if_.condition, *first = tirbi_rewrite_value(&rewrite, condition);
        if (first == condition) {
            n->around[n->n++] = guard;
            continue;
        }
        n->rest = first && n->rest ? tirbi_new_if(n->pool, guard->span, condition, n->rest, NULL) : NULL;
        const tirbi_ls *begins = init->as.if_.then_case;
        if (first && !ask_for_rest(n, init, first, &first)) return false;
        if (n->rest && !first) continue;
        init->as.if_.then_case = n->rest ? tirbi_new_if(n->pool, guard->span, first, begins, NULL) : NULL;
        if (!init->as.if_.then_case) return false;
    }
    n->init = init;
    return n->rest != NULL;
}

/* Whether an init further behind may go ahead with the first one: it is of the same loops, and what stands before it
 * has nothing to do with what it stores to. */
static bool goes_ahead(const nest *n, const tirbi_ls *const *before, uint32_t n_before, const tirbi_ls *s) {
    tirbi_roots stored = {.n = 0};
    if (s->kind != TIRBI_LS_IF || s->as.if_.else_case || s->as.if_.n_first_of != n->init->as.if_.n_first_of ||
        !tirbi_find_stored(&stored, s->as.if_.then_case, TIRBI_MAX_ROOTS))
        return false;
    for (uint32_t i = 0; i < s->as.if_.n_first_of; i++)
        if (!asks_for(n->init, s->as.if_.first_of[i])) return false;
    for (uint32_t i = 0; i < n_before; i++)
        for (uint32_t k = 0; k < stored.n; k++)
            if (tirbi_statement_uses(before[i], stored.item[k])) return false;
    return true;
}

/* The body behind its init, which other blocks' inits in it join. */
static bool take_inits(nest *n, const tirbi_ls *body, bool of_blocks) {
    const uint32_t most = body->as.seq.n;
    const tirbi_ls **inits = TIRBI_NEW_ARRAY(n->pool->arena, const tirbi_ls *, most);
    const tirbi_ls **rest = TIRBI_NEW_ARRAY(n->pool->arena, const tirbi_ls *, most);
    uint32_t n_inits = 1, n_rest = 0;
    if (!inits || !rest) return false;
    inits[0] = n->init->as.if_.then_case;
    for (uint32_t i = 1; i < most; i++) {
        const tirbi_ls *s = body->as.seq.items[i];
        if (of_blocks && goes_ahead(n, rest, n_rest, s))
            inits[n_inits++] = s->as.if_.then_case;
        else
            rest[n_rest++] = s;
    }
    n->init->as.if_.then_case = tirbi_new_sequence(n->pool, body->span, inits, n_inits);
    n->rest = tirbi_new_sequence(n->pool, body->span, rest, n_rest);
    return n->init->as.if_.then_case && n->rest;
}

static bool is_guard(const tirbi_ls *s) { return tirbi_is_guard(s) && !s->as.if_.condition->traps; }

/* What is inside of each other, down to the init and what is done with it. */
static bool read_nest(nest *n, const tirbi_ls *s) {
    for (;; s = s->kind == TIRBI_LS_LOOP ? s->as.loop.body : s->as.if_.then_case) {
        s = tirbi_only_part(s);
        if (s->kind == TIRBI_LS_LOOP ? !tirbi_is_plain_loop(s) : !is_guard(s)) break;
        if (n->n == MAX_CHAIN || n->loops.n == TIRBI_MAX_AFFINE) return false;
        if (s->kind == TIRBI_LS_LOOP) n->loops.var[n->loops.n++] = s->as.loop.var;
        n->around[n->n++] = s;
    }
    tirbi_ls *init = s->kind == TIRBI_LS_SEQ && s->as.seq.n > 1 ? read_init(n, s->as.seq.items[0]) : NULL;
    if (!init) {
        /* A condition right around it may ask for any loop. */
        while (n->n > 0 && n->around[n->n - 1]->kind == TIRBI_LS_IF) s = n->around[--n->n];
        n->rest = s;
        return n->loops.n > 1;
    }
    n->init = init; /* the guards of blocks' inits stay: their tiles become one loop as they are (nests/unsplit) */
    const bool is_of_block = s->as.seq.items[0]->as.if_.n_first_of > 0;
    return take_inits(n, s, is_of_block) && (is_of_block || move_guards(n, init));
}

/* ---- What it stores to ------------------------------------------------------------------------------------------ */

static bool is_element(const nest *n, const tirbi_place *place) {
    for (uint32_t i = 0; i < n->n_elements; i++)
        if (tirbi_same_place(place, n->element[i])) return true;
    return false;
}

static bool may_meet_elements(const nest *n, const tirbi_place *place) {
    for (uint32_t i = 0; i < n->n_elements; i++)
        if (tirbi_may_meet(place->buffer->root, n->element[i]->buffer->root)) return true;
    return false;
}

/* Elements lie in memory apart. */
static bool note_element(void *context, const tirbi_reached *a) {
    nest *n = context;
    if (a->what == TIRBI_LOADS || is_element(n, a->place)) return true;
    if (a->place->buffer->overlaps || n->n_elements == MAX_ELEMENTS || may_meet_elements(n, a->place)) return false;
    n->element[n->n_elements++] = a->place;
    return true;
}

/* Each element that is reached is one of this iteration, or lies in other memory. */
static bool reaches_own(void *context, const tirbi_reached *a) {
    nest *n = context;
    if (is_element(n, a->place)) return true;
    if (a->what != TIRBI_LOADS) n->alone = false;
    return !may_meet_elements(n, a->place);
}

/* Whether what the init loads is still there ahead of the loops. */
static bool is_left(void *context, const tirbi_reached *a) {
    const nest *n = context;
    return a->what != TIRBI_LOADS || !tirbi_stores_to(n->rest, a->place->buffer->root);
}

static bool begins_variables(void *context, const tirbi_ls *s) {
    nest *n = context;
    bool known = s->kind != TIRBI_LS_SET || s->as.set.declares;
    for (uint32_t i = 0; i < n->n_own && !known; i++) known = n->own[i] == s->as.set.var;
    if (s->kind == TIRBI_LS_SET && s->as.set.declares) {
        if (n->n_own == MAX_OWN) return false;
        n->own[n->n_own++] = s->as.set.var;
    }
    return known;
}

static bool find(nest *n, const tirbi_ls *s, uint8_t rules, bool (*access)(void *, const tirbi_reached *)) {
    tirbi_accesses all = {
        .context = n, .stmt = begins_variables, .access = access, .rules = rules, .kinds = TIRBI_NESTS};
    n->n_own = 0;
    return tirbi_find_accesses(&all, s);
}

static bool find_elements(nest *n) {
    if (!find(n, n->init ? n->init->as.if_.then_case : n->rest, n->init ? TIRBI_NO_VARIABLES : 0, note_element) ||
        n->n_elements == 0)
        return false;
    n->alone = true;
    return (!n->init || find(n, n->init->as.if_.then_case, 0, is_left)) && find(n, n->rest, 0, reaches_own);
}

/* ---- Which loops tell them --------------------------------------------------------------------------------------- */

/* The same ones for all elements; the others are those that the init asks for, if there is one. */
static bool find_reductions(nest *n) {
    bool spatial[TIRBI_MAX_AFFINE], of_another[TIRBI_MAX_AFFINE];
    uint32_t at = 0, asked = 0;
    if (!tirbi_spatial_loops(n->pool, &n->loops, n->element[0], spatial)) return false;
    for (uint32_t i = 1; i < n->n_elements; i++)
        if (!tirbi_spatial_loops(n->pool, &n->loops, n->element[i], of_another) ||
            memcmp(spatial, of_another, n->loops.n * sizeof(*spatial)) != 0)
            return false;
    n->outermost = n->n;
    for (uint32_t i = 0; i < n->n; i++) {
        if (n->around[i]->kind != TIRBI_LS_LOOP) continue;
        n->reduces[i] = !spatial[at++];
        const bool asks = n->init && asks_for(n->init, n->around[i]->as.loop.var);
        asked += asks;
        if (n->init && n->reduces[i] != asks) return false;
        if (n->reduces[i] && n->outermost == n->n) n->outermost = i;
    }
    return n->outermost < n->n && (!n->init || asked == n->init->as.if_.n_first_of);
}

static bool depends_on(const tirbi_ls *s, const tirbi_lvar *var) {
    if (s->kind == TIRBI_LS_IF) return tirbi_lx_depends_on(s->as.if_.condition, var);
    const tirbi_lvar *loop = s->as.loop.var;
    return tirbi_lx_depends_on(loop->min, var) || tirbi_lx_depends_on(loop->extent, var) ||
           (loop->below && tirbi_lx_depends_on(loop->below, var));
}

/* Whether what goes outside, and the init, do without the variables of what is inside then. */
static bool can_be_ordered(const nest *n) {
    bool moves = n->init != NULL;
    for (uint32_t i = n->outermost; i < n->n; i++) {
        if (n->reduces[i]) continue;
        moves = true;
        for (uint32_t k = n->outermost; k < i; k++)
            if (n->reduces[k] && depends_on(n->around[i], n->around[k]->as.loop.var)) return false;
    }
    for (uint32_t i = 0; i < n->n && n->init; i++) { /* all of those loops are to run, or none of the nest's */
        const tirbi_lx *extent = n->reduces[i] ? n->around[i]->as.loop.var->extent : NULL;
        if (extent && (tirbi_names(n->init->as.if_.then_case, &n->around[i]->as.loop.var, 1) ||
                       (extent->lo < 1 && tirbi_mentions_loops(extent, &n->loops))))
            return false;
    }
    return moves && (!n->init || tirbi_is_made_of(n->init->as.if_.then_case, TIRBI_STRAIGHT & ~TIRBI_KIND(SET)));
}

/* ---- The nest anew ---------------------------------------------------------------------------------------------- */

/* A body in those of the loops and conditions from `from` to before `to` that reduce, or in the others. */
static const tirbi_ls *inside(const nest *n, uint32_t from, uint32_t to, bool reduces, const tirbi_ls *body) {
    for (uint32_t i = to; i-- > from && body;) {
        if (n->reduces[i] != reduces) continue;
        tirbi_ls *copy = tirbi_same_stmt(n->pool, n->around[i]);
        if (!copy) return NULL;
        if (copy->kind == TIRBI_LS_LOOP)
            copy->as.loop.body = body;
        else
            copy->as.if_.then_case = body;
        body = copy;
    }
    return body;
}

/* The init in loops of its own, then the loops as they are. */
static const tirbi_ls *init_apart(const nest *n) {
    tirbi_rewrite rewrite = {
        .pool = n->pool, .kinds = TIRBI_GUARDED_STORES | TIRBI_KIND(LOOP), .anew = TIRBI_LOOPS_ANEW};
    const tirbi_ls *init = inside(n, n->outermost, n->n, false, n->init->as.if_.then_case), *items[2], *rest = n->rest;
    for (uint32_t i = n->n; i-- > n->outermost && rest;) rest = inside(n, i, i + 1, n->reduces[i], rest);
    items[0] = tirbi_rewrite_stmt(&rewrite, init);
    items[1] = rest;
    return items[0] && items[1] ? tirbi_new_sequence(n->pool, n->rest->span, items, 2) : NULL;
}

static const tirbi_ls *init_inside(const nest *n) {
    const tirbi_ls *items[2] = {n->init ? n->init->as.if_.then_case : NULL,
                                inside(n, n->outermost, n->n, true, n->rest)};
    const tirbi_ls *body = n->init && items[1] ? tirbi_new_sequence(n->pool, n->rest->span, items, 2) : items[1];
    return inside(n, n->outermost, n->n, false, body);
}

/* Whether a loop is one that the init asks for, and might not run. */
static bool might_not_run(const nest *n, const tirbi_lvar *loop) {
    return n->init && asks_for(n->init, loop) && loop->extent->lo < 1;
}

/* A loop that runs where it is, as one that says so. */
static const tirbi_ls *known_to_run(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    const nest *n = rewrite->context;
    if (s->kind != TIRBI_LS_LOOP || !might_not_run(n, s->as.loop.var)) return NULL;
    const tirbi_lx *extent = s->as.loop.var->extent;
    tirbi_lvar *var = tirbi_variable_like(n->pool, s->as.loop.var);
    if (!var || !(var->extent = tirbi_lx_within(n->pool, extent, 1, extent->hi))) return NULL;
    tirbi_bind_variable(rewrite, s->as.loop.var, tirbi_lx_var(n->pool, var));
    return tirbi_loop_like(n->pool, s, var, tirbi_rewrite_stmt(rewrite, s->as.loop.body));
}

/* What the nest is where the loops that are asked for run: nothing is done where one of them does not. */
static const tirbi_ls *where_it_runs(nest *n, const tirbi_ls *s) {
    const tirbi_lx *all = NULL;
    for (uint32_t i = 0; i < n->loops.n; i++) {
        if (!might_not_run(n, n->loops.var[i])) continue;
        const tirbi_lx *some = tirbi_lx_with(n->pool, TIRB_OP_GT, n->loops.var[i]->extent, 0);
        all = tirbi_lx_and(n->pool, all, some);
        if (!all) return NULL;
    }
    if (!all || !s) return s;
    tirbi_rewrite rewrite = {
        .pool = n->pool, .statement = known_to_run, .context = n, .anew = TIRBI_LOOPS_ANEW};
    const tirbi_ls *known = tirbi_rewrite_stmt(&rewrite, s);
    return tirbi_new_if(n->pool, s->span, all, known ? known : s, NULL);
}

const tirbi_ls *tirbi_order_reduction(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    nest *n = TIRBI_NEW(pool->arena, nest);
    const tirbi_ls *result = NULL;
    if (!n) return NULL;
    n->pool = pool;
    if (read_nest(n, loop) && tirbi_fails_alike(loop) && find_elements(n) && find_reductions(n) && can_be_ordered(n) &&
        (n->alone || n->init)) {
        result = n->alone ? init_inside(n) : init_apart(n);
        for (uint32_t i = n->outermost; i-- > 0 && result;) result = inside(n, i, i + 1, n->reduces[i], result);
        result = where_it_runs(n, result);
    }
    TIRBI_GIVE_BACK(pool->arena, n);
    return result;
}
