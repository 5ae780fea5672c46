/* Rows that do not fill a block of lanes, of arrays whose memory ends where the page does: lane loops give what loops
 * in order give, on every instruction set, and read nothing behind. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/script_fixture.h"

#define HEAD "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"

/* Neighbours in a row and across rows; a window's sum in an inner loop; bytes; in place. */
static const char *const programs[] = {
    HEAD "def f(A: T.Buffer((\"h + 2\", \"w + 2\"), \"float32\"), B: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
         "    h, w = T.int32(), T.int32()\n"
         "    for i, j in T.grid(h, w):\n"
         "        B[i, j] = A[i, j] * A[i + 2, j + 2] + A[i + 1, j + 1] - A[i + 2, j]\n",
    HEAD "def f(A: T.Buffer((\"h + 2\", \"w + 2\"), \"float32\"), B: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
         "    h, w = T.int32(), T.int32()\n"
         "    for i, j in T.grid(h, w):\n"
         "        B[i, j] = T.float32(0)\n"
         "        for y, x in T.grid(3, 3):\n"
         "            B[i, j] = B[i, j] + T.max(A[i + y, j + x], T.float32(0.25)) * T.float32(0.5)\n",
    HEAD "def f(A: T.Buffer((\"h + 2\", \"w + 2\"), \"float32\"), B: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
         "    h, w = T.int32(), T.int32()\n"
         "    for i, j in T.grid(h, w):\n"
         "        B[i, j] = T.Cast(\"float32\", T.Cast(\"int32\", A[i + 2, j + 2] * T.float32(100)) % 7) + T.exp(A[i + "
         "1, j])\n",
    HEAD "def f(A: T.Buffer((\"h + 2\", \"w + 2\"), \"float32\"), B: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
         "    h, w = T.int32(), T.int32()\n"
         "    for i in range(h):\n"
         "        for j in range(w):\n"
         "            B[i, j] = A[i + 2, j + 2]\n"
         "        for j in range(w):\n"
         "            B[i, j] = B[i, j] * B[i, j] + A[i, j]\n",
    HEAD "def f(A: T.Buffer((\"h + 2\", \"w + 2\"), \"float32\"), B: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
         "    h, w = T.int32(), T.int32()\n"
         "    for i, j in T.grid(h, w):\n"
         "        B[i, j] = A[i + 2, j + 2] * T.float32(0.375) + B[i, j]\n",
    HEAD "def f(A: T.Buffer((\"h + 2\", \"w + 2\"), \"float32\"), B: T.Buffer((\"h\", \"w\"), \"float32\")):\n"
         "    h, w = T.int32(), T.int32()\n"
         "    for i, j in T.grid(h, w):\n"
         "        B[i, j] = T.max(A[i + 2, j + 2] - A[i, j], T.float32(0.25))\n",
};

/* Memory whose last byte is the last before a page that must not be touched. */
typedef struct guarded {
    uint8_t *pages;
    size_t size;
    float *data;
} guarded;

static guarded new_guarded(size_t elements) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = elements * sizeof(float);
    guarded g = {.size = (bytes + page - 1) / page * page + page};
    g.pages = mmap(NULL, g.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(g.pages, MAP_FAILED);
    assert_int_equal(mprotect(g.pages + g.size - page, page, PROT_NONE), 0);
    g.data = (float *)(void *)(g.pages + g.size - page - bytes);
    for (size_t i = 0; i < elements; i++) g.data[i] = (float)((i * 7919) % 1000) / 500.0f - 1.0f;
    return g;
}

static const choices in_order = {"lanes,fuse", TIRB_PARALLEL_OFF};

static void run(const char *text, choices chosen, tirb_isa isa, int64_t h, int64_t w, float *out) {
    script s = open_script(text, chosen, isa, 1);
    guarded a = new_guarded((size_t)((h + 2) * (w + 2))), b = new_guarded((size_t)(h * w));
    int64_t shapes[2][2] = {{h + 2, w + 2}, {h, w}};
    DLTensor tensors[2];
    const DLDataType f32 = {kDLFloat, 32, 1};
    tirb_arg args[2] = {tensor_arg(&tensors[0], a.data, f32, 2, shapes[0]),
                        tensor_arg(&tensors[1], b.data, f32, 2, shapes[1])};
    assert_int_equal(call_script(&s, args, 2), TIRB_OK);
    memcpy(out, b.data, (size_t)(h * w) * sizeof(float));
    munmap(a.pages, a.size);
    munmap(b.pages, b.size);
    close_script(&s);
}

static void rows_end_where_memory_does(void **state) {
    static const int64_t widths[] = {1, 3, 4, 5, 15, 16, 17, 33, 63, 64, 65, 100, 127, 128, 129, 140, 300};
    enum { MOST = 5 * 300 };
    static float expected[MOST], given[MOST];
    (void)state;
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++) {
        for (unsigned k = 0; k < sizeof widths / sizeof *widths; k++) {
            int64_t h = 1 + (int64_t)k % 5, w = widths[k];
            run(programs[p], in_order, TIRB_ISA_GENERIC, h, w, expected);
            for (unsigned i = 0; i < N_ISAS; i++) {
                if (!tirb_isa_available(every_isa[i])) continue;
                run(programs[p], as_usual, every_isa[i], h, w, given);
                assert_memory_equal(given, expected, (size_t)(h * w) * sizeof(float));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_end_where_memory_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
