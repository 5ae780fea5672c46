#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/command.h"
#include "compiler/source/suggest.h"

/* popt takes every argument that begins with '-' for an option. Negative numbers are values and '-' is a file here, so
 * these are hidden from it behind a byte that no argument of ours begins with. */
enum { SHIELD = '\001' };

static bool is_value_with_dash(const char *text) {
    static const char *const words[] = {"-inf", "-infinity", "-nan", "-true", "-false"};
    if (text[0] != '-') return false;
    if (text[1] == '\0' || (text[1] >= '0' && text[1] <= '9')) return true;
    if (text[1] == '.' && text[2] >= '0' && text[2] <= '9') return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) return true;
    }
    return false;
}

static char *copy_unshielded(const char *text) { return strdup(text[0] == SHIELD ? text + 1 : text); }

static bool is_optional(const option_row *row) { return row->argument && row->argument[0] == '['; }

/* `--ir`, whose value may stand behind a '=' alone: what follows it is an operand. */
static bool is_left_empty(const command *cmd, const char *text) {
    if (strncmp(text, "--", 2) != 0) return false;
    for (const option_row *row = cmd->options; row->key != OPTION_END; row++)
        if (is_optional(row) && strcmp(text + 2, row->name) == 0) return true;
    return false;
}

static size_t count_rows(const option_row *rows) {
    size_t n = 0;
    while (rows[n].key != OPTION_END) n++;
    return n;
}

static exit_code report_bad_option(const command *cmd, poptContext context, int result) {
    const char *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    if (result != POPT_ERROR_BADOPT) return fail_usage(cmd, "%s: %s", bad, poptStrerror(result));
    const char *candidates[64];
    size_t n = 0;
    for (const option_row *row = cmd->options; row->key != OPTION_END && n < 63; row++) candidates[n++] = row->name;
    candidates[n] = NULL;
    char name[64];
    snprintf(name, sizeof name, "%s", bad + strspn(bad, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *meant = bad[0] == '-' && bad[1] == '-' ? closest(name, candidates) : NULL;
    if (meant) return fail_usage(cmd, "there is no option %s; did you mean --%s?", bad, meant);
    return fail_usage(cmd, "there is no option %s", bad);
}

/* Takes what popt finds into `out`, whose arrays have room for all of argv. */
static exit_code collect(const command *cmd, poptContext context, invocation *out) {
    int result;
    while ((result = poptGetNextOpt(context)) > 0) {
        const option_row *row = &cmd->options[result - 1];
        option_value *value = &out->options[out->n_options];
        *value = (option_value){.key = row->key};
        if (row->argument) {
            char *text = poptGetOptArg(context);
            value->text = text && (*text || !is_optional(row)) ? copy_unshielded(text) : NULL;
            free(text);
            if (!value->text && !is_optional(row)) return fail_memory(out);
        }
        out->n_options++;
    }
    if (result != -1) return report_bad_option(cmd, context, result);
    const char **rest = poptGetArgs(context);
    for (; rest && *rest; rest++) {
        out->operands[out->n_operands] = copy_unshielded(*rest);
        if (!out->operands[out->n_operands]) return fail_memory(out);
        out->n_operands++;
    }
    return EXIT_DONE;
}

static exit_code check_operand_count(const invocation *found) {
    const command *cmd = found->command;
    if (found->n_operands < cmd->least_operands) {
        return fail_usage(cmd, "%.*s is missing", (int)strcspn(cmd->operands, " "), cmd->operands);
    }
    if (found->n_operands > cmd->most_operands) {
        return fail_usage(cmd, "'%s' is one argument too many", found->operands[cmd->most_operands]);
    }
    return EXIT_DONE;
}

static exit_code check_diagnostics_format(const invocation *found) {
    const char *format = option_text(found, OPTION_DIAGNOSTICS);
    if (!format || strcmp(format, "text") == 0 || strcmp(format, "json") == 0) return EXIT_DONE;
    return fail_usage(found->command, "--diagnostics is text or json, not '%s'", format);
}

exit_code invocation_parse(const command *cmd, int argc, char **argv, invocation *out) {
    size_t n = (size_t)argc, n_rows = count_rows(cmd->options);
    *out = (invocation){.command = cmd};
    const char **shielded = calloc(n + 2, sizeof *shielded);
    struct poptOption *table = calloc(n_rows + 1, sizeof *table);
    out->options = calloc(n + 1, sizeof *out->options);
    out->operands = calloc(n + 1, sizeof *out->operands);
    exit_code code = EXIT_INTERNAL;
    poptContext context = NULL;
    bool ready = false;
    if (!shielded || !table || !out->options || !out->operands) goto cleanup;

    shielded[0] = "tirb";
    for (size_t i = 0; i < n; i++) {
        shielded[i + 1] = argv[i];
        const bool shield = is_value_with_dash(argv[i]);
        if (!shield && !is_left_empty(cmd, argv[i])) continue;
        size_t size = strlen(argv[i]) + 2;
        char *text = malloc(size);
        if (!text) goto cleanup;
        if (shield) snprintf(text, size, "%c%s", SHIELD, argv[i]);
        else snprintf(text, size, "%s=", argv[i]);
        shielded[i + 1] = text;
    }
    for (size_t i = 0; i < n_rows; i++) {
        const option_row *row = &cmd->options[i];
        table[i] = (struct poptOption){.longName = row->name,
                                       .shortName = row->letter,
                                       .argInfo = !row->argument            ? POPT_ARG_NONE
                                                  : is_optional(row) ? POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL
                                                                     : POPT_ARG_STRING,
                                       .val = (int)i + 1};
    }
    context = poptGetContext(NULL, argc + 1, shielded, table, 0);
    if (!context) goto cleanup;
    ready = true;
    code = collect(cmd, context, out);
    if (code == EXIT_DONE && !option_given(out, OPTION_HELP)) code = check_operand_count(out);
    if (code == EXIT_DONE) code = check_diagnostics_format(out);

cleanup:
    if (!ready) fail_memory(out);
    if (context) poptFreeContext(context);
    for (size_t i = 0; shielded && i < n; i++) {
        if (shielded[i + 1] && shielded[i + 1] != argv[i]) free((void *)(uintptr_t)shielded[i + 1]);
    }
    free(shielded);
    free(table);
    if (code != EXIT_DONE) invocation_clear(out);
    return code;
}

void invocation_clear(invocation *inv) {
    for (size_t i = 0; i < inv->n_options; i++) free(inv->options[i].text);
    for (size_t i = 0; i < inv->n_operands; i++) free(inv->operands[i]);
    free(inv->options);
    free(inv->operands);
    inv->options = NULL;
    inv->operands = NULL;
    inv->n_options = inv->n_operands = 0;
}

const char *option_text(const invocation *inv, option_key key) {
    const char *text = NULL;
    for (size_t i = 0; i < inv->n_options; i++) {
        if (inv->options[i].key == key) text = inv->options[i].text;
    }
    return text;
}

bool option_given(const invocation *inv, option_key key) {
    for (size_t i = 0; i < inv->n_options; i++) {
        if (inv->options[i].key == key) return true;
    }
    return false;
}

void command_help(const command *cmd) {
    printf("Usage: tirb %s [OPTIONS]%s%s\n\n%s.\n\nOptions:\n", cmd->name, *cmd->operands ? " " : "", cmd->operands,
           cmd->summary);
    for (const option_row *row = cmd->options; row->key != OPTION_END; row++) {
        char left[64];
        snprintf(left, sizeof left, "%c%c%c --%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
                 row->letter ? ',' : ' ', row->name, row->argument && !is_optional(row) ? " " : "",
                 row->argument ? row->argument : "");
        printf("  %-28s %s\n", left, row->help);
    }
    if (cmd->details) printf("\n%s", cmd->details);
}

/* A whole number, or with a letter of K, M and G behind it a fraction of units that is one: 1.5M. */
static bool parse_units(const char *text, uint64_t step, uint64_t *out) {
    if (*text < '0' || *text > '9') return false;
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10), fraction = 0, parts = 1, unit = 1, product;
    if (errno) return false;
    if (*end == '.') {
        const char *digits = ++end;
        for (; *end >= '0' && *end <= '9' && end - digits < 9; end++, parts *= 10)
            fraction = fraction * 10 + (uint64_t)(*end - '0');
        if (end == digits) return false;
    }
    if (*end) {
        static const char letters[] = "KMG";
        const char *letter = strchr(letters, *end >= 'a' ? *end - 'a' + 'A' : *end);
        if (!letter || end[1]) return false;
        for (const char *l = letters; l <= letter; l++) unit *= step;
    }
    if (__builtin_mul_overflow(fraction, unit, &product) || product % parts != 0) return false;
    if (__builtin_mul_overflow(number, unit, out) || __builtin_add_overflow(*out, product / parts, out)) return false;
    return *out > 0;
}

bool parse_size(const char *text, uint64_t *out) { return parse_units(text, 1024, out); }

bool parse_count(const char *text, uint64_t *out) { return parse_units(text, 1000, out); }

bool parse_seconds(const char *text, uint64_t *out) {
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0) || !(seconds <= 1e9)) return false;
    *out = seconds < 1e-9 ? 1 : (uint64_t)(seconds * 1e9);
    return true;
}

const char *closest(const char *word, const char *const *candidates) {
    tirbi_suggestion suggestion = {.wanted = word};
    for (; *candidates; candidates++) tirbi_suggest(&suggestion, *candidates);
    return suggestion.best;
}
