#include "compiler/optimize/nests/unroll.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/contractions/operands.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

enum {
    MAX_ASSIGNMENTS = 80,
    MAX_SIZE = 480,   /* nodes of what is written out */
    LEAST_NAMED = 16, /* nodes of a value that gets a name, where several do */
    MAX_COUNTERS = 4,
    MAX_VARIABLES = 8,
    MAX_NAMED = 32,
    MAX_DEPTH = 32,
    LEAST_ROUNDS = 512, /* of the loops around: code is not written out for less */
    MAX_NESTS = 24,     /* of a function */
    MAX_PHASES = 4,     /* elements apart that lanes may write */
    MAX_STORES = 4      /* of a loop that is written out as phases */
};

typedef struct unroller {
    tirbi_lx_pool *pool;
    uint32_t disabled, nests;
    int64_t rounds; /* of the loops around what is looked at, from one on whose range is in memory */
    const tirbi_place *place;  /* of the sum */
    const tirbi_lx *value;     /* what it holds; NULL: what it held before */
    const tirbi_lvar *counter[MAX_COUNTERS];
    int64_t count[MAX_COUNTERS];
    uint32_t n_counters, steps; /* steps: assignments so far */
    const tirbi_lvar *var[MAX_VARIABLES]; /* variables of the iteration, and what they hold */
    const tirbi_lx *held[MAX_VARIABLES];
    uint32_t n_vars;
    const tirbi_ls *named[MAX_NAMED + 1]; /* what sets the variables that hold sums; and then the store */
    uint32_t n_named;
    bool reads_others; /* of the sum's memory, or calls what may read it */
    const struct state *before; /* an arm of a choice begins with; NULL: no arm is looked at */
} unroller;

/* What the sum and variables hold. */
typedef struct state {
    const tirbi_lx *value, *held[MAX_VARIABLES];
} state;

/* ---- What may fail ----------------------------------------------------------------------------------------------- */

/* Whether a value is computed wherever another one is, of which it is a part. */
static bool computes(const tirbi_lx *x, const tirbi_lx *value) {
    if (x == value) return true;
    if (x->kind == TIRBI_LX_COND)
        return computes(x->args[0], value) || (computes(x->args[1], value) && computes(x->args[2], value));
    const uint32_t n = x->kind == TIRBI_LX_OP ? x->n_args : x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR ? 1 : 0;
    for (uint32_t i = 0; i < n; i++)
        if (computes(x->args[i], value)) return true;
    return false;
}

/* Whether some variable, the sum or what has a name computes a value. */
static bool is_computed(const unroller *u, const tirbi_lx *value) {
    bool found = u->value && computes(u->value, value);
    for (uint32_t i = 0; i < u->n_vars && !found; i++) found = computes(u->held[i], value);
    for (uint32_t i = 0; i < u->n_named && !found; i++) found = computes(u->named[i]->as.set.value, value);
    return found;
}

/* Whether what a value fails in is not lost with it, now that another one is in its place: `before` is what an arm has
 * begun with, which is looked at where the choice has been made. */
static bool may_go(const unroller *u, const tirbi_lx *value, const tirbi_lx *before) {
    return !value || !value->traps || (u->before && value == before) || is_computed(u, value);
}

/* ---- One iteration of the loops around --------------------------------------------------------------------------- */

/* Whether both are one element wherever they are asked for, unchecked. */
static bool same_element(const tirbi_place *a, const tirbi_place *b) {
    return !a->view && !b->view && a->flat->pure && tirbi_same_place(a, b);
}

/* What the sum's memory is read for is looked at as it stands in the loops: with the counters put in, another element
 * may turn out to be the sum's own. */
static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    unroller *u = rewrite->context;
    const bool own = x->kind == TIRBI_LX_LOAD && same_element(x->access, u->place);
    if (own && u->value) return u->value;
    if (x->kind == TIRBI_LX_CALL ||
        (x->kind == TIRBI_LX_LOAD && !own && tirbi_may_meet(x->access->buffer->root, u->place->buffer->root)))
        u->reads_others = true;
    if (x->kind != TIRBI_LX_VAR) return NULL;
    for (uint32_t i = 0; i < u->n_counters; i++) {
        if (x->var == u->counter[i]) return tirbi_lx_int(rewrite->pool, x->var->type, u->count[i]);
    }
    for (uint32_t i = 0; i < u->n_vars; i++) {
        if (x->var == u->var[i]) return u->held[i];
    }
    return NULL;
}

static bool mentions(const tirbi_place *place, tirbi_lvar *var) {
    tirbi_loop_set one = {.var = {var}, .n = 1};
    return tirbi_mentions_loops(place->flat, &one);
}

static bool run(unroller *u, const tirbi_ls *s, unsigned depth);

static bool is_sum(const unroller *u, const tirbi_lx *const *before, uint32_t i) {
    return u->held[i] != before[i] && u->held[i]->size >= LEAST_NAMED;
}

/* What has that value by a name; NULL: there are too many, or memory ran out. */
static const tirbi_lx *name_value(unroller *u, const char *name, const tirbi_lx *value, tirbi_span span) {
    tirbi_lvar *var = value && u->n_named < MAX_NAMED
                          ? tirbi_variable_for(u->pool, TIRBI_LVAR_LET, name, value, span)
                          : NULL;
    if (!var) return NULL;
    u->named[u->n_named] = tirbi_new_set(u->pool, span, var, value, true);
    return u->named[u->n_named++] ? tirbi_lx_var(u->pool, var) : NULL;
}

/* Several sums side by side get names, by which what follows uses them as often as it wants. */
static bool name_sums(unroller *u, const tirbi_lx *const *before, tirbi_span span) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->n_vars; i++) n += is_sum(u, before, i);
    for (uint32_t i = 0; i < u->n_vars && n > 1; i++) {
        if (!is_sum(u, before, i)) continue;
        u->held[i] = name_value(u, u->var[i]->name, u->held[i], span);
        if (!u->held[i]) return false;
    }
    return true;
}

static state state_of(const unroller *u) {
    state s = {.value = u->value};
    for (uint32_t i = 0; i < u->n_vars; i++) s.held[i] = u->held[i];
    return s;
}

static void set_state(unroller *u, const state *s, uint32_t n_vars) {
    u->value = s->value;
    u->n_vars = n_vars;
    for (uint32_t i = 0; i < n_vars; i++) u->held[i] = s->held[i];
}

/* One of two values, by a name where they differ: the next choice may need it more than once. */
static bool choose(unroller *u, const tirbi_lx *condition, const char *name, const tirbi_lx *yes, const tirbi_lx **no,
                   tirbi_span span) {
    if (yes == *no) return true;
    *no = name_value(u, name, tirbi_lx_lazy(u->pool, TIRBI_LX_COND, condition, yes, *no), span);
    return *no != NULL;
}

/* What the sum and variables become in an arm, which may have no choices of its own, and nothing else that fails. */
static bool run_arm(unroller *u, const tirbi_ls *s, const state *before, uint32_t n_vars, unsigned depth) {
    const uint32_t n_named = u->n_named;
    set_state(u, before, n_vars);
    u->before = before;
    const bool known = !s || run(u, s, depth - 1);
    u->before = NULL;
    for (uint32_t i = n_vars; i < u->n_vars && known; i++)
        if (u->held[i]->traps) return false;
    return known && u->n_named == n_named;
}

/* A choice of what the sum and variables become: both arms, and one of their values for each. */
static bool run_branch(unroller *u, const tirbi_ls *s, const tirbi_lx *condition, unsigned depth) {
    const uint32_t n_vars = u->n_vars, n_named = u->n_named;
    const tirbi_lx *held = tirbi_lx_load(u->pool, u->place); /* before */
    if (u->before || s->as.if_.sizes || tirbi_lx_acts(condition) || !held || held->traps) return false;
    if (!u->value) u->value = held;
    const state before = state_of(u);
    if (!run_arm(u, s->as.if_.then_case, &before, n_vars, depth)) return false;
    const state then = state_of(u);
    if (!run_arm(u, s->as.if_.else_case, &before, n_vars, depth)) return false;
    u->n_vars = n_vars;
    if (!choose(u, condition, u->place->buffer->name, then.value, &u->value, s->span)) return false;
    for (uint32_t i = 0; i < n_vars; i++)
        if (!choose(u, condition, u->var[i]->name, then.held[i], &u->held[i], s->span)) return false;
    for (uint32_t i = 0; i < n_vars; i++)
        if (!may_go(u, before.held[i], NULL)) return false;
    const bool decides = u->n_named > n_named || !condition->traps;
    return decides && may_go(u, before.value, NULL) && u->steps++ <= MAX_ASSIGNMENTS;
}

static bool run_loop(unroller *u, const tirbi_ls *s, unsigned depth) {
    tirbi_lvar *var = s->as.loop.var;
    const tirbi_lx *before[MAX_VARIABLES] = {NULL};
    if (s->as.loop.step || mentions(u->place, var) || s->as.loop.rows || s->as.loop.blocks ||
        u->n_counters == MAX_COUNTERS || var->min->kind != TIRBI_LX_CONST || var->extent->kind != TIRBI_LX_CONST ||
        var->extent->value > TIRBI_MAX_WRITTEN_OUT) {
        return false;
    }
    uint32_t at = u->n_counters++;
    u->counter[at] = var;
    for (uint32_t i = 0; i < u->n_vars; i++) before[i] = u->held[i];
    for (int64_t i = 0; i < var->extent->value; i++) {
        u->count[at] = var->min->value + i;
        if (!run(u, s->as.loop.body, depth - 1)) return false;
    }
    u->n_counters--;
    return at > 0 || name_sums(u, before, s->span);
}

static bool assign(unroller *u, const tirbi_ls *s, const tirbi_lx *value) {
    uint32_t i = 0;
    while (i < u->n_vars && u->var[i] != s->as.set.var) i++;
    if (!value || value->size > MAX_SIZE || i == MAX_VARIABLES || (i == u->n_vars && !s->as.set.declares)) return false;
    const tirbi_lx *last = i < u->n_vars ? u->held[i] : NULL;
    u->var[i] = s->as.set.var;
    u->held[i] = value;
    if (i == u->n_vars) u->n_vars++;
    return may_go(u, last, u->before ? u->before->held[i] : NULL) && u->steps++ <= MAX_ASSIGNMENTS;
}

/* Follows the values of the sum and of variables through a statement; false where it is not known, or something else is
 * done. */
static bool run(unroller *u, const tirbi_ls *s, unsigned depth) {
    tirbi_rewrite rewrite = {.pool = u->pool, .replace = replace, .context = u};
    if (depth == 0) return false;
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!run(u, s->as.seq.items[i], depth - 1)) return false;
        }
        return true;
    case TIRBI_LS_LOOP: return run_loop(u, s, depth);
    case TIRBI_LS_IF: {
        const tirbi_lx *condition = tirbi_rewrite_value(&rewrite, s->as.if_.condition);
        if (!condition) return false;
        if (condition->kind != TIRBI_LX_CONST) return run_branch(u, s, condition, depth);
        const tirbi_ls *taken = condition->value ? s->as.if_.then_case : s->as.if_.else_case;
        return !taken || run(u, taken, depth - 1);
    }
    case TIRBI_LS_STORE: {
        if (!same_element(s->as.store.access, u->place) || u->steps++ > MAX_ASSIGNMENTS) return false;
        const tirbi_lx *last = u->value;
        u->value = tirbi_rewrite_value(&rewrite, s->as.store.value);
        return u->value && u->value->size <= MAX_SIZE && may_go(u, last, u->before ? u->before->value : NULL);
    }
    case TIRBI_LS_SET: return s->as.set.value && assign(u, s, tirbi_rewrite_value(&rewrite, s->as.set.value));
    default: return false;
    }
}

/* ---- Nests ------------------------------------------------------------------------------------------------------ */

static tirbi_step find_store(tirbi_walk *w, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_STORE) return TIRBI_INTO;
    *(const tirbi_ls **)w->context = s;
    return TIRBI_STOP;
}

static const tirbi_ls *first_store(const tirbi_ls *s) {
    const tirbi_ls *found = NULL;
    tirbi_walk walk = {.context = &found, .stmt = find_store, .deepest = MAX_DEPTH};
    tirbi_walk_stmt(&walk, s);
    return found;
}

static int64_t more_rounds(int64_t rounds, const tirbi_ls *loop) {
    int64_t all;
    return __builtin_mul_overflow(rounds, loop->as.loop.var->extent->hi, &all) ? INT64_MAX : all;
}

/* Whether nothing that fails is in variables alone, which end with the iteration. */
static bool computes_all(unroller *u) {
    const uint32_t n = u->n_vars;
    bool all = true;
    u->n_vars = 0;
    for (uint32_t i = 0; i < n && all; i++) all = may_go(u, u->held[i], NULL);
    return all;
}

/* The nest of the loops that the sum's element depends on, around one store; NULL where it is no such nest. */
static const tirbi_ls *written_out(unroller *u, const tirbi_ls *s) {
    const tirbi_ls *loop[TIRBI_MAX_AFFINE], *store = first_store(s);
    uint32_t n = 0, around = 0;
    int64_t rounds = u->rounds;
    if (!store || !store->as.store.access->flat->pure || store->as.store.access->buffer->local) return NULL;
    for (const tirbi_ls *at = s; at->kind == TIRBI_LS_LOOP && n < TIRBI_MAX_AFFINE; at = at->as.loop.body) {
        if (at->as.loop.step || at->as.loop.rows || at->as.loop.blocks) return NULL;
        loop[n++] = at;
        if (mentions(store->as.store.access, at->as.loop.var)) around = n;
    }
    for (uint32_t i = 0; i < around; i++) rounds = more_rounds(rounds, loop[i]);
    if (around == 0 || rounds < LEAST_ROUNDS) return NULL;
    u->place = store->as.store.access;
    u->value = NULL;
    u->n_counters = u->n_vars = u->n_named = u->steps = 0;
    u->reads_others = false;
    u->before = NULL;
    if (!run(u, loop[around - 1]->as.loop.body, MAX_DEPTH) || !u->value || u->steps < 3 || u->reads_others ||
        !computes_all(u))
        return NULL;
    u->named[u->n_named] = tirbi_with_value(u->pool, store, u->value);
    return tirbi_in_loops(u->pool, loop, around, tirbi_new_sequence(u->pool, store->span, u->named, u->n_named + 1));
}

/* ---- Phases ------------------------------------------------------------------------------------------------------ */

static bool varies(const void *loop, const tirbi_lx *x) {
    return (x->kind == TIRBI_LX_VAR && tirbi_mentions_loops(x, loop)) ||
           (x->kind == TIRBI_LX_LOAD && tirbi_mentions_loops(x->access->flat, loop));
}

/* Whether a store computes something of each element, and in one of the loops every `phases`th of them, between which
 * loop `last` goes. What it computes for all of them is computed once by other means. */
static bool interleaves(unroller *u, const tirbi_loop_set *loops, uint32_t last, int64_t phases,
                        const tirbi_ls *store) {
    tirbi_affine form;
    int64_t step;
    const tirbi_loop_set one = {.var = {loops->var[last]}, .n = 1};
    if (store->kind != TIRBI_LS_STORE || !tirbi_any_expr(store->as.store.value, 0, varies, &one) ||
        (store->as.store.value->kind != TIRBI_LX_OP && store->as.store.value->kind != TIRBI_LX_COND) ||
        !tirbi_affine_number(u->pool, store->as.store.access, loops, &form) ||
        !tirbi_affine_constant(&form, last, &step) || step != 1)
        return false;
    for (uint32_t i = 0; i < loops->n; i++) {
        if (i != last && tirbi_affine_constant(&form, i, &step) && step == phases) return true;
    }
    return false;
}

/* Whether the phases are better gone through as they stand. */
static bool are_short_rows(unroller *u, const tirbi_ls *s, const tirbi_lvar *phase) {
    tirbi_nest nest;
    return tirbi_plan_nest(u->pool, s, TIRBI_NEST_INTERCHANGE, &nest) && nest.plan->loops.var[0] == phase &&
           tirbi_suits_short_rows(nest.plan);
}

/* for i: for p in range(2): O[2 * i + p] = e(p) becomes for i: O[2 * i] = e(0); O[2 * i + 1] = e(1): lanes over i have
 * all of a body, instead of one phase in each round of a loop. NULL where the nest is none of this kind. */
static const tirbi_ls *phases_of(unroller *u, const tirbi_ls *s) {
    const tirbi_ls *loop[TIRBI_MAX_AFFINE], *at = s, *const *stores = &at, *phase[MAX_PHASES];
    const tirbi_given facts = {.n = 0};
    tirbi_loop_set loops = {.n = 0};
    uint32_t n_stores = 1;
    for (; at->kind == TIRBI_LS_LOOP && loops.n < TIRBI_MAX_AFFINE; at = at->as.loop.body) {
        if (at->as.loop.step || at->as.loop.rows || at->as.loop.blocks || at->as.loop.parallel) return NULL;
        loop[loops.n] = at;
        loops.var[loops.n++] = at->as.loop.var;
    }
    const uint32_t last = loops.n - 1;
    if (loops.n < 2 || !tirbi_can_resolve(at)) return NULL;
    tirbi_lvar *var = loops.var[last];
    if (var->min->kind != TIRBI_LX_CONST || var->extent->kind != TIRBI_LX_CONST || var->extent->value < 2 ||
        var->extent->value > MAX_PHASES)
        return NULL;
    const int64_t n = var->extent->value;
    if (at->kind == TIRBI_LS_SEQ) {
        stores = at->as.seq.items;
        n_stores = at->as.seq.n;
    }
    if (n_stores > MAX_STORES) return NULL;
    for (uint32_t i = 0; i < n_stores; i++) {
        if (!interleaves(u, &loops, last, n, stores[i])) return NULL;
    }
    if (are_short_rows(u, s, var)) return NULL;
    for (int64_t i = 0; i < n; i++) {
        const tirbi_lx *value = tirbi_lx_int(u->pool, var->type, var->min->value + i);
        phase[i] = tirbi_resolve(u->pool, &facts, at, var, value, NULL);
        if (!phase[i]) return NULL;
    }
    return tirbi_in_loops(u->pool, loop, last, tirbi_new_sequence(u->pool, at->span, phase, (uint32_t)n));
}

/* ---- Both ------------------------------------------------------------------------------------------------------- */

/* Whether lanes run all of what a nest became, or as much as they do of the nest. */
static bool has_lanes(unroller *u, const tirbi_ls *s, const tirbi_ls *out) {
    tirbi_nest nest, before;
    return tirbi_plan_nest(u->pool, out, TIRBI_NEST_INTERCHANGE, &nest) &&
           (nest.n_outer == 0 || (tirbi_plan_nest(u->pool, s, TIRBI_NEST_INTERCHANGE, &before) &&
                                  before.n_outer >= nest.n_outer));
}

/* The nest written out, where that is lanes. */
static const tirbi_ls *unroll(unroller *u, const tirbi_ls *s) {
    if (u->nests == MAX_NESTS) return NULL;
    const tirbi_ls *out = written_out(u, s), *phases = phases_of(u, out ? out : s);
    if (phases && has_lanes(u, s, phases)) out = phases;
    if (!out || !has_lanes(u, s, out)) return NULL;
    u->nests++;
    return out;
}

static bool is_loaded(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_LOAD;
}

/* What stands in a loop whose range is in memory stays in it, as often as that runs. Other loops may come to be the
 * rows of a contraction together with the nests inside of them, and are not counted for these. */
static int64_t rounds_inside(const unroller *u, const tirbi_ls *loop) {
    const bool stays = u->rounds > 1 || tirbi_any_expr(loop->as.loop.var->extent, TIRBI_WALK_INDICES, is_loaded, NULL);
    return stays ? more_rounds(u->rounds, loop) : 1;
}

static const tirbi_ls *unroll_all(void *context, const tirbi_ls *s) {
    unroller *u = context;
    const bool loop = s->kind == TIRBI_LS_LOOP;
    if (loop && !(u->disabled & TIRB_PASS_CONTRACT) && tirbi_contracts(u->pool, s)) return s;
    const tirbi_ls *out = loop ? unroll(u, s) : NULL;
    if (out) return !(u->disabled & TIRB_PASS_CONTRACT) && tirbi_contracts_operands(u->pool, s) ? s : out;
    if (loop && s->as.loop.blocks) return s;
    const int64_t around = u->rounds;
    if (loop) u->rounds = rounds_inside(u, s);
    out = tirbi_replace_inside(u->pool, s, unroll_all, u);
    u->rounds = around;
    return out;
}

const tirbi_ls *tirbi_unroll_sums(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    unroller *u = TIRBI_NEW(pool->arena, unroller);
    if (!u || !body || (disabled & (TIRB_PASS_LANES | TIRB_PASS_INTERCHANGE))) return body;
    *u = (unroller){.pool = pool, .disabled = disabled, .rounds = 1};
    return unroll_all(u, body);
}
