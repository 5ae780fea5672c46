/* Nests that go through rows one after the other, done for a block of rows at a time: they give what loops in order
 * give, on every instruction set, whatever the block, and also where terms of tree reductions are computed before they
 * are summed. */
#include <stdio.h>

#include "tests/unit/sampled.h"
#include "tests/unit/script_fixture.h"

#define HEAD                                                                                                           \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                     \
    "def f(A: T.Buffer((\"n\", \"m\"), \"float32\"), H: T.Buffer((\"n\", \"m\"), \"float16\"), "                       \
    "D: T.Buffer((\"n\", \"m\"), \"float64\"), W: T.Buffer((\"m\",), \"float32\"), "                                   \
    "B: T.Buffer((\"n\", \"m\"), \"float32\"), S: T.Buffer((\"n\",), \"float32\"), "                                   \
    "E: T.Buffer((\"n\",), \"float64\")):\n    n, m = T.int32(), T.int32()\n"
#define ALLOC(name, shape)       "    " name " = T.sblock_alloc_buffer(" shape ")\n"
#define ALLOC_AS(name, shape, t) "    " name " = T.sblock_alloc_buffer(" shape ", \"" t "\")\n"
/* target[vi] = op over vk of term; targets begin with `first`. */
#define TREE_OVER(loops, target, first, update)                                                                        \
    "    for i, k in " loops ":\n        with T.sblock(\"r\"):\n            vi, vk = T.axis.remap(\"SR\", [i, k])\n"   \
    "            with T.init():\n                " target " = " first "\n            " target " = " update "\n"
#define SUM(target, term) TREE_OVER("T.grid(n, m)", target, "T.float32(0)", target " + " term)
#define EACH(store)       "    for i, j in T.grid(n, m):\n        " store "\n"
#define ROWS(store)       "    for i in range(n):\n        " store "\n"

static const char *const programs[] = {
    /* rms norm; layer norm by two passes, and as TVM prints it; group norm's two spatial axes */
    HEAD ALLOC("s", "(n,)") SUM("s[vi]", "A[vi, vk] * A[vi, vk]")
        EACH("B[i, j] = A[i, j] * T.rsqrt(s[i] / T.Cast(\"float32\", m) + T.float32(1e-5)) * W[j]"),
    HEAD ALLOC("s", "(n,)") ALLOC("mean", "(n,)") ALLOC("v", "(n,)") SUM("s[vi]", "A[vi, vk]")
        ROWS("mean[i] = s[i] / T.Cast(\"float32\", m)") SUM("v[vi]", "(A[vi, vk] - mean[vi]) * (A[vi, vk] - mean[vi])")
            EACH("B[i, j] = (A[i, j] - mean[i]) / T.sqrt(v[i] / T.Cast(\"float32\", m) + T.float32(1e-5)) * W[j]"),
    HEAD ALLOC("s", "(n,)")
        ALLOC("q", "(n,)") "    for i, k in T.grid(n, m):\n        with T.sblock(\"r\"):\n            vi, vk = "
                           "T.axis.remap(\"SR\", [i, k])\n"
                           "            with T.init():\n                s[vi] = T.float32(0)\n                q[vi] = "
                           "T.float32(0)\n"
                           "            a: T.let[T.float32] = s[vi] + A[vi, vk]\n"
                           "            b: T.let[T.float32] = q[vi] + (A[vi, vk] - W[vk]) * (A[vi, vk] + W[vk])\n"
                           "            s[vi] = a\n            q[vi] = b\n" EACH("B[i, j] = A[i, j] * s[i] - q[i]"),
    HEAD ALLOC("t", "(n, 3, m)") ALLOC(
        "s",
        "(n, 3)") "    for i, g, j in T.grid(n, 3, m):\n        t[i, g, j] = T.exp(A[i, j] * T.Cast(\"float32\", g))\n"
                  "    for i, g, k in T.grid(n, 3, m):\n        with T.sblock(\"r\"):\n"
                  "            vi, vg, vk = T.axis.remap(\"SSR\", [i, g, k])\n            with T.init():\n"
                  "                s[vi, vg] = T.float32(0)\n            s[vi, vg] = s[vi, vg] + t[vi, vg, vk] * "
                  "T.float32(0.5)\n" EACH("B[i, j] = t[i, 0, j] / s[i, 0] + t[i, 2, j] / s[i, 2]"),
    /* softmax in four steps; by exponentials that are computed twice; its logarithm */
    HEAD ALLOC("x", "(n,)") ALLOC("p", "(n, m)") ALLOC("s", "(n,)")
        TREE_OVER("T.grid(n, m)", "x[vi]", "T.min_value(\"float32\")", "T.max(x[vi], A[vi, vk])")
            EACH("p[i, j] = T.exp(A[i, j] - x[i])") SUM("s[vi]", "p[vi, vk]") EACH("B[i, j] = p[i, j] / s[i]"),
    HEAD ALLOC("x", "(n,)") ALLOC("s", "(n,)")
        TREE_OVER("T.grid(n, m)", "x[vi]", "T.min_value(\"float32\")", "T.max(x[vi], A[vi, vk])")
            SUM("s[vi]", "T.exp(A[vi, vk] - x[vi])") EACH("B[i, j] = T.exp(A[i, j] - x[i]) / s[i]") ROWS("S[i] = s[i]"),
    HEAD ALLOC("x", "(n,)") TREE_OVER("T.grid(n, m)", "x[vi]", "T.min_value(\"float32\")", "T.max(A[vi, vk], x[vi])")
        SUM("S[vi]", "T.exp(A[vi, vk] - x[vi])") EACH("B[i, j] = A[i, j] - x[i] - T.log(S[i])"),
    /* terms alone: of one row's axis, of both, of other types, with a factor that is an element, under T.parallel */
    HEAD SUM("S[vi]", "T.exp(A[vi, vk] * T.float32(0.5))"),
    HEAD SUM("S[vi]", "T.tanh(W[vk]) * A[vi, vk]"),
    HEAD SUM("S[vi]", "T.Cast(\"float32\", H[vi, vk])") EACH("B[i, j] = T.Cast(\"float32\", H[i, j]) / S[i]"),
    HEAD TREE_OVER("T.grid(n, m)", "E[vi]", "T.float64(0)", "E[vi] + T.sqrt(T.abs(D[vi, vk]))")
        EACH("B[i, j] = T.Cast(\"float32\", D[i, j] * T.rsqrt(E[i] + T.float64(0.5)))"),
    HEAD TREE_OVER("T.grid(n, m)", "S[vi]", "T.float32(1)", "S[vi] * (A[vi, vk] + W[vk])"),
    HEAD "    for i in T.parallel(n):\n        for k in range(m):\n            with T.sblock(\"r\"):\n"
         "                vi, vk = T.axis.remap(\"SR\", [i, k])\n                with T.init():\n"
         "                    S[vi] = T.float32(0)\n                S[vi] = S[vi] + T.abs(A[vi, vk])\n",
    HEAD TREE_OVER("T.grid(n, m)", "S[vi]", "T.max_value(\"float32\")", "T.min(S[vi], A[vi, m - 1 - vk])"),
    /* rows that are not all of them; extents below 0; memory that begins with zeros; an element after the last */
    HEAD TREE_OVER("T.grid(n - 3, m - 2)", "S[vi]", "T.float32(0)",
                   "S[vi] + A[vi + 2, vk] * W[vk + 1]") "    for i, j in T.grid(n - 3, m):\n        B[i, j] = A[i, j] "
                                                        "+ T.exp(S[i]) * W[j]\n",
    HEAD ALLOC("s",
               "(n,)") "    for i in range(1, n):\n        for k in range(m):\n            with T.sblock(\"r\"):\n"
                       "                vi = T.axis.spatial((1, n), i)\n                vk = T.axis.reduce(m, k)\n"
                       "                with T.init():\n                    s[vi] = T.float32(0)\n"
                       "                s[vi] = s[vi] + (A[vi, vk] + A[vi - 1, vk])\n"
                       "    for i in range(1, n):\n        for j in range(m):\n            B[i, j] = A[i, j] / s[i]\n",
    HEAD ALLOC("t", "(n, m)") ALLOC(
        "s", "(n,)") "    for i, j in T.grid(n, m):\n        t[i, j] = t[i, j] + A[i, j]\n" SUM("s[vi]", "t[vi, vk]")
        EACH("B[i, j] = t[i, j] * s[i]"),
    HEAD ALLOC("s", "(n,)")
        SUM("s[vi]", "A[vi, vk]") "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j + 1] * s[i]\n",
    HEAD ALLOC("t", "(m, n)") ALLOC("s", "(n,)") EACH("t[j, i] = A[i, j] * W[j]") SUM("s[vi]", "t[vk, vi] * A[vi, vk]")
        EACH("B[i, j] = t[j, i] - s[i]"),
    /* scalars of a row before a nest of rows and columns */
    HEAD EACH("B[i, j] = A[i, j] * T.rsqrt(S[i] * S[i] + T.float32(1)) + T.exp(S[i]) * W[j] / (S[i] + T.float32(3))"),
};

enum { MOST_ROWS = 60, MOST = 8200 };

typedef struct data {
    float a[MOST], w[MOST], b[MOST], s[MOST_ROWS];
    uint16_t h[MOST];
    double d[MOST], e[MOST_ROWS];
} data;

static void fill(data *d) {
    memset(d, 0, sizeof *d);
    for (int i = 0; i < MOST; i++) {
        d->a[i] = (float)(i * 7919 % 1000) / 500.0f - 1.0f;
        d->w[i] = (float)(i * 31 % 100) / 70.0f;
        d->h[i] = (uint16_t)(0x3000 + i * 37 % 0x800);
        d->d[i] = (double)(i * 104729 % 1000) / 300.0 - 1.0;
        d->b[i] = 7;
    }
    for (int i = 0; i < MOST_ROWS; i++) {
        d->s[i] = (float)i / 16.0f;
        d->e[i] = i;
    }
}

static tirb_status run(const script *s, int64_t n, int64_t m, data *d) {
    int64_t matrix[2] = {n, m}, columns[1] = {m}, rows[1] = {n};
    DLTensor tensors[7];
    const DLDataType f16 = {kDLFloat, 16, 1}, f32 = {kDLFloat, 32, 1}, f64 = {kDLFloat, 64, 1};
    tirb_arg args[7] = {tensor_arg(&tensors[0], d->a, f32, 2, matrix), tensor_arg(&tensors[1], d->h, f16, 2, matrix),
                        tensor_arg(&tensors[2], d->d, f64, 2, matrix), tensor_arg(&tensors[3], d->w, f32, 1, columns),
                        tensor_arg(&tensors[4], d->b, f32, 2, matrix), tensor_arg(&tensors[5], d->s, f32, 1, rows),
                        tensor_arg(&tensors[6], d->e, f64, 1, rows)};
    return call_script(s, args, 7);
}

static const choices one_by_one = {"lanes,fuse,contract", TIRB_PARALLEL_OFF};

static void blocks_of_rows(void **state) {
    static const int64_t shapes[][2] = {{1, 1}, {7, 33}, {60, 100}, {2, 4099}, {40, 3}, {9, 0}, {13, 47}};
    static const choices without[] = {{NULL, TIRB_PARALLEL_AUTO},       {NULL, TIRB_PARALLEL_ALL},
                                      {NULL, TIRB_PARALLEL_OFF},        {"lanes", TIRB_PARALLEL_ALL},
                                      {"contract", TIRB_PARALLEL_AUTO}, {"interchange", TIRB_PARALLEL_ALL}};
    enum { N_SHAPES = sizeof shapes / sizeof *shapes, N_WITHOUT = sizeof without / sizeof *without };
    static data inputs, expected[N_SHAPES], given;
    (void)state;
    fill(&inputs);
    for (unsigned p = 0; p < sizeof programs / sizeof *programs; p += sampled_every()) {
        tirb_status statuses[N_SHAPES];
        script in_order = open_script(programs[p], one_by_one, TIRB_ISA_GENERIC, 1);
        for (unsigned k = 0; k < N_SHAPES; k++) {
            expected[k] = inputs;
            statuses[k] = run(&in_order, shapes[k][0], shapes[k][1], &expected[k]);
        }
        close_script(&in_order);
        for (unsigned i = 0; i < N_WITHOUT + N_ISAS; i++) {
            const tirb_isa isa = i < N_WITHOUT ? TIRB_ISA_AUTO : every_isa[i - N_WITHOUT];
            if (!tirb_isa_available(isa)) continue;
            script s = open_script(programs[p], without[i < N_WITHOUT ? i : 1], isa, 1);
            for (unsigned k = 0; k < N_SHAPES; k++) {
                given = inputs;
                tirb_status found = run(&s, shapes[k][0], shapes[k][1], &given);
                if (found != statuses[k] || (found == TIRB_OK && memcmp(&given, &expected[k], sizeof given) != 0))
                    fail_msg("program %u, n=%d, m=%d, way %u: status %d for %d, or other values", p, (int)shapes[k][0],
                             (int)shapes[k][1], i, found, statuses[k]);
            }
            close_script(&s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_of_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
