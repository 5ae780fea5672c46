#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "compiler/driver/command.h"

__attribute__((format(printf, 2, 0))) static void say(const char *name, const char *format, va_list arguments) {
    fflush(stdout);
    fprintf(stderr, "tirb%s%s: ", name ? " " : "", name ? name : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

exit_code fail(const invocation *inv, exit_code code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(inv ? inv->command->name : NULL, format, arguments);
    va_end(arguments);
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
