/* tirb/status.h - the one status type and the one error object of both libraries.
 *
 * Every fallible function returns a tirb_status and takes a tirb_error that the caller owns and may leave NULL.
 * Filling it allocates nothing. The numbers are part of the ABI: they are explicit and only ever appended. */
#ifndef TIRB_STATUS_H
#define TIRB_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TIRB_API
#else
#define TIRB_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, "text") */
#define TIRB_STATUS_MAP(X)                                                                         \
    X(OK, 0, "ok")                                                                                 \
    X(NO_MEMORY, 1, "out of memory")                                                               \
    X(MISUSE, 2, "the interface was misused")                                                      \
    X(SYNTAX, 3, "syntax error")                                                                   \
    X(TYPE, 4, "type error")                                                                       \
    X(UNSUPPORTED, 5, "not supported")                                                             \
    X(FORMAT, 6, "malformed bundle")                                                               \
    X(VERSION, 7, "unsupported bundle version")                                                    \
    X(CHECKSUM, 8, "checksum mismatch")                                                            \
    X(VERIFY, 9, "bundle failed verification")                                                     \
    X(NOT_FOUND, 10, "not found")                                                                  \
    X(ARGUMENT, 11, "bad argument")                                                                \
    X(SHAPE, 12, "shape mismatch")                                                                 \
    X(BOUNDS, 13, "index out of bounds")                                                           \
    X(DIVIDE, 14, "division by zero")                                                              \
    X(FUEL, 15, "out of fuel")                                                                     \
    X(DEADLINE, 16, "deadline exceeded")                                                           \
    X(CANCELLED, 17, "cancelled")                                                                  \
    X(MEMORY_LIMIT, 18, "memory limit exceeded")                                                   \
    X(DEPTH, 19, "call depth limit exceeded")                                                      \
    X(ASSERT, 20, "assertion failed")                                                              \
    X(OVERLAP, 21, "overlapping memory")                                                           \
    X(IMPORT, 22, "import failed")                                                                 \
    X(BUSY, 23, "busy")                                                                            \
    X(IO, 24, "input/output error")                                                                \
    X(INTERNAL, 25, "internal error")                                                              \
    X(VALUE, 26, "value out of range")

typedef enum tirb_status {
#define TIRB_STATUS_ENUM_(name, number, text) TIRB_##name = number,
    TIRB_STATUS_MAP(TIRB_STATUS_ENUM_)
#undef TIRB_STATUS_ENUM_
} tirb_status;

/* What went wrong, where. `struct_size` is set by the caller (TIRB_ERROR_INIT); fields beyond it are not written.
 * line and column are 1-based, 0 when unknown, as is end_column, one past the last character. `offset` is a byte offset
 * into a bundle or a function's code. `where` names the place: a file, a function, a section. `message` says what was
 * wrong, the value and the limit. */
typedef struct tirb_error {
    uint32_t struct_size;
    tirb_status code;
    uint32_t line;
    uint32_t column;
    uint32_t end_column;
    uint32_t reserved;
    uint64_t offset;
    char where[128];
    char message[512];
} tirb_error;

#define TIRB_ERROR_INIT                                                                            \
    { (uint32_t)sizeof(tirb_error), TIRB_OK, 0, 0, 0, 0, 0, {0}, {0} }

/* The short text of a status ("out of fuel"); "unknown status" for a number that is none. Never NULL. Thread-safe. */
TIRB_API const char *tirb_status_text(tirb_status status);

/* The C name of a status without its prefix ("FUEL"); "UNKNOWN" for a number that is none. Never NULL. Thread-safe. */
TIRB_API const char *tirb_status_name(tirb_status status);

#ifdef __cplusplus
}
#endif
#endif
