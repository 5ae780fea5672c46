/* Completions for shells and the manual page: the command table in other words. */
#include <stdio.h>
#include <string.h>

#include "compiler/driver/command.h"
#include "compiler/pipeline/languages.h"

/* ---- What an option's argument can be ---------------------------------------------------------------------------- */

static bool takes_file(const option_row *row) { return row->argument && strstr(row->argument, "FILE"); }

static bool takes_words(const option_row *row) {
    return row->key == OPTION_ISA || row->key == OPTION_FP || row->key == OPTION_PARALLEL ||
           row->key == OPTION_DIALECT || row->key == OPTION_LANGUAGE || row->key == OPTION_DISABLE;
}

/* The words that the argument can be, each behind a space. */
static void print_words(const option_row *row) {
    if (row->key == OPTION_FP) fputs(" precise strict fast", stdout);
    if (row->key == OPTION_PARALLEL) fputs(" auto off all", stdout);
    if (row->key == OPTION_DIALECT) fputs(" tirx tir", stdout);
    for (uint32_t i = 0; row->key == OPTION_LANGUAGE && tirbi_language_at(i); i++)
        printf(" %s", tirbi_language_at(i)->name);
    for (uint32_t i = 0; row->key == OPTION_DISABLE && tirb_pass_name(i, NULL); i++)
        printf(" %s", tirb_pass_name(i, NULL));
    if (row->key != OPTION_ISA) return;
    fputs(" auto", stdout);
    for (tirb_isa isa = TIRB_ISA_GENERIC; strcmp(tirb_isa_name(isa), "unknown") != 0; isa++) {
        printf(" %s", tirb_isa_name(isa));
    }
}

static bool reads_files(const command *cmd) {
    return strncmp(cmd->operands, "FILE", 4) == 0 || strcmp(cmd->operands, "MODEL") == 0;
}

static bool is_command(const command *cmd, const char *name) { return strcmp(cmd->name, name) == 0; }

/* What the command's operand can be, or NULL. */
static const char *operand_words(const command *cmd) {
    if (is_command(cmd, "completion")) return "bash zsh fish";
    return is_command(cmd, "cache") ? "clear" : NULL;
}

static void print_command_names(void) {
    for (const command *const *c = all_commands; *c; c++) printf("%s%s", c == all_commands ? "" : " ", (*c)->name);
}

/* ---- bash -------------------------------------------------------------------------------------------------------- */

static void bash_option_values(const command *cmd) {
    for (const option_row *row = cmd->options; row->key != OPTION_END; row++) {
        if (!row->argument) continue;
        if (row->letter) printf("        %s:-%c|", cmd->name, row->letter);
        else printf("        ");
        printf("%s:--%s) ", cmd->name, row->name);
        if (takes_words(row)) {
            printf("COMPREPLY=($(compgen -W \"");
            print_words(row);
            printf("\" -- \"$current\"))");
        } else if (takes_file(row)) {
            printf("COMPREPLY=($(compgen -f -- \"$current\"))");
        } else {
            printf("COMPREPLY=()");
        }
        puts("; return ;;");
    }
}

static void bash(void) {
    puts("# bash completion of tirb: made by 'tirb completion bash'\n"
         "_tirb() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        COMPREPLY=($(compgen -W \"");
    print_command_names();
    puts("\" -- \"$current\"))\n        return\n    fi\n    case $command:$previous in");
    for (const command *const *c = all_commands; *c; c++) bash_option_values(*c);
    puts("    esac\n    local options=\n    case $command in");
    for (const command *const *c = all_commands; *c; c++) {
        printf("        %s) options=\"", (*c)->name);
        for (const option_row *row = (*c)->options; row->key != OPTION_END; row++) {
            printf("%s--%s", row == (*c)->options ? "" : " ", row->name);
        }
        puts("\" ;;");
    }
    puts("    esac\n    case $command:$current in\n"
         "        *:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;");
    printf("        help:*) COMPREPLY=($(compgen -W \"");
    print_command_names();
    puts("\" -- \"$current\")) ;;");
    for (const command *const *c = all_commands; *c; c++) {
        const char *words = operand_words(*c);
        if (words) printf("        %s:*) COMPREPLY=($(compgen -W \"%s\" -- \"$current\")) ;;\n", (*c)->name, words);
    }
    puts("        *:@*) COMPREPLY=($(compgen -P @ -f -- \"${current#@}\")) ;;\n"
         "        *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "    esac\n}\n"
         "complete -o filenames -F _tirb tirb");
}

/* ---- zsh --------------------------------------------------------------------------------------------------------- */

/* A text between single quotes where brackets and colons would mean something. */
static void zsh_text(const char *text) {
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text)) printf("\\%c", *text);
        else putchar(*text);
    }
}

static void zsh_option(const option_row *row) {
    printf("                ");
    if (row->letter) printf("'(-%c --%s)'{-%c,--%s}", row->letter, row->name, row->letter, row->name);
    else printf("--%s", row->name);
    printf("'[");
    zsh_text(row->help);
    putchar(']');
    if (row->argument) {
        putchar(':');
        zsh_text(row->argument);
        putchar(':');
        if (takes_words(row)) {
            putchar('(');
            print_words(row);
            putchar(')');
        } else if (takes_file(row)) {
            fputs("_files", stdout);
        }
    }
    puts("' \\");
}

static void zsh(void) {
    puts("#compdef tirb\n# zsh completion of tirb: made by 'tirb completion zsh'\n_tirb() {\n    local -a commands\n   "
         " commands=(");
    for (const command *const *c = all_commands; *c; c++) {
        printf("        '%s:", (*c)->name);
        zsh_text((*c)->summary);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in");
    for (const command *const *c = all_commands; *c; c++) {
        printf("        %s)\n            _arguments \\\n", (*c)->name);
        for (const option_row *row = (*c)->options; row->key != OPTION_END; row++) zsh_option(row);
        const char *words = operand_words(*c);
        if (words) printf("                '1:operand:(%s)' ;;\n", words);
        else if (is_command(*c, "help")) puts("                '1:command:($commands)' ;;");
        else puts(reads_files(*c) ? "                '*:argument:_files' ;;" : "                ;;");
    }
    puts("    esac\n}\n_tirb \"$@\"");
}

/* ---- fish -------------------------------------------------------------------------------------------------------- */

static void fish_text(const char *text) {
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish(void) {
    puts("# fish completion of tirb: made by 'tirb completion fish'");
    for (const command *const *c = all_commands; *c; c++) {
        printf("complete -c tirb -f -n __fish_use_subcommand -a %s -d ", (*c)->name);
        fish_text((*c)->summary);
        putchar('\n');
        printf("complete -c tirb -n '__fish_seen_subcommand_from %s' %s\n", (*c)->name, reads_files(*c) ? "-F" : "-f");
        for (const option_row *row = (*c)->options; row->key != OPTION_END; row++) {
            printf("complete -c tirb -n '__fish_seen_subcommand_from %s' -l %s", (*c)->name, row->name);
            if (row->letter) printf(" -s %c", row->letter);
            if (takes_words(row)) {
                printf(" -x -a '");
                print_words(row);
                putchar('\'');
            } else if (row->argument) {
                fputs(takes_file(row) ? " -r -F" : " -x", stdout);
            }
            fputs(" -d ", stdout);
            fish_text(row->help);
            putchar('\n');
        }
    }
    for (const command *const *c = all_commands; *c; c++) {
        const char *words = operand_words(*c);
        if (words) printf("complete -c tirb -n '__fish_seen_subcommand_from %s' -a '%s'\n", (*c)->name, words);
    }
    printf("complete -c tirb -n '__fish_seen_subcommand_from help' -a '");
    print_command_names();
    puts("'");
}

/* ---- The manual page --------------------------------------------------------------------------------------------- */

/* Text where a dot or a quote at the start of a line and every backslash and dash would mean something. */
static void roff_text(const char *text) {
    bool starts = true;
    for (; *text; text++) {
        if (starts && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\') fputs("\\e", stdout);
        else if (*text == '-') fputs("\\-", stdout);
        else putchar(*text);
        starts = *text == '\n';
    }
}

static void roff_command(const command *cmd) {
    printf(".SS tirb %s", cmd->name);
    printf("%s%s\n", *cmd->operands ? " " : "", cmd->operands);
    roff_text(cmd->summary);
    puts(".");
    for (const option_row *row = cmd->options; row->key != OPTION_END; row++) {
        fputs(".TP\n\\fB", stdout);
        if (row->letter) printf("\\-%c\\fR, \\fB", row->letter);
        fputs("\\-\\-", stdout);
        roff_text(row->name);
        fputs("\\fR", stdout);
        if (row->argument) {
            fputs(" \\fI", stdout);
            roff_text(row->argument);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        roff_text(row->help);
        putchar('\n');
    }
    if (!cmd->details) return;
    puts(".PP\n.nf");
    roff_text(cmd->details);
    puts(".fi");
}

void manual_page(void) {
    printf(".TH TIRB 1 \"\" \"tirb %s\" \"User Commands\"\n", tirb_version());
    puts(
        ".SH NAME\ntirb \\- compile tensor programs to verified bundles and run them on any CPU\n"
        ".SH SYNOPSIS\n.B tirb\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIARGS\\fR...]\n"
        ".SH DESCRIPTION\n"
        "tirb reads TVMScript, the text of TVM's tensor IR, and Tensor Comprehensions, and writes one .tirb bundle\n"
        "for every CPU. A bundle is\n"
        "verified before it runs, in a machine that keeps limits of fuel, time and memory. A dash stands for stdin or\n"
        "stdout.\n.SH COMMANDS");
    for (const command *const *c = all_commands; *c; c++) roff_command(*c);
    puts(".SH ENVIRONMENT\n.TP\n.B TIRB_ISA\nThe default of \\-\\-isa.\n"
         ".TP\n.B TIRB_CACHE_DIR\nThe directory of compiled sources; empty: none is used. The default is tirb in\n"
         "XDG_CACHE_HOME, or in .cache of the home directory.\n"
         ".TP\n.B TIRB_CACHE_SIZE\nThe most bytes that it may hold; 256M without it.\n"
         ".SH EXIT STATUS\n"
         ".TP\n.B 0\nDone.\n"
         ".TP\n.B 1\nThe program is wrong; diagnostics say where.\n"
         ".TP\n.B 2\nThe command line cannot be read, or names something that is not there.\n"
         ".TP\n.B 3\nA file cannot be read or written.\n"
         ".TP\n.B 4\nA bundle was rejected.\n"
         ".TP\n.B 5\nThe call refused its arguments or trapped, or \\-\\-expect found a difference.\n"
         ".TP\n.B 70\nA fault of tirb itself.");
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static exit_code run_completion(const invocation *inv) {
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    const char *shell = inv->operands[0];
    if (strcmp(shell, "bash") == 0) {
        bash();
    } else if (strcmp(shell, "zsh") == 0) {
        zsh();
    } else if (strcmp(shell, "fish") == 0) {
        fish();
    } else {
        const char *meant = closest(shell, shells);
        return fail_usage(inv->command, "the shells are bash, zsh and fish, not '%s'%s%s%s", shell,
                          meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    }
    return EXIT_DONE;
}

static const option_row completion_options[] = {
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

const command completion_command = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "Print completions for bash, zsh or fish",
    .options = completion_options,
    .details = "Example:\n  source <(tirb completion bash)\n",
    .run = run_completion,
    .least_operands = 1,
    .most_operands = 1,
};
