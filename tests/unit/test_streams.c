/* Lane loops that write much more than the caches hold: what goes past them is what goes through them, on every
 * instruction set and with several threads, wherever rows begin. */
#include <stdlib.h>

#include "tests/unit/sampled.h"
#include "tests/unit/script_fixture.h"

#define HEAD "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
#define ARGUMENTS                                                                                                      \
    "def f(A: T.Buffer((\"n\", \"m\"), \"float32\"), B: T.Buffer((\"n\", \"m\"), \"float32\"), "                       \
    "C: T.Buffer((\"n\", \"m\"), \"uint8\")):\n    n, m = T.int32(), T.int32()\n"
#define SUMS                                                                                                           \
    "    sums = T.sblock_alloc_buffer((n,))\n    for i, k in T.grid(n, m):\n        with T.sblock(\"s\"):\n"           \
    "            x, y = T.axis.remap(\"SR\", [i, k])\n            with T.init():\n"                                    \
    "                sums[x] = T.float32(0)\n            sums[x] = sums[x] + A[x, y]\n"

/* Each writes B or C: rows that follow each other, rows with a value of their own, rows by blocks, rows that are read
 * again, parts of rows, two buffers. */
static const char *const programs[] = {
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        B[i, j] = T.exp(A[i, j]) * T.float32(0.5)\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j] + A[i, 0]\n",
    HEAD ARGUMENTS SUMS
    "    for i, j in T.grid(n, m):\n        with T.sblock(\"t\"):\n"
    "            x, y = T.axis.remap(\"SS\", [i, j])\n            B[x, y] = T.tanh(A[x, y] - sums[x])\n",
    HEAD ARGUMENTS "    for i in range(n):\n        for j in range(m):\n            B[i, j] = A[i, j] * T.float32(3)\n"
                   "        for j in range(m - 1):\n            B[i, j] = B[i, j + 1] - T.float32(1)\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m - 5):\n        B[i, j + 3] = T.erf(A[i, j]) - A[i, j + 5]\n",
    HEAD ARGUMENTS "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j] * A[i, j]\n"
                   "        C[i, j] = T.Cast(\"uint8\", T.abs(A[i, j]) * T.float32(100))\n",
};

enum { ROWS = 4203, COLUMNS = 1003, ELEMENTS = ROWS * COLUMNS };

/* The rows of b begin at any address that is a multiple of 4, those of c anywhere. */
typedef struct data {
    float *a, *b;
    uint8_t *c;
} data;

static void clear(data *d) {
    memset(d->b, 0x55, ELEMENTS * sizeof *d->b);
    memset(d->c, 0x55, ELEMENTS);
}

static data make_data(void **memory) {
    uint8_t *base = aligned_alloc(64, (2 * ELEMENTS * sizeof(float) + ELEMENTS + 256) / 64 * 64);
    assert_non_null(base);
    *memory = base;
    float *a = (float *)(void *)base;
    for (int64_t i = 0; i < ELEMENTS; i++) a[i] = (float)(i * 7919 % 10007) / 3000.0f - 1.5f;
    return (data){.a = a, .b = a + ELEMENTS, .c = (uint8_t *)(a + 2 * ELEMENTS) + 1};
}

static void run(const char *text, choices chosen, tirb_isa isa, uint32_t threads, const data *d) {
    script s = open_script(text, chosen, isa, threads);
    int64_t shape[2] = {ROWS, COLUMNS};
    void *const values[3] = {d->a, d->b, d->c};
    DLTensor tensors[3];
    tirb_arg args[3];
    for (unsigned i = 0; i < 3; i++) {
        DLDataType type = i < 2 ? (DLDataType){kDLFloat, 32, 1} : (DLDataType){kDLUInt, 8, 1};
        args[i] = tensor_arg(&tensors[i], values[i], type, 2, shape);
    }
    assert_int_equal(call_script(&s, args, 3), TIRB_OK);
    close_script(&s);
}

/* SSE2 and generic C store as usual. */
static void past_the_caches(void **state) {
    static const tirb_isa isas[] = {TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    void *memory[2];
    data expected = make_data(&memory[0]), given = make_data(&memory[1]);
    (void)state;
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p += sampled_every()) {
        clear(&expected);
        run(programs[p], (choices){"fuse", TIRB_PARALLEL_OFF}, TIRB_ISA_GENERIC, 1, &expected);
        for (unsigned i = 0; i < sizeof isas / sizeof *isas; i++) {
            for (uint32_t threads = 1; threads <= 3 && tirb_isa_available(isas[i]); threads += 2) {
                clear(&given);
                const choices chosen = {NULL, threads == 1 ? TIRB_PARALLEL_OFF : TIRB_PARALLEL_AUTO};
                run(programs[p], chosen, isas[i], threads, &given);
                assert_memory_equal(given.b, expected.b, ELEMENTS * sizeof *given.b);
                assert_memory_equal(given.c, expected.c, ELEMENTS);
            }
        }
    }
    free(memory[0]);
    free(memory[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(past_the_caches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
