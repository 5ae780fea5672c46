/* Sums of products whose data and weights share every loop of one of them, as those of depthwise convolutions do: there
 * is no matrix to pack. Strips of C are swept over instead, and the weights' strips used for several rows at a time.
 * The same for a few rows of the same data, as a group of channels has. Data whose elements are a few steps apart, as
 * those of strided convolutions, are brought together before: all first ones, then all second ones, and so on. */
#include "vm/contract/contract.h"

#include <string.h>

/* More products, and more weights that have to be converted, are for the tiles. */
enum { MOST_PRODUCTS = 128, MOST_WEIGHTS = 1 << 16 };
enum { LINE = 64 };
/* A matrix of data for so few rows is not worth packing, where its columns are not so few. */
enum { FEW_ROWS = 8, LEAST_STRIP = 8 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t step_of(const tirbi_contraction *x, unsigned operand, unsigned loop) {
    return x->operand[operand].step[loop];
}

static int64_t size_of(uint8_t type) { return tirbi_dtypes[type].size; }

/* ---- Which ones ------------------------------------------------------------------------------------------------- */

/* Whether the data's elements are apart along C's. */
static bool are_apart(const tirbi_contraction *x, const tirbi_contract_sweep *s) {
    return step_of(x, s->data, s->lanes) != size_of(x->operand[s->data].type);
}

static bool is_narrow(uint8_t type) { return type == TIRB_I8 || type == TIRB_U8 || type == TIRB_I16; }

/* The type that weights are converted to, and in which C's elements are registers. */
static uint8_t values_type(const tirbi_contraction *x) { return tirbi_contract_is_half(x) ? TIRB_F32 : x->type; }

static bool converts(const tirbi_contraction *x, const tirbi_contract_sweep *s) {
    return x->operand[s->weights].type != values_type(x);
}

/* The kernel for data of a type, or TIRBI_SWEEPS. */
static uint8_t kernel_for(const tirbi_contraction *x, uint8_t data, uint8_t weights) {
    const bool whole = x->type == TIRB_I32 || x->type == TIRB_U32;
    if (whole && (weights == x->type || is_narrow(weights))) {
        switch (data) {
        case TIRB_I8: return TIRBI_SWEEP_I8;
        case TIRB_U8: return TIRBI_SWEEP_U8;
        case TIRB_I16: return TIRBI_SWEEP_I16;
        default: return data == x->type ? TIRBI_SWEEP_I32 : TIRBI_SWEEPS;
        }
    }
    if (!(x->flags & TIRBI_CONTRACT_FUSED) || data != x->type || weights != x->type) return TIRBI_SWEEPS;
    switch (x->type) {
    case TIRB_F32: return TIRBI_SWEEP_F32;
    case TIRB_F64: return TIRBI_SWEEP_F64;
    case TIRB_F16: return TIRBI_SWEEP_F16;
    case TIRB_BF16: return TIRBI_SWEEP_BF16;
    default: return TIRBI_SWEEPS;
    }
}

/* Whether an operand stands still in a loop of C other than that of the lanes, in which the other one moves. */
static bool stays_in(const tirbi_contraction *x, unsigned operand, unsigned other, unsigned lanes, unsigned loop) {
    return loop != lanes && x->extent[loop] > 1 && step_of(x, TIRBI_CONTRACT_C, loop) != 0 &&
           step_of(x, operand, loop) == 0 && step_of(x, other, loop) != 0;
}

/* Bytes of data that the rows and all their products reach, from the first on. */
static int64_t reach_of(const tirbi_contraction *x, const tirbi_contract_sweep *s) {
    int64_t reach = size_of(x->operand[s->data].type);
    for (unsigned i = 0; i < x->n_loops; i++)
        if (i == s->lanes || i == s->rows || step_of(x, TIRBI_CONTRACT_C, i) == 0)
            reach += step_of(x, s->data, i) * (x->extent[i] - 1);
    return reach;
}

/* The lanes step over whole elements, and a row begins with the same one of these as the one before it. */
static bool can_bring_together(const tirbi_contraction *x, const tirbi_contract_sweep *s) {
    const int64_t step = step_of(x, s->data, s->lanes), size = size_of(x->operand[s->data].type);
    for (unsigned i = 0; i < x->n_loops; i++)
        if (step_of(x, s->data, i) < 0 || step_of(x, s->data, i) % size != 0) return false;
    return step > 0 && step <= TIRBI_MOST_APART * size && step_of(x, s->data, s->rows) % step == 0 &&
           reach_of(x, s) <= TIRBI_MOST_TOGETHER;
}

/* With `data` as the data: another loop of C has the same weights in all of its iterations, or few have the same
 * data. */
static bool take_roles(const tirbi_contraction *x, unsigned data, bool same_data, tirbi_contract_sweep *out) {
    const unsigned weights = data == TIRBI_CONTRACT_A ? TIRBI_CONTRACT_B : TIRBI_CONTRACT_A;
    const uint8_t data_type = x->operand[data].type, weights_type = x->operand[weights].type;
    const int64_t along = step_of(x, weights, out->lanes);
    bool found = false;
    out->data = (uint8_t)data;
    out->weights = (uint8_t)weights;
    out->kernel = kernel_for(x, data_type, weights_type);
    out->kind = same_data ? TIRBI_SWEEP_ROW_ONES : along != 0 ? TIRBI_SWEEP_STRIPS : TIRBI_SWEEP_ONES;
    if (out->kernel == TIRBI_SWEEPS) return false;
    if (along != 0 && (same_data || along != size_of(weights_type))) return false;
    if (same_data && (data_type != x->type || weights_type != values_type(x))) return false;
    for (unsigned i = 0; i < x->n_loops; i++) {
        if (!stays_in(x, same_data ? data : weights, same_data ? weights : data, out->lanes, i)) continue;
        out->rows = (uint8_t)i;
        found = true;
    }
    return found && (!are_apart(x, out) || (!same_data && along == 0 && can_bring_together(x, out)));
}

bool tirbi_contract_is_sweep(const tirbi_contraction *x, const tirbi_contract_shape *s, tirbi_contract_sweep *out) {
    const bool matrix = s->rows.total > 1 && s->columns.total > 1;
    if ((matrix && (s->direct || s->rows.total > FEW_ROWS)) || s->k.total > MOST_PRODUCTS ||
        tirbi_semiring_of(x->flags) != TIRBI_PRODUCTS || (x->flags & TIRBI_CONTRACT_SUBTRACT))
        return false;
    unsigned lanes = 0;
    while (lanes < x->n_loops &&
           (x->extent[lanes] == 1 || step_of(x, TIRBI_CONTRACT_C, lanes) != size_of(x->type)))
        lanes++;
    if (lanes == x->n_loops) return false;
    out->lanes = (uint8_t)lanes;
    if (matrix) return x->extent[lanes] >= LEAST_STRIP && take_roles(x, s->b, true, out);
    if (!take_roles(x, TIRBI_CONTRACT_A, false, out) && !take_roles(x, TIRBI_CONTRACT_B, false, out)) return false;
    return !converts(x, out) || x->extent[lanes] <= MOST_WEIGHTS / MOST_PRODUCTS;
}

/* ---- Running them ------------------------------------------------------------------------------------------------ */

typedef struct runner {
    const tirbi_contraction *x;
    const tirbi_contract_sweep *s;
    tirbi_sweep sweep;
    int64_t data_at[MOST_PRODUCTS], weights_at[MOST_PRODUCTS];
    int64_t weights_from[MOST_PRODUCTS]; /* where those lie that are converted */
    uint8_t *converted;                  /* or NULL: they are used where they are */
    uint8_t *together;                   /* data that are apart; or NULL */
    const uint8_t *together_from;        /* where they begin */
    int64_t apart;                       /* elements */
    unsigned loops[TIRBI_MAX_CONTRACT_LOOPS], n_loops; /* around rows and strips, those of the weights first */
    unsigned n_of_weights;
    uint8_t *base[TIRBI_CONTRACT_OPERANDS];
} runner;

/* Weights of one product. */
static int64_t weights_of(const tirbi_contraction *x, const tirbi_contract_sweep *s) {
    return step_of(x, s->weights, s->lanes) == 0 ? 1 : x->extent[s->lanes];
}

static size_t converted_size(const tirbi_contraction *x, const tirbi_contract_shape *shape) {
    if (!converts(x, &shape->sweep)) return 0;
    const size_t size = (size_t)(shape->k.total * weights_of(x, &shape->sweep)) * tirbi_dtypes[values_type(x)].size;
    return (size + LINE - 1) / LINE * LINE;
}

size_t tirbi_sweep_scratch(const tirbi_contraction *x, const tirbi_contract_shape *shape) {
    const size_t together =
        are_apart(x, &shape->sweep) ? (size_t)reach_of(x, &shape->sweep) + TIRBI_MOST_APART * LINE : 0;
    return converted_size(x, shape) + together;
}

static void convert_weights(runner *r) {
    const tirbi_contraction *x = r->x;
    const size_t n = (size_t)weights_of(x, r->s);
    const tirbi_kernel cast = x->strips->cast[values_type(x)][x->operand[r->s->weights].type];
    for (int64_t k = 0; k < r->sweep.n; k++)
        cast(r->converted + r->weights_at[k], r->base[r->s->weights] + r->weights_from[k], NULL, NULL, n);
}

/* ---- Data that are apart ---------------------------------------------------------------------------------------- */

/* Brings together what the rows from the base on reach, where that is not what was brought together last; false: it was
 * stopped. */
static bool bring_together(runner *r) {
    const size_t size = (size_t)size_of(r->x->operand[r->s->data].type);
    const uint8_t *from = r->base[r->s->data];
    if (from == r->together_from) return true;
    if (!tirbi_bring_together(r->x, r->together, from, (size_t)reach_of(r->x, r->s) / size, (size_t)r->apart, size))
        return false;
    r->together_from = from;
    return true;
}

/* Where all is then. */
static void place_together(runner *r, uint8_t *at) {
    const int64_t size = size_of(r->x->operand[r->s->data].type), elements = reach_of(r->x, r->s) / size;
    r->together = at;
    r->together_from = NULL;
    r->apart = step_of(r->x, r->s->data, r->s->lanes) / size;
    r->sweep.data_row /= r->apart;
    for (int64_t k = 0; k < r->sweep.n; k++)
        r->data_at[k] = tirbi_place_together(r->data_at[k], elements, r->apart, size);
}

/* ---- All strips ------------------------------------------------------------------------------------------------- */

/* All strips of some rows; false: it was stopped. */
static bool sweep_rows(runner *r, int64_t row, bool all) {
    const tirbi_contraction *x = r->x;
    const int64_t size = size_of(x->type), data_size = size_of(x->operand[r->s->data].type);
    const unsigned lanes = tirbi_contract_set(x)->lanes;
    const int64_t most = (int64_t)lanes * TIRBI_SWEEP_VECTORS, n = x->extent[r->s->lanes];
    const uint8_t *data = (r->together ? r->together : r->base[r->s->data]) + row * r->sweep.data_row;
    const uint8_t *weights = (r->converted ? r->converted : r->base[r->s->weights]) + row * r->sweep.weights_row;
    uint8_t *c = r->base[TIRBI_CONTRACT_C] + row * r->sweep.c_row;
    for (int64_t at = 0; at < n; at += most) {
        if (atomic_load_explicit(x->stop, memory_order_relaxed) != 0) return false;
        const unsigned count = (unsigned)least(most, n - at), vectors = (count - 1) / lanes + 1;
        r->sweep.last = count - (vectors - 1) * lanes;
        r->sweep.data = data + at * data_size;
        r->sweep.weights = weights + (r->s->kind == TIRBI_SWEEP_STRIPS ? at * size_of(values_type(x)) : 0);
        r->sweep.c = c + at * size;
        x->kernels->sweeps[r->s->kernel][r->s->kind][vectors - 1][all][r->sweep.last < lanes](&r->sweep);
    }
    return true;
}

static bool run_rows(runner *r) {
    const int64_t rows = r->x->extent[r->s->rows];
    for (int64_t row = 0; row < rows;) {
        const bool all = rows - row >= TIRBI_SWEEP_ROWS;
        if (!sweep_rows(r, row, all)) return false;
        row += all ? TIRBI_SWEEP_ROWS : 1;
    }
    return true;
}

static void sort_loops(runner *r) {
    const tirbi_contraction *x = r->x;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < x->n_loops; i++) {
            const bool of_weights = step_of(x, r->s->weights, i) != 0;
            if (i == r->s->lanes || i == r->s->rows || x->extent[i] == 1 || step_of(x, TIRBI_CONTRACT_C, i) == 0 ||
                of_weights != (pass == 0))
                continue;
            r->loops[r->n_loops++] = i;
        }
        if (pass == 0) r->n_of_weights = r->n_loops;
    }
}

/* Goes on to the next iteration of the loops around the rows; returns the outermost of them that does, or their
 * number if there is none. */
static unsigned go_on(runner *r, int64_t *index) {
    for (unsigned i = r->n_loops; i-- > 0;) {
        const unsigned loop = r->loops[i];
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) r->base[o] += step_of(r->x, o, loop);
        if (++index[i] < r->x->extent[loop]) return i;
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++)
            r->base[o] -= r->x->extent[loop] * step_of(r->x, o, loop);
        index[i] = 0;
    }
    return r->n_loops;
}

bool tirbi_contract_run_sweep(const tirbi_contraction *x, const tirbi_contract_shape *shape, uint8_t *scratch) {
    runner r;
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS] = {0};
    r.x = x;
    r.s = &shape->sweep;
    r.n_loops = 0;
    r.converted = converts(x, r.s) ? scratch : NULL;
    r.together = NULL;
    r.sweep.data_at = r.data_at;
    r.sweep.weights_at = r.weights_at;
    r.sweep.n = shape->k.total;
    r.sweep.data_row = step_of(x, r.s->data, r.s->rows);
    r.sweep.weights_row = step_of(x, r.s->weights, r.s->rows);
    r.sweep.c_row = step_of(x, TIRBI_CONTRACT_C, r.s->rows);
    float first;
    r.sweep.first = x->flags & TIRBI_CONTRACT_INIT ? tirbi_contract_first(x, &first) : NULL;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) r.base[o] = x->operand[o].start;
    sort_loops(&r);
    tirbi_contract_places(&shape->k, 0, r.sweep.n, r.s->data, r.data_at, r.s->weights,
                          r.converted ? r.weights_from : r.weights_at);
    for (int64_t k = 0; r.converted && k < r.sweep.n; k++)
        r.weights_at[k] = k * weights_of(x, r.s) * size_of(values_type(x));
    if (are_apart(x, r.s)) place_together(&r, scratch + converted_size(x, shape));
    for (bool fresh = true;;) {
        if (r.together && !bring_together(&r)) return false;
        if (r.converted && fresh) convert_weights(&r);
        if (!run_rows(&r)) return false;
        const unsigned moved = go_on(&r, index);
        if (moved == r.n_loops) return true;
        fresh = moved < r.n_of_weights;
    }
}
