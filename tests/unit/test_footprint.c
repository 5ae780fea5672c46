/* What libtirb takes of the process that it is in, beside memory from its allocator: the stacks of the threads that it
 * runs on, and files. */
#define _GNU_SOURCE /* MAP_STACK, mkdtemp */
#include "tests/unit/api_fixture.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tirb/compiler.h>

#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "loader/base/cpu.h"
#include "tests/unit/stored.h"

/* Sanitizers make frames larger, and open files of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#ifdef __OPTIMIZE__
#define MEASURES_STACK !SANITIZED
#else
#define MEASURES_STACK 0
#endif
#ifndef TIRB_LARGE_FRAMES /* of the scalar machine, which the build has not optimized */
#define TIRB_LARGE_FRAMES 0
#endif

/* ---- Threads that know how much of their stack was used -----------------------------------------------------------
 */

enum { PROMISED = 64 << 10, STACK = 256 << 10, PAINT = 0x5A };

typedef struct painted {
    pthread_t thread;
    uint8_t *stack;
    uint8_t *begin; /* of what the work may use */
    void (*work)(void *context);
    void *context;
} painted;

static void *painted_main(void *argument) {
    painted *p = argument;
    uint8_t here = 0;
    p->begin = &here;
    __asm__ volatile("" : : "r"(p->begin) : "memory");
    p->work(p->context);
    return NULL;
}

static void painted_start(painted *p, void (*work)(void *context), void *context) {
    pthread_attr_t attributes;
    *p = (painted){.work = work, .context = context};
    p->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert_true(p->stack != MAP_FAILED);
    memset(p->stack, PAINT, STACK);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, p->stack, STACK), 0);
    assert_int_equal(pthread_create(&p->thread, &attributes, painted_main, p), 0);
    pthread_attr_destroy(&attributes);
}

/* Returns how many bytes of its stack the work has used. */
static size_t painted_join(painted *p) {
    pthread_join(p->thread, NULL);
    const uint8_t *deepest = p->stack;
    while (*deepest == PAINT) deepest++;
    const size_t used = (size_t)(p->begin - deepest);
    munmap(p->stack, STACK);
    return used;
}

static size_t stack_of(void (*work)(void *context), void *context) {
    painted p;
    painted_start(&p, work, context);
    return painted_join(&p);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* ---- Programs -----------------------------------------------------------------------------------------------------
 */

typedef struct program {
    uint8_t *bytes;
    size_t size;
} program;

static program compile_text(const char *text) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.parallel = TIRB_PARALLEL_ALL; /* regions wherever there may be one */
    if (tirb_compile(text, strlen(text), &options, &result, &error) != TIRB_OK) fail_msg("%s", error.message);
    program p;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &p.size);
    p.bytes = malloc(p.size);
    assert_non_null(p.bytes);
    memcpy(p.bytes, bytes, p.size);
    tirb_compile_result_destroy(result);
    return p;
}

static program compile_kernels(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels/%s.py", TIRB_TEST_ROOT, name);
    char *text = stored_text(path);
    const program p = compile_text(text);
    free(text);
    return p;
}

/* ---- Loading ------------------------------------------------------------------------------------------------------
 */

typedef struct loading {
    const uint8_t *bytes;
    size_t size;
    tirb_isa isa;
    tirb_status status;
} loading;

static void load(void *context) {
    loading *l = context;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.isa = l->isa;
    options.cache_bytes = 1 << 20;
    l->status = tirb_engine_create(&options, &engine, &error);
    if (l->status == TIRB_OK) l->status = tirb_module_load(engine, l->bytes, l->size, &module, &error);
    for (uint32_t i = 0; i < tirb_module_function_count(module); i++) {
        tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
        tirb_module_function(module, i, &info, NULL);
    }
    tirb_module_release(module);
    tirb_engine_release(engine);
}

static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
enum { N_ISAS = sizeof isas / sizeof isas[0] };

/* What earlier versions have stored is all that bundles may have; of each one also what is cut off or altered. */
static void loading_takes_little_stack(void **state) {
    (void)state;
    if (!MEASURES_STACK) skip();
    char folder[1024], path[2048];
    size_t most = 0;
    unsigned loaded = 0, refused = 0;
    snprintf(folder, sizeof folder, "%s/stored/1.0", TIRB_TEST_ROOT);
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".hex")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = stored_text(path);
        loading l = {.isa = isas[loaded % N_ISAS]};
        if (!tirb_isa_available(l.isa)) l.isa = TIRB_ISA_AUTO;
        uint8_t *bytes = stored_bytes(text, &l.size);
        l.bytes = bytes;
        most = larger(most, stack_of(load, &l));
        loaded += l.status == TIRB_OK;
        bytes[l.size / 2] ^= 0x55;
        most = larger(most, stack_of(load, &l));
        l.size -= l.size / 4;
        most = larger(most, stack_of(load, &l));
        refused += l.status != TIRB_OK;
        free(bytes);
        free(text);
    }
    closedir(directory);
    assert_true(loaded > 10 && refused > 10);
    print_message("stack: %zu bytes to load\n", most);
    assert_in_range(most, 1000, PROMISED);
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

enum { EXTENT = 17, MOST_PARAMS = 16, WORKERS = 3, MEASURED_FORKS = 5 };

/* Threads of the host that are painted as well, and run the chunks of regions. */
typedef struct part {
    void (*task)(void *data, uint32_t index);
    void *data;
    uint32_t index;
} part;

static void run_part(void *context) {
    const part *p = context;
    p->task(p->data, p->index);
}

typedef struct workers {
    size_t most;
    unsigned forks; /* that are still to be measured; of others, the caller does all of the work */
} workers;

static void parallel_for(void *context, uint32_t n, void (*task)(void *data, uint32_t index), void *data) {
    workers *w = context;
    if (w->forks == 0) return;
    w->forks--;
    painted threads[WORKERS];
    part parts[WORKERS];
    for (uint32_t i = 0; i < n && i < WORKERS; i++) {
        parts[i] = (part){task, data, i};
        painted_start(&threads[i], run_part, &parts[i]);
    }
    for (uint32_t i = 0; i < n && i < WORKERS; i++) w->most = larger(w->most, painted_join(&threads[i]));
}

typedef struct calls {
    tirb_instance *instance;
    uint32_t function, n_args;
    tirb_arg args[MOST_PARAMS];
    tirb_status status;
} calls;

static void call_twice(void *context) {
    calls *c = context;
    tirb_error error = TIRB_ERROR_INIT;
    for (int i = 0; i < 2; i++)
        c->status = tirb_instance_call(c->instance, c->function, c->args, c->n_args, NULL, &error);
}

/* An argument of zeros for each parameter; whatever has no constant extent has 17 elements there. */
static bool make_args(tirb_module *module, calls *c, tensor tensors[MOST_PARAMS], void *memory[MOST_PARAMS]) {
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(module, c->function, &info, NULL), TIRB_OK);
    if (!info.is_public || info.is_packed || info.n_params > MOST_PARAMS) return false;
    c->n_args = info.n_params;
    for (uint32_t i = 0; i < info.n_params; i++) {
        tirb_param_info p = TIRB_PARAM_INFO_INIT;
        assert_int_equal(tirb_module_param(module, c->function, i, &p, NULL), TIRB_OK);
        if (p.kind == TIRB_PARAM_SCALAR) {
            c->args[i] = p.is_inferable ? no_arg() : p.dtype.code == kDLFloat ? float_arg(2) : int_arg(1);
            continue;
        }
        if (p.ndim > MAX_DIMS) return false;
        size_t size = (size_t)p.dtype.bits / 8 + 1;
        tensors[i] = (tensor){.dl = {.device = {kDLCPU, 0}, .ndim = p.ndim, .dtype = p.dtype}};
        for (int32_t k = 0; k < p.ndim; k++) {
            tensors[i].shape[k] = p.dims[k] < 0 ? EXTENT : p.dims[k];
            size *= (size_t)tensors[i].shape[k];
        }
        memory[i] = calloc(1, size + 1);
        assert_non_null(memory[i]);
        tensors[i].dl.shape = tensors[i].shape;
        tensors[i].dl.data = memory[i];
        c->args[i] = tensor_arg(&tensors[i].dl);
    }
    return true;
}

typedef struct measured {
    size_t calling;
    workers workers;
    unsigned good, bad;
} measured;

static void measure_calls(const program *p, tirb_isa isa, uint32_t threads, measured *m) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    calls c = {0};
    options.isa = isa;
    options.parallel_for = (tirb_parallel_for){parallel_for, &m->workers};
    limits.threads = threads;
    limits.fuel = 10000000;
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(engine, p->bytes, p->size, &module, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(module, &limits, &c.instance, NULL), TIRB_OK);
    for (; c.function < tirb_module_function_count(module); c.function++) {
        tensor tensors[MOST_PARAMS];
        void *memory[MOST_PARAMS] = {NULL};
        if (make_args(module, &c, tensors, memory)) {
            m->workers.forks = MEASURED_FORKS;
            m->calling = larger(m->calling, stack_of(call_twice, &c));
            *(c.status == TIRB_OK ? &m->good : &m->bad) += 1;
        }
        for (unsigned i = 0; i < MOST_PARAMS; i++) free(memory[i]);
    }
    tirb_instance_destroy(c.instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
}

/* Kernels of all kinds: contractions packed and in place, folds of floats and of integers, scans, gathers, searches,
 * lanes with loops and functions, half floats, recursion; with arguments that fit and with others. */
static void calls_take_little_stack(void **state) {
    (void)state;
    if (!MEASURES_STACK || TIRB_LARGE_FRAMES) skip();
    static const char *const kernels[] = {
        "matmul",     "batched_matmul", "conv2d",    "depthwise_conv2d", "folds",          "reductions",
        "softmax",    "layer_norm",     "cumsum",    "gathered",         "searching",      "histogram",
        "half",       "integers",       "quantized", "recursion",        "math_functions", "masks",
        "mandelbrot", "transpose",      "sort",      "attention",        "views",          "calls"};
    measured m = {0};
    for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        program p = compile_kernels(kernels[k]);
        for (unsigned i = 0; i < N_ISAS; i++)
            if (tirb_isa_available(isas[i])) measure_calls(&p, isas[i], i % 2 ? 1 : WORKERS, &m);
        free(p.bytes);
    }
    print_message("stack: %zu bytes to call, %zu to work (%u calls, %u with errors)\n", m.calling, m.workers.most,
                  m.good + m.bad, m.bad);
    assert_true(m.good > 50 && m.bad > 5);
    assert_in_range(m.calling, 1000, PROMISED);
    assert_in_range(m.workers.most, 1000, PROMISED);
}

/* ---- Files --------------------------------------------------------------------------------------------------------
 */

#ifdef __linux__
/* From now on, who opens a file is killed. False: the kernel, or an emulator, has no filters. */
static bool forbid_files(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_open
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 2, 0),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437 /* openat2, everywhere */, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog rules = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &rules) == 0;
}

enum { WORKED, NO_FILTERS, WENT_WRONG };

/* A life from the engine to the end of its threads. */
static int live_without_files(const program *p, uint32_t cpu_quota) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    static float a[2048], b[2048];
    tensor t, u;
    const tirb_arg args[] = {tensor_arg(make_tensor(&t, a, F32, 1, 2048)),
                             tensor_arg(make_tensor(&u, b, F32, 1, 2048))};
    if (!forbid_files()) return NO_FILTERS;
    options.cpu_quota = cpu_quota;
    options.cache_bytes = 1 << 20;
    limits.threads = 3;
    limits.timeout_ns = UINT64_C(60000000000);
    tirb_status status = tirb_engine_create(&options, &engine, NULL);
    if (status == TIRB_OK) status = tirb_module_load(engine, p->bytes, p->size, &module, NULL);
    if (status == TIRB_OK) status = tirb_instance_create(module, &limits, &instance, NULL);
    for (int i = 0; i < 3 && status == TIRB_OK; i++) status = tirb_instance_call(instance, 0, args, 2, NULL, NULL);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    return status == TIRB_OK ? WORKED : WENT_WRONG;
}

static int child_without_files(const program *p, uint32_t cpu_quota) {
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(live_without_files(p, cpu_quota));
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void no_file_is_opened(void **state) {
    (void)state;
    if (SANITIZED) skip();
    program p = compile_text("from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
                             "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\")):\n"
                             "    n = T.int32()\n    for i in T.parallel(n):\n        B[i] = T.exp(A[i])\n");
    const int without = child_without_files(&p, 0);
    const int with = child_without_files(&p, 1); /* who asks for quotas asks for files, and is seen */
    free(p.bytes);
    if (WIFEXITED(without) && WEXITSTATUS(without) == NO_FILTERS) skip();
    assert_true(WIFEXITED(without));
    assert_int_equal(WEXITSTATUS(without), WORKED);
    assert_true(WIFSIGNALED(with));
    assert_int_equal(WTERMSIG(with), SIGSYS);
}
#endif

/* ---- The quota of control groups ----------------------------------------------------------------------------------
 */

static void write_text(const char *root, const char *path, const char *text) {
    char whole[512];
    for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        snprintf(whole, sizeof whole, "%s%.*s", root, (int)(at - path), path);
        mkdir(whole, 0700);
    }
    snprintf(whole, sizeof whole, "%s%s", root, path);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void quotas_of_control_groups_count(void **state) {
    (void)state;
    char root[] = "/tmp/tirb_groups_XXXXXX", command[64];
    assert_non_null(mkdtemp(root));
    assert_int_equal(tirbi_cpus_by_quota(root, 8), 8);
    write_text(root, "/proc/self/cgroup", "0::/a/b\n");
    write_text(root, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_int_equal(tirbi_cpus_by_quota(root, 8), 8);
    write_text(root, "/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
    assert_int_equal(tirbi_cpus_by_quota(root, 8), 3);
    assert_int_equal(tirbi_cpus_by_quota(root, 2), 2);
    write_text(root, "/proc/self/cgroup", "3:cpu,cpuacct:/x\n");
    assert_int_equal(tirbi_cpus_by_quota(root, 8), 8);
    write_text(root, "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n");
    write_text(root, "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(tirbi_cpus_by_quota(root, 8), 1);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_takes_little_stack),
        cmocka_unit_test(calls_take_little_stack),
#ifdef __linux__
        cmocka_unit_test(no_file_is_opened),
#endif
        cmocka_unit_test(quotas_of_control_groups_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
