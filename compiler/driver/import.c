/* `tirb import`: a model of ONNX or PyTorch to a bundle. TVM's front ends make Relax of it, in a Python that has them
 * (compiler/python/import_model.py, which is in the command); from there on it is a source like any other. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/files.h"
#include "compiler/driver/program.h"

extern char **environ;
extern const char tirbi_import_script[]; /* compiler/python/script.cmake */

enum { MAX_SHAPES = 64 };
#define MAX_TEXT ((size_t)512 << 20)

/* How the script ends, beside 0. */
enum { SCRIPT_MODEL = 1, SCRIPT_OPTIONS = 2, SCRIPT_FILES = 3, SCRIPT_PACKAGE = 4, SHELL_NOT_FOUND = 127 };

static const option_row import_options[] = {
    {OPTION_OUTPUT, 'o', "output", "FILE", "where the bundle goes (default: the model's name with .tirb)"},
    {OPTION_PARAMS, 0, "params", "FILE", "the weights go there, .safetensors or .npz (default: into the bundle)"},
    {OPTION_SHAPE, 0, "shape", "NAME=D,D,..", "the dimensions of an input, numbers or names of sizes (repeatable)"},
    {OPTION_TEXT, 0, "text", "FILE", "keep the Relax text, which messages have places in"},
    {OPTION_FP, 0, "fp", "MODE", "precise (a*b+c fuses, block sums are trees), strict (nothing fuses) or fast"},
    {OPTION_PARALLEL, 0, "parallel", "WHICH", "loops for several threads: auto (those worth it), off, or all that may"},
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static bool ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* What is behind a word of the comment that the text begins with, as it stands there; "" where there is nothing. */
static const char *names_behind(const file_bytes *text, const char *word, int *out_size) {
    const char *begin = (const char *)text->data;
    const size_t length = strlen(word);
    *out_size = 0;
    for (uint32_t line = 1; line <= 3; line++) {
        size_t size;
        const char *at = file_line(text, line, &size);
        if (!begin || size < length || memcmp(at, word, length) != 0) continue;
        *out_size = (int)(size - length);
        return at + length;
    }
    return "";
}

/* ---- The script ------------------------------------------------------------------------------------------------- */

static const char *python(void) {
    const char *named = getenv("TIRB_PYTHON");
    return named && *named ? named : "python3";
}

/* Starts the script, whose stdout is read from `out`; or an error number. */
static int start(const invocation *inv, const char *weights, pid_t *child, FILE **out) {
    const char *argv[12 + 2 * MAX_SHAPES];
    size_t n = 0;
    argv[n++] = python();
    argv[n++] = "-c";
    argv[n++] = tirbi_import_script;
    if (weights) {
        argv[n++] = "--weights";
        argv[n++] = weights;
        argv[n++] = "--format";
        argv[n++] = ends_with(option_text(inv, OPTION_PARAMS), ".npz") ? "npz" : "safetensors";
    }
    for (size_t i = 0; i < inv->n_options && n + 6 < sizeof argv / sizeof *argv; i++) {
        if (inv->options[i].key != OPTION_SHAPE) continue;
        argv[n++] = "--shape";
        argv[n++] = inv->options[i].text;
    }
    argv[n++] = "--";
    argv[n++] = inv->operands[0];
    argv[n] = NULL;
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) return errno;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem == 0) {
        problem = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (problem == 0) problem = posix_spawn_file_actions_addclose(&actions, ends[0]);
        if (problem == 0) problem = posix_spawn_file_actions_addclose(&actions, ends[1]);
        if (problem == 0)
            problem = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    *out = problem == 0 ? fdopen(ends[0], "rb") : NULL;
    if (!*out) close(ends[0]);
    return problem;
}

/* What the script's end means; `said` is what it printed. */
static exit_code outcome(const invocation *inv, int status, const file_bytes *said) {
    const char *model = inv->operands[0];
    const int size = said->size < 4000 ? (int)said->size : 4000;
    const size_t line = said->data ? strcspn((const char *)said->data, "\n") : 0;
    const int shown = line < (size_t)size ? (int)line : size;
    if (WIFSIGNALED(status))
        return fail(inv, EXIT_PROGRAM, "%s: TVM's front end crashed on it (signal %d)", model, WTERMSIG(status));
    switch (WIFEXITED(status) ? WEXITSTATUS(status) : -1) {
    case 0:
        return EXIT_DONE;
    case SCRIPT_MODEL:
        return fail(inv, EXIT_PROGRAM, "%s: %.*s", model, shown, (const char *)said->data);
    case SCRIPT_OPTIONS:
        return fail(inv, EXIT_USAGE, "%s: %.*s", model, shown, (const char *)said->data);
    case SCRIPT_FILES:
        return fail(inv, EXIT_FILES, "%s: %.*s", model, shown, (const char *)said->data);
    case SCRIPT_PACKAGE:
        return fail(inv, EXIT_USAGE, "%.*s", shown, (const char *)said->data);
    case SHELL_NOT_FOUND:
        return fail(inv, EXIT_USAGE, "%s cannot be started: TIRB_PYTHON names the Python that has TVM", python());
    default:
        return fail(inv, EXIT_INTERNAL, "%s: %s ended with status %d", model, python(), status);
    }
}

/* The model as a text of Relax; its weights go to the file `weights`, or with NULL into the text. */
static exit_code convert(const invocation *inv, const char *weights, file_bytes *out) {
    pid_t child;
    FILE *stream;
    *out = (file_bytes){0};
    int problem = start(inv, weights, &child, &stream), status = 0;
    if (problem == ENOENT)
        return fail(inv, EXIT_USAGE,
                    "there is no %s: import needs a Python with apache-tvm 0.27 and onnx or torch, which TIRB_PYTHON "
                    "names",
                    python());
    if (problem != 0) return fail(inv, EXIT_FILES, "%s: %s", python(), strerror(problem));
    bool enough = stream && read_stream(stream, MAX_TEXT, out);
    if (stream) fclose(stream);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!enough) return fail_memory(inv);
    if (out->size > MAX_TEXT)
        return fail(inv, EXIT_PROGRAM,
                    "%s: its text, which has the weights in it, is larger than %zu MiB: leave them beside it with "
                    "--params",
                    inv->operands[0], MAX_TEXT >> 20);
    return outcome(inv, status, out);
}

/* ---- The bundle ------------------------------------------------------------------------------------------------- */

/* The bundle must have the model: the compiler leaves out, with a warning, what it cannot lower. */
static exit_code check_main(const invocation *inv, const bundle *made) {
    tirb_engine *engine;
    tirb_module *module;
    uint32_t function;
    exit_code code = bundle_load(inv, made, false, &engine, &module);
    if (code != EXIT_DONE) return code;
    if (tirb_module_find(module, "main", &function, NULL) != TIRB_OK)
        code = fail(inv, EXIT_PROGRAM, "%s: nothing is written, for `main` is left out (see above)", made->file);
    tirb_module_release(module);
    tirb_engine_release(engine);
    return code;
}

/* Says what the script has to say of a model that it converts. */
static void print_remark(const invocation *inv, const file_bytes *text) {
    char remark[1024];
    int size;
    const char *said = names_behind(text, "# warning: ", &size);
    if (size == 0) return;
    snprintf(remark, sizeof remark, "%.*s", size, said);
    fail_at(inv, EXIT_DONE, inv->operands[0],
            &(tirb_diagnostic){.severity = TIRB_SEVERITY_WARNING, .message = remark});
}

/* How the model is run. */
static void print_usage(const file_bytes *text, const char *to, const char *weights) {
    int n_inputs, n_weights;
    const char *inputs = names_behind(text, "# inputs:", &n_inputs);
    names_behind(text, "# weights: ", &n_weights);
    printf("tirb run %s -f main", to);
    for (int i = 0; i < n_inputs;) {
        int size = 0;
        while (i < n_inputs && inputs[i] == ' ') i++;
        while (i + size < n_inputs && inputs[i + size] != ' ') size++;
        const char *const type = size > 0 ? memchr(inputs + i, ':', (size_t)size) : NULL; /* of raw data */
        const int name = type ? (int)(type - (inputs + i)) : size;
        if (size > 0) printf(" %.*s=@%.*s.npy%.*s", name, inputs + i, name, inputs + i, size - name, inputs + i + name);
        i += size;
    }
    if (weights && n_weights > 0) printf(" --params %s", weights);
    printf("\n");
}

static exit_code deliver(const invocation *inv, file_bytes *text, const char *to, output_file *weights) {
    bundle made;
    const char *kept = option_text(inv, OPTION_TEXT);
    int n_weights;
    names_behind(text, "# weights: ", &n_weights);
    exit_code code = kept ? output_write(inv, kept, text->data, text->size) : EXIT_DONE;
    if (code == EXIT_DONE) code = bundle_compile(inv, kept ? kept : inv->operands[0], text, &made);
    if (code != EXIT_DONE) return code;
    code = check_main(inv, &made);
    if (code == EXIT_DONE) code = output_write_beside(inv, inv->operands[0], to, made.bytes, made.size);
    if (code == EXIT_DONE && weights->target && n_weights > 0) code = output_commit(inv, weights);
    if (code == EXIT_DONE && strcmp(to, "-") != 0) print_usage(text, to, option_text(inv, OPTION_PARAMS));
    bundle_close(&made);
    return code;
}

static exit_code check_import_options(const invocation *inv) {
    const char *params = option_text(inv, OPTION_PARAMS);
    size_t n_shapes = 0;
    for (size_t i = 0; i < inv->n_options; i++) n_shapes += inv->options[i].key == OPTION_SHAPE;
    if (params && !ends_with(params, ".npz") && !ends_with(params, ".safetensors"))
        return fail_usage(inv->command, "--params is a file .safetensors or .npz, not '%s'", params);
    if (n_shapes > MAX_SHAPES) return fail_usage(inv->command, "--shape is given more than %d times", MAX_SHAPES);
    return EXIT_DONE;
}

static exit_code run_import(const invocation *inv) {
    const char *given = option_text(inv, OPTION_OUTPUT), *params = option_text(inv, OPTION_PARAMS);
    exit_code code = check_import_options(inv);
    if (code != EXIT_DONE) return code;
    char *to = given ? strdup(given) : output_name(inv->operands[0], ".tirb");
    output_file weights = {0};
    file_bytes text = {0};
    code = to ? output_check(inv, to) : fail_memory(inv);
    if (code == EXIT_DONE && params) code = output_stage(inv, params, "", 0, &weights);
    if (code == EXIT_DONE) code = convert(inv, weights.temporary ? weights.temporary : weights.target, &text);
    if (code == EXIT_DONE) print_remark(inv, &text);
    if (code == EXIT_DONE) code = deliver(inv, &text, to, &weights);
    output_finish(&weights);
    free(text.data);
    free(to);
    return code;
}

const command import_command = {
    .name = "import",
    .operands = "MODEL",
    .summary = "Compile a model of ONNX or PyTorch to a bundle",
    .options = import_options,
    .details = "MODEL is .onnx, or .pt2 of torch.export.save. TVM's front ends read it, in python3 or what\n"
               "TIRB_PYTHON names, which needs apache-tvm 0.27 and onnx or torch: nothing of that is needed to\n"
               "run the bundle. Its function `main` takes the model's inputs, with --params its weights behind\n"
               "them, and what to type to run it is printed. Its results have the names that the model gives them,\n"
               "with _ for spaces and the like (-o '/layer/out:0=@y.npy'), and their numbers; one that is called\n"
               "like an input has .new behind it. Buffers that a model of PyTorch changes are inputs and results\n"
               "(count=@count.npy -o count.new=@count.npy), for a bundle keeps nothing between calls. Unless\n"
               "--compile-memory says otherwise, compiling takes up to 4 GiB: the text has the weights in it.\n"
               "\n"
               "Examples:\n"
               "  tirb import model.onnx\n"
               "  tirb import model.onnx -o model.tirb --params model.safetensors --shape x=1,3,224,224\n"
               "  tirb import model.onnx --shape x=batch,3,224,224 --text model.py\n",
    .run = run_import,
    .least_operands = 1,
    .most_operands = 1,
};
