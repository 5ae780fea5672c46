/* Nests that leave out the borders of arrays: what loops in order give, on every instruction set, whatever the width of
 * the border and of the rows, and nothing stored outside of them. */
#include <math.h>

#include "tests/unit/script_fixture.h"

#define HEAD                                                                                                           \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                     \
    "def f(A: T.Buffer((\"n\", \"m\"), \"float32\"), B: T.Buffer((\"n\", \"m\"), \"float32\"), "                       \
    "C: T.Buffer((\"n\", \"m\"), \"float32\"), D: T.Buffer((\"n\", \"m\"), \"float64\"), "                             \
    "E: T.Buffer((\"n\", \"m\"), \"float64\"), I: T.Buffer((\"n\", \"m\"), \"int32\"), "                               \
    "H: T.Buffer((\"n\", \"m\"), \"int16\"), J: T.Buffer((\"n\", \"m\"), \"int16\"), "                                 \
    "U: T.Buffer((\"n\", \"m\"), \"uint8\"), V: T.Buffer((\"n\", \"m\"), \"uint8\"), "                                 \
    "P: T.Buffer((\"n\", \"m\", 3), \"float32\"), w: T.float32, g: T.int32):\n    n, m = T.int32(), T.int32()\n"
#define INSIDE                                                                                                         \
    "    for i in range(1, n - 1):\n        for j in range(g, m - g):\n            "
#define SUM(a) a "[i - 1, j] + " a "[i + 1, j] + " a "[i, j - 1] + " a "[i, j + 1]"

static const char *const programs[] = {
    HEAD INSIDE "B[i, j] = " SUM("A") " - w * A[i, j]\n",
    /* in place, and two arrays at once that each other's store does not change */
    HEAD INSIDE "B[i, j] = w * B[i, j] - (" SUM("A") ")\n",
    HEAD INSIDE "B[i, j] = A[i, j] - w * (A[i, j] - A[i, j - 1])\n            C[i, j] = C[i, j] + B[i, j] * A[i + 1, j]\n",
    HEAD "    for i in T.parallel(1, n - 1):\n        for j in range(g, m - g):\n            "
         "C[i, j] = T.max(" SUM("B") ", A[i, j])\n",
    /* as large as other lanes, and narrower ones beside them */
    HEAD INSIDE "E[i, j] = (" SUM("D") ") * D[i, j] - E[i, j]\n",
    HEAD INSIDE "I[i, j] = I[i, j] * 3 + T.Cast(\"int32\", U[i, j + 1]) - T.Cast(\"int32\", U[i - 1, j])\n",
    HEAD INSIDE "V[i, j] = T.Cast(\"uint8\", T.min(T.abs(T.Cast(\"int32\", U[i, j + 1]) - I[i, j]), 255))\n",
    HEAD INSIDE "J[i, j] = H[i, j] * T.int16(3) - H[i - 1, j] + J[i, j]\n",
    HEAD INSIDE "V[i, j] = T.max(T.min(U[i - 1, j], U[i, j]), T.min(T.max(U[i - 1, j], U[i, j]), U[i + 1, j]))\n",
    HEAD INSIDE "B[i, j] = T.if_then_else(A[i, j] > w, A[i, j - 1], T.Cast(\"float32\", I[i, j]))\n",
    /* nothing but wider, or narrower */
    HEAD INSIDE "I[i, j] = T.Cast(\"int32\", U[i, j - 1])\n",
    HEAD INSIDE "I[i, j] = T.Cast(\"int32\", H[i, j])\n",
    HEAD INSIDE "J[i, j] = T.Cast(\"int16\", U[i, j])\n",
    HEAD INSIDE "E[i, j] = T.Cast(\"float64\", A[i, j])\n",
    HEAD INSIDE "E[i, j] = T.Cast(\"float64\", I[i, j])\n",
    HEAD INSIDE "B[i, j] = T.Cast(\"float32\", U[i, j])\n",
    HEAD INSIDE "V[i, j] = T.Cast(\"uint8\", I[i, j])\n",
    /* rows that are not all alike: a scalar of each, the same row, another distance, columns, backwards, planes */
    HEAD INSIDE "B[i, j] = A[i, 0] * A[i, j] + C[0, j]\n",
    HEAD INSIDE "B[i, j] = T.max(C[0, j], B[i, j])\n",
    HEAD INSIDE "P[i, j, 1] = A[i, j] + A[i, j + 1]\n            B[i, j] = P[i, j, 2] * w\n",
    HEAD "    for j in range(g, m - g):\n        for i in range(1, n - 1):\n            B[i, j] = A[i - 1, j] * w + A[i + 1, j]\n",
    HEAD INSIDE "B[n - 1 - i, j] = A[i, j] + w\n",
    HEAD INSIDE "B[i, j] = A[i, j] + C[1, (j - g) * 2]\n",
    HEAD "    for i in range(1, n - 1):\n        for j in range(g, m - g):\n            for k in range(1, 3):\n"
         "                P[i, j, k] = P[i, j, k] + w * A[i, j]\n",
    HEAD "    for i in range(2, (n - 1) // 2):\n        for j in range(g, m - g):\n            B[i * 2, j] = A[i * 2 - 1, j] + A[i, j]\n",
};

enum { MOST = 6000 };

typedef struct data {
    float a[MOST], b[MOST], c[MOST], p[3 * MOST];
    double d[MOST], e[MOST];
    int32_t i[MOST];
    int16_t h[MOST], j[MOST];
    uint8_t u[MOST], v[MOST];
} data;

static void fill(data *d) {
    for (int i = 0; i < MOST; i++) {
        d->a[i] = i % 997 == 5 ? NAN : (float)(i * 7919 % 1000) / 500.0f - 1.0f;
        d->b[i] = (float)(i * 31 % 100) / 70.0f;
        d->c[i] = (float)(i * 17 % 300) / 7.0f;
        d->d[i] = (double)(i * 104729 % 1000) / 300.0 - 1.0;
        d->e[i] = (double)(i * 13 % 100);
        d->i[i] = i * 37 % 300;
        d->h[i] = (int16_t)(i * 7919);
        d->j[i] = (int16_t)(i * 31);
        d->u[i] = (uint8_t)(i * 37);
        d->v[i] = (uint8_t)(i * 101);
    }
    for (int i = 0; i < 3 * MOST; i++) d->p[i] = (float)(i * 29 % 500) / 9.0f;
}

static const choices in_order = {"lanes,fuse", TIRB_PARALLEL_AUTO};

static tirb_status run(const char *text, choices chosen, tirb_isa isa, int64_t n, int64_t m, int32_t border,
                       data *d) {
    script s = open_script(text, chosen, isa, 2);
    int64_t matrix[2] = {n, m}, cube[3] = {n, m, 3};
    DLTensor tensors[11];
    const DLDataType f32 = {kDLFloat, 32, 1}, f64 = {kDLFloat, 64, 1}, i32 = {kDLInt, 32, 1}, i16 = {kDLInt, 16, 1},
                     u8 = {kDLUInt, 8, 1};
    tirb_arg args[13] = {tensor_arg(&tensors[0], d->a, f32, 2, matrix), tensor_arg(&tensors[1], d->b, f32, 2, matrix),
                         tensor_arg(&tensors[2], d->c, f32, 2, matrix), tensor_arg(&tensors[3], d->d, f64, 2, matrix),
                         tensor_arg(&tensors[4], d->e, f64, 2, matrix), tensor_arg(&tensors[5], d->i, i32, 2, matrix),
                         tensor_arg(&tensors[6], d->h, i16, 2, matrix), tensor_arg(&tensors[7], d->j, i16, 2, matrix),
                         tensor_arg(&tensors[8], d->u, u8, 2, matrix),  tensor_arg(&tensors[9], d->v, u8, 2, matrix),
                         tensor_arg(&tensors[10], d->p, f32, 3, cube)};
    args[11] = (tirb_arg){.kind = TIRB_ARG_FLOAT, .value.f = 0.375};
    args[12] = (tirb_arg){.kind = TIRB_ARG_INT, .value.i = border};
    tirb_status status = call_script(&s, args, 13);
    close_script(&s);
    return status;
}

static void rows_with_gaps(void **state) {
    /* Rows, columns, and how many of these are left out on each side. */
    static const int64_t shapes[][3] = {{3, 9, 1},   {20, 18, 1}, {19, 66, 1},  {9, 67, 2},   {40, 100, 1},
                                        {7, 130, 1}, {5, 300, 4}, {12, 33, 10}, {5, 1025, 1}, {5, 1050, 1},
                                        {60, 5, 1},  {30, 40, 0}, {900, 3, 1}};
    static data expected, given;
    (void)state;
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++) {
        for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            const int64_t n = shapes[k][0], m = shapes[k][1];
            memset(&expected, 0, sizeof expected);
            fill(&expected);
            const tirb_status status = run(programs[p], in_order, TIRB_ISA_GENERIC, n, m,
                                           (int32_t)shapes[k][2], &expected);
            for (unsigned i = 0; i < N_ISAS; i++) {
                if (!tirb_isa_available(every_isa[i])) continue;
                memset(&given, 0, sizeof given);
                fill(&given);
                const tirb_status found = run(programs[p], as_usual, every_isa[i], n, m, (int32_t)shapes[k][2], &given);
                if (found != status || (status == TIRB_OK && memcmp(&given, &expected, sizeof given) != 0))
                    fail_msg("program %u, n=%d, m=%d, ISA %u: status %d for %d, or other values", p, (int)n, (int)m, i,
                             found, status);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_with_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
