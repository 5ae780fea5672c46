/* What only some lanes may compute: it ends the call where one of these lanes has an index out of bounds or divides by
 * zero, and nowhere else, on every instruction set and where nothing is in lanes. */
#include "tests/unit/script_fixture.h"

enum { N = 300, M = 20 };

#define TEXT(value)                                                                                                    \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                     \
    "def f(A: T.Buffer((20,), \"int32\"), K: T.Buffer((300,), \"int32\"), O: T.Buffer((300,), \"int32\")):\n"          \
    "    for i in range(300):\n        O[i] = " value "\n"

typedef struct program {
    const char *text;
    int32_t bad;         /* of K: where the condition holds, this fails */
    int32_t unused;      /* and this does not, for it does not hold */
    tirb_status status;
} program;

static const program programs[] = {
    {TEXT("T.if_then_else(K[i] >= 0, A[K[i]], 7)"), M, -5, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] < 5, 7, A[K[i] - 5])"), M + 5, -400, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] < 90 and A[K[i]] >= 0, 3, 4)"), 89, 90, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] > 90 or A[K[i]] >= 0, 3, 4)"), -1, 91, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] >= 0, T.if_then_else(K[i] < 19, A[K[i] + 1], A[A[K[i] * 2 - 40]]), 7)"), 40, -1,
     TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] < 100, 1000 // (K[i] - 50), 7)"), 50, 150, TIRB_DIVIDE},
    {TEXT("T.if_then_else(K[i] != 0 and K[i] < 100, 1000 % (K[i] * (K[i] - 50)), 7)"), 50, 0, TIRB_DIVIDE},
    {TEXT("T.if_then_else(K[i] >= 0, A[(K[i] * 3) // 4 * 4 + (K[i] * 3) % 4], 7)"), 7, -1, TIRB_BOUNDS},
    {TEXT("0\n    for i in range(300):\n        v: T.int32 = T.max(K[i], 0)\n        while v != 0:\n"
          "            O[K[i]] = O[K[i]] + 1\n            v = v & (v - 1)"), N, -5, TIRB_BOUNDS},
};

static const choices no_lanes = {"lanes", TIRB_PARALLEL_AUTO};

static tirb_status call(const program *p, choices chosen, tirb_isa isa, int32_t *a, int32_t *k, int32_t *o) {
    script s = open_script(p->text, chosen, isa, 1);
    int64_t shapes[3] = {M, N, N};
    int32_t *const data[3] = {a, k, o};
    DLTensor tensors[3];
    tirb_arg args[3];
    for (int i = 0; i < 3; i++) args[i] = tensor_arg(&tensors[i], data[i], (DLDataType){kDLInt, 32, 1}, 1, &shapes[i]);
    tirb_status status = call_script(&s, args, 3);
    close_script(&s);
    return status;
}

static void fails_where_the_condition_holds(void **state) {
    (void)state;
    static int32_t a[M], k[N], o[N], plain[N];
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        for (unsigned i = 0; i < N_ISAS; i++) {
            if (!tirb_isa_available(every_isa[i])) continue;
            for (int32_t j = 0; j < M; j++) a[j] = j * 7 % M;
            for (int32_t j = 0; j < N; j++) k[j] = j % 5 == 0 ? programs[p].unused : 1 + j % 6;
            if (programs[p].unused == 0 || programs[p].bad == 7)
                for (int32_t j = 0; j < N; j++) k[j] = j % 3 == 0 ? programs[p].unused : 1;
            assert_int_equal(call(&programs[p], as_usual, every_isa[i], a, k, o), TIRB_OK);
            assert_int_equal(call(&programs[p], no_lanes, every_isa[i], a, k, plain), TIRB_OK);
            assert_memory_equal(o, plain, sizeof o);
            k[N - 3] = programs[p].bad;
            assert_int_equal(call(&programs[p], as_usual, every_isa[i], a, k, o), programs[p].status);
            assert_int_equal(call(&programs[p], no_lanes, every_isa[i], a, k, plain), programs[p].status);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fails_where_the_condition_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
