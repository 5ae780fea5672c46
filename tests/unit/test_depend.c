/* The dependence graph of small nests: which edges there are, and what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/loop/text.h"
#include "compiler/optimize/analysis/depend.h"
#include "loader/base/alloc.h"

typedef struct case_of {
    const char *body, *edges;
} case_of;

static void add(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(char *out, size_t size, const char *format, ...) {
    const size_t used = strlen(out);
    va_list list;
    va_start(list, format);
    vsnprintf(out + used, size - used, format, list);
    va_end(list);
}

static void add_poly(char *out, size_t size, const tirbi_facts *facts, const tirbi_poly *p) {
    if (p->n == 0) add(out, size, "0");
    for (uint32_t i = 0; i < p->n; i++) {
        if (i > 0 || p->term[i].of.degree == 0 || p->term[i].factor != 1)
            add(out, size, i > 0 ? "%+lld" : "%lld", (long long)p->term[i].factor);
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const tirbi_lx *symbol = facts->symbols[p->term[i].of.symbol[k]].value;
            add(out, size, "%s",
                symbol->kind == TIRBI_LX_VAR
                    ? symbol->var->name
                    : "anti 0>1 (<) unless -1+1k and 4294967295-99k unless -1-1k and 4294967295+99k; anti 0>1 (=); "
                      "flow 1>0 (<) unless -1+1k and 4294967295-99k unless -1-1k and 4294967295+99k; "
                      "output 1>1 (<) unless -1+1k and 4294967295-99k unless -1-1k and 4294967295+99k");
        }
    }
}

/* `flow 1>0 (<,=) 1 at n; ..`: the edges between places, or all of them. */
static void show(const tirbi_dependences *g, bool scalars, char *out, size_t size) {
    static const char *const kinds[] = {"flow", "anti", "output", "scalar"};
    static const char *const ways[] = {"none", "<", "=", "<=", ">", "<>", ">=", "*"};
    out[0] = '\0';
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const tirbi_edge *e = &g->edge[i];
        if (e->kind == TIRBI_SCALAR && !scalars) continue;
        add(out, size, "%s%s %u>%u (", out[0] ? "; " : "", kinds[e->kind], e->from, e->to);
        for (uint32_t k = 0; k < e->n_common; k++) add(out, size, "%s%s", k > 0 ? "," : "", ways[e->direction[k]]);
        add(out, size, ")");
        for (uint32_t k = 0; k < e->n_common; k++) {
            if (!e->distance[k]) continue;
            add(out, size, " %s=", g->loop[g->access[e->from].loop[k]]->as.loop.var->name);
            add_poly(out, size, g->facts, e->distance[k]);
        }
        if (e->at) add(out, size, e->meets == TIRBI_MEETS_AT ? " at " : " crossing ");
        if (e->at) add_poly(out, size, g->facts, e->at);
        for (uint32_t k = 0; k < 2; k++) {
            if (!e->unless[k]) continue;
            add(out, size, " unless ");
            add_poly(out, size, g->facts, e->unless[k]);
            if (e->provided[k]) add(out, size, " and ");
            if (e->provided[k]) add_poly(out, size, g->facts, e->provided[k]);
        }
    }
}

/* `inner`: the graph of the innermost loop. */
static void check(const case_of *c, bool inner) {
    char text[2048], found[4096];
    tirbi_heap heap;
    tirbi_arena arena;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_lmodule *module = NULL;
    snprintf(text, sizeof text,
             "function \"f\"\n  parameter n: i32 in 0..2147483647\n  parameter k: i32\n  parameter A[i64(n)]: f32\n"
             "  parameter B[i64(n), i64(n)]: f32\n  parameter X[i64(n)]: i32\n  local s: i32 = i32 0\n%s",
             c->body);
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    if (tirbi_read_loops(text, strlen(text), &arena, &module, &error) != TIRB_OK)
        fail_msg("%u:%u: %s\n%s", error.line, error.column, error.message, text);
    const tirbi_ls *nest = module->functions[0].body;
    while (nest->kind == TIRBI_LS_SEQ) nest = nest->as.seq.items[nest->as.seq.n - 1];
    while (inner && nest->as.loop.body->kind == TIRBI_LS_LOOP) nest = nest->as.loop.body;
    const tirbi_dependences *g = tirbi_find_dependences(module->functions[0].pool, nest, &nest->as.loop.body, 1, NULL);
    if (g)
        show(g, false, found, sizeof found);
    else
        snprintf(found, sizeof found, "refused");
    if (strcmp(found, c->edges) != 0) fail_msg("%s\nfound:    %s\nexpected: %s", c->body, found, c->edges);
    tirbi_arena_destroy(&arena);
}

#define LOOP(bounds, body) "  loop i: i32 = " bounds " {\n    " body "\n  }\n"
#define UP_TO_N            "0, i64(n) in 0..2147483646"
#define NEST(outer, inner, body) \
    "  loop i: i32 = " outer " {\n    loop j: i32 = " inner " {\n      " body "\n    }\n  }\n"

static void test_edges(void **state) {
    static const case_of cases[] = {
        {LOOP(UP_TO_N, "A[i64(i)] = A[i64(i)]"), "anti 0>1 (=)"},
        {LOOP("1, i64(n + i32 -1) in 1..2147483646", "A[i64(i)] = A[i64(i + i32 -1)]"), "flow 1>0 (<) i=1"},
        {LOOP("0, i64(n + i32 -3) in 0..2147483643", "A[i64(i)] = A[i64(i + i32 3)]"), "anti 0>1 (<) i=3"},
        {LOOP("0, 1000 in 0..999", "A[i64(i * i32 2)] = A[i64(i * i32 2 + i32 1)]"), ""},
        {LOOP("0, 1000 in 0..999", "A[i64(i * i32 2)] = A[i64(i * i32 2 + i32 3000)]"), ""},
        {LOOP(UP_TO_N, "A[i64(i)] = A[i64(i + k)]"),
         "anti 0>1 (<) i=k unless -1k unless k-1n; anti 0>1 (=); flow 1>0 (<) i=-1k unless k unless -1k-1n"},
        {LOOP(UP_TO_N, "A[i64(i)] = A[i64(k)]"), "anti 0>1 (<) at k; anti 0>1 (=) at k; flow 1>0 (<) at k"},
        {LOOP(UP_TO_N, "A[i64(i)] = A[i64(n + i32 -1 - i)]"),
         "anti 0>1 (<) crossing n-1; anti 0>1 (=) crossing n-1; flow 1>0 (<) crossing n-1"},
        {LOOP(UP_TO_N, "A[i64(X[i64(i)])] = f32 1"), "output 1>1 (<)"},
        {LOOP(UP_TO_N, "X[i64(i)] = X[i64(X[i64(i)])]"), "anti 0>2 (=); anti 1>2 (<); anti 1>2 (=); flow 2>1 (<)"},
        {LOOP("0, 8 in 0..7", "A[i64(i % i32 2)] = A[i64(i % i32 2 + i32 2)]"), "output 1>1 (<)"},
        {NEST(UP_TO_N, UP_TO_N, "B[i64(i), i64(j)] = B[i64(j), i64(i)]"),
         "anti 0>1 (<,>); anti 0>1 (=,=); flow 1>0 (<,>)"},
        {NEST(UP_TO_N, UP_TO_N, "B[i64(i), i64(j)] = B[i64(j + i32 1), i64(i)]"),
         "anti 0>1 (<,>=); anti 0>1 (=,<) j=1; flow 1>0 (<,>)"},
        {NEST(UP_TO_N, UP_TO_N, "B[i64(i + j), i64(i)] = B[i64(j), i64(i)]"), "anti 0>1 (=,=); flow 1>0 (=,<)"},
        {NEST(UP_TO_N, "0, i64(i) in 0..2147483645", "B[i64(i), i64(j)] = B[i64(j), i64(i)]"), ""},
        {NEST("1, i64(n + i32 -1) in 1..2147483646", "0, i64(n + i32 -1) in 0..2147483645",
              "B[i64(i), i64(j)] = B[i64(i + i32 -1), i64(j + i32 1)]"),
         "flow 1>0 (<,>) i=1 j=-1"},
        {NEST(UP_TO_N, UP_TO_N, "A[i64(i)] = A[i64(i)] + B[i64(i), i64(j)]"),
         "anti 0>2 (=,<); anti 0>2 (=,=); flow 2>0 (=,<); output 2>2 (=,<)"},
        {NEST("0, 16 in 0..15", "0, 8 in 0..7", "A[i64(i * i32 8 + j)] = A[i64(i * i32 8 + j + i32 128)]"), ""},
        {LOOP("0, 100 in 0..99", "A[i64(i * k)] = A[i64(i * k)]"),
         "anti 0>1 (<) unless -1+1k and 4294967295-99k unless -1-1k and 4294967295+99k; anti 0>1 (=); "
         "flow 1>0 (<) unless -1+1k and 4294967295-99k unless -1-1k and 4294967295+99k; "
         "output 1>1 (<) unless -1+1k and 4294967295-99k unless -1-1k and 4294967295+99k"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], false);
}

/* What the loops around a nest tell of it. */
static void test_inner_edges(void **state) {
    static const case_of cases[] = {
        {NEST(UP_TO_N, "0, i64(i) in 0..2147483645", "B[i64(i), i64(k)] = B[i64(j), i64(k)]"), "output 1>1 (<)"},
        {NEST(UP_TO_N, "0, i64(n) in 0..2147483646", "B[i64(i), i64(k)] = B[i64(j), i64(k)]"),
         "anti 0>1 (<) at i; anti 0>1 (=) at i; flow 1>0 (<) at i; output 1>1 (<)"},
        {NEST(UP_TO_N, "i64(n - i), i64(i) in -2147483646..2147483646", "A[i64(n + i32 -1 - i)] = A[i64(j)]"),
         "output 1>1 (<)"},
        {NEST(UP_TO_N, "i64(n - i - i32 1), i64(i) in -2147483646..2147483646", "A[i64(n + i32 -1 - i)] = A[i64(j)]"),
         "anti 0>1 (<) at n-1-1i; anti 0>1 (=) at n-1-1i; output 1>1 (<)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_inner_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
