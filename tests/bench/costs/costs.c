/* costs [--json] [FILE.py...]: what tirb costs beside the loops themselves, each figure the best of many.
 *
 *   compile      the given sources, lines a second and time per function
 *   start        from source text to the end of the first call; from the bytes of a bundle to a function that can be
 * called bundle       its size, and what a further kernel adds; loading it anew and from the engine's cache call with
 * all checks, of a function with one tensor and with four, and with four where it does nothing; of four functions one
 * after the other and in turn team         a parallel
 * loop with nothing to do, its workers awake and asleep; two threads against one, and the same of two threads that run
 * a loop in C, which is what this machine's cores have to give
 *
 * costs.py runs it and TVM side by side. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

enum { EXTENT = 16, COPIES = 32, LARGEST = 1 << 20, MAX_TENSORS = 4, WORK = 1 << 16 };

static const char adds[] = "@T.prim_func(s_tir=True)\n"
                           "def f(a: T.Buffer((\"n\",), \"float32\"), b: T.Buffer((\"n\",), \"float32\"),\n"
                           "      c: T.Buffer((\"n\",), \"float32\"), out: T.Buffer((\"n\",), \"float32\")):\n"
                           "    n = T.int32()\n"
                           "    for i in range(n):\n"
                           "        out[i] = a[i] + b[i] + c[i]\n";
static const char nothing[] = "@T.prim_func(s_tir=True)\n"
                              "def f(a: T.Buffer((\"n\",), \"float32\"), b: T.Buffer((\"n\",), \"float32\"),\n"
                              "      c: T.Buffer((\"n\",), \"float32\"), out: T.Buffer((\"n\",), \"float32\")):\n"
                              "    n = T.int32()\n"
                              "    T.evaluate(0)\n";
static const char copies[] = "@T.prim_func(s_tir=True)\n"
                             "def f(out: T.Buffer((\"n\",), \"float32\")):\n"
                             "    n = T.int32()\n"
                             "    for i in range(n):\n"
                             "        out[i] = out[i] * T.float32(0.5)\n";
static const char forks[] = "@T.prim_func(s_tir=True)\n"
                            "def f(out: T.Buffer((\"n\",), \"float32\")):\n"
                            "    n = T.int32()\n"
                            "    for i in T.parallel(2):\n"
                            "        out[i] = 1.0\n";
/* Much arithmetic for each element. */
static const char works[] = "@T.prim_func(s_tir=True)\n"
                            "def f(out: T.Buffer((\"n\",), \"float32\")):\n"
                            "    n = T.int32()\n"
                            "    for i in range(n):\n"
                            "        out[i] = T.exp(T.sin(T.exp(T.sin(out[i]))))\n";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void check(tirb_status status, const char *step, const tirb_error *error) {
    if (status == TIRB_OK) return;
    fprintf(stderr, "costs: %s: %s: %s\n", step, tirb_status_text(status), error->message);
    exit(1);
}

static bool as_json;
static const char *separator = "{";

static void show(const char *name, double value, const char *unit) {
    if (as_json) printf("%s\n  \"%s\": %.6g", separator, name, value);
    else printf("%-42s %10.4g %s\n", name, value, unit);
    separator = ",";
}

static double least(double x, double y) { return x < y ? x : y; }

/* ---- One program ------------------------------------------------------------------------------------------------ */

typedef struct subject {
    tirb_module *module;
    tirb_instance *instance;
    uint32_t function;
    int64_t extent;
    DLTensor tensors[MAX_TENSORS];
    tirb_arg args[MAX_TENSORS];
    uint32_t n_args;
    float *values;
    tirb_error error; /* of calls: a caller needs no new one for each */
} subject;

static tirb_parallel parallel; /* which loops the compiler makes regions of */

static tirb_compile_result *compile(const char *text, size_t size, const char *name) {
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.file_name = name;
    options.parallel = parallel;
    check(tirb_compile(text, size, &options, &result, &error), name, &error);
    return result;
}

static void load(subject *s, tirb_engine *engine, const void *bytes, size_t size, uint32_t threads) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    s->error = error;
    limits.fuel = UINT64_C(1) << 60;
    limits.threads = threads;
    check(tirb_module_load(engine, bytes, size, &s->module, &error), "load", &error);
    check(tirb_instance_create(s->module, &limits, &s->instance, &error), "instance", &error);
    check(tirb_module_find(s->module, "f", &s->function, &error), "find", &error);
}

static void unload(subject *s) {
    tirb_instance_destroy(s->instance);
    tirb_module_release(s->module);
}

static void give_arguments(subject *s, uint32_t n, int64_t extent) {
    s->n_args = n;
    s->extent = extent;
    s->values = calloc((size_t)extent * n, sizeof *s->values);
    if (!s->values) exit(1);
    for (uint32_t i = 0; i < n; i++) {
        s->tensors[i] = (DLTensor){.data = s->values + (size_t)extent * i,
                                   .device = {kDLCPU, 0},
                                   .ndim = 1,
                                   .dtype = {kDLFloat, 32, 1},
                                   .shape = &s->extent};
        s->args[i] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = &s->tensors[i]};
    }
}

static void call(subject *s) {
    check(tirb_instance_call(s->instance, s->function, s->args, s->n_args, NULL, &s->error), "call", &s->error);
}

static void make(subject *s, tirb_engine *engine, const char *text, uint32_t n_args, int64_t extent, uint32_t threads) {
    size_t size;
    tirb_compile_result *result = compile(text, strlen(text), "costs.py");
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    load(s, engine, bytes, size, threads);
    tirb_compile_result_destroy(result);
    give_arguments(s, n_args, extent);
}

static void drop(subject *s) {
    unload(s);
    free(s->values);
}

/* The time of one call, the best of `rounds` of `calls`. */
static double call_ns(subject *s, int rounds, int calls) {
    double best = 1e18;
    for (int i = 0; i < rounds; i++) {
        double start = now();
        for (int k = 0; k < calls; k++) call(s);
        best = least(best, (now() - start) / calls);
    }
    return best;
}

/* ---- What is shown ---------------------------------------------------------------------------------------------- */

static uint32_t count(const char *text, const char *word) {
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) n++;
    return n;
}

static void show_compiling(int n_files, char **files) {
    double total = 0;
    uint32_t lines = 0, functions = 0;
    char *text = malloc(LARGEST + 1);
    for (int i = 0; i < n_files && text; i++) {
        FILE *file = fopen(files[i], "rb");
        size_t size = file ? fread(text, 1, LARGEST, file) : 0;
        if (file) fclose(file);
        double best = 1e18;
        for (int k = 0; k < 7 && size; k++) {
            double start = now();
            tirb_compile_result_destroy(compile(text, size, files[i]));
            best = least(best, now() - start);
        }
        if (!size) continue;
        text[size] = 0;
        total += best;
        lines += count(text, "\n");
        functions += count(text, "prim_func");
    }
    free(text);
    if (!functions) return;
    show("compile_functions", functions, "functions");
    show("compile_lines_per_second", lines / (total * 1e-9), "lines a second");
    show("compile_function_us", total / functions / 1e3, "us per function");
}

/* The time from a bundle's bytes to a function that can be called, the best of `times` in a row. */
static double load_ns(subject *s, tirb_engine *engine, const uint8_t *bytes, size_t size, int times) {
    double best = 1e18;
    for (int i = 0; i < times; i++) {
        double start = now();
        load(s, engine, bytes, size, 1);
        best = least(best, now() - start);
        unload(s);
    }
    return best;
}

/* Loading is shown twice: in a row, as a library is opened again and again to time it; and each time behind a
 * compilation, which leaves little of the loader in the processor's caches. */
static void show_start(tirb_engine *engine) {
    double text_ns = 1e18, cold_ns = 1e18, warm_ns = 1e18;
    subject s = {0};
    give_arguments(&s, 4, EXTENT);
    for (int i = 0; i < 200; i++) {
        size_t size;
        double start = now();
        tirb_compile_result *result = compile(adds, sizeof adds - 1, "costs.py");
        const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
        load(&s, engine, bytes, size, 1);
        call(&s);
        text_ns = least(text_ns, now() - start);
        unload(&s);
        cold_ns = least(cold_ns, load_ns(&s, engine, bytes, size, 1));
        if (i == 0) warm_ns = load_ns(&s, engine, bytes, size, 2000);
        tirb_compile_result_destroy(result);
    }
    free(s.values);
    show("text_to_first_call_us", text_ns / 1e3, "us");
    show("bundle_to_callable_us", warm_ns / 1e3, "us");
    show("bundle_to_callable_cold_us", cold_ns / 1e3, "us, behind a compilation");
}

/* Kernels that differ in their constants. */
static tirb_compile_result *many_kernels(int n) {
    char *text = calloc((size_t)n, 2 * sizeof adds);
    if (!text) exit(1);
    for (int i = 0; i < n; i++) {
        sprintf(text + strlen(text), "@T.prim_func(s_tir=True)\n"
                "def f%d(a: T.Buffer((\"n\",), \"float32\"), b: T.Buffer((\"n\",), \"float32\")):\n"
                "    n = T.int32()\n"
                "    for i in range(n):\n"
                "        b[i] = T.max(a[i] * T.float32(%d.5) + b[i], T.float32(0))\n", i, i + 1);
    }
    tirb_compile_result *result = compile(text, strlen(text), "costs.py");
    free(text);
    return result;
}

/* How much a bundle grows with each of many kernels. */
static void show_share(void) {
    size_t one, many;
    tirb_compile_result *result = many_kernels(1);
    tirb_compile_result_bytes(result, &one);
    tirb_compile_result_destroy(result);
    result = many_kernels(COPIES);
    tirb_compile_result_bytes(result, &many);
    tirb_compile_result_destroy(result);
    show("bundle_bytes", (double)one, "bytes of one kernel's bundle");
    show("kernel_bytes", (double)(many - one) / (COPIES - 1), "bytes that a further kernel adds");
}

/* Loading a bundle of many kernels into an engine that keeps modules: the first time, and again. */
static void show_cache(void) {
    tirb_engine *engine = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    size_t size;
    tirb_compile_result *result = many_kernels(COPIES);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    double miss = 1e18, hit = 1e18;
    options.cache_bytes = 1 << 24;
    check(tirb_engine_create(&options, &engine, &error), "engine", &error);
    for (int i = 0; i < 200; i++) {
        tirb_module *first = NULL, *again = NULL;
        tirb_engine_cache_clear(engine);
        double start = now();
        check(tirb_module_load(engine, bytes, size, &first, &error), "load", &error);
        miss = least(miss, now() - start);
        start = now();
        check(tirb_module_load(engine, bytes, size, &again, &error), "load", &error);
        hit = least(hit, now() - start);
        tirb_module_release(first);
        tirb_module_release(again);
    }
    tirb_compile_result_destroy(result);
    tirb_engine_release(engine);
    show("cache_miss_us", miss / 1e3, "us, a bundle of many kernels");
    show("cache_hit_us", hit / 1e3, "us");
}

/* Kernels of two tensors, called through one instance: each a thousand times and then the next, or all in turn. */
static void show_calls_in_turn(tirb_engine *engine) {
    enum { FUNCTIONS = 4, CALLS = 1000, ROUNDS = 100 };
    static const char *const names[] = {"calls_of_one_ns", "calls_in_turn_ns"};
    tirb_compile_result *result = many_kernels(FUNCTIONS);
    tirb_error error = TIRB_ERROR_INIT;
    subject s = {0};
    size_t size;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    check(tirb_module_load(engine, bytes, size, &s.module, &error), "load", &error);
    check(tirb_instance_create(s.module, NULL, &s.instance, &error), "instance", &error);
    tirb_compile_result_destroy(result);
    give_arguments(&s, 2, EXTENT);
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        double best = 1e18;
        for (int round = 0; round < ROUNDS; round++) {
            double start = now();
            for (uint32_t k = 0; k < FUNCTIONS * CALLS; k++) {
                s.function = in_turn ? k % FUNCTIONS : k / CALLS;
                call(&s);
            }
            best = least(best, (now() - start) / (FUNCTIONS * CALLS));
        }
        show(names[in_turn], best, in_turn ? "ns, of four functions" : "ns, of one of four functions");
    }
    drop(&s);
}

static void show_calls(tirb_engine *engine) {
    subject s = {0};
    make(&s, engine, copies, 1, EXTENT, 1);
    show("call_1_tensor_ns", call_ns(&s, 200, 2000), "ns");
    drop(&s);
    make(&s, engine, adds, 4, EXTENT, 1);
    show("call_4_tensors_ns", call_ns(&s, 200, 2000), "ns");
    drop(&s);
    make(&s, engine, nothing, 4, EXTENT, 1);
    show("call_of_nothing_ns", call_ns(&s, 200, 2000), "ns, of four tensors");
    drop(&s);
    show_calls_in_turn(engine);
}

/* ---- Two threads in C -------------------------------------------------------------------------------------------- */

enum { NATIVE_ELEMENTS = 4096, NATIVE_ROUNDS = 64, NATIVE_STEPS = 32 };

typedef struct native {
    float values[NATIVE_ELEMENTS];
    atomic_long asked, done; /* numbers of a round; asked < 0: no more */
} native;

/* Arithmetic alone, on elements that stay in the nearest cache. */
static void work_natively(float *values, int n) {
    for (int k = 0; k < NATIVE_STEPS; k++)
        for (int i = 0; i < n; i++) values[i] = values[i] * 0.5f + 0.25f / (values[i] * values[i] + 1.0f);
}

static void *second_half(void *context) {
    native *work = context;
    long seen = 0;
    for (;;) {
        long asked = atomic_load_explicit(&work->asked, memory_order_acquire);
        if (asked < 0) return NULL;
        if (asked == seen) continue;
        work_natively(work->values + NATIVE_ELEMENTS / 2, NATIVE_ELEMENTS / 2);
        seen = asked;
        atomic_store_explicit(&work->done, seen, memory_order_release);
    }
}

/* A second thread that waits awake does half of a loop. */
static void show_native_threads(void) {
    native *work = calloc(1, sizeof *work);
    pthread_t second;
    if (!work || pthread_create(&second, NULL, second_half, work) != 0) exit(1);
    double by_one = 1e18, by_two = 1e18;
    for (long round = 1; round <= NATIVE_ROUNDS; round++) {
        double start = now();
        work_natively(work->values, NATIVE_ELEMENTS / 2);
        work_natively(work->values + NATIVE_ELEMENTS / 2, NATIVE_ELEMENTS / 2);
        by_one = least(by_one, now() - start);
        start = now();
        atomic_store_explicit(&work->asked, round, memory_order_release);
        work_natively(work->values, NATIVE_ELEMENTS / 2);
        while (atomic_load_explicit(&work->done, memory_order_acquire) != round) continue;
        by_two = least(by_two, now() - start);
    }
    atomic_store_explicit(&work->asked, -1, memory_order_release);
    pthread_join(second, NULL);
    free(work);
    show("two_native_threads", by_one / by_two, "times as fast, a loop in C");
}

/* A call after some milliseconds of rest. */
static double rested_call_ns(subject *s) {
    const struct timespec nap = {.tv_nsec = 5000000};
    double best = 1e18;
    for (int i = 0; i < 100; i++) {
        nanosleep(&nap, NULL);
        best = least(best, call_ns(s, 1, 1));
    }
    return best;
}

static void show_team(tirb_engine *engine) {
    subject one = {0}, two = {0};
    parallel = TIRB_PARALLEL_ALL; /* so little work is not worth a fork */
    make(&one, engine, forks, 1, EXTENT, 1);
    make(&two, engine, forks, 1, EXTENT, 2);
    parallel = TIRB_PARALLEL_AUTO;
    double alone = call_ns(&one, 200, 1000), hot = call_ns(&two, 200, 1000);
    double alone_rested = rested_call_ns(&one), parked = rested_call_ns(&two);
    drop(&one);
    drop(&two);
    show("fork_join_hot_us", (hot - alone) / 1e3, "us more than the loop on one thread");
    show("fork_join_parked_us", (parked - alone_rested) / 1e3, "us, the same after a rest");
    for (int64_t extent = WORK / 4; extent <= WORK; extent *= 4) {
        char name[64];
        make(&one, engine, works, 1, extent, 1);
        make(&two, engine, works, 1, extent, 2);
        double by_one = 1e18, by_two = 1e18;
        for (int i = 0; i < 30; i++) { /* the first of many calls wakes the worker */
            by_one = least(by_one, call_ns(&one, 1, 64));
            by_two = least(by_two, call_ns(&two, 1, 64));
        }
        snprintf(name, sizeof name, "two_threads_of_%.0f_us", by_one / 1e3);
        show(as_json ? extent == WORK ? "two_threads_long" : "two_threads_short" : name, by_one / by_two,
             "times as fast");
        drop(&one);
        drop(&two);
    }
    show_native_threads();
}

int main(int argc, char **argv) {
    tirb_engine *engine = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--json") == 0) {
        as_json = true;
        first = 2;
    }
    check(tirb_engine_create(NULL, &engine, &error), "engine", &error);
    show_compiling(argc - first, argv + first);
    show_start(engine);
    show_share();
    show_cache();
    show_calls(engine);
    show_team(engine);
    if (as_json) printf("\n}\n");
    tirb_engine_release(engine);
    return 0;
}
