/* Nests of short rows, of which some machines go through several at once: what they give is what loops in order give, on
 * every instruction set, whatever the number of rows and their length. */
#include <stdlib.h>

#include "tests/unit/script_fixture.h"

#define PROGRAM(body)                                                                                                  \
    "from tvm.script import tirx as T\n@T.prim_func\n"                                                                 \
    "def f(A: T.Buffer((\"k\", \"n + 2\", \"m + 2\"), \"float32\"), B: T.Buffer((\"k\", \"n\", \"m\"), \"float32\"), " \
    "S: T.Buffer((\"n\",), \"float32\"), W: T.Buffer((3, \"m\"), \"float32\"), P: T.Buffer((\"k\", \"n + 2\", "         \
    "\"m + 2\"), \"uint8\"), Q: T.Buffer((\"k\", \"n\", \"m\"), \"uint8\"), D: T.Buffer((\"k\", \"n\", \"m\"), "        \
    "\"float64\"), E: T.Buffer((\"k\", \"2 * n + 1\", \"2 * m + 1\"), \"uint8\"), I: T.Buffer((\"k\", \"n * 2\", "       \
    "\"m * 3\"), \"int16\"), J: T.Buffer((\"k\", \"n\", \"m\"), \"int16\"), F: T.Buffer((\"k\", \"2 * n + 1\", "        \
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
        assert_memory_equal(given.tensors[written[w]].data, expected.tensors[written[w]].data, expected.sizes[written[w]]);
    release(&expected);
    release(&given);
}

static void as_in_order(void **state) {
    static const int64_t heights[] = {1, 2, 3, 4, 5, 7, 8, 13};
    static const int64_t widths[] = {1, 2, 5, 8, 9, 15, 16, 17, 18, 31, 32, 33, 47, 48, 50, 62, 64, 65, 100, 129, 140, 200, 258};
    enum { IN_ORDER = TIRB_PASS_LANES | TIRB_PASS_FUSE | TIRB_PASS_REGIONS };
    (void)state;
    for (unsigned p = 0; p < N_PROGRAMS; p++) {
        script plain = open_script(programs[p], IN_ORDER, TIRB_ISA_GENERIC, 1);
        for (unsigned i = 0; i < N_ISAS; i++) {
            if (!tirb_isa_available(every_isa[i])) continue;
            script lanes = open_script(programs[p], 0, every_isa[i], 1);
            for (unsigned h = 0; h < sizeof heights / sizeof *heights; h++)
                for (unsigned w = h % 2; w < sizeof widths / sizeof *widths; w += 2)
                    compare(&lanes, &plain, 1 + (int64_t)(h + w) % 3, heights[h], widths[w]);
            close_script(&lanes);
        }
        close_script(&plain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
