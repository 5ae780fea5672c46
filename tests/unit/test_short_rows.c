/* Nests of short rows, of which some machines go through several at once: what they give is what loops in order give,
 * on every instruction set, whatever the number of rows and their length. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/sampled.h"
#include "tests/unit/script_fixture.h"

#define PROGRAM(body)                                                                                                  \
    "from tvm.script import tirx as T\n@T.prim_func\n"                                                                 \
    "def f(A: T.Buffer((\"k\", \"n + 2\", \"m + 2\"), \"float32\"), B: T.Buffer((\"k\", \"n\", \"m\"), \"float32\"), " \
    "S: T.Buffer((\"n\",), \"float32\"), W: T.Buffer((3, \"m\"), \"float32\"), P: T.Buffer((\"k\", \"n + 2\", "        \
    "\"m + 2\"), \"uint8\"), Q: T.Buffer((\"k\", \"n\", \"m\"), \"uint8\"), D: T.Buffer((\"k\", \"n\", \"m\"), "       \
    "\"float64\"), E: T.Buffer((\"k\", \"2 * n + 1\", \"2 * m + 1\"), \"uint8\"), I: T.Buffer((\"k\", \"n * 2\", "     \
    "\"m * 3\"), \"int16\"), J: T.Buffer((\"k\", \"n\", \"m\"), \"int16\"), F: T.Buffer((\"k\", \"2 * n + 1\", "       \
    "\"2 * m + 1\"), \"float16\"), H: T.Buffer((\"k\", \"n\", \"m\"), \"float16\")):\n"                            \
    "    k, n, m = T.int32(), T.int32(), T.int32()\n" body
#define GRID "    for z, i, j in T.grid(k, n, m):\n        "

/* Each writes B, Q or D. */
static const char *const programs[] = {
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = (A[z, i, j + 1] + A[z, i + 2, j + 1] + "
            "A[z, i + 1, j] + A[z, i + 1, j + 2]) * T.float32(0.25) - A[z, i + 1, j + 1]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = A[z, i, j] * S[i] + W[1, j] * A[z, i + 2, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, n - 1 - i, j] = T.max(A[z, n + 1 - i, j], A[z, i, j + 2])\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[0, 0, j] = A[z, i, j] + S[i]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        for r in range(2):\n"
            "            B[z, T.max(i - r, 0), j] = A[z, i + r, j] + W[r, j]\n"),
    PROGRAM("    for z, i in T.grid(k, n - 2):\n        for r in range(3):\n            for j in range(m):\n"
            "                B[z, i + r, j] = A[z, i, j] * W[r, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = T.float32(0)\n        for r in range(3):\n"
            "            B[z, i, j] = B[z, i, j] + A[z, i + T.min(r, 2), j] * W[r, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = B[z, i, j] * T.float32(0.5) + A[z, i, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        D[z, i, j] = T.Cast(\"float64\", S[i]) * D[z, i, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        D[z, i, j] = T.float64(1)\n"
            "    for z, i, j in T.grid(k, n - 1, m):\n        D[z, i, j] = D[z, i + 1, j] + D[z, i, j] * T.float64(3)\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        Q[z, i, j] = T.Cast(\"uint8\", T.shift_right("
            "T.Cast(\"int32\", P[z, i, j]) + T.Cast(\"int32\", P[z, i + 2, j]) * 2 + T.Cast(\"int32\", P[z, i + 1, j + 2]), 2))\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        Q[z, i, j] = T.Cast(\"uint8\", T.min(T.abs(T.Cast(\"int32\", "
            "P[z, i, j]) - T.Cast(\"int32\", P[z, i + 2, j + 2])) + T.abs(T.Cast(\"int32\", P[z, i, j + 2]) - "
            "T.Cast(\"int32\", P[z, i + 2, j])), 255))\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = T.sqrt(A[z, i, j]) / S[i] - A[z, i + 1, j + 1] * "
            "A[z, i + 2, j] * T.float32(2) + (A[z, i, j + 1] * S[i] - A[z, i + 2, j + 2] * W[2, j])\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        Q[z, i, j] = T.Cast(\"uint8\", T.shift_right(T.Cast(\"int32\", "
            "P[z, T.max(i - 1, 0), j]) + T.Cast(\"int32\", P[z, T.min(i + 1, n - 1), j]) + T.Cast(\"int32\", "
            "P[z, i, T.max(j - 1, 0)]) + T.Cast(\"int32\", P[z, i, T.min(j + 1, m - 1)]) + 2, 2))\n"),
    PROGRAM("    for z, i in T.grid(k, n):\n        if i == 0 or i == n - 1:\n            for j in range(m):\n"
            "                B[z, i, j] = S[i]\n        else:\n            for j in range(m):\n"
            "                B[z, i, j] = A[z, i - 1, j] + A[z, i + 1, j]\n"),
    PROGRAM("    for z, i in T.grid(k, n):\n        if i != 2:\n            for j in range(m):\n"
            "                B[z, i, j] = A[z, i, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        if j != i:\n            B[z, i, j] = S[i]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m // 2):\n        B[z, i, j] = A[z, i, 2 * j] * T.float32(2) - A[z, i, 2 * j + 1]\n"
            "        D[z, i, j] = D[z, i, 2 * j] + D[z, i, 2 * j + 1]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m // 4):\n        Q[z, i, j] = T.Cast(\"uint8\", T.shift_right("
            "T.Cast(\"int32\", P[z, i, 4 * j]) * 5 + T.Cast(\"int32\", P[z, i, 4 * j + 3]), 3))\n"
            "        B[z, i, j] = A[z, i, 3 * j] - A[z, i, 3 * j + 2]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = A[z, i // 2, j // 2]\n"
            "        Q[z, i, j] = P[z, i, j // 3]\n"),
    PROGRAM(GRID "Q[z, i, j] = T.max(T.max(E[z, 2 * i, 2 * j], E[z, 2 * i, 2 * j + 1]), "
                 "T.max(E[z, 2 * i + 1, 2 * j], E[z, 2 * i + 2, 2 * j + 2]))\n"),
    PROGRAM(GRID "Q[z, i, j] = T.uint8(0)\n        for r, s in T.grid(3, 3):\n"
                 "            Q[z, i, j] = T.max(Q[z, i, j], E[z, 2 * i + r, 2 * j + s])\n"),
    PROGRAM(GRID "Q[z, i, j] = T.Cast(\"uint8\", T.shift_right(T.Cast(\"int32\", E[z, 2 * i, 2 * j]) * 255 + "
                 "T.Cast(\"int32\", P[z, i, j]) + 128, 8))\n"),
    PROGRAM(GRID "J[z, i, j] = T.min(I[z, 2 * i, 3 * j], I[z, 2 * i + 1, 3 * j + 2]) * I[z, i, 3 * j + 1]\n"),
    PROGRAM(GRID "J[z, i, j] = T.Cast(\"int16\", S[i]) + I[z, i, j * 2] - I[z, 0, 3 * j]\n"),
    PROGRAM(GRID "H[z, i, j] = T.max(F[z, 2 * i, 2 * j], F[z, 2 * i + 1, 2 * j + 2])\n"),
    PROGRAM(GRID "H[z, i, j] = F[z, 2 * i, 2 * j] * T.float16(0.5) + F[z, i, j]\n"
                 "        D[z, i, j] = D[z, i, j] + T.exp(D[z, n - 1 - i, j])\n"),
    PROGRAM(GRID "Q[z, i, j] = T.shift_right(E[z, 2 * i, j], T.uint8(3)) ^ T.shift_left(P[z, i, j], T.uint8(2))\n"),
    PROGRAM(GRID "B[z, i, j] = T.exp(A[z, i, j]) + S[i]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n // 2, m // 3):\n        Q[z, 2 * i, j] = T.max(P[z, i, 3 * j], P[z, i + 1, 3 * j + 2])\n"),
    PROGRAM("    for i, j, z in T.grid(n, m, k):\n        Q[z, i, j] = T.max(E[z, 2 * i, 2 * j + 1], P[z, i, j + 2])\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m // 2):\n        Q[z, i, 2 * j] = P[z, i, j] ^ T.uint8(5)\n"
            "        Q[z, i, 2 * j + 1] = P[z, i, j] + T.uint8(9)\n        J[z, i, 2 * j] = I[z, i, j] + I[z, i, 3 * j]\n"
            "        H[z, i, j * 2 + 1] = F[z, i, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m // 3):\n        Q[z, i, 3 * j + 2] = P[z, i, j] - T.uint8(5)\n"
            "        J[z, i, 3 * j + 1] = I[z, i, j] - I[z, i, 2 * j]\n        B[z, i, 3 * j] = T.exp(A[z, i, j])\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m // 4):\n        Q[z, i, 4 * j + 1] = P[z, i, j] * T.uint8(5)\n"
            "        J[z, i, 4 * j] = I[z, i, j] * I[z, i, 2 * j]\n        D[z, i, 4 * j + 3] = T.exp(T.Cast(\"float64\", A[z, i, j]))\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m // 8):\n        Q[z, i, j] = P[z, i, 8 * j] | T.shift_left(P[z, i, 8 * j + 7], T.uint8(3))\n"
            "        B[z, i, j] = T.if_then_else(A[z, i, j] > S[i], T.float32(1), A[z, i, 2 * j])\n"),
    PROGRAM(GRID "Q[z, i, j] = T.if_then_else(P[z, i, j] > P[z, i, j + 2], P[z, i, j] * T.uint8(3), T.uint8(7))\n"
                 "        J[z, i, j] = J[z, i, j] & I[z, i, j]\n"),
    PROGRAM(GRID "D[z, i, j] = D[z, i, j] * T.Cast(\"float64\", W[0, j]) - D[z, n - 1 - i, j]\n"),
    PROGRAM(GRID "B[z, i, j] = T.if_then_else(T.reinterpret(\"uint32\", A[z, i, j]) < T.reinterpret(\"uint32\", S[i]), "
                 "A[z, i, j], S[i])\n"),
    /* one row for all of them */
    PROGRAM(GRID "B[z, i, j] = B[z, i, j] * W[0, j] + W[2, j]\n"),
    PROGRAM(GRID "B[z, i, j] = T.max(T.Cast(\"float32\", D[z, i, j]) - W[1, j] * S[0], T.float32(0))\n"),
    PROGRAM(GRID "D[z, i, j] = T.Cast(\"float64\", W[1, j])\n        B[z, i, j] = W[0, j] - S[0]\n"),
    PROGRAM(GRID "Q[z, i, j] = T.Cast(\"uint8\", T.shift_right(T.Cast(\"int32\", Q[z, i, j]) * 3 + "
                 "T.Cast(\"int32\", P[0, 1, j + 1]), 2))\n"),
    PROGRAM(GRID "J[z, i, j] = J[z, i, j] * I[0, 0, j] - I[0, n, j]\n        H[z, i, j] = F[0, 1, j]\n"),
    PROGRAM(GRID "B[z, i, j] = T.exp(B[z, i, j]) * W[0, j]\n"),
    PROGRAM(GRID "B[z, i, j] = B[z, i, j] + T.exp(W[0, j])\n        D[z, i, j] = D[z, i, j] + D[0, 0, j]\n"),
    PROGRAM("    for z, i, j in T.grid(k, n, m):\n        B[z, i, j] = B[z, i, j] + A[z, 1, j] * W[0, j]\n"
            "    for i, z, j in T.grid(n, k, m):\n        B[z, i, j] = B[z, i, j] - W[2, j]\n"),
};
enum { N_PROGRAMS = sizeof programs / sizeof *programs, N_ARGUMENTS = 12, WRITTEN = 5 };

/* The arguments, each in memory of exactly its size. */
typedef struct data {
    int64_t shapes[N_ARGUMENTS][3];
    DLTensor tensors[N_ARGUMENTS];
    tirb_arg args[N_ARGUMENTS];
    size_t sizes[N_ARGUMENTS];
} data;

static const unsigned written[WRITTEN] = {1, 5, 6, 9, 11};

static void describe(data *d, unsigned i, int32_t ndim, DLDataType type, int64_t a, int64_t b, int64_t c) {
    const int64_t shape[3] = {a, b, c};
    memcpy(d->shapes[i], shape, sizeof shape);
    size_t n = 1;
    for (int32_t k = 0; k < ndim; k++) n *= (size_t)shape[k];
    d->sizes[i] = n * (type.bits / 8u);
    uint8_t *values = malloc(d->sizes[i] + 1);
    assert_non_null(values);
    for (size_t k = 0; k < n; k++) {
        float f = (float)((k * 7919 + i * 31) % 1000) / 500.0f - (k % 11 == 0 ? 1.0f : 0.0f);
        double wide = (double)f;
        uint16_t half = (uint16_t)(k * 40503 + i);
        uint8_t byte = (uint8_t)(k * 167 + k / 256);
        const void *narrow = type.bits == 16 ? (const void *)&half : &byte;
        const void *from = type.bits == 64 ? (const void *)&wide : type.bits == 32 ? (const void *)&f : narrow;
        memcpy(values + k * (type.bits / 8u), from, type.bits / 8u);
    }
    d->args[i] = tensor_arg(&d->tensors[i], values, type, ndim, d->shapes[i]);
}

static void fill(data *d, int64_t k, int64_t n, int64_t m) {
    const DLDataType f32 = {kDLFloat, 32, 1}, f64 = {kDLFloat, 64, 1}, f16 = {kDLFloat, 16, 1};
    const DLDataType u8 = {kDLUInt, 8, 1}, i16 = {kDLInt, 16, 1};
    describe(d, 0, 3, f32, k, n + 2, m + 2);
    describe(d, 1, 3, f32, k, n, m);
    describe(d, 2, 1, f32, n, 0, 0);
    describe(d, 3, 2, f32, 3, m, 0);
    describe(d, 4, 3, u8, k, n + 2, m + 2);
    describe(d, 5, 3, u8, k, n, m);
    describe(d, 6, 3, f64, k, n, m);
    describe(d, 7, 3, u8, k, 2 * n + 1, 2 * m + 1);
    describe(d, 8, 3, i16, k, n * 2, m * 3);
    describe(d, 9, 3, i16, k, n, m);
    describe(d, 10, 3, f16, k, 2 * n + 1, 2 * m + 1);
    describe(d, 11, 3, f16, k, n, m);
}

static void release(data *d) {
    for (unsigned i = 0; i < N_ARGUMENTS; i++) free(d->tensors[i].data);
}

static void compare(const script *lanes, const script *plain, int64_t k, int64_t n, int64_t width) {
    data expected, given;
    fill(&expected, k, n, width);
    fill(&given, k, n, width);
    assert_int_equal(call_script(plain, expected.args, N_ARGUMENTS), TIRB_OK);
    assert_int_equal(call_script(lanes, given.args, N_ARGUMENTS), TIRB_OK);
    for (unsigned w = 0; w < WRITTEN; w++)
        assert_memory_equal(given.tensors[written[w]].data, expected.tensors[written[w]].data,
                            expected.sizes[written[w]]);
    release(&expected);
    release(&given);
}

static const choices in_order = {"lanes,fuse", TIRB_PARALLEL_OFF};

static void as_in_order(void **state) {
    static const int64_t heights[] = {1, 2, 3, 4, 5, 7, 8, 13};
    static const int64_t widths[] = {1,  2,  5,  8,  9,  15, 16,  17,  18,  31,  32, 33,
                                     47, 48, 50, 62, 64, 65, 100, 129, 140, 200, 258};
    (void)state;
    for (unsigned p = 0; p < N_PROGRAMS; p += sampled_every()) {
        script plain = open_script(programs[p], in_order, TIRB_ISA_GENERIC, 1);
        for (unsigned i = 0; i < N_ISAS; i++) {
            if (!tirb_isa_available(every_isa[i])) continue;
            script lanes = open_script(programs[p], as_usual, every_isa[i], 1);
            for (unsigned h = 0; h < sizeof heights / sizeof *heights; h++)
                for (unsigned w = h % 2; w < sizeof widths / sizeof *widths; w += 2)
                    compare(&lanes, &plain, 1 + (int64_t)(h + w) % 3, heights[h], widths[w]);
            close_script(&lanes);
        }
        close_script(&plain);
    }
}

/* Rows of as many elements as the text says, so that all is known of them when the code is translated. A and B have
 * elements of one type, P and Q are bytes. */
static const char *const fixed_rows[] = {
    "B[i, j, c] = T.max(T.max(A[2 * i, 2 * j, c], A[2 * i, 2 * j + 1, c]), T.max(A[2 * i + 1, 2 * j, c], A[2 * i + 1, 2 * j + 1, c]))",
    "B[i, j, c] = A[2 * i, 2 * j, c] + A[2 * i + 1, j, 0]",
    "B[i, j, c] = A[2 * i, 2 * j, c]",
    "B[i, j, c] = T.max(A[i, j, $ - 1 - c], A[i, 2 * j + 1, c])",
    "Q[i, j, c] = T.shift_right(P[i, j], T.Cast(\"uint8\", c % 8)) & T.uint8(1)",
    "Q[i, j, c] = T.Cast(\"uint8\", P[i, j] > T.uint8(100)) + T.Cast(\"uint8\", c)",
    "Q[i, c, j] = P[i, j] + T.uint8(1)",
    "Q[i, j, (c + 1) % $] = T.if_then_else(P[i, j] > T.uint8(77), T.uint8(255), T.uint8(3))",
};
enum { N_FIXED = sizeof fixed_rows / sizeof *fixed_rows, FIXED_TEXT = 1024 };

/* The text of a program with rows of `channels` elements, for each $ in it. */
static void write_fixed(char *text, const char *statement, const char *type, unsigned channels) {
    const bool turned = strstr(statement, "Q[i, c, j]") != NULL;
    const char *const parts[] = {
        "from tvm.script import tirx as T\n@T.prim_func\ndef f(A: T.Buffer((\"2 * n\", \"2 * m\", $), \"", type,
        "\"), B: T.Buffer((\"n\", \"m\", $), \"", type, "\"), P: T.Buffer((\"n\", \"m\"), \"uint8\"), Q: T.Buffer((\"n\", ",
        turned ? "$, \"m\"" : "\"m\", $", "), \"uint8\")):\n    n, m = T.int32(), T.int32()\n",
        "    for i, j, c in T.grid(n, m, $):\n        ", statement, "\n"};
    size_t at = 0;
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++) {
        for (const char *c = parts[k]; *c; c++) {
            assert_true(at + 16 < FIXED_TEXT);
            if (*c == '$') at += (size_t)snprintf(text + at, FIXED_TEXT - at, "%u", channels);
            else text[at++] = *c;
        }
    }
    text[at] = 0;
}

static void run_fixed(const script *s, DLDataType type, bool turned, int64_t n, int64_t m, int64_t channels, data *d) {
    const DLDataType u8 = {kDLUInt, 8, 1};
    describe(d, 0, 3, type, 2 * n, 2 * m, channels);
    describe(d, 1, 3, type, n, m, channels);
    describe(d, 2, 2, u8, n, m, 0);
    describe(d, 3, 3, u8, n, turned ? channels : m, turned ? m : channels);
    assert_int_equal(call_script(s, d->args, 4), TIRB_OK);
}

static void as_in_order_of_fixed_length(void **state) {
    static const struct {
        const char *name;
        DLDataType type;
    } types[] = {{"int8", {kDLInt, 8, 1}}, {"int16", {kDLInt, 16, 1}}, {"float32", {kDLFloat, 32, 1}},
                 {"float64", {kDLFloat, 64, 1}}};
    static const unsigned lengths[] = {5, 2, 1, 4, 3, 6, 8, 12, 16, 20, 24, 32, 40, 64};
    static const int64_t widths[] = {1, 2, 7, 40};
    (void)state;
    for (unsigned k = 0; k < N_FIXED * sizeof lengths / sizeof *lengths; k += sampled_every()) {
        const unsigned statement = k % N_FIXED, channels = lengths[k / N_FIXED], t = (k + k / N_FIXED) % 4;
        char text[FIXED_TEXT];
        write_fixed(text, fixed_rows[statement], types[t].name, channels);
        const bool turned = strstr(text, "Q[i, c, j]") != NULL;
        script plain = open_script(text, in_order, TIRB_ISA_GENERIC, 1);
        for (unsigned i = 0; i < N_ISAS; i++) {
            if (!tirb_isa_available(every_isa[i])) continue;
            script lanes = open_script(text, as_usual, every_isa[i], 1);
            for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
                data expected, given;
                run_fixed(&plain, types[t].type, turned, 1 + (int64_t)w, widths[w], channels, &expected);
                run_fixed(&lanes, types[t].type, turned, 1 + (int64_t)w, widths[w], channels, &given);
                for (unsigned a = 1; a < 4; a += 2)
                    assert_memory_equal(given.tensors[a].data, expected.tensors[a].data, expected.sizes[a]);
                for (unsigned a = 0; a < 4; a++) {
                    free(expected.tensors[a].data);
                    free(given.tensors[a].data);
                }
            }
            close_script(&lanes);
        }
        close_script(&plain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_in_order), cmocka_unit_test(as_in_order_of_fixed_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
