/* Long expressions on many values, which the register machine does where there is one: random ones, beside plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/sampled.h"
#include "tests/unit/script_fixture.h"
#include "vm/lanes/lanes.h"
#include "vm/lanes/registers.h"

#if TIRBI_REGISTERS_AVX512
/* The linker sends calls of tirbi_registers_avx512 here. */
static size_t n_held_bytes;
void __real_tirbi_registers_avx512(const tirbi_word *program, uint8_t *const *pointers, size_t bytes);
void __wrap_tirbi_registers_avx512(const tirbi_word *program, uint8_t *const *pointers, size_t bytes);
void __wrap_tirbi_registers_avx512(const tirbi_word *program, uint8_t *const *pointers, size_t bytes) {
    n_held_bytes += bytes;
    __real_tirbi_registers_avx512(program, pointers, bytes);
}
#endif

enum { MOST_TEXT = 1 << 14, INPUTS = 5, OUTPUTS = 2, MOST_SIZE = 8, N = 1403, PROGRAMS = 48, MOST_VALUES = 64 };

typedef struct element {
    const char *name;
    DLDataType type;
    bool is_float;
} element;

static const element elements[] = {
    {"float32", {kDLFloat, 32, 1}, true}, {"float64", {kDLFloat, 64, 1}, true}, {"int32", {kDLInt, 32, 1}, false},
    {"uint32", {kDLUInt, 32, 1}, false},  {"int64", {kDLInt, 64, 1}, false},    {"int16", {kDLInt, 16, 1}, false},
    {"uint8", {kDLUInt, 8, 1}, false},    {"int8", {kDLInt, 8, 1}, false},
};

static uint64_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

typedef struct text {
    char data[MOST_TEXT];
    size_t size;
    bool is_read[MOST_VALUES]; /* by value */
} text;

static __attribute__((format(printf, 2, 3))) void add(text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->size += (size_t)vsnprintf(t->data + t->size, MOST_TEXT - t->size, format, list);
    va_end(list);
    assert_true(t->size < MOST_TEXT);
}

/* An input, or what was computed and not read yet: the compiler writes out what a name stands for each time. */
static void add_value(text *t, uint64_t *state, unsigned n_values) {
    const unsigned computed = n_values - INPUTS;
    if (computed > 0 && draw(state) % 3 != 0) {
        const unsigned first = (unsigned)(draw(state) % computed);
        for (unsigned i = 0; i < computed; i++) {
            const unsigned v = INPUTS + (first + i) % computed;
            if (t->is_read[v]) continue;
            t->is_read[v] = true;
            add(t, "v%u", v);
            return;
        }
    }
    add(t, "v%u", (unsigned)(draw(state) % INPUTS));
}

/* The same, or a number. */
static void add_operand(text *t, uint64_t *state, const element *e, unsigned n_values) {
    if (draw(state) % 4 == 0) {
        add(t, e->is_float ? "T.%s(%u.5)" : "T.%s(%u)", e->name, (unsigned)(draw(state) % 5));
        return;
    }
    add_value(t, state, n_values);
}

static void add_operation(text *t, uint64_t *state, const element *e, unsigned n_values) {
    static const char *const calls[] = {"T.min(", "T.max("};
    static const char *const bits[] = {"T.bitwise_and(", "T.bitwise_xor(", "T.bitwise_or("};
    const unsigned kind = (unsigned)(draw(state) % 12);
    if (kind == 11) { /* a choice */
        add(t, "T.Select(");
        add_value(t, state, n_values);
        add(t, draw(state) % 2 ? " < " : " <= ");
        add_operand(t, state, e, n_values);
        add(t, ", ");
        add_operand(t, state, e, n_values);
        add(t, ", ");
        add_operand(t, state, e, n_values);
        add(t, ")");
        return;
    }
    if (kind >= 8) {
        add(t, "%s", e->is_float || kind == 8 ? calls[draw(state) % 2] : bits[draw(state) % 3]);
        add_value(t, state, n_values);
        add(t, ", ");
        add_operand(t, state, e, n_values);
        add(t, ")");
        return;
    }
    if (kind == 7 && e->is_float) {
        add(t, "T.sqrt(T.abs(");
        add_value(t, state, n_values);
        add(t, "))");
        return;
    }
    add_value(t, state, n_values);
    add(t, kind % 3 == 0 ? " + " : kind % 3 == 1 ? " - " : " * ");
    add_operand(t, state, e, n_values);
    if (kind % 2 == 0) return; /* one operation; else two, which fuse where they can */
    add(t, draw(state) % 2 ? " + " : " - ");
    add_operand(t, state, e, n_values);
}

/* A loop of `n_lets` values, the last of which go to one output or two. Elements may be stored as bytes. */
static void write_program(text *t, uint64_t seed, const element *e) {
    uint64_t state = seed;
    const unsigned n_lets = 4 + (unsigned)(draw(&state) % 14), n_outputs = 1 + (unsigned)(draw(&state) % OUTPUTS);
    const bool reads_bytes = e->type.bits == 32 && !e->is_float && draw(&state) % 3 == 0;
    *t = (text){.size = 0};
    add(t, "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef f(");
    for (unsigned i = 0; i < INPUTS; i++)
        add(t, "A%u: T.Buffer((\"n\",), \"%s\"), ", i, reads_bytes ? "uint8" : e->name);
    for (unsigned i = 0; i < OUTPUTS; i++)
        add(t, "Y%u: T.Buffer((\"n\",), \"%s\")%s", i, reads_bytes ? "uint8" : e->name, i + 1 < OUTPUTS ? ", " : "");
    add(t, "):\n    n = T.int32()\n    for i in range(n):\n");
    for (unsigned i = 0; i < INPUTS; i++) {
        if (reads_bytes)
            add(t, "        v%u: T.let[T.%s] = T.Cast(\"%s\", A%u[i])\n", i, e->name, e->name, i);
        else
            add(t, "        v%u: T.let[T.%s] = A%u[i]\n", i, e->name, i);
    }
    unsigned n_values = INPUTS;
    for (unsigned k = 0; k < n_lets; k++) {
        add(t, "        v%u: T.let[T.%s] = ", n_values, e->name);
        add_operation(t, &state, e, n_values);
        add(t, "\n");
        n_values++;
    }
    for (unsigned i = 0; i < n_outputs; i++) {
        add(t, "        Y%u[i] = %s", i, reads_bytes ? "T.Cast(\"uint8\", v0" : "v1");
        for (unsigned v = INPUTS + i; v < n_values; v += n_outputs)
            if (!t->is_read[v]) add(t, " + v%u", v);
        add(t, reads_bytes ? ")\n" : "\n");
    }
}

typedef struct arrays {
    uint8_t in[INPUTS][N * MOST_SIZE], out[OUTPUTS][N * MOST_SIZE];
} arrays;

/* Small numbers, and of floats some that are none. */
static void fill(arrays *a, const element *e, uint64_t seed) {
    static const float odd[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
    uint64_t state = seed;
    for (unsigned i = 0; i < INPUTS; i++) {
        for (unsigned k = 0; k < N; k++) {
            const uint64_t bits = draw(&state);
            const bool is_odd = bits % 64 == 0;
            const float f = is_odd ? odd[bits / 64 % 7] : (float)((int64_t)(bits % 2000) - 1000) / 64.0f;
            const double d = (double)f;
            const uint64_t integer = is_odd ? bits << 31 | bits : bits % 300;
            if (e->is_float && e->type.bits == 32)
                memcpy(a->in[i] + 4 * k, &f, 4);
            else if (e->is_float)
                memcpy(a->in[i] + 8 * k, &d, 8);
            for (unsigned b = 0; b < e->type.bits / 8u && !e->is_float; b++)
                a->in[i][k * (e->type.bits / 8u) + b] = (uint8_t)(integer >> 8 * b);
        }
    }
}

static void run(const text *t, const element *e, bool bytes, tirb_isa isa, int64_t n, arrays *a) {
    script s = open_script(t->data, as_usual, isa, 1);
    DLTensor tensors[INPUTS + OUTPUTS];
    tirb_arg args[INPUTS + OUTPUTS];
    const DLDataType type = bytes ? (DLDataType){kDLUInt, 8, 1} : e->type;
    for (unsigned i = 0; i < INPUTS + OUTPUTS; i++)
        args[i] = tensor_arg(&tensors[i], i < INPUTS ? a->in[i] : a->out[i - INPUTS], type, 1, &n);
    memset(a->out, 0x5A, sizeof a->out);
    assert_int_equal(call_script(&s, args, INPUTS + OUTPUTS), TIRB_OK);
    close_script(&s);
}

static void random_expressions(void **unused) {
    (void)unused;
    arrays *expected = malloc(sizeof *expected), *given = malloc(sizeof *given);
    text *t = malloc(sizeof *t);
    assert_true(expected && given && t);
    for (unsigned p = 0; p < PROGRAMS; p += sampled_every()) {
        const element *e = &elements[p % (sizeof elements / sizeof *elements)];
        write_program(t, p, e);
        const bool bytes = strstr(t->data, "Cast(\"uint8\"") != NULL;
        const int64_t n = p % 3 == 0 ? 1024 : N;
        fill(expected, e, p);
        memcpy(given, expected, sizeof *given);
        run(t, e, bytes, TIRB_ISA_GENERIC, n, expected);
        for (unsigned i = 0; i < N_ISAS; i++) {
            if (every_isa[i] == TIRB_ISA_GENERIC || !tirb_isa_available(every_isa[i])) continue;
            run(t, e, bytes, every_isa[i], n, given);
            for (unsigned o = 0; o < OUTPUTS; o++)
                if (memcmp(given->out[o], expected->out[o], sizeof given->out[o]) != 0)
                    fail_msg("program %u differs on instruction set %d in Y%u\n%s", p, (int)every_isa[i], o, t->data);
        }
    }
    free(t);
    free(given);
    free(expected);
}

#if TIRBI_REGISTERS_AVX512
/* A tree of sums, differences and products, which two banks cannot hold, and one that they can. */
#define FUNCTION                                                                                                   \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                 \
    "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\"), "                               \
    "C: T.Buffer((\"n\",), \"float32\"), D: T.Buffer((\"n\",), \"float32\"), E: T.Buffer((\"n\",), \"float32\"), " \
    "Y: T.Buffer((\"n\",), \"float32\"), Z: T.Buffer((\"n\",), \"float32\")):\n"                                   \
    "    n = T.int32()\n    for i in range(n):\n        a, b, c, d = A[i], B[i], C[i], D[i]\n"
static const char many_values[] = FUNCTION
    "        Y[i] = T.max((a + b) * (c - d), (a - c) * (b + d)) + T.min((a - d) * (b - c), (a + c) * (b - d)) * "
    "(T.max(a - b, c + d) - T.min(a + d, b + c))\n";
static const char few_values[] = FUNCTION "        Y[i] = (a + b) * (c + d)\n";
#undef FUNCTION

/* How many bytes of each operand the register machine goes through in a run of `program` on AVX-512. */
static size_t held_bytes(const char *program, arrays *a, text *t) {
    t->size = 0;
    add(t, "%s", program);
    n_held_bytes = 0;
    run(t, &elements[0], false, TIRB_ISA_AVX512, N, a);
    return n_held_bytes;
}

/* All blocks of many values go through the register machine, the last one as a whole one that ends with the last lane;
 * what two banks hold goes through the other. */
static void chosen_for_many_values(void **unused) {
    (void)unused;
    if (!tirb_isa_available(TIRB_ISA_AVX512)) skip();
    arrays *a = malloc(sizeof *a);
    text *t = malloc(sizeof *t);
    assert_true(a && t);
    fill(a, &elements[0], 1);
    const size_t blocks = (N * sizeof(float) - 1) / TIRBI_MAX_BANK_BYTES + 1;
    assert_int_equal(held_bytes(many_values, a, t), blocks * TIRBI_MAX_BANK_BYTES);
    assert_int_equal(held_bytes(few_values, a, t), 0);
    free(t);
    free(a);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions),
#if TIRBI_REGISTERS_AVX512
        cmocka_unit_test(chosen_for_many_values),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
