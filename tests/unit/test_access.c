/* The regions that blocks without T.reads and T.writes get: those that TVM 0.27 prints for the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/text/print/print.h"
#include "compiler/text/text.h"

/* The lines T.reads and T.writes of the printed text, without blanks around them, each with a newline. */
static void regions_of(const char *text, char *out, size_t room) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    const char *printed;
    size_t size, used = 0;
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 26);
    tirbi_arena_init(&arena, &heap);
    assert_true(tirbi_source_init(&source, "test.py", text, (uint32_t)strlen(text), &arena));
    tirbi_diagnostics_init(&diagnostics, &source, &arena, 0);
    const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
    if (tirbi_has_errors(&diagnostics)) fail_msg("%s\n%s", diagnostics.items[0].message, text);
    assert_true(tirbi_print(module, TIRB_DIALECT_SAME, &arena, &diagnostics, &printed, &size));
    for (const char *line = printed; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        line += strspn(line, " ");
        if (strncmp(line, "T.reads(", 8) != 0 && strncmp(line, "T.writes(", 9) != 0) continue;
        size_t length = strcspn(line, "\n") + 1;
        assert_true(used + length < room);
        memcpy(out + used, line, length);
        used += length;
    }
    out[used] = '\0';
    tirbi_arena_destroy(&arena);
    assert_int_equal(heap.used, 0);
}

static void expect(const char *body, const char *expected) {
    char text[4096], found[1024];
    snprintf(
        text, sizeof text,
        "@T.prim_func(s_tir=True)\n"
        "def f(A: T.Buffer((64, 64), \"float32\"), X: T.Buffer((512,), \"float32\"), N: T.Buffer((64,), \"int32\"),\n"
        "      n: T.int32):\n"
        "    for i, j in T.grid(8, 8):\n"
        "        with T.sblock(\"b\"):\n"
        "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
        "%s",
        body);
    regions_of(text, found, sizeof found);
    if (strcmp(found, expected) != 0) fail_msg("%s\nfound:\n%sexpected:\n%s", body, found, expected);
}

/* What X is read at, for an index within loops; "" where nothing is detected. */
static void expect_index(const char *index, const char *expected) {
    char body[1024], lines[512];
    snprintf(body, sizeof body,
             "            T.writes(N[0])\n"
             "            for k in range(8):\n"
             "                for q in range(n):\n"
             "                    for z in range(vi * 2, n):\n"
             "                        N[0] = T.Cast(\"int32\", X[%s])\n",
             index);
    snprintf(lines, sizeof lines, expected[0] ? "T.reads(X[%s])\nT.writes(N[0])\n" : "%sT.writes(N[0])\n", expected);
    expect(body, lines);
}

static void indices(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"vi + 1 - 1", "vi + 1 - 1"},
        {"2 * vi", "2 * vi"},
        {"k", "0:8"},
        {"k * 2", "0:15"},
        {"7 - k", "0:8"},
        {"vi * 8 + k + 3", "vi * 8 + 3:vi * 8 + 3 + 8"},
        {"k + vj + vi * 4", "vi * 4 + vj:vi * 4 + vj + 8"},
        {"vj + vi + k", "vj + vi:vj + vi + 8"},
        {"k - 1 + vi", "vi - 1:vi - 1 + 8"},
        {"vi - vj + 3 + k", "vi + 3 - vj:vi + 3 - vj + 8"},
        {"3 - vi - k", "0 - vi - 4:0 - vi - 4 + 8"},
        {"4 * (vi + vj + k)", "vi * 4 + vj * 4:vi * 4 + vj * 4 + 29"},
        {"q", "0:n"},
        {"q * 2 + k", "0:n * 2 + 6"},
        {"n - q", "1:1 + n"},
        {"z + vj", "vi * 2 + vj:vi * 2 + vj + (n - vi * 2)"},
        {"k // 3", "0:3"},
        {"(vi * 2 + k) // 2", "vi:vi + 4"},
        {"(vi * 8 + k) % 8", "0:8"},
        {"k % 4 + vi", "vi:vi + 4"},
        {"T.min(k, 3) + T.max(k, 2)", "2:11"},
        {"T.Select(k < 2, k, 0)", "0:8"},
        {"T.max(vi - 1, 0)", "T.max(vi - 1, 0)"},
        {"vi << 2", "0:512"},
        {"T.if_then_else(k < 2, k, 0)", "0:512"},
        {"k * n", ""},
        {"(vi * 3 + k) // 2", ""},
        {"T.min(vi + k, 63)", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_index(cases[i][0], cases[i][1]);
}

static void statements(void **state) {
    (void)state;
    expect("            X[N[vi]] = X[vi - 1] + X[vi + 1]\n",
           "T.reads(X[vi - 1:vi - 1 + 3], N[vi])\nT.writes(X[N[vi]])\n");
    expect("            X[0:4] = X[8:12]\n", "T.reads(X[8:12])\nT.writes(X[0:4])\n");
    expect("            X[vi] = X[vi] + X[vj]\n",
           "T.reads(X[T.min(vi, vj):T.min(vi, vj) + (T.max(vi, vj) + 1 - T.min(vi, vj))])\nT.writes(X[vi])\n");
    expect("            with T.init():\n"
           "                X[vi] = 0.0\n"
           "            X[vi] = X[vi] + A[vi, vj]\n",
           "T.reads(A[vi, vj])\nT.writes(X[vi])\n");
    expect("            y: T.let = vi * 8\n"
           "            for k in range(8):\n"
           "                X[y + k] = 1.0\n",
           "T.reads()\nT.writes(X[vi * 8:vi * 8 + 8])\n");
    expect("            t = T.sblock_alloc_buffer((4,))\n"
           "            t[0] = X[vi]\n"
           "            X[vj] = t[0]\n",
           "T.reads(X[vi])\nT.writes(X[vj])\n");
    expect("            for k in range(8):\n"
           "                if k < 3 and vi < 2:\n"
           "                    X[k] = 1.0\n"
           "                if 5 <= k:\n"
           "                    N[k] = 1\n"
           "                else:\n"
           "                    A[k, vi] = 1.0\n",
           "T.reads()\nT.writes(X[0:3], N[5:8], A[0:5, vi])\n");
    expect("            X[vi] = X[vj] + X[0]\n",
           "T.reads(X[T.min(vj, 0):T.min(vj, 0) + (T.max(vj, 0) + 1 - T.min(vj, 0))])\nT.writes(X[vi])\n");
    expect("            vk = T.axis.opaque(N[vi + 1] - N[vi], 0)\n"
           "            X[vk] = A[vi, vk]\n",
           "T.reads(N[vi:vi + 2], A[vi, vk])\nT.writes(X[vk])\n");
    expect("            T.evaluate(T.call_extern(\"int32\", \"f\", X.data))\n", "");
}

/* Regions around several accesses of which none is known to be the first or the last. */
static void choices(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"X[vi * 3] + X[4]", "T.min(vi * 3, 4):T.min(vi * 3, 4) + (T.max(vi * 3, 4) + 1 - T.min(vi * 3, 4))", ""},
        {"X[4] + X[vi * 3] + X[vj + 2]",
         "T.min(T.min(4, vi * 3), vj + 2):T.min(T.min(4, vi * 3), vj + 2) + "
         "(T.max(T.max(4, vi * 3), vj + 2) + 1 - T.min(T.min(4, vi * 3), vj + 2))",
         ""},
        {"X[vi * 2] + X[1] + X[8]", "T.min(vi * 2, 1):T.min(vi * 2, 1) + (T.max(vi, 4) * 2 + 1 - T.min(vi * 2, 1))",
         ""},
        {"X[vi + 12] + X[1] + X[vj * 5 + 2]",
         "T.min(T.min(vi + 12, vj * 5 + 2), 1):T.min(T.min(vi + 12, vj * 5 + 2), 1) + "
         "(T.max(T.max(vi + 12, vj * 5 + 2), 1) + 1 - T.min(T.min(vi + 12, vj * 5 + 2), 1))",
         ""},
        {"X[vj + 1] + X[vi + 1]", "T.min(vj, vi) + 1:T.min(vj, vi) + 1 + (T.max(vj, vi) + 1 - T.min(vj, vi))", ""},
        {"X[1 - vj] + X[12]", "1 - T.max(vj, -11):1 - T.max(vj, -11) + (T.max(vj, -11) + 1 - T.min(vj, -11))", ""},
        {"X[vi * 5 - 1] + X[2]",
         "T.min(vi * 5 - 1, 2):T.min(vi * 5 - 1, 2) + (T.max(vi * 5, 3) - T.min(vi * 5 - 1, 2))", ""},
        {"X[5] + X[vi * 5] + X[7]",
         "T.min(5, vi * 5):T.min(5, vi * 5) + (T.max(T.max(5, vi * 5), 7) + 1 - T.min(5, vi * 5))", ""},
        {"X[vi] + X[vi * 2] + X[vi]",
         "T.min(vi, vi * 2):T.min(vi, vi * 2) + (T.max(vi, vi * 2) + 1 - T.min(vi, vi * 2))", ""},
        {"X[3 - vj * 3] + X[4]", NULL, "written in another way"},
        {"X[vi + vj] + X[vi + 4]", NULL, "a term of both is taken out"},
        {"X[vi * 3] + X[vj * 3]", NULL, "a factor of both is taken out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[512], lines[512];
        snprintf(body, sizeof body, "            N[0] = T.Cast(\"int32\", %s)\n", cases[i][0]);
        snprintf(lines, sizeof lines, cases[i][1] ? "T.reads(X[%s])\nT.writes(N[0])\n" : "%sT.writes(N[0])\n",
                 cases[i][1] ? cases[i][1] : "");
        expect(body, lines);
    }
}

static void blocks_inside(void **state) {
    (void)state;
    expect("            for k in range(4):\n"
           "                with T.sblock(\"inner\"):\n"
           "                    vk = T.axis.spatial(4, k)\n"
           "                    vm = T.axis.spatial(8, vi)\n"
           "                    X[vm * 4 + vk] = A[vm % 2, vk + 1]\n",
           "T.reads(A[vi % 2, 1:5])\nT.writes(X[vi * 4:vi * 4 + 4])\n"
           "T.reads(A[vm % 2, vk + 1])\nT.writes(X[vm * 4 + vk])\n");
    expect("            with T.sblock(\"inner\"):\n"
           "                vk = T.axis.spatial(8, vi)\n"
           "                T.reads(A[vk, 0:n])\n"
           "                T.writes(X[vk])\n"
           "                X[vk] = A[vk, n - 1]\n",
           "T.reads(A[vi, 0:n])\nT.writes(X[vi])\nT.reads(A[vk, 0:n])\nT.writes(X[vk])\n");
}

/* The root block has empty ones, where it is written as well. */
static void root(void **state) {
    (void)state;
    char found[256];
    regions_of("@T.prim_func(s_tir=True)\n"
               "def f(A: T.Buffer((8,), \"float32\")):\n"
               "    with T.sblock(\"root\"):\n"
               "        A[0] = 1.0\n",
               found, sizeof found);
    assert_string_equal(found, "T.reads()\nT.writes()\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(indices), cmocka_unit_test(statements),
                                       cmocka_unit_test(choices), cmocka_unit_test(blocks_inside),
                                       cmocka_unit_test(root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
