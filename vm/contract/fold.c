/* Tree reductions of rows: the last loop of a contraction's box runs over a row, the others from row to row. */
#include "vm/contract/fold_ints.h"
#include "vm/contract/walk.h"
#include "vm/lanes/reduce.h"

#include <string.h>

/* No more elements of a row are taken at once, so that a stop is soon seen: a whole block of the tree, and those go
 * into the running value one after the other. Elements that are apart wait for memory. */
enum { MOST_ELEMENTS = TIRBI_RED_BLOCK, MOST_APART = 256, LINE = 64 };
/* Rows that two folds read one after the other are still in the nearest cache. */
enum { NEAR_BYTES = 16384 };

/* n elements of a row that are apart, one by one. */
#define SCATTERED(t, T)                                                                                                \
    static bool scattered_##t(const tirbi_contraction *x, const uint8_t *a, const uint8_t *b, int64_t n,               \
                              uint8_t *running) {                                                                      \
        unsigned last = x->n_loops - 1;                                                                                \
        int64_t step_a = x->operand[TIRBI_CONTRACT_A].step[last], step_b = x->operand[TIRBI_CONTRACT_B].step[last];    \
        tirbi_red red;                                                                                                 \
        T entry, p, q;                                                                                                 \
        memcpy(&entry, running, sizeof entry);                                                                         \
        tirbi_red_begin_##t(&red, x->flags & TIRBI_FOLD_OP, entry);                                                    \
        for (int64_t k = 0; k < n; k++) {                                                                              \
            if (k % MOST_APART == 0 && tirbi_must_stop(x)) return false;                                               \
            memcpy(&p, a + k * step_a, sizeof p);                                                                      \
            memcpy(&q, b + k * step_b, sizeof q);                                                                      \
            if (x->flags & TIRBI_FOLD_PRODUCTS)                                                                        \
                tirbi_red_pushma_##t(&red, p, q);                                                                      \
            else                                                                                                       \
                tirbi_red_push_##t(&red, p);                                                                           \
        }                                                                                                              \
        entry = tirbi_red_end_##t(&red);                                                                               \
        memcpy(running, &entry, sizeof entry);                                                                         \
        return true;                                                                                                   \
    }
SCATTERED(f32, float)
SCATTERED(f64, double)

static bool follow(const tirbi_contraction *x, unsigned operand, int64_t size) {
    unsigned last = x->n_loops - 1;
    return x->extent[last] == 1 || x->operand[operand].step[last] == size;
}

/* A row of any length by its own pieces; false: stopped. */
static bool run_row(const tirbi_contraction *x, tirbi_fold_kernel kernel, const uint8_t *a, const uint8_t *b,
                    uint8_t *running) {
    unsigned last = x->n_loops - 1;
    int64_t step_a = x->operand[TIRBI_CONTRACT_A].step[last], step_b = x->operand[TIRBI_CONTRACT_B].step[last];
    for (int64_t k = 0; k < x->extent[last]; k += MOST_ELEMENTS) {
        int64_t n = x->extent[last] - k < MOST_ELEMENTS ? x->extent[last] - k : MOST_ELEMENTS;
        const uint8_t *from = tirbi_walk_moved(a, step_a, k), *other = tirbi_walk_moved(b, step_b, k);
        bool done = !tirbi_must_stop(x);
        if (!done) return false;
        if (kernel) kernel(&(tirbi_fold_rows){.a = from, .b = other, .c = {running}, .n_rows = 1, .n = (uint64_t)n});
        else if (x->type == TIRB_F64) done = scattered_f64(x, from, other, n, running);
        else done = scattered_f32(x, from, other, n, running);
        if (!done) return false;
    }
    return true;
}

/* The kernel's number. A sum of products with other elements has B, all else has A alone. */
static unsigned number_of(const tirbi_contraction *x) {
    const tirbi_contract_operand *a = &x->operand[TIRBI_CONTRACT_A], *b = &x->operand[TIRBI_CONTRACT_B];
    if (!(x->flags & TIRBI_FOLD_PRODUCTS)) return x->flags & TIRBI_FOLD_OP;
    bool same = a->start == b->start;
    for (unsigned i = 0; i < x->n_loops; i++) same = same && a->step[i] == b->step[i];
    return same ? TIRBI_FOLD_SQUARE : TIRBI_FOLD_PRODUCT;
}

/* The kernel for one fold, where the elements of its rows follow each other, or NULL. */
static tirbi_fold_kernel kernel_of(const tirbi_contraction *x, unsigned number) {
    int64_t size = tirbi_dtypes[x->type].size;
    if (!follow(x, TIRBI_CONTRACT_A, size) || (number == TIRBI_FOLD_PRODUCT && !follow(x, TIRBI_CONTRACT_B, size)))
        return NULL;
    return x->type == TIRB_F64 ? x->kernels->fold_f64[number] : x->kernels->fold_f32[number];
}

/* Rows for a kernel. */
static tirbi_fold_rows rows_at(const tirbi_contraction *x, uint8_t *const *at) {
    return (tirbi_fold_rows){.a = at[TIRBI_CONTRACT_A],
                             .b = at[TIRBI_CONTRACT_B],
                             .a_row = tirbi_walk_row_step(x, TIRBI_CONTRACT_A),
                             .b_row = tirbi_walk_row_step(x, TIRBI_CONTRACT_B),
                             .c_row = {tirbi_walk_row_step(x, TIRBI_CONTRACT_C)},
                             .c = {at[TIRBI_CONTRACT_C]},
                             .first = {x->flags & TIRBI_FOLD_INIT ? x->first : NULL},
                             .n = (uint64_t)x->extent[x->n_loops - 1]};
}

static void move_rows(tirbi_fold_rows *rows) {
    rows->a = tirbi_walk_moved(rows->a, rows->a_row, rows->n_rows);
    rows->b = tirbi_walk_moved(rows->b, rows->b_row, rows->n_rows);
    for (unsigned i = 0; i < 2; i++)
        rows->c[i] = (uint8_t *)(uintptr_t)tirbi_walk_moved(rows->c[i], rows->c_row[i], rows->n_rows);
}

static bool are_apart(const tirbi_fold_rows *rows) {
    const ptrdiff_t steps[4] = {rows->a_row, rows->b_row, rows->c_row[0], rows->c[1] ? rows->c_row[1] : 0};
    bool apart = false;
    for (unsigned i = 0; i < 4; i++) apart = apart || steps[i] > LINE || steps[i] < -LINE;
    return apart;
}

/* `many` rows, at most so many at once: by a kernel, and those of a second fold (n = 2) by another one. False:
 * stopped. */
static bool run_rows(const tirbi_contraction *x, tirbi_fold_rows *rows, unsigned n, int64_t many, int64_t at_once,
                     tirbi_fold_kernel kernel, tirbi_fold_kernel other) {
    if (at_once > MOST_APART && (are_apart(&rows[0]) || are_apart(&rows[n - 1]))) at_once = MOST_APART;
    for (int64_t left = many; left > 0; left -= rows->n_rows) {
        if (tirbi_must_stop(x)) return false;
        rows[0].n_rows = rows[n - 1].n_rows = left < at_once ? left : at_once;
        kernel(&rows[0]);
        move_rows(&rows[0]);
        if (n == 1) continue;
        other(&rows[1]);
        move_rows(&rows[1]);
    }
    return true;
}

static bool run_long_rows(const tirbi_contraction *x, tirbi_fold_kernel kernel, const tirbi_walk *w,
                          uint8_t *const *from) {
    size_t size = tirbi_dtypes[x->type].size;
    uint8_t *at[TIRBI_CONTRACT_OPERANDS] = {from[0], from[1], from[2]};
    for (int64_t left = w->many;;) {
        _Alignas(8) uint8_t running[8];
        memcpy(running, x->flags & TIRBI_FOLD_INIT ? x->first : at[TIRBI_CONTRACT_C], size);
        if (!run_row(x, kernel, at[TIRBI_CONTRACT_A], at[TIRBI_CONTRACT_B], running)) return false;
        memcpy(at[TIRBI_CONTRACT_C], running, size);
        if (--left == 0) return true;
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] += tirbi_walk_row_step(x, o);
    }
}

bool tirbi_fold_run(const tirbi_contraction *x) {
    if (!tirbi_dtype_is_float((tirbi_dtype)x->type)) return tirbi_fold_ints(x);
    uint8_t *at[TIRBI_CONTRACT_OPERANDS];
    tirbi_walk w;
    const tirbi_fold_kernel kernel = kernel_of(x, number_of(x));
    const int64_t length = x->extent[x->n_loops - 1];
    tirbi_walk_begin(x, &w);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] = x->operand[o].start;
    do {
        if (kernel && length <= MOST_ELEMENTS) {
            tirbi_fold_rows rows = rows_at(x, at);
            if (!run_rows(x, &rows, 1, w.many, MOST_ELEMENTS / length, kernel, NULL)) return false;
        } else if (!run_long_rows(x, kernel, &w, at)) {
            return false;
        }
    } while (tirbi_walk_on(x, &w, at));
    return true;
}

/* ---- Two folds of the same rows ------------------------------------------------------------------------------- */

bool tirbi_folds_agree(const tirbi_contraction *x, const tirbi_contraction *y) {
    const unsigned first = number_of(x), second = number_of(y);
    const tirbi_contract_operand *a = &x->operand[TIRBI_CONTRACT_A], *other = &y->operand[TIRBI_CONTRACT_A];
    if (!tirbi_dtype_is_float((tirbi_dtype)x->type) || x->type != y->type || x->n_loops != y->n_loops ||
        !kernel_of(x, first) || !kernel_of(y, second))
        return false;
    if (a->start != other->start || x->extent[x->n_loops - 1] > MOST_ELEMENTS) return false;
    for (unsigned i = 0; i < x->n_loops; i++)
        if (x->extent[i] != y->extent[i] || a->step[i] != other->step[i]) return false;
    return true;
}

/* One kernel for both, if there is one: the second fold of it has no B. */
static tirbi_fold_kernel kernel_of_both(const tirbi_contraction *x, unsigned first, unsigned second) {
    return x->type == TIRB_F64 ? x->kernels->folds_f64[first][second] : x->kernels->folds_f32[first][second];
}

bool tirbi_folds_run(const tirbi_contraction *x, const tirbi_contraction *y) {
    uint8_t *at[TIRBI_CONTRACT_OPERANDS], *beside[TIRBI_CONTRACT_OPERANDS];
    tirbi_walk w, v;
    unsigned first = number_of(x), second = number_of(y);
    tirbi_fold_kernel both = kernel_of_both(x, first, second);
    if (!both && kernel_of_both(x, second, first)) {
        const tirbi_contraction *other = x;
        x = y;
        y = other;
        both = kernel_of_both(x, second, first);
    }
    const tirbi_fold_kernel one = kernel_of(x, number_of(x)), two = kernel_of(y, number_of(y));
    const int64_t length = x->extent[x->n_loops - 1], near = NEAR_BYTES / tirbi_dtypes[x->type].size;
    const int64_t most = (both ? MOST_ELEMENTS : near) / length;
    tirbi_walk_begin(x, &w);
    tirbi_walk_begin(y, &v);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        at[o] = x->operand[o].start;
        beside[o] = y->operand[o].start;
    }
    do {
        tirbi_fold_rows rows[2] = {rows_at(x, at), rows_at(y, beside)};
        rows[0].c[1] = rows[1].c[0];
        rows[0].c_row[1] = rows[1].c_row[0];
        rows[0].first[1] = rows[1].first[0];
        if (!run_rows(x, rows, both ? 1 : 2, w.many, most > 0 ? most : 1, both ? both : one, two)) return false;
    } while (tirbi_walk_on(x, &w, at) && tirbi_walk_on(y, &v, beside));
    return true;
}
