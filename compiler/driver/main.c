/* The `tirb` command: finds the sub-command and hands it the rest of the line. */
#include <stdio.h>
#include <string.h>

#include "compiler/driver/command.h"
#include "loader/bundle/bundle.h"

static exit_code run_version(const invocation *inv);
static exit_code run_help(const invocation *inv);

static const option_row only_help[] = {
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const command version_command = {
    .name = "version",
    .operands = "",
    .summary = "Show the version and what this build can do",
    .options = only_help,
    .run = run_version,
};

static const option_row help_options[] = {
    {OPTION_MAN, 0, "man", NULL, "print the manual page in roff instead: tirb help --man | man -l -"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const command help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Show help, for one command or for all",
    .options = help_options,
    .run = run_help,
    .most_operands = 1,
};

const command *const all_commands[] = {
    &compile_command, &import_command,  &check_command,   &fmt_command,   &run_command,
    &bench_command,   &inspect_command, &dis_command,     &asm_command,   &explain_command,
    &profile_command, &cache_command,   &completion_command, &version_command, &help_command,
    NULL,
};
enum { N_COMMANDS = sizeof all_commands / sizeof *all_commands - 1 };

static const command *find_command(const char *name) {
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(all_commands[i]->name, name) == 0) return all_commands[i];
    }
    return NULL;
}

static exit_code fail_no_command(const char *name) {
    const char *names[N_COMMANDS + 1] = {NULL};
    for (size_t i = 0; i < N_COMMANDS; i++) names[i] = all_commands[i]->name;
    const char *meant = closest(name, names);
    if (strcmp(name, "verify") == 0 || strcmp(name, "lint") == 0) meant = "check";
    if (strcmp(name, "format") == 0 || strcmp(name, "print") == 0) meant = "fmt";
    if (strcmp(name, "build") == 0) meant = "compile";
    if (strcmp(name, "disassemble") == 0 || strcmp(name, "objdump") == 0) meant = "dis";
    if (meant) return fail_usage(NULL, "there is no command '%s'; did you mean '%s'?", name, meant);
    const char *ending = strrchr(name, '.');
    const bool is_file = ending && (strcmp(ending, ".py") == 0 || strcmp(ending, ".tirb") == 0 ||
                                    strcmp(ending, ".tc") == 0);
    if (is_file) return fail_usage(NULL, "'%s' stands where a command must be: write tirb run %s", name, name);
    return fail_usage(NULL, "there is no command '%s'", name);
}

static void general_help(FILE *to) {
    fputs("tirb compiles tensor programs to small, verified bundles and runs them on any CPU.\n\n"
          "Usage: tirb COMMAND [ARGS...]\n\nCommands:\n",
          to);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  %-11s %s\n", all_commands[i]->name, all_commands[i]->summary);
    fputs("\n'tirb help COMMAND' shows a command's options. '-' is stdin or stdout.\n\n"
          "Exit codes:\n"
          "   0  done\n"
          "   1  the program is wrong; diagnostics say where\n"
          "   2  the command line cannot be read, or names something that is not there\n"
          "   3  a file cannot be read or written\n"
          "   4  a bundle was rejected: truncated, altered, of another version, or not verified\n"
          "   5  the call refused its arguments or trapped: count, shape, type, bounds, division, fuel, time, memory,\n"
          "      assertion, or --expect found a difference\n"
          "  70  a fault of tirb itself\n",
          to);
}

static exit_code run_help(const invocation *inv) {
    if (option_given(inv, OPTION_MAN)) {
        manual_page();
        return EXIT_DONE;
    }
    if (inv->n_operands == 0) {
        general_help(stdout);
        return EXIT_DONE;
    }
    const command *found = find_command(inv->operands[0]);
    if (!found) return fail_no_command(inv->operands[0]);
    command_help(found);
    return EXIT_DONE;
}

static exit_code run_version(const invocation *inv) {
    (void)inv;
    printf("tirb %s\n", tirb_version());
    printf("bundle format: %d.%d\n", (int)TIRBI_BUNDLE_MAJOR, (int)TIRBI_BUNDLE_MINOR);
    printf("dispatch: %s\n", TIRB_BUILD_SWITCH ? "switch" : "computed goto");
    printf("isa:");
    for (tirb_isa isa = TIRB_ISA_GENERIC; strcmp(tirb_isa_name(isa), "unknown") != 0; isa++) {
        if (tirb_isa_available(isa)) printf(" %s", tirb_isa_name(isa));
    }
#ifdef __clang__
    printf("\ncompiler: %s\n", __VERSION__);
#else
    printf("\ncompiler: gcc %s\n", __VERSION__);
#endif
    return EXIT_DONE;
}

static exit_code dispatch(int argc, char **argv) {
    if (argc < 2) {
        general_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    if (name[0] == '-') return fail_usage(NULL, "'%s' stands where a command must be", name);
    const command *found = find_command(name);
    if (!found) return fail_no_command(name);
    invocation inv;
    exit_code code = invocation_parse(found, argc - 2, argv + 2, &inv);
    if (code != EXIT_DONE) return code;
    if (option_given(&inv, OPTION_HELP)) {
        command_help(found);
    } else {
        code = found->run(&inv);
    }
    invocation_clear(&inv);
    return code;
}

int main(int argc, char **argv) {
    exit_code code = dispatch(argc, argv);
    /* What was printed may still fail to arrive: a full disk is an error, a closed pipe has its own signal. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (code != EXIT_FILES) perror("tirb: stdout"); /* else the command has said so */
        if (code == EXIT_DONE) code = EXIT_FILES;
    }
    return (int)code;
}
