/* What else the lane machines do beside their forms: whole inner loops of one multiply-add, reductions, and elements
 * that are gathered, scattered, filled in and counted up, each beside plain C. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "vm/lanes/slots.h"
#include "vm/lanes/forms.h"
#include "vm/lanes/gaps.h"
#include "vm/lanes/lanes.h"
#include "vm/lanes/reduce.h"

/* Pointers: cursors first. */
enum { ACC = 1, FACTOR, ROWS, N_POINTERS_USED, STRIP = N_POINTERS_USED, SPARE, N_POINTERS };
enum { MOST_ROWS = 5, GAP = 3 };

static _Alignas(64) uint8_t strips[2][TIRBI_MAX_STRIP_BYTES];
static atomic_uint never;

static tirbi_word word(unsigned op, unsigned a, unsigned b, unsigned c) {
    return (tirbi_word){.op = (uint16_t)op, .a = (uint16_t)a, .b = (uint16_t)b, .c = (uint16_t)c};
}

static void fail_loop(checker *c, tirb_isa isa, const char *what, tirbi_dtype type, size_t n) {
    printf("FAIL %s %s %s: %zu lanes\n", tirb_isa_name(isa), what, tirbi_dtypes[type].name, n);
    c->failures++;
}

static void fill(checker *c, uint8_t *to, tirbi_dtype type, size_t n) {
    for (size_t i = 0; i < n; i++) put_any(c, to + i * tirbi_dtypes[type].size, type);
}

/* Whole blocks and what is left, as the translator has them. */
/* Its strips are read whole. */
static const tirbi_lane_loop no_loop;

static void run_blocks(const tirbi_lane_machine *machine, tirbi_lane_state *state, size_t size, size_t n,
                       const tirbi_word *full, const tirbi_word *tail) {
    state->stop = &never;
    state->n = (int64_t)n;
    state->calm_blocks = (uint32_t)(n % 3) * 4;
    if (state->lanes == 0) state->lanes = machine->bank_bytes / size;
    for (uint32_t i = 0; i < state->n_cursors; i++) state->block_steps[i] *= (ptrdiff_t)state->lanes;
    if (n > 0) machine->run(state, full, tail);
}

/* ---- sum[i] = fma(factor[j], rows[j][i], sum[i]) for all j ------------------------------------------------------ */

static void check_fma_loop(checker *c, tirb_isa isa, tirbi_dtype type, unsigned bank, size_t n, size_t extent) {
    const tirbi_lane_machine *machine = c->machine;
    bool narrow = type == TIRB_F32;
    size_t size = tirbi_dtypes[type].size, behind = next_random(c) % 2 * (1 + next_random(c) % 15), row = n + GAP;
    unsigned shift = (unsigned)__builtin_ctzll(size), loop = (narrow ? TIRBI_L_LOOP_FMA_F32_A : TIRBI_L_LOOP_FMA_F64_A);
    unsigned rest = narrow ? TIRBI_L_REST_FMA_F32_A : TIRBI_L_REST_FMA_F64_A;
    unsigned store = (narrow ? TIRBI_L_STORE_F32_A : TIRBI_L_STORE_F64_A) + bank;
    const tirbi_word full[] = {word(TIRBI_L_LOAD_A + bank, 0, ACC, 0), word(loop + bank, 0, FACTOR, ROWS),
                               word(store, ACC, 0, 0), word(TIRBI_L_NEXT_BLOCK, 0, 0, 0)};
    const tirbi_word tail[] = {word(TIRBI_L_COPY, STRIP, ACC, shift), word(TIRBI_L_LOAD_A + bank, 0, STRIP, 0),
                               word(rest + bank, 0, FACTOR, ROWS), {.list = {SPARE, 0, 0, 0}},
                               word(store, SPARE, 0, 0), word(TIRBI_L_COPY, ACC, SPARE, shift),
                               word(TIRBI_L_FINISH, 0, 0, 0)};
    size_t rows = extent == 0 ? 0 : (extent - 1) * row + n;
    uint8_t *acc = place(&c->areas[0], size, n, behind), *want = place(&c->areas[1], size, n, 0);
    uint8_t *factor = place(&c->areas[2], size, 2 * MOST_ROWS, 0), *from = place(&c->areas[3], size, rows, behind);
    fill(c, acc, type, n);
    fill(c, factor, type, 2 * MOST_ROWS);
    fill(c, from, type, rows);
    memcpy(want, acc, n * size);
    tirbi_kernel fma = tirbi_kernels(TIRB_ISA_GENERIC)->op[TIRB_OP_FMA - TIRBI_FIRST_ELEMENTWISE][type];
    for (size_t j = 0; j < extent; j++) {
        uint8_t *spread = place(&c->areas[4], size, n, 0);
        for (size_t i = 0; i < n; i++) memcpy(spread + i * size, factor + 2 * j * size, size);
        fma(want, spread, from + j * row * size, want, n);
    }
    if (extent == 0) tirbi_kernels(TIRB_ISA_GENERIC)->cast[type][type](want, want, NULL, NULL, n);

    uint8_t *pointers[N_POINTERS] = {NULL, acc, factor, from, strips[0], strips[1]};
    tirbi_lane_state state = {.loop = &no_loop, .pointers = pointers, .n_cursors = ROWS};
    state.block_steps[ACC - 1] = state.block_steps[ROWS - 1] = (ptrdiff_t)size;
    state.inner[0].extent = (int64_t)extent;
    state.inner[0].steps[FACTOR - 1] = (ptrdiff_t)(2 * size);
    state.inner[0].steps[ROWS - 1] = (ptrdiff_t)(row * size);
    run_blocks(machine, &state, size, n, full, tail);
    if (memcmp(acc, want, n * size) != 0) fail_loop(c, isa, "multiply-add loop differs", type, n);
    if (!untouched(acc, n * size, behind)) fail_loop(c, isa, "multiply-add loop writes beside", type, n);
}

/* ---- Reductions ------------------------------------------------------------------------------------------------- */

static uint64_t end_of(const tirbi_red *red, tirbi_dtype type) {
    tirbi_red copy = *red;
    uint64_t bits = 0;
    float narrow = 0;
    double wide = 0;
    if (type == TIRB_F32)
        memcpy(&bits, (narrow = tirbi_red_end_f32(&copy), &narrow), sizeof narrow);
    else
        memcpy(&bits, (wide = tirbi_red_end_f64(&copy), &wide), sizeof wide);
    return bits;
}

static void push_one(tirbi_red *red, tirbi_dtype type, bool products, const uint8_t *x, const uint8_t *y) {
    float a = 0, b = 0;
    double c = 0, d = 0;
    if (type == TIRB_F32) {
        memcpy(&a, x, sizeof a);
        memcpy(&b, y, sizeof b);
        if (products)
            tirbi_red_pushma_f32(red, a, b);
        else
            tirbi_red_push_f32(red, a);
    } else {
        memcpy(&c, x, sizeof c);
        memcpy(&d, y, sizeof d);
        if (products)
            tirbi_red_pushma_f64(red, c, d);
        else
            tirbi_red_push_f64(red, c);
    }
}

/* Ordinary values, for one NaN would hide the others; now and then a special one. */
static void fill_summands(checker *c, uint8_t *to, tirbi_dtype type, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double wide = ((double)(next_random(c) % 4001) - 2000) / 1021;
        float narrow = (float)wide;
        memcpy(to + i * tirbi_dtypes[type].size, type == TIRB_F32 ? (const void *)&narrow : (const void *)&wide,
               tirbi_dtypes[type].size);
    }
    if (n > 0 && next_random(c) % 64 == 0) put_any(c, to + next_random(c) % n * tirbi_dtypes[type].size, type);
}

/* One state that takes pieces of any length, past a fold of 16384, beside one that takes an element at a time. */
static void check_reduction(checker *c, tirb_isa isa, tirbi_dtype type, uint8_t op, bool products) {
    const tirbi_lane_machine *machine = c->machine;
    size_t size = tirbi_dtypes[type].size, lanes = machine->bank_bytes / size, pushed = 0;
    tirbi_red red, want;
    if (type == TIRB_F32)
        tirbi_red_begin_f32(&red, op, 1.5f);
    else
        tirbi_red_begin_f64(&red, op, 1.5);
    want = red;
    const tirbi_word full[] = {products ? word(TIRBI_L_REDMA, 0, FACTOR, ROWS) : word(TIRBI_L_RED, 0, FACTOR, type),
                               products ? (tirbi_word){.list = {(uint16_t)type, 0, 0, 0}}
                                        : word(TIRBI_L_NEXT_BLOCK, 0, 0, 0),
                               word(TIRBI_L_NEXT_BLOCK, 0, 0, 0)};
    const tirbi_word tail[] = {full[0], products ? full[1] : word(TIRBI_L_FINISH, 0, 0, 0),
                               word(TIRBI_L_FINISH, 0, 0, 0)};
    for (size_t n = 0; n <= 2 * lanes + 1 || pushed < 2 * TIRBI_RED_BLOCK; n++) {
        size_t piece = n <= 2 * lanes + 1 ? n : 1 + next_random(c) % 4000, behind = next_random(c) % 16;
        uint8_t *x = place(&c->areas[0], size, piece, behind), *y = place(&c->areas[1], size, piece, 0);
        fill_summands(c, x, type, piece);
        fill_summands(c, y, type, piece);
        uint8_t *pointers[N_POINTERS] = {NULL, NULL, x, y, NULL, NULL};
        tirbi_lane_state state = {.loop = &no_loop, .pointers = pointers, .reds = &red, .n_cursors = ROWS};
        if (n % 2 == 1) state.lanes = TIRBI_MAX_STRIP_BYTES / size;
        state.block_steps[FACTOR - 1] = state.block_steps[ROWS - 1] = (ptrdiff_t)size;
        run_blocks(machine, &state, size, piece, full, tail);
        for (size_t i = 0; i < piece; i++) push_one(&want, type, products, x + i * size, y + i * size);
        pushed += piece;
        if (end_of(&red, type) == end_of(&want, type) && red.count == want.count) continue;
        fail_loop(c, isa, products ? "reduction of products differs" : "reduction differs", type, piece);
        return;
    }
}

/* ---- Strips ----------------------------------------------------------------------------------------------------- */

/* Reads every `step`th element into a strip and writes it back to every `step`th of another place. */
static void check_steps(checker *c, tirb_isa isa, tirbi_dtype type, size_t n, int step) {
    size_t size = tirbi_dtypes[type].size, magnitude = (size_t)(step < 0 ? -step : step);
    unsigned shift = (unsigned)__builtin_ctzll(size);
    size_t count = n == 0 ? 0 : (n - 1) * magnitude + 1, behind = next_random(c) % 16;
    uint8_t *from = place(&c->areas[0], size, count, behind), *to = place(&c->areas[1], size, count, behind);
    uint8_t *want = place(&c->areas[2], size, count, 0);
    if (behind % 2 != 0) from = c->areas[0].begin; /* before which no memory is */
    fill(c, from, type, count);
    fill(c, to, type, count);
    memcpy(want, to, count * size);
    for (size_t i = 0; i < n; i++) {
        size_t at = step < 0 ? count - 1 - i * magnitude : i * magnitude;
        memcpy(want + at * size, from + at * size, size);
    }
    size_t first = step < 0 ? count - 1 : 0;
    if (n == 0) return;
    const tirbi_word full[] = {word(TIRBI_L_GATHER, STRIP, ACC, shift), word(TIRBI_L_SCATTER, FACTOR, STRIP, shift),
                               word(TIRBI_L_NEXT_BLOCK, 0, 0, 0)};
    const tirbi_word tail[] = {full[0], full[1], word(TIRBI_L_FINISH, 0, 0, 0)};
    uint8_t *pointers[N_POINTERS] = {NULL, from + first * size, to + first * size, NULL, strips[0], NULL};
    tirbi_lane_state state = {.loop = &no_loop, .pointers = pointers, .n_cursors = ACC + 1};
    for (unsigned k = 0; k < 2; k++) {
        state.strides[k] = step * (ptrdiff_t)size;
        state.block_steps[ACC - 1 + k] = step * (ptrdiff_t)size;
    }
    run_blocks(c->machine, &state, size, n, full, tail);
    if (memcmp(to, want, count * size) != 0) fail_loop(c, isa, "gather and scatter differ", type, n);
    if (!untouched(to, count * size, behind)) fail_loop(c, isa, "scatter writes beside", type, n);
}

/* Lanes that count up, added up in the place of one another: start + i * step, and one value for all. */
static void check_made(checker *c, tirb_isa isa, tirbi_dtype type, size_t n) {
    size_t size = tirbi_dtypes[type].size, behind = next_random(c) % 16;
    unsigned shift = (unsigned)__builtin_ctzll(size);
    const uint64_t slots[2] = {next_random(c), next_random(c)};
    uint64_t one = next_random(c);
    uint8_t *counted = place(&c->areas[0], size, n, behind), *same = place(&c->areas[1], size, n, behind);
    const tirbi_word full[] = {word(TIRBI_L_IOTA, STRIP, 0, 1), {.list = {(uint16_t)shift, 0, 0, 0}},
                               word(TIRBI_L_FILL, SPARE, ROWS, shift | (n % 2 ? 1 << 2 : 0)),
                               word(TIRBI_L_COPY, ACC, STRIP, shift),
                               word(TIRBI_L_COPY, FACTOR, SPARE, shift), word(TIRBI_L_NEXT_BLOCK, 0, 0, 0)};
    const tirbi_word tail[] = {full[0], full[1], full[2], full[3], full[4], word(TIRBI_L_FINISH, 0, 0, 0)};
    uint8_t *pointers[N_POINTERS] = {NULL, counted, same, tirbi_slot_bytes(&one, size), strips[0], strips[1]};
    tirbi_lane_state state = {.loop = &no_loop, .pointers = pointers, .slots = slots, .n_cursors = ACC + 1};
    for (unsigned k = 0; k < 2; k++) state.block_steps[ACC - 1 + k] = (ptrdiff_t)size;
    run_blocks(c->machine, &state, size, n, full, tail);
    bool right = untouched(counted, n * size, behind) && untouched(same, n * size, behind);
    for (size_t i = 0; right && i < n; i++) {
        uint64_t value = slots[0] + i * slots[1];
        right = memcmp(counted + i * size, tirbi_slot_bytes(&value, (unsigned)size), size) == 0 &&
                memcmp(same + i * size, tirbi_slot_bytes(&one, size), size) == 0;
    }
    if (!right) fail_loop(c, isa, "counting up or filling in differs", type, n);
}

/* Bytes to 16 bits and back, and what is left of a block stored by itself. */
static void check_widths(checker *c, tirb_isa isa, bool has_sign, unsigned bank, size_t n) {
    size_t behind = next_random(c) % 16;
    uint8_t *from = place(&c->areas[0], 1, n, behind), *wide = place(&c->areas[1], 2, n, behind);
    uint8_t *bytes = place(&c->areas[2], 1, n, behind);
    fill(c, from, TIRB_U8, n);
    const tirbi_word widen = word((has_sign ? TIRBI_L_WIDEN_I8_A : TIRBI_L_WIDEN_U8_A) + bank, 0, ACC, 0);
    const tirbi_word full[] = {widen, word(TIRBI_L_STORE_A + bank, FACTOR, 0, 0),
                               word(TIRBI_L_NARROW_8_A + bank, ROWS, 0, 0), word(TIRBI_L_NEXT_BLOCK, 0, 0, 0)};
    const tirbi_word tail[] = {word(TIRBI_L_PULL, STRIP, ACC, 0),
                               word(widen.op, 0, STRIP, 0),
                               word(TIRBI_L_PART_A + bank, FACTOR, SPARE, 1),
                               word(TIRBI_L_NARROW_8_A + bank, SPARE, 0, 0),
                               word(TIRBI_L_COPY, ROWS, SPARE, 0),
                               word(TIRBI_L_FINISH, 0, 0, 0)};
    uint8_t *pointers[N_POINTERS] = {NULL, from, wide, bytes, strips[0], strips[1]};
    tirbi_lane_state_and_gaps state = {
        .state = {.loop = &no_loop, .pointers = pointers, .n_cursors = ACC + 2, .lanes = c->machine->bank_bytes / 2}};
    for (unsigned k = 0; k < 3; k++) state.state.block_steps[ACC - 1 + k] = k == 1 ? 2 : 1;
    run_blocks(c->machine, &state.state, 2, n, full, tail);
    bool right = untouched(wide, n * 2, behind) && untouched(bytes, n, behind) && memcmp(bytes, from, n) == 0;
    for (size_t i = 0; right && i < n; i++) {
        int16_t want = has_sign ? (int8_t)from[i] : from[i];
        right = memcmp(wide + 2 * i, &want, 2) == 0;
    }
    if (!right) fail_loop(c, isa, "bytes and 16 bits differ", has_sign ? TIRB_I8 : TIRB_U8, n);
}

/* Rows of n elements that are some apart, one behind the other in a strip. */
static void check_packs(checker *c, tirb_isa isa, tirbi_dtype type, size_t n, size_t rows, size_t stride, size_t gap) {
    const size_t size = tirbi_dtypes[type].size, row = (n - 1) * stride + 1 + gap, all = (rows - 1) * row + row - gap;
    const unsigned shift = (unsigned)__builtin_ctzll(size);
    uint8_t *from = place(&c->areas[0], size, all, 0), *to = place(&c->areas[1], size, n * rows, 0);
    fill(c, from, type, all);
    const tirbi_word words[] = {word(TIRBI_L_PACK, STRIP, ACC, shift), word(TIRBI_L_COPY, FACTOR, STRIP, shift),
                                word(TIRBI_L_FINISH, 0, 0, 0)};
    uint8_t *pointers[N_POINTERS] = {NULL, from, to, NULL, strips[0], strips[1]};
    tirbi_lane_state state = {.loop = &no_loop, .pointers = pointers, .packed_lanes = n, .packed_rows = (uint32_t)rows};
    state.strides[ACC - 1] = (ptrdiff_t)(stride * size);
    state.packed_steps[ACC - 1] = (ptrdiff_t)(row * size);
    run_blocks(c->machine, &state, size, n * rows, words, words);
    bool right = untouched(to, n * rows * size, 0);
    for (size_t i = 0; right && i < n * rows; i++)
        right = memcmp(to + i * size, from + (i / n * row + i % n * stride) * size, size) == 0;
    if (!right) fail_loop(c, isa, "packing rows differs", type, n);
}

void check_loops(checker *c, tirb_isa isa) {
    static const tirbi_dtype floats[] = {TIRB_F32, TIRB_F64}, sizes[] = {TIRB_U8, TIRB_U16, TIRB_U32, TIRB_U64};
    const tirbi_lane_machine *machine = c->machine;
    for (unsigned k = 0; k < 2; k++) {
        size_t lanes = machine->bank_bytes / tirbi_dtypes[floats[k]].size;
        for (size_t n = 0; n <= 2 * lanes + 1; n++)
            check_fma_loop(c, isa, floats[k], n & 1, n, next_random(c) % (MOST_ROWS + 1));
        for (uint8_t op = 0; op < 4; op++) check_reduction(c, isa, floats[k], op, false);
        check_reduction(c, isa, floats[k], TIRBI_RED_ADD, true);
    }
    for (size_t n = 0; n <= machine->bank_bytes + 2; n++) check_widths(c, isa, n % 2 != 0, n / 2 % 2, n);
    for (unsigned k = 0; k < 4; k++) {
        size_t lanes = machine->bank_bytes / tirbi_dtypes[sizes[k]].size;
        for (size_t n = 1; n <= lanes; n += 1 + n / 16) {
            const size_t rows = 1 + next_random(c) % (lanes / n);
            check_packs(c, isa, sizes[k], n, rows, next_random(c) % 6, next_random(c) % 4);
        }
        for (size_t n = 0; n <= lanes + 2; n++) {
            check_steps(c, isa, sizes[k], n, (int)(next_random(c) % 11) - 5);
            check_made(c, isa, sizes[k], n);
        }
    }
}
