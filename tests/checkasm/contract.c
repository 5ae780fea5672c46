/* Contractions and folds of random shape, layout and type, run with the micro-kernels of an instruction set and with
 * plain C's. */
#include "tests/checkasm/checkasm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/contract/contract.h"
#include "vm/math/half.h"

enum { LOOPS = 4, TRIALS = 1500, MOST_BYTES = AREA_SIZE - 128 };

/* Operands lie in areas of the checker, in the order of tirbi_contract_operand; C has one for each side. */
enum { EXPECTED = 3, SIMD = 4 };

typedef struct trial {
    tirbi_contraction x;
    int64_t low[TIRBI_CONTRACT_OPERANDS], high[TIRBI_CONTRACT_OPERANDS]; /* elements that are reached */
    uint64_t first;
    bool fold; /* instead of a contraction: the last loop is a row's */
    bool pair; /* of folds: another one, by `second`, of the same rows into elements behind those of C */
    uint8_t second;
    bool square; /* its products are of A's elements alone */
} trial;

static const tirbi_dtype result_types[] = {TIRB_F32, TIRB_F64, TIRB_I32, TIRB_U32, TIRB_I64, TIRB_F16, TIRB_BF16};
static const tirbi_dtype narrow_types[] = {TIRB_I8, TIRB_U8, TIRB_I16};

static tirbi_dtype operand_type(checker *c, tirbi_dtype result) {
    bool narrow = result == TIRB_I32 || result == TIRB_U32;
    if (narrow && next_random(c) % 6 != 0) return narrow_types[next_random(c) % 5 / 2];
    if (result == TIRB_F32 && next_random(c) % 3 == 0) return next_random(c) % 2 ? TIRB_F16 : TIRB_BF16;
    return result;
}

/* Lays an operand out over the loops it has, innermost of a random order first, with gaps now and then. */
static void lay_out(checker *c, trial *t, unsigned operand, unsigned loops) {
    tirbi_contract_operand *o = &t->x.operand[operand];
    unsigned order[LOOPS] = {0, 1, 2, 3};
    for (unsigned i = LOOPS; i > 1; i--) {
        unsigned k = (unsigned)(next_random(c) % i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    for (unsigned i = 0; t->fold && next_random(c) % 8 != 0 && i < LOOPS; i++) { /* rows as they mostly are */
        if (order[i] != LOOPS - 1) continue;
        order[i] = order[0];
        order[0] = LOOPS - 1;
    }
    int64_t next = 1, size = tirbi_dtypes[o->type].size;
    t->low[operand] = t->high[operand] = 0;
    for (unsigned i = 0; i < LOOPS; i++) {
        unsigned loop = order[i];
        o->step[loop] = 0;
        if (!(loops >> loop & 1)) continue;
        int64_t step = next + (next_random(c) % 8 == 0), reach = step * (t->x.extent[loop] - 1);
        bool backwards = next_random(c) % 8 == 0;
        *(backwards ? &t->low[operand] : &t->high[operand]) += backwards ? -reach : reach;
        next = step * t->x.extent[loop];
        o->step[loop] = t->x.extent[loop] > 1 ? (backwards ? -step : step) * size : 0;
    }
}

/* Loops: rows, columns, k, and one of both or neither, or a second of k, rows or columns. */
static bool make_trial(checker *c, trial *t) {
    static const unsigned of[][TIRBI_CONTRACT_OPERANDS] = {
        {0xB, 0xD, 0xE}, {0x3, 0xD, 0xE}, {0xB, 0xD, 0x6}, {0xB, 0x5, 0xE}};
    static const int64_t most[LOOPS] = {40, 70, 90, 3};
    *t = (trial){.x = {.n_loops = LOOPS}};
    t->x.type = (uint8_t)result_types[next_random(c) % 7];
    bool is_float = tirbi_dtype_is_float((tirbi_dtype)t->x.type);
    t->x.flags = (uint8_t)((next_random(c) % 2 ? TIRBI_CONTRACT_INIT : 0) |
                           (is_float && next_random(c) % 2 ? TIRBI_CONTRACT_FUSED : 0) |
                           (next_random(c) % 8 == 0 ? TIRBI_CONTRACT_SUBTRACT : 0));
    const unsigned semiring = (unsigned)(next_random(c) % TIRBI_SEMIRINGS);
    if (next_random(c) % 3 == 0 && tirbi_semiring_has(semiring, t->x.type)) {
        t->x.flags &= TIRBI_CONTRACT_INIT;
        t->x.flags |= (uint8_t)(semiring << TIRBI_SEMIRING_SHIFT);
        if (semiring == TIRBI_SQUARES && is_float) t->x.flags |= TIRBI_CONTRACT_FUSED;
    }
    for (unsigned i = 0; i < LOOPS; i++) t->x.extent[i] = 1 + (int64_t)(next_random(c) % (uint64_t)most[i]);
    if (next_random(c) % 8 == 0) t->x.extent[2] *= 9; /* several blocks of k */
    if (next_random(c) % 8 == 0) t->x.extent[0] = 1; /* one row */
    const unsigned *loops = of[next_random(c) % 4];
    t->x.operand[TIRBI_CONTRACT_C].type = t->x.type;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        if (o != TIRBI_CONTRACT_C) t->x.operand[o].type = (uint8_t)operand_type(c, (tirbi_dtype)t->x.type);
        lay_out(c, t, o, loops[o]);
        if ((t->high[o] - t->low[o] + 1) * tirbi_dtypes[t->x.operand[o].type].size > MOST_BYTES) return false;
    }
    put_any(c, &t->first, (tirbi_dtype)t->x.type);
    t->x.first = &t->first;
    return true;
}

/* Data and weights that share all loops of the weights, or all but a short one, with C's elements side by side. */
static bool make_sweep(checker *c, trial *t) {
    static const int64_t most[LOOPS] = {9, 5, 14, 70};
    const unsigned data = next_random(c) % 2 ? TIRBI_CONTRACT_A : TIRBI_CONTRACT_B;
    const bool splat = next_random(c) % 2;
    const bool few = splat && next_random(c) % 2; /* rows of the same data */
    const unsigned of_lanes = splat && !few && next_random(c) % 4 == 0 ? 0u : 0x8u; /* 0: data stand still in them */
    const unsigned of_weights = few ? 0x6u : (next_random(c) % 2 ? 0x5u : 0x4u) | (splat ? 0u : 0x8u);
    const tirbi_dtype type = result_types[next_random(c) % 7];
    *t = (trial){.x = {.n_loops = LOOPS, .type = (uint8_t)type, .first = &t->first}};
    t->x.flags = (uint8_t)(next_random(c) % 2 ? TIRBI_CONTRACT_INIT : 0);
    if (tirbi_dtype_is_float(type) && next_random(c) % 8 != 0) t->x.flags |= TIRBI_CONTRACT_FUSED;
    for (unsigned i = 0; i < LOOPS; i++) t->x.extent[i] = 1 + (int64_t)(next_random(c) % (uint64_t)most[i]);
    const int64_t apart = splat && next_random(c) % 3 == 0 ? 2 + (int64_t)(next_random(c) % 3) : 1;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        const unsigned loops = o == TIRBI_CONTRACT_C ? 0xBu : o != data ? of_weights : few ? 0xDu : 0x7u | of_lanes;
        int64_t step = o == data ? apart : 1;
        t->x.operand[o].type =
            (uint8_t)(o == TIRBI_CONTRACT_C || tirbi_dtype_is_float(type) ? type : operand_type(c, type));
        for (unsigned i = LOOPS; i-- > 0;) {
            if (!(loops >> i & 1)) continue;
            t->x.operand[o].step[i] = t->x.extent[i] > 1 ? step * tirbi_dtypes[t->x.operand[o].type].size : 0;
            t->high[o] += step * (t->x.extent[i] - 1);
            step = step * t->x.extent[i] + (int64_t)(next_random(c) % 2);
            if (o == data) step = (step + apart - 1) / apart * apart;
        }
        if ((t->high[o] + 1) * tirbi_dtypes[t->x.operand[o].type].size > MOST_BYTES) return false;
    }
    put_any(c, &t->first, type);
    return true;
}

/* Windows that overlap, as those of convolutions: rows, places, channels, and elements of a window, which a step of the
 * places, and one within a window, make. */
static bool make_windows(checker *c, trial *t) {
    static const int64_t most[LOOPS] = {40, 70, 40, 9};
    const tirbi_dtype type = result_types[next_random(c) % 7];
    const int64_t stride = 1 + (int64_t)(next_random(c) % 3), dilation = 1 + (int64_t)(next_random(c) % 2);
    *t = (trial){.x = {.n_loops = LOOPS, .type = (uint8_t)type, .first = &t->first}};
    t->x.flags = (uint8_t)(next_random(c) % 2 ? TIRBI_CONTRACT_INIT : 0);
    if (tirbi_dtype_is_float(type) && next_random(c) % 4 != 0) t->x.flags |= TIRBI_CONTRACT_FUSED;
    for (unsigned i = 0; i < LOOPS; i++) t->x.extent[i] = 1 + (int64_t)(next_random(c) % (uint64_t)most[i]);
    const int64_t *n = t->x.extent,
                  row = stride * (n[1] - 1) + dilation * (n[3] - 1) + 1 + (int64_t)(next_random(c) % 3);
    const int64_t steps[TIRBI_CONTRACT_OPERANDS][LOOPS] = {[TIRBI_CONTRACT_C] = {n[1], 1, 0, 0},
                                                           [TIRBI_CONTRACT_A] = {n[2] * n[3], 0, n[3], 1},
                                                           [TIRBI_CONTRACT_B] = {0, stride, row, dilation}};
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        t->x.operand[o].type = (uint8_t)(o == TIRBI_CONTRACT_C ? type : operand_type(c, type));
        const int64_t size = tirbi_dtypes[t->x.operand[o].type].size;
        for (unsigned i = 0; i < LOOPS; i++) {
            t->x.operand[o].step[i] = n[i] > 1 ? steps[o][i] * size : 0;
            t->high[o] += steps[o][i] * (n[i] - 1);
        }
        if ((t->high[o] + 1) * size > MOST_BYTES) return false;
    }
    put_any(c, &t->first, type);
    return true;
}

static void run(trial *t, tirb_isa isa, bool quads) {
    static const atomic_uint never;
    t->x.kernels = tirbi_contract_kernels_of(isa);
    t->x.quads = quads ? tirbi_contract_quads_of(isa) : NULL;
    t->x.strips = tirbi_kernels(isa);
    t->x.stop = &never;
    if (t->square) t->x.operand[TIRBI_CONTRACT_B] = t->x.operand[TIRBI_CONTRACT_A];
    if (t->pair) {
        tirbi_contraction other = t->x;
        other.flags = t->second;
        other.operand[TIRBI_CONTRACT_C].start += (t->high[TIRBI_CONTRACT_C] + 1 - t->low[TIRBI_CONTRACT_C]) / 2 *
                                                 tirbi_dtypes[t->x.type].size;
        if (t->second & TIRBI_FOLD_PRODUCTS) other.operand[TIRBI_CONTRACT_B] = other.operand[TIRBI_CONTRACT_A];
        if (isa != TIRB_ISA_GENERIC && tirbi_folds_agree(&t->x, &other)) {
            tirbi_folds_run(&t->x, &other);
        } else {
            tirbi_fold_run(&t->x);
            tirbi_fold_run(&other);
        }
        return;
    }
    if (t->fold) {
        tirbi_fold_run(&t->x);
        return;
    }
    tirbi_contract_shape shape;
    tirbi_contract_sort(&t->x, &shape);
    size_t size = tirbi_contract_scratch(&t->x, &shape);
    uint8_t *scratch = malloc(size + 64);
    if (!scratch) abort();
    tirbi_contract_run(&t->x, &shape, scratch + (64 - (uintptr_t)scratch % 64) % 64);
    free(scratch);
}

static size_t elements(const trial *t, unsigned o) { return (size_t)(t->high[o] - t->low[o] + 1); }

static void run_trial(checker *c, trial *t, tirb_isa isa, bool quads) {
    size_t size = tirbi_dtypes[t->x.type].size, n = elements(t, TIRBI_CONTRACT_C);
    uint8_t *side[2];
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        size_t item = tirbi_dtypes[t->x.operand[o].type].size;
        uint8_t *start = place(&c->areas[o], item, elements(t, o), 0);
        for (size_t i = 0; i < elements(t, o); i++) put_any(c, start + i * item, (tirbi_dtype)t->x.operand[o].type);
        t->x.operand[o].start = start - t->low[o] * (int64_t)item;
    }
    for (unsigned s = 0; s < 2; s++) {
        side[s] = place(&c->areas[s == 0 ? EXPECTED : SIMD], size, n, 0);
        memcpy(side[s], t->x.operand[TIRBI_CONTRACT_C].start + t->low[TIRBI_CONTRACT_C] * (int64_t)size, n * size);
    }
    for (unsigned s = 0; s < 2; s++) {
        t->x.operand[TIRBI_CONTRACT_C].start = side[s] - t->low[TIRBI_CONTRACT_C] * (int64_t)size;
        run(t, s == 0 ? TIRB_ISA_GENERIC : isa, quads);
    }
    if (memcmp(side[0], side[1], n * size) == 0 && untouched(side[1], n * size, 0)) return;
    size_t at = 0;
    while (at + 1 < n && memcmp(side[0] + at * size, side[1] + at * size, size) == 0) at++;
    printf("FAIL %s %s.%s of %s and %s, %lld * %lld * %lld * %lld, flags %u%s: element %zu differs\n",
           tirb_isa_name(isa), t->fold ? "fold" : "contract", tirbi_dtypes[t->x.type].name,
           tirbi_dtypes[t->x.operand[TIRBI_CONTRACT_A].type].name,
           tirbi_dtypes[t->x.operand[TIRBI_CONTRACT_B].type].name, (long long)t->x.extent[0], (long long)t->x.extent[1],
           (long long)t->x.extent[2], (long long)t->x.extent[3], (unsigned)t->x.flags, quads ? ", quads" : "", at);
    c->failures++;
}

/* Rows of elements that mostly follow each other; loops around them that C has. */
static bool make_fold(checker *c, trial *t) {
    static const unsigned of[TIRBI_CONTRACT_OPERANDS] = {0x7, 0xF, 0xB};
    *t = (trial){.x = {.n_loops = LOOPS}, .fold = true};
    t->x.type = next_random(c) % 2 ? TIRB_F32 : TIRB_F64;
    t->x.flags = (uint8_t)(next_random(c) % 2 ? TIRBI_FOLD_PRODUCTS : next_random(c) % 4);
    if (next_random(c) % 2) t->x.flags |= TIRBI_FOLD_INIT;
    for (unsigned i = 0; i < LOOPS; i++) t->x.extent[i] = 1 + (int64_t)(next_random(c) % (i + 1 < LOOPS ? 4 : 200));
    if (next_random(c) % 16 == 0) {
        for (unsigned i = 0; i + 1 < LOOPS; i++) t->x.extent[i] = 1;
        t->x.extent[LOOPS - 1] += TIRBI_RED_BLOCK; /* of a row */
    }
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        t->x.operand[o].type = t->x.type;
        lay_out(c, t, o, of[o]);
        if (t->high[o] - t->low[o] >= MOST_BYTES / (int64_t)tirbi_dtypes[t->x.type].size) return false;
    }
    put_any(c, &t->first, (tirbi_dtype)t->x.type);
    t->x.first = &t->first;
    t->pair = next_random(c) % 2 == 0;
    if (t->pair) { /* C's elements once more */
        t->second = (uint8_t)(next_random(c) % 2 ? TIRBI_FOLD_PRODUCTS : next_random(c) % 4);
        t->high[TIRBI_CONTRACT_C] += t->high[TIRBI_CONTRACT_C] + 1 - t->low[TIRBI_CONTRACT_C];
    }
    t->square = next_random(c) % 4 == 0;
    return true;
}

/* The same of integers, by all operations, of other types than C's at times. */
static bool make_fold_of_ints(checker *c, trial *t) {
    static const unsigned of[TIRBI_CONTRACT_OPERANDS] = {0x7, 0xF, 0xB};
    *t = (trial){.x = {.n_loops = LOOPS}, .fold = true};
    t->x.type = (uint8_t)(TIRB_I8 + next_random(c) % 8);
    t->x.flags = (uint8_t)(next_random(c) % 3 == 0 ? TIRBI_FOLD_PRODUCTS : next_random(c) % 4);
    if (t->x.flags < 3 && next_random(c) % 2) t->x.flags |= TIRBI_FOLD_BITS;
    if (next_random(c) % 2) t->x.flags |= TIRBI_FOLD_INIT;
    for (unsigned i = 0; i < LOOPS; i++) t->x.extent[i] = 1 + (int64_t)(next_random(c) % (i + 1 < LOOPS ? 4 : 200));
    if (next_random(c) % 16 == 0) t->x.extent[LOOPS - 1] += 1024; /* several pieces of a row */
    const bool same = next_random(c) % 2 == 0, alike = next_random(c) % 2 == 0;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        t->x.operand[o].type = same || o == TIRBI_CONTRACT_C ? t->x.type : (uint8_t)(TIRB_I8 + next_random(c) % 8);
        if (alike && o == TIRBI_CONTRACT_B) t->x.operand[o].type = t->x.operand[TIRBI_CONTRACT_A].type;
        lay_out(c, t, o, of[o]);
        if ((t->high[o] - t->low[o] + 1) * tirbi_dtypes[t->x.operand[o].type].size > MOST_BYTES) return false;
    }
    put_any(c, &t->first, (tirbi_dtype)t->x.type);
    t->x.first = &t->first;
    return true;
}

static bool make_any(checker *c, trial *t, unsigned i) {
    if (i % 4 == 0) return make_fold(c, t);
    if (i % 8 == 2) return make_sweep(c, t);
    if (i % 8 == 3) return make_windows(c, t);
    return i % 8 == 1 ? make_fold_of_ints(c, t) : make_trial(c, t);
}

static float as_float(tirbi_dtype type, uint16_t bits) {
    return type == TIRB_F16 ? tirbi_f16_value(bits) : tirbi_bf16_value(bits);
}

static uint16_t rounded(tirbi_dtype type, float v) {
    return type == TIRB_F16 ? tirbi_f32_to_f16(v) : tirbi_f32_to_bf16(v);
}

/* Products of 16-bit floats, each sum rounded by itself, beside what vm/math makes of them. */
static void check_half(checker *c, tirb_isa isa, tirbi_dtype type) {
    enum { ROWS = 23, COLUMNS = 41, K = 3 };
    static uint16_t a[ROWS][K], b[K][COLUMNS], found[ROWS][COLUMNS];
    const uint16_t zero = 0;
    const bool fused = next_random(c) % 2;
    trial t = {.x = {.type = (uint8_t)type, .n_loops = LOOPS, .extent = {ROWS, COLUMNS, K, 1}, .first = &zero}};
    t.x.flags = (uint8_t)(TIRBI_CONTRACT_INIT | (fused ? TIRBI_CONTRACT_FUSED : 0));
    for (unsigned i = 0; i < ROWS * K; i++) put_any(c, (uint8_t *)&a[0][0] + 2 * i, type);
    for (unsigned i = 0; i < K * COLUMNS; i++) put_any(c, (uint8_t *)&b[0][0] + 2 * i, type);
    t.x.operand[TIRBI_CONTRACT_A] = (tirbi_contract_operand){(uint8_t *)a, {2 * K, 0, 2, 0}, (uint8_t)type};
    t.x.operand[TIRBI_CONTRACT_B] = (tirbi_contract_operand){(uint8_t *)b, {0, 2, 2 * COLUMNS, 0}, (uint8_t)type};
    t.x.operand[TIRBI_CONTRACT_C] = (tirbi_contract_operand){(uint8_t *)found, {2 * COLUMNS, 2, 0, 0}, (uint8_t)type};
    run(&t, isa, false);
    for (unsigned i = 0; i < ROWS * COLUMNS; i++) {
        const unsigned row = i / COLUMNS, column = i % COLUMNS;
        uint16_t sum = 0;
        for (unsigned k = 0; k < K; k++) {
            const float x = as_float(type, a[row][k]), y = as_float(type, b[k][column]), z = as_float(type, sum);
            sum = rounded(type, fused ? fmaf(x, y, z) : as_float(type, rounded(type, x * y)) + z);
        }
        if (sum == found[row][column]) continue;
        printf("FAIL %s sums of products of %s: %04x, not %04x\n", tirb_isa_name(isa), tirbi_dtypes[type].name,
               (unsigned)found[row][column], (unsigned)sum);
        c->failures++;
        return;
    }
}

unsigned check_contractions(checker *c, tirb_isa isa) {
    unsigned done = 0, before = c->failures;
    for (unsigned i = 0; i < 64; i++) check_half(c, isa, i % 2 ? TIRB_F16 : TIRB_BF16);
    for (unsigned i = 0; i < TRIALS && c->failures < before + 3; i++) {
        trial t;
        if (!make_any(c, &t, i)) continue;
        run_trial(c, &t, isa, tirbi_contract_quads_of(isa) && i % 3 != 0);
        done++;
    }
    return done;
}
