/* The value of a tree reduction: the last section of RULES.md. */
#include "tests/reference/machine.h"
#include "tests/reference/value.h"

enum { BLOCK = 16384, MAX_LOOPS = 64 };

typedef struct accumulator {
    tirbi_dtype type;
    uint32_t width; /* W: partial results */
    const tirbi_ref_view *view;
    uint64_t place; /* byte offset of O[s] */
    uint64_t value;
    uint64_t partial[64];
} accumulator;

typedef struct reduction {
    const tirbi_ref_tree *tree;
    int64_t min[MAX_LOOPS], extent[MAX_LOOPS];
    accumulator *accumulators; /* one per update */
    bool first;                /* at the first point, where the places are computed */
    uint32_t lane;             /* which partial result takes the point's terms */
} reduction;

static tirbi_op op_of(tirb_expr_kind kind) {
    return kind == TIRB_EXPR_ADD   ? TIRB_OP_ADD
           : kind == TIRB_EXPR_MUL ? TIRB_OP_MUL
           : kind == TIRB_EXPR_MIN ? TIRB_OP_MIN
                                   : TIRB_OP_MAX;
}

static uint64_t identity(tirb_expr_kind kind, tirbi_dtype type) {
    double value = kind == TIRB_EXPR_ADD   ? 0.0
                   : kind == TIRB_EXPR_MUL ? 1.0
                   : kind == TIRB_EXPR_MIN ? (double)__builtin_inff()
                                           : -(double)__builtin_inff();
    return tirbi_ref_from_double(type, value);
}

static uint64_t combine(tirb_expr_kind kind, tirbi_dtype type, uint64_t a, uint64_t b) {
    uint64_t result = 0;
    bool known;
    tirbi_ref_binary(op_of(kind), type, a, b, &result, &known);
    return result;
}

/* step_u of the rules. */
static bool push(tirbi_ref_machine *m, const tirbi_ref_update *update, accumulator *acc, uint32_t lane) {
    const tirb_expr *e = update->term;
    uint64_t *p = &acc->partial[lane];
    if (update->op == TIRB_EXPR_ADD && e->kind == TIRB_EXPR_MUL && m->options.fp != TIRB_FP_STRICT) {
        tirbi_ref_value a;
        tirbi_ref_value b;
        if (!tirbi_ref_eval(m, e->as.binary.a, NULL, &a) || !tirbi_ref_eval(m, e->as.binary.b, NULL, &b)) return false;
        *p = tirbi_ref_fma(acc->type, a.one, b.one, *p);
        return true;
    }
    tirbi_ref_value v;
    if (!tirbi_ref_eval(m, e, NULL, &v)) return false;
    *p = combine(update->op, acc->type, *p, v.one);
    return true;
}

/* Where an update's result goes, and what it holds before the first term. */
static bool locate(tirbi_ref_machine *m, const tirbi_ref_update *update, accumulator *acc) {
    const tirb_stmt *store = update->store;
    tirbi_ref_value *indices;
    acc->view = tirbi_ref_view_of(m, store->as.store.buffer);
    if (acc->view == NULL || !tirbi_ref_element_type(m, store->as.store.value->dtype, &acc->type) ||
        !tirbi_ref_eval_indices(m, store->as.store.indices, store->as.store.n_indices, NULL, &indices)) {
        return false;
    }
    int64_t *at = tirbi_ref_scratch(m, store->as.store.n_indices, sizeof *at);
    if (at == NULL) return false;
    for (uint32_t i = 0; i < store->as.store.n_indices; i++) at[i] = (int64_t)indices[i].one;
    acc->width = acc->type == TIRB_F64 ? 32 : 64;
    return tirbi_ref_address(m, acc->view, store->as.store.indices, at, &acc->place) &&
           tirbi_ref_read(m, acc->view, acc->place, &acc->value);
}

/* Runs the lets and pushes the terms of one point; `next` counts the stores met. */
static bool visit(tirbi_ref_machine *m, reduction *r, const tirb_stmt *s, uint32_t *next) {
    if (s->kind == TIRB_STMT_LET) {
        tirbi_ref_value value;
        if (!tirbi_ref_eval(m, s->as.let.value, NULL, &value)) return false;
        tirbi_ref_bind(m, s->as.let.var, value);
        return visit(m, r, s->as.let.body, next);
    }
    if (s->kind == TIRB_STMT_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) {
            if (!visit(m, r, s->as.seq.items[i], next)) return false;
        }
        return true;
    }
    const tirbi_ref_update *update = &r->tree->updates[*next];
    accumulator *acc = &r->accumulators[*next];
    (*next)++;
    if (r->first) {
        if (!locate(m, update, acc)) return false;
        for (uint32_t j = 0; j < acc->width; j++) acc->partial[j] = identity(update->op, acc->type);
    }
    return push(m, update, acc, r->lane % acc->width);
}

/* Folds the partial results into the accumulator and empties them. */
static void fold(const tirbi_ref_update *update, accumulator *acc) {
    for (uint32_t half = acc->width / 2; half > 0; half /= 2) {
        for (uint32_t j = 0; j < half; j++) {
            acc->partial[j] = combine(update->op, acc->type, acc->partial[j], acc->partial[j + half]);
        }
    }
    acc->value = combine(update->op, acc->type, acc->value, acc->partial[0]);
    for (uint32_t j = 0; j < acc->width; j++) acc->partial[j] = identity(update->op, acc->type);
}

/* Sets the reduction loops' variables, and the reduce axes bound to them, to a linear index. */
static void set_point(tirbi_ref_machine *m, const reduction *r, uint64_t linear) {
    const tirbi_ref_tree *tree = r->tree;
    for (uint32_t i = tree->n_radix; i-- > 0;) {
        uint32_t loop = tree->radix[i];
        uint64_t extent = (uint64_t)r->extent[loop];
        tirbi_ref_bind_int(m, tree->loops[loop].loop->as.for_.var, r->min[loop] + (int64_t)(linear % extent));
        linear /= extent;
    }
    if (tree->realize == NULL) return;
    const tirb_block *block = tree->realize->as.block.block;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        if (block->iters[i].type != TIRB_ITER_COMM_REDUCE) continue;
        const tirb_expr *loop_var = tree->realize->as.block.values[i];
        tirbi_ref_bind_int(m, block->iters[i].var, (int64_t)m->frame->vars[loop_var->as.var.id].one);
    }
}

/* Binds the spatial axes, tests the predicate and runs init; *run is false when the predicate does not hold. */
static bool enter_block(tirbi_ref_machine *m, const reduction *r, bool *run) {
    const tirb_stmt *realize = r->tree->realize;
    const tirb_block *block = realize->as.block.block;
    *run = true;
    for (uint32_t i = 0; i < block->n_iters; i++) {
        int64_t value;
        if (!tirbi_ref_eval_int(m, realize->as.block.values[i], &value)) return false;
        tirbi_ref_bind_int(m, block->iters[i].var, value);
    }
    if (realize->as.block.predicate != NULL && !tirbi_ref_eval_bool(m, realize->as.block.predicate, run)) return false;
    return !*run || block->init == NULL || tirbi_ref_run(m, block->init) == TIRBI_REF_NEXT;
}

static bool reduce_point(tirbi_ref_machine *m, reduction *r) {
    const tirbi_ref_tree *tree = r->tree;
    uint64_t n = 1;
    bool run = true;
    for (uint32_t i = 0; i < tree->n_radix; i++) n *= (uint64_t)r->extent[tree->radix[i]];
    set_point(m, r, 0);
    if (tree->realize != NULL && !enter_block(m, r, &run)) return false;
    if (!run) return true;
    for (uint64_t x = 0; x < n; x++) {
        tirbi_ref_mark mark = tirbi_ref_scratch_mark(m);
        uint32_t next = 0;
        set_point(m, r, x);
        r->first = x == 0;
        r->lane = (uint32_t)(x % 64);
        if (!tirbi_ref_step(m) || !visit(m, r, tree->body, &next)) return false;
        if (x != 0) tirbi_ref_scratch_release(m, mark); /* the views of the first point are kept */
        if (x % BLOCK != BLOCK - 1 && x != n - 1) continue;
        for (uint32_t i = 0; i < tree->n_updates; i++) fold(&tree->updates[i], &r->accumulators[i]);
    }
    for (uint32_t i = 0; i < tree->n_updates; i++) {
        const accumulator *acc = &r->accumulators[i];
        if (!tirbi_ref_write(m, acc->view, acc->place, &acc->value)) return false;
    }
    return true;
}

/* The loops that are not reduction loops, in order. */
static bool iterate(tirbi_ref_machine *m, reduction *r, uint32_t depth) {
    if (depth == r->tree->n_loops) {
        tirbi_ref_mark mark = tirbi_ref_scratch_mark(m);
        bool done = reduce_point(m, r);
        tirbi_ref_scratch_release(m, mark);
        return done;
    }
    if (r->tree->loops[depth].reduction) return iterate(m, r, depth + 1);
    for (int64_t i = 0; i < r->extent[depth]; i++) {
        if (!tirbi_ref_step(m)) return false;
        tirbi_ref_bind_int(m, r->tree->loops[depth].loop->as.for_.var, r->min[depth] + i);
        if (!iterate(m, r, depth + 1)) return false;
    }
    return true;
}

tirbi_ref_flow tirbi_ref_run_tree(tirbi_ref_machine *m, const tirbi_ref_tree *tree) {
    reduction *r = tirbi_ref_scratch(m, 1, sizeof *r);
    if (r == NULL) return TIRBI_REF_FAILED;
    r->tree = tree;
    r->accumulators = tirbi_ref_scratch(m, tree->n_updates, sizeof *r->accumulators);
    if (r->accumulators == NULL) return TIRBI_REF_FAILED;
    for (uint32_t i = 0; i < tree->n_loops; i++) {
        const tirb_stmt *loop = tree->loops[i].loop;
        if (!tirbi_ref_eval_int(m, loop->as.for_.min, &r->min[i]) ||
            !tirbi_ref_eval_int(m, loop->as.for_.extent, &r->extent[i])) {
            return TIRBI_REF_FAILED;
        }
    }
    for (uint32_t i = 0; i < tree->n_loops; i++) {
        if (r->extent[i] < 1) return TIRBI_REF_NEXT;
    }
    return iterate(m, r, 0) ? TIRBI_REF_NEXT : TIRBI_REF_FAILED;
}
