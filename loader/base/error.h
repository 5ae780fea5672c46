/* Filling a caller's tirb_error, and the one control-flow macro of the code base. */
#ifndef TIRB_LOADER_BASE_ERROR_H
#define TIRB_LOADER_BASE_ERROR_H

#include <tirb/status.h>

/* Returns from the enclosing function when `expression` is not TIRB_OK. */
#define TIRBI_TRY(expression)                                                                      \
    do {                                                                                           \
        tirb_status tirbi_try_status_ = (expression);                                              \
        if (tirbi_try_status_ != TIRB_OK) return tirbi_try_status_;                                \
    } while (0)

/* Clears `error` (may be NULL), sets code and message, and returns `code`, so that callers can `return` it. */
tirb_status tirbi_error_set(tirb_error *error, tirb_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the place of an error that is already set. */
void tirbi_error_at(tirb_error *error, const char *where, uint32_t line, uint32_t column);
/* Where the place ends on its line: one past the last character. */
void tirbi_error_end(tirb_error *error, uint32_t end_column);
void tirbi_error_offset(tirb_error *error, uint64_t offset);

/* Messages quote what programs and hosts say, and go to terminals and logs: `?` stands for each byte of what
 * tirbi_unprintable finds, control characters, marks of direction and bytes that are no UTF-8. */
void tirbi_text_make_plain(char *text);

#endif
