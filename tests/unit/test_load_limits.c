/* What a load takes. Steps and bytes of memory are counted, and no time: they grow with the size of a program and with
 * nothing else, whatever the program is made of. */

#include <math.h>
#include <time.h>

#include <tirb/tirb.h>

#include "loader/base/secret.h"
#include "tests/unit/long_code.h"
#include "vm/translate/translate.h"

/* ---- Limits ---------------------------------------------------------------------------------------------------- */

static const char sample[] = ".function \"f\" public\n.scalars 4\n.lanes 2\n.ref f32\n.ref f32 writable\n"
                             ".tensor \"a\" f32 r0 read (64)\n.tensor \"b\" f32 r1 read write (64)\n"
                             "lane 64, done\n.cursor r0 f32 read 0 0 1\n.cursor r1 f32 readwrite 0 0 1\n"
                             "vload.f32 v0, c0\nvload.f32 v1, c1\nvadd.f32 v0, v0, v1\nvstore.f32 c1, v0\n"
                             "done:\nlane.end\nret.void\n.end\n"
                             ".function \"g\" public\nret.void\n.end\n";

static tirb_engine *make_engine(uint64_t cache_bytes) {
    tirb_engine *engine = NULL;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.cache_bytes = cache_bytes;
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    return engine;
}

/* Whether the load ends with a status and a message that begins so. */
static void expect_load(tirb_engine *engine, const tirbi_writer *bundle, const tirb_load_limits *limits,
                        tirb_status wanted, const char *message) {
    tirb_module *module = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    const tirb_status status = tirb_module_load_limited(engine, bundle->data, bundle->size, limits, &module, &error);
    if (status != wanted) fail_msg("%s instead of %s: %s", tirb_status_name(status), tirb_status_name(wanted),
                                   error.message);
    if (message && !strstr(error.message, message)) fail_msg("'%s' is not in '%s'", message, error.message);
    assert_true((module != NULL) == (wanted == TIRB_OK));
    tirb_module_release(module);
}

/* Each limit allows as much as it says and nothing more. */
static void check_limits(tirb_engine *engine, const tirbi_writer *bundle) {
    tirb_module *module = NULL;
    tirb_load_stats stats = TIRB_LOAD_STATS_INIT;
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    assert_int_equal(tirb_module_load_limited(engine, bundle->data, bundle->size, &limits, &module, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load_stats(module, &stats), TIRB_OK);
    tirb_module_release(module);
    assert_int_equal(stats.functions, 2);
    assert_int_equal(stats.instructions, 8);
    assert_true(stats.bytes > 0 && stats.memory > 0 && stats.work > 0);
    limits = (tirb_load_limits)TIRB_LOAD_LIMITS_INIT;
    limits.max_functions = stats.functions;
    limits.max_bytes = stats.bytes;
    limits.max_instructions = stats.instructions;
    limits.max_work = 2 * stats.work;
    if (bundle->size > limits.max_bytes) limits.max_bytes = bundle->size;
    expect_load(engine, bundle, &limits, TIRB_OK, NULL);
    limits.max_memory = stats.memory;
    expect_load(engine, bundle, &limits, TIRB_OK, NULL);
    tirb_load_limits less = limits;
    less.max_functions = 1;
    expect_load(engine, bundle, &less, TIRB_MEMORY_LIMIT, "2 functions, the limit is 1");
    less = limits;
    less.max_instructions = 7;
    expect_load(engine, bundle, &less, TIRB_MEMORY_LIMIT, "8 instructions, the limit is 7");
    less = limits;
    less.max_bytes = stats.bytes - 1;
    expect_load(engine, bundle, &less, TIRB_MEMORY_LIMIT, "the limit is");
    less = limits;
    less.max_memory = stats.memory - 1;
    expect_load(engine, bundle, &less, TIRB_MEMORY_LIMIT, NULL);
    less = limits;
    less.max_work = stats.work / 2;
    expect_load(engine, bundle, &less, TIRB_FUEL, "steps, the limit");
    less.max_work = 1;
    expect_load(engine, bundle, &less, TIRB_FUEL, "steps, the limit");
}

static void test_limits(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    tirbi_writer bundle = fixture_bundle(&f, fixture_assemble(&f, sample));
    tirb_engine *engine = make_engine(0), *caching = make_engine(1 << 20);
    check_limits(engine, &bundle);
    check_limits(caching, &bundle); /* finds what it has loaded, and refuses it all the same */
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    limits.struct_size = 2;
    expect_load(engine, &bundle, &limits, TIRB_MISUSE, "TIRB_LOAD_LIMITS_INIT");
    expect_load(engine, &bundle, NULL, TIRB_OK, NULL);
    assert_int_equal(tirb_module_load_stats(NULL, NULL), TIRB_MISUSE);
    tirb_engine_release(engine);
    tirb_engine_release(caching);
    tirbi_writer_destroy(&bundle);
    fixture_close(&f);
}

/* Functions that share names pack to next to nothing: what they unpack to is in proportion to the bundle. */
static void test_sections_in_proportion(void **state) {
    (void)state;
    enum { FUNCTIONS = 3000, PARAMS = 1000 };
    static const uint8_t code[] = {TIRB_OP_RETVOID, TIRB_TYPE_NONE};
    fixture f;
    fixture_open(&f);
    tirbi_param params[PARAMS];
    tirbi_string *strings = TIRBI_NEW_ARRAY(&f.arena, tirbi_string, FUNCTIONS);
    tirbi_function *functions = TIRBI_NEW_ARRAY(&f.arena, tirbi_function, FUNCTIONS);
    for (unsigned i = 0; i < PARAMS; i++)
        params[i] =
            (tirbi_param){.name = (uint16_t)i, .kind = TIRB_PARAM_SCALAR, .dtype = TIRB_I32, .reg = (uint16_t)i};
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        strings[i].text = tirbi_arena_format(&f.arena, "%u", i);
        strings[i].size = (uint32_t)strlen(strings[i].text);
        functions[i] = (tirbi_function){.name = (uint16_t)i, .return_type = TIRB_TYPE_NONE, .n_params = PARAMS,
                                        .params = params, .n_sregs = PARAMS, .code = code, .code_size = sizeof code};
    }
    const tirbi_program program = {.n_functions = FUNCTIONS, .n_strings = FUNCTIONS, .functions = functions,
                                   .strings = strings, .source_file = TIRBI_NO_STRING};
    tirbi_writer bundle = fixture_bundle(&f, &program);
    tirb_engine *engine = make_engine(0);
    tirb_load_limits limits = TIRB_LOAD_LIMITS_INIT;
    expect_load(engine, &bundle, NULL, TIRB_MEMORY_LIMIT, "what the sections unpack to has ");
    limits.max_bytes = 1 << 25;
    expect_load(engine, &bundle, &limits, TIRB_OK, NULL);
    tirb_engine_release(engine);
    tirbi_writer_destroy(&bundle);
    fixture_close(&f);
}

/* ---- Programs of any size -------------------------------------------------------------------------------------- */

/* The memory that a program may take for each of its bytes, as in vm/call/module.c, and */
enum { MOST_MEMORY = 24 };

/* what any program may take beside: the last block of an arena may be all but empty. */
enum { ANY_MEMORY = 3 << 19 };

/* What verifying and translating a program took; the seconds are for who asks to see them. */
typedef struct cost {
    double bytes, work, memory, verifying, translating;
    bool is_refused; /* for its memory */
} cost;

static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
enum { N_ISAS = sizeof isas / sizeof *isas };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static cost cost_once(const tirbi_program *program, double bytes, tirb_isa isa) {
    tirbi_heap heap;
    tirbi_code *code = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, ANY_MEMORY + MOST_MEMORY * (uint64_t)bytes);
    const double begin = seconds();
    tirb_status status = tirbi_verify(program, &heap, &error);
    const double verified = seconds();
    if (status == TIRB_OK) status = tirbi_code_create(program, isa, false, &heap, &code, &error);
    if (status != TIRB_OK && status != TIRB_MEMORY_LIMIT) fail_msg("%s: %s", tirb_status_name(status), error.message);
    const double end = seconds();
    tirbi_code_destroy(code);
    assert_int_equal(heap.used, 0);
    return (cost){bytes, (double)heap.work, (double)heap.peak, verified - begin, end - verified,
                  status != TIRB_OK};
}

/* TIRB_SHOW_COSTS: how often to measure what is shown. */
static unsigned times_to_show(void) {
    const char *times = getenv("TIRB_SHOW_COSTS");
    return times ? (unsigned)strtoul(times, NULL, 10) : 0;
}

static cost cost_of(const tirbi_program *program, double bytes, tirb_isa isa) {
    cost is = cost_once(program, bytes, isa);
    for (unsigned i = 1; i < times_to_show(); i++) {
        const cost again = cost_once(program, bytes, isa);
        is.verifying = fmin(is.verifying, again.verifying);
        is.translating = fmin(is.translating, again.translating);
    }
    return is;
}

static cost cost_of_family(const family *of, const char *unit, uint32_t size, tirb_isa isa) {
    fixture f;
    tirbi_writer code;
    fixture_open(&f);
    const tirbi_program *program = make_long(&f, of, unit, size, &code);
    const cost is = cost_of(program, (double)code.size, isa);
    tirbi_writer_destroy(&code);
    fixture_close(&f);
    return is;
}

/* ---- How costs grow -------------------------------------------------------------------------------------------- */

static uint32_t largest = 1 << 21; /* bytes of code; with --full 16 MiB */
static const char *only;           /* the one family that is measured, with --family NAME; NULL: all are */

enum { SMALLEST = 1 << 10, STEP = 1 << 5 };

/* The most steps for each byte that a program of some size takes. */
#define MOST_WORK 1.2

static void expect_proportion(const char *name, tirb_isa isa, const cost *small, const cost *large) {
    const double less = small->work / small->bytes, more = large->work / large->bytes;
    if (times_to_show() > 0)
        printf("%-26s %-8s %8.0f KB: %6.2f steps a byte (of %2.0f KB %6.2f), memory %5.1f times%s, verified %5.0f "
               "MB/s, translated %5.0f MB/s\n", name, tirb_isa_name(isa), large->bytes / 1024, more,
               small->bytes / 1024, less, large->memory / large->bytes, large->is_refused ? " (refused)" : "",
               large->bytes * 1e-6 / large->verifying, large->bytes * 1e-6 / large->translating);
    if (more > 1.2 * less) fail_msg("%s: %.2f steps a byte, but %.2f of %.0f bytes", name, more, less, small->bytes);
    if (more > MOST_WORK) fail_msg("%s: %.2f steps a byte, at most %.2f", name, more, MOST_WORK);
}

static void check_family(const family *of, tirb_isa isa) {
    const cost small = cost_of_family(of, NULL, SMALLEST, isa);
    for (uint32_t size = largest / STEP; size <= largest; size *= STEP) {
        const cost large = cost_of_family(of, NULL, size, isa);
        expect_proportion(of->name, isa, &small, &large);
        if (large.is_refused) fail_msg("%s is refused on %s", of->name, tirb_isa_name(isa));
    }
}

static void test_code(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
        for (unsigned k = 0; k < N_ISAS && (!only || strcmp(only, families[i].name) == 0); k++)
            if (tirb_isa_available(isas[k])) check_family(&families[i], isas[k]);
}

/* Constants and splats that met in the tables of a simpler hash. */
static void test_chosen_values(void **state) {
    (void)state;
    enum { WINDOW = 1024, MASK = 8191, VALUES = 4000, LINE = 40 };
    static const family loads = {"chosen constants",
                                 ".scalars 2\n.ref u8\n.scalar \"n\" i64 s0\n.tensor \"a\" u8 r0 read (64)\n", NULL,
                                 "ret.void\n", BEHIND};
    static const family splats = {"chosen splats", ".scalars 32768\n.lanes 1\n.scalar \"n\" i64 s0\nlane s0, done\n",
                                  NULL, "done:\nlane.end\nret.void\n", INSIDE};
    char *unit = malloc(VALUES * LINE), *more = malloc(VALUES * LINE);
    assert_true(unit && more);
    size_t used = 0, used_more = 0, n = 0, n_more = 0;
    for (int64_t v = TIRBI_SMALL_MIN; v <= TIRBI_SMALL_MAX && n < VALUES; v++) {
        if (((uint64_t)v * UINT64_C(0x9E3779B97F4A7C15) >> 32 & MASK) >= WINDOW) continue;
        used += (size_t)snprintf(unit + used, LINE, "load.u8 s1, r0, %d\n", (int)v);
        n++;
    }
    for (uint32_t s = 0; s < TIRBI_MAX_SREGS && n_more < VALUES; s++) {
        if (((s << 4 | 8) * UINT32_C(0x9E3779B1) >> 8 & MASK) >= WINDOW) continue;
        used_more += (size_t)snprintf(more + used_more, LINE, "vsplat.i64 v0, s%u\n", s);
        n_more++;
    }
    assert_true(n > 1000 && n_more > 1000);
    const tirb_isa isa = TIRB_ISA_GENERIC;
    const cost ordinary = cost_of_family(&families[0], NULL, SMALLEST, isa);
    const cost constants = cost_of_family(&loads, unit, 1, isa), splatted = cost_of_family(&splats, more, 1, isa);
    expect_proportion("chosen constants", isa, &constants, &constants);
    expect_proportion("chosen splats", isa, &splatted, &splatted);
    assert_true(constants.work / constants.bytes < 4 * ordinary.work / ordinary.bytes);
    assert_true(splatted.work / splatted.bytes < 4 * ordinary.work / ordinary.bytes);
    free(unit);
    free(more);
}

/* Keys in a row, as registers and constants are, meet in chains no more often than by chance, whatever the secret. */
static void test_chains(void **state) {
    (void)state;
    enum { BITS = 12, KEYS = 1 << BITS, SECRETS = 5000 };
    static const uint64_t steps[] = {1, 16, 1 << 12, UINT64_C(1) << 40};
    static uint16_t lengths[1 << BITS];
    for (unsigned i = 0; i < SECRETS; i++) {
        const uint64_t secret = i < 64 ? UINT64_C(1) << i : tirbi_secret(&lengths[i % (1 << BITS)]);
        const uint64_t step = steps[i % 4];
        memset(lengths, 0, sizeof lengths);
        unsigned meetings = 0;
        for (uint64_t key = 0; key < KEYS; key++) meetings += lengths[tirbi_chain_of_key(key * step, secret, BITS)]++;
        if (meetings > KEYS) fail_msg("%u keys meet %u others with secret %#llx", KEYS, meetings,
                                      (unsigned long long)secret);
    }
    assert_int_equal(tirbi_chain_of_key(UINT64_MAX, 1, 0), 0);
}

/* Functions with parameters of the same long names, which begin alike. */
static cost cost_of_names(unsigned n_functions, unsigned n_params, uint16_t n_sregs) {
    enum { LENGTH = 1024, SIZE_OF_PARAM = 5, SIZE_OF_FUNCTION = 14 };
    static const uint8_t code[] = {TIRB_OP_RETVOID, TIRB_TYPE_NONE};
    const unsigned n_strings = n_params > n_functions ? n_params : n_functions;
    char *texts = calloc(n_strings, LENGTH + 1);
    tirbi_string *strings = calloc(n_strings, sizeof *strings);
    tirbi_param *params = calloc(n_params + 1, sizeof *params);
    tirbi_function *functions = calloc(n_functions, sizeof *functions);
    assert_true(texts && strings && params && functions);
    for (unsigned i = 0; i < n_strings; i++) {
        char *text = texts + (size_t)i * (LENGTH + 1);
        memset(text, 'a', LENGTH);
        for (unsigned digit = 1, rest = i; digit <= 5; digit++, rest /= 10)
            text[LENGTH - digit] = (char)('0' + rest % 10);
        strings[i] = (tirbi_string){text, LENGTH};
    }
    for (unsigned i = 0; i < n_params; i++)
        params[i] =
            (tirbi_param){.name = (uint16_t)i, .kind = TIRB_PARAM_SCALAR, .dtype = TIRB_I32, .reg = (uint16_t)i};
    for (unsigned i = 0; i < n_functions; i++)
        functions[i] = (tirbi_function){.name = (uint16_t)i, .is_public = true, .return_type = TIRB_TYPE_NONE,
                                        .n_params = (uint16_t)n_params, .params = params, .n_sregs = n_sregs,
                                        .code = code, .code_size = sizeof code};
    const tirbi_program program = {.n_functions = (uint16_t)n_functions, .n_strings = (uint16_t)n_strings,
                                   .functions = functions, .strings = strings, .source_file = TIRBI_NO_STRING};
    const double each = SIZE_OF_FUNCTION + SIZE_OF_PARAM * n_params;
    const double bytes = (double)n_strings * LENGTH + n_functions * each;
    const cost is = cost_of(&program, bytes, TIRB_ISA_GENERIC);
    free(functions);
    free(params);
    free(strings);
    free(texts);
    return is;
}

static void test_names(void **state) {
    (void)state;
    const cost few = cost_of_names(1, 1, 1), many = cost_of_names(300, 4000, 4000);
    const cost functions = cost_of_names(4000, 0, TIRBI_MAX_SREGS);
    expect_proportion("shared names", TIRB_ISA_GENERIC, &few, &many);
    expect_proportion("functions of many registers", TIRB_ISA_GENERIC, &few, &functions);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--full") == 0) largest = 1 << 24;
    if (argc > 2 && strcmp(argv[1], "--family") == 0) only = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sections_in_proportion),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_chosen_values),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
