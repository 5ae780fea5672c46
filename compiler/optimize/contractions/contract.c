/* Matching contractions. The loops of a rectangular nest may be taken in any order when every element of C is updated
 * by the iterations of the reduce loops alone, and those keep their order: each element still receives its products in
 * program order (rule R1). That is so when C's indices tell the spatial iterations apart and nothing else of C's memory
 * is accessed. */
#include "compiler/optimize/contractions/contract.h"

#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/isa/semirings.h"

typedef struct matcher {
    tirbi_lx_pool *pool;
    tirbi_contract_plan *plan;
    const tirbi_ls *body;
} matcher;

/* ---- The update ----------------------------------------------------------------------------------------------- */

/* Whether every value of `from` is one of `to`. */
static bool widens(tirbi_dtype to, tirbi_dtype from) {
    const tirbi_dtype_info *t = &tirbi_dtypes[to], *f = &tirbi_dtypes[from];
    if (t->class == 'F') return f->class == 'F' ? t->bits >= 32 && t->bits > f->bits : t->bits / 2 >= f->bits;
    if (f->class == 'F' || t->class == 'B') return false;
    return f->class == 'U' || f->class == 'B' ? t->bits > f->bits : t->class == 'I' && t->bits > f->bits;
}

/* A factor: a load, converted to the type of the sum, at once or by way of a type that holds all its values. */
static bool match_factor(matcher *m, const tirbi_lx *x, unsigned operand) {
    bool converted = false;
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST) {
        if (converted && !widens((tirbi_dtype)x->type, (tirbi_dtype)x->source)) return false;
        converted = true;
        x = x->args[0];
    }
    if (x->kind != TIRBI_LX_LOAD) return false;
    bool half = tirbi_dtypes[m->plan->type].size == 2;
    if (half && x->type != m->plan->type) return false;
    m->plan->operands[operand].place = x->access;
    m->plan->operands[operand].type = (tirbi_dtype)x->type;
    return true;
}

static bool is_target(const matcher *m, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && tirbi_same_place(x->access, m->plan->operands[TIRBI_CONTRACT_C].place);
}

static bool is_op(const tirbi_lx *x, tirbi_op op, tirbi_dtype type) {
    return x->kind == TIRBI_LX_OP && x->op == op && x->optype == type;
}

static bool same_element(const tirbi_lx *a, const tirbi_lx *b) {
    while (a->kind == TIRBI_LX_OP && a->op == TIRB_OP_CAST && b->kind == TIRBI_LX_OP && b->op == TIRB_OP_CAST &&
           a->type == b->type && a->source == b->source) {
        a = a->args[0];
        b = b->args[0];
    }
    return a == b || (a->kind == TIRBI_LX_LOAD && b->kind == TIRBI_LX_LOAD && tirbi_same_place(a->access, b->access));
}

/* The difference of which a value is the product with itself, or NULL. */
static const tirbi_lx *squared(const tirbi_lx *x, tirbi_dtype type) {
    const tirbi_lx *a = x->args[0], *b = x->args[1];
    if (!is_op(a, TIRB_OP_SUB, type) || !is_op(b, TIRB_OP_SUB, type)) return NULL;
    return same_element(a->args[0], b->args[0]) && same_element(a->args[1], b->args[1]) ? a : NULL;
}

/* The comparison that a value counts, or NULL: widened elements differ where these do. */
static const tirbi_lx *counted_difference(const tirbi_lx *x, tirbi_dtype type) {
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_CAST || x->source != TIRB_BOOL) return NULL;
    x = x->args[0];
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_NE) return NULL;
    if (x->optype == type) return x;
    const bool loads = x->args[0]->kind == TIRBI_LX_LOAD && x->args[1]->kind == TIRBI_LX_LOAD;
    return loads && widens(type, (tirbi_dtype)x->optype) ? x : NULL;
}

/* An operation on two elements, and how the value goes on with it. */
typedef struct pairing {
    unsigned semiring;
    const tirbi_lx *pair;
} pairing;

static pairing added_term(const tirbi_lx *x, tirbi_dtype type) {
    if (is_op(x, TIRB_OP_ABS, type) && is_op(x->args[0], TIRB_OP_SUB, type))
        return (pairing){TIRBI_DISTANCES, x->args[0]};
    if (is_op(x, TIRB_OP_MUL, type) && !tirbi_dtype_is_float(type)) return (pairing){TIRBI_SQUARES, squared(x, type)};
    return (pairing){TIRBI_DIFFERENT, counted_difference(x, type)};
}

static pairing least_term(const tirbi_lx *x, tirbi_dtype type) {
    if (is_op(x, TIRB_OP_ADD, type)) return (pairing){TIRBI_MIN_PLUS, x};
    return (pairing){TIRBI_MIN_MAX, is_op(x, TIRB_OP_MAX, type) ? x : NULL};
}

static pairing greatest_term(const tirbi_lx *x, tirbi_dtype type) {
    if (is_op(x, TIRB_OP_ADD, type)) return (pairing){TIRBI_MAX_PLUS, x};
    if (is_op(x, TIRB_OP_MUL, type)) return (pairing){TIRBI_MAX_TIMES, x};
    if (is_op(x, TIRB_OP_ABS, type) && is_op(x->args[0], TIRB_OP_SUB, type))
        return (pairing){TIRBI_MAX_DISTANCE, x->args[0]};
    return (pairing){TIRBI_MAX_MIN, is_op(x, TIRB_OP_MIN, type) ? x : NULL};
}

/* What the sum, the extreme or the bits of C's element are put together with. Of a NaN and of zeros, extremes of floats
 * keep one side's: C is the first. */
static pairing term_of(const matcher *m, const tirbi_lx *x) {
    const tirbi_dtype type = m->plan->type;
    if (x->kind != TIRBI_LX_OP || x->optype != type) return (pairing){0};
    if (x->op == TIRB_OP_FMA && is_target(m, x->args[2])) return (pairing){TIRBI_SQUARES, squared(x, type)};
    const bool extreme = x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX, ordered = extreme && tirbi_dtype_is_float(type);
    if (!extreme && x->op != TIRB_OP_ADD && x->op != TIRB_OP_OR && x->op != TIRB_OP_XOR) return (pairing){0};
    const tirbi_lx *other = is_target(m, x->args[0])               ? x->args[1]
                            : !ordered && is_target(m, x->args[1]) ? x->args[0]
                                                                   : NULL;
    if (!other) return (pairing){0};
    switch (x->op) {
    case TIRB_OP_ADD: return added_term(other, type);
    case TIRB_OP_MIN: return least_term(other, type);
    case TIRB_OP_MAX: return greatest_term(other, type);
    default:
        return (pairing){x->op == TIRB_OP_OR ? TIRBI_OR_AND : TIRBI_XOR_AND,
                      is_op(other, TIRB_OP_AND, type) ? other : NULL};
    }
}

/* Another semiring than that of sums of products. */
static bool match_semiring(matcher *m, const tirbi_lx *x) {
    const pairing t = term_of(m, x);
    if (!t.pair || !tirbi_semiring_has(t.semiring, (uint8_t)m->plan->type)) return false;
    const bool fused = t.semiring == TIRBI_SQUARES && tirbi_dtype_is_float(m->plan->type);
    m->plan->flags = (uint8_t)(t.semiring << TIRBI_SEMIRING_SHIFT | (fused ? TIRBI_CONTRACT_FUSED : 0));
    return match_factor(m, t.pair->args[0], TIRBI_CONTRACT_A) && match_factor(m, t.pair->args[1], TIRBI_CONTRACT_B);
}

static bool match_products(matcher *m, const tirbi_lx *x) {
    tirbi_contract_plan *plan = m->plan;
    tirbi_dtype type = plan->type;
    const tirbi_lx *product = NULL;
    if (is_op(x, TIRB_OP_FMA, type) || is_op(x, TIRB_OP_FNMA, type)) {
        plan->flags = (uint8_t)(TIRBI_CONTRACT_FUSED | (x->op == TIRB_OP_FNMA ? TIRBI_CONTRACT_SUBTRACT : 0));
        product = is_target(m, x->args[2]) ? x : NULL;
    } else if (is_op(x, TIRB_OP_ADD, type)) {
        product = is_target(m, x->args[0]) ? x->args[1] : is_target(m, x->args[1]) ? x->args[0] : NULL;
        if (product && !is_op(product, TIRB_OP_MUL, type)) return false;
    } else if (is_op(x, TIRB_OP_SUB, type)) {
        plan->flags = TIRBI_CONTRACT_SUBTRACT;
        product = is_target(m, x->args[0]) && is_op(x->args[1], TIRB_OP_MUL, type) ? x->args[1] : NULL;
    }
    return product && match_factor(m, product->args[0], TIRBI_CONTRACT_A) &&
           match_factor(m, product->args[1], TIRBI_CONTRACT_B);
}

static bool match_update(matcher *m, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_STORE) return false;
    tirbi_contract_plan *plan = m->plan;
    plan->operands[TIRBI_CONTRACT_C].place = s->as.store.access;
    plan->type = plan->operands[TIRBI_CONTRACT_C].type = s->as.store.access->buffer->type;
    plan->span = s->span;
    switch ((unsigned)plan->type) {
    case TIRB_F16:
    case TIRB_BF16:
    case TIRB_F32:
    case TIRB_F64:
    case TIRB_I32:
    case TIRB_U32:
    case TIRB_I64:
    case TIRB_U64: return match_products(m, s->as.store.value) || match_semiring(m, s->as.store.value);
    default: return false;
    }
}

/* ---- What C begins with --------------------------------------------------------------------------------------- */

bool tirbi_may_read(const tirbi_lx *x, const tirbi_lbuf *root) {
    if (x->kind == TIRBI_LX_CALL) return true;
    for (const tirbi_place *v = x->kind == TIRBI_LX_LOAD ? x->access : NULL; v; v = v->view) {
        if (tirbi_may_meet(v->buffer->root, root)) return true;
        for (uint32_t i = 0; i < v->ndim; i++) {
            if (tirbi_may_read(v->indices[i], root)) return true;
        }
    }
    for (int i = 0; i < x->n_args; i++) {
        if (tirbi_may_read(x->args[i], root)) return true;
    }
    return false;
}

/* ---- Places --------------------------------------------------------------------------------------------------- */

bool tirbi_checkable(tirbi_lx_pool *pool, const tirbi_place *place, const tirbi_loop_set *loops) {
    for (const tirbi_place *v = place; v; v = v->view) {
        for (uint32_t d = 0; d < v->ndim; d++) {
            tirbi_affine form;
            int64_t c;
            if (tirbi_dim_proven(v, d)) continue;
            const tirbi_lx *extent = v->buffer->shape[d];
            if (!extent->pure || tirbi_mentions_loops(extent, loops) ||
                !tirbi_affine_index(pool, v, d, loops, &form)) {
                return false;
            }
            for (uint32_t i = 0; i < loops->n; i++) {
                if (!tirbi_affine_constant(&form, i, &c)) return false;
            }
        }
    }
    return true;
}

static bool match_places(matcher *m) {
    tirbi_contract_plan *plan = m->plan;
    const tirbi_place *c = plan->operands[TIRBI_CONTRACT_C].place;
    bool spatial[TIRBI_MAX_AFFINE];
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        const tirbi_place *place = plan->operands[o].place;
        if (o != TIRBI_CONTRACT_C && tirbi_may_meet(place->buffer->root, c->buffer->root)) return false;
        if (!tirbi_affine_number(m->pool, place, &plan->loops, &plan->operands[o].form) ||
            !tirbi_checkable(m->pool, place, &plan->loops)) {
            return false;
        }
    }
    if (c->view || c->buffer->overlaps || !tirbi_spatial_loops(m->pool, &plan->loops, c, spatial)) return false;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        plan->reduces[i] = !spatial[i];
        if (spatial[i] != (plan->operands[TIRBI_CONTRACT_C].form.coefficient[i] != NULL)) return false;
    }
    return true;
}

static bool steps_by(const tirbi_contract_plan *plan, unsigned operand, uint32_t loop, int64_t most) {
    int64_t c;
    return tirbi_affine_constant(&plan->operands[operand].form, loop, &c) && c >= 1 && c <= most;
}

static bool steps_by_one(const tirbi_contract_plan *plan, unsigned operand, uint32_t loop) {
    return steps_by(plan, operand, loop, 1);
}

enum { PICKED = 4 }; /* lanes pick every second to fourth element from whole vectors */

/* Whether lanes along a loop would read elements of A or B, and write those of C, that lie side by side. */
static bool makes_lanes(const tirbi_contract_plan *plan, uint32_t loop) {
    return steps_by_one(plan, TIRBI_CONTRACT_C, loop) &&
           (steps_by(plan, TIRBI_CONTRACT_A, loop, PICKED) || steps_by(plan, TIRBI_CONTRACT_B, loop, PICKED));
}

/* ---- What is worth it ----------------------------------------------------------------------------------------- */

enum { MOST_SWEPT = 128 }; /* products of an element: the machine has no more places for them */
/* Strips of few elements of few products each, in a batch of many, are lanes along the batch sooner. */
enum { SHORT_STRIP = 3, FEW_TAPS = 16, LEAST_BATCH = 32 };

/* Whether the machine can convert `data` and `weights` while it sweeps. */
static bool has_swept_types(const tirbi_contract_plan *plan, unsigned data, unsigned weights) {
    const tirbi_dtype from[] = {plan->operands[data].type, plan->operands[weights].type};
    const bool whole = plan->type == TIRB_I32 || plan->type == TIRB_U32;
    if (tirbi_semiring_of(plan->flags) != TIRBI_PRODUCTS || (plan->flags & TIRBI_CONTRACT_SUBTRACT)) return false;
    for (unsigned i = 0; i < 2; i++) {
        const bool narrow = from[i] == TIRB_I8 || from[i] == TIRB_U8 || from[i] == TIRB_I16;
        if (from[i] != plan->type && !(whole && narrow)) return false;
    }
    return whole || ((plan->flags & TIRBI_CONTRACT_FUSED) && tirbi_dtype_is_float(plan->type));
}

/* Whether strips of C along a loop have strips of data, each multiplied by a strip of weights or by one, and these are
 * used again in another loop: depthwise convolutions. */
static bool sweeps_along(const tirbi_contract_plan *plan, uint32_t lanes, unsigned data, unsigned weights) {
    int64_t products = 1;
    bool again = false, sums = false, batch = false;
    const bool one = !plan->operands[weights].form.coefficient[lanes]; /* weight for a strip: its data may be apart */
    if (plan->reduces[lanes] || !steps_by_one(plan, TIRBI_CONTRACT_C, lanes) ||
        !steps_by(plan, data, lanes, one ? PICKED : 1) || (!one && !steps_by_one(plan, weights, lanes)) ||
        !has_swept_types(plan, data, weights))
        return false;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        const int64_t most = plan->loops.var[i]->extent->hi;
        const bool of_data = plan->operands[data].form.coefficient[i] != NULL;
        const bool of_weights = plan->operands[weights].form.coefficient[i] != NULL;
        if (plan->reduces[i]) products = most > MOST_SWEPT ? MOST_SWEPT + 1 : products * most;
        if (products > MOST_SWEPT) return false;
        sums = sums || (plan->reduces[i] && of_data && of_weights && most > 1);
        again = again || (i != lanes && !plan->reduces[i] && of_data && !of_weights && most > 1);
        batch = batch || (!plan->reduces[i] && of_data && of_weights && plan->loops.var[i]->extent->lo >= LEAST_BATCH);
    }
    const bool is_short = one && batch && plan->loops.var[lanes]->extent->hi <= SHORT_STRIP && products <= FEW_TAPS;
    return again && sums && !is_short;
}

static bool sweeps(const tirbi_contract_plan *plan) {
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        if (sweeps_along(plan, i, TIRBI_CONTRACT_A, TIRBI_CONTRACT_B) ||
            sweeps_along(plan, i, TIRBI_CONTRACT_B, TIRBI_CONTRACT_A))
            return true;
    }
    return false;
}

enum { FEW_PRODUCTS = 8 }; /* of an element: lanes that are written out are done before rows are transposed */

/* Pixels and points times a small matrix: lanes pick their elements, and have all products of a row at once. */
enum { FEWEST_PRODUCTS = 4, FEW_ELEMENTS = 4, LEAST_POINTS = 64 };

/* Whether `matrix` is such a matrix. */
static bool transforms_points(const tirbi_contract_plan *plan, unsigned points, unsigned matrix) {
    int64_t products = 1, elements = 1;
    bool many = false;
    if (tirbi_dtypes[plan->type].size < 4) return false;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        const int64_t most = plan->loops.var[i]->extent->hi;
        const bool of_points = plan->operands[points].form.coefficient[i] != NULL;
        const bool of_matrix = plan->operands[matrix].form.coefficient[i] != NULL;
        if (plan->reduces[i]) {
            if (most > FEWEST_PRODUCTS || (products *= most) > FEWEST_PRODUCTS) return false;
        } else if (of_matrix) {
            if (of_points || most > FEW_ELEMENTS || (elements *= most) > FEW_ELEMENTS) return false;
        } else {
            many = many || (most >= LEAST_POINTS && steps_by(plan, points, i, PICKED) &&
                            steps_by(plan, TIRBI_CONTRACT_C, i, PICKED));
        }
    }
    return many;
}

/* Worth it when both A and B are used more than once. Of elements of C that lie side by side and share no factor, lanes
 * make as much where those of A and B lie so too; and of a matrix times a vector, unless it is the sum's elements that
 * lie side by side, more than a few of them, which are transposed on the way, or sums of 16 bits, which tiles keep in
 * registers as floats. */
static bool worth_it(const tirbi_contract_plan *plan) {
    bool rows = false, columns = false, sums = false, along[TIRBI_CONTRACT_OPERANDS] = {false}, lanes = false;
    int64_t products = 1;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        bool a = plan->operands[TIRBI_CONTRACT_A].form.coefficient[i] != NULL;
        bool b = plan->operands[TIRBI_CONTRACT_B].form.coefficient[i] != NULL;
        bool beside_a = steps_by_one(plan, TIRBI_CONTRACT_A, i), beside_b = steps_by_one(plan, TIRBI_CONTRACT_B, i);
        if (plan->loops.var[i]->extent->hi <= 1) continue;
        if (plan->reduces[i]) {
            const int64_t most = plan->loops.var[i]->extent->hi;
            products = most > FEW_PRODUCTS || products > FEW_PRODUCTS ? FEW_PRODUCTS + 1 : products * most;
            sums = sums || (a && b);
            along[TIRBI_CONTRACT_A] = along[TIRBI_CONTRACT_A] || beside_a;
            along[TIRBI_CONTRACT_B] = along[TIRBI_CONTRACT_B] || beside_b;
            continue;
        }
        bool beside = steps_by_one(plan, TIRBI_CONTRACT_C, i);
        if (beside && a == b && (!a || (beside_a && beside_b))) return false;
        lanes = lanes || makes_lanes(plan, i);
        rows = rows || (a && !b);
        columns = columns || (b && !a);
    }
    const bool half = tirbi_dtypes[plan->type].size == 2;
    if ((rows && columns) || (half && (rows || columns))) return sums;
    return sums && !lanes && products > FEW_PRODUCTS &&
           ((rows && along[TIRBI_CONTRACT_A]) || (columns && along[TIRBI_CONTRACT_B]));
}

static bool match_nest(matcher *m) {
    if (!match_update(m, m->body) || !match_places(m)) return false;
    return !transforms_points(m->plan, TIRBI_CONTRACT_A, TIRBI_CONTRACT_B) &&
           !transforms_points(m->plan, TIRBI_CONTRACT_B, TIRBI_CONTRACT_A) &&
           (worth_it(m->plan) || sweeps(m->plan));
}

/* ---- Folds of integers ------------------------------------------------------------------------------------------ */

/* The flags of a fold by an operation, or -1. */
static int fold_of(const tirbi_lx *x) {
    switch (x->op) {
    case TIRB_OP_ADD: return TIRBI_RED_ADD;
    case TIRB_OP_MUL: return TIRBI_RED_MUL;
    case TIRB_OP_MIN: return TIRBI_RED_MIN;
    case TIRB_OP_MAX: return TIRBI_RED_MAX;
    case TIRB_OP_AND: return TIRBI_FOLD_BITS | TIRBI_FOLD_AND;
    case TIRB_OP_OR: return TIRBI_FOLD_BITS | TIRBI_FOLD_OR;
    case TIRB_OP_XOR: return TIRBI_FOLD_BITS | TIRBI_FOLD_XOR;
    default: return -1;
    }
}

static bool match_int_factor(matcher *m, const tirbi_lx *x, unsigned operand) {
    return match_factor(m, x, operand) && tirbi_dtype_is_int(m->plan->operands[operand].type);
}

/* C = C op a, or C + a * b. */
static bool match_fold(matcher *m, const tirbi_ls *s) {
    tirbi_contract_plan *plan = m->plan;
    if (s->kind != TIRBI_LS_STORE) return false;
    const tirbi_lx *x = s->as.store.value;
    plan->operands[TIRBI_CONTRACT_C].place = s->as.store.access;
    plan->type = plan->operands[TIRBI_CONTRACT_C].type = s->as.store.access->buffer->type;
    plan->span = s->span;
    plan->folds = true;
    if (!tirbi_dtype_is_int(plan->type) || x->kind != TIRBI_LX_OP || x->optype != plan->type || fold_of(x) < 0)
        return false;
    plan->flags = (uint8_t)fold_of(x);
    const tirbi_lx *term = is_target(m, x->args[0]) ? x->args[1] : is_target(m, x->args[1]) ? x->args[0] : NULL;
    if (!term) return false;
    if (x->op != TIRB_OP_ADD || !is_op(term, TIRB_OP_MUL, plan->type))
        return match_int_factor(m, term, TIRBI_CONTRACT_A) && match_int_factor(m, term, TIRBI_CONTRACT_B);
    plan->flags |= TIRBI_FOLD_PRODUCTS;
    return match_int_factor(m, term->args[0], TIRBI_CONTRACT_A) && match_int_factor(m, term->args[1], TIRBI_CONTRACT_B);
}

/* Shorter rows are as fast in lanes, which are rows then. */
enum { LEAST_ROW = 8 };

/* The reduce loop along which the elements lie side by side, where no lanes along elements of C read such ones; else
 * the number of loops. */
static uint32_t row_loop(const tirbi_contract_plan *plan) {
    uint32_t row = plan->loops.n;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        const bool beside = steps_by_one(plan, TIRBI_CONTRACT_A, i) && steps_by_one(plan, TIRBI_CONTRACT_B, i);
        if (!plan->reduces[i] && makes_lanes(plan, i)) return plan->loops.n;
        if (plan->reduces[i] && beside && plan->loops.var[i]->extent->hi >= LEAST_ROW) row = i;
    }
    return row;
}

/* Takes loop `row` behind the others. */
static void move_last(tirbi_contract_plan *plan, uint32_t row) {
    for (; row + 1 < plan->loops.n; row++) {
        tirbi_lvar *var = plan->loops.var[row];
        const bool reduces = plan->reduces[row];
        plan->loops.var[row] = plan->loops.var[row + 1];
        plan->loops.var[row + 1] = var;
        plan->reduces[row] = plan->reduces[row + 1];
        plan->reduces[row + 1] = reduces;
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
            const tirbi_lx **c = plan->operands[o].form.coefficient, *step = c[row];
            c[row] = c[row + 1];
            c[row + 1] = step;
        }
    }
}

static bool match_int_rows(matcher *m) {
    if (!match_fold(m, m->body) || !match_places(m)) return false;
    const uint32_t row = row_loop(m->plan);
    if (row == m->plan->loops.n || m->plan->operands[TIRBI_CONTRACT_C].place->buffer->local) return false;
    move_last(m->plan, row);
    return true;
}

/* What all elements of C begin with, stored right before the loops of their sums, as normalise leaves it. False where
 * the store is another one, or the sums may be empty. */
static bool begins_with(const tirbi_ls *store, uint32_t n_around, tirbi_contract_plan *plan) {
    const tirbi_lx *value = store->as.store.value;
    uint32_t n = 0;
    if (!value->pure || value->traps || tirbi_mentions_loops(value, &plan->loops) ||
        !tirbi_same_place(store->as.store.access, plan->operands[TIRBI_CONTRACT_C].place))
        return false;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        if (plan->reduces[i] && (i < n_around || plan->loops.var[i]->extent->lo < 1)) return false;
        n += plan->reduces[i];
    }
    plan->first = value;
    return !plan->folds || n == 1; /* else each row would begin with it */
}

/* The same loops around a sum without what is stored before it; NULL: nothing is. */
static const tirbi_ls *without_store(tirbi_lx_pool *pool, const tirbi_ls *const *around, uint32_t n,
                                     const tirbi_ls *body) {
    const bool begins = body->kind == TIRBI_LS_SEQ && body->as.seq.n == 2 &&
                        body->as.seq.items[0]->kind == TIRBI_LS_STORE && body->as.seq.items[1]->kind == TIRBI_LS_LOOP;
    return begins ? tirbi_in_loops(pool, around, n, body->as.seq.items[1]) : NULL;
}

bool tirbi_plan_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_contract_plan *out) {
    matcher m = {.pool = pool, .plan = out};
    *out = (tirbi_contract_plan){.loops.checked = true};
    const tirbi_ls *around[TIRBI_MAX_CONTRACT_LOOPS];
    m.body = tirbi_perfect_nest(loop, TIRBI_MAX_CONTRACT_LOOPS, around, &out->loops);
    const uint32_t n_around = out->loops.n;
    const tirbi_ls *sum = n_around > 0 ? without_store(pool, around, n_around, m.body) : NULL,
                   *store = sum ? m.body->as.seq.items[0] : NULL;
    if (sum) m.body = tirbi_perfect_nest(sum, TIRBI_MAX_CONTRACT_LOOPS, around, &out->loops);
    if (out->loops.n == 0 || m.body->kind != TIRBI_LS_STORE) return false;
    bool found = match_nest(&m);
    if (!found) {
        const tirbi_loop_set loops = out->loops;
        *out = (tirbi_contract_plan){.loops = loops};
        found = match_int_rows(&m);
    }
    return found && (!store || begins_with(store, n_around, out));
}
