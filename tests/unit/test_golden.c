/* The programs of tests/golden, through the whole compiler and, where they say what a call gives, through the machine.
 * tests/golden/README.md describes the comments that this program reads. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/pipeline/languages.h"
#include "compiler/text/text.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/slots.h"
#include <tirb/compiler.h>
#include <tirb/dlpack.h>

enum { MAX_TEXT = 1 << 20, MAX_FILES = 1024, MAX_ARGS = 16, MAX_NDIM = 4, MAX_BYTES = 4096, MAX_LINE = 1024 };

static char text[MAX_TEXT];

static size_t read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(size < sizeof text);
    text[size] = 0;
    return size;
}

/* Finds the next line of the text that begins with `mark`, behind blanks or not, copies what follows it and moves *at
 * behind that line. */
static bool next_comment(size_t *at, const char *mark, char *copy, size_t size) {
    while (text[*at]) {
        const char *line = text + *at + strspn(text + *at, " ");
        size_t length = strcspn(line, "\n");
        *at = (size_t)(line - text) + length + (line[length] == '\n');
        if (strncmp(line, mark, strlen(mark)) != 0) continue;
        snprintf(copy, size, "%.*s", (int)(length - strlen(mark)), line + strlen(mark));
        return true;
    }
    return false;
}

/* ---- Diagnostics --------------------------------------------------------------------------------------------- */

static bool is_reported(const tirb_compile_result *result, unsigned line, unsigned column, const char *words) {
    for (uint32_t i = 0; i < tirb_compile_result_diagnostic_count(result); i++) {
        const tirb_diagnostic *item = tirb_compile_result_diagnostic(result, i);
        if (item->severity != TIRB_SEVERITY_ERROR || item->line != line || item->column != column) continue;
        if (strstr(item->message, words)) return true;
    }
    return false;
}

/* The number of problems: errors that are expected and missing, or there and not expected. */
static int compare_errors(const char *path, const tirb_compile_result *result) {
    uint32_t expected = 0, n_errors = 0;
    int problems = 0;
    char comment[MAX_LINE];
    for (size_t at = 0; next_comment(&at, "# error: ", comment, sizeof comment);) {
        unsigned line, column;
        int used;
        expected++;
        if (sscanf(comment, "%u:%u %n", &line, &column, &used) == 2 &&
            is_reported(result, line, column, comment + used))
            continue;
        print_error("%s: missing: %s\n", path, comment);
        problems++;
    }
    for (uint32_t i = 0; i < tirb_compile_result_diagnostic_count(result); i++)
        n_errors += tirb_compile_result_diagnostic(result, i)->severity == TIRB_SEVERITY_ERROR;
    if (expected == n_errors && problems == 0) return 0;
    for (uint32_t i = 0; i < tirb_compile_result_diagnostic_count(result); i++) {
        char message[MAX_LINE];
        tirb_compile_result_format(result, i, message, sizeof message);
        print_error("%s", message);
    }
    print_error("%s: %u errors, %u expected\n", path, n_errors, expected);
    return problems + 1;
}

/* ---- Calls --------------------------------------------------------------------------------------------------- */

typedef union cell {
    int64_t i;
    uint64_t u;
    uint8_t bytes[8];
    float f32;
    double f64;
} cell;

typedef struct tensor {
    DLTensor header;
    int64_t shape[MAX_NDIM];
    union {
        uint8_t bytes[MAX_BYTES];
        double align;
    } data;
} tensor;

typedef struct call {
    const char *path, *comment;
    tirb_module *module;
    tirb_instance *instance;
    uint32_t function, n_args;
    tirb_function_info info;
    tirb_arg args[MAX_ARGS];
    tensor tensors[MAX_ARGS];
    tirb_result result;
} call;

/* Where the value of a cell of this type lies. */
static uint8_t *cell_bytes(DLDataType type, cell *c) {
    return type.code == kDLFloat ? c->bytes : tirbi_slot_bytes(&c->u, type.bits / 8);
}

static bool wrong(const call *c, const char *what, const char *detail) {
    print_error("%s: %s: %s: %s\n", c->path, c->comment, what, detail);
    return false;
}

static void skip_blanks(const char **at) { *at += strspn(*at, " "); }

/* Moves over one mark, blanks before and behind it included. */
static bool take(const char **at, const char *mark) {
    skip_blanks(at);
    if (strncmp(*at, mark, strlen(mark)) != 0) return false;
    *at += strlen(mark);
    skip_blanks(at);
    return true;
}

static bool read_value(const char **at, DLDataType type, cell *out) {
    char *end;
    *out = (cell){0};
    if (type.code == kDLFloat) {
        double value = strtod(*at, &end);
        if (type.bits == 32)
            out->f32 = (float)value;
        else
            out->f64 = value;
    } else if (strncmp(*at, "true", 4) == 0 || strncmp(*at, "false", 5) == 0) {
        out->i = **at == 't';
        *at += out->i ? 4 : 5;
        return true;
    } else if (type.code == kDLUInt)
        out->i = (int64_t)strtoull(*at, &end, 0);
    else
        out->i = strtoll(*at, &end, 0);
    if (end == *at) return false;
    *at = end;
    return true;
}

static bool read_type(const char **at, DLDataType *out) {
    static const struct {
        const char *name;
        DLDataType type;
    } types[] = {
        {"bool", {TIRB_DL_BOOL, 8, 1}},      {"i8", {(uint8_t)kDLInt, 8, 1}},    {"i16", {(uint8_t)kDLInt, 16, 1}},
        {"i32", {(uint8_t)kDLInt, 32, 1}},   {"i64", {(uint8_t)kDLInt, 64, 1}},  {"u8", {(uint8_t)kDLUInt, 8, 1}},
        {"u16", {(uint8_t)kDLUInt, 16, 1}},  {"u32", {(uint8_t)kDLUInt, 32, 1}}, {"u64", {(uint8_t)kDLUInt, 64, 1}},
        {"f32", {(uint8_t)kDLFloat, 32, 1}}, {"f64", {(uint8_t)kDLFloat, 64, 1}}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t length = strlen(types[i].name);
        if (strncmp(*at, types[i].name, length) != 0) continue;
        *out = types[i].type;
        *at += length;
        return true;
    }
    return false;
}

/* 2x3xi32=1 2 3 4 5 6, or one value that fills; f64=1 has no dimensions. */
static bool read_tensor(const char **at, tensor *t) {
    DLTensor *header = &t->header;
    *header = (DLTensor){.data = t->data.bytes, .device = {kDLCPU, 0}, .shape = t->shape};
    int64_t count = 1;
    while (**at >= '0' && **at <= '9' && header->ndim < MAX_NDIM) {
        char *end;
        t->shape[header->ndim++] = strtoll(*at, &end, 10);
        if (*end != 'x') return false;
        count *= t->shape[header->ndim - 1];
        *at = end + 1;
    }
    if (!read_type(at, &header->dtype) || *(*at)++ != '=') return false;
    size_t size = header->dtype.bits / 8;
    if ((uint64_t)count > MAX_BYTES / size) return false;
    cell value = {0};
    for (int64_t i = 0; i < count; i++) {
        skip_blanks(at);
        if ((i == 0 || !strchr(",)", **at)) && !read_value(at, header->dtype, &value)) return false;
        memcpy(t->data.bytes + (size_t)i * size, cell_bytes(header->dtype, &value), size);
    }
    skip_blanks(at);
    return true;
}

static bool read_argument(call *c, const char **at) {
    tirb_param_info param = TIRB_PARAM_INFO_INIT;
    if (c->n_args == MAX_ARGS || tirb_module_param(c->module, c->function, c->n_args, &param, NULL) != TIRB_OK)
        return false;
    tirb_arg *arg = &c->args[c->n_args];
    tensor *t = &c->tensors[c->n_args++];
    cell value;
    if (param.kind == TIRB_PARAM_TENSOR) {
        *arg = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = &t->header};
        return read_tensor(at, t);
    }
    *arg = (tirb_arg){.kind = TIRB_ARG_NONE};
    if (take(at, "_")) return true;
    if (!read_value(at, param.dtype, &value)) return false;
    arg->kind = param.dtype.code == kDLFloat ? TIRB_ARG_FLOAT : TIRB_ARG_INT;
    if (arg->kind == TIRB_ARG_INT)
        arg->value.i = value.i;
    else
        arg->value.f = param.dtype.bits == 32 ? (double)value.f32 : value.f64;
    return true;
}

/* NAME(argument, ...) up to what the call gives. */
static bool read_call(call *c, const char **at) {
    char name[64];
    size_t length = strcspn(*at, "(");
    snprintf(name, sizeof name, "%.*s", (int)length, *at);
    *at += length;
    c->info = (tirb_function_info)TIRB_FUNCTION_INFO_INIT;
    if (tirb_module_find(c->module, name, &c->function, NULL) != TIRB_OK ||
        tirb_module_function(c->module, c->function, &c->info, NULL) != TIRB_OK)
        return wrong(c, "no such function", name);
    if (!take(at, "(")) return wrong(c, "no (", *at);
    while (!take(at, ")"))
        if ((c->n_args > 0 && !take(at, ",")) || !read_argument(c, at)) return wrong(c, "cannot read", *at);
    return true;
}

/* Bits count, so that 0 is not -0; all NaNs are one, because the text has one. */
static bool same(DLDataType type, const uint8_t *bytes, cell *expected) {
    cell got = {0};
    memcpy(cell_bytes(type, &got), bytes, type.bits / 8);
    if (type.code == kDLFloat && type.bits == 32 && got.f32 != got.f32) return expected->f32 != expected->f32;
    if (type.code == kDLFloat && type.bits == 64 && got.f64 != got.f64) return expected->f64 != expected->f64;
    return memcmp(bytes, cell_bytes(type, expected), type.bits / 8) == 0;
}

static bool compare_tensor(const call *c, const char *name, const tensor *t, const char **at) {
    int64_t count = 1;
    for (int32_t i = 0; i < t->header.ndim; i++) count *= t->shape[i];
    size_t size = t->header.dtype.bits / 8;
    for (int64_t i = 0; i < count; i++) {
        const char *place = *at;
        cell expected;
        if (!read_value(at, t->header.dtype, &expected)) return wrong(c, "too few values", name);
        skip_blanks(at);
        if (same(t->header.dtype, t->data.bytes + (size_t)i * size, &expected)) continue;
        cell got = {0};
        char message[128];
        memcpy(cell_bytes(t->header.dtype, &got), t->data.bytes + (size_t)i * size, size);
        if (t->header.dtype.code != kDLFloat)
            snprintf(message, sizeof message, "%s at %d: %lld", name, (int)i, (long long)got.i);
        else
            snprintf(message, sizeof message, "%s at %d: %.17g", name, (int)i, size == 4 ? (double)got.f32 : got.f64);
        return wrong(c, message, place);
    }
    return true;
}

static bool compare_result(const call *c, const char **at) {
    cell expected, got = {.i = c->result.value.i};
    if (!read_value(at, c->info.return_dtype, &expected)) return wrong(c, "no value for the result", *at);
    if (c->info.return_dtype.code == kDLFloat && c->info.return_dtype.bits == 32)
        got = (cell){.f32 = (float)c->result.value.f};
    else if (c->info.return_dtype.code == kDLFloat)
        got.f64 = c->result.value.f;
    char message[64];
    snprintf(message, sizeof message, "result %lld (%g)", (long long)got.i, c->result.value.f);
    return same(c->info.return_dtype, cell_bytes(c->info.return_dtype, &got), &expected) || wrong(c, message, *at);
}

/* What is behind the arrow: the values of each written tensor, then the result, with commas between them. */
static bool compare_outputs(const call *c, const char *at) {
    bool first = true;
    for (uint32_t i = 0; i < c->n_args; i++) {
        tirb_param_info param = TIRB_PARAM_INFO_INIT;
        if (tirb_module_param(c->module, c->function, i, &param, NULL) != TIRB_OK) return false;
        if (param.kind != TIRB_PARAM_TENSOR || !param.is_written) continue;
        if (!first && !take(&at, ",")) return wrong(c, "too few outputs", at);
        first = false;
        if (!compare_tensor(c, param.name, &c->tensors[i], &at)) return false;
    }
    if (c->info.returns && ((!first && !take(&at, ",")) || !compare_result(c, &at))) return wrong(c, "result", at);
    skip_blanks(&at);
    return !*at || wrong(c, "more values than outputs", at);
}

static bool run_comment(const char *path, const char *comment, tirb_module *module, bool traps) {
    static call c;
    memset(&c, 0, sizeof c);
    c.path = path;
    c.comment = comment;
    c.module = module;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.fuel = 1000000;
    limits.max_depth = 100;
    const char *at = comment;
    if (!read_call(&c, &at)) return false;
    if (!take(&at, "->")) return wrong(&c, "no ->", at);
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_instance_create(module, &limits, &c.instance, &error), TIRB_OK);
    tirb_status status = tirb_instance_call(c.instance, c.function, c.args, c.n_args, &c.result, &error);
    tirb_instance_destroy(c.instance);
    if (!traps) return status == TIRB_OK ? compare_outputs(&c, at) : wrong(&c, "the call failed", error.message);
    char *words;
    unsigned line = (unsigned)strtoul(at, &words, 10);
    skip_blanks((const char **)&words);
    if (status != TIRB_OK && error.line == line && strstr(error.message, words)) return true;
    char message[640];
    snprintf(message, sizeof message, "%u %s", error.line, status == TIRB_OK ? "no error" : error.message);
    return wrong(&c, "another end", message);
}

static int run_comments(const char *path, const tirb_compile_result *result, bool must_run) {
    int problems = 0;
    size_t size;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    for (tirb_isa isa = TIRB_ISA_GENERIC; isa < TIRBI_N_ISAS; isa++) {
        if (!tirb_isa_available(isa)) continue;
        tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
        options.isa = isa;
        tirb_engine *engine;
        tirb_module *module;
        assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
        assert_int_equal(tirb_module_load(engine, bytes, size, &module, NULL), TIRB_OK);
        char comment[MAX_LINE];
        unsigned n = 0;
        for (size_t at = 0; next_comment(&at, "# expect: ", comment, sizeof comment); n++)
            problems += !run_comment(path, comment, module, false);
        for (size_t at = 0; next_comment(&at, "# trap: ", comment, sizeof comment); n++)
            problems += !run_comment(path, comment, module, true);
        if (must_run && n == 0) problems++, print_error("%s: says nothing of a call\n", path);
        tirb_module_release(module);
        tirb_engine_release(engine);
    }
    return problems;
}

/* ---- Files --------------------------------------------------------------------------------------------------- */

static int check_file(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s", TIRB_TEST_ROOT, name);
    size_t size = read_file(path);
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.file_name = name;
    options.max_errors = 100;
    tirb_compile_result *result = NULL;
    tirb_status status = tirb_compile(text, size, &options, &result, NULL);
    assert_non_null(result);
    int problems = compare_errors(path, result);
    if (problems == 0 && status == TIRB_OK) problems = run_comments(path, result, strncmp(name, "run_", 4) == 0);
    if (strncmp(name, "error_", 6) == 0 && status == TIRB_OK) problems++, print_error("%s: compiled\n", path);
    if (strncmp(name, "run_", 4) == 0 && status != TIRB_OK) problems++, print_error("%s: not compiled\n", path);
    tirb_compile_result_destroy(result);
    return problems;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void all_files(void **state) {
    (void)state;
    static char *names[MAX_FILES];
    int n = 0, problems = 0;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/golden", TIRB_TEST_ROOT);
    DIR *folder = opendir(directory);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (tirbi_language_of_file(entry->d_name) && n < MAX_FILES) names[n++] = strdup(entry->d_name);
    }
    closedir(folder);
    assert_true(n >= 40);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        problems += check_file(names[i]);
        free(names[i]);
    }
    assert_int_equal(problems, 0);
}

/* Memory that runs out anywhere ends the parse and nothing else. */
static void every_budget(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/golden/accept_classic.py", TIRB_TEST_ROOT);
    size_t size = read_file(path);
    bool done = false;
    for (uint64_t budget = 0; !done; budget += 1 + budget / 16) {
        tirbi_heap heap;
        tirbi_arena arena;
        tirbi_source source;
        tirbi_diagnostics diagnostics;
        tirbi_heap_init(&heap, NULL, budget);
        tirbi_arena_init(&arena, &heap);
        if (tirbi_source_init(&source, path, text, (uint32_t)size, &arena)) {
            tirbi_diagnostics_init(&diagnostics, &source, &arena, 100);
            const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
            assert_true(!module == arena.failed);
            done = module != NULL;
        }
        tirbi_arena_destroy(&arena);
        assert_int_equal(heap.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_files), cmocka_unit_test(every_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
