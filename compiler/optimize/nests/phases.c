/* for h: { C[h] = init; for k: C[h] += P[h + k] * W[k] } where P is zero but at from + i * s: with h = h' * s + phase,
 * in each phase only every s-th k is at an element that may be another, k = k' * s + rest. So P becomes the memory of
 * these elements alone, X[i], and each phase a sum of its own, C[h' * s + phase] += X[h' + k' + q] * W[k' * s + rest].
 *
 * Integers are the same then. A float is, where no W is infinite or a NaN and the result is not -0: then each term that
 * is left out is +0 or -0, and adding it changes nothing but -0 to +0. Of two sums that are equal but for the signs of
 * zeros, and of which the first one is +0 wherever the second one is, that is so behind the next term as well. The
 * second one is the one that leaves terms out: unless it ends as -0, which takes an underflow, both are the same. What
 * is multiplied is asked before, the results behind, and the sums as they were are computed again where either is so.
 * Where the results are fewer than what is multiplied, and each W is in one of them, it is asked whether they are
 * finite instead: no sum is, of which a term is infinite or a NaN.
 *
 * Where P is zero but at one element of a dimension, C[h] += P[h + k] * W[k] has one term, k = at - h.
 */
#include "compiler/optimize/nests/phases.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/nests/dilated.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_PHASES = 16, MAX_ITEMS = 64, MAX_PLACES = 8 };

/* A loop of the nest, and what it is in one phase: count * var + rest. */
typedef struct counter {
    const tirbi_ls *loop;
    bool sums;     /* inside of the init; else the results' own */
    uint32_t alone; /* 1 + the dimension of which one element is not zero, that says what it is; or 0 */
    bool tells;    /* .. or that it is in the subscript of */
    int64_t count; /* 1: it stays as it is */
    int64_t rest;
    tirbi_lvar *var;
    const tirbi_lx *value;
} counter;

typedef struct phases {
    tirbi_lx_pool *pool;
    const tirbi_ls *seq;
    uint32_t at; /* the nest, among its items */
    counter loops[TIRBI_MAX_AFFINE];
    tirbi_loop_set set;
    const tirbi_ls *init, *update;
    const tirbi_lx *data, *weight; /* the load of what is dilated; the other factor */
    const tirbi_lx *copied;        /* what the weight is a copy of, or itself */
    tirbi_lbuf *arranged;          /* it again, with its dimension order[i] in place i; NULL: it lies well as it is */
    uint32_t order[TIRBI_MAX_NDIM];
    uint32_t own[2 * TIRBI_MAX_FILLS + 2], n_own; /* items that only the nest needs, last first */
    tirbi_dilated dilated;
    tirbi_lbuf *dense;
    /* Of each dimension that is dilated: the loops in its subscript that go through phases, and their steps. */
    int32_t free[TIRBI_MAX_NDIM], bound[TIRBI_MAX_NDIM]; /* -1: none */
    tirbi_affine form[TIRBI_MAX_NDIM];
} phases;

/* ---- The nest --------------------------------------------------------------------------------------------------- */

/* Loops around an init and the loops of a sum. */
static bool read_nest(phases *p, const tirbi_ls *s) {
    for (bool sums = false;;) {
        if (s->kind == TIRBI_LS_LOOP) {
            tirbi_lvar *var = s->as.loop.var;
            if (!tirbi_is_plain_loop(s) || p->set.n == TIRBI_MAX_AFFINE || !tirbi_lx_is_int(var->min, 0) ||
                tirbi_mentions_loops(var->extent, &p->set))
                return false;
            p->loops[p->set.n] = (counter){.loop = s, .sums = sums, .count = 1};
            p->set.var[p->set.n++] = var;
            s = s->as.loop.body;
        } else if (s->kind == TIRBI_LS_SEQ && s->as.seq.n == 2 && !sums && s->as.seq.items[0]->kind == TIRBI_LS_STORE) {
            p->init = s->as.seq.items[0];
            sums = true;
            s = s->as.seq.items[1];
        } else {
            p->update = s;
            return sums && s->kind == TIRBI_LS_STORE;
        }
    }
}

static bool is_term_of(const tirbi_lx *x, const tirbi_place *target) {
    return x->kind == TIRBI_LX_LOAD && tirbi_same_place(x->access, target);
}

/* The factors of what is added to the element that is stored to. */
static bool read_factors(const tirbi_ls *update, const tirbi_lx *factors[2]) {
    const tirbi_lx *x = update->as.store.value, *product = NULL;
    const tirbi_place *target = update->as.store.access;
    if (x->kind != TIRBI_LX_OP) return false;
    if (x->op == TIRB_OP_FMA && is_term_of(x->args[2], target)) product = x;
    if (x->op == TIRB_OP_ADD && is_term_of(x->args[0], target)) product = x->args[1];
    if (x->op == TIRB_OP_ADD && is_term_of(x->args[1], target)) product = x->args[0];
    if (!product || product->kind != TIRBI_LX_OP || (product != x && product->op != TIRB_OP_MUL)) return false;
    factors[0] = product->args[0];
    factors[1] = product->args[1];
    return true;
}

static const tirbi_lx *before_casts(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST) x = x->args[0];
    return x;
}

static bool is_inside(const tirbi_place *place) {
    return tirbi_is_proven(place) && !place->view && !place->buffer->overlaps &&
           tirbi_has_whole_extents(place->buffer);
}

/* Finds which of the factors is dilated. */
static bool find_factors(phases *p) {
    const tirbi_lx *factors[2];
    const bool rounds = tirbi_dtype_is_float(p->update->as.store.access->buffer->type);
    if (!read_factors(p->update, factors)) return false;
    for (unsigned i = 0; i < 2; i++) {
        const tirbi_lx *data = before_casts(factors[i]),
                       *weight = rounds ? factors[1 - i] : before_casts(factors[1 - i]);
        if (data->kind != TIRBI_LX_LOAD || weight->kind != TIRBI_LX_LOAD || !is_inside(data->access) ||
            !is_inside(weight->access) ||
            !tirbi_find_dilated(p->pool, p->seq, p->at, data->access->buffer, &p->dilated))
            continue;
        p->data = data;
        p->weight = p->copied = weight;
        return true;
    }
    return false;
}

static void add_own(phases *p, uint32_t item) {
    uint32_t at = p->n_own++;
    for (; at > 0 && p->own[at - 1] < item; at--) p->own[at] = p->own[at - 1];
    p->own[at] = item;
}

/* What fills memory, and its allocation. */
static void add_fill(phases *p, uint32_t item) {
    const tirbi_ls *s = p->seq->as.seq.items[item];
    while (s->kind == TIRBI_LS_LOOP) s = s->as.loop.body;
    for (uint32_t i = 0; i < item; i++) {
        const tirbi_ls *alloc = p->seq->as.seq.items[i];
        if (alloc->kind == TIRBI_LS_ALLOC && alloc->as.alloc.buffer == s->as.store.access->buffer) add_own(p, i);
    }
    add_own(p, item);
}

/* Lists what only the nest needs; takes weights from where they are copied from. */
static void find_own(phases *p) {
    uint32_t item = 0;
    const tirbi_lx *copied = tirbi_find_copied(p->pool, p->seq, p->at, p->weight, &item);
    for (uint32_t i = 0; i < p->dilated.n_fills; i++) add_fill(p, p->dilated.fill[i]);
    if (!copied || !is_inside(copied->access)) return;
    p->copied = copied;
    add_fill(p, item);
}

/* ---- Which iterations are at zeros ------------------------------------------------------------------------------- */

static bool divides_none(int64_t step, int64_t every) {
    for (int64_t f = 2; f <= every; f++)
        if (every % f == 0 && step % f == 0) return false;
    return true;
}

/* Finds the loop of the sum that has one iteration at the element of a dimension that is not zero, in all results. */
static bool find_alone(phases *p, uint32_t d) {
    const tirbi_affine *form = &p->form[d];
    int64_t lo = p->dilated.from[d] - form->start->value, hi = lo;
    for (uint32_t i = 0; i < p->set.n; i++) {
        int64_t step;
        if (!form->coefficient[i]) continue;
        if (!tirbi_affine_constant(form, i, &step) || step < -INT32_MAX || step > INT32_MAX ||
            p->set.var[i]->extent->kind != TIRBI_LX_CONST || p->set.var[i]->extent->value > INT32_MAX)
            return false;
        if (p->loops[i].sums) {
            if (p->bound[d] >= 0 || p->loops[i].count > 1 || p->loops[i].alone || step != 1) return false;
            p->bound[d] = (int32_t)i;
            p->loops[i].alone = d + 1;
        } else {
            const int64_t last = step * (p->set.var[i]->extent->value - 1);
            *(last > 0 ? &lo : &hi) -= last;
            p->loops[i].tells = true;
        }
    }
    if (p->bound[d] < 0) return false;
    const tirbi_lvar *var = p->set.var[p->bound[d]];
    for (uint32_t e = 0; e < p->dilated.buffer->ndim; e++)
        if (e != d && tirbi_lx_depends_on(p->data->access->indices[e], var)) return false;
    return lo >= 0 && hi < var->extent->value;
}

/* Finds the loops that go through phases of one dimension: one of the sum, and at most one of the results. */
static bool find_loops(phases *p, uint32_t d) {
    const int64_t every = p->dilated.every[d];
    tirbi_affine *form = &p->form[d];
    if (every == 1) return true;
    if (!tirbi_affine_index(p->pool, p->data->access, d, &p->set, form) || form->start->kind != TIRBI_LX_CONST ||
        form->start->value < 0 || form->start->value > INT32_MAX)
        return false;
    if (p->dilated.alone[d]) return find_alone(p, d);
    for (uint32_t i = 0; i < p->set.n; i++) {
        int64_t step;
        if (!form->coefficient[i]) continue;
        if (!tirbi_affine_constant(form, i, &step) || step < 0 || step > INT32_MAX) return false;
        if (step % every == 0) continue;
        int32_t *loop = p->loops[i].sums ? &p->bound[d] : &p->free[d];
        if (*loop >= 0 || p->loops[i].count > 1 || p->loops[i].alone || p->set.var[i]->extent->kind != TIRBI_LX_CONST ||
            (p->loops[i].sums && !divides_none(step, every)))
            return false;
        *loop = (int32_t)i;
        p->loops[i].count = every;
    }
    return p->bound[d] >= 0 && p->dilated.buffer->shape[d]->kind == TIRBI_LX_CONST;
}

static int64_t step_of(const phases *p, uint32_t d, int32_t loop) {
    int64_t step = 0;
    return loop >= 0 && tirbi_affine_constant(&p->form[d], (uint32_t)loop, &step) ? step : 0;
}

/* Sets the rests of the loops in the phase of that number; false: there is none. */
static bool choose_phase(phases *p, int64_t number) {
    for (uint32_t d = 0; d < p->dilated.buffer->ndim; d++) {
        const int64_t every = p->dilated.every[d];
        if (every == 1 || p->dilated.alone[d]) continue;
        int64_t at = p->form[d].start->value - p->dilated.from[d];
        if (p->free[d] >= 0) {
            counter *c = &p->loops[p->free[d]];
            c->rest = number % every;
            number /= every;
            at += step_of(p, d, p->free[d]) * c->rest;
        }
        counter *c = &p->loops[p->bound[d]];
        c->rest = 0;
        while ((at + step_of(p, d, p->bound[d]) * c->rest) % every != 0) c->rest++;
    }
    return number == 0;
}

/* The rest of a subscript in this phase, which is a multiple of `every` behind `from`. */
static int64_t begin_of(const phases *p, uint32_t d) {
    int64_t at = p->form[d].start->value;
    const int32_t loops[] = {p->free[d], p->bound[d]};
    for (unsigned i = 0; i < 2; i++)
        if (loops[i] >= 0) at += step_of(p, d, loops[i]) * p->loops[loops[i]].rest;
    return (at - p->dilated.from[d]) / p->dilated.every[d];
}

/* ---- What is not zero -------------------------------------------------------------------------------------------- */

static const tirbi_lx *times_and(tirbi_lx_pool *pool, tirbi_lvar *var, int64_t times, int64_t more) {
    const tirbi_lx *x = tirbi_lx_var(pool, var), *by = tirbi_lx_int(pool, var->type, times),
                   *and = tirbi_lx_int(pool, var->type, more);
    const tirbi_lx *product = times == 1 ? x : tirbi_lx_binary(pool, TIRB_OP_MUL, var->type, x, by);
    return tirbi_lx_binary(pool, TIRB_OP_ADD, var->type, product, and);
}

/* A variable for every so many values of a loop's own. */
static tirbi_lvar *sparse_variable(tirbi_lx_pool *pool, const tirbi_lvar *old, int64_t every, int64_t rest) {
    if (every == 1) return tirbi_variable_like(pool, old);
    const int64_t all = old->extent->value, n = rest < all ? (all - rest + every - 1) / every : 0;
    return tirbi_counter_like(pool, old, tirbi_lx_number(pool, n));
}

/* The nest that puts the elements that may not be zero next to each other; makes the memory for them. */
static const tirbi_ls *fill_dense(phases *p) {
    const tirbi_dilated *z = &p->dilated;
    const uint32_t n = z->buffer->ndim;
    tirbi_lvar *vars[TIRBI_MAX_NDIM] = {0};
    const tirbi_lx *values[TIRBI_MAX_NDIM] = {0};
    const tirbi_lx **shape = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, n),
                   **indices = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, n);
    if (!shape || !indices) return NULL;
    for (uint32_t d = 0; d < n; d++) {
        shape[d] = z->buffer->shape[d];
        indices[d] = tirbi_lx_number(p->pool, 0);
        if (!z->var[d]) continue;
        vars[d] = sparse_variable(p->pool, z->var[d], z->every[d], z->from[d]);
        values[d] = vars[d] ? times_and(p->pool, vars[d], z->every[d], z->from[d]) : NULL;
        if (!values[d]) return NULL;
        shape[d] = vars[d]->extent;
        indices[d] = tirbi_lx_cast(p->pool, TIRB_I64, tirbi_lx_var(p->pool, vars[d]));
    }
    tirbi_rewrite rewrite = {.pool = p->pool};
    for (uint32_t d = 0; d < n; d++)
        if (values[d]) tirbi_bind_variable(&rewrite, z->var[d], values[d]);
    const tirbi_lx *value = tirbi_rewrite_value(&rewrite, z->value);
    const tirbi_span span = p->seq->as.seq.items[z->fill[0]]->span;
    p->dense = tirbi_new_buffer(p->pool, z->buffer->name, z->buffer->type, n, shape);
    const tirbi_ls *s = tirbi_new_store(p->pool, span, tirbi_place_in(p->pool, p->dense, indices, span), value);
    const tirbi_given none = {.n = 0};
    for (uint32_t d = n; d-- > 0 && s;) { /* some conditions always hold now */
        if (!vars[d]) continue;
        s = tirbi_resolve(p->pool, &none, s, vars[d], tirbi_lx_var(p->pool, vars[d]), vars[d]);
        s = tirbi_new_loop(p->pool, span, vars[d], s);
    }
    return s;
}

/* ---- Weights ----------------------------------------------------------------------------------------------------- */

enum { MANY_USES = 8 }; /* of each weight in a phase: then it pays to have them next to each other */

/* Whether a dimension of the weights has the same subscript in all iterations. */
static bool is_fixed(const phases *p, uint32_t d) {
    for (uint32_t i = 0; i < p->set.n; i++)
        if (tirbi_lx_depends_on(p->copied->access->indices[d], p->set.var[i])) return false;
    return true;
}

/* The loop that a subscript of the weights goes along, for its name. */
static const tirbi_lvar *loop_along(const phases *p, uint32_t d) {
    for (uint32_t i = 0; i < p->set.n; i++)
        if (tirbi_lx_depends_on(p->copied->access->indices[d], p->set.var[i])) return p->set.var[i];
    return p->set.var[0];
}

/* Variables over a buffer of weights, and subscripts. */
static bool count_elements(const phases *p, const tirbi_lbuf *b, tirbi_lvar **loops, const tirbi_lx **indices) {
    for (uint32_t d = 0; d < b->ndim; d++) {
        const tirbi_lvar *along = loop_along(p, p->arranged ? p->order[d] : d);
        const bool one = !p->arranged && is_fixed(p, d);
        tirbi_lvar *var = loops[d] =
            tirbi_new_counter(p->pool, along, TIRB_I64, one ? tirbi_lx_number(p->pool, 1) : b->shape[d]);
        if (!var) return false;
        indices[d] = !p->arranged && is_fixed(p, d) ? p->copied->access->indices[d] : tirbi_lx_var(p->pool, var);
    }
    return true;
}

static const tirbi_lx *element_of(const phases *p, tirbi_lbuf *b, const tirbi_lx *const *indices) {
    const tirbi_place *place = tirbi_place_in(p->pool, b, indices, p->copied->access->span);
    return tirbi_lx_load(p->pool, place);
}

/* The dimensions of weights with those last in which results differ; false where they are, or where that gains little.
 */
static bool order_weights(phases *p, uint32_t n_phases) {
    const tirbi_place *place = p->copied->access;
    uint32_t n = 0;
    int64_t uses = 1;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (is_fixed(p, d) && !tirbi_lx_is_int(place->buffer->shape[d], 1)) return false;
    for (uint32_t i = 0; i < p->set.n; i++) {
        const int64_t extent = p->set.var[i]->extent->hi > 1 ? p->set.var[i]->extent->hi : 1;
        if (p->loops[i].sums || p->loops[i].tells || tirbi_place_depends_on(place, p->set.var[i])) continue;
        uses = extent < MANY_USES * MAX_PHASES / uses ? uses * extent : MANY_USES * MAX_PHASES;
    }
    for (int results = 0; results < 2; results++) {
        for (uint32_t d = 0; d < place->ndim; d++) {
            bool differs = false;
            for (uint32_t i = 0; i < p->set.n && !differs; i++)
                differs = !p->loops[i].sums && tirbi_lx_depends_on(place->indices[d], p->set.var[i]);
            if (differs == (results == 1)) p->order[n++] = d;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (p->order[i] != i) return uses / n_phases >= MANY_USES;
    return false;
}

/* The nest that puts weights into that order; makes the memory for them. */
static const tirbi_ls *arrange_weights(phases *p) {
    tirbi_lbuf *b = p->copied->access->buffer;
    tirbi_lvar *loops[TIRBI_MAX_NDIM];
    const tirbi_lx **lists = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, 3 * b->ndim), **shape = lists,
                   **to = lists + b->ndim, **from = lists + 2 * b->ndim;
    if (!lists || !count_elements(p, b, loops, from)) return NULL;
    for (uint32_t i = 0; i < b->ndim; i++) {
        shape[i] = b->shape[p->order[i]];
        to[i] = from[p->order[i]];
    }
    p->arranged = tirbi_new_buffer(p->pool, b->name, b->type, b->ndim, shape);
    if (!p->arranged) return NULL;
    const tirbi_span span = p->update->span;
    const tirbi_ls *s =
        tirbi_new_store(p->pool, span, tirbi_place_in(p->pool, p->arranged, to, span), element_of(p, b, from));
    for (uint32_t i = b->ndim; i-- > 0;) s = tirbi_new_loop(p->pool, span, loops[p->order[i]], s);
    return s;
}

/* ---- One phase --------------------------------------------------------------------------------------------------- */

/* A subscript of what is dilated in this phase, as one of the elements that are left. */
static const tirbi_lx *dense_index(const phases *p, uint32_t d) {
    if (p->dilated.alone[d]) return tirbi_lx_number(p->pool, 0);
    const tirbi_lx *at = tirbi_lx_number(p->pool, begin_of(p, d));
    for (uint32_t i = 0; i < p->set.n && at; i++) {
        const int64_t step = step_of(p, d, (int32_t)i) * p->loops[i].count / p->dilated.every[d];
        if (step == 0) continue;
        const tirbi_lx *k = tirbi_lx_cast(p->pool, TIRB_I64, tirbi_lx_var(p->pool, p->loops[i].var));
        at = tirbi_lx_add(p->pool, at, tirbi_lx_mul(p->pool, k, tirbi_lx_number(p->pool, step)));
    }
    return at;
}

static const tirbi_lx *dense_element(const phases *p, tirbi_rewrite *rewrite) {
    const tirbi_place *old = p->data->access;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, old->ndim);
    for (uint32_t d = 0; indices && d < old->ndim; d++) {
        const bool dilated = p->dilated.every[d] > 1;
        indices[d] = dilated ? dense_index(p, d) : tirbi_rewrite_value(rewrite, old->indices[d]);
    }
    return tirbi_lx_load(p->pool, tirbi_place_in(p->pool, p->dense, indices, old->span));
}

static const tirbi_lx *weight_in_phase(const phases *p, tirbi_rewrite *rewrite) {
    const tirbi_place *place = tirbi_rewrite_place(rewrite, p->copied->access);
    if (!p->arranged || !place) return tirbi_lx_load(p->pool, place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, place->ndim);
    for (uint32_t i = 0; indices && i < place->ndim; i++) indices[i] = place->indices[p->order[i]];
    return indices ? element_of(p, p->arranged, indices) : NULL;
}

static const tirbi_lx *in_phase(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const phases *p = rewrite->context;
    if (x == p->data) return dense_element(p, rewrite);
    if (x == p->weight) return weight_in_phase(p, rewrite);
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < p->set.n; i++)
        if (p->set.var[i] == x->var) return p->loops[i].value;
    return NULL;
}

static const tirbi_ls *store_in_phase(phases *p, const tirbi_ls *store) {
    tirbi_rewrite rewrite = {.pool = p->pool, .replace = in_phase, .context = p};
    const tirbi_place *place = tirbi_rewrite_place(&rewrite, store->as.store.access);
    return tirbi_new_store(p->pool, store->span, place, tirbi_rewrite_value(&rewrite, store->as.store.value));
}

/* The iteration of a sum's loop that is at the one element of a dimension which is not zero. */
static const tirbi_lx *value_alone(const phases *p, uint32_t d, tirbi_dtype type) {
    const tirbi_lx *x = tirbi_lx_int(p->pool, type, p->dilated.from[d] - p->form[d].start->value);
    for (uint32_t i = 0; i < p->set.n && x; i++) {
        const int64_t step = step_of(p, d, (int32_t)i);
        if (step == 0 || p->loops[i].sums) continue;
        const tirbi_lx *k = tirbi_value_in_type(p->pool, type, p->loops[i].value),
                       *by = tirbi_lx_int(p->pool, type, -step);
        const tirbi_lx *term = tirbi_lx_binary(p->pool, TIRB_OP_MUL, type, k, by);
        x = tirbi_lx_binary(p->pool, TIRB_OP_ADD, type, x, term);
    }
    return x;
}

/* Variables of the loops for this phase; false where memory ran out. */
static bool count_phase(phases *p) {
    for (uint32_t i = 0; i < p->set.n; i++) {
        counter *c = &p->loops[i];
        if (c->alone) {
            if (!(c->value = value_alone(p, c->alone - 1, p->set.var[i]->type))) return false;
            continue;
        }
        c->var = sparse_variable(p->pool, p->set.var[i], c->count, c->rest);
        c->value = c->var ? times_and(p->pool, c->var, c->count, c->rest) : NULL;
        if (!c->value) return false;
    }
    return true;
}

/* Loops of the sum, or of the results, in this phase around a statement; nothing where one has no iteration. */
static const tirbi_ls *loops_around(phases *p, bool sums, const tirbi_ls *s) {
    for (uint32_t i = p->set.n; s && i-- > 0;) {
        if (p->loops[i].sums != sums || p->loops[i].alone) continue;
        if (tirbi_lx_is_int(p->loops[i].var->extent, 0)) return tirbi_new_sequence(p->pool, s->span, NULL, 0);
        s = tirbi_loop_like(p->pool, p->loops[i].loop, p->loops[i].var, s);
    }
    return s;
}

static const tirbi_ls *sum_of_phase(phases *p) {
    if (!count_phase(p)) return NULL;
    const tirbi_ls *items[] = {store_in_phase(p, p->init), loops_around(p, true, store_in_phase(p, p->update))};
    if (!items[0] || !items[1]) return NULL;
    const bool sums = items[1]->kind != TIRBI_LS_SEQ;
    return loops_around(p, false, tirbi_new_sequence(p->pool, p->init->span, items, sums ? 2 : 1));
}

/* ---- Whether it is the same -------------------------------------------------------------------------------------- */

/* flag[0] += the sum of a value over loops, in any order. */
static const tirbi_ls *count_in(tirbi_lx_pool *pool, tirbi_span span, const tirbi_place *flag, tirbi_lvar **loops,
                                uint32_t n, const tirbi_lx *value, const tirbi_lx *factor) {
    tirbi_ls *tree = tirbi_new_stmt(pool, TIRBI_LS_TREE, span);
    tirbi_update *update = TIRBI_NEW_ARRAY(pool->arena, tirbi_update, 1);
    if (!tree || !update || !value) return NULL;
    *update = (tirbi_update){.target = flag, .op = TIRBI_RED_ADD, .value = value, .factor = factor};
    tree->as.tree.loops = loops;
    tree->as.tree.n_loops = n;
    tree->as.tree.updates = update;
    tree->as.tree.n_updates = 1;
    return tree;
}

/* flag[0] += W * 0 for all of a buffer: a NaN where one of its elements is one or infinite. */
static const tirbi_ls *ask_weights(phases *p, const tirbi_place *flag) {
    tirbi_lbuf *b = p->arranged ? p->arranged : p->copied->access->buffer;
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_lvar *, b->ndim);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(p->pool->arena, const tirbi_lx *, b->ndim);
    const tirbi_lx *element =
        loops && indices && count_elements(p, b, loops, indices) ? element_of(p, b, indices) : NULL;
    if (!element) return NULL;
    return count_in(p->pool, p->update->span, flag, loops, b->ndim, tirbi_lx_cast(p->pool, flag->buffer->type, element),
                    tirbi_lx_bits(p->pool, flag->buffer->type, 0));
}

/* An element of the results, and what goes through them. */
static const tirbi_lx *element_of_results(phases *p, tirbi_lvar **loops, uint32_t *n) {
    for (uint32_t i = 0; i < p->set.n; i++) {
        counter *c = &p->loops[i];
        c->var = tirbi_variable_like(p->pool, p->set.var[i]);
        c->value = tirbi_lx_var(p->pool, c->var);
        if (!c->value) return NULL;
        if (!c->sums) loops[(*n)++] = c->var;
    }
    tirbi_rewrite rewrite = {.pool = p->pool, .replace = in_phase, .context = p};
    const tirbi_place *place = tirbi_rewrite_place(&rewrite, p->update->as.store.access);
    return tirbi_lx_load(p->pool, place);
}

/* flag[0] += 1 for each result that is -0, or + 0 * it: a NaN where it is one or infinite. */
static const tirbi_ls *ask_results(phases *p, const tirbi_place *flag, bool finite) {
    const tirbi_dtype type = p->update->as.store.access->buffer->type, flags = flag->buffer->type;
    const tirbi_dtype word = tirbi_dtypes[type].size == 8   ? TIRB_I64
                             : tirbi_dtypes[type].size == 4 ? TIRB_I32
                                                            : TIRB_I16;
    tirbi_lvar **loops = TIRBI_NEW_ARRAY(p->pool->arena, tirbi_lvar *, p->set.n);
    uint32_t n = 0;
    const tirbi_lx *element = loops ? element_of_results(p, loops, &n) : NULL;
    if (!element) return NULL;
    if (finite)
        return count_in(p->pool, p->update->span, flag, loops, n, tirbi_lx_cast(p->pool, flags, element),
                        tirbi_lx_bits(p->pool, flags, 0));
    const tirbi_lx *bits = tirbi_lx_op(p->pool, TIRB_OP_BITS, word, type, element, NULL, NULL);
    const tirbi_lx *least = tirbi_lx_int(p->pool, word, -((int64_t)1 << (tirbi_dtypes[word].bits - 2)) * 2);
    const tirbi_lx *equal = tirbi_lx_binary(p->pool, TIRB_OP_EQ, word, bits, least);
    if (!equal) return NULL;
    return count_in(p->pool, p->update->span, flag, loops, n, tirbi_lx_cast(p->pool, flags, equal), NULL);
}

static int64_t elements_of(const tirbi_lbuf *b) {
    int64_t n = 1;
    for (uint32_t d = 0; d < b->ndim; d++)
        if (b->shape[d]->kind != TIRBI_LX_CONST || __builtin_mul_overflow(n, b->shape[d]->value, &n)) return 0;
    return n;
}

/* Whether the results tell whether all weights are finite, and are fewer: each weight is a factor of one of them. */
static bool results_tell(const phases *p) {
    const int64_t results = elements_of(p->update->as.store.access->buffer);
    if (results == 0 || results >= elements_of(p->copied->access->buffer)) return false;
    for (uint32_t d = 0; d < p->dilated.buffer->ndim; d++) {
        const int64_t every = p->dilated.every[d];
        uint32_t n = 0, loop = 0;
        if (every == 1) continue;
        for (uint32_t i = 0; i < p->set.n; i++) {
            if (p->loops[i].sums || step_of(p, d, (int32_t)i) == 0) continue;
            n++;
            loop = i;
        }
        if (p->dilated.alone[d]) {
            const int64_t step = step_of(p, d, (int32_t)loop);
            if (n != 1 || (step != 1 && step != -1) ||
                p->set.var[loop]->extent->value != p->set.var[p->bound[d]]->extent->value)
                return false;
        } else if (p->free[d] < 0 || p->set.var[p->free[d]]->extent->value < every ||
                   !divides_none(step_of(p, d, p->free[d]), every)) {
            return false;
        }
    }
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

typedef struct list {
    const tirbi_ls *item[MAX_ITEMS];
    uint32_t n;
    bool failed;
} list;

static void add(list *l, const tirbi_ls *s) {
    if (!s || l->n == MAX_ITEMS)
        l->failed = true;
    else
        l->item[l->n++] = s;
}

static const tirbi_ls *sequence(phases *p, const list *l) {
    return l->failed ? NULL : tirbi_new_sequence(p->pool, p->update->span, l->item, l->n);
}

/* The temporary as it is, and the sums over it. */
static const tirbi_ls *as_before(phases *p) {
    list l = {.n = 0};
    for (uint32_t i = p->n_own; i-- > 0;) add(&l, p->seq->as.seq.items[p->own[i]]);
    add(&l, p->seq->as.seq.items[p->at]);
    return sequence(p, &l);
}

/* What stands for the nest. */
static const tirbi_ls *in_phases(phases *p, uint32_t n_phases) {
    list sums = {.n = 0}, all = {.n = 0};
    const bool exact = !tirbi_dtype_is_float(p->update->as.store.access->buffer->type);
    if (order_weights(p, n_phases)) {
        const tirbi_ls *fill = arrange_weights(p);
        add(&all, tirbi_new_alloc(p->pool, p->update->span, p->arranged));
        add(&all, fill);
    }
    add(&sums, fill_dense(p));
    if (sums.failed || all.failed) return NULL;
    for (uint32_t k = 0; k < n_phases; k++) add(&sums, choose_phase(p, k) ? sum_of_phase(p) : NULL);
    add(&all, tirbi_new_alloc(p->pool, p->update->span, p->dense));
    if (exact) {
        add(&all, sequence(p, &sums));
        return sequence(p, &all);
    }
    tirbi_lbuf *flag = tirbi_new_row(p->pool, "differs", TIRB_F32, tirbi_lx_number(p->pool, 1));
    const tirbi_place *place = tirbi_element_at(p->pool, flag, tirbi_lx_number(p->pool, 0), p->update->span);
    const tirbi_lx *zero = tirbi_lx_bits(p->pool, TIRB_F32, 0), *element = tirbi_lx_load(p->pool, place);
    const tirbi_lx *same = tirbi_lx_binary(p->pool, TIRB_OP_EQ, TIRB_F32, element, zero);
    if (!same) return NULL;
    const bool finite = results_tell(p);
    if (finite) add(&sums, ask_results(p, place, true));
    add(&sums, ask_results(p, place, false));
    add(&all, tirbi_new_alloc(p->pool, p->update->span, flag));
    add(&all, tirbi_new_store(p->pool, p->update->span, place, zero));
    if (finite) {
        add(&all, sequence(p, &sums));
    } else {
        add(&all, ask_weights(p, place));
        add(&all, tirbi_new_if(p->pool, p->update->span, same, sequence(p, &sums), NULL));
    }
    add(&all, tirbi_new_if(p->pool, p->update->span, tirbi_lx_not(p->pool, same), as_before(p), NULL));
    return sequence(p, &all);
}

/* ---- Whether that may be ----------------------------------------------------------------------------------------- */

/* Whether a value is another one where a variable is, or may fail in a way of its own. */
static bool is_unsteady(const void *context, const tirbi_lx *x) {
    return (x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL) || tirbi_fails_by_itself(context, x);
}

static bool loads_stored(const void *statement, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && tirbi_stores_to(statement, x->access->buffer->root);
}

/* Whether what the dilated data is made of is still there at the nest. */
static bool stands_still(const phases *p) {
    uint32_t first = p->at;
    for (uint32_t i = 0; i < p->n_own; i++)
        if (p->own[i] < first) first = p->own[i];
    if (tirbi_any_expr(p->dilated.value, TIRBI_WALK_ALL, is_unsteady, NULL)) return false;
    for (uint32_t i = first; i <= p->at; i++) {
        const tirbi_ls *s = p->seq->as.seq.items[i];
        if (!tirbi_is_made_of(s, TIRBI_NESTS | TIRBI_KIND(ALLOC)) ||
            tirbi_any_value(s, TIRBI_WALK_ALL, tirbi_is_call, NULL) ||
            tirbi_any_expr(p->dilated.value, TIRBI_WALK_PLACES, loads_stored, s) ||
            (p->copied != p->weight && tirbi_any_expr(p->copied, TIRBI_WALK_PLACES, loads_stored, s)))
            return false;
    }
    return true;
}

/* Whether the results are told apart by the outer loops, and the init and the sum are of the same ones. */
static bool has_own_results(const phases *p) {
    const tirbi_place *target = p->update->as.store.access;
    const tirbi_lbuf *root = target->buffer->root;
    if (!tirbi_same_place(p->init->as.store.access, target) || !is_inside(target) ||
        tirbi_any_expr(p->init->as.store.value, TIRBI_WALK_PLACES, tirbi_is_call, NULL) ||
        tirbi_may_meet(root, p->weight->access->buffer->root) ||
        tirbi_may_meet(root, p->copied->access->buffer->root) || tirbi_may_meet(root, p->dilated.buffer->root) ||
        tirbi_any_value(p->init, TIRBI_WALK_PLACES, loads_stored, p->update))
        return false;
    for (uint32_t i = 0; i < p->set.n; i++) {
        bool found = false;
        for (uint32_t d = 0; d < target->ndim; d++) {
            const tirbi_lx *x = tirbi_lx_before_cast(target->indices[d]);
            if (tirbi_lx_mentions(x, p->set.var[i])) {
                if (found || x->kind != TIRBI_LX_VAR) return false;
                found = true;
            }
        }
        if (p->loops[i].sums ? found : !found && !tirbi_lx_is_int(p->set.var[i]->extent, 1)) return false;
    }
    return true;
}

static const tirbi_ls *sum_nest(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t at, phases *p) {
    *p = (phases){.pool = pool, .seq = seq, .at = at};
    uint32_t n_phases = 1;
    if (!read_nest(p, seq->as.seq.items[at]) || !find_factors(p)) return NULL;
    find_own(p);
    if (!has_own_results(p) || !stands_still(p)) return NULL;
    for (uint32_t d = 0; d < p->dilated.buffer->ndim; d++) {
        p->free[d] = p->bound[d] = -1;
        if (!find_loops(p, d)) return NULL;
        if (p->free[d] >= 0 && !p->dilated.alone[d]) n_phases *= (uint32_t)p->dilated.every[d];
        if (n_phases > MAX_PHASES) return NULL;
    }
    return in_phases(p, n_phases);
}

/* The sequence with a nest in phases, or itself. */
static const tirbi_ls *sum_one(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t at, phases *p) {
    const tirbi_ls *made = seq->as.seq.items[at]->kind == TIRBI_LS_LOOP ? sum_nest(pool, seq, at, p) : NULL;
    const tirbi_ls **items = made ? TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, seq->as.seq.n) : NULL, *all;
    uint32_t n = 0;
    if (!items) return seq;
    for (uint32_t i = 0; i < seq->as.seq.n; i++) {
        bool moved = false;
        for (uint32_t k = 0; k < p->n_own; k++) moved = moved || p->own[k] == i;
        if (!moved) items[n++] = i == at ? made : seq->as.seq.items[i];
    }
    return (all = tirbi_new_sequence(pool, seq->span, items, n)) ? all : seq;
}

static const tirbi_ls *sum_all(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    s = tirbi_replace_inside(pool, s, sum_all, pool);
    if (s->kind != TIRBI_LS_SEQ || !tirbi_arena_may_try(pool->arena)) return s;
    phases *p = TIRBI_NEW(pool->arena, phases);
    for (uint32_t at = s->as.seq.n; p && at-- > 0;) {
        const tirbi_ls *other = sum_one(pool, s, at, p);
        if (other != s) at -= p->n_own;
        s = other;
    }
    if (p) TIRBI_GIVE_BACK(pool->arena, p);
    return s;
}

const tirbi_ls *tirbi_sum_in_phases(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return body ? sum_all(pool, body) : NULL;
}
