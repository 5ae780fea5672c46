/* Roughly how long a statement takes. Only whether it is worth a fork depends on it. */
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/contractions/operands.h"
#include "compiler/optimize/cuts/split.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/rows/numbered.h"
#include "compiler/optimize/rows/ragged.h"
#include "compiler/optimize/rows/rows.h"
#include "compiler/optimize/threads/regions.h"
#include "compiler/pipeline/switches.h"

enum {
    SCALAR_OP = 1200, /* picoseconds */
    LANE_OP = 40,
    ORDERED_OP = 60, /* of lanes that take turns */
    PRODUCT = 16, /* of a contraction */
    FOLD_ROW = 10000, /* of a fold, and each element of a row */
    FOLD_ELEMENT = 24,
    SLOW_FACTOR = 12, /* of a mathematical function */
    DIVISION_FACTOR = 4,
    UNKNOWN_ROUNDS = 16, /* of loops whose length only their iteration tells */
    MAX_CUTS = 8,        /* of a loop that decides something, one in another */
    CALL = 50000,
    LARGEST = 1 << 30
};

typedef struct estimator {
    tirbi_lx_pool *pool;
    tirbi_loop_set inner; /* what the statement itself declares, loops and variables: it is not known outside */
    bool declares_more;   /* than there is room for */
    uint32_t disabled; /* a set of TIRB_PASS_* */
    bool in_lanes;
    bool in_order; /* in lanes some of which take turns */
    bool by_rows; /* trees have the terms of many rows in memory */
} estimator;

static const tirbi_lx *cost_of(estimator *e, const tirbi_ls *s);

static int64_t weight(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP) return 1;
    if (x->op >= TIRB_OP_RSQRT && x->op <= TIRB_OP_RHYPOT && !(x->op >= TIRB_OP_FLOOR && x->op <= TIRB_OP_ROUND))
        return SLOW_FACTOR;
    return x->op >= TIRB_OP_DIV && x->op <= TIRB_OP_FLOORMOD ? DIVISION_FACTOR : 1;
}

static int64_t bounded(int64_t n) { return n < LARGEST ? n : LARGEST; }

/* Operations of the tree that an expression stands for. */
static int64_t operations(const tirbi_lx *x) {
    if (!x) return 0;
    int64_t n = 0;
    if (x->kind == TIRBI_LX_CALL) return CALL / SCALAR_OP;
    if (x->kind != TIRBI_LX_CONST && x->kind != TIRBI_LX_VAR) n = weight(x);
    if (x->kind == TIRBI_LX_LOAD) {
        for (uint32_t i = 0; i < x->access->ndim; i++) {
            if (!x->access->indices[i]->pure) n = bounded(n + operations(x->access->indices[i]));
        }
    }
    for (int i = 0; i < x->n_args; i++) n = bounded(n + operations(x->args[i]));
    return n;
}

static const tirbi_lx *of_operations(estimator *e, int64_t n) {
    return tirbi_lx_number(e->pool, bounded(n) * (e->in_order ? ORDERED_OP : e->in_lanes ? LANE_OP : SCALAR_OP));
}

/* The sum or the product of two costs, at most what 64 bits hold. */
static const tirbi_lx *join(estimator *e, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    int64_t value;
    if (!a || !b) return NULL;
    const bool adds = op == TIRB_OP_ADD, known = a->kind == TIRBI_LX_CONST && b->kind == TIRBI_LX_CONST;
    if (known && (adds ? __builtin_add_overflow(a->value, b->value, &value)
                       : __builtin_mul_overflow(a->value, b->value, &value)))
        return tirbi_lx_number(e->pool, INT64_MAX);
    return adds ? tirbi_lx_add(e->pool, a, b) : tirbi_lx_mul(e->pool, a, b);
}

static const tirbi_lx *plus(estimator *e, const tirbi_lx *a, const tirbi_lx *b) { return join(e, TIRB_OP_ADD, a, b); }
static const tirbi_lx *times(estimator *e, const tirbi_lx *a, const tirbi_lx *b) { return join(e, TIRB_OP_MUL, a, b); }

static void declare(estimator *e, tirbi_lvar *var) {
    if (e->inner.n < TIRBI_MAX_AFFINE) e->inner.var[e->inner.n++] = var;
    else e->declares_more = true;
}

static const tirbi_lx *rounds(estimator *e, const tirbi_lvar *var) {
    const tirbi_lx *extent = var->extent;
    if (extent->kind == TIRBI_LX_CONST) return tirbi_lx_number(e->pool, extent->value > 0 ? extent->value : 0);
    if (extent->pure && !extent->traps && extent->size <= TIRBI_MAX_SHARED_SIZE && !e->declares_more &&
        !tirbi_mentions_loops(extent, &e->inner))
        return extent;
    return tirbi_lx_number(e->pool, extent->hi / 2 < UNKNOWN_ROUNDS ? (extent->hi + 1) / 2 : UNKNOWN_ROUNDS);
}

/* Whether a loop that decides something is cut into loops of which one at least is lanes: the others are its edges. */
static bool has_lanes(estimator *e, const tirbi_ls *s, unsigned depth) {
    if (!s || depth == 0) return false;
    switch (s->kind) {
    case TIRBI_LS_LOOP:
        return tirbi_has_lanes(e->pool, s) || has_lanes(e, tirbi_split_loop(e->pool, s), depth - 1);
    case TIRBI_LS_IF:
        return has_lanes(e, s->as.if_.then_case, depth - 1) || has_lanes(e, s->as.if_.else_case, depth - 1);
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (has_lanes(e, s->as.seq.items[i], depth - 1)) return true;
        }
        return false;
    default: return false;
    }
}

/* A contraction, or what is distributed around some; NULL where the loop is none. */
static const tirbi_lx *of_contraction(estimator *e, const tirbi_ls *s) {
    tirbi_contract_plan plan;
    tirbi_distribution parts;
    if (e->in_lanes || (e->disabled & TIRB_PASS_CONTRACT)) return NULL;
    if (tirbi_plan_contraction(e->pool, s, &plan)) {
        const tirbi_lx *cost = tirbi_lx_number(e->pool, PRODUCT);
        for (uint32_t i = 0; i < plan.loops.n; i++) cost = times(e, rounds(e, plan.loops.var[i]), cost);
        return cost;
    }
    if (!tirbi_distribute_contraction(e->pool, s, &parts)) return NULL;
    const tirbi_lx *cost = cost_of(e, parts.item[0]);
    for (uint32_t i = 1; i < parts.n; i++) cost = plus(e, cost, cost_of(e, parts.item[i]));
    return cost;
}

static const tirbi_lx *of_loop(estimator *e, const tirbi_ls *s) {
    estimator inner = *e;
    declare(&inner, s->as.loop.var);
    bool lanes = !(e->disabled & TIRB_PASS_LANES);
    const tirbi_lx *contraction = of_contraction(e, s);
    if (contraction) return contraction;
    tirbi_fold_plans folds;
    if (!e->in_lanes && !(e->disabled & TIRB_PASS_CONTRACT) && tirbi_plan_folds(e->pool, s, &folds)) {
        const tirbi_loop_set *loops = &folds.plan[0].loops;
        const tirbi_lx *cost = times(e, rounds(e, loops->var[loops->n - 1]), tirbi_lx_number(e->pool, FOLD_ELEMENT));
        cost = plus(e, cost, tirbi_lx_number(e->pool, FOLD_ROW));
        for (uint32_t i = 0; i + 1 < loops->n; i++) cost = times(e, rounds(e, loops->var[i]), cost);
        return times(e, tirbi_lx_number(e->pool, folds.n), cost);
    }
    if (lanes && !e->in_lanes) {
        inner.in_lanes = tirbi_nest_has_lanes(e->pool, s, TIRBI_NEST_ANY) || tirbi_has_lanes(e->pool, s) ||
                         tirbi_split_nest(e->pool, s) || has_lanes(e, tirbi_split_loop(e->pool, s), MAX_CUTS);
        tirbi_arranged made;
        const bool arranges = !inner.in_lanes && !(e->disabled & TIRB_PASS_SEQUENCES);
        if (arranges && tirbi_number_rows(e->pool, s, &made))
            inner.in_lanes = tirbi_nest_has_lanes(e->pool, made.loop, TIRBI_NEST_ANY);
        else if (arranges && tirbi_flatten_ranges(e->pool, s, &made))
            inner.in_lanes = inner.in_order = true;
    }
    return times(e, rounds(e, s->as.loop.var), plus(e, cost_of(&inner, s->as.loop.body), of_operations(&inner, 1)));
}

static const tirbi_lx *of_tree(estimator *e, const tirbi_ls *s) {
    estimator inner = *e;
    int64_t n = 0;
    inner.in_lanes = !(e->disabled & TIRB_PASS_LANES);
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++)
        n += 1 + operations(s->as.tree.updates[i].value) + operations(s->as.tree.updates[i].factor);
    const tirbi_lx *cost = of_operations(&inner, n);
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) cost = times(e, rounds(e, s->as.tree.loops[i]), cost);
    return plus(e, cost, tirbi_lx_number(e->pool, e->by_rows ? FOLD_ROW : SCALAR_OP * 64));
}

/* Loops of rows do each statement for many rows before the next: as nests of their own. */
static const tirbi_lx *of_rows(estimator *e, const tirbi_ls *s) {
    const tirbi_ls *loops[TIRBI_MAX_ROW_LOOPS], *body = s;
    uint32_t n = 0;
    for (; n < s->as.loop.rows && n < TIRBI_MAX_ROW_LOOPS && body->kind == TIRBI_LS_LOOP; body = body->as.loop.body)
        loops[n++] = body;
    uint32_t n_items = body->kind == TIRBI_LS_SEQ ? body->as.seq.n : 1;
    const tirbi_lx *sum = tirbi_lx_number(e->pool, 0), *products = sum;
    estimator rows = *e;
    rows.by_rows = true;
    for (uint32_t i = 0; i < n_items; i++) {
        const tirbi_ls *nest = tirbi_behind_condition(body->kind == TIRBI_LS_SEQ ? body->as.seq.items[i] : body);
        if (nest->kind == TIRBI_LS_ALLOC) continue;
        for (uint32_t l = n; nest && l-- > 0;) {
            tirbi_ls *loop = tirbi_loop_like(e->pool, loops[l], NULL, nest);
            if (loop) loop->as.loop.rows = 0;
            nest = loop;
        }
        if (!nest) return NULL;
        const tirbi_lx *cost = cost_of(&rows, tirbi_compute_operands(e->pool, nest, e->disabled, NULL));
        if (tirbi_contracts(e->pool, nest)) products = plus(e, products, cost);
        sum = plus(e, sum, cost);
    }
    const bool is_long = sum && products && sum->size > TIRBI_MAX_SHARED_SIZE && !tirbi_lx_is_int(products, 0);
    return is_long ? products : sum; /* which take most of the time */
}

/* Statements a loop takes turns with, and alternatives: the dearer alternative is not known, so both count half. */
static const tirbi_lx *cost_of(estimator *e, const tirbi_ls *s) {
    switch (s ? s->kind : TIRBI_LS_BREAK) {
    case TIRBI_LS_SEQ: {
        const tirbi_lx *sum = tirbi_lx_number(e->pool, 0);
        for (uint32_t i = 0; i < s->as.seq.n; i++) sum = plus(e, sum, cost_of(e, s->as.seq.items[i]));
        return sum;
    }
    case TIRBI_LS_LOOP: return s->as.loop.rows ? of_rows(e, s) : of_loop(e, s);
    case TIRBI_LS_WHILE:
        return times(e, tirbi_lx_number(e->pool, UNKNOWN_ROUNDS), cost_of(e, s->as.while_.body));
    case TIRBI_LS_IF:
        return plus(e, of_operations(e, operations(s->as.if_.condition)),
                    plus(e, cost_of(e, s->as.if_.then_case), cost_of(e, s->as.if_.else_case)));
    case TIRBI_LS_STORE: return of_operations(e, 1 + operations(s->as.store.value));
    case TIRBI_LS_SET:
        if (s->as.set.declares) declare(e, s->as.set.var);
        return of_operations(e, operations(s->as.set.value));
    case TIRBI_LS_EVAL: return of_operations(e, operations(s->as.eval.value));
    case TIRBI_LS_TREE: return of_tree(e, s);
    case TIRBI_LS_ALLOC: return of_operations(e, 64);
    default: return of_operations(e, 1);
    }
}

const tirbi_lx *tirbi_statement_cost(tirbi_lx_pool *pool, const tirbi_ls *stmt, uint32_t disabled) {
    estimator e = {.pool = pool, .disabled = disabled};
    return cost_of(&e, stmt);
}
