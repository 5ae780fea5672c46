/* Elements that are apart, lanes of 8 bytes that stand for smaller elements, rounding, and bodies
 * of one operation: every instruction set beside plain C one element at a time, at odd addresses, in arrays of all
 * lengths that end where memory does. */
#include "tests/unit/script_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const bodies[] = {
    /* Elements apart */
    "Y[i] = P[i, 0] * P[i, 1] + P[i, 3]",
    "P[i, 2] = X[i] * P[i, 0]",
    "P[i, 0] = P[i, 1]\n        P[i, 3] = P[i, 2] - P[i, 1] * P[i, 2]",
    "Z[i, 0] = Z[i, 0] * Z[i, 1] - X[i] * X[i]\n        Z[i, 1] = Z[i, 1] + Z[i, 0]",
    "Y[i] = T.max(T.max(C[i, 0], C[i, 1]), C[i, 2])",
    "C[i, 1] = T.if_then_else(C[i, 0] > C[i, 2], C[i, 0] * X[i], Y[i])",
    ("U[i, 0] = T.Cast(\"uint8\", T.shift_right(T.Cast(\"int32\", U[i, 0]) * 77 + T.Cast(\"int32\", U[i, 1]) * 150 + "
     "T.Cast(\"int32\", U[i, 2]) * 29, 8))"),
    "U[i, 2] = T.Cast(\"uint8\", X[i] * T.float32(40))",
    "Y[i] = T.Cast(\"float32\", U[i, 1]) * T.float32(0.5) + Z[i, 1]",
    "G[i, 0] = G[i, 0] * G[i, 1] + D[i]",
    "G[i, 1] = D[i] / G[i, 0]\n        D[i] = G[i, 0] + G[i, 1]",
    "Y[i] = W[i, 0] + W[i, 6] * W[i, 3]",
    "D[i] = H[i, 0] * G[i, 1] - H[i, 4]",
    "L[i] = L[i] + T.Cast(\"int64\", H[i, 1] < T.float64(0))",
    /* Lanes of 8 bytes */
    "D[i] = T.if_then_else(D[i] > T.float64(0.25), D[i], D[i] * T.float64(0.01))",
    "L[i] = T.if_then_else(L[i] >= T.Cast(\"int64\", I[i]), L[i] - T.int64(100), T.Cast(\"int64\", I[i]))",
    "L[i] = T.bitwise_xor(L[i] * T.int64(0x9E3779B97F4A7C1), T.shift_right(L[i], T.int64(7)))",
    "D[i] = T.Cast(\"float64\", X[i]) * D[i]\n        Y[i] = T.Cast(\"float32\", D[i] + T.float64(1))",
    "I[i] = T.Cast(\"int32\", L[i] + T.int64(1))",
    "I[i] = T.Cast(\"int32\", D[i] * T.float64(1e9))",
    "L[i] = T.Cast(\"int64\", D[i] * T.float64(1e18))",
    "D[i] = T.Cast(\"float64\", I[i]) + T.Cast(\"float64\", L[i])",
    "D[i] = T.Cast(\"float64\", U[i, 0]) + T.Cast(\"float64\", D[i] == D[i] and D[i] < T.float64(1))",
    "L[i] = T.if_then_else(T.isnan(D[i]), T.int64(-1), T.abs(L[i])) + T.Cast(\"int64\", L[i] != T.int64(0))",
    "D[i] = T.if_then_else(B[i], -D[i], T.floor(D[i]))",
    "B[i] = D[i] != T.Cast(\"float64\", L[i]) or B[i]",
    "U[i, 0] = T.Cast(\"uint8\", L[i] * T.int64(3))",
    /* Rounding */
    "Y[i] = T.round(X[i]) + T.floor(Y[i]) * T.float32(2)",
    "Y[i] = T.ceil(X[i] * T.float32(3)) - T.trunc(Y[i])",
    "D[i] = T.round(D[i]) + T.ceil(D[i] * T.float64(3)) - T.trunc(D[i] * T.float64(5))",
    "Y[i] = T.if_then_else(T.isnan(X[i]), T.float32(0), T.floor(X[i]))",
    /* One operation */
    "Y[i] = X[i] + Y[i]",
    "Y[i] = X[i] + T.float32(0.3)",
    "Y[i] = X[i] - Y[i]",
    "Y[i] = X[i] - T.float32(0.3)",
    "Y[i] = X[i] * Y[i]",
    "Y[i] = T.float32(0.3) * X[i] + Y[i]",
    "Y[i] = X[i] * Y[i] + X[i]",
    "Y[i] = X[i] * T.float32(0.3) + T.float32(7)",
    "D[i] = D[i] + D[i]",
    "D[i] = D[i] * T.float64(0.3) + D[i]",
    "D[i] = D[i] * T.float64(0.3) + T.float64(7)",
};
enum { N_BODIES = sizeof bodies / sizeof *bodies, MOST = 2300, ROW = 40 };

typedef struct array {
    const char *name, *type;
    DLDataType code;
    int64_t columns; /* 0: the array has one dimension */
} array;
enum { BOOLS = 6 }; /* a code that DLPack 0.6 has no name for */
static const array arrays[] = {{"X", "float32", {kDLFloat, 32, 1}, 0}, {"Y", "float32", {kDLFloat, 32, 1}, 0},
                               {"Z", "float32", {kDLFloat, 32, 1}, 2}, {"C", "float32", {kDLFloat, 32, 1}, 3},
                               {"P", "float32", {kDLFloat, 32, 1}, 4}, {"U", "uint8", {kDLUInt, 8, 1}, 3},
                               {"D", "float64", {kDLFloat, 64, 1}, 0}, {"G", "float64", {kDLFloat, 64, 1}, 2},
                               {"L", "int64", {kDLInt, 64, 1}, 0},     {"I", "int32", {kDLInt, 32, 1}, 0},
                               {"B", "bool", {BOOLS, 8, 1}, 0},         {"W", "float32", {kDLFloat, 32, 1}, 7},
                               {"H", "float64", {kDLFloat, 64, 1}, 5}};
enum { N_ARRAYS = sizeof arrays / sizeof *arrays };

static size_t bytes_of(unsigned a, int64_t n) {
    return (size_t)n * (arrays[a].columns ? (size_t)arrays[a].columns : 1) * (arrays[a].code.bits / 8u);
}

static void fill(uint8_t *to, unsigned a, int64_t n) {
    const size_t bytes = bytes_of(a, n);
    const bool floats = arrays[a].code.code == kDLFloat;
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)((i * 167 + i / 13 * 59 + a * 31) >> (i % 3));
    for (size_t i = 0; floats && i < bytes / (arrays[a].code.bits / 8u); i++) {
        const double common = (double)((int)(i * 37 % 101) - 50) / 16;
        const float small = (float)common;
        if (i % 7 == 0) continue;
        if (arrays[a].code.bits == 32) memcpy(to + 4 * i, &small, sizeof small);
        else memcpy(to + 8 * i, &common, sizeof common);
    }
}

/* Calls for the elements from `first` on. */
static void call(const script *s, uint8_t *const *memory, int64_t first, int64_t n) {
    DLTensor tensors[N_ARRAYS];
    tirb_arg args[N_ARRAYS];
    int64_t shapes[N_ARRAYS][2];
    for (unsigned a = 0; a < N_ARRAYS; a++) {
        shapes[a][0] = n;
        shapes[a][1] = arrays[a].columns;
        args[a] = tensor_arg(&tensors[a], memory[a] + bytes_of(a, first), arrays[a].code, arrays[a].columns ? 2 : 1,
                             shapes[a]);
    }
    assert_int_equal(call_script(s, args, N_ARRAYS), TIRB_OK);
}

static void make_text(char *text, size_t size, const char *body) {
    size_t at = (size_t)snprintf(text, size, "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef f(");
    for (unsigned a = 0; a < N_ARRAYS; a++) {
        char columns[16] = "";
        if (arrays[a].columns) snprintf(columns, sizeof columns, " %d", (int)arrays[a].columns);
        at += (size_t)snprintf(text + at, size - at, "%s%s: T.Buffer((\"n\",%s), \"%s\")", a ? ", " : "",
                               arrays[a].name, columns, arrays[a].type);
    }
    snprintf(text + at, size - at, "):\n    n = T.int32()\n    for i in range(n):\n        %s\n", body);
}

/* What is read backwards, which no calls for one element each can tell. */
static void backwards(void **state) {
    (void)state;
    static uint8_t memory[N_ARRAYS][MOST * ROW + 8];
    uint8_t *blocks[N_ARRAYS];
    enum { X, Y, D = 6, H = 12 };
    char text[2048];
    make_text(text, sizeof text, "Y[i] = X[n - 1 - i] * T.float32(2)\n        D[i] = H[n - 1 - i, 3] * T.float64(2)");
    for (unsigned k = 0; k < N_ISAS; k++) {
        if (!tirb_isa_available(every_isa[k])) continue;
        script s = open_script(text, as_usual, every_isa[k], 1);
        for (int64_t n = 1; n < 260; n += n < 40 ? 1 : 13) {
            for (unsigned a = 0; a < N_ARRAYS; a++) {
                fill(memory[a], a, n);
                blocks[a] = malloc(bytes_of(a, n));
                memcpy(blocks[a], memory[a], bytes_of(a, n));
            }
            call(&s, blocks, 0, n);
            for (int64_t i = 0; i < n; i++) {
                float x, y;
                double d, h;
                memcpy(&x, blocks[X] + 4 * (n - 1 - i), sizeof x);
                memcpy(&y, blocks[Y] + 4 * i, sizeof y);
                memcpy(&h, blocks[H] + 8 * (5 * (n - 1 - i) + 3), sizeof h);
                memcpy(&d, blocks[D] + 8 * i, sizeof d);
                assert_true(y == 2 * x || (x != x && y != y));
                assert_true(d == 2 * h || (h != h && d != d));
            }
            for (unsigned a = 0; a < N_ARRAYS; a++) free(blocks[a]);
        }
        close_script(&s);
    }
}

static void try_length(const script *plain, const script *tried, const char *body, int64_t n) {
    static uint8_t want[N_ARRAYS][MOST * ROW + 8], kept[MOST * ROW + 8];
    uint8_t *expected[N_ARRAYS], *blocks[N_ARRAYS], *got[N_ARRAYS];
    const size_t offset = (size_t)(n % 4);
    for (unsigned a = 0; a < N_ARRAYS; a++) {
        expected[a] = want[a];
        fill(want[a], a, n);
        memcpy(kept, want[a], bytes_of(a, n));
        blocks[a] = malloc(bytes_of(a, n) + offset); /* which AddressSanitizer watches */
        got[a] = blocks[a] + offset;
        memcpy(got[a], kept, bytes_of(a, n));
    }
    for (int64_t i = 0; i < n; i++) call(plain, expected, i, 1);
    call(tried, got, 0, n);
    for (unsigned a = 0; a < N_ARRAYS; a++) {
        if (memcmp(got[a], want[a], bytes_of(a, n)) != 0)
            print_message("%s: %s, n = %d\n", body, arrays[a].name, (int)n);
        assert_memory_equal(got[a], want[a], bytes_of(a, n));
        free(blocks[a]);
    }
}

static void as_one_by_one(void **state) {
    static const int64_t lengths[] = {1,  2,   7,   8,   15,  16,  17,  31,  32,  33,  63,  64,
                                      65, 100, 127, 128, 129, 200, 257, 300, 511, 600, MOST};
    (void)state;
    for (unsigned k = 0; k < N_ISAS; k++) {
        if (!tirb_isa_available(every_isa[k])) continue;
        for (unsigned b = 0; b < N_BODIES; b++) {
            char text[2048];
            make_text(text, sizeof text, bodies[b]);
            script plain = open_script(text, as_usual, TIRB_ISA_GENERIC, 1);
            script tried = open_script(text, as_usual, every_isa[k], 1);
            for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
                try_length(&plain, &tried, bodies[b], lengths[i]);
            close_script(&tried);
            close_script(&plain);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_one_by_one), cmocka_unit_test(backwards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
