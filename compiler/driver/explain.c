/* `tirb explain`: what the compiler made of every loop, beside the source. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/files.h"
#include "compiler/driver/json.h"
#include "compiler/driver/program.h"
#include "compiler/pipeline/names.h"

static const option_row explain_options[] = {
    {OPTION_FUNCTION, 'f', "function", "NAME", "only this function"},
    {OPTION_JSON, 0, "json", NULL, "print one JSON array instead of text"},
    {OPTION_IR, 0, "ir", "[=PASS]",
     "instead, the loop IR as text: before and after a pass, or after each that changes it"},
    {OPTION_PLAN, 0, "plan", NULL, "instead, the schedule: what loops went through, and the instructions they became"},
    {OPTION_FP, 0, "fp", "MODE", "precise, strict or fast"},
    {OPTION_PARALLEL, 0, "parallel", "WHICH", "auto, off or all: loops for several threads"},
    DISABLE_OPTION,
    {OPTION_MAX_ERRORS, 0, "max-errors", "N", "diagnostics before the compiler gives up (default 20)"},
    LANGUAGE_OPTIONS,
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const char *form_name(tirb_loop_form form) {
    switch (form) {
    case TIRB_FORM_SCALAR: return "scalar";
    case TIRB_FORM_LANES: return "lanes";
    case TIRB_FORM_INNER: return "inner";
    case TIRB_FORM_OUTER: return "outer";
    case TIRB_FORM_SPLIT: return "split";
    case TIRB_FORM_TREE: return "tree";
    case TIRB_FORM_CONTRACTION: return "contraction";
    case TIRB_FORM_REGION: return "threads";
    case TIRB_FORM_SERIAL: return "one thread";
    case TIRB_FORM_FUSED: return "fused";
    case TIRB_FORM_OPERAND: return "operand";
    case TIRB_FORM_SEARCHED: return "searched";
    case TIRB_FORM_OPERATOR: return "operator";
    }
    return "unknown";
}

/* In the order of the source: a nest's loops may come out of the compiler in another. */
static int compare_notes(const void *a, const void *b) {
    const tirb_loop_note *x = *(const tirb_loop_note *const *)a, *y = *(const tirb_loop_note *const *)b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x < y ? -1 : x > y; /* notes lie in one array */
}

static void print_text(const file_bytes *text, const tirb_loop_note *const *notes, size_t n) {
    const char *function = NULL;
    char name[CLEAN_SIZE], what[CLEAN_SIZE];
    uint32_t line = 0;
    for (size_t i = 0; i < n; i++) {
        const tirb_loop_note *note = notes[i];
        if (!function || strcmp(function, note->function) != 0)
            printf("%s%s:\n", function ? "\n" : "", clean_text(note->function, name));
        if (note->line != line) {
            size_t size;
            const char *source = file_line(text, note->line, &size);
            printf("%6u | ", note->line);
            print_source_line(source, size);
        }
        function = note->function;
        line = note->line;
        const char *variable = *note->variable ? note->variable : "while";
        printf("       |   %s: %s%s%s\n", clean_text(variable, name), form_name(note->form), *note->text ? ": " : "",
               clean_text(note->text, what));
    }
}

static exit_code print_json(const invocation *inv, const tirb_loop_note *const *notes, size_t n) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON *own = cJSON_CreateObject();
        cJSON_AddItemToArray(list, own);
        cJSON_AddStringToObject(own, "function", notes[i]->function);
        cJSON_AddNumberToObject(own, "line", notes[i]->line);
        cJSON_AddNumberToObject(own, "column", notes[i]->column);
        cJSON_AddStringToObject(own, "loop", *notes[i]->variable ? notes[i]->variable : "while");
        cJSON_AddStringToObject(own, "form", form_name(notes[i]->form));
        json_add_text(own, "text", notes[i]->text);
    }
    return json_print(inv, list, JSON_LINES);
}

/* Where text goes on to another stage or function, each of which begins with a line of `# `. */
static const char *next_stage(const char *at, const char *end) {
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        if (!line) return end;
        at = line + 1;
        if (end - at > 1 && at[0] == '#' && at[1] == ' ') return at;
    }
    return end;
}

/* Whether a stage is of the function: its second line names it. */
static bool is_stage_of(const char *stage, const char *end, const char *function) {
    char line[512];
    const int size = snprintf(line, sizeof line, "\nfunction \"%s\"", function);
    const char *title_end = memchr(stage, '\n', (size_t)(end - stage));
    return title_end && size > 0 && (size_t)size < sizeof line && end - title_end > size &&
           memcmp(title_end, line, (size_t)size) == 0;
}

/* Loop IR, or schedules; what they have of the source are names of letters, digits and _, and clean strings. */
static exit_code show_stages(const invocation *inv, const char *text, size_t size) {
    const char *only = option_text(inv, OPTION_FUNCTION);
    bool shown = false;
    for (const char *at = text, *end = text + size, *next; at < end; at = next) {
        next = next_stage(at, end);
        if (only && !is_stage_of(at, end, only)) continue;
        fwrite(at, 1, (size_t)(next - at), stdout);
        shown = true;
    }
    if (!only || shown) return EXIT_DONE;
    return fail_usage(inv->command, "-f %s: there is no function of that name, or the pass did not run", only);
}

static exit_code show_text(const invocation *inv, const tirb_compile_result *result) {
    size_t size;
    const char *text = option_given(inv, OPTION_IR) ? tirb_compile_result_ir(result, &size)
                                                    : tirb_compile_result_plan(result, &size);
    return show_stages(inv, text, size);
}

/* The name of a pass, or an error that lists them. */
static exit_code read_pass(const invocation *inv, tirb_compile_options *options) {
    const char *wanted = option_text(inv, OPTION_IR);
    tirb_error error = TIRB_ERROR_INIT;
    if (option_given(inv, OPTION_JSON)) return fail_usage(inv->command, "--ir prints text, not JSON");
    options->show_ir = wanted ? wanted : "";
    if (!wanted || tirbi_check_view(wanted, &error) == TIRB_OK) return EXIT_DONE;
    return fail_usage(inv->command, "--ir: %s", error.message);
}

static exit_code read_plan(const invocation *inv, tirb_compile_options *options) {
    if (option_given(inv, OPTION_JSON)) return fail_usage(inv->command, "--plan prints text, not JSON");
    if (options->show_ir) return fail_usage(inv->command, "--ir and --plan do not go together");
    options->show_plan = 1;
    return EXIT_DONE;
}

static exit_code show(const invocation *inv, const file_bytes *text, const tirb_compile_result *result) {
    const char *only = option_text(inv, OPTION_FUNCTION);
    uint32_t total = tirb_compile_result_loop_count(result);
    const tirb_loop_note **notes = malloc((total + (size_t)1) * sizeof(*notes));
    if (!notes) return fail_memory(inv);
    size_t n = 0;
    for (uint32_t i = 0; i < total; i++) {
        const tirb_loop_note *note = tirb_compile_result_loop(result, i);
        if (!only || strcmp(only, note->function) == 0) notes[n++] = note;
    }
    exit_code code = EXIT_DONE;
    if (only && n == 0) {
        free(notes);
        return fail_usage(inv->command, "-f %s: no function of that name has a loop", only);
    }
    if (n > 0) qsort(notes, n, sizeof(*notes), compare_notes);
    if (option_given(inv, OPTION_JSON)) code = print_json(inv, notes, n);
    else if (n > 0) print_text(text, notes, n);
    else printf("%s: no loops\n", input_name(inv->operands[0]));
    free(notes);
    return code;
}

static exit_code run_explain(const invocation *inv) {
    file_bytes text = {0};
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.file_name = input_name(inv->operands[0]);
    options.explain = 1;
    exit_code code = compile_options_read(inv, &options);
    if (code == EXIT_DONE && option_given(inv, OPTION_IR)) code = read_pass(inv, &options);
    if (code == EXIT_DONE && option_given(inv, OPTION_PLAN)) code = read_plan(inv, &options);
    if (code == EXIT_DONE) code = source_read(inv, inv->operands[0], &options, &text);
    if (code != EXIT_DONE) return code;
    tirb_status status = tirb_compile((const char *)text.data, text.size, &options, &result, &error);
    code = compile_outcome(inv, options.file_name, status, &error, result);
    if (code == EXIT_DONE)
        code = options.show_ir || options.show_plan ? show_text(inv, result) : show(inv, &text, result);
    tirb_compile_result_destroy(result);
    free(text.data);
    return code;
}

const command explain_command = {
    .name = "explain",
    .operands = "FILE",
    .summary = "Say what became of each loop, and why",
    .options = explain_options,
    .details = "FILE '-' is stdin. A loop is one of\n"
               "  lanes    many iterations at once; its text lists the operations of the body\n"
               "  inner    a loop inside a lane loop, alike in all lanes\n"
               "  outer    a loop around a lane loop that was moved inside it\n"
               "  tree     an axis of a reduction that is summed as a tree (rule R3)\n"
               "  split    cut where its condition changes; its parts are told of as well\n"
               "  contraction   a loop of a nest that one instruction does, a matrix product say; its text says which "
               "part it has\n"
               "  operator   no loop, but a binding of a Relax function; its text says which function computes it, "
               "and\n"
               "           where its value is\n"
               "  scalar   one iteration after the other; its text says why\n"
               "\n"
               "Examples:\n"
               "  tirb explain digits.py\n"
               "  tirb explain digits.py -f softmax --json\n"
               "  tirb explain digits.py --ir=fuse\n"
               "  tirb explain digits.py --disable contract,fuse\n",
    .run = run_explain,
    .least_operands = 1,
    .most_operands = 1,
};
