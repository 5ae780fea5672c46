/* Folds of integers. Elements that follow each other in the type of C, or in a narrower one that a kernel takes, are
 * read where they are; others are brought together and converted first, some rows at a time. */
#include "vm/contract/fold_ints.h"

#include <string.h>

#include "loader/bundle/program.h"
#include "vm/contract/walk.h"

/* So many elements are brought together, and are read before it is seen whether to stop. */
enum { PIECE = 1024, LARGEST = 8, MOST_ELEMENTS = 1 << 14, MOST_APART = 256, LINE = 64 };

typedef struct pieces {
    _Alignas(64) uint8_t a[PIECE * LARGEST], b[PIECE * LARGEST], apart[PIECE * LARGEST];
} pieces;

typedef struct folder {
    const tirbi_contraction *x;
    tirbi_fold_kernel kernel;
    int64_t length; /* of a row */
    bool products, in_place; /* rows are read where they are */
} folder;

static int64_t size_of(const folder *f, unsigned o) { return tirbi_dtypes[f->x->operand[o].type].size; }

static int64_t step_of(const folder *f, unsigned o) { return f->x->operand[o].step[f->x->n_loops - 1]; }

static bool follows(const folder *f, unsigned o) { return f->length == 1 || step_of(f, o) == size_of(f, o); }

/* Whether an operand's bits are those of C's type. */
static bool fits(const folder *f, unsigned o) { return size_of(f, o) == tirbi_dtypes[f->x->type].size; }

static unsigned number_of(const tirbi_contraction *x) {
    if (x->flags & TIRBI_FOLD_PRODUCTS) return TIRBI_INT_FOLD_PRODUCT;
    return (x->flags & TIRBI_FOLD_OP) + (x->flags & TIRBI_FOLD_BITS ? (unsigned)TIRBI_INT_FOLD_BITS : 0);
}

/* Whether elements, or rows, are so far from each other that each waits for memory. */
static bool are_apart(const folder *f) {
    bool apart = false;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        const int64_t row = tirbi_walk_row_step(f->x, o);
        const int64_t step = o == TIRBI_CONTRACT_C ? 0 : step_of(f, o);
        apart = apart || step > LINE || step < -LINE || (f->length < MOST_APART && (row > LINE || row < -LINE));
    }
    return apart;
}

static void choose(folder *f) {
    const tirbi_contraction *x = f->x;
    const tirbi_contract_kernels *k = x->kernels;
    const uint8_t a = x->operand[TIRBI_CONTRACT_A].type, b = x->operand[TIRBI_CONTRACT_B].type;
    const bool together = follows(f, TIRBI_CONTRACT_A) && (!f->products || follows(f, TIRBI_CONTRACT_B));
    tirbi_fold_kernel narrow = NULL;
    f->kernel = k->fold_ints[number_of(x)][x->type];
    f->in_place = together && fits(f, TIRBI_CONTRACT_A) && (!f->products || fits(f, TIRBI_CONTRACT_B));
    const unsigned size = tirbi_dtypes[x->type].size;
    if (size >= 4 && f->products && a == b) narrow = k->add_narrow_products[size == 8][a];
    if (size >= 4 && number_of(x) == TIRBI_RED_ADD) narrow = k->add_narrow[size == 8][a];
    if (!together || !narrow) return;
    f->kernel = narrow;
    f->in_place = true;
}

/* n elements that are `step` bytes apart. */
static void gather(uint8_t *to, const uint8_t *from, int64_t step, int64_t n, int64_t size) {
    switch (size) {
    case 1:
        for (int64_t k = 0; k < n; k++) to[k] = *tirbi_walk_moved(from, step, k);
        return;
    case 2:
        for (int64_t k = 0; k < n; k++) memcpy(to + 2 * k, tirbi_walk_moved(from, step, k), 2);
        return;
    case 4:
        for (int64_t k = 0; k < n; k++) memcpy(to + 4 * k, tirbi_walk_moved(from, step, k), 4);
        return;
    default:
        for (int64_t k = 0; k < n; k++) memcpy(to + 8 * k, tirbi_walk_moved(from, step, k), 8);
    }
}

/* Brings `rows` rows of n elements together in C's type, from element k of each on. */
static void bring(const folder *f, unsigned o, const uint8_t *from, int64_t rows, int64_t n, uint8_t *to,
                  uint8_t *apart) {
    const int64_t size = size_of(f, o), step = step_of(f, o), row = tirbi_walk_row_step(f->x, o);
    const bool converts = !fits(f, o), one = follows(f, o) && (rows == 1 || row == n * size);
    uint8_t *raw = converts ? apart : to;
    const uint8_t *whole = one ? from : raw;
    for (int64_t r = 0; !one && r < rows; r++)
        gather(raw + r * n * size, tirbi_walk_moved(from, row, r), step, n, size);
    if (converts) f->x->strips->cast[f->x->type][f->x->operand[o].type](to, whole, NULL, NULL, (size_t)(rows * n));
    else if (one) memcpy(to, from, (size_t)(rows * n * size));
}

/* `rows` rows, of which the first n elements, from what `at` says on, are taken; `first` is what they begin with, or
 * NULL. */
static void fold_piece(const folder *f, pieces *p, uint8_t *const *at, int64_t rows, int64_t n, const void *first) {
    const int64_t size = tirbi_dtypes[f->x->type].size;
    tirbi_fold_rows to = {.a = at[TIRBI_CONTRACT_A],
                          .b = at[TIRBI_CONTRACT_B],
                          .a_row = tirbi_walk_row_step(f->x, TIRBI_CONTRACT_A),
                          .b_row = tirbi_walk_row_step(f->x, TIRBI_CONTRACT_B),
                          .c_row = {tirbi_walk_row_step(f->x, TIRBI_CONTRACT_C)},
                          .c = {at[TIRBI_CONTRACT_C]},
                          .first = {first},
                          .n_rows = rows,
                          .n = (uint64_t)n};
    if (!f->in_place) {
        bring(f, TIRBI_CONTRACT_A, to.a, rows, n, p->a, p->apart);
        if (f->products) bring(f, TIRBI_CONTRACT_B, to.b, rows, n, p->b, p->apart);
        to.a = p->a;
        to.b = f->products ? p->b : p->a;
        to.a_row = to.b_row = n * size;
    }
    f->kernel(&to);
}

/* `many` rows of the innermost loop of rows; false: stopped. */
static bool fold_rows(const folder *f, pieces *p, uint8_t *const *from, int64_t many) {
    const int64_t together = f->in_place ? MOST_ELEMENTS : PIECE, most = are_apart(f) ? MOST_APART : together;
    const int64_t whole = most / f->length;
    const int64_t at_once = whole > 0 ? whole : 1, piece = whole > 0 ? f->length : most;
    for (int64_t r = 0; r < many; r += at_once) {
        const int64_t rows = many - r < at_once ? many - r : at_once;
        const void *first = f->x->flags & TIRBI_FOLD_INIT ? f->x->first : NULL;
        for (int64_t k = 0; k < f->length; k += piece) {
            uint8_t *at[TIRBI_CONTRACT_OPERANDS];
            if (tirbi_must_stop(f->x)) return false;
            for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
                const uint8_t *row = tirbi_walk_moved(from[o], tirbi_walk_row_step(f->x, o), r);
                at[o] = (uint8_t *)(uintptr_t)tirbi_walk_moved(row, step_of(f, o), k);
            }
            fold_piece(f, p, at, rows, f->length - k < piece ? f->length - k : piece, first);
            first = NULL;
        }
    }
    return true;
}

bool tirbi_fold_ints(const tirbi_contraction *x) {
    folder f = {.x = x, .length = x->extent[x->n_loops - 1], .products = (x->flags & TIRBI_FOLD_PRODUCTS) != 0};
    uint8_t *at[TIRBI_CONTRACT_OPERANDS];
    tirbi_walk w;
    pieces p;
    choose(&f);
    tirbi_walk_begin(x, &w);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) at[o] = x->operand[o].start;
    do {
        if (!fold_rows(&f, &p, at, w.many)) return false;
    } while (tirbi_walk_on(x, &w, at));
    return true;
}
