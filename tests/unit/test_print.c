/* What is printed is read back as the same module, prints as the same text, and no lack of memory harms it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tirb/compiler.h>

#include "compiler/ir/equal.h"
#include "compiler/text/print/print.h"
#include "compiler/text/text.h"
#include "tests/unit/sampled.h"

typedef struct program {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    const tirb_irmodule *module; /* NULL: it has errors */
} program;

static void parse(program *p, const char *name, const char *text, size_t size) {
    memset(p, 0, sizeof *p);
    tirbi_heap_init(&p->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&p->arena, &p->heap);
    assert_true(tirbi_source_init(&p->source, name, text, (uint32_t)size, &p->arena));
    tirbi_diagnostics_init(&p->diagnostics, &p->source, &p->arena, 5);
    p->module = tirbi_parse(&p->source, &p->arena, &p->diagnostics);
    if (tirbi_has_errors(&p->diagnostics)) p->module = NULL;
}

static void round_trip(const char *name, const char *text, size_t size, tirb_dialect dialect) {
    program first, second;
    const char *printed, *again;
    size_t length, length_again;
    parse(&first, name, text, size);
    if (first.module) {
        if (!tirbi_print(first.module, dialect, &first.arena, &first.diagnostics, &printed, &length))
            fail_msg("%s does not print: %s", name, first.diagnostics.items ? first.diagnostics.items[0].message : "");
        parse(&second, name, printed, length);
        if (!second.module)
            fail_msg("%s is not read again: %s\n%s", name, second.diagnostics.items[0].message, printed);
        if (!tirbi_module_equal(first.module, second.module, &second.arena))
            fail_msg("%s is read again as another module:\n%s", name, printed);
        assert_true(tirbi_print(second.module, dialect, &second.arena, &second.diagnostics, &again, &length_again));
        if (length != length_again || memcmp(printed, again, length) != 0)
            fail_msg("%s prints differently again:\n%s\n%s", name, printed, again);
        tirbi_arena_destroy(&second.arena);
    }
    tirbi_arena_destroy(&first.arena);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static unsigned visit_folder(const char *folder, int depth) {
    DIR *entries = opendir(folder);
    unsigned n = 0;
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        char path[1024];
        size_t length = strlen(entry->d_name), size;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".py") == 0) {
            if (++n % sampled_every() != 0) continue;
            char *text = read_file(path, &size);
            for (int dialect = TIRB_DIALECT_SAME; dialect <= TIRB_DIALECT_HYBRID; dialect++)
                round_trip(path, text, size, (tirb_dialect)dialect);
            free(text);
        } else if (depth < 3 && !strchr(entry->d_name, '.')) {
            DIR *inner = opendir(path);
            if (inner) {
                closedir(inner);
                n += visit_folder(path, depth + 1);
            }
        }
    }
    closedir(entries);
    return n;
}

static void test_every_program(void **state) {
    (void)state;
    assert_true(visit_folder("tests/golden", 0) + visit_folder("tests/kernels", 0) > 50);
}

static const char sample[] =
    "# from tvm.script import tirx as T\n"
    "# from tvm.tirx.layout import Axis\n"
    "\n"
    "@T.prim_func(s_tir=True)\n"
    "def main(A: T.Buffer((\"n\", 4), \"float32\"), B: T.Buffer((n,), \"float32\")):\n"
    "    n = T.int32()\n"
    "    # with T.sblock(\"root\"):\n"
    "    C = T.sblock_alloc_buffer((n, 4))\n"
    "    for i, j in T.grid(n, 4):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            T.reads(A[vi, vj])\n"
    "            T.writes(C[vi, vj])\n"
    "            C[vi, vj] = T.max(A[vi, vj], T.float32(0.0)) - (A[vi, vj] - T.float32(0.5))\n"
    "    for i in range(n):\n"
    "        for j in T.unroll(4):\n"
    "            with T.sblock(\"B\"):\n"
    "                vi, vj = T.axis.remap(\"SR\", [i, j])\n"
    "                T.where(i * 4 + j < n * 4)\n"
    "                T.reads(C[vi, 0:4])\n"
    "                T.writes(B[vi])\n"
    "                with T.init():\n"
    "                    B[vi] = T.float32(0.0)\n"
    "                B[vi] = B[vi] + T.if_then_else(not (vj < 2 and vi % 2 == 1), C[vi, vj], T.float32(\"inf\"))\n";

static void test_canonical_text(void **state) {
    (void)state;
    tirb_compile_result *result;
    tirb_error error = TIRB_ERROR_INIT;
    size_t size;
    assert_int_equal(tirb_format(sample, strlen(sample), TIRB_DIALECT_SAME, NULL, &result, &error), TIRB_OK);
    const uint8_t *text = tirb_compile_result_bytes(result, &size);
    if (size != strlen(sample) || memcmp(text, sample, size) != 0) fail_msg("%.*s", (int)size, (const char *)text);
    tirb_compile_result_destroy(result);
    assert_int_equal(tirb_format(NULL, 1, TIRB_DIALECT_SAME, NULL, &result, &error), TIRB_MISUSE);
    assert_int_equal(tirb_format(sample, 1, (tirb_dialect)9, NULL, &result, &error), TIRB_MISUSE);
}

/* The NaN of constant arithmetic has the sign that its text has, whatever the machine makes. */
static void test_folded_nan(void **state) {
    (void)state;
    static const char text[] = "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
                               "def main(A: T.Buffer((2,), \"float32\")):\n"
                               "    A[0] = T.float32(\"inf\") * T.float32(0.0)\n"
                               "    A[1] = T.Cast(\"float32\", T.float64(\"inf\") - T.float64(\"inf\"))\n";
    round_trip("folded NaN", text, sizeof text - 1, TIRB_DIALECT_TIRX);
}

/* An operation on a constant stays one: `~7` would be read as the constant -8. */
static void test_kept_operation(void **state) {
    (void)state;
    static const char text[] = "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
                               "def main(A: T.Buffer((2,), \"int32\")):\n"
                               "    A[0] = T.bitwise_not(T.int32(7))\n";
    for (int dialect = TIRB_DIALECT_TIRX; dialect <= TIRB_DIALECT_HYBRID; dialect++) {
        round_trip("bitwise_not", text, sizeof text - 1, (tirb_dialect)dialect);
    }
}

/* Programs in spellings of their own and the text that TVM 0.27 prints for them, without the four lines of the
 * header. */
static const struct {
    const char *source, *printed;
} spellings[] = {
    /* A handle that is bound to a buffer is that buffer. */
    {"@T.prim_func(s_tir=True)\ndef f(a: T.handle, b: T.handle, m: T.int32):\n"
     "    T.func_attr({\"global_symbol\": \"f\", \"tirx.noalias\": True})\n    n = T.int32()\n"
     "    A = T.match_buffer(a, (m + 1, n), \"float16\", align=64, elem_offset=0, offset_factor=1)\n"
     "    B = T.match_buffer(b, (m, n), strides=(\"s\", \"t\"), offset_factor=16)\n    A[0, 0] = B[0, 0]\n",
     "@T.prim_func(s_tir=True)\n"
     "def f(A: T.Buffer((\"m + 1\", \"n\"), \"float16\"), B: T.Buffer((m, n), \"float32\", strides=(\"s\", \"t\"), "
     "offset_factor=16), m: T.int32):\n    n = T.int32()\n    T.func_attr({\"tirx.noalias\": True})\n"
     "    A[0, 0] = T.Cast(\"float16\", B[0, 0])\n"},
    /* A local buffer of one element is a variable, and what is stored to another one is assigned to its name. */
    {"@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), O: T.Buffer((1,), \"int32\")):\n"
     "    c = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n    c[0] = A[0]\n    c[0] += 2\n    O[0] = c[0]\n",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), O: T.Buffer((1,), \"int32\")):\n"
     "    c: T.int32 = A[0]\n    c = c + 2\n    O = c\n"},
    /* layout=None is said of buffers that would have one; a view that differs in that is declared. */
    {"@T.prim_func\ndef f(A: T.Buffer((4, 4), \"float32\"), O: T.Buffer((1,), \"float32\", layout=None)):\n"
     "    c = T.alloc_local((1,), layout=None)\n    v = T.decl_buffer((16,), data=A.data, layout=None)\n"
     "    w = A.view(16)\n    c[0] = v[1] + w[2]\n    O[0] = c[0]\n",
     "@T.prim_func\ndef f(A: T.Buffer((4, 4), \"float32\"), O: T.Buffer((1,), \"float32\", layout=None)):\n"
     "    c = T.alloc_local((1,), layout=None)\n    v = T.decl_buffer((16,), data=A.data, layout=None)\n"
     "    w = A.view(16)\n    c[0] = v[1] + w[2]\n    O[0] = c[0]\n"},
    /* A sum names what is quoted before it in the same shape. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((\"n\", \"n + 1\"), \"int8\")):\n    n = T.int32()\n    A[0, n] = "
     "T.int8(1)\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((\"n\", n + 1), \"int8\")):\n    n = T.int32()\n    A[0, n] = "
     "T.int8(1)\n"},
    /* The extents of loops are sums as TVM writes them, those of axes as they are given. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"int8\"), n: T.int32, m: T.int32):\n    for i in range(2 * n "
     "- m + 1):\n"
     "        with T.sblock(\"b\"):\n            v = T.axis.spatial((1, n - 1), i)\n            w = T.axis.spatial((m, "
     "m + 4), i)\n"
     "            A[v] = A[w]\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"int8\"), n: T.int32, m: T.int32):\n    # with "
     "T.sblock(\"root\"):\n"
     "    for i in range(n * 2 + 1 - m):\n        with T.sblock(\"b\"):\n            v = T.axis.spatial((1, n - 1), "
     "i)\n"
     "            w = T.axis.spatial((m, m + 4), i)\n            T.reads(A[w])\n            T.writes(A[v])\n           "
     " A[v] = A[w]\n"},
    /* Products that share a factor, quotients and remainders are simplified in them. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"int8\"), n: T.int32, m: T.int32):\n"
     "    for i in range(n // 4 * 4, n):\n        T.evaluate(i)\n"
     "    for i in range(n * m, (n + 1) * m):\n        T.evaluate(i)\n"
     "    for i in range(n * m - n):\n        T.evaluate(i)\n"
     "    for i in range(2 * n * m + n * m):\n        T.evaluate(i)\n"
     "    for i in range((n * 4 + m * 8 + 6) // 4):\n        T.evaluate(i)\n"
     "    for i in range(n, (n + 3) // 4 * 4):\n        T.evaluate(i)\n"
     "    for i in range((n + 9) % 4):\n        T.evaluate(i)\n"
     "    for i in range(n // 2 // 4):\n        T.evaluate(i)\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"int8\"), n: T.int32, m: T.int32):\n"
     "    for i in range(n // 4 * 4, n // 4 * 4 + n % 4):\n        T.evaluate(i)\n"
     "    for i in range(n * m, n * m + m):\n        T.evaluate(i)\n"
     "    for i in range((m - 1) * n):\n        T.evaluate(i)\n"
     "    for i in range(n * m * 3):\n        T.evaluate(i)\n"
     "    for i in range(m * 2 + n + 1):\n        T.evaluate(i)\n"
     "    for i in range(n, n + (3 - (n + 3) % 4)):\n        T.evaluate(i)\n"
     "    for i in range((n + 1) % 4):\n        T.evaluate(i)\n"
     "    for i in range(n // 8):\n        T.evaluate(i)\n"},
    /* The begin of a slice keeps its type where the end has another. */
    {"n = TypeVar(\"n\")\n@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((n,), \"int8\")):\n    for i in range(2):\n      "
     "  with T.sblock(\"b\"):\n"
     "            v = T.axis.spatial(2, i)\n            T.reads(A[0:n])\n            T.writes(A[1:T.int64(4)])\n       "
     "     A[v] = A[0]\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((n,), \"int8\")):\n    # with T.sblock(\"root\"):\n    for i in "
     "range(2):\n"
     "        with T.sblock(\"b\"):\n            v = T.axis.spatial(2, i)\n            T.reads(A[0:n])\n"
     "            T.writes(A[1:T.int64(4)])\n            A[v] = A[0]\n"},
    /* A layout keeps its text; operations that their names would fold are written as operations. */
    {"@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), i: T.int32):\n"
     "    c = T.alloc_buffer((2, 4), \"int32\", layout=T.TileLayout(T.S[(4, 4):(4, 1)]))\n"
     "    c[0, 0] = T.RShift(i, 0)\n    c[0, 1] = T.BitwiseAnd(6, 3)\n    A[0] = c[0, 0] + T.shift_right(i, 0) + (i & "
     "0)\n",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), i: T.int32):\n"
     "    c = T.alloc_buffer((2, 4), \"int32\", layout=T.TileLayout(T.S[(4, 4):(4, 1)]))\n"
     "    c[0, 0] = T.RShift(i, 0)\n    c[0, 1] = T.BitwiseAnd(6, 3)\n    A[0] = c[0, 0] + i + (i & 0)\n"},
    /* A view has its buffer's element offset, of the type that this has there; `.source` is the buffer of an element.
     */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((\"n\", T.int64(16)), \"float16\"), S: T.Buffer((), \"int32\", "
     "elem_offset=0)):\n"
     "    n = T.int32()\n    B = A.view(T.Cast(\"int64\", n) * T.int64(16))\n"
     "    C = T.decl_buffer((T.Cast(\"int64\", n) * T.int64(16),), \"float16\", data=A.data)\n"
     "    D = T.decl_buffer((1,), \"int32\", data=S.source.data)\n    B[0] = C[1] + T.Cast(\"float16\", D[0])\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((\"n\", T.int64(16)), \"float16\"), S: T.Buffer((), \"int32\", "
     "elem_offset=0)):\n"
     "    n = T.int32()\n    B = A.view(T.Cast(\"int64\", n) * T.int64(16))\n"
     "    C = T.decl_buffer((T.Cast(\"int64\", n) * T.int64(16),), \"float16\", data=A.data)\n"
     "    D = S.view(1)\n    B[0] = C[1] + T.Cast(\"float16\", D[0])\n"},
    /* Functions of C's library stay what they were written as; strides that name later parameters keep the handle. */
    {"@T.prim_func(s_tir=True)\ndef f(a: T.handle, s: T.int32):\n    A = T.match_buffer(a, (4, 4), strides=[s, 1])\n"
     "    A[0, 0] = T.call_extern(\"float32\", \"powf\", A[0, 1], T.call_pure_extern(\"float32\", \"expf\", A[1, "
     "1]))\n",
     "@T.prim_func(s_tir=True)\ndef f(a: T.handle, s: T.int32):\n    A = T.match_buffer(a, (4, 4), \"float32\", "
     "strides=(s, 1))\n"
     "    A[0, 0] = T.call_extern(\"float32\", \"powf\", A[0, 1], T.call_pure_extern(\"float32\", \"expf\", A[1, "
     "1]))\n"},
    /* An attribute has a frame unless it is all that its frame has. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16,), \"float32\")):\n    T.attr(A.data, \"outer\", 1)\n    A[0] = "
     "1\n"
     "    t = T.launch_thread(\"threadIdx.x\", 16)\n    T.attr(A.data, \"inner\", 2)\n    "
     "T.tvm_storage_sync(\"shared\")\n    A[t] = 1\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16,), \"float32\")):\n    T.attr(A.data, \"outer\", 1)\n"
     "    A[0] = T.float32(1.0)\n    with T.launch_thread(\"threadIdx.x\", 16) as t:\n        T.attr(A.data, "
     "\"inner\", 2)\n"
     "        T.tvm_storage_sync(\"shared\", T.bool(False), -1)\n        A[t] = T.float32(1.0)\n"},
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16,), \"int64\"), p: T.handle(\"int32\")):\n"
     "    for i in T.serial(16, annotations={\"pragma_unroll\": 4}):\n        A[i] = T.popcount(A[i])\n"
     "    for i in T.serial(16, unroll=False):\n"
     "        assert A[i] > 0, (\"ValueError\", [\"a\", \"b\"])\n"
     "        A[i] = T.Cast(\"int64\", T.call_extern(\"name\", i, dtype=\"int32\"))\n"
     "        A[i] = T.call_llvm_pure_intrin(\"int64\", \"llvm.ctpop.i64\", A[i])\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16,), \"int64\"), p: T.handle(\"int32\", \"global\")):\n"
     "    for i in T.serial(16, unroll=4):\n        A[i] = T.popcount(A[i])\n"
     "    for i in T.serial(16, unroll=False):\n"
     "        assert A[i] > T.int64(0), (\"ValueError\", [\"a\", \"b\"])\n"
     "        A[i] = T.Cast(\"int64\", T.call_extern(\"int32\", \"name\", i))\n"
     "        A[i] = T.call_llvm_pure_intrin(\"int64\", \"llvm.ctpop\", A[i])\n"},
    /* Attributes are written one way, however they were given. */
    {"dims = (1, 2)\n@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n"
     "    T.func_attr({'x': [1, 2, 'a\"'], 'y': {'z': 1,\n        'b': [None, True, 1.5]}, 'd': dims, 'n': None,\n"
     "        't': T.target({'kind': 'llvm', 'keys': ['cpu']}), 'u': [T.int64(3), T.int32(4)]})\n    A[0] = 1.0\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n"
     "    T.func_attr({\"d\": [1, 2], \"n\": None, \"t\": T.target({\"keys\": [\"cpu\"], \"kind\": \"llvm\"}), "
     "\"u\": [T.int64(3), 4], \"x\": [1, 2, \"a\\\"\"], \"y\": {\"b\": [None, True, 1.5], \"z\": 1}})\n"
     "    A[0] = T.float32(1.0)\n"},
    /* A thread has the type of its extent; buffers without data, slices with the step 1 and blocks of macros. */
    {"@T.macro\ndef fill(A, i):\n    with T.sblock(\"fill\"):\n        v = T.axis.spatial(8, i)\n        A[v] = 1\n"
     "@T.prim_func(s_tir=True, check_well_formed=False)\ndef f(A: T.Buffer((8,), \"float32\")):\n"
     "    b = T.Buffer((4,), strides=[1], scope=\"local\")\n    fill(A, 1)\n    fill(A, 2)\n"
     "    A[0:4] = T.reinterpret(\"float32x4\", A[4:8:1])\n    t = T.launch_thread(\"threadIdx.x\", T.int64(8))\n"
     "    if t == T.int64(0):\n        A[t] = b[0]\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n    # with T.sblock(\"root\"):\n"
     "    with T.sblock(\"fill\"):\n        v = T.axis.spatial(8, 1)\n        T.reads()\n        T.writes(A[v])\n"
     "        A[v] = T.float32(1.0)\n"
     "    with T.sblock(\"fill_1\"):\n        v = T.axis.spatial(8, 2)\n        T.reads()\n        T.writes(A[v])\n"
     "        A[v] = T.float32(1.0)\n    A[0:4] = A[T.Ramp(4, 1, 4)]\n"
     "    with T.launch_thread(\"threadIdx.x\", T.int64(8)) as t:\n        if t == T.int64(0):\n"
     "            b = T.Buffer((4,), strides=(1,), scope=\"local\")\n            A[t] = b[0]\n"},
    /* The block that is a function's body is its root, whatever it is called; one with attributes is written out. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n    with T.sblock(\"x\"):\n"
     "        with T.sblock(\"y\"):\n            v = T.axis.spatial(1, 0)\n            A[v] = 1\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n    # with T.sblock(\"root\"):\n"
     "    with T.sblock(\"y\"):\n        v = T.axis.spatial(1, 0)\n        T.reads()\n        T.writes(A[v])\n"
     "        A[v] = T.float32(1.0)\n"},
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n    with T.sblock(\"x\"):\n"
     "        T.sblock_attr({\"a\": 1})\n        A[0] = 1\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")):\n    with T.sblock(\"x\"):\n"
     "        T.reads()\n        T.writes()\n        T.sblock_attr({\"a\": 1})\n        A[0] = T.float32(1.0)\n"},
    /* What is read of a matched buffer is read of the region. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16, 16, 16), \"float32\"), B: T.Buffer((1,), \"float32\")):\n"
     "    for i, j in T.grid(16, 4):\n        with T.sblock(\"b\"):\n            vi, vj = T.axis.remap(\"SS\", [i, "
     "j])\n"
     "            C = T.match_buffer(A[0:16, vi, vj * 4:vj * 4 + 4], (16, 1, 4))\n"
     "            for k, l in T.grid(4, 4):\n                B[0] = B[0] + C[k + 8, 0, l]\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16, 16, 16), \"float32\"), B: T.Buffer((1,), \"float32\")):\n"
     "    # with T.sblock(\"root\"):\n"
     "    for i, j in T.grid(16, 4):\n        with T.sblock(\"b\"):\n            vi, vj = T.axis.remap(\"SS\", [i, "
     "j])\n"
     "            T.reads(B[0], A[8:12, vi, vj * 4:vj * 4 + 4])\n            T.writes(B[0])\n"
     "            C = T.match_buffer(A[0:16, vi, vj * 4:vj * 4 + 4], (16, 1, 4))\n"
     "            for k, l in T.grid(4, 4):\n                B[0] = B[0] + C[k + 8, 0, l]\n"},
    /* A float16 is asked whether it is NaN as a float32. A reducer has its constants as they are elsewhere; a buffer
     * that an attribute names keeps its name. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"bool\"), z: T.float16):\n    A[0] = T.isnan(z)\n"
     "    with T.attr(T.comm_reducer(lambda x, y: T.max(x, y), [T.int32(-5)]), \"reduce_scope\", "
     "T.reinterpret(\"handle\", T.uint64(0))):\n        A[1] = A[0]\n"
     "    with T.attr(A, \"buffer\", 1):\n        A[2] = A[0]\n"
     "    with T.attr(A.data, \"data\", 1):\n        A[3] = A[0]\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"bool\"), z: T.float16):\n"
     "    A[0] = T.isnan(T.Cast(\"float32\", z))\n"
     "    with T.attr(T.comm_reducer(lambda x, y: T.max(x, y), [-5]), \"reduce_scope\", "
     "T.reinterpret(T.handle().ty, T.uint64(0))):\n        A[1] = A[0]\n"
     "    with T.attr(A, \"buffer\", 1):\n        A[2] = A[0]\n"
     "    with T.attr(A.data, \"data\", 1):\n        A[3] = A[0]\n"},
    /* Variables in sums of a shape have a line each, before those that are extents. */
    {"@T.prim_func(s_tir=True)\ndef f(a: T.handle):\n    n, m, s, t = T.int32(), T.int32(), T.int32(), T.int32()\n"
     "    A = T.match_buffer(a, (n, m + n + s, t, m), \"int8\")\n    A[0, 0, 0, 0] = T.int8(1)\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((\"n\", \"m + n + s\", \"t\", m), \"int8\")):\n    m = T.int32()\n"
     "    s = T.int32()\n    n, t = T.int32(), T.int32()\n    A[0, 0, 0, 0] = T.int8(1)\n"},
    /* All of a buffer as another type, where TVM reads that. */
    {"@T.prim_func\ndef f(A: T.Buffer((8, 4), \"float32\")):\n    b = T.decl_buffer((8, 16), \"int8\", data=A.data)\n"
     "    c = T.decl_buffer((8, 2), \"int64\", data=A.data)\n    d = T.decl_buffer((32,), \"int32\", data=A.data)\n"
     "    e = T.decl_buffer((8, 4), \"int32\", data=A.data, align=16)\n    b[0, 0] = T.int8(1)\n",
     "@T.prim_func\ndef f(A: T.Buffer((8, 4), \"float32\")):\n    b = A.view(\"int8\")\n    c = A.view(\"int64\")\n"
     "    d = T.decl_buffer((32,), \"int32\", data=A.data)\n"
     "    e = T.decl_buffer((8, 4), \"int32\", data=A.data, align=16)\n    b[0, 0] = T.int8(1)\n"},
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8, 4), \"float32\")):\n    b = A.view(\"int8\")\n    b[0, 0] = "
     "T.int8(1)\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8, 4), \"float32\")):\n    b = T.decl_buffer((8, 16), \"int8\", "
     "data=A.data)\n    b[0, 0] = T.int8(1)\n"},
    /* A result that is said to be void; what an accelerator's function is given as dtype is no argument. */
    {"@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")) -> T.void:\n"
     "    T.tvm_mma_sync(A.data, 0, A.data, 0, A.data, 0, A.data, 0, dtype=\"void\")\n"
     "    T.ptx_legacy.wait_group(0)\n",
     "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), \"float32\")) -> T.void:\n"
     "    T.tvm_mma_sync(A.data, 0, A.data, 0, A.data, 0, A.data, 0)\n    T.ptx_legacy.wait_group(0)\n"},
    /* The types of loops' variables, and unsigned ends that are sums. */
    {"@T.prim_func(s_tir=True)\ndef f(n: T.uint8, u: T.uint32):\n    for i in range(n):\n        T.evaluate(i)\n"
     "    for i in range(T.int8(4)):\n        T.evaluate(i)\n    for i in range(u, 8):\n        T.evaluate(i)\n",
     "@T.prim_func(s_tir=True)\ndef f(n: T.uint8, u: T.uint32):\n    for i in range(T.Cast(\"uint32\", n)):\n"
     "        T.evaluate(i)\n    for i in range(4):\n        T.evaluate(i)\n"
     "    for i in range(u, u + (T.uint32(8) - u)):\n        T.evaluate(i)\n"},
    {"@T.prim_func(s_tir=True)\ndef f(n: T.uint8):\n    for i in T.serial(n):\n        T.evaluate(i)\n",
     "@T.prim_func(s_tir=True)\ndef f(n: T.uint8):\n    for i in T.serial(n):\n        T.evaluate(i)\n"},
};

static void test_spellings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        char *text;
        size_t size;
        const char *source = spellings[i].source;
        assert_int_equal(tirb_format(source, strlen(source), TIRB_DIALECT_SAME, &options, &result, &error), TIRB_OK);
        const uint8_t *printed = tirb_compile_result_bytes(result, &size);
        text = calloc(1, size + 1);
        memcpy(text, printed, size);
        assert_string_equal(strstr(text, "@T"), spellings[i].printed);
        free(text);
        tirb_compile_result_destroy(result);
        for (int dialect = TIRB_DIALECT_TIRX; dialect <= TIRB_DIALECT_HYBRID; dialect++)
            round_trip("spelling", source, strlen(source), (tirb_dialect)dialect);
    }
}

typedef struct countdown {
    size_t left;
} countdown;

static void *failing_reallocate(void *user, void *ptr, size_t old_size, size_t new_size) {
    countdown *c = user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (c->left == 0) return NULL;
    c->left--;
    return realloc(ptr, new_size);
}

static void test_failing_allocations(void **state) {
    (void)state;
    for (size_t n = 0; n < 100000; n++) {
        countdown c = {n};
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        options.allocator.context = &c;
        options.allocator.reallocate = failing_reallocate;
        tirb_status status = tirb_format(sample, strlen(sample), TIRB_DIALECT_SAME, &options, &result, &error);
        tirb_compile_result_destroy(result);
        if (status == TIRB_OK) return;
        assert_int_equal(status, TIRB_NO_MEMORY);
    }
    fail_msg("it never had enough memory");
}

/* `A = value` is a store of element 0 whose index has 32 bits. */
static void indices_of_other_types_are_shown(void **state) {
    (void)state;
    static const char text[] = "from tvm.script import tirx as T\n@T.prim_func\n"
                               "def f(A: T.Buffer((1,), \"int8\")):\n    c: T.int32\n"
                               "    A[T.int64(0)] = A[0]\n    A[0] = A[T.int64(0)]\n    A[T.uint8(0)] = A[T.uint8(0)]\n"
                               "    c[T.int64(0)] = c[T.int16(0)] + 1\n    c = c[T.int64(0)] + c\n"
                               "    A[0] = T.Cast(\"int8\", c)\n";
    for (int dialect = TIRB_DIALECT_SAME; dialect <= TIRB_DIALECT_HYBRID; dialect++)
        round_trip("indices", text, sizeof text - 1, (tirb_dialect)dialect);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_other_types_are_shown),
        cmocka_unit_test(test_every_program),
        cmocka_unit_test(test_canonical_text), cmocka_unit_test(test_folded_nan),
        cmocka_unit_test(test_kept_operation), cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
