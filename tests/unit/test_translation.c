/* Functions are translated by their first calls: what that takes, who waits for it, what stops it, and what a call then
 * may end with. */
#include "tests/unit/api_fixture.h"

#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/call/objects.h"
#include "vm/machine/code.h"

/* Functions that call each other, in a circle as well, one with lane loops, and one that nothing leads to. */
static const char text[] =
    ".fp precise\n"
    ".function \"even\" public returns i32\n.scalars 4\n.scalar \"n\" i32 s0\n"
    "brif s0, more\nconst.i32 s1, 1\nret.i32 s1\nmore:\nconst.i32 s3, 1\nsub.i32 s1, s0, s3\ncall \"odd\", s2, (s1) ()\nret.i32 s2\n.end\n"
    ".function \"odd\" public returns i32\n.scalars 4\n.scalar \"n\" i32 s0\n"
    "brif s0, more\nconst.i32 s1, 0\nret.i32 s1\nmore:\nconst.i32 s3, 1\nsub.i32 s1, s0, s3\ncall \"even\", s2, (s1) ()\nret.i32 s2\n.end\n"
    ".function \"twice\" public\n.lanes 1\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n"
    "lane 64, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvadd.f32 v0, v0, v0\nvstore.f32 c0, v0\n"
    "done:\nlane.end\nret.void\n.end\n"
    ".function \"main\" public returns i32\n.scalars 4\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n"
    "call \"twice\", s3, () (r0)\nconst.i32 s0, 7\ncall \"even\", s1, (s0) ()\nret.i32 s1\n.end\n"
    ".function \"alone\" public returns i32\n.scalars 1\nconst.i32 s0, 5\nret.i32 s0\n.end\n";

static tirb_load_stats stats_of(const tirb_module *module) {
    tirb_load_stats stats = TIRB_LOAD_STATS_INIT;
    assert_int_equal(tirb_module_load_stats(module, &stats), TIRB_OK);
    return stats;
}

static bool is_ready(const tirb_module *module, const char *name) {
    return tirbi_code_is_ready(module->code, find(module, name));
}

static tirb_status call_main(tirb_instance *instance, tirb_error *error) {
    float a[64];
    for (unsigned i = 0; i < 64; i++) a[i] = (float)i;
    tensor t;
    const tirb_arg arg = tensor_arg(make_tensor(&t, a, F32, 1, 64));
    tirb_result result;
    const tirb_status status = tirb_instance_call(instance, find(instance->module, "main"), &arg, 1, &result, error);
    if (status != TIRB_OK) return status;
    assert_int_equal(result.value.i, 0);
    for (unsigned i = 0; i < 64; i++) assert_true(a[i] == 2 * (float)i);
    return TIRB_OK;
}

/* ---- What is called, and no more ------------------------------------------------------------------------------- */

static void what_is_called(void **state) {
    (void)state;
    session s = open_session(text, NULL);
    const tirb_load_stats loaded = stats_of(s.module);
    tirb_result result;
    const tirb_arg five = int_arg(5);
    for (unsigned i = 0; i < 5; i++) assert_false(tirbi_code_is_ready(s.module->code, i));
    EXPECT_OK(&s, run(&s, "odd", &five, 1, &result));
    assert_int_equal(result.value.i, 1);
    assert_true(is_ready(s.module, "odd") && is_ready(s.module, "even"));
    assert_false(is_ready(s.module, "twice") || is_ready(s.module, "main") || is_ready(s.module, "alone"));
    const tirb_load_stats once = stats_of(s.module);
    assert_true(once.work > loaded.work && once.memory >= loaded.memory);
    EXPECT_OK(&s, run(&s, "even", &five, 1, &result));
    assert_int_equal(result.value.i, 0);
    assert_int_equal(stats_of(s.module).work, once.work);
    EXPECT_OK(&s, call_main(s.instance, &s.error));
    assert_true(is_ready(s.module, "main") && is_ready(s.module, "twice"));
    assert_false(is_ready(s.module, "alone"));
    close_session(&s);
}

static tirb_module *load_within(tirb_engine *engine, const tirb_load_limits *limits, tirb_status wanted) {
    bundle b = assemble(text);
    tirb_module *module = NULL;
    assert_int_equal(tirb_module_load_limited(engine, b.bytes, b.size, limits, &module, NULL), wanted);
    free(b.bytes);
    return module;
}

static tirb_engine *make_engine(uint64_t cache_bytes) {
    tirb_engine *engine = NULL;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.cache_bytes = cache_bytes;
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    return engine;
}

static void all_at_once(void **state) {
    (void)state;
    tirb_engine *engine = make_engine(0);
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    tirb_module *lazy = load_within(engine, &limits, TIRB_OK);
    limits.translate_all = 1;
    tirb_module *module = load_within(engine, &limits, TIRB_OK);
    for (unsigned i = 0; i < 5; i++) assert_true(tirbi_code_is_ready(module->code, i));
    const tirb_load_stats all = stats_of(module), some = stats_of(lazy);
    assert_true(all.work > some.work);
    tirb_instance *instance = NULL;
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    assert_int_equal(call_main(instance, NULL), TIRB_OK);
    assert_int_equal(stats_of(module).work, all.work);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_module_release(lazy);
    /* What the load may not take, a load of all does not get. */
    limits.max_work = some.work + 1;
    (void)load_within(engine, &limits, TIRB_FUEL);
    limits.max_work = 0;
    limits.max_memory = all.memory - 1;
    (void)load_within(engine, &limits, TIRB_MEMORY_LIMIT);
    tirb_engine_release(engine);
}

/* Functions whose lane loops need more and less are called in turn without any memory that is new. */
static void called_in_turn(void **state) {
    static const char both[] =
        ".function \"little\" public\n.lanes 1\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n"
        "lane 64, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvadd.f32 v0, v0, v0\nvstore.f32 c0, v0\n"
        "done:\nlane.end\nret.void\n.end\n"
        ".function \"much\" public\n.lanes 8\n.ref f32 writable\n.tensor \"a\" f32 r0 read write (64)\n"
        "lane 64, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\nvsin.f32 v1, v0\nvcos.f32 v2, v0\n"
        "vpow.f32 v3, v1, v2\nvadd.f32 v4, v1, v2\nvmul.f32 v5, v3, v4\nvadd.f32 v5, v5, v1\nvstore.f32 c0, v5\n"
        "done:\nlane.end\nret.void\n.end\n";
    (void)state;
    failing_allocator memory = {0};
    session s = open_counted(both, NULL, &memory);
    float a[64] = {0};
    tensor t;
    const tirb_arg arg = tensor_arg(make_tensor(&t, a, F32, 1, 64));
    tirb_stats stats[2] = {TIRB_STATS_INIT, TIRB_STATS_INIT};
    long calls = 0;
    for (unsigned i = 0; i < 12; i++) {
        tirb_stats now = TIRB_STATS_INIT;
        EXPECT_OK(&s, run(&s, i % 2 ? "much" : "little", &arg, 1, NULL));
        assert_int_equal(tirb_instance_stats(s.instance, &now), TIRB_OK);
        if (i < 2) stats[i] = now;
        if (i < 4) calls = memory.calls;
        assert_int_equal(now.peak_memory, stats[i % 2].peak_memory);
        assert_int_equal(memory.calls, calls);
    }
    assert_true(stats[0].peak_memory < stats[1].peak_memory);
    close_session(&s);
    assert_int_equal(memory.live, 0);
}

/* ---- Limits ---------------------------------------------------------------------------------------------------- */

/* The limits of a load hold for what its calls have translated, and of nobody else's. */
static void limits_of_each(void **state) {
    (void)state;
    tirb_engine *engine = make_engine(1 << 20);
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    tirb_module *free_one = load_within(engine, NULL, TIRB_OK);
    const tirb_load_stats loaded = stats_of(free_one);
    limits.max_memory = loaded.memory;
    tirb_module *tight = load_within(engine, &limits, TIRB_OK);
    limits.max_memory = 0;
    limits.max_work = loaded.work + 1;
    tirb_module *quick = load_within(engine, &limits, TIRB_OK);
    assert_ptr_equal(tight->verified, free_one->verified);
    tirb_module *const modules[] = {tight, quick, free_one};
    const tirb_status wanted[] = {TIRB_MEMORY_LIMIT, TIRB_FUEL, TIRB_OK};
    tirb_instance *instances[3];
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(tirb_instance_create(modules[i], NULL, &instances[i], NULL), TIRB_OK);
    for (unsigned i = 0; i < 6; i++) {
        tirb_error error = TIRB_ERROR_INIT;
        const tirb_status status = call_main(instances[i % 3], &error);
        if (status != (i < 3 ? wanted[i] : TIRB_OK)) fail_msg("%u: %s %s", i, tirb_status_name(status), error.message);
        if (i < 2) assert_non_null(strstr(error.message, i == 0 ? "no memory to translate" : "the limit of its work"));
    }
    /* What the third one had translated is there for all; more is not. */
    tirb_result result;
    for (unsigned i = 0; i < 3; i++) {
        const tirb_status status =
            tirb_instance_call(instances[i], find(modules[i], "alone"), NULL, 0, &result, NULL);
        assert_int_equal(status, wanted[i]);
        tirb_instance_destroy(instances[i]);
        tirb_module_release(modules[i]);
    }
    tirb_engine_release(engine);
}

/* The cache counts what is translated later, and drops what becomes more than it holds. */
static void the_cache_counts(void **state) {
    (void)state;
    tirb_engine *engine = make_engine(1 << 20);
    tirb_cache_stats before = TIRB_CACHE_STATS_INIT, after = TIRB_CACHE_STATS_INIT;
    tirb_module *module = load_within(engine, NULL, TIRB_OK);
    tirb_instance *instance = NULL;
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    assert_int_equal(tirb_engine_cache_stats(engine, &before), TIRB_OK);
    const uint64_t used = module->verified->heap.used;
    assert_int_equal(call_main(instance, NULL), TIRB_OK);
    assert_int_equal(tirb_engine_cache_stats(engine, &after), TIRB_OK);
    assert_int_equal(after.bytes - before.bytes, module->verified->heap.used - used);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);

    engine = make_engine(before.bytes);
    module = load_within(engine, NULL, TIRB_OK);
    assert_int_equal(tirb_engine_cache_stats(engine, &before), TIRB_OK);
    assert_int_equal(before.modules, 1);
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    assert_int_equal(call_main(instance, NULL), TIRB_OK);
    assert_int_equal(tirb_engine_cache_stats(engine, &after), TIRB_OK);
    const bool has_grown = module->verified->heap.used > used;
    assert_int_equal(after.modules, has_grown ? 0 : 1);
    assert_int_equal(after.evictions, has_grown ? 1 : 0);
    assert_int_equal(call_main(instance, NULL), TIRB_OK);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
}

/* ---- Threads, stops, forks --------------------------------------------------------------------------------------- */

typedef struct caller {
    tirb_module *module;
    pthread_barrier_t *start;
    unsigned number;
} caller;

static void *call_in_turn(void *argument) {
    const caller *c = argument;
    tirb_instance *instance = NULL;
    tirb_result result;
    assert_int_equal(tirb_instance_create(c->module, NULL, &instance, NULL), TIRB_OK);
    pthread_barrier_wait(c->start);
    for (unsigned i = 0; i < 3; i++) {
        const tirb_arg n = int_arg(6);
        switch ((c->number + i) % 3) {
        case 0: assert_int_equal(call_main(instance, NULL), TIRB_OK); break;
        case 1:
            assert_int_equal(tirb_instance_call(instance, find(c->module, "odd"), &n, 1, &result, NULL), TIRB_OK);
            assert_int_equal(result.value.i, 0);
            break;
        default:
            assert_int_equal(tirb_instance_call(instance, find(c->module, "alone"), NULL, 0, &result, NULL), TIRB_OK);
            assert_int_equal(result.value.i, 5);
        }
    }
    tirb_instance_destroy(instance);
    return NULL;
}

static void at_the_same_time(void **state) {
    enum { THREADS = 6, ROUNDS = 20 };
    (void)state;
    tirb_engine *engine = make_engine(0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_barrier_t start;
        pthread_t threads[THREADS];
        caller callers[THREADS];
        tirb_module *module = load_within(engine, NULL, TIRB_OK);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (unsigned i = 0; i < THREADS; i++) {
            callers[i] = (caller){module, &start, i};
            assert_int_equal(pthread_create(&threads[i], NULL, call_in_turn, &callers[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&start);
        tirb_module_release(module);
    }
    tirb_engine_release(engine);
}

/* An allocator that asks for a stop with some allocation. */
typedef struct stopping {
    failing_allocator memory;
    long stop_at;
    atomic_uint stop;
} stopping;

static void *stopping_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    stopping *s = context;
    void *fresh = failing_reallocate(&s->memory, ptr, old_size, new_size);
    if (new_size > 0 && s->memory.calls == s->stop_at) atomic_store(&s->stop, TIRBI_STOP_CANCEL);
    return fresh;
}

/* Functions of enough code that each is looked at. */
static char *long_text(void) {
    enum { FUNCTIONS = 4, UNITS = 300, SIZE = 1 << 17 };
    char *made = malloc(SIZE);
    assert_non_null(made);
    size_t n = 0;
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        n += (size_t)snprintf(made + n, SIZE - n, ".function \"f%u\" public\n.scalars 4\n.lanes 2\n.ref f32 writable\n"
                              ".tensor \"a\" f32 r0 read write (64)\n", f);
        if (f + 1 < FUNCTIONS) n += (size_t)snprintf(made + n, SIZE - n, "call \"f%u\", s3, () (r0)\n", f + 1);
        for (unsigned i = 0; i < UNITS; i++)
            n += (size_t)snprintf(made + n, SIZE - n, "add.i64 s%u, s1, s2\nmul.i64 s2, s%u, s3\n", i % 4, i % 3);
        n += (size_t)snprintf(made + n, SIZE - n, "lane 64, done\n.cursor r0 f32 readwrite 0 0 1\nvload.f32 v0, c0\n"
                              "vadd.f32 v1, v0, v0\nvstore.f32 c0, v1\ndone:\nlane.end\nret.void\n.end\n");
    }
    return made;
}

/* Wherever it is stopped, nothing is lost and nothing is left behind. */
static void stopped_anywhere(void **state) {
    (void)state;
    char *const program = long_text();
    bundle b = assemble(program);
    bool is_stopped = true;
    for (long at = 1; is_stopped; at++) {
        stopping s = {.stop_at = LONG_MAX};
        tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
        options.allocator = (tirb_allocator){stopping_reallocate, &s};
        tirb_engine *engine = NULL;
        tirb_module *module = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        atomic_init(&s.stop, 0);
        assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
        assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &module, NULL), TIRB_OK);
        s.stop_at = s.memory.calls + at;
        is_stopped = tirbi_module_translate(module, 0, 1, &s.stop, &error) == TIRB_CANCELLED;
        assert_true(is_stopped || s.memory.calls < s.stop_at || tirbi_code_is_ready(module->code, 0));
        if (s.memory.calls >= s.stop_at) is_stopped = true; /* there is more to try */
        if (at % 2 == 0) { /* else what was left unfinished goes with the module */
            atomic_store(&s.stop, 0);
            assert_int_equal(tirbi_module_translate(module, 0, 1, &s.stop, &error), TIRB_OK);
            for (unsigned i = 0; i < 4; i++) assert_true(tirbi_code_is_ready(module->code, i));
        }
        tirb_module_release(module);
        tirb_engine_release(engine);
        assert_int_equal(s.memory.live, 0);
    }
    free(b.bytes);
    free(program);
}

/* What was stopped is done again and costs a module nothing: it needs no more than one that was never stopped. */
static void stopped_for_nothing(void **state) {
    (void)state;
    enum { CALLS = 20, STOPS = 5 };
    char *const program = long_text();
    bundle b = assemble(program);
    stopping s = {.stop_at = LONG_MAX};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.allocator = (tirb_allocator){stopping_reallocate, &s};
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    unsigned stopped = 0;
    atomic_init(&s.stop, 0);
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    limits.translate_all = 1;
    assert_int_equal(tirb_module_load_limited(engine, b.bytes, b.size, &limits, &module, NULL), TIRB_OK);
    const tirb_load_stats all = stats_of(module);
    tirb_module_release(module);
    limits.translate_all = 0;
    limits.max_work = all.work + all.work / 16; /* steps in tables are not the same in each load */
    limits.max_memory = all.memory + all.memory / 4;
    assert_int_equal(tirb_module_load_limited(engine, b.bytes, b.size, &limits, &module, NULL), TIRB_OK);
    for (long i = 0; i < CALLS; i++) {
        atomic_store(&s.stop, 0);
        s.stop_at = s.memory.calls + 1 + i % 2;
        const tirb_status status = tirbi_module_translate(module, 0, 1, &s.stop, &error);
        if (status != TIRB_OK && status != TIRB_CANCELLED) fail_msg("%s", error.message);
        stopped += status == TIRB_CANCELLED;
    }
    assert_true(stopped >= STOPS);
    atomic_store(&s.stop, 0);
    s.stop_at = LONG_MAX;
    assert_int_equal(tirbi_module_translate(module, 0, 1, &s.stop, &error), TIRB_OK);
    assert_true(tirbi_code_is_ready(module->code, 0));
    tirb_module_release(module);
    tirb_engine_release(engine);
    free(b.bytes);
    free(program);
}

/* A child of fork() finds what a thread of its parent was doing, and has all translated anew, whatever was ready. */
static void orphaned(void **state) {
    (void)state;
    session s = open_session(text, NULL);
    tirbi_verified *const verified = s.module->verified;
    const tirb_arg five = int_arg(5);
    EXPECT_OK(&s, run(&s, "even", &five, 1, NULL));
    atomic_store(&verified->translating, tirbi_process_number(&s.engine->timer.process));
    const pid_t child = fork();
    if (child == 0) {
        const bool goes_on = call_main(s.instance, &s.error) == TIRB_OK &&
                             run(&s, "even", &five, 1, NULL) == TIRB_OK && atomic_load(&verified->translating) == 0;
        _exit(goes_on ? 0 : 1);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    atomic_store(&verified->translating, 0);
    close_session(&s);
}

/* Who waits for another thread may be stopped as well. */
static void stopped_while_waiting(void **state) {
    (void)state;
    session s = open_session(text, &(tirb_limits){.struct_size = sizeof(tirb_limits), .timeout_ns = 3000000});
    tirbi_verified *const verified = s.module->verified;
    atomic_store(&verified->translating, tirbi_process_number(&s.engine->timer.process));
    expect_error(&s, run(&s, "alone", NULL, 0, NULL), TIRB_DEADLINE, "");
    atomic_store(&verified->translating, 0);
    close_session(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_called),   cmocka_unit_test(all_at_once),
        cmocka_unit_test(called_in_turn),
        cmocka_unit_test(limits_of_each),   cmocka_unit_test(the_cache_counts),
        cmocka_unit_test(at_the_same_time), cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(orphaned),         cmocka_unit_test(stopped_while_waiting),
        cmocka_unit_test(stopped_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
