/* Schedules, on what the files of tests/plans say: loop IR, and what planning makes of it. Planning changes nothing of
 * the loop IR for good, and the same loop IR has the same schedule. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/loop/text.h"
#include "compiler/optimize/plan/plan.h"
#include "compiler/optimize/schedule/text.h"
#include "compiler/pipeline/switches.h"
#include "tests/unit/loop_fixture.h"

static const char separator[] = "# becomes\n";

static tirbi_lmodule *read_loops(const char *text, size_t size, tirbi_arena *arena, const char *where) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_lmodule *module = NULL;
    if (tirbi_read_loops(text, size, arena, &module, &error) != TIRB_OK)
        fail_msg("%s: %u:%u: %s", where, error.line, error.column, error.message);
    return module;
}

/* What a writer has, as a string to be freed. */
static char *taken(tirbi_writer *out) {
    tirbi_write_u8(out, 0);
    char *copy = malloc(out->size);
    assert_non_null(copy);
    memcpy(copy, out->data, out->size);
    tirbi_writer_destroy(out);
    return copy;
}

static char *printed_loops(const tirbi_lmodule *module, tirbi_arena *arena) {
    const tirbi_lfunc *f = &module->functions[0];
    tirbi_writer out;
    tirbi_writer_init(&out, arena->heap);
    assert_true(tirbi_print_loops(module, f, f->body, arena, &out));
    return taken(&out);
}

static char *printed_plan(const tirbi_lmodule *module, const tirbi_sched *schedule, tirbi_arena *arena) {
    tirbi_writer out;
    tirbi_writer_init(&out, arena->heap);
    assert_true(tirbi_print_schedule(module, &module->functions[0], schedule, arena, &out));
    return taken(&out);
}

/* The schedule of the first function of a module. */
static const tirbi_sched *plan(tirbi_lmodule *module, uint32_t disabled) {
    tirbi_lfunc *f = &module->functions[0];
    return tirbi_plan_function(module, f, f->body, disabled, NULL, 0);
}

/* Kinds of nodes and of leaves, a bit for each. */
typedef struct kinds {
    unsigned nodes, leaves;
} kinds;

static void collect(kinds *k, const tirbi_sched *node) {
    if (!node) return;
    k->nodes |= 1u << node->kind;
    if (node->kind == TIRBI_S_LEAF) k->leaves |= 1u << node->as.leaf->kind;
    if (node->kind == TIRBI_S_VERSION) collect(k, node->as.version->check);
    for (uint32_t i = 0; i < node->n; i++) collect(k, node->items[i]);
}

static void run_case(const char *path, kinds *seen) {
    room r;
    open_room(&r);
    char *text = read_file(path), *between = strstr(text, separator);
    if (!between) fail_msg("%s: no '# becomes'", path);
    tirbi_lmodule *module = read_loops(text, (size_t)(between - text), &r.arena, path);
    char *before = printed_loops(module, &r.arena);
    const tirbi_sched *schedule = plan(module, 0);
    assert_non_null(schedule);
    char *found = printed_plan(module, schedule, &r.arena), *after = printed_loops(module, &r.arena);
    if (strcmp(found, between + strlen(separator)) != 0)
        fail_msg("%s: the schedule is\n%s, and not\n%s", path, found, between + strlen(separator));
    if (strcmp(before, after) != 0) fail_msg("%s: planning changed the loop IR:\n%s", path, after);
    collect(seen, schedule);
    free(before);
    free(after);
    free(found);
    free(text);
    tirbi_arena_destroy(&r.arena);
}

static void test_each_plan(void **state) {
    char path[MAX_PATH];
    kinds seen = {0, 0};
    struct dirent *entry;
    DIR *folder = opendir("tests/plans");
    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".ir") != 0) continue;
        snprintf(path, sizeof path, "tests/plans/%s", entry->d_name);
        run_case(path, &seen);
    }
    closedir(folder);
    /* The files show each kind of node, and each kind of leaf. */
    assert_int_equal(seen.nodes, (1u << (TIRBI_S_PLAIN + 1)) - 1);
    assert_int_equal(seen.leaves, (1u << (TIRBI_LEAF_FOLD + 1)) - 1);
}

static const char saxpy[] = "function \"saxpy\"\n"
                            "  parameter X[64]: f32 read\n"
                            "  parameter Y[64]: f32 read written\n"
                            "  loop i = 0, 64 in 0..63 {\n"
                            "    Y[i] = fma.f32(f32 2, X[i], Y[i])\n"
                            "  }\n";

/* The schedule of a small loop where some of what it may become is left out. */
static char *plan_of(uint32_t disabled) {
    room r;
    open_room(&r);
    tirbi_lmodule *module = read_loops(saxpy, sizeof(saxpy) - 1, &r.arena, "saxpy");
    const tirbi_sched *schedule = plan(module, disabled);
    assert_non_null(schedule);
    char *text = printed_plan(module, schedule, &r.arena);
    tirbi_arena_destroy(&r.arena);
    return text;
}

static void test_what_is_left_out(void **state) {
    (void)state;
    char *lanes = plan_of(0), *plain = plan_of(TIRB_PASS_LANES);
    assert_string_equal(lanes, "function \"saxpy\"\n"
                               "  lanes i\n"
                               "    vsplat.f32, 2 vload.f32, vfma.f32, vstore.f32\n"
                               "    reads X: i\n"
                               "    updates Y: i\n");
    assert_string_equal(plain, "function \"saxpy\"\n"
                               "  loop i = 0, 64\n"
                               "    Y[i] = fma.f32(f32 2, X[i], Y[i])\n");
    free(lanes);
    free(plain);
}

/* Memory that runs out at any point gives no schedule, and nothing worse. */
static void test_without_memory(void **state) {
    (void)state;
    bool done = false;
    for (uint64_t limit = 1 << 12; !done; limit += 1 << 12) {
        tirbi_heap heap;
        tirbi_arena arena;
        tirbi_lmodule *module = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        tirbi_heap_init(&heap, NULL, limit);
        tirbi_arena_init(&arena, &heap);
        if (tirbi_read_loops(saxpy, sizeof(saxpy) - 1, &arena, &module, &error) == TIRB_OK) {
            const tirbi_sched *schedule = plan(module, 0);
            assert_true(schedule || arena.failed);
            done = schedule && !arena.failed;
        }
        tirbi_arena_destroy(&arena);
        assert_true(limit < UINT64_C(1) << 26);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_plan),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
