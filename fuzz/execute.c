#include "fuzz/execute.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/imports.h"
#include "vm/call/objects.h"

enum { MAX_BUNDLE = 1 << 20, MAX_FUNCTIONS = 12 };

/* ---- Modules --------------------------------------------------------------------------------------------------- */

static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
enum { N_ISAS = sizeof(isas) / sizeof(isas[0]) };

/* Engines are made once: what a leak checker would find of them is still reachable. The last one profiles, which fuses
 * no instructions and does no rows at once. */
static tirb_engine *engines[N_ISAS + 1];
static uint32_t n_engines;

static void open_engine(tirb_isa isa, bool profiles) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.isa = isa;
    options.profile = profiles;
    options.max_bundle_size = MAX_BUNDLE;
    if (tirb_engine_create(&options, &engines[n_engines], NULL) != TIRB_OK) fuzz_fail("no engine");
    n_engines++;
}

static void open_engines(void) {
    for (uint32_t i = 0; i < N_ISAS; i++)
        if (tirb_isa_available(isas[i])) open_engine(isas[i], false);
    open_engine(TIRB_ISA_GENERIC, true);
}

bool fuzz_modules_load(fuzz_modules *m, const uint8_t *bytes, size_t size, tirb_error *out_error) {
    if (n_engines == 0) open_engines();
    *m = (fuzz_modules){0};
    tirb_status first = TIRB_OK;
    for (uint32_t i = 0; i < n_engines; i++) {
        tirb_error error = TIRB_ERROR_INIT;
        tirb_status status = tirb_module_load(engines[i], bytes, size, &m->modules[i], &error);
        if (i == 0) first = status;
        if (i == 0 && out_error) *out_error = error;
        if (status != first) {
            fuzz_fail("loading gives %s for %s and %s for the first: %s", tirb_status_name(status),
                      tirb_isa_name(tirb_engine_isa(engines[i])), tirb_status_name(first), error.message);
        }
        if (status != TIRB_OK && error.message[0] == '\0') fuzz_fail("refused without a message");
    }
    if (first != TIRB_OK) return false;
    m->n = n_engines;
    m->program = m->modules[0]->program;
    return true;
}

void fuzz_modules_release(fuzz_modules *m) {
    for (uint32_t i = 0; i < m->n; i++) tirb_module_release(m->modules[i]);
    m->n = 0;
}

/* ---- Calls ----------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    tirb_status status;
    tirb_result result;
    tirb_stats stats;
    tirb_error error;
    fuzz_arguments arguments; /* as the call left them */
} outcome;

static tirb_limits choose_limits(uint64_t seed) {
    static const uint32_t fuel[] = {300, 5000, 20000, 60000};
    static const uint32_t memory[] = {1 << 12, 1 << 16, 1 << 20, 1 << 22};
    static const uint32_t depth[] = {1, 5, 40, 200};
    fuzz_random r = fuzz_seed(seed);
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.fuel = fuel[fuzz_below(&r, 4)];
    limits.max_memory = memory[fuzz_one_in(&r, 4) ? fuzz_below(&r, 4) : 3];
    limits.max_depth = depth[fuzz_below(&r, 4)];
    if (fuzz_one_in(&r, 64)) limits.timeout_ns = UINT64_C(1) << fuzz_below(&r, 34);
    if (fuzz_one_in(&r, 32)) { /* extents that no fuel would do for */
        limits.fuel = 0;
        limits.timeout_ns = 1 << 18;
    }
    return limits;
}

static void call(tirb_instance *instance, uint32_t function, const fuzz_arguments *given, outcome *out) {
    out->error = (tirb_error)TIRB_ERROR_INIT;
    out->stats = (tirb_stats)TIRB_STATS_INIT;
    memset(&out->result, 0, sizeof(out->result));
    fuzz_arguments_copy(&out->arguments, given);
    out->status = tirb_instance_call(instance, function, out->arguments.args, given->n, &out->result, &out->error);
    if (tirb_instance_stats(instance, &out->stats) != TIRB_OK) fuzz_fail("no statistics after a call");
    if (out->status == TIRB_INTERNAL || out->status == TIRB_NO_MEMORY || out->status == TIRB_BUSY ||
        out->status == TIRB_MISUSE || out->status == TIRB_CANCELLED) {
        fuzz_fail("a call ends with %s: %s", tirb_status_name(out->status), out->error.message);
    }
    if (out->status != TIRB_OK && out->error.message[0] == '\0') fuzz_fail("an error without a message");
    fuzz_arguments_check_kept(given, &out->arguments);
}

static void expect_equal(const outcome *a, const outcome *b, const char *what, const char *isa) {
    if (a->status == TIRB_DEADLINE || b->status == TIRB_DEADLINE) return;
    if (a->status != b->status) {
        fuzz_fail("%s, %s: %s (%s), but at first %s (%s)", what, isa, tirb_status_name(b->status), b->error.message,
                  tirb_status_name(a->status), a->error.message);
    }
    if (strcmp(a->error.message, b->error.message) != 0 || a->error.offset != b->error.offset) {
        fuzz_fail("%s, %s: '%s', but at first '%s'", what, isa, b->error.message, a->error.message);
    }
    if (a->stats.fuel_used != b->stats.fuel_used || a->stats.peak_memory != b->stats.peak_memory) {
        fuzz_fail("%s, %s: fuel %llu and memory %llu, but at first %llu and %llu", what, isa,
                  (unsigned long long)b->stats.fuel_used, (unsigned long long)b->stats.peak_memory,
                  (unsigned long long)a->stats.fuel_used, (unsigned long long)a->stats.peak_memory);
    }
    uint32_t tensor;
    if (a->status != TIRB_OK) return;
    if (memcmp(&a->result, &b->result, sizeof(a->result)) != 0) fuzz_fail("%s, %s: another result", what, isa);
    if (!fuzz_arguments_equal(&a->arguments, &b->arguments, &tensor)) {
        fuzz_fail("%s, %s: argument %u has other bytes", what, isa, tensor);
    }
}

static tirb_instance *open_instance(tirb_module *module, const tirb_limits *limits) {
    tirb_instance *instance = NULL;
    if (tirb_instance_create(module, limits, &instance, NULL) != TIRB_OK) fuzz_fail("no instance");
    fuzz_imports_bind(instance);
    return instance;
}

/* On one instruction set: a call, one with other values, which must leave nothing behind, and the first again. */
static void run_on(tirb_module *module, uint32_t function, const fuzz_arguments *given, const fuzz_arguments *others,
                   const tirb_limits *limits, outcome *first) {
    const char *isa = tirb_isa_name(tirb_engine_isa(module->engine));
    tirb_instance *instance = open_instance(module, limits);
    outcome between, again;
    call(instance, function, given, first);
    call(instance, function, others, &between);
    call(instance, function, given, &again);
    expect_equal(first, &again, "the same call again", isa);
    fuzz_arguments_free(&between.arguments);
    fuzz_arguments_free(&again.arguments);
    tirb_instance_destroy(instance);
}

/* Memory is counted for all threads, so only what stays within its limit can be told to be the same. */
static bool fits(const outcome *o) { return o->status != TIRB_MEMORY_LIMIT; }

/* With several threads: what one gave, `expected`. */
static void run_threads(tirb_module *module, uint32_t function, const fuzz_arguments *given, const tirb_limits *limits,
                        const outcome *expected) {
    static const uint32_t threads[] = {2, 7};
    for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        tirb_limits more = *limits;
        more.threads = threads[i];
        outcome found;
        tirb_instance *instance = open_instance(module, &more);
        call(instance, function, given, &found);
        if (fits(expected) && fits(&found)) {
            found.stats.peak_memory = expected->stats.peak_memory;
            expect_equal(expected, &found, i == 0 ? "two threads" : "seven threads",
                         tirb_isa_name(tirb_engine_isa(module->engine)));
        }
        fuzz_arguments_free(&found.arguments);
        tirb_instance_destroy(instance);
    }
}

static bool has_regions(const tirbi_program *program) {
    return program->n_functions > 0 && program->functions[program->n_functions - 1].is_region;
}

static void run_function(const fuzz_modules *m, uint32_t function, uint64_t seed) {
    fuzz_arguments given, others;
    if (!fuzz_arguments_make(&given, &m->program->functions[function], seed)) return;
    fuzz_arguments_copy(&others, &given);
    fuzz_arguments_refill(&others, seed + 1);
    tirb_limits limits = choose_limits(seed);
    if (given.is_far) limits.fuel *= 64;
    outcome expected, found;
    run_on(m->modules[0], function, &given, &others, &limits, &expected);
    for (uint32_t i = 1; i < m->n; i++) {
        run_on(m->modules[i], function, &given, &others, &limits, &found);
        expect_equal(&expected, &found, i + 1 < m->n ? "another instruction set" : "without fused forms",
                     tirb_isa_name(tirb_engine_isa(m->modules[i]->engine)));
        fuzz_arguments_free(&found.arguments);
    }
    if (has_regions(m->program)) run_threads(m->modules[seed % (m->n - 1)], function, &given, &limits, &expected);
    fuzz_arguments_free(&expected.arguments);
    fuzz_arguments_free(&given);
    fuzz_arguments_free(&others);
}

void fuzz_modules_run(const fuzz_modules *m, uint64_t seed) {
    uint32_t n = m->program->n_functions < MAX_FUNCTIONS ? m->program->n_functions : MAX_FUNCTIONS;
    for (uint32_t i = 0; i < n; i++) run_function(m, i, seed + i * UINT64_C(0x100000001B3));
}

/* ---- Two compilations ------------------------------------------------------------------------------------------ */

static bool stopped_by_limit(const outcome *o) {
    return o->status == TIRB_FUEL || o->status == TIRB_MEMORY_LIMIT || o->status == TIRB_DEPTH ||
           o->status == TIRB_DEADLINE;
}

static void compare_function(const fuzz_modules *a, uint32_t in_a, const fuzz_modules *b, uint32_t in_b,
                             uint64_t seed) {
    fuzz_arguments given;
    uint32_t tensor;
    if (!fuzz_arguments_make(&given, &a->program->functions[in_a], seed)) return;
    tirb_limits limits = choose_limits(seed);
    limits.fuel = 100000;
    limits.timeout_ns = 0;
    tirb_instance *one = open_instance(a->modules[a->n - 2], &limits), *other = open_instance(b->modules[0], &limits);
    outcome x, y;
    call(one, in_a, &given, &x);
    call(other, in_b, &given, &y);
    if (!stopped_by_limit(&x) && !stopped_by_limit(&y)) {
        if ((x.status == TIRB_OK) != (y.status == TIRB_OK)) {
            fuzz_fail("with optimisations %s (%s), without %s (%s)", tirb_status_name(x.status), x.error.message,
                      tirb_status_name(y.status), y.error.message);
        }
        if (x.status == TIRB_OK && memcmp(&x.result, &y.result, sizeof(x.result)) != 0) {
            fuzz_fail("optimisations change the result");
        }
        if (x.status == TIRB_OK && !fuzz_arguments_equal(&x.arguments, &y.arguments, &tensor)) {
            fuzz_fail("optimisations change argument %u", tensor);
        }
    }
    fuzz_arguments_free(&x.arguments);
    fuzz_arguments_free(&y.arguments);
    fuzz_arguments_free(&given);
    tirb_instance_destroy(one);
    tirb_instance_destroy(other);
}

void fuzz_modules_compare(const fuzz_modules *a, const fuzz_modules *b, uint64_t seed) {
    const tirbi_program *program = a->program;
    for (uint32_t i = 0; i < program->n_functions && i < MAX_FUNCTIONS; i++) {
        uint32_t same;
        if (!program->functions[i].is_public) continue;
        const char *name = tirbi_program_text(program, program->functions[i].name);
        if (tirb_module_find(b->modules[0], name, &same, NULL) != TIRB_OK) fuzz_fail("no function %s", name);
        compare_function(a, i, b, same, seed + i);
    }
}
