/* Nests that only move elements: every permutation of four loops for every element size, parts of arrays, fills and
 * loads that repeat, beside plain C. Results end where memory does. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/script_fixture.h"

#define HEAD "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"

enum { MOST_BYTES = 1 << 17 };

typedef struct array {
    DLTensor tensor;
    int64_t shape[4];
    uint8_t *data;
    size_t elements, size;
} array;

static _Alignas(64) uint8_t memory[4][MOST_BYTES + 64];

/* Elements begin off their alignment by `shift` of them. */
static void make_array(array *a, unsigned which, DLDataType type, int ndim, const int64_t *shape, size_t shift) {
    *a = (array){.tensor = {.ndim = ndim, .dtype = type}, .size = type.bits / 8u, .elements = 1};
    a->tensor.device.device_type = kDLCPU;
    for (int d = 0; d < ndim; d++) {
        a->shape[d] = shape[d];
        a->elements *= (size_t)shape[d];
    }
    a->tensor.shape = a->shape;
    a->data = memory[which] + shift * a->size;
    a->tensor.data = a->data;
    assert_true((a->elements + shift) * a->size <= MOST_BYTES);
    for (size_t i = 0; i < a->elements * a->size; i++) a->data[i] = (uint8_t)(i * 167 + i / 251 + which);
    memset(a->data + a->elements * a->size, 0xA5, 64 - shift * a->size);
}

static bool ends_well(const array *a, size_t shift) {
    for (size_t i = 0; i < 64 - shift * a->size; i++)
        if (a->data[a->elements * a->size + i] != 0xA5) return false;
    return true;
}

static void call(const char *text, tirb_isa isa, const tirb_arg *args, uint32_t n) {
    script s = open_script(text, as_usual, isa, 1);
    assert_int_equal(call_script(&s, args, n), TIRB_OK);
    close_script(&s);
}

static tirb_arg arg_of(array *a) { return (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = &a->tensor}; }

/* ---- Permutations ----------------------------------------------------------------------------------------------- */

static void check_permutation(const unsigned *p, const char *type, DLDataType dtype, const int64_t *extents,
                              tirb_isa isa) {
    static uint8_t want[MOST_BYTES];
    char text[512];
    int64_t shape[4];
    array a, b;
    for (unsigned d = 0; d < 4; d++) shape[d] = extents[p[d]];
    snprintf(
        text, sizeof text,
        HEAD "def f(A: T.Buffer((%lld, %lld, %lld, %lld), \"%s\"), B: T.Buffer((%lld, %lld, %lld, %lld), \"%s\")):\n"
             "    for i0, i1, i2, i3 in T.grid(%lld, %lld, %lld, %lld):\n"
             "        B[i%u, i%u, i%u, i%u] = A[i0, i1, i2, i3]\n",
        (long long)extents[0], (long long)extents[1], (long long)extents[2], (long long)extents[3], type,
        (long long)shape[0], (long long)shape[1], (long long)shape[2], (long long)shape[3], type, (long long)extents[0],
        (long long)extents[1], (long long)extents[2], (long long)extents[3], p[0], p[1], p[2], p[3]);
    make_array(&a, 0, dtype, 4, extents, p[0] % 3);
    make_array(&b, 1, dtype, 4, shape, p[1] % 3);
    int64_t i[4];
    const uint8_t *from = a.data;
    for (i[0] = 0; i[0] < extents[0]; i[0]++) {
        for (i[1] = 0; i[1] < extents[1]; i[1]++) {
            for (i[2] = 0; i[2] < extents[2]; i[2]++) {
                for (i[3] = 0; i[3] < extents[3]; i[3]++, from += a.size) {
                    int64_t at = ((i[p[0]] * shape[1] + i[p[1]]) * shape[2] + i[p[2]]) * shape[3] + i[p[3]];
                    memcpy(want + (size_t)at * a.size, from, a.size);
                }
            }
        }
    }
    call(text, isa, (tirb_arg[]){arg_of(&a), arg_of(&b)}, 2);
    assert_memory_equal(b.data, want, b.elements * b.size);
    assert_true(ends_well(&b, p[1] % 3));
}

static void permutes_four_loops(void **state) {
    static const struct {
        const char *name;
        DLDataType type;
    } types[] = {{"uint8", {kDLUInt, 8, 1}}, {"int16", {kDLInt, 16, 1}}, {"float32", {kDLFloat, 32, 1}},
                 {"float64", {kDLFloat, 64, 1}}};
    static const int64_t extents[][4] = {{2, 3, 5, 7}, {3, 17, 2, 33}, {4, 8, 16, 4}, {1, 70, 1, 66}};
    (void)state;
    unsigned round = 0;
    for (unsigned code = 0; code < 256; code++) {
        const unsigned p[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
        if ((1u << p[0] | 1u << p[1] | 1u << p[2] | 1u << p[3]) != 15) continue;
        for (unsigned t = 0; t < 4; t++) {
            for (unsigned e = 0; e < 4; e++) {
                tirb_isa isa = every_isa[round++ % N_ISAS];
                check_permutation(p, types[t].name, types[t].type, extents[e],
                                  tirb_isa_available(isa) ? isa : TIRB_ISA_AUTO);
            }
        }
    }
}

/* ---- Parts, fills, and what repeats ----------------------------------------------------------------------------- */

enum { H = 9, W = 70 };

/* What the program below leaves in B, of H + 5 rows of W + 9 columns. */
static uint32_t expected(const uint32_t *a, uint32_t before, int64_t i, int64_t j) {
    if (i < H && j < W) return a[i * W + (W - 1 - j)];                     /* backwards */
    if (i == H && j < W) return a[j];                                      /* a row */
    if (i == H + 1 && j < H) return a[j * W];                              /* a column */
    if (i >= H + 2 && i < H + 4 && j < W) return a[3 * W + j];             /* a row again and again */
    if (i == H + 4 && j < 2 * H) return a[(j / 2) * W + 1];                /* each element twice */
    if (i < H && j >= W + 3 && j < W + 6) return (uint32_t)i << 23;                      /* one value for each row */
    return before;
}

static const char *const parts =
    HEAD "def f(A: T.Buffer((9, 70), \"uint32\"), B: T.Buffer((14, 79), \"uint32\")):\n"
         "    for i, j in T.grid(9, 70):\n"
         "        B[i, j] = A[i, 69 - j]\n"
         "    for j in range(70):\n"
         "        B[9, j] = A[0, j]\n"
         "    for j in range(9):\n"
         "        B[10, j] = A[j, 0]\n"
         "    for i, j in T.grid(2, 70):\n"
         "        B[11 + i, j] = A[3, j]\n"
         "    for i, j in T.grid(9, 2):\n"
         "        B[13, i * 2 + j] = A[i, 1]\n"
         "    for i, j in T.grid(9, 3):\n"
         "        B[i, j + 73] = T.uint32(8388608) * T.Cast(\"uint32\", i)\n";

static void moves_parts(void **state) {
    (void)state;
    for (unsigned k = 0; k < N_ISAS; k++) {
        array a, b;
        if (!tirb_isa_available(every_isa[k])) continue;
        make_array(&a, 0, (DLDataType){kDLUInt, 32, 1}, 2, (const int64_t[]){H, W}, 1);
        make_array(&b, 1, (DLDataType){kDLUInt, 32, 1}, 2, (const int64_t[]){H + 5, W + 9}, 3);
        static uint32_t before[(H + 5) * (W + 9)], source[H * W];
        memcpy(before, b.data, sizeof before);
        memcpy(source, a.data, sizeof source);
        call(parts, every_isa[k], (tirb_arg[]){arg_of(&a), arg_of(&b)}, 2);
        for (int64_t i = 0; i < H + 5; i++) {
            for (int64_t j = 0; j < W + 9; j++) {
                int64_t at = i * (W + 9) + j;
                uint32_t got;
                memcpy(&got, b.data + at * 4, sizeof got);
                assert_int_equal(got, expected(source, before[at], i, j));
            }
        }
        assert_true(ends_well(&b, 3));
    }
}

/* ---- Rows of few elements --------------------------------------------------------------------------------------- */

/* Elements `from`, `from` + step, .. of each row of A go to elements `to`, to + 1, .. of the row of B; or those of each
 * column of A, where it lies on its side. */
typedef struct reordering {
    int64_t a, b; /* elements in a row */
    int64_t from, to, step, count;
    bool on_side;
} reordering;

static void check_reordering(const reordering *r, const char *type, DLDataType dtype, tirb_isa isa) {
    enum { ROWS = 77 };
    static uint8_t want[MOST_BYTES];
    char text[512];
    array a, b;
    snprintf(text, sizeof text,
             HEAD "def f(A: T.Buffer((%d, %d), \"%s\"), B: T.Buffer((77, %d), \"%s\")):\n"
                  "    for i, j in T.grid(77, %d):\n"
                  "        B[i, %d + j] = A[%s]\n",
             r->on_side ? (int)r->a : ROWS, r->on_side ? ROWS : (int)r->a, type, (int)r->b, type, (int)r->count,
             (int)r->to, r->on_side ? "FROM, i" : "i, FROM");
    char *index = strstr(text, "FROM");
    char tail[16], access[32];
    snprintf(tail, sizeof tail, "%s", index + 4);
    snprintf(access, sizeof access, "%d + j * (%d)", (int)r->from, (int)r->step);
    snprintf(index, sizeof text - (size_t)(index - text), "%s%s", access, tail);
    make_array(&a, 0, dtype, 2, r->on_side ? (int64_t[]){r->a, ROWS} : (int64_t[]){ROWS, r->a}, 0);
    make_array(&b, 1, dtype, 2, (int64_t[]){ROWS, r->b}, 1);
    memcpy(want, b.data, b.elements * b.size);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < r->count; j++) {
            const int64_t at = r->from + j * r->step;
            memcpy(want + (size_t)(i * r->b + r->to + j) * a.size,
                   a.data + (size_t)(r->on_side ? at * ROWS + i : i * r->a + at) * a.size, a.size);
        }
    }
    call(text, isa, (tirb_arg[]){arg_of(&a), arg_of(&b)}, 2);
    assert_memory_equal(b.data, want, b.elements * b.size);
    assert_true(ends_well(&b, 1));
}

static void reorders_rows_of_few_elements(void **state) {
    static const reordering rows[] = {
        {3, 3, 2, 0, -1, 3, false}, {4, 3, 0, 0, 1, 3, false}, {3, 4, 0, 1, 1, 3, false}, {3, 1, 1, 0, 1, 1, false},
        {4, 4, 3, 0, -1, 4, false}, {7, 2, 0, 0, 5, 2, false}, {1, 3, 0, 0, 0, 3, false}, {3, 3, 0, 0, 1, 3, true},
        {4, 4, 0, 0, 1, 4, true},   {3, 5, 2, 1, -1, 3, true}, {2, 2, 0, 0, 1, 2, true},  {9, 3, 8, 0, -4, 3, false}};
    (void)state;
    for (unsigned k = 0; k < N_ISAS; k++) {
        if (!tirb_isa_available(every_isa[k])) continue;
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
            check_reordering(&rows[i], "uint8", (DLDataType){kDLUInt, 8, 1}, every_isa[k]);
            check_reordering(&rows[i], "int16", (DLDataType){kDLInt, 16, 1}, every_isa[k]);
            check_reordering(&rows[i], "float32", (DLDataType){kDLFloat, 32, 1}, every_isa[k]);
        }
    }
}

/* One of the stores of a loop: element `to` of row i of B is element i * step + from of A or C, or 5. */
typedef struct strand {
    char array; /* 0: there are no more; '5' */
    int64_t to, step, from;
} strand;

typedef struct bringing {
    int64_t b; /* elements in a row of B */
    strand strands[6];
} bringing;

static int put_strand(char *text, size_t size, const strand *s, const char *type) {
    if (s->array == '5') return snprintf(text, size, "        B[i, %d] = T.Cast(\"%s\", 5)\n", (int)s->to, type);
    return snprintf(text, size, "        B[i, %d] = %c[i * %d + %d]\n", (int)s->to, s->array, (int)s->step,
                    (int)s->from);
}

static void check_bringing(const bringing *r, const char *type, DLDataType dtype, const void *five, tirb_isa isa) {
    enum { ROWS = 83, SOURCE = 83 * 6 };
    static uint8_t want[MOST_BYTES];
    char text[1024];
    array a, b, c;
    int n = snprintf(text, sizeof text,
                     HEAD "def f(A: T.Buffer((%d,), \"%s\"), C: T.Buffer((%d,), \"%s\"),\n"
                          "      B: T.Buffer((83, %d), \"%s\")):\n"
                          "    for i in range(83):\n",
                     SOURCE, type, SOURCE, type, (int)r->b, type);
    make_array(&a, 0, dtype, 1, (int64_t[]){SOURCE}, 0);
    make_array(&c, 2, dtype, 1, (int64_t[]){SOURCE}, 1);
    make_array(&b, 1, dtype, 2, (int64_t[]){ROWS, r->b}, 1);
    memcpy(want, b.data, b.elements * b.size);
    for (const strand *s = r->strands; s->array; s++) {
        n += put_strand(text + n, sizeof text - (size_t)n, s, type);
        for (int64_t i = 0; i < ROWS; i++) {
            const uint8_t *from = (s->array == 'A' ? a.data : c.data) + (size_t)(i * s->step + s->from) * a.size;
            memcpy(want + (size_t)(i * r->b + s->to) * a.size, s->array == '5' ? five : from, a.size);
        }
    }
    call(text, isa, (tirb_arg[]){arg_of(&a), arg_of(&c), arg_of(&b)}, 3);
    assert_memory_equal(b.data, want, b.elements * b.size);
    assert_true(ends_well(&b, 1));
}

static void brings_elements_together(void **state) {
    static const bringing all[] = {
        {2, {{'A', 0, 1, 0}, {'C', 1, 1, 3}}},
        {2, {{'C', 1, 2, 1}, {'A', 0, 1, 7}}},
        {3, {{'A', 2, 3, 0}, {'A', 1, 3, 1}, {'A', 0, 3, 2}}},
        {4, {{'A', 0, 1, 0}, {'C', 1, 1, 0}, {'A', 2, 1, 100}, {'5', 3, 0, 0}}},
        {4, {{'5', 0, 0, 0}, {'A', 3, 2, 0}, {'A', 1, 2, 1}}},
        {3, {{'A', 0, 6, 5}, {'C', 2, 0, 4}}},
        {5, {{'A', 0, 1, 0}, {'A', 1, 1, 1}, {'A', 2, 1, 2}, {'A', 3, 1, 3}, {'A', 4, 1, 4}}},
        {2, {{'5', 1, 0, 0}, {'5', 0, 0, 0}}},
    };
    (void)state;
    for (unsigned k = 0; k < N_ISAS; k++) {
        if (!tirb_isa_available(every_isa[k])) continue;
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
            check_bringing(&all[i], "uint8", (DLDataType){kDLUInt, 8, 1}, &(uint8_t){5}, every_isa[k]);
            check_bringing(&all[i], "int16", (DLDataType){kDLInt, 16, 1}, &(int16_t){5}, every_isa[k]);
            check_bringing(&all[i], "float32", (DLDataType){kDLFloat, 32, 1}, &(float){5}, every_isa[k]);
            check_bringing(&all[i], "float64", (DLDataType){kDLFloat, 64, 1}, &(double){5}, every_isa[k]);
        }
    }
}

/* A NaN with a sign and a payload is stored as the canonical one. */
static void fills_with_canonical_nans(void **state) {
    static const char *const text = HEAD "def f(V: T.Buffer((1,), \"float32\"), B: T.Buffer((5, 70), \"float32\")):\n"
                                         "    for i, j in T.grid(5, 67):\n"
                                         "        B[i, j + 1] = V[0] + V[0]\n";
    (void)state;
    for (unsigned k = 0; k < N_ISAS; k++) {
        array v, b;
        if (!tirb_isa_available(every_isa[k])) continue;
        make_array(&v, 0, (DLDataType){kDLFloat, 32, 1}, 1, (const int64_t[]){1}, 0);
        make_array(&b, 1, (DLDataType){kDLFloat, 32, 1}, 2, (const int64_t[]){5, 70}, 2);
        memcpy(v.data, &(uint32_t){0xFFC12345}, 4);
        call(text, every_isa[k], (tirb_arg[]){arg_of(&v), arg_of(&b)}, 2);
        for (size_t i = 0; i < 5; i++) {
            for (size_t j = 0; j < 67; j++)
                assert_memory_equal(b.data + (i * 70 + j + 1) * 4, &(uint32_t){0x7FC00000}, 4);
        }
        assert_true(ends_well(&b, 2));
    }
}

/* ---- Past the caches -------------------------------------------------------------------------------------------- */

enum { ROWS = 300, COLUMNS = 200, LISTED = 70, FAR = 4200000, LONG = 290000 };

/* Into memory that is large enough to be written past the caches: rows of any alignment, rows that are lines, columns
 * in rows of their own and one behind the other, rows by number, and a row that is more than is moved at once. */
static const char *const past_caches =
    HEAD "def f(A: T.Buffer((300, 200), \"uint32\"), I: T.Buffer((70,), \"int32\"),\n"
         "      B: T.Buffer((4200000,), \"uint32\")):\n"
         "    for i, j in T.grid(300, 190):\n"
         "        B[i * 333 + 3 + j] = A[i, j + 2]\n"
         "    for i, j in T.grid(300, 32):\n"
         "        B[160000 + i * 64 + j] = A[i, j]\n"
         "    for j, i in T.grid(199, 300):\n"
         "        B[200001 + j * 333 + i] = A[i, j]\n"
         "    for j, i in T.grid(199, 17):\n"
         "        B[300001 + j * 17 + i] = A[i, j]\n"
         "    for i, j in T.grid(70, 200):\n"
         "        B[400005 + i * 200 + j] = A[I[i], j]\n";
static const char *const long_row =
    HEAD "def f(L: T.Buffer((290000,), \"uint32\"), B: T.Buffer((4200000,), \"uint32\")):\n"
         "    for i in range(290000):\n"
         "        B[600007 + i] = L[i]\n";

static void expect_past_caches(const uint32_t *a, const int32_t *numbers, const uint32_t *row, uint32_t *b) {
    for (int64_t i = 0; i < ROWS; i++) {
        memcpy(b + i * 333 + 3, a + i * COLUMNS + 2, 190 * sizeof *b);
        memcpy(b + 160000 + i * 64, a + i * COLUMNS, 32 * sizeof *b);
        for (int64_t j = 0; j < COLUMNS - 1; j++) b[200001 + j * 333 + i] = a[i * COLUMNS + j];
        for (int64_t j = 0; j < COLUMNS - 1 && i < 17; j++) b[300001 + j * 17 + i] = a[i * COLUMNS + j];
        if (i < LISTED) memcpy(b + 400005 + i * COLUMNS, a + numbers[i] * COLUMNS, COLUMNS * sizeof *b);
    }
    memcpy(b + 600007, row, LONG * sizeof *b);
}

static array far_array(DLDataTypeCode code, int ndim, int64_t n, int64_t m, uint32_t salt) {
    array a = {.tensor = {.ndim = ndim, .dtype = {(uint8_t)code, 32, 1}}, .shape = {n, m}, .elements = (size_t)(n * m)};
    uint32_t *values = malloc(a.elements * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < a.elements; i++) values[i] = (uint32_t)i * salt;
    a.data = (uint8_t *)values;
    a.tensor.device.device_type = kDLCPU;
    a.tensor.data = values;
    return a;
}

static void moves_past_the_caches(void **state) {
    array a = far_array(kDLUInt, 2, ROWS, COLUMNS, 2654435761u), numbers = far_array(kDLInt, 1, LISTED, 1, 0),
          row = far_array(kDLUInt, 1, LONG, 1, 40503u), b = far_array(kDLUInt, 1, FAR, 1, 0),
          want = far_array(kDLUInt, 1, FAR, 1, 0);
    array *const all[] = {&a, &numbers, &row, &b, &want};
    (void)state;
    for (unsigned i = 0; i < 5; i++) all[i]->tensor.shape = all[i]->shape;
    for (int32_t i = 0; i < LISTED; i++) ((int32_t *)(void *)numbers.data)[i] = i * 37 % ROWS;
    expect_past_caches((uint32_t *)(void *)a.data, (int32_t *)(void *)numbers.data, (uint32_t *)(void *)row.data,
                       (uint32_t *)(void *)want.data);
    for (unsigned k = 0; k < N_ISAS; k++) {
        if (!tirb_isa_available(every_isa[k])) continue;
        memset(b.data, 0, b.elements * sizeof(uint32_t));
        call(past_caches, every_isa[k], (tirb_arg[]){arg_of(&a), arg_of(&numbers), arg_of(&b)}, 3);
        call(long_row, every_isa[k], (tirb_arg[]){arg_of(&row), arg_of(&b)}, 2);
        assert_memory_equal(b.data, want.data, b.elements * sizeof(uint32_t));
    }
    for (unsigned i = 0; i < 5; i++) free(all[i]->data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutes_four_loops),
        cmocka_unit_test(moves_parts),
        cmocka_unit_test(reorders_rows_of_few_elements),
        cmocka_unit_test(brings_elements_together),
        cmocka_unit_test(fills_with_canonical_nans),
        cmocka_unit_test(moves_past_the_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
