/* Tree reductions of rows: the last loop of a contraction's box runs over a row, the others from row to row. */
#include "vm/contract/contract.h"
#include "vm/lanes/reduce.h"

#include <string.h>

/* A row whose elements are apart, one by one. */
#define SCATTERED(t, T)                                                                                                \
    static void scattered_##t(const tirbi_contraction *x, const uint8_t *a, const uint8_t *b, uint8_t *running) {      \
        unsigned last = x->n_loops - 1;                                                                                \
        int64_t step_a = x->operand[TIRBI_CONTRACT_A].step[last], step_b = x->operand[TIRBI_CONTRACT_B].step[last];    \
        tirbi_red red;                                                                                                 \
        T entry, p, q;                                                                                                 \
        memcpy(&entry, running, sizeof entry);                                                                         \
        tirbi_red_begin_##t(&red, x->flags & TIRBI_FOLD_OP, entry);                                                    \
        for (int64_t k = 0; k < x->extent[last]; k++) {                                                                \
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

bool tirbi_fold_run(const tirbi_contraction *x) {
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS] = {0};
    uint8_t *at[TIRBI_CONTRACT_OPERANDS];
    unsigned last = x->n_loops - 1, number = x->flags & TIRBI_FOLD_PRODUCTS ? TIRBI_FOLD_PRODUCT : x->flags & TIRBI_FOLD_OP;
    size_t size = tirbi_dtypes[x->type].size;
    bool doubles = x->type == TIRB_F64, products = number == TIRBI_FOLD_PRODUCT;
    bool whole = follow(x, TIRBI_CONTRACT_A, (int64_t)size) && (!products || follow(x, TIRBI_CONTRACT_B, (int64_t)size));
    tirbi_fold_kernel kernel = doubles ? x->kernels->fold_f64[number] : x->kernels->fold_f32[number];
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] = x->operand[o].start;
    for (;;) {
        _Alignas(8) uint8_t running[8];
        if (atomic_load_explicit(x->stop, memory_order_relaxed) != 0) return false;
        const uint8_t *a = at[TIRBI_CONTRACT_A], *b = products ? at[TIRBI_CONTRACT_B] : a;
        memcpy(running, x->flags & TIRBI_FOLD_INIT ? x->first : at[TIRBI_CONTRACT_C], size);
        if (whole) kernel(a, b, (uint64_t)x->extent[last], running);
        else if (doubles) scattered_f64(x, a, at[TIRBI_CONTRACT_B], running);
        else scattered_f32(x, a, at[TIRBI_CONTRACT_B], running);
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
