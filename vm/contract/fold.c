/* Tree reductions of rows: the last loop of a contraction's box runs over a row, the others from row to row. */
#include "vm/contract/contract.h"
#include "vm/lanes/reduce.h"

#include <string.h>

/* No more elements of a row are taken at once, so that a stop is soon seen: whole blocks of the tree, which go into the
 * running value one after the other. */
enum { MOST_ELEMENTS = 64 * TIRBI_RED_BLOCK };

/* n elements of a row that are apart, one by one. */
#define SCATTERED(t, T)                                                                                                \
    static void scattered_##t(const tirbi_contraction *x, const uint8_t *a, const uint8_t *b, int64_t n,               \
                              uint8_t *running) {                                                                      \
        unsigned last = x->n_loops - 1;                                                                                \
        int64_t step_a = x->operand[TIRBI_CONTRACT_A].step[last], step_b = x->operand[TIRBI_CONTRACT_B].step[last];    \
        tirbi_red red;                                                                                                 \
        T entry, p, q;                                                                                                 \
        memcpy(&entry, running, sizeof entry);                                                                         \
        tirbi_red_begin_##t(&red, x->flags & TIRBI_FOLD_OP, entry);                                                    \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            memcpy(&p, a + k * step_a, sizeof p);                                                                      \
            memcpy(&q, b + k * step_b, sizeof q);                                                                      \
            if (x->flags & TIRBI_FOLD_PRODUCTS)                                                                        \
                tirbi_red_pushma_##t(&red, p, q);                                                                      \
            else                                                                                                       \
                tirbi_red_push_##t(&red, p);                                                                           \
        }                                                                                                              \
        entry = tirbi_red_end_##t(&red);                                                                               \
        memcpy(running, &entry, sizeof entry);                                                                         \
    }
SCATTERED(f32, float)
SCATTERED(f64, double)

static bool follow(const tirbi_contraction *x, unsigned operand, int64_t size) {
    unsigned last = x->n_loops - 1;
    return x->extent[last] == 1 || x->operand[operand].step[last] == size;
}

static const uint8_t *moved(const uint8_t *p, int64_t step, int64_t times) {
    return (const uint8_t *)((uintptr_t)p + (uintptr_t)step * (uintptr_t)times);
}

/* Reduces a row, by the kernel where its elements follow each other; false: stopped. */
static bool run_row(const tirbi_contraction *x, tirbi_fold_kernel kernel, const uint8_t *a, const uint8_t *b, uint8_t *running) {
    unsigned last = x->n_loops - 1;
    int64_t step_a = x->operand[TIRBI_CONTRACT_A].step[last], step_b = x->operand[TIRBI_CONTRACT_B].step[last];
    for (int64_t k = 0; k < x->extent[last]; k += MOST_ELEMENTS) {
        int64_t n = x->extent[last] - k < MOST_ELEMENTS ? x->extent[last] - k : MOST_ELEMENTS;
        const uint8_t *from = moved(a, step_a, k), *other = moved(b, step_b, k);
        if (atomic_load_explicit(x->stop, memory_order_relaxed) != 0) return false;
        if (kernel) kernel(from, x->flags & TIRBI_FOLD_PRODUCTS ? other : from, (uint64_t)n, running);
        else if (x->type == TIRB_F64) scattered_f64(x, from, other, n, running);
        else scattered_f32(x, from, other, n, running);
    }
    return true;
}

bool tirbi_fold_run(const tirbi_contraction *x) {
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS] = {0};
    uint8_t *at[TIRBI_CONTRACT_OPERANDS];
    unsigned last = x->n_loops - 1, number = x->flags & TIRBI_FOLD_PRODUCTS ? TIRBI_FOLD_PRODUCT : x->flags & TIRBI_FOLD_OP;
    size_t size = tirbi_dtypes[x->type].size;
    bool products = number == TIRBI_FOLD_PRODUCT;
    bool whole = follow(x, TIRBI_CONTRACT_A, (int64_t)size) && (!products || follow(x, TIRBI_CONTRACT_B, (int64_t)size));
    tirbi_fold_kernel kernel = x->type == TIRB_F64 ? x->kernels->fold_f64[number] : x->kernels->fold_f32[number];
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] = x->operand[o].start;
    for (;;) {
        _Alignas(8) uint8_t running[8];
        memcpy(running, x->flags & TIRBI_FOLD_INIT ? x->first : at[TIRBI_CONTRACT_C], size);
        if (!run_row(x, whole ? kernel : NULL, at[TIRBI_CONTRACT_A], at[TIRBI_CONTRACT_B], running)) return false;
        memcpy(at[TIRBI_CONTRACT_C], running, size);
        unsigned i = last;
        for (;;) {
            if (i == 0) return true;
            i--;
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] += x->operand[o].step[i];
            if (++index[i] < x->extent[i]) break;
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] -= x->extent[i] * x->operand[o].step[i];
            index[i] = 0;
        }
    }
}
