/* Passes by themselves, each on what the files of tests/passes say; and loop IR as text, over all kernels of the tests:
 * what is printed is read again as the same, and who looks on changes nothing. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/compiler.h>

#include "compiler/loop/verify.h"
#include "compiler/pipeline/passes.h"
#include "tests/unit/loop_fixture.h"

/* Text that is printed of a body, to be freed. */
static char *printed(const tirbi_lmodule *module, const tirbi_ls *body, tirbi_arena *arena) {
    tirbi_writer out;
    tirbi_writer_init(&out, arena->heap);
    assert_true(tirbi_print_loops(module, &module->functions[0], body, arena, &out));
    tirbi_write_u8(&out, 0);
    char *copy = malloc(out.size);
    assert_non_null(copy);
    memcpy(copy, out.data, out.size);
    tirbi_writer_destroy(&out);
    return copy;
}

static tirbi_lmodule *read_text(const char *text, size_t size, tirbi_arena *arena, const char *where) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_lmodule *module = NULL;
    if (tirbi_read_loops(text, size, arena, &module, &error) != TIRB_OK)
        fail_msg("%s: %u:%u: %s", where, error.line, error.column, error.message);
    return module;
}

/* ---- tests/passes ------------------------------------------------------------------------------------------------ */

static const char separator[] = "# becomes\n";

/* The passes of a line `# pass: a, b`, one after the other. */
static const tirbi_ls *run_named(const char *names, const tirbi_lfunc *function, const char *path) {
    const tirbi_ls *body = function->body;
    char name[64];
    for (const char *at = names; *at && *at != '\n'; at += strspn(at, ", ")) {
        const size_t size = strcspn(at, ", \n");
        const tirbi_pass *pass;
        uint32_t i = 0;
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        while ((pass = tirbi_pass_at(i)) != NULL && strcmp(pass->name, name) != 0) i++;
        if (!pass || !pass->run) fail_msg("%s: there is no pass %s", path, name);
        body = pass->run(function->pool, body, 0, NULL);
        assert_non_null(body);
        at += size;
    }
    return body;
}

static void run_case(const char *path) {
    static const char head[] = "# pass: ";
    room r;
    open_room(&r);
    char *text = read_file(path), *between = strstr(text, separator);
    if (strncmp(text, head, strlen(head)) != 0 || !between) fail_msg("%s: no line of passes, or no '# becomes'", path);
    const tirbi_lmodule *module = read_text(text, (size_t)(between - text), &r.arena, path);
    const tirbi_ls *body = run_named(text + strlen(head), &module->functions[0], path);
    char *found = printed(module, body, &r.arena);
    if (strcmp(found, between + strlen(separator)) != 0)
        fail_msg("%s: the pass gives\n%s, and not\n%s", path, found, between + strlen(separator));
    free(found);
    free(text);
    tirbi_arena_destroy(&r.arena);
}

static void test_each_pass(void **state) {
    char path[MAX_PATH];
    bool *seen = calloc(64, sizeof *seen);
    struct dirent *entry;
    DIR *folder = opendir("tests/passes");
    (void)state;
    assert_non_null(folder);
    assert_non_null(seen);
    while ((entry = readdir(folder)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".ir") != 0) continue;
        snprintf(path, sizeof path, "tests/passes/%s", entry->d_name);
        run_case(path);
        /* A case is named after its first pass, with what it shows behind a dash. */
        for (uint32_t i = 0; tirbi_pass_at(i); i++) {
            const size_t size = strlen(tirbi_pass_at(i)->name);
            if (strncmp(entry->d_name, tirbi_pass_at(i)->name, size) != 0) continue;
            if (entry->d_name[size] == '.' || entry->d_name[size] == '-') seen[i] = true;
        }
    }
    closedir(folder);
    for (uint32_t i = 0; tirbi_pass_at(i); i++)
        if (!seen[i] && tirbi_pass_at(i)->run) fail_msg("tests/passes has nothing on %s", tirbi_pass_at(i)->name);
    free(seen);
}

/* ---- Text of whole programs -------------------------------------------------------------------------------------- */

/* Each stage, read and printed again. */
static unsigned check_stages(const char *path, const char *ir, size_t size) {
    unsigned n = 0;
    for (const char *at = ir, *end = ir + size, *next; at < end; at = next) {
        const char *body = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(body);
        body++;
        for (next = body; next < end; next++)
            if (next[-1] == '\n' && end - next > 1 && next[0] == '#' && next[1] == ' ') break;
        room r;
        open_room(&r);
        tirb_error error = TIRB_ERROR_INIT;
        tirbi_lmodule *module = NULL;
        if (tirbi_read_loops(body, (size_t)(next - body), &r.arena, &module, &error) != TIRB_OK)
            fail_msg("%s: %u:%u: %s\n%.*s", path, error.line, error.column, error.message, (int)(next - body), body);
        const tirbi_lfunc *function = &module->functions[0];
        if (tirbi_verify_loops(function, function->body, &r.heap, &error) != TIRB_OK)
            fail_msg("%s: %s\n%.*s", path, error.message, (int)(next - body), body);
        char *again = printed(module, function->body, &r.arena);
        if (strlen(again) != (size_t)(next - body) || memcmp(again, body, strlen(again)) != 0)
            fail_msg("%s:\n%.*sis read as\n%s", path, (int)(next - body), body, again);
        free(again);
        n++;
        tirbi_arena_destroy(&r.arena);
    }
    return n;
}

static unsigned check_source(const char *path) {
    char *text = read_file(path);
    tirb_compile_options plain = TIRB_COMPILE_OPTIONS_INIT, shown = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *results[2] = {NULL, NULL};
    tirb_error error = TIRB_ERROR_INIT;
    size_t sizes[2], size;
    unsigned n = 0;
    plain.file_name = shown.file_name = path;
    shown.show_ir = "";
    plain.max_work = shown.max_work = UINT64_MAX;
    plain.max_memory = shown.max_memory = UINT64_MAX;
    const tirb_status status = tirb_compile(text, strlen(text), &plain, &results[0], &error);
    assert_int_equal(tirb_compile(text, strlen(text), &shown, &results[1], &error), status);
    if (status == TIRB_OK) {
        const uint8_t *one = tirb_compile_result_bytes(results[0], &sizes[0]);
        const uint8_t *other = tirb_compile_result_bytes(results[1], &sizes[1]);
        if (sizes[0] != sizes[1] || memcmp(one, other, sizes[0]) != 0)
            fail_msg("%s: looking on changes the bundle", path);
        const char *ir = tirb_compile_result_ir(results[1], &size);
        assert_int_equal(tirb_compile_result_ir(results[0], NULL) != NULL, 0);
        n = check_stages(path, ir, size);
    }
    for (int i = 0; i < 2; i++) tirb_compile_result_destroy(results[i]);
    free(text);
    return n;
}

static void test_text_of_programs(void **state) {
    static const char *const folders[] = {"tests/kernels", "tests/bench/kernels", "tests/golden"};
    char path[MAX_PATH];
    unsigned n = 0;
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct dirent *entry;
        DIR *folder = opendir(folders[i]);
        assert_non_null(folder);
        while ((entry = readdir(folder)) != NULL) {
            const char *end = strrchr(entry->d_name, '.');
            if (!end || (strcmp(end, ".py") != 0 && strcmp(end, ".tc") != 0)) continue;
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            n += check_source(path);
        }
        closedir(folder);
    }
    assert_true(n > 500);
}

/* What is no loop IR is told, each by what is wrong with it. */
static void test_verifier(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"function \"f\"\n  parameter x[4]: f32\n  x[0] = f32 1\n", NULL},
        {"function \"f\"\n  variable y: i64\n  eval y\n", "y has not begun"},
        {"function \"f\"\n  loop i = 0, 4 {\n  }\n  eval i\n", "i has not begun"},
        {"function \"f\"\n  if true {\n    let y: i64 = 1\n  }\n  eval y\n", "y has not begun"},
        {"function \"f\"\n  loop i = 0, 2 {\n    alloc t[4]: i64\n  }\n  t[0] = 1\n", "the memory of t is not there"},
        {"function \"f\"\n  let y: i64 = 1\n  set y = 2\n", "y is set again"},
        {"function \"f\"\n  local_variable y: i64\n  set y = 2\n", "y is set and has not begun"},
        {"function \"f\"\n  break\n", "a jump out of no loop"},
        {"function \"f\"\n  loop_variable i: i64\n  if true first (i) {\n  }\n", "the first of i, which is not there"},
        {"function \"f\"\n  loop i = 0, 4 below i {\n  }\n", "i has not begun"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        room r;
        open_room(&r);
        tirb_error error = TIRB_ERROR_INIT;
        const tirbi_lfunc *function =
            &read_text(cases[i].text, strlen(cases[i].text), &r.arena, "case")->functions[0];
        const tirb_status status = tirbi_verify_loops(function, function->body, &r.heap, &error);
        if (status != (cases[i].message ? TIRB_INTERNAL : TIRB_OK) ||
            (cases[i].message && !strstr(error.message, cases[i].message)))
            fail_msg("case %zu: %s: %s", i, tirb_status_name(status), error.message);
        tirbi_arena_destroy(&r.arena);
    }
}

/* What is wrong has a place and a message. */
static void test_wrong_text(void **state) {
    static const struct {
        const char *text, *message;
        uint32_t line, column;
    } cases[] = {
        {"", "'function' is missing", 1, 1},
        {"function \"f\"\n  x[0] = 1\n", "'x' is no buffer", 2, 3},
        {"function \"f\"\n  parameter x[4]: f32\n  x[0] = 1\n", "a value of i64, not of f32", 3, 10},
        {"function \"f\"\n  parameter x[4]: f32\n  x[0, 1] = f32 1\n", "x has 1 dimensions, not 2", 3, 3},
        {"function \"f\"\n  parameter n: i32\n  set n = n + 1\n", "+ between values of i32 and i64", 3, 13},
        {"function \"f\"\n  parameter n: i32\n  set n = fma.i32(n, n)\n", "fma.i32", 3, 11},
        {"function \"f\"\n  eval call i32 g()\n", "'\"' is missing", 2, 17},
        {"function \"f\"\n  eval call i32 \"g\"(; x)\n", "'x' is no buffer", 2, 23},
        {"function \"f\"\n  parameter x[4]: f32\n  eval call i32 \"g\"(; x[0])\n", "'of' is missing", 3, 27},
        {"function \"f\"\n  parameter x[4]: f32\n  eval x[; at 0]\n", "x has 1 dimensions, not 0", 3, 8},
        {"function \"f\"\n  parameter n: i32\n  eval call i32 \"g\"() where n == 4 \"m\"\n",
         "extents of different types", 3, 39},
        {"function \"f\"\n  eval machine i32 \"load\"()\n", "no such instruction", 2, 20},
        {"function \"f\"\n  eval machine i32 \"trap\"()\n", "a name is missing", 3, 1},
        {"function \"f\"\n  eval machine i32 \"trap\"() OK \"m\"\n", "the status of a trap is missing", 2, 29},
        {"function \"f\"\n  eval machine i32 \"trap\"() UNKNOWN \"m\"\n", "the status of a trap is missing", 2, 29},
        {"function \"f\"\n  eval machine i32 \"trap\"(1) VALUE \"m\"\n", "trap has 0 buffers and nothing", 2, 20},
        {"function \"f\"\n  eval machine i64 \"length\"()\n", "length has 1 buffers and nothing else", 2, 20},
        {"function \"f\"\n  loop i = 0, 4 {\n", "'}' is missing", 3, 1},
        {"function \"f\"\n  eval select.f32(true, f32 1)\n", "select has 3 operands", 2, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        room r;
        open_room(&r);
        tirb_error error = TIRB_ERROR_INIT;
        tirbi_lmodule *module = NULL;
        assert_int_not_equal(tirbi_read_loops(cases[i].text, strlen(cases[i].text), &r.arena, &module, &error),
                             TIRB_OK);
        if (!strstr(error.message, cases[i].message) || error.line != cases[i].line || error.column != cases[i].column)
            fail_msg("case %zu: %u:%u: %s", i, error.line, error.column, error.message);
        assert_null(module);
        tirbi_arena_destroy(&r.arena);
    }
}

/* Every form of a call, as it is printed. */
static const char calls[] =
    "function \"f\"\n"
    "  parameter n: i32\n"
    "  parameter A[i64(n), 4]: f32 read written\n"
    "  parameter handle: i64\n"
    "  fetch p[8]: f32 fetched = handle\n"
    "  eval call i32 \"g\" acts(n, 3; A, A[0, 1] of 4, A[; at 7] of i64(n))\n"
    "  eval call i32 \"h\"(; A) where i64(n) == 4 \"first \\\"extent\\\"\" and 4 == i64(n) + 1 \"second\" + i32 1\n"
    "  eval call i32 \"f\"(n + i32 -1) + import i32 \"g\" acts() * i32 2\n"
    "  A[call i64 \"h\"(), 0] = import f32 \"sinf\"(A[0, 0; guard 1])\n"
    "  if machine bool \"trap\"() VALUE \"no \\x0a\" {\n"
    "    eval machine i64 \"ref.put\"(; A[0, 0] of 4)\n"
    "    eval machine i64 \"length\"(; A)\n"
    "  }\n";

static void test_calls(void **state) {
    static const char *const functions[] = {"f", "g", "h"}, *const imports[] = {"g", "sinf"};
    room r;
    (void)state;
    open_room(&r);
    const tirbi_lmodule *module = read_text(calls, strlen(calls), &r.arena, "calls");
    char *found = printed(module, module->functions[0].body, &r.arena);
    assert_string_equal(found, calls);
    free(found);
    assert_int_equal(module->n_functions, 3);
    assert_int_equal(module->n_imports, 2);
    for (int i = 0; i < 3; i++) assert_string_equal(module->functions[i].ast->name, functions[i]);
    for (int i = 0; i < 2; i++) assert_string_equal(module->imports[i].name, imports[i]);
    tirbi_arena_destroy(&r.arena);
}

/* Reads what may be anything, in as much memory; the status. */
static tirb_status read_anything(const char *text, size_t size, uint64_t budget) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_lmodule *module = NULL;
    tirbi_heap_init(&heap, NULL, budget);
    tirbi_arena_init(&arena, &heap);
    const tirb_status status = tirbi_read_loops(text, size, &arena, &module, NULL);
    assert_true((status == TIRB_OK) == (module != NULL));
    tirbi_arena_destroy(&arena);
    return status;
}

/* Text that ends anywhere, that is damaged, that memory runs out for, and that is nested without end. */
static void test_hostile_text(void **state) {
    static const struct {
        const char *head, *again;
    } nested[] = {{"function \"f\"\n  eval ", "call f32 \"g\"("},
                  {"function \"f\"\n  parameter A[4]: f32\n  eval call f32 \"g\"(; ", "A[0; view "},
                  {"function \"f\"\n  parameter A[4]: i64\n  eval call i64 \"g\"(; ", "A[A[0]; at call i64 \"g\"(; "},
                  {"function \"f\"\n  ", "tree i = 0, 4 { init { "},
                  {"function \"f\"\n  eval ", "call i64 \"g\"() where call i64 \"g\"("},
                  {"function \"f\"\n  ", "if true { "}};
    enum { TIMES = 50000 };
    char *text = malloc(TIMES * 40);
    (void)state;
    assert_non_null(text);
    for (size_t size = 0; size < strlen(calls); size++) {
        memcpy(text, calls, size);
        read_anything(text, size, UINT64_MAX);
        memcpy(text, calls, sizeof calls);
        text[size] = "\"(;#9]x\n"[size % 8];
        read_anything(text, strlen(calls), UINT64_MAX);
    }
    unsigned short_of = 0;
    for (uint64_t budget = 0; read_anything(calls, strlen(calls), budget) != TIRB_OK; budget += 64) short_of++;
    assert_true(short_of > 10);
    for (size_t k = 0; k < sizeof nested / sizeof *nested; k++) {
        size_t size = strlen(nested[k].head);
        memcpy(text, nested[k].head, size);
        for (unsigned i = 0; i < TIMES; i++) {
            memcpy(text + size, nested[k].again, strlen(nested[k].again));
            size += strlen(nested[k].again);
        }
        assert_int_equal(read_anything(text, size, UINT64_MAX), TIRB_SYNTAX);
    }
    size_t size = (size_t)sprintf(text, "function \"f\"\n");
    for (unsigned i = 0; i < TIMES; i++) size += (size_t)sprintf(text + size, "eval call i32 \"g%u\"()\n", i);
    assert_int_equal(read_anything(text, size, UINT64_MAX), TIRB_OK); /* callees are found by their names */
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_pass),
        cmocka_unit_test(test_text_of_programs),
        cmocka_unit_test(test_verifier),
        cmocka_unit_test(test_wrong_text),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_hostile_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
