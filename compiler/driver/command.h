/* What the commands of `tirb` share: exit codes, the option tables, and how failures are reported.
 *
 * Each command is one row of a table: its name, its options and its text. Parsing, usage and help are made from that
 * row alone. A command returns its exit code; whatever goes wrong is said once, on stderr, where it is found. */
#ifndef TIRB_COMPILER_DRIVER_COMMAND_H
#define TIRB_COMPILER_DRIVER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_PROGRAM = 1,   /* the program is wrong: diagnostics */
    EXIT_USAGE = 2,     /* the command line cannot be read or names no such thing */
    EXIT_FILES = 3,     /* the file system */
    EXIT_REJECTED = 4,  /* a bundle was rejected */
    EXIT_CALL = 5,      /* the call refused its arguments, or trapped */
    EXIT_INTERNAL = 70, /* a fault of tirb, or no memory */
} exit_code;

typedef enum option_key {
    OPTION_END = 0,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_OUTPUT,
    OPTION_FP,
    OPTION_PARALLEL,
    OPTION_MAX_ERRORS,
    OPTION_FUNCTION,
    OPTION_EXPECT,
    OPTION_RTOL,
    OPTION_ATOL,
    OPTION_FUEL,
    OPTION_TIMEOUT,
    OPTION_MAX_MEMORY,
    OPTION_THREADS,
    OPTION_ISA,
    OPTION_STATS,
    OPTION_JSON,
    OPTION_NO_CACHE,
    OPTION_TIME,
    OPTION_RUNS,
    OPTION_MAN,
    OPTION_DIALECT,
    OPTION_CHECK,
    OPTION_DIAGNOSTICS,
    OPTION_FULL,
    OPTION_NO_WARNINGS,
    OPTION_WARNINGS,
    OPTION_COMPILE_TIMEOUT,
    OPTION_COMPILE_MEMORY,
    OPTION_COMPILE_WORK,
    OPTION_LANGUAGE,
    OPTION_DEFINE,
    OPTION_IR,
    OPTION_PLAN,
    OPTION_PARAMS,
    OPTION_SHAPE,
    OPTION_TEXT,
    OPTION_DISABLE,
} option_key;

/* Of every command that compiles a source on the way to something else. */
#define NO_CACHE_OPTION \
    { OPTION_NO_CACHE, 0, "no-cache", NULL, "compile a source anew, and keep nothing (see 'tirb help cache')" }

/* Of every command that makes code of a source: what is left out of that. */
#define DISABLE_OPTION                                                                    \
    {                                                                                     \
        OPTION_DISABLE, 0, "disable", "PASS,...",                                         \
            "leave passes of the compiler out, or all; results do not depend on them"     \
    }

/* Of every command that reads a source: what reading and compiling it may take, */
#define COMPILE_LIMIT_OPTIONS                                                                                          \
    {OPTION_COMPILE_TIMEOUT, 0, "compile-timeout", "SECONDS", "give up compiling a source after this time"},           \
        {OPTION_COMPILE_MEMORY, 0, "compile-memory", "SIZE",                                                           \
         "memory to compile a source in (suffixes K, M, G; default 256M)"},                                            \
        {OPTION_COMPILE_WORK, 0, "compile-work", "N",                                                                  \
         "steps until plans are plain ones; four times as many are too many (default 4M)"}

/* what it is written in, */
#define LANGUAGE_OPTIONS                                                                                               \
    {OPTION_LANGUAGE, 0, "language", "NAME",                                                                           \
     "tvmscript or tc (Tensor Comprehensions); default: as the file's name ends, .tc or else"},                        \
    {                                                                                                                  \
        OPTION_DEFINE, 'D', "define", "NAME=VALUE",                                                                    \
            "what ${NAME}, <NAME> or {NAME} stands for in a .tc source (repeatable)"                                   \
    }

/* and how its messages are printed. */
#define DIAGNOSTICS_OPTION                                                                      \
    {OPTION_DIAGNOSTICS, 0, "diagnostics", "FORMAT",                                            \
     "text, or json: each message on stderr is a JSON object in a line"},                       \
        {OPTION_NO_WARNINGS, 'w', "no-warnings", NULL, "say no warnings about a source"}, {     \
        OPTION_WARNINGS, 'W', "warnings", "error", "-Werror: a source with warnings is refused" \
    }

typedef struct option_row {
    option_key key; /* OPTION_END ends a table */
    char letter;    /* 0: none */
    const char *name;
    const char *argument; /* its name in help, "[=NAME]" where it may be left out; NULL: a flag */
    const char *help;
} option_row;

typedef struct command command;

/* A command line after parsing. Options keep their order, since some may be repeated. */
typedef struct option_value {
    option_key key;
    char *text; /* NULL for a flag */
} option_value;

typedef struct invocation {
    const command *command;
    option_value *options;
    size_t n_options;
    char **operands;
    size_t n_operands;
} invocation;

struct command {
    const char *name;
    const char *operands; /* for the usage line */
    const char *summary;  /* one line, no full stop */
    const option_row *options;
    const char *details; /* paragraphs and examples for help; may be NULL */
    exit_code (*run)(const invocation *inv);
    size_t least_operands, most_operands;
};

extern const command compile_command, check_command, fmt_command, run_command, bench_command, inspect_command,
    explain_command, profile_command, dis_command, asm_command, cache_command, completion_command, import_command;
/* Every command, ended by NULL. */
extern const command *const all_commands[];

/* ---- options.c ---- */

/* Reads argv (without the names of program and command) by the command's table. On EXIT_DONE the invocation is filled
 * and the caller clears it; else the reason has been reported. */
exit_code invocation_parse(const command *cmd, int argc, char **argv, invocation *out);
void invocation_clear(invocation *inv);
/* The last value given for `key`, or NULL. */
const char *option_text(const invocation *inv, option_key key);
bool option_given(const invocation *inv, option_key key);
/* The help of one command, on stdout. */
void command_help(const command *cmd);

/* A number of bytes with an optional suffix K, M or G (powers of 1024), at least 1. */
bool parse_size(const char *text, uint64_t *out);
/* A number of other things: K, M and G are powers of 1000. */
bool parse_count(const char *text, uint64_t *out);
/* A number of seconds as nanoseconds, at least 1; false where it is none above 0 and up to 1e9. */
bool parse_seconds(const char *text, uint64_t *out);
/* The candidate that a misspelt word most likely means, or NULL. Candidates end with NULL. */
const char *closest(const char *word, const char *const *candidates);

/* ---- completion.c ---- */

/* The manual page tirb(1), in roff, on stdout. */
void manual_page(void);

/* ---- diagnostics.c ---- */

/* Whether --diagnostics asks for JSON. */
bool diagnostics_are_json(const invocation *inv);
/* One diagnostic, or a failure that is about no place in a source, as a JSON object that cJSON_free frees; NULL when
 * out of memory. */
char *diagnostic_json(const char *file, const tirb_diagnostic *d);
char *failure_json(const invocation *inv, exit_code code, const char *message);

/* ---- report.c ---- */

/* "tirb COMMAND: message" on stderr; returns `code`. */
exit_code fail(const invocation *inv, exit_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A message with a place in a source; where and how it is printed is the command's. `file` may be NULL. */
exit_code fail_at(const invocation *inv, exit_code code, const char *file, const tirb_diagnostic *what);
/* As fail(EXIT_USAGE), with a pointer to the command's help. */
exit_code fail_usage(const command *cmd, const char *format, ...) __attribute__((format(printf, 2, 3)));
exit_code fail_memory(const invocation *inv);
/* A name or a text of a program, as a terminal may be given it. */
enum { CLEAN_SIZE = 4096 };
const char *clean_text(const char *text, char buffer[CLEAN_SIZE]);
/* A line of a source and its end, on stdout. */
void print_source_line(const char *text, size_t size);
/* A clock that only goes forwards. */
uint64_t now_ns(void);

/* The exit code of a status that loading a bundle or calling a function ended with. */
exit_code exit_code_of_load(tirb_status status);
exit_code exit_code_of_call(tirb_status status);

#endif
