/* TVMScript and Tensor Comprehensions: any text is compiled or refused with messages; what is compiled has all
 * functions of the text, loads, runs on every instruction set alike, and does what it does without optimisations and
 * after it was printed. */
#include <stdlib.h>
#include <string.h>

#include <tirb/compiler.h>

#include "fuzz/execute.h"
#include "fuzz/mutate.h"

enum { MAX_MEMORY = 64 << 20 };

static uint64_t hash(const uint8_t *data, size_t size) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * UINT64_C(1099511628211);
    return h;
}

static void check_messages(const tirb_compile_result *result, tirb_status status) {
    char text[512];
    uint32_t n = tirb_compile_result_diagnostic_count(result), errors = 0;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_diagnostic *d = tirb_compile_result_diagnostic(result, i);
        if (!d || !d->message || d->message[0] == '\0') fuzz_fail("diagnostic %u says nothing", i);
        errors += d->severity == TIRB_SEVERITY_ERROR;
        size_t whole = tirb_compile_result_format(result, i, text, sizeof(text));
        size_t written = whole < sizeof(text) ? whole : sizeof(text) - 1;
        if (strlen(text) != written) fuzz_fail("diagnostic %u has %zu bytes, not %zu", i, strlen(text), whole);
    }
    if (status == TIRB_OK && errors > 0) fuzz_fail("compiled in spite of an error");
    if (status != TIRB_OK && status != TIRB_MEMORY_LIMIT && errors == 0) {
        fuzz_fail("%s without a message", tirb_status_name(status));
    }
}

/* A text and what it is written in. */
typedef struct source {
    tirb_language language;
    const uint8_t *data;
    size_t size;
} source;

static bool compile(source from, uint64_t seed, bool optimized, tirb_compile_result **out) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    options.language = from.language;
    options.fp = (tirb_fp_mode)(seed % 8 < 6 ? TIRB_FP_PRECISE : seed % 8 - 5);
    options.disable = optimized ? NULL : "all";
    options.parallel = optimized ? TIRB_PARALLEL_AUTO : TIRB_PARALLEL_OFF;
    options.max_memory = MAX_MEMORY;
    options.explain = seed / 8 % 2;
    tirb_status status = tirb_compile((const char *)from.data, from.size, &options, out, &error);
    if (status == TIRB_INTERNAL || status == TIRB_VERIFY || status == TIRB_NO_MEMORY || status == TIRB_MISUSE) {
        fuzz_fail("compiling ends with %s: %s", tirb_status_name(status), error.message);
    }
    if (!*out) fuzz_fail("no result of a compilation");
    check_messages(*out, status);
    for (uint32_t i = 0; i < tirb_compile_result_loop_count(*out); i++) {
        const tirb_loop_note *note = tirb_compile_result_loop(*out, i);
        if (!note || !note->function || !note->variable || !note->text) fuzz_fail("loop %u is not explained", i);
    }
    return status == TIRB_OK;
}

static bool load(const tirb_compile_result *result, fuzz_modules *out) {
    size_t size;
    tirb_error error = TIRB_ERROR_INIT;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    if (fuzz_modules_load(out, bytes, size, &error)) return true;
    if (error.code != TIRB_MEMORY_LIMIT) fuzz_fail("what was compiled is refused: %s", error.message);
    return false;
}

/* ---- No function vanishes --------------------------------------------------------------------------------------- */

typedef struct line {
    const char *text;
    size_t size;
} line;

static bool next_line(const char **at, const char *end, line *out) {
    if (*at == end) return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *out = (line){*at, (size_t)((stop ? stop : end) - *at)};
    *at = stop ? stop + 1 : end;
    return true;
}

static bool begins(line l, const char *word) {
    size_t size = strlen(word);
    return l.size >= size && memcmp(l.text, word, size) == 0;
}

static bool decorates(line l) {
    static const char word[] = "@T.prim_func";
    size_t size = sizeof(word) - 1;
    return begins(l, word) && (l.size == size || l.text[size] == '(');
}

/* Blank, or a comment. */
static bool says_nothing(line l) {
    size_t at = 0;
    while (at < l.size && (l.text[at] == ' ' || l.text[at] == '\t' || l.text[at] == '\r' || l.text[at] == '\f')) at++;
    return at == l.size || l.text[at] == '#';
}

static bool contains(const char *text, size_t size, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(text + i, word, length) == 0) return true;
    return false;
}

/* How many functions a text defines at the beginnings of lines, or 0 where only a parser can tell: where `T` may be
 * something else, and where lines may be within strings or be continued. */
static size_t functions_of(const char *text, size_t size) {
    static const char *const signs[] = {"\"\"\"", "'''", "\\", "\r",  "hybrid", "class", "f\"",
                                        "f'",     "F\"", "F'", "r\"", "r'",     "R\"",   "R'"};
    const char *at = text, *end = text + size;
    bool imported = false, decorated = false;
    size_t n = 0;
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (contains(text, size, signs[i])) return 0;
    for (line l; next_line(&at, end, &l);) {
        bool imports = begins(l, "from tvm.script import tirx as T") || begins(l, "from tvm.script import tir as T");
        if (contains(l.text, l.size, " as T") && (imported || !imports)) return 0;
        if (begins(l, "T")) return 0;
        if (says_nothing(l)) continue; /* also between a decorator and its function */
        imported = imported || imports;
        n += decorated && begins(l, "def ");
        decorated = decorates(l);
    }
    return imported ? n : 0;
}

/* What is accepted is printed with as many functions as it has. */
static void check_functions(const uint8_t *data, size_t size) {
    size_t expected = functions_of((const char *)data, size), found = 0, text_size;
    tirb_compile_result *printed = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    if (expected == 0) return;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.max_memory = MAX_MEMORY;
    tirb_status status = tirb_format((const char *)data, size, TIRB_DIALECT_TIRX, &options, &printed, &error);
    check_messages(printed, status);
    if (status == TIRB_OK) {
        const char *at = (const char *)tirb_compile_result_bytes(printed, &text_size), *end = at + text_size;
        for (line l; next_line(&at, end, &l);) found += decorates(l);
        if (found != expected) fuzz_fail("of %zu functions, %zu are read", expected, found);
    }
    tirb_compile_result_destroy(printed);
}

/* ---- What was printed ------------------------------------------------------------------------------------------- */

static tirb_status format(source from, tirb_dialect dialect, tirb_compile_result **out, tirb_error *error) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.language = from.language;
    return tirb_format((const char *)from.data, from.size, dialect, &options, out, error);
}

/* The text of a result that `from` was printed to. */
static source printed_text(source from, tirb_dialect dialect, const tirb_compile_result *printed) {
    source to = {.language = dialect == TIRB_DIALECT_SAME ? from.language : TIRB_LANGUAGE_TVMSCRIPT};
    to.data = tirb_compile_result_bytes(printed, &to.size);
    return to;
}

/* The canonical text is its own canonical text. */
static void check_fixed_point(source text, tirb_dialect dialect) {
    tirb_compile_result *again = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    size_t again_size;
    tirb_status status = format(text, dialect, &again, &error);
    if (status != TIRB_OK) fuzz_fail("what was printed cannot be read: %s", error.message);
    const uint8_t *bytes = tirb_compile_result_bytes(again, &again_size);
    if (again_size != text.size || (again_size > 0 && memcmp(bytes, text.data, again_size) != 0))
        fuzz_fail("what was printed is printed otherwise");
    tirb_compile_result_destroy(again);
}

/* Printed in one dialect or another, it is the same program. */
static void run_printed(const fuzz_modules *modules, source from, uint64_t seed) {
    tirb_dialect dialect = (tirb_dialect)(seed / 16 % 3);
    tirb_compile_result *printed = NULL, *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    fuzz_modules again;
    tirb_status status = format(from, dialect, &printed, &error);
    if (status == TIRB_OK) {
        source text = printed_text(from, dialect, printed);
        check_fixed_point(text, dialect);
        if (!compile(text, seed, true, &result)) {
            fuzz_fail("what was printed is refused");
        } else if (load(result, &again)) {
            fuzz_modules_compare(modules, &again, seed);
            fuzz_modules_release(&again);
        }
    } else if (status != TIRB_UNSUPPORTED || dialect == TIRB_DIALECT_SAME) {
        fuzz_fail("what compiles cannot be printed: %s", error.message);
    }
    tirb_compile_result_destroy(result);
    tirb_compile_result_destroy(printed);
}

static void run_compiled(const tirb_compile_result *result, source from, uint64_t seed) {
    fuzz_modules fast, plain;
    if (!load(result, &fast)) return;
    fuzz_modules_run(&fast, seed);
    tirb_compile_result *other = NULL;
    if (!compile(from, seed, false, &other)) {
        fuzz_fail("without optimisations it is refused");
    } else if (load(other, &plain)) {
        fuzz_modules_compare(&fast, &plain, seed);
        fuzz_modules_release(&plain);
    }
    tirb_compile_result_destroy(other);
    if (seed % 4 == 0) run_printed(&fast, from, seed);
    fuzz_modules_release(&fast);
}

static bool run_source(source from) {
    uint64_t seed = hash(from.data, from.size);
    tirb_compile_result *result = NULL;
    const bool compiles = compile(from, seed, true, &result);
    if (compiles) run_compiled(result, from, seed);
    tirb_compile_result_destroy(result);
    return compiles;
}

static bool run(const uint8_t *data, size_t size) {
    uint8_t *exact = fuzz_copy(data, size);
    check_functions(exact, size);
    const bool compiles = run_source((source){TIRB_LANGUAGE_TVMSCRIPT, exact, size});
    free(exact);
    return compiles;
}

/* What can be read can be printed, whether it compiles or not. */
static bool run_comprehensions(const uint8_t *data, size_t size) {
    uint8_t *exact = fuzz_copy(data, size);
    const source from = {TIRB_LANGUAGE_TENSOR_COMPREHENSIONS, exact, size};
    tirb_compile_result *printed = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status = format(from, TIRB_DIALECT_SAME, &printed, &error);
    check_messages(printed, status);
    if (status == TIRB_OK) check_fixed_point(printed_text(from, TIRB_DIALECT_SAME, printed), TIRB_DIALECT_SAME);
    tirb_compile_result_destroy(printed);
    const bool compiles = run_source(from);
    free(exact);
    return compiles;
}

const fuzz_target fuzz_target_text = {"text", run, fuzz_mutate_script, fuzz_cross_text};
const fuzz_target fuzz_target_comprehensions = {"comprehensions", run_comprehensions, fuzz_mutate_comprehensions,
                                                fuzz_cross_text};
