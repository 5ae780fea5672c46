/* Loops over more iterations than memory has elements: the call ends at the first index that is out of bounds, whatever
 * is computed ahead of them and whatever type their extents have. Rows of flat memory that numbers in other memory
 * choose: those whose numbers wrap around into it are there, and others end the call. */
#include <inttypes.h>

#include "tests/unit/script_fixture.h"

#define HEAD(type)                                                 \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n" \
    "def f(A: T.Buffer((16, 16), \"float32\"), O: T.Buffer((16, 16), \"float32\"), n: T." type ", m: T." type "):\n"

static const char *const programs[] = {
    HEAD("uint64") "    for i in range(n):\n        for j in range(m):\n            O[i, j] = A[i, j]\n",
    HEAD("uint64") "    for i in range(n):\n        for j in T.serial(0, m, step=2):\n            O[i, j] = A[i, j]\n",
    HEAD("uint64") "    for i in range(n):\n        O[i, 0] = T.float32(0)\n        for j in range(m):\n"
                   "            O[i, 0] = O[i, 0] + A[i, j]\n",
    HEAD("int64") "    for i, j, k in T.grid(n, m, m):\n"
                  "        O[i, j] = O[i, j] + T.exp(A[i, k]) * A[k, j]\n",
    HEAD("int64") "    for i, j, k in T.grid(16, n, m):\n"
                  "        O[i, j] = O[i, j] + T.if_then_else(j + k < 16, A[i, j + k], T.float32(0)) * A[0, k]\n",
};

static tirb_status run(const char *text, choices chosen, tirb_isa isa, uint64_t n, uint64_t m) {
    static float memory[2][16][16];
    int64_t shape[] = {16, 16};
    DLTensor tensors[2];
    const DLDataType f32 = {kDLFloat, 32, 1};
    script s = open_script(text, chosen, isa, 1);
    tirb_arg args[] = {tensor_arg(&tensors[0], memory[0], f32, 2, shape),
                       tensor_arg(&tensors[1], memory[1], f32, 2, shape),
                       {.kind = TIRB_ARG_INT, .value.i = (int64_t)n},
                       {.kind = TIRB_ARG_INT, .value.i = (int64_t)m}};
    const tirb_status status = call_script(&s, args, 4);
    close_script(&s);
    return status;
}

static void ends_where_memory_does(void **state) {
    static const uint64_t extents[][2] = {{16, 16},
                                          {17, 16},
                                          {16, 17},
                                          {1000000000, 16},
                                          {16, 1000000000},
                                          {INT64_MAX, 16},
                                          {16, INT64_MAX},
                                          {INT64_MAX, INT64_MAX},
                                          {UINT64_C(1) << 63, 16},
                                          {16, UINT64_C(1) << 63},
                                          {UINT64_MAX, UINT64_MAX}};
    static const choices chosen[] = {{NULL, TIRB_PARALLEL_AUTO}, {"all", TIRB_PARALLEL_OFF}};
    (void)state;
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++) {
        const bool is_unsigned = strstr(programs[p], "uint64") != NULL;
        for (unsigned i = 0; i < 2 * N_ISAS; i++) {
            const tirb_isa isa = every_isa[i / 2];
            if (!tirb_isa_available(isa)) continue;
            for (unsigned e = 0; e < sizeof extents / sizeof *extents; e++) {
                const uint64_t *of = extents[e];
                if ((of[0] | of[1]) > INT64_MAX && !is_unsigned) continue;
                const tirb_status status = run(programs[p], chosen[i % 2], isa, of[0], of[1]);
                if (status != (e == 0 ? TIRB_OK : TIRB_BOUNDS))
                    fail_msg("%s%" PRIu64 ", %" PRIu64 ": status %d", programs[p], of[0], of[1], (int)status);
            }
        }
    }
}

enum { ROWS = 40, WIDTH = 32, MEMORY = 20 * WIDTH };

static const char rows[] = "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
                           "def f(A: T.Buffer((640,), \"int32\"), K: T.Buffer((40,), \"int32\"), O: T.Buffer((1280,), "
                           "\"int32\")):\n    for i, j in T.grid(40, 32):\n        O[i * 32 + j] = A[K[i] * 8 + j]\n";

static tirb_status gather(choices chosen, tirb_isa isa, int32_t *a, int32_t *k, int32_t *o) {
    int64_t shapes[] = {MEMORY, ROWS, ROWS * WIDTH};
    int32_t *const data[] = {a, k, o};
    DLTensor tensors[3];
    tirb_arg args[3];
    script s = open_script(rows, chosen, isa, 1);
    for (int i = 0; i < 3; i++) args[i] = tensor_arg(&tensors[i], data[i], (DLDataType){kDLInt, 32, 1}, 1, &shapes[i]);
    const tirb_status status = call_script(&s, args, 3);
    close_script(&s);
    return status;
}

static void numbers_wrap(void **state) {
    static int32_t a[MEMORY], k[ROWS], o[ROWS * WIDTH], plain[ROWS * WIDTH];
    static const int32_t inside[] = {76, 0, 1 << 29, (1 << 29) + 76, -(1 << 29), INT32_MIN, INT32_MIN + 5},
                         outside[] = {77, -1, (1 << 29) + 77, (1 << 29) - 1, (1 << 28) - 2, INT32_MAX, -(1 << 28)};
    static const choices in_order = {"all", TIRB_PARALLEL_OFF};
    (void)state;
    for (int32_t i = 0; i < MEMORY; i++) a[i] = i * 7 % 1000;
    for (unsigned i = 0; i < N_ISAS; i++) {
        if (!tirb_isa_available(every_isa[i])) continue;
        for (unsigned p = 0; p < sizeof inside / sizeof *inside; p++) {
            for (int32_t r = 0; r < ROWS; r++) k[r] = r * 5 % 77;
            k[p * 5] = inside[p];
            assert_int_equal(gather(as_usual, every_isa[i], a, k, o), TIRB_OK);
            assert_int_equal(gather(in_order, every_isa[i], a, k, plain), TIRB_OK);
            assert_memory_equal(o, plain, sizeof o);
            k[p * 5] = outside[p];
            assert_int_equal(gather(as_usual, every_isa[i], a, k, o), TIRB_BOUNDS);
            assert_int_equal(gather(in_order, every_isa[i], a, k, plain), TIRB_BOUNDS);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_where_memory_does), cmocka_unit_test(numbers_wrap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
