/* Tensors whose elements stand at addresses that are no multiples of their size: what is computed of them is what is
 * computed of the same values elsewhere. The sanitizers watch how each instruction set reads and writes them. */
#include <stdlib.h>

#include "tests/unit/script_fixture.h"

/* A and C are matrices, B and D rows, I indices below the number of rows; $ stands for the type of all but I. */
#define PROGRAM(body)                                                                                              \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                 \
    "def f(A: T.Buffer((24, 40), \"$\"), B: T.Buffer((40,), \"$\"), C: T.Buffer((24, 40), \"$\"), "             \
    "D: T.Buffer((40,), \"$\"), I: T.Buffer((40,), \"int32\")):\n" body
#define BLOCK(axes, target)                                                                                        \
    "    for i, j in T.grid(24, 40):\n        with T.sblock(\"s\"):\n            vi, vj = T.axis.remap(\"" axes      \
    "\", [i, j])\n            with T.init():\n                " target " = 0\n            "

static const char *const programs[] = {
    PROGRAM("    for i, j in T.grid(24, 40):\n        C[i, j] = A[i, j] * B[j] + C[i, j]\n"),
    PROGRAM(BLOCK("SR", "D[vi]") "D[vi] = D[vi] + A[vi, vj]\n"),
    PROGRAM(BLOCK("SR", "D[vi]") "D[vi] = D[vi] + A[vi, vj] * A[vi, vj]\n"),
    PROGRAM(BLOCK("SR", "D[vi]") "D[vi] = D[vi] + A[vi, vj] * B[vj]\n"),
    PROGRAM(BLOCK("RS", "D[vj]") "D[vj] = D[vj] + A[vi, vj]\n"),
    PROGRAM("    for i, j in T.grid(24, 40):\n        D[i] = T.max(D[i], A[i, j])\n        C[i, 0] = T.min(C[i, 0], "
            "A[i, j])\n"),
    PROGRAM("    for i, j, k in T.grid(24, 24, 40):\n        with T.sblock(\"m\"):\n"
            "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n            with T.init():\n"
            "                C[vi, vj] = 0\n            C[vi, vj] = C[vi, vj] + A[vi, vk] * A[vj, vk]\n"),
    PROGRAM("    for i, j in T.grid(24, 24):\n        C[i, j] = A[j, i]\n"),
    PROGRAM("    for j in range(40):\n        D[j] = A[I[j], j]\n        C[I[j], j] = B[j]\n"),
    PROGRAM("    for j in range(1, 40):\n        D[j] = D[j - 1] + B[j]\n"),
    PROGRAM("    for i in range(24):\n        for j in range(40):\n            D[i] = D[i] + A[i, j]\n"),
    PROGRAM("    for i, j in T.grid(24, 40):\n        C[i, j] = A[i, 39 - j]\n    for j in range(20):\n        D[j] = "
            "B[2 * j]\n"),
    PROGRAM("    for j in range(40):\n        D[I[j]] = D[I[j]] + B[j]\n"),
    PROGRAM("    for i, j in T.grid(24, 40):\n        if A[i, j] > B[j]:\n            C[i, j] = A[i, j]\n"),
};
enum { N_PROGRAMS = sizeof programs / sizeof *programs, N_ARGUMENTS = 5 };

typedef struct data {
    int64_t shapes[N_ARGUMENTS][2];
    DLTensor tensors[N_ARGUMENTS];
    tirb_arg args[N_ARGUMENTS];
    uint8_t *memory[N_ARGUMENTS];
    size_t sizes[N_ARGUMENTS];
} data;

static void put_element(uint8_t *to, DLDataType type, int64_t value) {
    const float single = (float)value;
    const double wide = (double)value;
    const bool real = type.code == kDLFloat;
    memcpy(to,
           real && type.bits == 64 ? (const void *)&wide
           : real                  ? (const void *)&single
                                   : (const void *)&value,
           type.bits / 8u);
}

static void fill(data *d, DLDataType type, size_t offset) {
    static const int64_t shapes[N_ARGUMENTS][2] = {{24, 40}, {40, 0}, {24, 40}, {40, 0}, {40, 0}};
    for (unsigned i = 0; i < N_ARGUMENTS; i++) {
        const DLDataType own = i == 4 ? (DLDataType){kDLInt, 32, 1} : type;
        const size_t size = own.bits / 8u, n = (size_t)(shapes[i][0] * (shapes[i][1] ? shapes[i][1] : 1));
        memcpy(d->shapes[i], shapes[i], sizeof shapes[i]);
        d->sizes[i] = n * size;
        d->memory[i] = malloc(d->sizes[i] + offset);
        assert_non_null(d->memory[i]);
        for (size_t k = 0; k < n; k++)
            put_element(d->memory[i] + offset + k * size, own, (int64_t)((k * 7919 + i * 31) % (i == 4 ? 24 : 13)));
        d->args[i] = tensor_arg(&d->tensors[i], d->memory[i] + offset, own, shapes[i][1] ? 2 : 1, d->shapes[i]);
    }
}

static void call(const script *s, data *d, DLDataType type, size_t offset) {
    fill(d, type, offset);
    assert_int_equal(call_script(s, d->args, N_ARGUMENTS), TIRB_OK);
}

static void compare(const script *s, DLDataType type, size_t offset) {
    data even, odd;
    call(s, &even, type, 0);
    call(s, &odd, type, offset);
    for (unsigned i = 0; i < N_ARGUMENTS; i++) {
        assert_memory_equal(odd.tensors[i].data, even.tensors[i].data, odd.sizes[i]);
        free(odd.memory[i]);
        free(even.memory[i]);
    }
}

static void name_type(char *text, const char *program, const char *name) {
    for (; *program; program++) {
        const size_t n = *program == '$' ? strlen(name) : 1;
        memcpy(text, *program == '$' ? name : program, n);
        text += n;
    }
    *text = 0;
}

static void run(const char *program, const char *name, DLDataType type, tirb_isa isa) {
    char text[1024];
    name_type(text, program, name);
    script s = open_script(text, as_usual, isa, 1);
    for (size_t offset = 1; offset < type.bits / 8u; offset += 2) compare(&s, type, offset);
    close_script(&s);
}

static void as_elsewhere(void **state) {
    static const struct {
        const char *name;
        DLDataType type;
    } types[] = {{"float32", {kDLFloat, 32, 1}}, {"float64", {kDLFloat, 64, 1}}, {"int32", {kDLInt, 32, 1}},
                 {"int64", {kDLInt, 64, 1}},     {"int16", {kDLInt, 16, 1}}};
    (void)state;
    for (unsigned i = 0; i < N_ISAS; i++)
        for (unsigned t = 0; tirb_isa_available(every_isa[i]) && t < sizeof types / sizeof *types; t++)
            for (unsigned p = 0; p < N_PROGRAMS; p++) run(programs[p], types[t].name, types[t].type, every_isa[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
