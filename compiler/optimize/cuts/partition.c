/* Cutting a loop's range keeps the order of its iterations. Parts of a loop inside of others become nests of their own,
 * one after the other, where the iterations of the loops around it may be taken in that order; else they stay inside.
 *
 * A loop whose extent is known at run time is cut at its ends, where it is known to have more iterations than these:
 * the nest as a whole is asked for that once, and stays as it was where it has too few. */
#include "compiler/optimize/cuts/partition.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/contractions/operands.h"
#include "compiler/optimize/cuts/clip.h"
#include "compiler/optimize/cuts/questions.h"
#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"
#include "loader/base/checked.h"

enum {
    MAX_PARTS = 8,  /* of one loop */
    MAX_NESTS = 40, /* of one nest, and in a function */
    MAX_FUNCTION = 400,
    FEW_CUTS = 5, /* more are joined that are NEAR each other: the two ends of one edge */
    NEAR = 4,
    MAX_NODES = 4000, /* of a nest's body in all parts that the ends of its loops make */
    NEAREST = 32,     /* to the size of a loop, in less than what its largest one is below the type's */
    SMALL = 8,        /* loops of so few iterations are cut last: where the others have few as well, less is asked */
    LEAST_ITERATIONS = 128,
    MAX_DEPTH = 48
};

typedef struct partitioner {
    tirbi_lx_pool *pool;
    uint32_t disabled;
    tirbi_notes *notes;
    tirbi_given facts;
    uint32_t nests;  /* parts of the nest */
    int64_t rounds;  /* of the loops around, at most LEAST_ITERATIONS */
    uint32_t budget; /* parts that the function may still get */
} partitioner;

static void join_edges(tirbi_cuts *c) {
    uint32_t n = 0;
    if (c->n <= FEW_CUTS) return;
    for (uint32_t i = 0; i < c->n;) {
        uint32_t last = i;
        while (last + 1 < c->n && c->at[last + 1] - c->at[last] <= NEAR) last++;
        c->at[n++] = c->at[i];
        if (last > i) c->at[n++] = c->at[last];
        i = last + 1;
    }
    c->n = n;
}

/* ---- Remainders ------------------------------------------------------------------------------------------------- */

enum { MAX_MODULUS = 4 };

/* The least modulus of which a condition asks for the remainder of a sum with the loop's variable in it; 0: none. */
typedef struct remainders {
    const tirbi_lvar *var;
    int64_t modulus;
} remainders;

static void find_remainders(remainders *r, const tirbi_lx *x, bool in_condition, unsigned depth) {
    tirbi_division d;
    if (depth == 0 || x->kind == TIRBI_LX_CONST || x->kind == TIRBI_LX_VAR) return;
    if (x->kind == TIRBI_LX_LOAD) {
        for (uint32_t i = 0; i < x->access->ndim; i++) find_remainders(r, x->access->indices[i], false, depth - 1);
        return;
    }
    if (in_condition && x->pure && tirbi_is_division(x, &d) && d.remainder && d.divisor <= MAX_MODULUS &&
        (r->modulus == 0 || d.divisor < r->modulus)) {
        tirbi_sum sum = {.constant = 0}, rest;
        int64_t factor, lo, hi;
        if (tirbi_sum_of(&sum, d.numerator, 1) && tirbi_take_factor(&sum, r->var, &factor, &rest) &&
            tirbi_sum_range(&rest, &lo, &hi) && factor % d.divisor != 0)
            r->modulus = d.divisor;
    }
    for (int i = 0; i < x->n_args; i++)
        find_remainders(r, x->args[i], in_condition || (tirbi_is_choice(x) && i == 0), depth - 1);
}

static tirbi_step find_remainders_in(tirbi_walk *w, const tirbi_lx *x) {
    find_remainders(w->context, x, w->at->kind == TIRBI_LS_IF, MAX_DEPTH);
    return TIRBI_PAST;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

typedef struct chain {
    const tirbi_ls *loop[TIRBI_MAX_AFFINE];
    tirbi_loop_set vars;
    const tirbi_ls *body;
} chain;

/* The loops that have nothing but each other in them. */
static void read_chain(chain *c, const tirbi_ls *s) {
    c->vars.n = 0;
    for (;;) {
        s = tirbi_only_part(s);
        if (s->kind != TIRBI_LS_LOOP || c->vars.n == TIRBI_MAX_AFFINE) break;
        c->loop[c->vars.n] = s;
        c->vars.var[c->vars.n++] = s->as.loop.var;
        s = s->as.loop.body;
    }
    c->body = s;
}

static bool has_constant_range(const tirbi_lvar *var) {
    int64_t behind;
    return var->min->kind == TIRBI_LX_CONST && var->extent->kind == TIRBI_LX_CONST && var->lo == var->min->value &&
           !__builtin_sub_overflow(var->hi, var->lo, &behind) && behind < INT64_MAX &&
           behind + 1 == var->extent->value && (var->type == TIRB_I32 || var->type == TIRB_I64);
}

static const tirbi_ls *loop_over(partitioner *p, const tirbi_ls *like, tirbi_lvar *var, const tirbi_ls *body) {
    return !body || tirbi_is_nothing(body) ? body : tirbi_loop_like(p->pool, like, var, body);
}

/* Every `modulus`th iteration of a loop, from iteration `first` on, `count` of them; where `of` is another loop's
 * variable, what that one of its iterations does. */
static const tirbi_ls *make_round(partitioner *p, const tirbi_ls *loop, int64_t first, int64_t modulus,
                                  tirbi_lvar *of) {
    tirbi_lvar *old = loop->as.loop.var;
    const tirbi_lx *scaled = tirbi_lx_binary(p->pool, TIRB_OP_MUL, old->type, tirbi_lx_var(p->pool, of),
                                             tirbi_lx_int(p->pool, old->type, modulus));
    const tirbi_lx *value =
        tirbi_lx_binary(p->pool, TIRB_OP_ADD, old->type, scaled, tirbi_lx_int(p->pool, old->type, old->lo + first));
    return tirbi_resolve(p->pool, &p->facts, loop->as.loop.body, old, value, of);
}

/* Which loops of the nest may be taken anew for each part of one of them. */
static bool find_free(const partitioner *p, const chain *c, bool spatial[TIRBI_MAX_AFFINE]) {
    return !(p->disabled & TIRB_PASS_INTERCHANGE) && tirbi_fails_alike(c->loop[0]) &&
           tirbi_find_spatial(p->pool, &c->vars, c->body, spatial);
}

/* A part in the loops around it, with variables of its own, for one of several parts: what is around both may run them
 * in one lane loop. */
static const tirbi_ls *apart_inside(partitioner *p, const chain *c, uint32_t at, const tirbi_ls *part) {
    for (uint32_t i = at; part && i-- > 0;) {
        tirbi_lvar *var = tirbi_variable_like(p->pool, c->vars.var[i]);
        if (!var) return NULL;
        part = tirbi_resolve(p->pool, &p->facts, part, c->vars.var[i], tirbi_lx_var(p->pool, var), var);
        part = tirbi_loop_like(p->pool, c->loop[i], var, part);
    }
    return part;
}

static const tirbi_ls *in_sequence(partitioner *p, const tirbi_ls *like, const tirbi_ls *const *parts, uint32_t n) {
    return tirbi_new_sequence(p->pool, like->span, parts, n);
}

static const tirbi_ls *partition(void *context, const tirbi_ls *s);
static const tirbi_ls *partition_nest(partitioner *p, const tirbi_ls *s);

/* A value of the variable at the loop's end, of which the size in it is known to be no larger than the loop was asked
 * to be: sums of it are seen not to wrap. */
static const tirbi_lx *value_at(const partitioner *p, const tirbi_lvar *var, const tirbi_lx *first, int64_t least) {
    const tirbi_lx *value = tirbi_value_in_type(p->pool, var->type, first);
    if (!value || value->kind != TIRBI_LX_OP || value->op != TIRB_OP_ADD || value->type != TIRB_I32) return value;
    const tirbi_lx *size = value->args[0], *less = value->args[1];
    if (size->kind != TIRBI_LX_VAR || less->kind != TIRBI_LX_CONST || less->value > 0 || less->value < -NEAREST)
        return value;
    const int64_t lo = least - less->value, hi = TIRBI_LARGEST_CUT + NEAREST;
    const tirbi_lx *narrow =
        tirbi_lx_within(p->pool, size, size->lo < lo ? lo : size->lo, size->hi > hi ? hi : size->hi);
    return tirbi_lx_binary(p->pool, TIRB_OP_ADD, TIRB_I32, narrow, less);
}

/* `count` iterations of a loop from `first` on, at one of its ends. */
static const tirbi_ls *make_end(partitioner *p, const tirbi_ls *loop, const tirbi_lx *first, int64_t least,
                                int64_t count) {
    tirbi_lvar *old = loop->as.loop.var;
    const tirbi_lx *value = value_at(p, old, first, least);
    if (!value) return NULL;
    if (count == 1) return tirbi_resolve(p->pool, &p->facts, loop->as.loop.body, old, value, NULL);
    tirbi_lvar *var = tirbi_counter_like(p->pool, old, tirbi_lx_number(p->pool, count));
    if (!var) return NULL;
    value = tirbi_lx_binary(p->pool, TIRB_OP_ADD, old->type, value, tirbi_lx_var(p->pool, var));
    return loop_over(p, loop, var, tirbi_resolve(p->pool, &p->facts, loop->as.loop.body, old, value, var));
}

/* One of a loop's parts. Where its extent is known at run time, the facts say that it has more iterations than those at
 * its ends. */
static const tirbi_ls *make_part(partitioner *p, const tirbi_ls *loop, const tirbi_cuts *where, uint32_t part) {
    const tirbi_lvar *old = loop->as.loop.var;
    const int64_t from = part == 0 ? 0 : where->at[part - 1], to = part == where->n ? 0 : where->at[part];
    const bool has_ends = old->extent->kind != TIRBI_LX_CONST;
    const tirbi_lx *first = tirbi_lx_number(p->pool, from),
                   *behind = to > 0 ? tirbi_lx_number(p->pool, to)
                                    : tirbi_lx_add(p->pool, old->extent, tirbi_lx_number(p->pool, to));
    if (has_ends && to > 0) return make_end(p, loop, old->min, old->lo, to);
    if (has_ends && from < 0) {
        const tirbi_lx *last = tirbi_lx_add(p->pool, tirbi_lx_add(p->pool, old->min, old->extent), first);
        int64_t least;
        if (!tirbi_add_i64(old->lo, where->n > 1 ? where->at[0] + 1 : 1, &least)) return NULL;
        return make_end(p, loop, last, least, -from);
    }
    tirbi_lvar *var = tirbi_part_variable(p->pool, old, first, behind);
    if (var && has_ends && var->type == TIRB_I32 && var->hi > TIRBI_LARGEST_CUT) var->hi = TIRBI_LARGEST_CUT;
    return tirbi_part_over(p->pool, loop, var, &p->facts);
}

static bool has_room(const partitioner *p, uint32_t parts) {
    return p->nests + parts <= MAX_NESTS && p->budget >= parts;
}

static void take_room(partitioner *p, uint32_t parts) {
    p->nests += parts;
    p->budget -= parts;
}

/* The nest with loop `at` in parts: each in the loops around it, where that may be, or all of them. */
static const tirbi_ls *cut_loop(partitioner *p, const chain *c, uint32_t at, const tirbi_cuts *where) {
    const tirbi_ls *parts[MAX_PARTS + 1];
    bool spatial[TIRBI_MAX_AFFINE] = {false}, apart = find_free(p, c, spatial);
    uint32_t n = 0;
    for (uint32_t k = 0; k < at && apart && !spatial[at]; k++) apart = spatial[k];
    apart = apart || at == 0;
    take_room(p, where->n);
    for (uint32_t i = 0; i <= where->n; i++) parts[i] = make_part(p, c->loop[at], where, i);
    for (uint32_t i = 0; i <= where->n; i++) {
        const tirbi_ls *part = parts[i];
        if (part && apart && !tirbi_is_nothing(part)) part = apart_inside(p, c, at, part);
        if (!part) return NULL;
        if (!tirbi_is_nothing(part)) parts[n++] = apart ? partition_nest(p, part) : partition(p, part);
    }
    const tirbi_ls *all = in_sequence(p, c->loop[0], parts, n);
    tirbi_note_loop(p->notes, c->vars.var[at], c->loop[at]->span, TIRB_FORM_SPLIT,
                    "in parts, so that each decides its condition at once");
    return all && !apart && n > 0 ? tirbi_in_loops(p->pool, c->loop, at, all) : all;
}

/* The nest with loop `at` by remainders: each by itself, or in turns, where their order counts. */
static const tirbi_ls *cut_by_remainders(partitioner *p, const chain *c, uint32_t at, int64_t modulus) {
    const tirbi_ls *parts[2 * MAX_MODULUS], *turns[MAX_MODULUS], *loop = c->loop[at];
    const tirbi_lvar *var = loop->as.loop.var;
    int64_t count = var->extent->value, rounds = count / modulus;
    uint32_t n = 0, n_turns = 0;
    bool spatial[TIRBI_MAX_AFFINE], alone = rounds < 2; /* each iteration is a part */
    const bool apart = !alone && find_free(p, c, spatial) && spatial[at];
    tirbi_lvar *in_turns = apart || alone ? NULL : tirbi_counter_like(p->pool, var, tirbi_lx_number(p->pool, rounds));
    take_room(p, (uint32_t)modulus);
    for (int64_t i = 0; i < modulus && !alone; i++) {
        const tirbi_lx *own = tirbi_lx_number(p->pool, (count - i + modulus - 1) / modulus);
        tirbi_lvar *of = apart ? tirbi_counter_like(p->pool, var, own) : in_turns;
        const tirbi_ls *part = of ? make_round(p, loop, i, modulus, of) : NULL;
        if (part && apart) part = loop_over(p, loop, of, part);
        if (!part) return NULL;
        if (tirbi_is_nothing(part)) continue;
        if (!apart) {
            turns[n_turns++] = part;
            continue;
        }
        part = apart_inside(p, c, at, part);
        if (!part) return NULL;
        parts[n++] = partition_nest(p, part);
    }
    if (n_turns > 0) {
        const tirbi_ls *turn = loop_over(p, loop, in_turns, in_sequence(p, loop, turns, n_turns));
        if (!turn) return NULL;
        parts[n++] = turn;
    }
    for (int64_t i = alone ? 0 : rounds * modulus; i < count && !apart; i++) {
        const tirbi_lx *from = tirbi_lx_number(p->pool, i), *to = tirbi_lx_number(p->pool, i + 1);
        tirbi_lvar *one = tirbi_part_variable(p->pool, var, from, to);
        const tirbi_ls *part = tirbi_part_over(p->pool, loop, one, &p->facts);
        if (!part) return NULL;
        if (!tirbi_is_nothing(part)) parts[n++] = part;
    }
    const tirbi_ls *all = in_sequence(p, loop, parts, n);
    tirbi_note_loop(p->notes, var, loop->span, TIRB_FORM_SPLIT, "in parts, so that each decides its condition at once");
    return all && !apart && n > 0 ? partition_nest(p, tirbi_in_loops(p->pool, c->loop, at, all)) : all;
}

/* ---- Loops whose extents are known at run time ------------------------------------------------------------------- */

static bool has_ends(partitioner *p, const tirbi_ls *loop, tirbi_cuts *ends) {
    tirbi_lvar *var = loop->as.loop.var;
    bool known_type = var->type == TIRB_I32 || var->type == TIRB_I64;
    return known_type && !loop->as.loop.parallel && var->extent->kind != TIRBI_LX_CONST &&
           tirbi_has_plain_bounds(var) && tirbi_find_cuts(ends, p->pool, var, loop->as.loop.body) && ends->n > 0;
}

/* How many iterations its ends take. */
static int64_t count_ends(const tirbi_cuts *ends) {
    int64_t n = 0;
    for (uint32_t i = 0; i < ends->n; i++) n += ends->at[i] < 0 ? -ends->at[i] : ends->at[i];
    return n;
}

/* Whether a loop is known to have more. */
static bool has_enough(const partitioner *p, const tirbi_lvar *var, const tirbi_cuts *ends) {
    return tirbi_decide(&p->facts, TIRB_OP_GT, var->extent, tirbi_lx_number(p->pool, count_ends(ends))) == 1;
}

static const tirbi_ls *cut_nest_ends(partitioner *p, const chain *c) {
    for (uint32_t at = 0; at < c->vars.n && p->facts.n > 0; at++) {
        tirbi_cuts ends;
        if (has_room(p, 3) && has_ends(p, c->loop[at], &ends) && has_enough(p, c->vars.var[at], &ends))
            return cut_loop(p, c, at, &ends);
    }
    return NULL;
}

static const tirbi_lx *both(const partitioner *p, const tirbi_lx *all, tirbi_op op, const tirbi_lx *x, int64_t n) {
    return tirbi_lx_and(p->pool, all, tirbi_lx_with(p->pool, op, x, n));
}

/* Whether each loop of the nest that has ends has more iterations than these; NULL: none has ends. The facts are what
 * that says. */
static const tirbi_lx *find_nest_ends(partitioner *p, const chain *c) {
    const tirbi_lx *all = NULL;
    int64_t most = MAX_NODES / tirbi_count_nodes(c->body);
    for (uint32_t i = 0; i < c->vars.n; i++) {
        const tirbi_lvar *var = c->vars.var[i];
        tirbi_cuts ends;
        bool own = false; /* its bounds change in the nest */
        for (uint32_t k = 0; k < i; k++)
            own = own || tirbi_lx_mentions(var->min, c->vars.var[k]) || tirbi_lx_mentions(var->extent, c->vars.var[k]);
        if (own || !has_ends(p, c->loop[i], &ends) || has_enough(p, var, &ends)) continue;
        const int64_t least = count_ends(&ends);
        most /= 3;
        if (most == 0) return NULL;
        all = both(p, all, TIRB_OP_GT, var->extent, least);
        if (var->type == TIRB_I32 && var->hi > TIRBI_LARGEST_CUT)
            all = both(p, all, TIRB_OP_LE, tirbi_lx_add(p->pool, var->min, var->extent), TIRBI_LARGEST_CUT);
        if (!all) return NULL;
        tirbi_add_fact(&p->facts, var->extent, tirbi_lx_number(p->pool, least), -1);
    }
    return all;
}

/* A nest of which some loops are cut at their ends. */
static const tirbi_ls *cut_at_ends(partitioner *p, const chain *c) {
    const uint32_t before = p->facts.n;
    const tirbi_lx *enough = find_nest_ends(p, c);
    tirbi_ls *branch = enough ? tirbi_new_stmt(p->pool, TIRBI_LS_IF, c->loop[0]->span) : NULL;
    if (branch) {
        branch->as.if_.condition = enough;
        branch->as.if_.then_case = cut_nest_ends(p, c);
    }
    p->facts.n = before;
    if (branch) branch->as.if_.else_case = apart_inside(p, c, c->vars.n, c->body);
    return branch && branch->as.if_.then_case && branch->as.if_.else_case ? branch : NULL;
}

static bool is_large(const partitioner *p, const chain *c) {
    int64_t n = p->rounds;
    for (uint32_t i = 0; i < c->vars.n; i++) {
        if (__builtin_mul_overflow(n, c->vars.var[i]->extent->hi, &n)) return true;
    }
    return n >= LEAST_ITERATIONS;
}

static bool has_constant_cuts(partitioner *p, const tirbi_ls *loop, tirbi_cuts *where) {
    if (!has_constant_range(loop->as.loop.var) || loop->as.loop.parallel ||
        !tirbi_find_cuts(where, p->pool, loop->as.loop.var, loop->as.loop.body))
        return false;
    join_edges(where);
    return where->n > 0 && where->n < MAX_PARTS && has_room(p, where->n);
}

static const tirbi_ls *cut_nest(partitioner *p, const chain *c) {
    for (uint32_t i = 0; i < 2 * c->vars.n; i++) {
        const uint32_t at = i % c->vars.n;
        const bool is_last = c->vars.var[at]->extent->hi <= SMALL;
        tirbi_cuts where;
        if (is_last == (i >= c->vars.n) && has_constant_cuts(p, c->loop[at], &where)) return cut_loop(p, c, at, &where);
    }
    for (uint32_t at = 0; at < c->vars.n; at++) {
        remainders r = {.var = c->vars.var[at]};
        if (!has_constant_range(r.var) || c->loop[at]->as.loop.parallel || !has_room(p, MAX_MODULUS)) continue;
        tirbi_walk walk = {.context = &r, .expr = find_remainders_in};
        tirbi_walk_stmt(&walk, c->loop[at]->as.loop.body);
        if (r.modulus >= 2 && r.var->extent->value >= 2) return cut_by_remainders(p, c, at, r.modulus);
    }
    return NULL;
}

/* Contractions, also those of padded operands: these are padded in memory of their own, sooner than their borders are
 * nests. */
static bool runs_well(partitioner *p, const tirbi_ls *loop) {
    tirbi_contract_plan *plan = TIRBI_NEW(p->pool->arena, tirbi_contract_plan);
    if (!plan || (p->disabled & TIRB_PASS_CONTRACT)) return false;
    return tirbi_plan_contraction(p->pool, loop, plan) || tirbi_contracts_operands(p->pool, loop);
}

/* What is in the loops of a nest. */
static const tirbi_ls *partition_inside(partitioner *p, const chain *c, const tirbi_ls *s) {
    const int64_t before = p->rounds;
    for (uint32_t i = 0; i < c->vars.n && p->rounds < LEAST_ITERATIONS; i++) {
        if (__builtin_mul_overflow(p->rounds, c->vars.var[i]->extent->hi, &p->rounds)) p->rounds = LEAST_ITERATIONS;
    }
    const tirbi_ls *body = partition(p, c->body);
    p->rounds = before;
    return body == c->body || !body ? s : tirbi_in_loops(p->pool, c->loop, c->vars.n, body);
}

/* A loop that is part of a larger nest already, or begins one. */
static const tirbi_ls *partition_nest(partitioner *p, const tirbi_ls *s) {
    chain *c = s->kind == TIRBI_LS_LOOP ? TIRBI_NEW(p->pool->arena, chain) : NULL;
    if (!c) return partition(p, s);
    read_chain(c, s);
    const tirbi_ls *cut = cut_nest(p, c);
    if (!cut) cut = cut_nest_ends(p, c);
    if (!cut) cut = cut_at_ends(p, c);
    return cut ? cut : partition_inside(p, c, s);
}

static const tirbi_ls *partition(void *context, const tirbi_ls *s) {
    partitioner *p = context;
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(p->pool, s, partition, p);
    chain *c = p->budget > 0 && tirbi_can_resolve(s) ? TIRBI_NEW(p->pool->arena, chain) : NULL;
    if (!c) return s->as.loop.blocks || s->as.loop.rows ? s : tirbi_replace_inside(p->pool, s, partition, p);
    read_chain(c, s);
    if (!is_large(p, c) || runs_well(p, s)) {
        const bool goes_on = !is_large(p, c) && tirbi_has_kind(c->body, TIRBI_KIND(LOOP));
        if (goes_on) s = partition_inside(p, c, s);
        TIRBI_GIVE_BACK(p->pool->arena, c);
        return s;
    }
    const tirbi_ls *clipped = p->disabled & TIRB_PASS_INTERCHANGE ? NULL : tirbi_clip_nest(p->pool, s, p->disabled);
    if (clipped) return clipped;
    uint32_t before = p->nests;
    p->nests = 0;
    s = partition_nest(p, s);
    p->nests = before;
    return s;
}

const tirbi_ls *tirbi_partition_loops(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled,
                                      tirbi_notes *notes) {
    partitioner *p = TIRBI_NEW(pool->arena, partitioner);
    if (!p || !body) return body;
    *p = (partitioner){.pool = pool, .disabled = disabled, .notes = notes, .budget = MAX_FUNCTION, .rounds = 1};
    body = partition(p, body);
    TIRBI_GIVE_BACK(pool->arena, p);
    return body;
}
