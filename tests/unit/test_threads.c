/* One engine on several threads at once: compiling, loading through the cache, calls whose regions share the team, host
 * functions inside of regions, cancels and samples from outside. */
#include "tests/unit/api_fixture.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <tirb/compiler.h>

enum { THREADS = 4, ROUNDS = 12, ROWS = 512, COLUMNS = 64 };

static const char source[] =
    "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
    "def rows(A: T.Buffer((\"n\", 64), \"float32\"), B: T.Buffer((\"n\", 64), \"float32\"), times: T.int32):\n"
    "    n = T.int32()\n"
    "    for i in T.parallel(n):\n"
    "        for t in range(times):\n"
    "            for j in range(64):\n"
    "                B[i, j] = B[i, j] * T.float32(0.5) + A[i, j]\n";

static tirb_compile_result *compile(void) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.parallel = TIRB_PARALLEL_ALL;
    if (tirb_compile(source, strlen(source), &options, &result, &error) != TIRB_OK) return NULL;
    return result;
}

/* ---- Calls of all kinds ------------------------------------------------------------------------------------------ */

typedef struct shared {
    tirb_engine *engine;
    const uint8_t *bundle; /* what every thread's own compilation must give */
    size_t size;
    float expected[COLUMNS];
} shared;

typedef struct worker {
    const shared *with;
    pthread_mutex_t lock;
    tirb_instance *running; /* by the lock: to be cancelled and sampled */
    int good, cancelled, other;
} worker;

static float input(int column) { return (float)(column % 13) * 0.25f - 1; }

static void expect_rows(float expected[COLUMNS], int times) {
    for (int j = 0; j < COLUMNS; j++) {
        expected[j] = 0;
        for (int t = 0; t < times; t++) expected[j] = expected[j] * 0.5f + input(j);
    }
}

static tirb_status call_rows(tirb_instance *instance, float *a, float *b, int times) {
    tensor t, u;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        a[i] = input(i % COLUMNS);
        b[i] = 0;
    }
    const tirb_arg args[] = {tensor_arg(make_tensor(&t, a, F32, 2, ROWS, COLUMNS)),
                             tensor_arg(make_tensor(&u, b, F32, 2, ROWS, COLUMNS)), int_arg(times)};
    return tirb_instance_call(instance, 0, args, 3, NULL, NULL);
}

static void show(worker *w, tirb_instance *instance) {
    pthread_mutex_lock(&w->lock);
    w->running = instance;
    pthread_mutex_unlock(&w->lock);
}

static void one_round(worker *w, float *a, float *b) {
    tirb_compile_result *result = compile();
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    tirb_limits limits = TIRB_LIMITS_INIT;
    size_t size = 0;
    limits.threads = 3;
    limits.timeout_ns = UINT64_C(600000000000);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    bool same = size == w->with->size && memcmp(bytes, w->with->bundle, size) == 0;
    if (same && tirb_module_load(w->with->engine, bytes, size, &module, NULL) == TIRB_OK &&
        tirb_instance_create(module, &limits, &instance, NULL) == TIRB_OK) {
        show(w, instance);
        tirb_status status = call_rows(instance, a, b, 500);
        show(w, NULL);
        if (status == TIRB_CANCELLED) w->cancelled++;
        else if (status == TIRB_OK) w->good++;
        else w->other++;
        /* After whatever happened, the next call gives what it should. */
        if (call_rows(instance, a, b, 9) != TIRB_OK) w->other++;
        for (int i = 0; i < ROWS * COLUMNS; i++) w->other += b[i] != w->with->expected[i % COLUMNS];
    } else {
        w->other++;
    }
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_compile_result_destroy(result);
}

static void *work(void *context) {
    worker *w = context;
    float *a = malloc(ROWS * COLUMNS * sizeof *a), *b = malloc(ROWS * COLUMNS * sizeof *b);
    for (int round = 0; a && b && round < ROUNDS; round++) one_round(w, a, b);
    free(a);
    free(b);
    return NULL;
}

static void sleep_us(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }

typedef struct canceller {
    worker *workers;
    atomic_int stop;
} canceller;

static void *cancel(void *context) {
    canceller *c = context;
    for (unsigned i = 0; !atomic_load(&c->stop); i++) {
        worker *w = &c->workers[i % THREADS];
        pthread_mutex_lock(&w->lock);
        if (w->running && i % 3 == 0) tirb_instance_cancel(w->running);
        if (w->running) tirb_instance_sample(w->running);
        pthread_mutex_unlock(&w->lock);
        sleep_us(300);
    }
    return NULL;
}

static void share_an_engine(uint32_t profile) {
    shared with = {.engine = NULL};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.cache_bytes = 1 << 20;
    options.max_threads = 3;
    options.profile = profile;
    assert_int_equal(tirb_engine_create(&options, &with.engine, NULL), TIRB_OK);
    tirb_compile_result *result = compile();
    with.bundle = tirb_compile_result_bytes(result, &with.size);
    expect_rows(with.expected, 9);
    worker workers[THREADS];
    pthread_t threads[THREADS], other;
    canceller c = {.workers = workers};
    atomic_init(&c.stop, 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.with = &with};
        assert_int_equal(pthread_mutex_init(&workers[i].lock, NULL), 0);
    }
    assert_int_equal(pthread_create(&other, NULL, cancel, &c), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    atomic_store(&c.stop, 1);
    pthread_join(other, NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].other, 0);
        assert_int_equal(workers[i].good + workers[i].cancelled, ROUNDS);
        pthread_mutex_destroy(&workers[i].lock);
    }
    tirb_cache_stats stats = TIRB_CACHE_STATS_INIT;
    assert_int_equal(tirb_engine_cache_stats(with.engine, &stats), TIRB_OK);
    assert_int_equal(stats.hits + stats.misses, THREADS * ROUNDS);
    assert_true(stats.misses <= THREADS);
    tirb_compile_result_destroy(result);
    tirb_engine_release(with.engine);
}

static void test_one_engine(void **state) {
    (void)state;
    share_an_engine(0);
}

static void test_one_profiling_engine(void **state) {
    (void)state;
    share_an_engine(1);
}

/* ---- Memory that runs out on any thread -------------------------------------------------------------------------- */

/* An allocator for several threads, of which one call fails, or all from it on. */
typedef struct shared_memory {
    atomic_long live, calls;
    long fail_from, fail_to;
} shared_memory;

static void *shared_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    shared_memory *m = context;
    if (new_size == 0) {
        free(ptr);
        atomic_fetch_sub(&m->live, (long)old_size);
        return NULL;
    }
    long call = atomic_fetch_add(&m->calls, 1) + 1;
    if (call >= m->fail_from && call <= m->fail_to) return NULL;
    void *fresh = realloc(ptr, new_size);
    if (fresh) atomic_fetch_add(&m->live, (long)new_size - (long)old_size);
    return fresh;
}

/* Two nests for threads, one with memory of each iteration and one that is a contraction, and their copies of a strided
 * argument. */
static const char hungry[] = "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
                             "def f(A: T.Buffer((40, 32), \"float32\"), B: T.Buffer((40, 32), \"float32\"), C: "
                             "T.Buffer((40, 40), \"float32\")):\n"
                             "    for i in T.parallel(40):\n"
                             "        W = T.alloc_buffer((32,), \"float32\")\n"
                             "        for j in range(32):\n"
                             "            W[j] = A[i, 31 - j]\n"
                             "        for k in range(32):\n"
                             "            B[i, k] = W[k] + W[31 - k]\n"
                             "    for i, j, k in T.grid(40, 40, 32):\n"
                             "        C[i, j] = C[i, j] + B[i, k] * A[j, k]\n";

static tirb_status whole_life(shared_memory *memory, const uint8_t *bytes, size_t size, float *c) {
    static float a[40 * 64];
    float b[40 * 32] = {0};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    tirb_error e = TIRB_ERROR_INIT;
    tensor t, u, v;
    options.allocator = (tirb_allocator){shared_reallocate, memory};
    options.cache_bytes = 1 << 20;
    options.max_threads = limits.threads = 3;
    limits.timeout_ns = UINT64_C(600000000000);
    for (int i = 0; i < 40 * 64; i++) a[i] = (float)(i % 29) * 0.125f;
    memset(c, 0, 40 * 40 * sizeof *c);
    make_tensor(&t, a, F32, 2, 40, 32);
    set_strides(&t, 64, 2);
    const tirb_arg args[] = {tensor_arg(&t.dl), tensor_arg(make_tensor(&u, b, F32, 2, 40, 32)),
                             tensor_arg(make_tensor(&v, c, F32, 2, 40, 40))};
    tirb_status status = tirb_engine_create(&options, &engine, &e);
    if (status == TIRB_OK) status = tirb_module_load(engine, bytes, size, &module, &e);
    if (status == TIRB_OK) status = tirb_instance_create(module, &limits, &instance, &e);
    if (status == TIRB_OK) status = tirb_instance_call(instance, 0, args, 3, NULL, &e);
    assert_true(status == TIRB_OK || e.code == status);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    return status;
}

static void test_failing_memory(void **state) {
    (void)state;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    size_t size;
    static float expected[40 * 40], c[40 * 40];
    options.parallel = TIRB_PARALLEL_ALL;
    assert_int_equal(tirb_compile(hungry, strlen(hungry), &options, &result, NULL), TIRB_OK);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    shared_memory memory = {.fail_from = 0};
    assert_int_equal(whole_life(&memory, bytes, size, expected), TIRB_OK);
    long calls = atomic_load(&memory.calls);
    for (int all = 0; all < 2; all++) {
        for (long n = 1; n <= calls; n++) {
            memory = (shared_memory){.fail_from = n, .fail_to = all ? LONG_MAX : n};
            tirb_status status = whole_life(&memory, bytes, size, c);
            if (status != TIRB_OK && status != TIRB_NO_MEMORY)
                fail_msg("allocation %ld: %s", n, tirb_status_name(status));
            if (status == TIRB_OK) assert_memory_equal(c, expected, sizeof c);
            assert_int_equal(atomic_load(&memory.live), 0);
        }
    }
    tirb_compile_result_destroy(result);
}

/* ---- Functions of the host in regions ---------------------------------------------------------------------------- */

static const char region[] =
    ".import \"see\" (i64) returns i64\n"
    ".function \"main\" public\n.scalars 1\n.ref i64 writable\n.var \"n\" i64 s0\n.tensor \"d\" i64 r0 write ($0)\n"
    "    fork \"each:0\", s0, 1, () (r0 part 0 1 1)\n    ret.void\n.end\n"
    ".function \"each:0\" region\n.scalars 5\n.ref i64 writable\n.scalar \"begin\" i64 s0\n.scalar \"end\" i64 s1\n"
    ".tensor \"d\" i64 r0 read write ()\n    mov.i64 s2, s0\nagain:\n    sub.i64 s3, s2, s0\n    callx #0, s4, (s2) "
    "()\n"
    "    store.i64 r0, s3, s4\n    loop s2, s1, again\n    ret.void\n.end\n";

typedef struct host {
    atomic_int calls;
    int fail_at; /* the argument from which on it fails; 0: never */
} host;

static tirb_status see(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                       uint64_t remaining_ns, tirb_error *error) {
    (void)n_args, (void)remaining_ns;
    host *h = context;
    atomic_fetch_add(&h->calls, 1);
    result->value.i = args[0].value.i * 3;
    if (!h->fail_at || args[0].value.i < h->fail_at) return TIRB_OK;
    snprintf(error->message, sizeof error->message, "no %d", (int)args[0].value.i);
    return TIRB_IO;
}

static void test_regions_call_the_host(void **state) {
    (void)state;
    enum { N = 1000 };
    static const DLDataType int64 = {kDLInt, 64, 1};
    int64_t data[N] = {0};
    tensor t;
    const tirb_arg arg = tensor_arg(make_tensor(&t, data, int64, 1, N));
    tirb_limits limits = TIRB_LIMITS_INIT;
    host h = {.fail_at = 0};
    atomic_init(&h.calls, 0);
    limits.threads = 4;
    session s = open_session(region, &limits);
    tirb_import import = {.name = "see", .types = "(int64) -> int64", .function = see, .context = &h};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, &import, 1, &s.error));
    expect_error(&s, run(&s, "main", &arg, 1, NULL), TIRB_IMPORT,
                 "a region calls see, which is not bound as thread-safe");
    import.flags = TIRB_IMPORT_THREAD_SAFE;
    EXPECT_OK(&s, tirb_instance_bind(s.instance, &import, 1, &s.error));
    EXPECT_OK(&s, run(&s, "main", &arg, 1, NULL));
    assert_int_equal(atomic_load(&h.calls), N);
    for (int i = 0; i < N; i++) assert_int_equal(data[i], 3 * i);
    for (int round = 0; round < 5; round++) { /* of the chunks that fail, the lowest one's error is told */
        h.fail_at = 1 + 190 * round;
        char expected[64];
        snprintf(expected, sizeof expected, "see: no %d (in each)", h.fail_at);
        expect_error(&s, run(&s, "main", &arg, 1, NULL), TIRB_IO, expected);
    }
    close_session(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_engine),
        cmocka_unit_test(test_one_profiling_engine),
        cmocka_unit_test(test_regions_call_the_host),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
