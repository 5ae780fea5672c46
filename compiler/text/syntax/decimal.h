/* Decimal text to double, correctly rounded, whatever the locale. */
#ifndef TIRB_COMPILER_TEXT_SYNTAX_DECIMAL_H
#define TIRB_COMPILER_TEXT_SYNTAX_DECIMAL_H

#include <stddef.h>

/* `text` is digits with at most one point and an optional exponent (e+10), underscores allowed; gives infinity where
 * the number is too large. */
double tirbi_decimal_to_double(const char *text, size_t size);

#endif
