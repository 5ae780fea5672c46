/* The module cache of an engine: hits, budgets, collisions, threads, fork, every allocation failed in turn. */
#include "tests/unit/api_fixture.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loader/cache/build_id.h"
#include "loader/cache/memory.h"
#include "vm/call/objects.h"

/* A function that returns `constant`: as many different bundles as are wanted. */
static bundle returning(int constant) {
    char text[256];
    snprintf(
        text, sizeof text,
        ".fp precise\n.function \"f\" public returns i32\n.scalars 1\n    const.i32 s0, %d\n    ret.i32 s0\n.end\n",
        constant);
    return assemble(text);
}

static tirb_engine *engine_with(uint64_t bytes, uint64_t modules, failing_allocator *allocator) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.cache_bytes = bytes;
    options.cache_modules = modules;
    if (allocator) options.allocator = (tirb_allocator){failing_reallocate, allocator};
    tirb_engine *engine = NULL;
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    return engine;
}

static tirb_module *load(tirb_engine *engine, const bundle *b) {
    tirb_module *module = NULL;
    assert_int_equal(tirb_module_load(engine, b->bytes, b->size, &module, NULL), TIRB_OK);
    return module;
}

static int64_t value_of(tirb_module *module) {
    tirb_instance *instance = NULL;
    tirb_result result;
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_call(instance, 0, NULL, 0, &result, NULL), TIRB_OK);
    tirb_instance_destroy(instance);
    return result.value.i;
}

static void load_and_check(tirb_engine *engine, int constant) {
    bundle b = returning(constant);
    tirb_module *module = load(engine, &b);
    assert_int_equal(value_of(module), constant);
    tirb_module_release(module);
    free(b.bytes);
}

static tirb_cache_stats stats_of(tirb_engine *engine) {
    tirb_cache_stats stats = TIRB_CACHE_STATS_INIT;
    assert_int_equal(tirb_engine_cache_stats(engine, &stats), TIRB_OK);
    return stats;
}

static void test_without_a_cache_nothing_is_kept(void **state) {
    (void)state;
    tirb_engine *engine = engine_with(0, 5, NULL);
    load_and_check(engine, 1);
    tirb_cache_stats stats = stats_of(engine);
    assert_int_equal(stats.modules + stats.bytes + stats.hits + stats.misses + stats.max_bytes + stats.max_modules, 0);
    tirb_engine_cache_clear(engine);
    tirb_engine_release(engine);
    tirb_engine_cache_clear(NULL);
    assert_int_equal(tirb_engine_cache_stats(NULL, &stats), TIRB_MISUSE);
}

static void test_the_same_bytes_are_verified_once(void **state) {
    (void)state;
    failing_allocator counter = {0};
    tirb_engine *engine = engine_with(1 << 20, 0, &counter);
    bundle b = returning(7);
    tirb_module *first = load(engine, &b);
    long calls = counter.calls;
    tirb_module *second = load(engine, &b);
    assert_int_equal(counter.calls, calls + 1); /* the module object */
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(first->program, second->program);
    assert_int_equal(value_of(first), 7);
    tirb_module_release(first);
    assert_int_equal(value_of(second), 7);
    tirb_module_release(second);
    load_and_check(engine, 7); /* nobody had it any more but the cache */
    tirb_cache_stats stats = stats_of(engine);
    assert_int_equal(stats.hits, 2);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.modules, 1);
    assert_int_equal(stats.max_bytes, 1 << 20);
    assert_int_equal(stats.max_modules, 1024);
    assert_true(stats.bytes > b.size && stats.bytes <= counter.live);
    free(b.bytes);
    tirb_engine_release(engine);
    assert_int_equal(counter.live, 0);
}

static void test_a_module_outlives_cache_and_engine(void **state) {
    (void)state;
    failing_allocator counter = {0};
    tirb_engine *engine = engine_with(1 << 20, 0, &counter);
    bundle b = returning(3);
    tirb_module *module = load(engine, &b);
    tirb_engine_cache_clear(engine);
    assert_int_equal(stats_of(engine).modules, 0);
    assert_int_equal(stats_of(engine).bytes, 0);
    assert_int_equal(value_of(module), 3);
    tirb_module *again = load(engine, &b);
    assert_ptr_not_equal(module->program, again->program);
    tirb_engine_release(engine);
    assert_int_equal(value_of(module), 3);
    tirb_module_release(module);
    assert_int_equal(value_of(again), 3);
    tirb_module_release(again);
    free(b.bytes);
    assert_int_equal(counter.live, 0);
}

static void test_the_least_recently_used_goes_first(void **state) {
    (void)state;
    tirb_engine *engine = engine_with(1 << 20, 2, NULL);
    load_and_check(engine, 1);
    load_and_check(engine, 2);
    load_and_check(engine, 1);
    load_and_check(engine, 3); /* 2 goes */
    assert_int_equal(stats_of(engine).evictions, 1);
    load_and_check(engine, 1);
    load_and_check(engine, 3);
    assert_int_equal(stats_of(engine).hits, 3);
    load_and_check(engine, 2); /* 1 goes */
    tirb_cache_stats stats = stats_of(engine);
    assert_int_equal(stats.misses, 4);
    assert_int_equal(stats.evictions, 2);
    assert_int_equal(stats.modules, 2);
    tirb_engine_release(engine);
}

static void test_the_byte_budget_holds(void **state) {
    (void)state;
    tirb_engine *probe = engine_with(1 << 20, 0, NULL);
    load_and_check(probe, 100);
    uint64_t each = stats_of(probe).bytes;
    tirb_engine_release(probe);
    tirb_engine *engine = engine_with(3 * each + each / 2, 0, NULL);
    for (int i = 0; i < 20; i++) {
        load_and_check(engine, 100 + i);
        assert_true(stats_of(engine).bytes <= stats_of(engine).max_bytes);
    }
    assert_int_equal(stats_of(engine).modules, 3);
    tirb_engine_release(engine);
    engine = engine_with(each - 1, 0, NULL); /* one byte too small for any */
    load_and_check(engine, 100);
    assert_int_equal(stats_of(engine).modules, 0);
    tirb_engine_release(engine);
    engine = engine_with(1, 0, NULL);
    load_and_check(engine, 100);
    assert_int_equal(stats_of(engine).modules, 0);
    tirb_engine_release(engine);
}

static void test_many_entries(void **state) {
    (void)state;
    tirb_engine *engine = engine_with(64 << 20, 0, NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 500; i++) load_and_check(engine, i);
    }
    assert_int_equal(stats_of(engine).hits, 500);
    tirb_engine_release(engine);
}

static void test_refused_bundles_are_not_kept(void **state) {
    (void)state;
    tirb_engine *engine = engine_with(1 << 20, 0, NULL);
    bundle b = returning(1);
    b.bytes[b.size - 1] ^= 1;
    tirb_module *module;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &module, NULL), TIRB_CHECKSUM);
        assert_int_equal(tirb_module_load(engine, NULL, 0, &module, NULL), TIRB_FORMAT);
    }
    assert_int_equal(stats_of(engine).modules, 0);
    assert_int_equal(stats_of(engine).misses, 4);
    free(b.bytes);
    tirb_engine_release(engine);
}

/* ---- Collisions -------------------------------------------------------------------------------------------------- */

static tirbi_key everything_collides(const void *bytes, size_t size, uint64_t seed) {
    (void)bytes, (void)size, (void)seed;
    return (tirbi_key){1, 2};
}

/* Only the table's place collides, so that chains are walked. */
static tirbi_key one_bucket(const void *bytes, size_t size, uint64_t seed) {
    return (tirbi_key){0, tirbi_hash_xxh3(bytes, size, seed).high};
}

static tirb_engine *engine_hashing(tirbi_hash hash) {
    tirb_engine *engine = engine_with(1 << 20, 8, NULL);
    tirbi_cache_destroy(engine->cache);
    uint64_t secret = 1;
    tirbi_cache_policy policy = {.max_bytes = 1 << 20,
                                 .max_entries = 8,
                                 .retain = tirbi_verified_retain,
                                 .release = tirbi_verified_release,
                                 .hash = hash,
                                 .secret = &secret};
    assert_int_equal(tirbi_cache_create(&engine->heap, &policy, &engine->cache, NULL), TIRB_OK);
    return engine;
}

static void test_collisions_never_give_the_wrong_module(void **state) {
    (void)state;
    tirb_engine *engine = engine_hashing(everything_collides);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) {
            load_and_check(engine, i);
            load_and_check(engine, i);
        }
    }
    assert_int_equal(stats_of(engine).hits, 30);
    assert_int_equal(stats_of(engine).modules, 1);
    tirb_engine_release(engine);
    engine = engine_hashing(one_bucket);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++) load_and_check(engine, i);
    }
    assert_int_equal(stats_of(engine).hits, 16);
    for (int i = 0; i < 12; i++) load_and_check(engine, i);
    assert_int_equal(stats_of(engine).modules, 8);
    tirb_engine_release(engine);
}

static void test_keys_depend_on_secret_and_context(void **state) {
    (void)state;
    static const char bytes[] = "the same bytes";
    assert_false(tirbi_key_equal(tirbi_hash_xxh3(bytes, sizeof bytes, 1), tirbi_hash_xxh3(bytes, sizeof bytes, 2)));
    assert_true(tirbi_key_equal(tirbi_hash_xxh3(bytes, sizeof bytes, 1), tirbi_hash_xxh3(bytes, sizeof bytes, 1)));
    assert_int_equal(strspn(tirbi_build_id, "0123456789abcdef"), TIRBI_BUILD_ID_SIZE);
    assert_int_equal(strlen(tirbi_build_id), TIRBI_BUILD_ID_SIZE);
}

/* ---- Threads and processes --------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 300, KINDS = 6 };

typedef struct worker {
    tirb_engine *engine;
    const bundle *bundles;
    unsigned seed;
} worker;

static void *load_at_random(void *argument) {
    worker *w = argument;
    unsigned r = w->seed;
    tirb_module *kept[KINDS] = {NULL};
    size_t wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        r = r * 1664525u + 1013904223u;
        unsigned kind = (r >> 16) % KINDS;
        tirb_module *module = NULL;
        if (tirb_module_load(w->engine, w->bundles[kind].bytes, w->bundles[kind].size, &module, NULL) != TIRB_OK) {
            wrong++;
            continue;
        }
        tirb_instance *instance = NULL;
        tirb_result result = {.value.i = -1};
        wrong += tirb_instance_create(module, NULL, &instance, NULL) != TIRB_OK ||
                 tirb_instance_call(instance, 0, NULL, 0, &result, NULL) != TIRB_OK || result.value.i != (int)kind;
        tirb_instance_destroy(instance);
        tirb_module_release(kept[kind]);
        kept[kind] = module;
        if ((r >> 8) % 64 == 0) tirb_engine_cache_clear(w->engine);
    }
    for (int i = 0; i < KINDS; i++) tirb_module_release(kept[i]);
    return (void *)wrong;
}

static void test_threads_share_it(void **state) {
    (void)state;
    tirb_engine *engine = engine_with(1 << 20, KINDS / 2, NULL);
    bundle bundles[KINDS];
    for (int i = 0; i < KINDS; i++) bundles[i] = returning(i);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){engine, bundles, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, load_at_random, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    tirb_cache_stats stats = stats_of(engine);
    assert_int_equal(stats.hits + stats.misses, THREADS * ROUNDS);
    assert_true(stats.modules <= KINDS / 2);
    tirb_engine_release(engine);
    for (int i = 0; i < KINDS; i++) free(bundles[i].bytes);
}

/* Runs in a child: status 0 when `entries` were found there and the cache works. */
static int child_status(tirb_engine *engine, uint64_t entries) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bundle b = returning(1);
        tirb_module *module = NULL;
        tirb_cache_stats stats = TIRB_CACHE_STATS_INIT, after = TIRB_CACHE_STATS_INIT;
        bool good = tirb_engine_cache_stats(engine, &stats) == TIRB_OK && stats.modules == entries &&
                    tirb_module_load(engine, b.bytes, b.size, &module, NULL) == TIRB_OK &&
                    tirb_engine_cache_stats(engine, &after) == TIRB_OK && after.hits == stats.hits + (entries > 0) &&
                    after.modules == 1;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_a_child_process_goes_on(void **state) {
    (void)state;
    tirb_engine *engine = engine_with(1 << 20, 0, NULL);
    load_and_check(engine, 1);
    assert_int_equal(child_status(engine, 1), 0);
    load_and_check(engine, 1);
    /* As if another thread of the parent were changing the table when the child is made. */
    pthread_mutex_t *lock = tirbi_cache_lock_for_tests(engine->cache);
    pthread_mutex_lock(lock);
    assert_int_equal(child_status(engine, 0), 0);
    pthread_mutex_unlock(lock);
    assert_int_equal(stats_of(engine).modules, 1);
    tirb_engine_release(engine);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The cache's own failures never make a load fail that would have worked without it. */
static void test_every_allocation_fails_in_turn(void **state) {
    (void)state;
    bundle b = returning(5);
    bool done = false;
    for (long n = 1; !done; n++) {
        failing_allocator allocator = {.fail_from = n, .fail_to = n};
        tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
        options.cache_bytes = 1 << 20;
        options.allocator = (tirb_allocator){failing_reallocate, &allocator};
        tirb_engine *engine = NULL;
        tirb_status status = tirb_engine_create(&options, &engine, NULL);
        if (status == TIRB_OK) {
            for (int i = 0; i < 2; i++) {
                tirb_module *module = NULL;
                status = tirb_module_load(engine, b.bytes, b.size, &module, NULL);
                assert_true(status == TIRB_OK || status == TIRB_NO_MEMORY);
                assert_true((status == TIRB_OK) == (module != NULL));
                tirb_module_release(module);
            }
            done = allocator.calls < n;
        } else {
            assert_int_equal(status, TIRB_NO_MEMORY);
            assert_null(engine);
        }
        tirb_engine_release(engine);
        assert_int_equal(allocator.live, 0);
    }
    free(b.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_cache_nothing_is_kept),
        cmocka_unit_test(test_the_same_bytes_are_verified_once),
        cmocka_unit_test(test_a_module_outlives_cache_and_engine),
        cmocka_unit_test(test_the_least_recently_used_goes_first),
        cmocka_unit_test(test_the_byte_budget_holds),
        cmocka_unit_test(test_many_entries),
        cmocka_unit_test(test_refused_bundles_are_not_kept),
        cmocka_unit_test(test_collisions_never_give_the_wrong_module),
        cmocka_unit_test(test_keys_depend_on_secret_and_context),
        cmocka_unit_test(test_threads_share_it),
        cmocka_unit_test(test_a_child_process_goes_on),
        cmocka_unit_test(test_every_allocation_fails_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
