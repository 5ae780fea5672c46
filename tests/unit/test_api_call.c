/* Engines, modules and calls: limits, traps and their places, threads, cancel, deadlines, failing memory. */
#include "tests/unit/api_fixture.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vm/lanes/kernels.h"

static const char program[] =
    ".source \"k.py\"\n"
    ".function \"sum\" public returns i64\n"
    ".scalars 4\n.ref i64\n.var \"n\" i64 s0\n.tensor \"A\" i64 r0 read ($0)\n"
    "  const.i64 s2, 0\n  brnot s0, done\n"
    "again:\n  load.i64 s3, r0, s1\n  add.i64 s2, s2, s3\n  loop s1, s0, again\n"
    "done:\n  ret.i64 s2\n.end\n"
    ".function \"pick\" public returns f32\n"
    ".scalars 4\n.ref f32\n"
    ".tensor \"A\" f32 r0 read (10 100)\n.scalar \"i\" i64 s0\n.scalar \"j\" i64 s1\n"
    ".line 3 5\n  const.i64 s2, 10\n  index s0, s2, 0, \"A\"\n"
    ".line 4 9\n  const.i64 s2, 100\n  index s1, s2, 1, \"A\"\n"
    "  mul.i64 s3, s0, s2\n  add.i64 s3, s3, s1\n"
    ".line 5 9\n  load.f32 s3, r0, s3\n  ret.f32 s3\n.end\n"
    ".function \"over\" public returns i32\n"
    ".scalars 2\n.scalar \"a\" i32 s0\n.scalar \"b\" i32 s1\n"
    ".line 9 12\n  div.i32 s0, s0, s1\n  ret.i32 s0\n.end\n"
    ".function \"outer\" public returns i32\n"
    ".scalars 2\n.scalar \"a\" i32 s0\n.scalar \"b\" i32 s1\n"
    ".line 20 1\n  call \"over\", s0, (s0 s1), ()\n  ret.i32 s0\n.end\n"
    ".function \"claim\" public\n"
    ".scalars 1\n.scalar \"c\" bool s0\n.line 30 2\n  assert s0, \"ValueError\", \"c must hold\"\n  ret.void\n.end\n"
    ".function \"spin\" public\n"
    "again:\n  nop\n  back again\n.end\n"
    ".function \"deep\" public\n"
    ".line 40 3\n  call \"deep\", s0, (), ()\n  ret.void\n.scalars 1\n.end\n"
    ".function \"take\" public\n"
    ".scalars 1\n.ref u8 writable\n.scalar \"n\" i64 s0\n.line 50 1\n  alloc.u8 r0, s0\n  ret.void\n.end\n"
    ".function \"copy\" public\n"
    ".scalars 4\n.ref i32\n.ref i32 writable\n.var \"n\" i64 s0\n.var \"m\" i64 s1\n"
    ".tensor \"A\" i32 r0 read ($0 $1)\n.tensor \"B\" i32 r1 write ($0 $1)\n"
    "  mul.i64 s0, s0, s1\n  const.i64 s1, 0\n  brnot s0, done\n"
    "again:\n  load.i32 s2, r0, s1\n  store.i32 r1, s1, s2\n  loop s1, s0, again\n"
    "done:\n  ret.void\n.end\n";

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#define UNDER_TSAN __has_feature(thread_sanitizer)
#else
#define UNDER_TSAN 0
#endif

static const DLDataType I32 = {kDLInt, 32, 1};
static const DLDataType I64 = {kDLInt, 64, 1};

/* ---- Engines and options ----------------------------------------------------------------------------------------- */

static void test_versions_and_names(void **state) {
    (void)state;
    assert_string_equal(tirb_version(), "0.1.0");
    for (int i = 0; i < TIRBI_N_ISAS; i++) {
        tirb_isa back;
        assert_int_equal(tirb_isa_from_name(tirb_isa_name((tirb_isa)i), &back), TIRB_OK);
        assert_int_equal(back, i);
    }
    tirb_isa none;
    assert_int_equal(tirb_isa_from_name("neon9", &none), TIRB_NOT_FOUND);
    assert_int_equal(tirb_isa_from_name(NULL, &none), TIRB_NOT_FOUND);
    assert_string_equal(tirb_isa_name((tirb_isa)99), "unknown");
    assert_true(tirb_isa_available(TIRB_ISA_GENERIC));
    assert_true(tirb_isa_available(TIRB_ISA_AUTO));
    assert_false(tirb_isa_available((tirb_isa)99));
}

/* Whether the build was asked to compile lanes for it. */
static bool built(tirb_isa isa) {
    const char *name = tirb_isa_name(isa), *list = TIRB_TEST_LANE_ISAS;
    if (isa == TIRB_ISA_AUTO || isa == TIRB_ISA_GENERIC || strcmp(list, "all") == 0) return true;
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) return true;
    return false;
}

static void test_absent_isas(void **state) {
    (void)state;
    for (int i = 0; i < TIRBI_N_ISAS; i++) {
        tirb_isa isa = (tirb_isa)i;
        if (tirb_isa_available(isa)) {
            assert_true(built(isa));
            continue;
        }
        tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
        options.isa = isa;
        tirb_engine *engine = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        assert_int_equal(tirb_engine_create(&options, &engine, &error), TIRB_UNSUPPORTED);
        assert_null(engine);
        char build[32], cpu[32];
        snprintf(build, sizeof build, "this build has no %s", tirb_isa_name(isa));
        snprintf(cpu, sizeof cpu, "this CPU has no %s", tirb_isa_name(isa));
        /* What a CPU has is its own affair, but for what every one of its kind has. */
#if defined(__x86_64__)
        if (isa == TIRB_ISA_SSE2) cpu[0] = '\0';
#elif defined(__aarch64__)
        if (isa == TIRB_ISA_NEON) cpu[0] = '\0';
#endif
        assert_true(strcmp(error.message, cpu) == 0 || (!built(isa) && strcmp(error.message, build) == 0));
    }
}

static void test_engine_options(void **state) {
    (void)state;
    tirb_engine *engine = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    for (int i = 0; i < TIRBI_N_ISAS; i++) {
        tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
        options.isa = (tirb_isa)i;
        tirb_status status = tirb_engine_create(&options, &engine, &error);
        assert_int_equal(status, tirb_isa_available((tirb_isa)i) ? TIRB_OK : TIRB_UNSUPPORTED);
        if (status != TIRB_OK) continue;
        assert_true(tirb_engine_isa(engine) != TIRB_ISA_AUTO);
        if (i != TIRB_ISA_AUTO) assert_int_equal(tirb_engine_isa(engine), i);
        tirb_engine_release(engine);
    }
    /* a caller with a longer struct may pass it as long as it asks for nothing new */
    struct {
        tirb_engine_options known;
        uint64_t unknown;
    } longer = {TIRB_ENGINE_OPTIONS_INIT, 0};
    longer.known.struct_size = sizeof(longer);
    assert_int_equal(tirb_engine_create(&longer.known, &engine, &error), TIRB_OK);
    tirb_engine_release(engine);
    longer.unknown = 1;
    assert_int_equal(tirb_engine_create(&longer.known, &engine, &error), TIRB_MISUSE);
    longer.known.struct_size = 0;
    assert_int_equal(tirb_engine_create(&longer.known, &engine, &error), TIRB_MISUSE);
    longer.known = (tirb_engine_options)TIRB_ENGINE_OPTIONS_INIT;
    longer.known.isa = (tirb_isa)42;
    assert_int_equal(tirb_engine_create(&longer.known, &engine, &error), TIRB_MISUSE);
    assert_int_equal(tirb_engine_create(NULL, NULL, &error), TIRB_MISUSE);
    tirb_engine_release(NULL);
    tirb_module_release(NULL);
    tirb_instance_destroy(NULL);
    tirb_instance_cancel(NULL);
}

static void test_bad_bundles(void **state) {
    (void)state;
    tirb_engine *engine = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.max_bundle_size = 64;
    assert_int_equal(tirb_engine_create(&options, &engine, &error), TIRB_OK);
    tirb_module *module = (tirb_module *)engine;
    bundle b = assemble(program);
    assert_int_equal(tirb_module_load(engine, b.bytes, b.size, &module, &error), TIRB_MEMORY_LIMIT);
    assert_null(module);
    tirb_engine_release(engine);
    assert_int_equal(tirb_engine_create(NULL, &engine, &error), TIRB_OK);
    assert_int_equal(tirb_module_load(engine, NULL, 4, &module, &error), TIRB_MISUSE);
    assert_int_equal(tirb_module_load(NULL, b.bytes, b.size, &module, &error), TIRB_MISUSE);
    assert_int_equal(tirb_module_load(engine, b.bytes, b.size, NULL, &error), TIRB_MISUSE);
    assert_int_not_equal(tirb_module_load(engine, NULL, 0, &module, &error), TIRB_OK);
    for (size_t size = 0; size < b.size; size++) {
        assert_int_not_equal(tirb_module_load(engine, b.bytes, size, &module, &error), TIRB_OK);
        assert_null(module);
    }
    for (size_t i = 0; i < b.size; i++) {
        b.bytes[i] ^= 0x10;
        assert_int_not_equal(tirb_module_load(engine, b.bytes, b.size, &module, &error), TIRB_OK);
        b.bytes[i] ^= 0x10;
    }
    free(b.bytes);
    /* code that assembles but does not verify */
    bundle wild = assemble(".function \"f\" public\n.scalars 1\n  mov.i32 s0, s7\n  ret.void\n.end\n");
    assert_int_equal(tirb_module_load(engine, wild.bytes, wild.size, &module, &error), TIRB_VERIFY);
    free(wild.bytes);
    tirb_engine_release(engine);
}

static void test_references_keep_alive(void **state) {
    (void)state;
    session s = open_session(program, NULL);
    tirb_engine_release(s.engine);
    assert_ptr_equal(tirb_module_retain(s.module), s.module);
    tirb_module_release(s.module);
    uint32_t sum = find(s.module, "sum");
    tirb_module_release(s.module);
    int64_t x[3] = {1, 2, 3};
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, x, I64, 1, 3));
    tirb_result result;
    EXPECT_OK(&s, tirb_instance_call(s.instance, sum, &arg, 1, &result, &s.error));
    assert_int_equal(result.value.i, 6);
    tirb_instance_destroy(s.instance);
}

static void test_limits_struct(void **state) {
    (void)state;
    session s = open_session(program, NULL);
    tirb_instance *other = NULL;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.struct_size = 3;
    assert_int_equal(tirb_instance_create(s.module, &limits, &other, &s.error), TIRB_MISUSE);
    assert_int_equal(tirb_instance_create(NULL, NULL, &other, &s.error), TIRB_MISUSE);
    assert_int_equal(tirb_instance_create(s.module, NULL, NULL, &s.error), TIRB_MISUSE);
    /* an older, shorter struct: the rest has its defaults */
    limits.struct_size = offsetof(tirb_limits, fuel) + sizeof(limits.fuel);
    limits.fuel = 1;
    limits.max_memory = 1;
    assert_int_equal(tirb_instance_create(s.module, &limits, &other, &s.error), TIRB_OK);
    assert_int_equal(tirb_instance_call(other, find(s.module, "spin"), NULL, 0, NULL, &s.error), TIRB_FUEL);
    tirb_instance_destroy(other);
    assert_int_equal(tirb_instance_call(NULL, 0, NULL, 0, NULL, &s.error), TIRB_MISUSE);
    close_session(&s);
}

/* ---- Traps and limits -------------------------------------------------------------------------------------------- */

static void expect_place(const session *s, const char *where, unsigned line, unsigned column) {
    assert_string_equal(s->error.where, where);
    assert_int_equal(s->error.line, line);
    assert_int_equal(s->error.column, column);
}

static void test_traps(void **state) {
    (void)state;
    session s = open_session(program, NULL);
    static float x[1000];
    x[7 * 100 + 99] = 5;
    tensor a;
    tirb_arg args[3] = {tensor_arg(make_tensor(&a, x, F32, 2, 10, 100)), int_arg(0), int_arg(200)};
    expect_error(&s, run(&s, "pick", args, 3, NULL), TIRB_BOUNDS, "index 200 is out of bounds for dimension 1 of A");
    assert_non_null(strstr(s.error.message, "extent"));
    assert_non_null(strstr(s.error.message, "100 (in pick)"));
    expect_place(&s, "k.py", 4, 9);
    args[1] = int_arg(-1);
    expect_error(&s, run(&s, "pick", args, 3, NULL), TIRB_BOUNDS, "index -1 is out of bounds for dimension 0 of A");
    expect_place(&s, "k.py", 3, 5);
    tirb_result result;
    args[1] = int_arg(7);
    args[2] = int_arg(99);
    EXPECT_OK(&s, run(&s, "pick", args, 3, &result));
    assert_true(result.value.f == 5);
    assert_int_equal(result.dtype.bits, 32);

    tirb_arg pair[2] = {int_arg(7), int_arg(0)};
    expect_error(&s, run(&s, "over", pair, 2, NULL), TIRB_DIVIDE, "(in over)");
    expect_place(&s, "k.py", 9, 12);
    expect_error(&s, run(&s, "outer", pair, 2, NULL), TIRB_DIVIDE, "(in over)");
    expect_place(&s, "k.py", 9, 12);
    pair[1] = int_arg(-2);
    EXPECT_OK(&s, run(&s, "outer", pair, 2, &result));
    assert_int_equal(result.value.i, -3);

    tirb_arg no = int_arg(0);
    expect_error(&s, run(&s, "claim", &no, 1, NULL), TIRB_ASSERT, "c must hold");
    expect_place(&s, "k.py", 30, 2);
    assert_int_equal(tirb_instance_call(s.instance, find(s.module, "claim"), &no, 1, NULL, NULL), TIRB_ASSERT);
    no = int_arg(1);
    result.dtype.bits = 99;
    EXPECT_OK(&s, run(&s, "claim", &no, 1, &result));
    assert_int_equal(result.dtype.bits, 0);
    close_session(&s);
}

/* However short a call is, and whoever comes first, its end or the timer: it is not OK behind its deadline. */
static void test_never_ok_behind_a_deadline(void **state) {
    (void)state;
    session s = open_session(program, NULL);
    int64_t x[1000] = {0};
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, x, I64, 1, 1000));
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_instance *hurried = NULL;
    tirb_result result;
    limits.timeout_ns = 1;
    assert_int_equal(tirb_instance_create(s.module, &limits, &hurried, NULL), TIRB_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(tirb_instance_call(hurried, find(s.module, "sum"), &arg, 1, &result, &s.error), TIRB_DEADLINE);
    tirb_instance_destroy(hurried);
    close_session(&s);
}

static void test_fuel_and_stats(void **state) {
    (void)state;
    session s = open_session(program, NULL);
    int64_t x[1000];
    for (int i = 0; i < 1000; i++) x[i] = i;
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, x, I64, 1, 1000));
    tirb_result result;
    tirb_stats stats = TIRB_STATS_INIT;
    EXPECT_OK(&s, run(&s, "sum", &arg, 1, &result));
    assert_int_equal(result.value.i, 999 * 500);
    assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
    uint64_t used = stats.fuel_used;
    assert_true(used >= 6 * 999 && used < 10 * 1000);
    assert_true(stats.peak_memory > 0 && stats.peak_memory < 1 << 20);
    /* the same call needs the same fuel, exactly */
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_instance *exact = NULL;
    for (int less = 0; less < 2; less++) {
        limits.fuel = used - (unsigned)less;
        assert_int_equal(tirb_instance_create(s.module, &limits, &exact, NULL), TIRB_OK);
        tirb_status status = tirb_instance_call(exact, find(s.module, "sum"), &arg, 1, &result, &s.error);
        assert_int_equal(status, less ? TIRB_FUEL : TIRB_OK);
        if (!less) {
            assert_int_equal(tirb_instance_stats(exact, &stats), TIRB_OK);
            assert_int_equal(stats.fuel_used, used);
        }
        tirb_instance_destroy(exact);
    }
    stats.struct_size = 0;
    assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_MISUSE);
    assert_int_equal(tirb_instance_stats(s.instance, NULL), TIRB_MISUSE);
    close_session(&s);
}

static void test_depth_and_memory(void **state) {
    (void)state;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.max_depth = 50;
    limits.max_memory = 1 << 20;
    session s = open_session(program, &limits);
    expect_error(&s, run(&s, "deep", NULL, 0, NULL), TIRB_DEPTH, "50");
    expect_place(&s, "k.py", 40, 3);
    tirb_arg size = int_arg(2 << 20);
    expect_error(&s, run(&s, "take", &size, 1, NULL), TIRB_MEMORY_LIMIT, "(in take)");
    expect_place(&s, "k.py", 50, 1);
    size = int_arg(-1);
    assert_int_equal(run(&s, "take", &size, 1, NULL), TIRB_VALUE);
    size = int_arg(1 << 19);
    EXPECT_OK(&s, run(&s, "take", &size, 1, NULL));
    tirb_stats stats = TIRB_STATS_INIT;
    assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
    assert_true(stats.peak_memory >= 1 << 19 && stats.peak_memory <= 1 << 20);

    /* copies of strided arguments count as well */
    enum { N = 600 };
    static int32_t x[N * N], y[N * N];
    tensor a, b;
    tirb_arg args[2] = {tensor_arg(make_tensor(&a, x, I32, 2, N, N)), tensor_arg(make_tensor(&b, y, I32, 2, N, N))};
    set_strides(&a, 1, N);
    expect_error(&s, run(&s, "copy", args, 2, NULL), TIRB_MEMORY_LIMIT,
                 "its compact copy of 1440000 bytes exceeds the memory limit of 1048576");
    a.shape[0] = a.shape[1] = b.shape[0] = b.shape[1] = 300;
    for (int i = 0; i < N * N; i++) x[i] = i;
    EXPECT_OK(&s, run(&s, "copy", args, 2, NULL));
    assert_int_equal(y[1], N);
    close_session(&s);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static void sleep_ms(long ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

typedef struct spinner {
    session *s;
    tirb_instance *instance;
    tirb_error error;
    atomic_int status; /* -1: running */
} spinner;

static void *spin(void *argument) {
    spinner *job = argument;
    job->error = (tirb_error)TIRB_ERROR_INIT;
    tirb_status status = tirb_instance_call(job->instance, find(job->s->module, "spin"), NULL, 0, NULL, &job->error);
    atomic_store(&job->status, (int)status);
    return NULL;
}

static void wait_until_busy(tirb_instance *instance) {
    tirb_stats stats = TIRB_STATS_INIT;
    while (tirb_instance_stats(instance, &stats) != TIRB_BUSY) sleep_ms(1);
}

static void test_cancel_and_busy(void **state) {
    (void)state;
    session s = open_session(program, NULL);
    tirb_instance_cancel(s.instance); /* of no call: the next one is not affected */
    for (int round = 0; round < 3; round++) {
        spinner job = {.s = &s, .instance = s.instance};
        atomic_init(&job.status, -1);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, spin, &job), 0);
        wait_until_busy(s.instance);
        tirb_arg arg = int_arg(1);
        expect_error(&s, run(&s, "claim", &arg, 1, NULL), TIRB_BUSY, "one instance per thread");
        assert_int_equal(tirb_instance_infer(s.instance, 0, 0, &arg, 1, NULL, 0, NULL, NULL, NULL), TIRB_BUSY);
        /* the call may still be on its way in, where it clears the flag */
        while (atomic_load(&job.status) < 0) {
            tirb_instance_cancel(s.instance);
            sleep_ms(1);
        }
        pthread_join(thread, NULL);
        assert_int_equal(atomic_load(&job.status), TIRB_CANCELLED);
        assert_int_equal(job.error.code, TIRB_CANCELLED);
        EXPECT_OK(&s, run(&s, "claim", &arg, 1, NULL));
    }
    close_session(&s);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void test_deadline(void **state) {
    (void)state;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.timeout_ns = 20 * 1000000;
    session s = open_session(program, &limits);
    tirb_arg arg = int_arg(1);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(run(&s, "spin", NULL, 0, NULL), TIRB_DEADLINE);
        /* the deadlines of calls that ended must not stop later ones, which may lose the processor for as long */
        for (int i = 0; i < 1000; i++) {
            const uint64_t begin = now_ns();
            const tirb_status status = run(&s, "claim", &arg, 1, NULL);
            if (status != TIRB_DEADLINE || now_ns() - begin < limits.timeout_ns) EXPECT_OK(&s, status);
        }
    }
    /* several instances with deadlines of their own, the later one armed first */
    spinner jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        limits.timeout_ns = (uint64_t)(80 - 20 * i) * 1000000;
        jobs[i].s = &s;
        atomic_init(&jobs[i].status, -1);
        assert_int_equal(tirb_instance_create(s.module, &limits, &jobs[i].instance, NULL), TIRB_OK);
        assert_int_equal(pthread_create(&threads[i], NULL, spin, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&jobs[i].status), TIRB_DEADLINE);
        tirb_instance_destroy(jobs[i].instance);
    }
    /* a timeout beyond the end of the clock is none */
    limits.timeout_ns = UINT64_MAX;
    tirb_instance *patient = NULL;
    assert_int_equal(tirb_instance_create(s.module, &limits, &patient, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_call(patient, find(s.module, "claim"), &arg, 1, NULL, NULL), TIRB_OK);
    tirb_instance_destroy(patient);
    close_session(&s);
}

/* The timer's thread does not exist in a child; the child's first deadline starts one there. */
static void test_deadline_after_fork(void **state) {
    (void)state;
    if (UNDER_TSAN) skip(); /* it does not support threads in the child of a process that had some */
    if (getenv("TIRB_EMULATED") != NULL) skip(); /* nor does qemu-user */
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.timeout_ns = 10 * 1000000;
    session s = open_session(program, &limits);
    assert_int_equal(run(&s, "spin", NULL, 0, NULL), TIRB_DEADLINE);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        int good = run(&s, "spin", NULL, 0, NULL) == TIRB_DEADLINE;
        tirb_arg arg = int_arg(1);
        good = good && run(&s, "claim", &arg, 1, NULL) == TIRB_OK;
        close_session(&s);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* a child that only gives everything back */
        close_session(&s);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(run(&s, "spin", NULL, 0, NULL), TIRB_DEADLINE);
    close_session(&s);
}

typedef struct worker {
    session *s;
    int number;
    int good;
} worker;

static void *work(void *argument) {
    worker *job = argument;
    tirb_module *module = tirb_module_retain(job->s->module);
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.timeout_ns = (uint64_t)60 * 1000000000;
    tirb_instance *instance = NULL;
    if (tirb_instance_create(module, &limits, &instance, NULL) != TIRB_OK) return NULL;
    int64_t x[16];
    for (int i = 0; i < 16; i++) x[i] = i * job->number;
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, x, I64, 1, 16));
    uint32_t sum = find(module, "sum");
    for (int i = 0; i < 2000; i++) {
        tirb_result result;
        if (tirb_instance_call(instance, sum, &arg, 1, &result, NULL) != TIRB_OK) break;
        job->good += result.value.i == 120 * job->number;
    }
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    return NULL;
}

static void test_instances_on_threads(void **state) {
    (void)state;
    enum { N = 6 };
    session s = open_session(program, NULL);
    worker jobs[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        jobs[i] = (worker){&s, i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].good, 2000);
    }
    close_session(&s);
}

/* ---- Memory that runs out ---------------------------------------------------------------------------------------- */

typedef struct sweep_result {
    tirb_status status;
    tirb_error error;
} sweep_result;

/* Everything from an engine to a call with copies, with whatever fails given back. */
static sweep_result whole_life(failing_allocator *memory, const bundle *b) {
    sweep_result r = {.error = TIRB_ERROR_INIT};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.allocator = (tirb_allocator){failing_reallocate, memory};
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    r.status = tirb_engine_create(&options, &engine, &r.error);
    if (r.status == TIRB_OK) r.status = tirb_module_load(engine, b->bytes, b->size, &module, &r.error);
    if (r.status == TIRB_OK) r.status = tirb_instance_create(module, NULL, &instance, &r.error);
    if (r.status == TIRB_OK) {
        int32_t x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {0};
        tensor from, to;
        tirb_arg args[2] = {tensor_arg(make_tensor(&from, x, I32, 2, 2, 3)),
                            tensor_arg(make_tensor(&to, y, I32, 2, 2, 3))};
        set_strides(&from, 1, 2);
        set_strides(&to, 1, 2);
        r.status = tirb_instance_call(instance, find(module, "copy"), args, 2, NULL, &r.error);
        if (r.status == TIRB_OK) assert_memory_equal(x, y, sizeof(x));
        /* the instance works again once there is memory */
        long from_call = memory->fail_from;
        memory->fail_from = 0;
        assert_int_equal(tirb_instance_call(instance, find(module, "copy"), args, 2, NULL, NULL), TIRB_OK);
        memory->fail_from = from_call;
    }
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    return r;
}

static void sweep(long width) {
    bundle b = assemble(program);
    failing_allocator calm = {0};
    sweep_result good = whole_life(&calm, &b);
    if (good.status != TIRB_OK) fail_msg("%s", good.error.message);
    assert_int_equal(calm.live, 0);
    int failures = 0;
    for (long n = 1; n <= calm.calls; n++) {
        failing_allocator memory = {.fail_from = n, .fail_to = width ? n + width - 1 : LONG_MAX};
        sweep_result r = whole_life(&memory, &b);
        if (memory.live != 0) fail_msg("allocation %ld: %zu bytes leak", n, memory.live);
        if (r.status == TIRB_OK) continue; /* it was the repeated call's, or there was another way */
        failures++;
        assert_int_equal(r.status, TIRB_NO_MEMORY);
        assert_int_equal(r.error.code, TIRB_NO_MEMORY);
        assert_true(r.error.message[0] != 0);
    }
    assert_true(failures > 5);
    free(b.bytes);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    sweep(1);
}

static void test_memory_ends(void **state) {
    (void)state;
    sweep(0);
}

/* The first call leaves its frames to the next ones, which allocate nothing and count the same. */
static void test_calls_do_not_allocate(void **state) {
    (void)state;
    failing_allocator memory = {0};
    session s = open_counted(program, NULL, &memory);
    int32_t x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {0};
    tensor from, to;
    tirb_arg args[2] = {tensor_arg(make_tensor(&from, x, I32, 2, 2, 3)), tensor_arg(make_tensor(&to, y, I32, 2, 2, 3))};
    tirb_stats first = TIRB_STATS_INIT, later = TIRB_STATS_INIT;
    EXPECT_OK(&s, run(&s, "copy", args, 2, NULL)); /* translates the function */
    tirb_instance_destroy(s.instance);
    assert_int_equal(tirb_instance_create(s.module, NULL, &s.instance, &s.error), TIRB_OK);
    long calls = memory.calls;
    EXPECT_OK(&s, run(&s, "copy", args, 2, NULL));
    assert_true(memory.calls - calls <= 1); /* the frame */
    assert_int_equal(tirb_instance_stats(s.instance, &first), TIRB_OK);
    size_t live = memory.live;
    calls = memory.calls;
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(&s, run(&s, "copy", args, 2, NULL));
        assert_int_equal(memory.calls, calls);
        assert_int_equal(memory.live, live);
        assert_int_equal(tirb_instance_stats(s.instance, &later), TIRB_OK);
        assert_true(first.peak_memory > 0 && later.peak_memory == first.peak_memory);
    }
    close_session(&s);
    assert_int_equal(memory.live, 0);
}

/* Whether a call fits a limit does not depend on what the ones before it have left. */
static void test_kept_memory_counts(void **state) {
    (void)state;
    tirb_limits limits = TIRB_LIMITS_INIT;
    session s = open_session(program, NULL);
    int64_t x[10] = {0};
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, x, I64, 1, 10));
    tirb_stats stats = TIRB_STATS_INIT;
    EXPECT_OK(&s, run(&s, "sum", &arg, 1, NULL));
    assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
    for (unsigned less = 0; less < 2; less++) {
        tirb_instance *exact = NULL;
        limits.max_memory = stats.peak_memory - less;
        assert_int_equal(tirb_instance_create(s.module, &limits, &exact, NULL), TIRB_OK);
        for (int i = 0; i < 3; i++) {
            tirb_status status = tirb_instance_call(exact, find(s.module, "sum"), &arg, 1, NULL, NULL);
            assert_int_equal(status, less ? TIRB_MEMORY_LIMIT : TIRB_OK);
        }
        tirb_instance_destroy(exact);
    }
    close_session(&s);
}

/* ---- Profiles --------------------------------------------------------------------------------------------------- */

static const char looping[] = ".fp precise\n.source \"loop.py\"\n"
                              ".function \"half\" returns i32\n.scalars 2\n.scalar \"x\" i32 s0\n"
                              ".line 7 3\n    const.i32 s1, 1\n    shr.i32 s1, s0, s1\n    ret.i32 s1\n.end\n"
                              ".function \"f\" public returns i32\n.scalars 4\n.scalar \"n\" i32 s0\n"
                              ".line 2 5\n    const.i32 s1, 0\n    const.i32 s2, 0\n    const.i32 s3, 1\n"
                              "L0:\n.line 3 9\n    add.i32 s2, s2, s0\n    call \"half\", s2, (s2) ()\n"
                              "    add.i32 s2, s2, s3\n    loop s1, s0, L0\n"
                              ".line 4 5\n    ret.i32 s2\n.end\n";

static void test_profile(void **state) {
    (void)state;
    tirb_result plain, profiled;
    tirb_stats fuel[2] = {TIRB_STATS_INIT, TIRB_STATS_INIT};
    tirb_arg n = {.kind = TIRB_ARG_INT, .value.i = 10};
    tirb_profile_entry entry = TIRB_PROFILE_ENTRY_INIT;
    session s = open_session(looping, NULL);
    EXPECT_OK(&s, run(&s, "f", &n, 1, &plain));
    assert_int_equal(tirb_instance_stats(s.instance, &fuel[0]), TIRB_OK);
    assert_int_equal(tirb_instance_profile(s.instance, 0, &entry, NULL), TIRB_NOT_FOUND);
    tirb_instance_sample(s.instance);
    close_session(&s);

    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.profile = 1;
    assert_int_equal(tirb_engine_create(&options, &s.engine, NULL), TIRB_OK);
    s.module = load_text(s.engine, looping);
    assert_int_equal(tirb_instance_create(s.module, NULL, &s.instance, NULL), TIRB_OK);
    for (unsigned round = 0; round < 2; round++) {
        static const uint64_t expected[] = {10, 1, 10, 1};
        static const uint32_t lines[] = {7, 2, 3, 4};
        EXPECT_OK(&s, run(&s, "f", &n, 1, &profiled));
        tirb_instance_sample(s.instance); /* nothing runs */
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(tirb_instance_profile(s.instance, i, &entry, NULL), TIRB_OK);
            assert_string_equal(entry.function, i == 0 ? "half" : "f");
            assert_int_equal(entry.line, lines[i]);
            assert_int_equal(entry.runs, expected[i]);
            assert_int_equal(entry.samples, 0);
        }
        assert_int_equal(tirb_instance_profile_reset(s.instance, NULL), TIRB_OK);
    }
    assert_int_equal(profiled.value.i, plain.value.i);
    assert_int_equal(tirb_instance_stats(s.instance, &fuel[1]), TIRB_OK);
    assert_int_equal(fuel[1].fuel_used, fuel[0].fuel_used);
    assert_int_equal(tirb_instance_profile(s.instance, 4, &entry, &s.error), TIRB_NOT_FOUND);
    assert_int_equal(tirb_instance_profile(s.instance, 0, NULL, NULL), TIRB_MISUSE);
    entry.struct_size = 2;
    assert_int_equal(tirb_instance_profile(s.instance, 0, &entry, NULL), TIRB_MISUSE);
    assert_int_equal(tirb_instance_profile_reset(NULL, NULL), TIRB_MISUSE);
    tirb_instance_sample(NULL);
    close_session(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_versions_and_names),
        cmocka_unit_test(test_absent_isas),
        cmocka_unit_test(test_engine_options),
        cmocka_unit_test(test_bad_bundles),
        cmocka_unit_test(test_references_keep_alive),
        cmocka_unit_test(test_limits_struct),
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_never_ok_behind_a_deadline),
        cmocka_unit_test(test_fuel_and_stats),
        cmocka_unit_test(test_depth_and_memory),
        cmocka_unit_test(test_cancel_and_busy),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_deadline_after_fork),
        cmocka_unit_test(test_instances_on_threads),
        cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_memory_ends),
        cmocka_unit_test(test_calls_do_not_allocate),
        cmocka_unit_test(test_kept_memory_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
