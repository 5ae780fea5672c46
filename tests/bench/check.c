/* The quick mode: no timing, only whether the kernels compute what they should, alike everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tirb/compiler.h>

#include "compiler/check/check.h"
#include "compiler/tc/tc.h"
#include "compiler/text/text.h"
#include "tests/bench/bench.h"
#include "tests/reference/reference.h"

static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
enum { N_ISAS = sizeof isas / sizeof *isas };

typedef struct checking {
    const bench_case *program;
    bench_source source;
    bench_args args;
} checking;

static bool is_written(const bench_param *param) { return param->role == BENCH_OUTPUT || param->role == BENCH_UPDATED; }

static bool complain(const checking *c, const char *where, const char *what) {
    printf("FAIL %s: %s: %s\n", c->program->function, where, what);
    return false;
}

/* The oracle's outputs go to the side that a BLAS has elsewhere. */
static bool run_oracle(checking *c) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_result result;
    char name[64];
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    bool good = tirbi_source_init(&source, c->source.path, c->source.text, (uint32_t)c->source.size, &arena);
    if (good) tirbi_diagnostics_init(&diagnostics, &source, &arena, 10);
    const tirb_irmodule *module = NULL;
    if (good) module = (c->program->comprehension ? tirbi_tc_parse : tirbi_parse)(&source, &arena, &diagnostics);
    good = module != NULL && !tirbi_has_errors(&diagnostics);
    if (good) tirbi_check_module(module, &diagnostics, &arena);
    good = good && !tirbi_has_errors(&diagnostics);
    tirb_reference_options options = {.fp = TIRB_FP_PRECISE};
    good = good && tirb_reference_call(module, bench_function(c->program, name), &options,
                                       c->args.sides[BENCH_BLAS].args, c->args.n, &result, &error) == TIRB_OK;
    tirbi_arena_destroy(&arena);
    return good || complain(c, "oracle", error.message);
}

static bool same_bytes(checking *c, const char *where) {
    for (unsigned p = 0; p < c->args.n; p++) {
        if (!is_written(&c->args.params[p])) continue;
        const void *given = c->args.sides[BENCH_TIRB].twin.data[p], *expected = c->args.sides[BENCH_BLAS].twin.data[p];
        if (memcmp(given, expected, c->args.bytes[p]) != 0) return complain(c, where, "not the oracle's bytes");
    }
    return true;
}

static bool run_on(checking *c, tirb_isa isa, const uint8_t *bytes, size_t size) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    uint32_t function;
    char name[64];
    options.isa = isa;
    bench_reset(&c->args, BENCH_TIRB);
    bool good = tirb_engine_create(&options, &engine, &error) == TIRB_OK &&
                tirb_module_load(engine, bytes, size, &module, &error) == TIRB_OK &&
                tirb_module_find(module, bench_function(c->program, name), &function, &error) == TIRB_OK &&
                tirb_instance_create(module, NULL, &instance, &error) == TIRB_OK &&
                tirb_instance_call(instance, function, c->args.sides[BENCH_TIRB].args, c->args.n, NULL, &error) ==
                    TIRB_OK;
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    return good ? same_bytes(c, tirb_isa_name(isa)) : complain(c, tirb_isa_name(isa), error.message);
}

static bool run_everywhere(checking *c) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    size_t size = 0;
    options.file_name = c->source.path;
    bool good = tirb_compile(c->source.text, c->source.size, &options, &result, &error) == TIRB_OK;
    if (!good) complain(c, "compilation", error.message);
    const uint8_t *bytes = good ? tirb_compile_result_bytes(result, &size) : NULL;
    for (unsigned i = 0; i < N_ISAS && good; i++) {
        if (tirb_isa_available(isas[i])) good = run_on(c, isas[i], bytes, size);
    }
    tirb_compile_result_destroy(result);
    return good;
}

static bool check_twin(checking *c, const bench_level *level, int side, const twin *twins) {
    bench_reset(&c->args, side);
    twins[c->program->number](&c->args.sides[side].twin);
    return bench_same(c->program, &c->args, BENCH_BLAS, side) || complain(c, level->name, "the twin in C: other values");
}

/* The twins of all levels that this CPU can run. */
static bool check_twins(checking *c) {
    bool good = true;
    for (unsigned i = 0; i < 2 * N_ISAS && good; i++) {
        const bench_level *level = bench_level_of(isas[i / 2], i % 2 == 0);
        if (level == NULL) continue;
        good = check_twin(c, level, BENCH_PLAIN, level->plain) && check_twin(c, level, BENCH_FAST, level->fast);
    }
    return good;
}

/* The hand-written form of a comprehension computes the same. */
static bool check_script(checking *c) {
    checking script = {.program = c->program, .args = c->args};
    bool good = bench_read(c->program, false, &script.source);
    if (good) {
        bench_reset(&script.args, BENCH_BLAS);
        const bench_case hand = {.group = c->program->group, .function = c->program->function};
        script.program = &hand;
        good = run_oracle(&script) && (bench_same(c->program, &script.args, BENCH_TIRB, BENCH_BLAS) ||
                                       complain(c, "the form as TVMScript", "other values"));
    }
    free(script.source.text);
    return good;
}

static bool check_one(checking *c) {
    bool good = bench_make_args(c->program, c->program->sizes[0], &c->args) && run_oracle(c) && run_everywhere(c) &&
                check_twins(c) && (!c->program->comprehension || check_script(c));
    bench_free_args(&c->args);
    return good;
}

bool bench_check(int n_words, char **words) {
    unsigned passed = 0, failed = 0;
    for (unsigned i = 0; i < bench_n_cases; i++) {
        checking c = {.program = &bench_cases[i]};
        char name[128];
        snprintf(name, sizeof name, "%s/%s", c.program->group, c.program->function);
        if (!bench_wanted(name, n_words, words)) continue;
        bool good = bench_read(c.program, c.program->comprehension, &c.source) && check_one(&c);
        free(c.source.text);
        passed += good;
        failed += !good;
    }
    printf("%u passed, %u failed\n", passed, failed);
    if (passed + failed == 0) fprintf(stderr, "bench: no program's class/function has one of these words\n");
    return passed > 0 && failed == 0;
}
