#include "compiler/driver/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/driver/define.h"
#include "compiler/driver/files.h"
#include "compiler/pipeline/names.h"

/* Bytes of one program file; what it unpacks to has the engine's own limit. */
#define MAX_PROGRAM_FILE ((size_t)256 << 20)
/* What compiling a model may take, whose text has its weights in it. */
#define MAX_MODEL_MEMORY ((uint64_t)4 << 30)

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool begins_as_bundle(const file_bytes *bytes) {
    return bytes->size >= 4 && memcmp(bytes->data, "TIRB", 4) == 0;
}

static bool looks_like_bundle(const invocation *inv, const char *path, const file_bytes *bytes) {
    if (tirbi_language_of_file(path) || option_given(inv, OPTION_LANGUAGE)) return false;
    return ends_with(path, ".tirb") || begins_as_bundle(bytes);
}

/* What stands where a program must, and where it goes instead; NULL: it may be a program. */
static const char *no_program(const file_bytes *bytes) {
    static const struct {
        const char *begin, *what;
    } others[] = {{"\x93NUMPY", "an array of NumPy, which is an argument: @FILE.npy"},
                  {"PK\x03\x04", "an archive; arrays of an .npz file are --params, a .pt2 model is for 'tirb import'"},
                  {"\x7f" "ELF", "machine code"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t size = strlen(others[i].begin);
        if (bytes->size >= size && memcmp(bytes->data, others[i].begin, size) == 0) return others[i].what;
    }
    return NULL;
}

/* Puts the values of -D into a source. */
static exit_code source_define(const invocation *inv, const char *path, tirb_compile_options *options,
                               file_bytes *text) {
    const tirbi_language *language;
    const char *what = no_program(text);
    if (what) return fail(inv, EXIT_PROGRAM, "%s: no source and no bundle, but %s", input_name(path), what);
    exit_code code = language_choose(inv, path, &language);
    if (code != EXIT_DONE) return code;
    options->language = language->language;
    return definitions_apply(inv, path, language, text);
}

exit_code source_read(const invocation *inv, const char *path, tirb_compile_options *options, file_bytes *out) {
    bool too_large;
    exit_code code = file_read(inv, path, MAX_PROGRAM_FILE, out, &too_large);
    if (code != EXIT_DONE) return code;
    if (too_large) {
        code = fail(inv, EXIT_PROGRAM, "%s: the file is larger than %zu MiB", input_name(path), MAX_PROGRAM_FILE >> 20);
    } else if (begins_as_bundle(out)) {
        code = fail(inv, EXIT_PROGRAM, "%s: a bundle has instructions, not text: give its source, or see 'tirb dis'",
                    input_name(path));
    } else {
        code = source_define(inv, path, options, out);
    }
    if (code != EXIT_DONE) free(out->data);
    return code;
}

exit_code compile_limits_read(const invocation *inv, tirb_compile_options *out) {
    const char *timeout = option_text(inv, OPTION_COMPILE_TIMEOUT), *memory = option_text(inv, OPTION_COMPILE_MEMORY);
    const char *work = option_text(inv, OPTION_COMPILE_WORK);
    if (timeout && !parse_seconds(timeout, &out->timeout_ns)) {
        return fail_usage(inv->command, "--compile-timeout is a number of seconds above 0 and up to 1e9, not '%s'",
                          timeout);
    }
    if (memory && !parse_size(memory, &out->max_memory)) {
        return fail_usage(inv->command, "--compile-memory is a number of bytes, with K, M or G behind it, not '%s'",
                          memory);
    }
    if (work && !parse_count(work, &out->max_work)) {
        return fail_usage(inv->command, "--compile-work is a number of steps, with K, M or G behind it, not '%s'",
                          work);
    }
    return EXIT_DONE;
}

exit_code compile_options_read(const invocation *inv, tirb_compile_options *out) {
    const char *fp = option_text(inv, OPTION_FP), *most = option_text(inv, OPTION_MAX_ERRORS);
    if (fp && strcmp(fp, "strict") == 0) {
        out->fp = TIRB_FP_STRICT;
    } else if (fp && strcmp(fp, "fast") == 0) {
        out->fp = TIRB_FP_FAST;
    } else if (fp && strcmp(fp, "precise") != 0) {
        return fail_usage(inv->command, "--fp is precise, strict or fast, not '%s'", fp);
    }
    const char *parallel = option_text(inv, OPTION_PARALLEL);
    if (parallel && strcmp(parallel, "off") == 0) {
        out->parallel = TIRB_PARALLEL_OFF;
    } else if (parallel && strcmp(parallel, "all") == 0) {
        out->parallel = TIRB_PARALLEL_ALL;
    } else if (parallel && strcmp(parallel, "auto") != 0) {
        return fail_usage(inv->command, "--parallel is auto, off or all, not '%s'", parallel);
    }
    tirb_error error = TIRB_ERROR_INIT;
    uint32_t disabled;
    out->disable = option_text(inv, OPTION_DISABLE);
    if (tirbi_read_passes(out->disable, &disabled, &error) != TIRB_OK)
        return fail_usage(inv->command, "--disable: %s", error.message);
    uint64_t number;
    if (most && (!parse_count(most, &number) || number > 100000)) {
        return fail_usage(inv->command, "--max-errors is a number from 1 to 100000, not '%s'", most);
    }
    if (most) out->max_errors = (uint32_t)number;
    const char *warnings = option_text(inv, OPTION_WARNINGS);
    if (warnings && strcmp(warnings, "error") != 0)
        return fail_usage(inv->command, "-W is -Werror, not -W%s", warnings);
    return compile_limits_read(inv, out);
}

bool warnings_are_errors(const invocation *inv) { return option_given(inv, OPTION_WARNINGS); }

static void print_messages(const char *text, size_t size) {
    if (size == 0) return;
    fflush(stdout);
    fwrite(text, 1, size, stderr);
}

/* What sets the limit that a compilation ended at; NULL: it ended at none. */
static const char *limit_option(tirb_status status) {
    switch (status) {
    case TIRB_MEMORY_LIMIT: return "--compile-memory";
    case TIRB_DEADLINE: return "--compile-timeout";
    case TIRB_FUEL: return "--compile-work";
    default: return NULL;
    }
}

static exit_code exit_code_of_compile(tirb_status status) {
    switch (status) {
    case TIRB_OK: return EXIT_DONE;
    case TIRB_SYNTAX:
    case TIRB_TYPE:
    case TIRB_UNSUPPORTED:
    case TIRB_VALUE:
    case TIRB_MEMORY_LIMIT:
    case TIRB_DEADLINE:
    case TIRB_FUEL: return EXIT_PROGRAM;
    default: return EXIT_INTERNAL;
    }
}

/* Says what the compiler says, and what its messages do not; they are in `text`. */
static exit_code say_outcome(const invocation *inv, const char *file, tirb_status status, const tirb_error *error,
                             const tirb_compile_result *result, const char *text, size_t size) {
    print_messages(text, size);
    exit_code code = exit_code_of_compile(status);
    if (code == EXIT_DONE && warnings_are_errors(inv) && has_warnings(result))
        return fail(inv, EXIT_PROGRAM, "%s: its warnings are errors (-Werror)", file);
    const char *limit = limit_option(status);
    if (limit) return fail(inv, code, "%s: %s (%s allows more)", file, error->message, limit);
    if (code != EXIT_DONE && (size == 0 || code == EXIT_INTERNAL)) fail(inv, code, "%s: %s", file, error->message);
    return code;
}

exit_code compile_outcome(const invocation *inv, const char *file, tirb_status status, const tirb_error *error,
                          const tirb_compile_result *result) {
    size_t size = 0;
    char *text = diagnostics_text(inv, file, result, &size);
    if (!text) return fail_memory(inv);
    exit_code code = say_outcome(inv, file, status, error, result, text, size);
    free(text);
    return code;
}

/* Compiles, says what the compiler says, and keeps both in the cache. */
static exit_code compile_now(const invocation *inv, const file_bytes *text, const tirb_compile_options *options,
                             bundle *out) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status = tirb_compile((const char *)text->data, text->size, options, &out->result, &error);
    compilation made = {0};
    char *messages = diagnostics_text(inv, out->file, out->result, &made.messages_size);
    if (!messages) return fail_memory(inv);
    exit_code code = say_outcome(inv, out->file, status, &error, out->result, messages, made.messages_size);
    if (code == EXIT_DONE) {
        out->bytes = tirb_compile_result_bytes(out->result, &out->size);
        made.messages = messages;
        made.bundle = out->bytes;
        made.bundle_size = out->size;
        cache_add(&out->cache, &made);
    }
    free(messages);
    return code;
}

static exit_code compile(const invocation *inv, const char *path, file_bytes *text, bundle *out) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.file_name = out->file;
    exit_code code = compile_options_read(inv, &options);
    if (inv->command == &import_command && options.max_memory == 0) options.max_memory = MAX_MODEL_MEMORY;
    if (code == EXIT_DONE) code = source_define(inv, path, &options, text);
    if (code == EXIT_DONE) code = cache_open(inv, (const char *)text->data, text->size, &options, &out->cache);
    if (code != EXIT_DONE) return code;
    uint64_t start = now_ns();
    compilation found;
    out->was_cached = cache_find(&out->cache, &found);
    if (out->was_cached) {
        if (inv->command == &check_command) print_messages(found.messages, found.messages_size);
        out->bytes = found.bundle;
        out->size = found.bundle_size;
    } else {
        code = compile_now(inv, text, &options, out);
    }
    out->compile_ns = now_ns() - start;
    return code;
}

exit_code bundle_compile(const invocation *inv, const char *name, file_bytes *text, bundle *out) {
    *out = (bundle){.file = name, .was_source = true};
    exit_code code = compile(inv, name, text, out);
    if (code != EXIT_DONE) bundle_close(out);
    return code;
}

/* A regular file that begins as a bundle, which then need not be copied. False: it is to be read. */
static bool bundle_map(const char *path, bundle *out) {
    struct stat info;
    char start[4];
    int file = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= 4 &&
        (uint64_t)info.st_size <= MAX_PROGRAM_FILE && read(file, start, sizeof start) == (ssize_t)sizeof start &&
        memcmp(start, "TIRB", sizeof start) == 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) close(file);
    if (bytes == MAP_FAILED) return false;
    out->memory = bytes;
    out->bytes = bytes;
    out->size = (size_t)info.st_size;
    out->is_mapped = true;
    return true;
}

/* The name of an option that was given and that only a source has a use for; NULL: none was. */
static const char *given_for_sources(const invocation *inv) {
    static const struct {
        option_key key;
        const char *name;
    } options[] = {
        {OPTION_FP, "fp"}, {OPTION_PARALLEL, "parallel"}, {OPTION_DISABLE, "disable"}, {OPTION_DEFINE, "define"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(inv, options[i].key)) return options[i].name;
    return NULL;
}

static exit_code refuse_source_options(const invocation *inv, const bundle *out) {
    const char *name = given_for_sources(inv);
    return name ? fail_usage(inv->command, "%s: --%s is for sources; a bundle carries its own", out->file, name)
                : EXIT_DONE;
}

exit_code bundle_open(const invocation *inv, const char *path, bundle *out) {
    *out = (bundle){.file = input_name(path)};
    file_bytes bytes;
    bool too_large;
    exit_code code;
    if (!tirbi_language_of_file(path) && !option_given(inv, OPTION_LANGUAGE) && bundle_map(path, out)) {
        code = refuse_source_options(inv, out);
        if (code != EXIT_DONE) bundle_close(out);
        return code;
    }
    code = file_read(inv, path, MAX_PROGRAM_FILE, &bytes, &too_large);
    if (code != EXIT_DONE) return code;
    out->was_source = !looks_like_bundle(inv, path, &bytes);
    if (too_large) {
        free(bytes.data);
        return fail(inv, out->was_source ? EXIT_PROGRAM : EXIT_REJECTED, "%s: the file is larger than %zu MiB",
                    out->file, MAX_PROGRAM_FILE >> 20);
    }
    if (out->was_source) {
        code = compile(inv, path, &bytes, out);
        free(bytes.data);
    } else {
        code = refuse_source_options(inv, out);
        out->memory = bytes.data;
        out->bytes = bytes.data;
        out->size = bytes.size;
    }
    if (code != EXIT_DONE) bundle_close(out);
    return code;
}

void bundle_close(bundle *open) {
    tirb_compile_result_destroy(open->result);
    if (open->was_source) cache_close(&open->cache);
    if (open->is_mapped) munmap(open->memory, open->size);
    else free(open->memory);
    *open = (bundle){0};
}

exit_code fail_bundle(const invocation *inv, const bundle *from, tirb_status status, const tirb_error *error) {
    exit_code code = exit_code_of_load(status);
    /* Our own compiler's bundle must verify: anything else is our fault, not the user's. */
    if (from->was_source && code == EXIT_REJECTED) code = EXIT_INTERNAL;
    const char *message = error->message[0] ? error->message : tirb_status_text(status);
    if (error->where[0]) return fail(inv, code, "%s: %s: %s", from->file, error->where, message);
    return fail(inv, code, "%s: %s", from->file, message);
}

exit_code bundle_load(const invocation *inv, const bundle *from, bool profiles, tirb_engine **out_engine,
                      tirb_module **out_module) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    const char *isa = option_text(inv, OPTION_ISA), *origin = "--isa";
    if (!isa) {
        isa = getenv("TIRB_ISA");
        origin = "TIRB_ISA";
    }
    if (isa && *isa && tirb_isa_from_name(isa, &options.isa) != TIRB_OK) {
        return fail_usage(inv->command, "%s is auto, generic, sse2, avx2, avx512 or neon, not '%s'", origin, isa);
    }
    options.profile = profiles;
    options.cpu_quota = 1;
    tirb_status status = tirb_engine_create(&options, out_engine, &error);
    if (status == TIRB_UNSUPPORTED) return fail_usage(inv->command, "%s: %s", origin, error.message);
    if (status != TIRB_OK) return fail(inv, EXIT_INTERNAL, "%s", error.message);
    /* The caller closes the bundle behind the module. */
    status = tirb_module_load_in_place(*out_engine, from->bytes, from->size, NULL, NULL, NULL, out_module, &error);
    if (status == TIRB_OK) return EXIT_DONE;
    tirb_engine_release(*out_engine);
    *out_engine = NULL;
    return fail_bundle(inv, from, status, &error);
}

/* The names of all functions, ended by NULL; NULL when out of memory. */
static const char **function_names(const tirb_module *module) {
    uint32_t n = tirb_module_function_count(module);
    const char **names = calloc((size_t)n + 1, sizeof *names);
    for (uint32_t i = 0; names && i < n; i++) {
        tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
        if (tirb_module_function(module, i, &info, NULL) == TIRB_OK) names[i] = info.name;
    }
    return names;
}

/* " (it has a, b and 3 more)": the first public functions of a module. */
static void list_functions(const tirb_module *module, char text[static 200]) {
    enum { SHOWN = 4, LONGEST = 40 };
    uint32_t n = tirb_module_function_count(module), found = 0;
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
        if (tirb_module_function(module, i, &info, NULL) != TIRB_OK || !info.is_public || found++ >= SHOWN) continue;
        at += (size_t)snprintf(text + at, 200 - at, "%s%.*s", at ? ", " : " (it has ", LONGEST, info.name);
    }
    if (found > SHOWN) at += (size_t)snprintf(text + at, 200 - at, " and %u more", found - SHOWN);
    if (at) snprintf(text + at, 200 - at, ")");
}

static exit_code fail_no_function(const invocation *inv, const bundle *from, const tirb_module *module,
                                  const char *name) {
    const char **names = function_names(module);
    const char *meant = names ? closest(name, names) : NULL;
    char others[200] = "";
    if (!meant) list_functions(module, others);
    exit_code code = fail(inv, EXIT_USAGE, "%s: there is no function '%s'%s%s%s", from->file, name,
                          meant ? "; did you mean '" : others, meant ? meant : "", meant ? "'?" : "");
    free(names);
    return code;
}

exit_code function_choose(const invocation *inv, const bundle *from, const tirb_module *module, uint32_t *out) {
    const char *name = option_text(inv, OPTION_FUNCTION);
    if (name) {
        tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
        if (tirb_module_find(module, name, out, NULL) != TIRB_OK) return fail_no_function(inv, from, module, name);
        if (tirb_module_function(module, *out, &info, NULL) == TIRB_OK && info.is_public) return EXIT_DONE;
        return fail(inv, EXIT_USAGE, "%s: the function '%s' is private to its module", from->file, name);
    }
    uint32_t n = tirb_module_function_count(module), n_public = 0;
    char list[512] = "";
    for (uint32_t i = 0; i < n; i++) {
        tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
        if (tirb_module_function(module, i, &info, NULL) != TIRB_OK || !info.is_public) continue;
        n_public++;
        *out = i;
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", n_public > 1 ? ", " : "", info.name);
    }
    if (n_public == 0) return fail(inv, EXIT_USAGE, "%s: it has no public function", from->file);
    if (n_public == 1 || tirb_module_find(module, "main", out, NULL) == TIRB_OK) return EXIT_DONE;
    return fail(inv, EXIT_USAGE, "%s: it has %u public functions; choose one with -f: %s", from->file, n_public, list);
}
