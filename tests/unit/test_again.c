/* Loops and contractions that an instance enters again and again: with the same arguments, with elements or shapes that
 * have changed, in other memory, and after a call that has trapped, each call does what it does in an instance of its
 * own. */
#include <stdio.h>

#include "tests/unit/loader_fixture.h"
#include "tests/unit/script_fixture.h"

#define HEAD                                                                                                           \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                     \
    "def f(s: T.int32, A: T.Buffer((\"n\", \"m\"), \"float32\"), B: T.Buffer((\"n\", \"m\"), \"float32\"), "           \
    "R: T.Buffer((\"m\",), \"float32\"), ids: T.Buffer((\"m\",), \"int32\")):\n    n, m = T.int32(), T.int32()\n"

static const char *const programs[] = {
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j] * T.float32(0.5) + R[j]\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j] + B[i, j]\n",
    HEAD "    for j in range(m):\n        R[j] = R[j] + T.float32(1)\n"
         "    for j in range(m):\n        R[j] = R[j] * A[0, j]\n"
         "    for j in range(m):\n        B[0, j] = T.exp(R[j])\n"
         "    for j in range(m - 1):\n        A[0, j] = B[0, j + 1] - R[j]\n"
         "    for j in range(m):\n        B[0, m - 1 - j] = A[0, j] * T.float32(2)\n"
         "    for j in range(m):\n        R[j] = T.sqrt(B[0, j])\n",
    HEAD "    for j in range(m):\n        B[0, j] = R[ids[j]]\n"
         "    for j in range(m):\n        R[ids[j]] = R[ids[j]] + A[0, j]\n",
    HEAD "    for j in range(1, m):\n        R[j] = R[j] + R[j - 1]\n    for j in range(m):\n        B[0, j] = R[j]\n",
    HEAD "    for i in range(n):\n        for j in range(m):\n            for k in range(n):\n"
         "                B[i, j] = B[i, j] + A[i, k % m] * A[k, j]\n",
    HEAD "    for i in range(n):\n        for j in range(m):\n            R[j] = R[j] + A[i, j]\n"
         "        for j in range(m):\n            B[i, j] = R[j] * T.float32(0.25)\n",
    HEAD "    for j in range(m - s):\n        R[j + s] = R[j] * T.float32(0.5)\n",
    HEAD "    for i in range(n):\n        for j in range(m):\n            R[j] = T.max(R[j], A[n - 1 - i, j])\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = A[ids[0] % n, j] - R[j]\n"
         "    for i, j in T.grid(n, m):\n        A[i, j] = B[ids[i % m] % n, j] + A[i, j]\n",
    HEAD "    for i in T.parallel(n):\n        for j in range(m):\n            B[i, j] = T.exp(A[i, j]) + R[j]\n"
         "        for j in range(m):\n            B[i, j] = B[i, j] * A[i, m - 1 - j]\n",
    HEAD "    for j in range(m):\n        for i in range(n):\n            R[j] = R[j] + A[i, j] * B[j % n, i % m]\n",
    HEAD "    if s > 3:\n        for j in range(m):\n            R[j] = R[j] + T.Cast(\"float32\", s)\n"
         "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j] * T.Cast(\"float32\", s) + B[i, j]\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j] + R[ids[j]]\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = (B[i, j] - R[j]) * R[j] + T.Cast(\"float32\", ids[j])\n",
    HEAD "    T.evaluate(0)\n",
    HEAD "    step: T.let[T.int32] = T.max(s, 1)\n    i: T.int32 = 0\n    while i < n:\n"
         "        j: T.int32 = 0\n        while j < m:\n            B[i, j] = R[j] * T.float32(0.5)\n"
         "            j = j + step\n        i = i + step\n",
    HEAD "    for j in range(m):\n        B[0, j] = R[j]\n"
         "    for j in range(m):\n        R[j] = A[0, j] * T.float32(2)\n"
         "    for j in range(m):\n        A[0, j] = T.float32(3)\n",
    HEAD "    for t in range(n):\n        for i, j, k in T.grid(4, 4, 4):\n"
         "            B[t, i * 4 + j] = B[t, i * 4 + j] + A[t, i * 4 + k] * R[k * 4 + j]\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j]\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, m - 1 - j] = A[n - 1 - i, j]\n"
         "    for i, j in T.grid(n, m // 2):\n        A[i, j] = T.Cast(\"float32\", s)\n",
    HEAD "    for j in range(m // 4):\n        B[0, 4 * j] = R[j]\n        B[0, 4 * j + 1] = T.Cast(\"float32\", s)\n"
         "        B[0, 4 * j + 2] = A[0, 4 * j]\n        B[0, 4 * j + 3] = A[0, 4 * j + 1]\n"
         "    for j in range(m // 8):\n        R[8 * j] = A[0, j]\n        R[8 * j + 1] = A[0, 2 * j]\n"
         "        R[8 * j + 3] = A[0, 3 * j]\n        R[8 * j + 6] = A[0, 4 * j]\n"
         "        R[8 * j + 7] = A[0, m - 1 - j]\n",
    HEAD "    for j in range(m // 4):\n        B[0, j] = A[0, 3 * j + 2]\n        B[0, m // 2 + j] = A[0, 3 * j]\n"
         "        R[j] = A[0, 3 * j + 1]\n    for i, j in T.grid(2, m // 2):\n"
         "        B[0, i * (m // 2) + j] = A[0, 2 * j + i]\n"
         "    for i, j in T.grid(n, m // 4):\n        A[i, j] = B[i, m - 2 - 4 * j]\n"
         "        A[i, m // 2 + j] = B[i, m - 1 - 4 * j]\n",
    HEAD "    for t in range(n):\n        for i, j in T.grid(n, m // 2):\n            B[i, 2 * j] = A[t, j]\n"
         "        for i, j in T.grid(n, m // 2):\n            A[i, 2 * j] = B[(i + t) % n, j + s % 2]\n",
    HEAD "    for i, j in T.grid(n, m):\n        B[i, j] = (A[i, j] - R[j]) * R[j]\n"
         "    for i, j in T.grid(n, m):\n        A[i, j] = T.exp(B[i, j]) * R[j]\n",
    HEAD "    for j in range(m):\n        B[0, j] = T.abs(A[0, j] - R[j])\n"
         "    for j in range(m):\n        A[0, j] = A[0, j] * R[j] + B[0, j]\n",
    HEAD "    for i, j, k in T.grid(n, m, s):\n        B[i, j] = B[i, j] + A[i, k] * A[k, j]\n"
         "    for i, j, k in T.grid(n, n, m):\n        A[i, j] = A[i, j] + B[i, k] * B[j, k]\n",
};

enum { N_PROGRAMS = sizeof programs / sizeof *programs, ELEMENTS = 4000, PLACES = 3, CALLS = 40 };

typedef struct data {
    float a[ELEMENTS + PLACES], b[ELEMENTS + PLACES], r[ELEMENTS + PLACES];
    int32_t ids[ELEMENTS];
} data;

/* What one call is given. */
typedef struct given {
    int64_t n, m, s;
    unsigned place; /* of the elements in memory */
} given;

static uint32_t next(uint32_t *random) { return (*random = *random * 1664525u + 1013904223u) >> 8; }

/* What a call tells. */
typedef struct told {
    tirb_stats stats;
    tirb_error error;
} told;

static tirb_status call_with(tirb_instance *instance, uint32_t function, const given *g, data *d, told *out) {
    int64_t shape[2] = {g->n, g->m};
    DLTensor tensors[4];
    const DLDataType f32 = {kDLFloat, 32, 1}, i32 = {kDLInt, 32, 1};
    tirb_arg args[] = {{.kind = TIRB_ARG_INT, .value.i = g->s},
                       tensor_arg(&tensors[0], d->a + g->place, f32, 2, shape),
                       tensor_arg(&tensors[1], d->b + g->place, f32, 2, shape),
                       tensor_arg(&tensors[2], d->r + g->place, f32, 1, shape + 1),
                       tensor_arg(&tensors[3], d->ids, i32, 1, shape + 1)};
    *out = (told){.stats.struct_size = sizeof out->stats, .error = TIRB_ERROR_INIT};
    tirb_status status = tirb_instance_call(instance, function, args, 5, NULL, &out->error);
    assert_int_equal(tirb_instance_stats(instance, &out->stats), TIRB_OK);
    return status;
}

/* Calls `s` and an instance of its own with the same, and compares. */
static tirb_status call_both(const script *s, const given *g, uint64_t max_memory, bool one_thread, data *d,
                             data *alone) {
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.max_memory = max_memory;
    tirb_instance *fresh;
    told of_it, of_fresh;
    memcpy(alone, d, sizeof *d);
    assert_int_equal(tirb_instance_create(s->module, &limits, &fresh, NULL), TIRB_OK);
    tirb_status status = call_with(s->instance, s->function, g, d, &of_it);
    assert_int_equal(call_with(fresh, s->function, g, alone, &of_fresh), status);
    tirb_instance_destroy(fresh);
    assert_int_equal(of_it.stats.fuel_used, of_fresh.stats.fuel_used);
    if (one_thread) assert_int_equal(of_it.stats.peak_memory, of_fresh.stats.peak_memory);
    if (status != TIRB_OK) {
        assert_string_equal(of_it.error.message, of_fresh.error.message);
        assert_int_equal(of_it.error.line, of_fresh.error.line);
        memcpy(d, alone, sizeof *d); /* what is written before a trap is nobody's business */
        return status;
    }
    assert_memory_equal(d, alone, sizeof *d);
    return status;
}

static void fill(data *d, int64_t m, bool bad, uint32_t *random) {
    for (int i = 0; i < ELEMENTS + PLACES; i++) {
        d->a[i] = (float)(next(random) % 1000) / 999.0f;
        d->b[i] = (float)(next(random) % 1000) / 500.0f;
        d->r[i] = (float)(next(random) % 1000) / 800.0f;
    }
    for (int i = 0; i < ELEMENTS; i++) d->ids[i] = (int32_t)(next(random) % (uint32_t)m);
    if (bad) d->ids[m / 2] = (int32_t)m;
}

static void each_call_is_like_the_first(void **state) {
    static const int64_t widths[] = {1, 5, 17, 64, 130, 400};
    static data d, alone;
    uint32_t random = 7;
    unsigned failed = 0;
    (void)state;
    for (unsigned p = 0; p < N_PROGRAMS; p++) {
        for (unsigned i = 0; i < N_ISAS; i++) {
            if (!tirb_isa_available(every_isa[i])) continue;
            const choices chosen = {p % 2 ? "contract" : NULL, p % 3 ? TIRB_PARALLEL_AUTO : TIRB_PARALLEL_ALL};
            script s = open_script(programs[p], chosen, every_isa[i], p % 3 ? 1 : 2);
            given g = {.n = 3, .m = 17};
            for (unsigned call = 0; call < CALLS; call++) {
                if (next(&random) % 3 == 0) g.m = widths[next(&random) % 6];
                if (next(&random) % 4 == 0) g.n = next(&random) % 3 == 0 ? 8 : 1 + next(&random) % 9;
                if (next(&random) % 3 == 0) g.place = next(&random) % PLACES;
                if (next(&random) % 3 == 0) g.s = next(&random) % 8;
                fill(&d, g.m, next(&random) % 6 == 0, &random);
                failed += call_both(&s, &g, 0, p % 3 != 0, &d, &alone) != TIRB_OK;
                failed += call_both(&s, &g, 0, p % 3 != 0, &d, &alone) != TIRB_OK;
            }
            close_script(&s);
        }
    }
    assert_true(failed > 0);
}

/* ---- Functions in turn ------------------------------------------------------------------------------------------- */

enum { MOST_FUNCTIONS = 11 }; /* more than an instance has places for */

/* A module of `n` programs, from number `first` on, whose functions are f0, f1, ... */
static script open_several(unsigned first, unsigned n, tirb_isa isa, uint64_t max_memory) {
    static char text[64 * 1024];
    size_t length = 0;
    for (unsigned i = 0; i < n; i++) {
        const char *program = programs[(first + i) % N_PROGRAMS], *name = strstr(program, "def f(") + strlen("def f");
        length += (size_t)snprintf(text + length, sizeof text - length, "%.*s%u%s", (int)(name - program), program, i,
                                   name);
        assert_true(length < sizeof text);
    }
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    script s = {0};
    size_t size;
    options.isa = isa;
    limits.max_memory = max_memory;
    if (tirb_compile(text, length, NULL, &result, &error) != TIRB_OK) fail_msg("%s", error.message);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    assert_int_equal(tirb_engine_create(&options, &s.engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(s.engine, bytes, size, &s.module, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(s.module, &limits, &s.instance, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    return s;
}

/* What may stand between two calls: nothing, a call that is refused, a question, or a trim. */
static void come_between(const script *s, uint32_t *random) {
    switch (next(random) % 8) {
    case 0:
        assert_int_not_equal(tirb_instance_call(s->instance, s->function, NULL, 0, NULL, NULL), TIRB_OK);
        return;
    case 1: {
        int64_t shape[2];
        int32_t ndim;
        DLDataType dtype;
        const tirb_arg none[5] = {{.kind = TIRB_ARG_NONE}};
        (void)tirb_instance_infer(s->instance, s->function, 1, none, 5, shape, 2, &ndim, &dtype, NULL);
        return;
    }
    case 2:
        assert_int_equal(tirb_instance_trim(s->instance, NULL), TIRB_OK);
        return;
    default:
        return;
    }
}

/* Calls of several functions of one instance, each with the arguments of its own call before or others, and with
 * memory that is not enough for what all leave, or for a call. */
static void functions_in_turn_are_like_alone(void **state) {
    static const uint64_t memories[] = {0, 9000, 14000, 48000};
    static data d, alone;
    uint32_t random = 11;
    unsigned ended = 0, refused = 0;
    (void)state;
    for (unsigned round = 0; round < 4 * N_ISAS; round++) {
        if (!tirb_isa_available(every_isa[round % N_ISAS])) continue;
        const unsigned n = 2 + next(&random) % (MOST_FUNCTIONS - 1);
        script s = open_several(next(&random) % N_PROGRAMS, n, every_isa[round % N_ISAS], memories[round / N_ISAS]);
        given g[MOST_FUNCTIONS];
        for (unsigned f = 0; f < n; f++) g[f] = (given){.n = 1 + next(&random) % 8, .m = 9 + 8 * (next(&random) % 40)};
        for (unsigned call = 0; call < 300; call++) {
            s.function = next(&random) % 4 ? call % n : next(&random) % n;
            given *now = &g[s.function];
            if (next(&random) % 16 == 0) now->m = 9 + 8 * (next(&random) % 40);
            if (next(&random) % 16 == 0) now->place = next(&random) % PLACES;
            if (next(&random) % 16 == 0) now->s = next(&random) % 8;
            if (call % 8 == 0) fill(&d, 9, next(&random) % 6 == 0, &random);
            if (next(&random) % 4 == 0) come_between(&s, &random);
            const tirb_status status = call_both(&s, now, memories[round / N_ISAS], true, &d, &alone);
            ended += status == TIRB_OK;
            refused += status == TIRB_MEMORY_LIMIT;
        }
        close_script(&s);
    }
    assert_true(ended > 1000 && refused > 100);
}

/* ---- Programs of their own -------------------------------------------------------------------------------------- */

/* What the first loop reads is in a register that the loop inside of the second one counts in. */
static void registers_that_are_counted_in_begin_anew(void **state) {
    static const char text[] = "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
                               "def f(A: T.Buffer((8,), \"int32\"), B: T.Buffer((129, 4), \"float64\")):\n"
                               "    for j in range(8):\n        A[j] = A[j] & 1\n"
                               "    for i in range(129):\n        for j in T.parallel(4):\n"
                               "            B[i, j] = T.Cast(\"float64\", i)\n";
    static const DLDataType int32 = {kDLInt, 32, 1}, float64 = {kDLFloat, 64, 1};
    int64_t a_shape[] = {8}, b_shape[] = {129, 4};
    (void)state;
    for (unsigned i = 0; i < N_ISAS; i++) {
        if (!tirb_isa_available(every_isa[i])) continue;
        script s = open_script(text, as_usual, every_isa[i], 1);
        int32_t a[8];
        double b[129 * 4];
        DLTensor tensors[2];
        const tirb_arg args[] = {tensor_arg(&tensors[0], a, int32, 1, a_shape),
                                 tensor_arg(&tensors[1], b, float64, 2, b_shape)};
        for (unsigned call = 0; call < 4; call++) {
            for (int j = 0; j < 8; j++) a[j] = 100 + j;
            assert_int_equal(call_script(&s, args, 2), TIRB_OK);
            for (int j = 0; j < 8; j++) assert_int_equal(a[j], j & 1);
            for (int j = 0; j < 129 * 4; j++) assert_int_equal((int)b[j], j / 4);
        }
        close_script(&s);
    }
}

/* A module of assembler text, ready as a script is. */
static script open_assembly(const char *text) {
    fixture f;
    script s = {0};
    fixture_open(&f);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, text));
    assert_int_equal(tirb_engine_create(NULL, &s.engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(s.engine, bytes.data, bytes.size, &s.module, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(s.module, NULL, &s.instance, NULL), TIRB_OK);
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
    return s;
}

/* A loop whose inner one does not run is not entered, and its repetition is no entry of an earlier call, which was of
 * other memory. */
static void what_is_not_entered_is_not_repeated(void **state) {
    static const char text[] = ".function \"f\" public\n.scalars 1\n.lanes 1\n.ref i32 writable\n"
                               ".scalar \"n\" i64 s0\n.tensor \"A\" i32 r0 read write (64)\n"
                               "lane 4, done\n.inner s0\n.cursor r0 i32 readwrite 0 0 1 4\n"
                               "inner l0\nvload.i32 v0, c0\nvadd.i32 v0, v0, v0\nvstore.i32 c0, v0\ninner.end l0\n"
                               "done:\nlane.end\nret.void\n.end\n";
    enum { N = 64, ROWS = 2 };
    static const DLDataType int32 = {kDLInt, 32, 1};
    int64_t shape[] = {N};
    (void)state;
    script s = open_assembly(text);
    int32_t earlier[N], later[N];
    DLTensor tensor;
    tirb_arg args[] = {{.kind = TIRB_ARG_INT, .value.i = ROWS}, tensor_arg(&tensor, earlier, int32, 1, shape)};
    for (int i = 0; i < N; i++) earlier[i] = later[i] = 1;
    for (int call = 0; call < 3; call++) assert_int_equal(call_script(&s, args, 2), TIRB_OK);
    for (int i = 0; i < N; i++) assert_int_equal(earlier[i], i < 4 * ROWS ? 8 : 1);
    tensor.data = later;
    args[0].value.i = 0;
    for (int call = 0; call < 4; call++) assert_int_equal(call_script(&s, args, 2), TIRB_OK);
    for (int i = 0; i < N; i++) assert_true(later[i] == 1 && earlier[i] == (i < 4 * ROWS ? 8 : 1));
    close_script(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_is_like_the_first),
                                       cmocka_unit_test(functions_in_turn_are_like_alone),
                                       cmocka_unit_test(what_is_not_entered_is_not_repeated),
                                       cmocka_unit_test(registers_that_are_counted_in_begin_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
