/* Small bundles that ask for much: what they cost to load is in proportion to their size, and what they do at run time
 * is paid for by fuel, stopped by the memory limit, or both. Where that fails, a test takes minutes or fails for want of
 * memory: nothing here asserts a time. */
#include "tests/unit/loader_fixture.h"

#include <tirb/tirb.h>

static tirb_engine *engine;

static int open_engine(void **state) {
    (void)state;
    return tirb_engine_create(NULL, &engine, NULL) == TIRB_OK ? 0 : -1;
}

static int close_engine(void **state) {
    (void)state;
    tirb_engine_release(engine);
    return 0;
}

static void put(tirbi_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(tirbi_writer *w, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < sizeof(text));
    tirbi_write_bytes(w, text, (size_t)size);
}

/* Assembles and loads. */
static tirb_module *load(tirbi_writer *text) {
    fixture f;
    fixture_open(&f);
    tirbi_write_u8(text, 0);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, (const char *)text->data));
    tirb_module *module = NULL;
    fixture_ok(&f, tirb_module_load(engine, bytes.data, bytes.size, &module, &f.error), "load");
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
    return module;
}

/* Calls function 0 with one integer. */
static tirb_status call(tirb_module *module, const tirb_limits *limits, int64_t n) {
    tirb_instance *instance = NULL;
    assert_int_equal(tirb_instance_create(module, limits, &instance, NULL), TIRB_OK);
    const tirb_arg arg = {.kind = TIRB_ARG_INT, .value.i = n};
    tirb_status status = tirb_instance_call(instance, 0, &arg, 1, NULL, NULL);
    tirb_instance_destroy(instance);
    return status;
}

/* A lane loop that splats as many scalars as there can be, several times. */
static void test_many_splats(void **state) {
    (void)state;
    enum { LOOPS = 12, SPLATS = 64000, REGISTERS = 32000 };
    static const char *const types[] = {"i64", "i32"};
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, ".function \"f\" public\n.scalars %d\n.lanes 1\n.scalar \"n\" i64 s0\n", REGISTERS);
    for (unsigned loop = 0; loop < LOOPS; loop++) {
        put(&text, "lane s0, done%u\n", loop);
        for (unsigned i = 0; i < SPLATS; i++) put(&text, "vsplat.%s v0, s%u\n", types[i / REGISTERS], i % REGISTERS);
        put(&text, "done%u:\nlane.end\n", loop);
    }
    put(&text, "ret.void\n.end\n");
    tirb_module *module = load(&text);
    assert_int_equal(call(module, NULL, 5), TIRB_OK);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

/* A function of one instruction whose frame takes megabytes to clear. */
static void test_large_frames(void **state) {
    (void)state;
    enum { SCALARS = 32768, REFERENCES = 65535 };
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, ".function \"f\" public\n.scalars 3\n.scalar \"n\" i64 s0\nagain:\ncall #1, s2, () ()\nloop s1, s0, again\n"
               "ret.void\n.end\n.function \"g\"\n.scalars %d\n", SCALARS);
    for (unsigned i = 0; i < REFERENCES; i++) put(&text, ".ref i8\n");
    put(&text, "ret.void\n.end\n");
    tirb_module *module = load(&text);
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.fuel = 20000000;
    assert_int_equal(call(module, &limits, INT64_MAX), TIRB_FUEL);
    limits.max_memory = 1 << 20;
    assert_int_equal(call(module, &limits, INT64_MAX), TIRB_MEMORY_LIMIT);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_splats), cmocka_unit_test(test_large_frames)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
