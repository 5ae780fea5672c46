/* fma_sweep [--full]: multiply-adds with one rounding, beside the C library's: strip kernels, tiles and sweeps of
 * every instruction set of this build that this CPU has, and what stands for the instruction where there is none.
 * Operands are of all sizes, with few digits and many; sums cancel, lie between two numbers, are subnormal, or
 * overflow. With --full, 10^9 of each type go through the strip kernels.
 *
 * The C library's functions are exact, by the processor's instruction where it has one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/isa/isa.h"
#include "vm/contract/tables.h"
#include "vm/contract/tiles.h"
#include "vm/lanes/kernels.h"
#include "vm/math/fused.h"
#include "vm/math/ops.h"

enum { N = 1024, STEPS = 37, COLUMNS = 8, ROWS = 4, OPERANDS = 6 };

static uint64_t random_state = 0x9E3779B97F4A7C15u;
static uint64_t failures;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x9E3779B97F4A7C15u;
}
static unsigned below(unsigned n) { return (unsigned)((random_bits() >> 32) * n >> 32); }

/* Fractions: none, all ones, one unit, few digits at the upper or the lower end, or any. */
static uint64_t any_fraction(unsigned digits) {
    const uint64_t all = (UINT64_C(1) << digits) - 1, any = random_bits() & all;
    switch (below(8)) {
    case 0: return 0;
    case 1: return all;
    case 2: return 1 + below(2);
    case 3: return any & ~(all >> below(digits));
    case 4: return any >> below(digits);
    default: return any;
    }
}

/* A number of the kind: around 1, of any size, subnormal products, overflowing ones, and others. */
#define DEFINE_ANY(t, C, U, digits, bias)                                                                              \
    static C any_##t(unsigned kind) {                                                                                  \
        const unsigned most = 2 * (bias) + 1;                                                                          \
        unsigned e;                                                                                                    \
        switch (kind) {                                                                                                \
        case 0: e = below(most + 1); break;                                                                            \
        case 1: e = (bias) - 3 + below(7); break;                                                                      \
        case 2: e = (bias) - (digits) - 5 + below(2 * (digits) + 10); break;                                           \
        case 3: e = below(4) ? below(2 * (digits)) : 0; break;                                                         \
        case 4: e = most - 1 - below(2 * (digits)); break;                                                             \
        case 5: e = (bias) / 2 - 20 + below(2 * (digits)); break;                                                      \
        default: e = (bias) / 2 * 3 - (digits) + below(2 * (digits)); break;                                           \
        }                                                                                                              \
        U fraction = (U)any_fraction(digits);                                                                          \
        if (below(50) == 0) {                                                                                          \
            e = below(2) ? most : 0;                                                                                   \
            if (below(3) == 0) fraction = 0;                                                                           \
        }                                                                                                              \
        return tirbi_##t##_from_bits((U)((U)below(2) << (sizeof(U) * 8 - 1) | (U)e << (digits) | fraction));           \
    }                                                                                                                  \
    /* Near the negative product of x and y, or so far from it that its last digits decide. */                        \
    static C any_beside_##t(C x, C y) {                                                                                \
        const C product = x * y;                                                                                       \
        int e = 0;                                                                                                     \
        if (below(2)) return tirbi_##t##_from_bits((U)(tirbi_##t##_bits(-product) + below(5) - 2u));                   \
        (void)frexp((double)product, &e);                                                                              \
        return (C)ldexp((double)any_##t(1), e + (int)below(2 * (digits) + 10) - (digits) - 5);                         \
    }
DEFINE_ANY(f32, float, uint32_t, 23, 127)
DEFINE_ANY(f64, double, uint64_t, 52, 1023)

static const unsigned ops[3] = {TIRB_OP_FMA, TIRB_OP_FMS, TIRB_OP_FNMA};
static const char *const names[3] = {"fma", "fms", "fnma"};

#define DEFINE_STRIPS(t, TYPE, C, U, FMA)                                                                              \
    static bool same_##t(const char *what, C x, C y, C z, C got, C want) {                                             \
        if (tirbi_##t##_bits(got) == tirbi_##t##_bits(tirbi_canon_##t(want))) return true;                             \
        if (failures++ < 20)                                                                                           \
            printf("FAIL %s of %a, %a and %a is %a, not %a\n", what, (double)x, (double)y, (double)z, (double)got,     \
                   (double)want);                                                                                      \
        return false;                                                                                                  \
    }                                                                                                                  \
    static void try_strips_##t(const tirbi_kernel_table *kernels, unsigned op) {                                       \
        static C x[N], y[N], z[N], got[N];                                                                             \
        for (unsigned i = 0; i < N; i++) {                                                                             \
            const unsigned kind = below(7);                                                                            \
            x[i] = any_##t(kind);                                                                                      \
            y[i] = any_##t(below(3) ? kind : below(7));                                                                \
            z[i] = below(2) ? any_##t(kind) : any_beside_##t(x[i], y[i]);                                              \
        }                                                                                                              \
        kernels->op[ops[op] - TIRBI_FIRST_ELEMENTWISE][TIRB_##TYPE](got, x, y, z, N);                                  \
        for (unsigned i = 0; i < N; i++)                                                                               \
            same_##t(names[op], x[i], y[i], z[i], got[i],                                                \
                     FMA(op == 2 ? -x[i] : x[i], y[i], op == 1 ? -z[i] : z[i]));                                       \
    }                                                                                                                  \
    /* One factor for all, mostly a power of two, and one or many summands. */                                         \
    static void try_one_factor_##t(unsigned op) {                                                                      \
        enum { LANES = TIRBI_FUSED_VECTOR / sizeof(C) };                                                               \
        static C x[LANES], y[N], z[N], got[N];                                                                         \
        const unsigned kind = below(7);                                                                                \
        const bool one = below(4) == 0, first = below(2);                                                              \
        C factor = any_##t(below(2) ? 1 : kind);                                                                       \
        if (below(4)) factor = (C)copysign(ldexp(0.5, ilogb((double)factor)), (double)factor);                         \
        for (unsigned i = 0; i < LANES; i++) x[i] = factor;                                                            \
        for (unsigned i = 0; i < N; i++) {                                                                             \
            y[i] = any_##t(below(20) ? kind : below(7));                                                               \
            z[i] = one ? z[0] : below(2) ? any_##t(kind) : any_beside_##t(factor, y[i]);                               \
            if (i == 0) z[0] = any_##t(kind);                                                                          \
        }                                                                                                              \
        const tirbi_fused_operand of_all = {x, 0}, of_each = {y, TIRBI_FUSED_VECTOR};                                  \
        tirbi_fused_##t##_vectors[op](got, first ? of_all : of_each, first ? of_each : of_all,                         \
                                      (tirbi_fused_operand){z, one ? 0 : TIRBI_FUSED_VECTOR}, N / LANES);              \
        for (unsigned i = 0; i < N; i++) {                                                                             \
            const C summand = one ? z[i % LANES] : z[i];                                                               \
            same_##t("one factor", factor, y[i], summand, got[i],                                                      \
                     FMA(op == 2 ? -factor : factor, y[i], op == 1 ? -summand : summand));                             \
        }                                                                                                              \
    }                                                                                                                  \
    /* Operands of contractions: digits and sizes as data has them, or of all sizes. */                                \
    static C any_operand_##t(unsigned how) {                                                                           \
        switch (how) {                                                                                                 \
        case 0: return (C)((double)(int64_t)random_bits() * 0x1p-63);                                                  \
        case 1: return (C)((int)below(512) - 256) * (C)0.0625;                                                         \
        case 2: return below(2) ? 0 : (C)((int)below(1 << 20) - (1 << 19));                                            \
        case 3: return any_##t(2);                                                                                     \
        case 4: return (C)ldexp((double)any_##t(1), 20 + (int)below(90));                                              \
        default: return below(200) ? any_##t(1) : any_##t(0);                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void try_tile_##t(const tirbi_contract_kernels *kernels, unsigned rows, unsigned columns, unsigned how) {   \
        static C a[ROWS][STEPS], columns_of_a[STEPS][ROWS], b[STEPS][COLUMNS], c[ROWS][COLUMNS], want[ROWS][COLUMNS];  \
        const tirbi_tile_set *set = &kernels->t;                                                                       \
        uint8_t *pointers[ROWS];                                                                                       \
        for (unsigned k = 0; k < STEPS; k++) {                                                                         \
            for (unsigned i = 0; i < rows; i++) a[i][k] = columns_of_a[k][i] = any_operand_##t(how);                   \
            for (unsigned j = 0; j < columns; j++) b[k][j] = any_operand_##t(how);                                     \
        }                                                                                                              \
        for (unsigned i = 0; i < rows; i++) {                                                                          \
            pointers[i] = (uint8_t *)c[i];                                                                             \
            for (unsigned j = 0; j < columns; j++) want[i][j] = c[i][j] = any_operand_##t(how);                        \
            for (unsigned k = 0; k < STEPS; k++)                                                                       \
                for (unsigned j = 0; j < columns; j++) want[i][j] = FMA(a[i][k], b[k][j], want[i][j]);                 \
        }                                                                                                              \
        const unsigned vectors = (columns + set->lanes - 1) / set->lanes;                                              \
        const bool packed = below(2);                                                                                  \
        const tirbi_tile tile = {.a = packed ? (const uint8_t *)columns_of_a : (const uint8_t *)a,                     \
                                 .a_row = packed ? sizeof **columns_of_a : sizeof *a,                                  \
                                 .a_k = packed ? sizeof *columns_of_a : sizeof **a,                                    \
                                 .b = (const uint8_t *)b, .b_k = sizeof *b, .n_k = STEPS, .c = pointers,               \
                                 .last = columns - (vectors - 1) * set->lanes};                                        \
        (tile.last < set->lanes ? set->part : set->run)[vectors - 1][rows - 1](&tile);                                 \
        for (unsigned i = 0; i < rows; i++)                                                                            \
            for (unsigned j = 0; j < columns; j++)                                                                     \
                if (!same_##t("a sum of products", a[i][0], b[0][j], 0, c[i][j], want[i][j])) return;                  \
    }                                                                                                                  \
    /* Strips of weights, one for all, and one for each row. */                                                        \
    static void try_sweep_##t(const tirbi_contract_kernels *kernels, unsigned kind, unsigned rows, unsigned columns,   \
                              unsigned how) {                                                                          \
        static C data[STEPS][ROWS][COLUMNS], weights[STEPS][ROWS * COLUMNS], c[ROWS][COLUMNS], want[ROWS][COLUMNS];    \
        static int64_t data_at[STEPS], weights_at[STEPS];                                                              \
        const unsigned lanes = kernels->t.lanes, vectors = (columns + lanes - 1) / lanes;                              \
        const C first = any_operand_##t(how);                                                                          \
        for (unsigned k = 0; k < STEPS; k++) {                                                                         \
            data_at[k] = (int64_t)(k * sizeof *data), weights_at[k] = (int64_t)(k * sizeof *weights);                  \
            for (unsigned i = 0; i < ROWS * COLUMNS; i++) {                                                            \
                data[k][i / COLUMNS][i % COLUMNS] = any_operand_##t(how);                                              \
                weights[k][i] = any_operand_##t(how);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        for (unsigned i = 0; i < rows; i++)                                                                            \
            for (unsigned j = 0; j < columns; j++) {                                                                   \
                const unsigned weight = kind == TIRBI_SWEEP_STRIPS ? j : kind == TIRBI_SWEEP_ONES ? 0 : i;             \
                want[i][j] = first;                                                                                    \
                for (unsigned k = 0; k < STEPS; k++)                                                                   \
                    want[i][j] =                                                                                       \
                        FMA(data[k][kind == TIRBI_SWEEP_ROW_ONES ? 0 : i][j], weights[k][weight], want[i][j]);         \
            }                                                                                                          \
        const tirbi_sweep sweep = {.data = (const uint8_t *)data, .weights = (const uint8_t *)weights,                 \
                                   .data_at = data_at, .weights_at = weights_at, .n = STEPS,                           \
                                   .data_row = sizeof **data, .weights_row = sizeof **weights, .c_row = sizeof *c,     \
                                   .c = (uint8_t *)c, .first = (const uint8_t *)&first,                                \
                                   .last = columns - (vectors - 1) * lanes};                                           \
        kernels->sweeps[TIRBI_SWEEP_##TYPE][kind][vectors - 1][rows > 1][sweep.last < lanes](&sweep);                  \
        for (unsigned i = 0; i < rows; i++)                                                                            \
            for (unsigned j = 0; j < columns; j++)                                                                     \
                if (!same_##t("a sweep", data[0][0][j], weights[0][0], first, c[i][j], want[i][j])) return;            \
    }
DEFINE_STRIPS(f32, F32, float, uint32_t, fmaf)
DEFINE_STRIPS(f64, F64, double, uint64_t, fma)

static void try_contractions(const tirbi_contract_kernels *kernels, unsigned long long times) {
    for (unsigned long long n = 0; n < times; n++) {
        const unsigned how = below(OPERANDS), kind = (unsigned)(n % TIRBI_SWEEP_KINDS), rows = n & 1 ? ROWS : 1;
        unsigned f32_most = 2u * kernels->f32.lanes, f64_most = 2u * kernels->f64.lanes;
        if (f32_most > COLUMNS) f32_most = COLUMNS;
        if (f64_most > COLUMNS) f64_most = COLUMNS;
        try_tile_f32(kernels, 1 + below(ROWS), 1 + below(f32_most), how);
        try_tile_f64(kernels, 1 + below(ROWS), 1 + below(f64_most), how);
        try_sweep_f32(kernels, kind, rows, 1 + below(f32_most), how);
        try_sweep_f64(kernels, kind, rows, 1 + below(f64_most), how);
    }
}

int main(int argc, char **argv) {
    const bool full = argc > 1 && strcmp(argv[1], "--full") == 0;
    const unsigned long long times = full ? 1000000000ull / N : 600;
    for (unsigned isa = TIRB_ISA_GENERIC; isa <= TIRB_ISA_NEON; isa++) {
        const tirbi_kernel_table *kernels = tirbi_kernels((tirb_isa)isa);
        const tirbi_contract_kernels *contractions = tirbi_contract_kernels_of((tirb_isa)isa);
        if (kernels == NULL || contractions == NULL || !tirb_isa_available((tirb_isa)isa)) continue;
        const uint64_t before = failures;
        for (unsigned long long n = 0; n < times; n++) {
            try_strips_f32(kernels, (unsigned)(n % 3));
            try_strips_f64(kernels, (unsigned)(n % 3));
        }
        try_contractions(contractions, times);
        for (unsigned long long n = 0; n < times && isa == TIRB_ISA_GENERIC; n++) {
            try_one_factor_f32((unsigned)(n % 3));
            try_one_factor_f64((unsigned)(n % 3));
        }
        printf("%s: %llu multiply-adds of each type and %llu contractions, %llu wrong\n", tirb_isa_name((tirb_isa)isa),
               times * N, 4 * times, (unsigned long long)(failures - before));
    }
    return failures != 0;
}
