/* Rows that numbers in memory name, and bytes that are computed with as integers: what lane loops give is what loops in
 * order give, on every instruction set, and a number that is out of bounds is an error. */
#include <stdio.h>

#include "tests/unit/script_fixture.h"

#define HEAD "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
#define ARGUMENTS                                                                                                      \
    "def f(A: T.Buffer((\"n\", \"m\"), \"float32\"), ids: T.Buffer((\"n\", 2), \"int32\"), B: T.Buffer((\"v\", \"m\"), "    \
    "\"float32\"), P: T.Buffer((\"n\", \"m\"), \"uint8\")):\n    n, m, v = T.int32(), T.int32(), T.int32()\n"

/* Each writes A, B or P. */
static const char *const programs[] = {
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        A[i, j] = B[ids[i, 0], j]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        B[ids[i, 1], j] = A[i, j]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        B[ids[i, 0], j] = B[ids[i, 0], j] + A[i, j] * T.float32(0.5)\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        A[i, j] = B[ids[i, 0], j] - B[ids[n - 1 - i, 1], j]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        A[i, j] = B[ids[ids[i, 0] % n, 1], j]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        A[i, j] = B[ids[i, 0], j] + T.Cast(\"float32\", ids[i, 1])\n",
    HEAD ARGUMENTS "    for i in range(n):\n        for j in range(m):\n            A[i, j] = T.float32(0)\n"
                   "        for k in range(2):\n            for j in range(m):\n"
                   "                A[i, j] = A[i, j] + B[ids[i, k], j]\n",
    HEAD ARGUMENTS "    for i, j, k in T.grid(n, m, 2):\n        with T.sblock(\"s\"):\n"
                   "            x, y, z = T.axis.remap(\"SSR\", [i, j, k])\n            with T.init():\n"
                   "                A[x, y] = T.float32(0)\n            A[x, y] = A[x, y] + B[ids[x, z], y]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        B[ids[i, 0], j] = B[ids[i, 1], j] + T.float32(1)\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        if ids[i, 0] > 2:\n            A[i, j] = B[ids[i, 0], j]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        A[i, m - 1 - j] = B[ids[i, 0], j]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n"
                   "        P[i, j] = T.Cast(\"uint8\", T.min(T.abs(T.Cast(\"int32\", P[i, j]) * 3 - 400), 255))\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        P[i, j] = T.Cast(\"uint8\", T.shift_right(T.Cast(\"int32\", "
                   "P[i, j]) * T.Cast(\"int32\", P[i, j]) - T.Cast(\"int32\", P[i, j]), 3))\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        P[i, j] = T.Cast(\"uint8\", T.shift_left(T.Cast(\"int32\", "
                   "P[i, j]) - 128, 7) + T.if_then_else(T.Cast(\"int32\", P[i, j]) < 99, 1, 2))\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        P[i, j] = T.Cast(\"uint8\", T.Cast(\"int32\", P[i, j]) * 128 + "
                   "T.max(T.Cast(\"int32\", P[i, j]) - 200, 128))\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        A[i, j] = T.Cast(\"float32\", T.abs(T.Cast(\"int32\", P[i, j]) - "
                   "77)) * A[i, j]\n",
};

enum { MOST = 40 * 150 };

typedef struct data {
    float a[MOST], b[MOST];
    int32_t ids[2 * 40];
    uint8_t p[MOST];
} data;

static void fill(data *d, int64_t n, int64_t v) {
    for (int64_t i = 0; i < MOST; i++) {
        d->a[i] = (float)(i * 7919 % 1000) / 500.0f - 1.0f;
        d->b[i] = (float)(i * 104729 % 1000) / 300.0f;
        d->p[i] = (uint8_t)(i * 167 + i / 256);
    }
    for (int64_t i = 0; i < 2 * n; i++) d->ids[i] = (int32_t)(i * 31 % v);
}

static tirb_status run(const char *text, choices chosen, tirb_isa isa, int64_t n, int64_t m, int64_t v, data *d) {
    script s = open_script(text, chosen, isa, 1);
    int64_t shapes[4][2] = {{n, m}, {n, 2}, {v, m}, {n, m}};
    DLTensor tensors[4];
    const DLDataType f32 = {kDLFloat, 32, 1}, i32 = {kDLInt, 32, 1}, u8 = {kDLUInt, 8, 1};
    tirb_arg args[4] = {
        tensor_arg(&tensors[0], d->a, f32, 2, shapes[0]), tensor_arg(&tensors[1], d->ids, i32, 2, shapes[1]),
        tensor_arg(&tensors[2], d->b, f32, 2, shapes[2]), tensor_arg(&tensors[3], d->p, u8, 2, shapes[3])};
    tirb_status status = call_script(&s, args, 4);
    close_script(&s);
    return status;
}

enum { N_PROGRAMS = sizeof programs / sizeof *programs };
static const choices in_order = {"lanes,fuse", TIRB_PARALLEL_OFF};

static void rows_and_bytes(void **state) {
    static const int64_t widths[] = {1, 3, 4, 17, 33, 64, 100, 129, 150};
    static data expected, given;
    (void)state;
    for (unsigned p = 0; p < N_PROGRAMS; p++) {
        for (unsigned k = 0; k < sizeof widths / sizeof *widths; k++) {
            int64_t n = 1 + (int64_t)(p + k * 5) % 20, m = widths[k], v = 1 + (int64_t)k * 4;
            fill(&expected, n, v);
            assert_int_equal(run(programs[p], in_order, TIRB_ISA_GENERIC, n, m, v, &expected), TIRB_OK);
            for (unsigned i = 0; i < N_ISAS; i++) {
                if (!tirb_isa_available(every_isa[i])) continue;
                fill(&given, n, v);
                assert_int_equal(run(programs[p], as_usual, every_isa[i], n, m, v, &given), TIRB_OK);
                assert_memory_equal(&given, &expected, sizeof given);
            }
        }
    }
}

/* The first eight read rows by number in every iteration. */
static void numbers_out_of_bounds(void **state) {
    static const int32_t wrong[] = {-1, 5, INT32_MAX, INT32_MIN};
    static data d;
    (void)state;
    for (unsigned p = 0; p < 4; p++) {
        for (unsigned k = 0; k < 4; k++) {
            for (int64_t at = 0; at < 6; at += 5) {
                fill(&d, 6, 5);
                d.ids[2 * at] = d.ids[2 * at + 1] = wrong[k];
                assert_int_equal(run(programs[p], as_usual, TIRB_ISA_AUTO, 6, 33, 5, &d), TIRB_BOUNDS);
            }
            fill(&d, 6, 5);
            d.ids[0] = wrong[k];
            /* no element is reached */
            assert_int_equal(run(programs[p], as_usual, TIRB_ISA_AUTO, 6, 0, 5, &d), TIRB_OK);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_bytes), cmocka_unit_test(numbers_out_of_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
