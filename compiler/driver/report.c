#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "compiler/driver/command.h"
#include "compiler/source/source.h"
#include "loader/base/printable.h"

const char *clean_text(const char *text, char buffer[CLEAN_SIZE]) { return tirbi_printable(text, buffer, CLEAN_SIZE); }

void print_source_line(const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t bad = text[at] == '\t' ? 0 : tirbi_unprintable(text + at, size - at);
        putchar(bad ? '?' : text[at]);
        at += bad ? bad : 1;
        while (!bad && at < size && ((unsigned char)text[at] & 0xC0) == 0x80) putchar(text[at++]);
    }
    putchar('\n');
}

__attribute__((format(printf, 2, 0))) static void say(const char *name, const char *format, va_list arguments) {
    char message[CLEAN_SIZE], clean[CLEAN_SIZE];
    vsnprintf(message, sizeof message, format, arguments);
    fflush(stdout);
    fprintf(stderr, "tirb%s%s: %s\n", name ? " " : "", name ? name : "", clean_text(message, clean));
}

static void print_line(char *json) {
    fflush(stdout);
    fprintf(stderr, "%s\n", json ? json : "{\"severity\":\"error\",\"message\":\"out of memory\"}");
    cJSON_free(json);
}

/* The message of `fail` as JSON, for programs to read. */
__attribute__((format(printf, 3, 0))) static void say_json(const invocation *inv, exit_code code, const char *format,
                                                           va_list arguments) {
    char message[4096];
    vsnprintf(message, sizeof message, format, arguments);
    print_line(failure_json(inv, code, message));
}

exit_code fail(const invocation *inv, exit_code code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (diagnostics_are_json(inv)) {
        say_json(inv, code, format, arguments);
    } else {
        say(inv ? inv->command->name : NULL, format, arguments);
    }
    va_end(arguments);
    return code;
}

exit_code fail_at(const invocation *inv, exit_code code, const char *file, const tirb_diagnostic *what) {
    if (diagnostics_are_json(inv)) {
        print_line(diagnostic_json(file, what));
    } else {
        char text[2 * CLEAN_SIZE];
        tirbi_diagnostic_format(file, what, text, sizeof text);
        fflush(stdout);
        fputs(text, stderr);
    }
    return code;
}

exit_code fail_usage(const command *cmd, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(cmd ? cmd->name : NULL, format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'tirb help%s%s'.\n", cmd ? " " : "", cmd ? cmd->name : "");
    return EXIT_USAGE;
}

exit_code fail_memory(const invocation *inv) { return fail(inv, EXIT_INTERNAL, "out of memory"); }

exit_code exit_code_of_load(tirb_status status) {
    switch (status) {
    case TIRB_OK: return EXIT_DONE;
    case TIRB_NO_MEMORY:
    case TIRB_MISUSE:
    case TIRB_INTERNAL: return EXIT_INTERNAL;
    default: return EXIT_REJECTED;
    }
}

exit_code exit_code_of_call(tirb_status status) {
    switch (status) {
    case TIRB_OK: return EXIT_DONE;
    case TIRB_MISUSE:
    case TIRB_INTERNAL: return EXIT_INTERNAL;
    default: return EXIT_CALL;
    }
}

uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
