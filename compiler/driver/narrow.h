/* Floats of 8, 6 and 4 bits on the command line: "f8e4m3fn". A tensor of them has the machine's type u8. */
#ifndef TIRB_COMPILER_DRIVER_NARROW_H
#define TIRB_COMPILER_DRIVER_NARROW_H

#include "compiler/ir/types.h"

enum { NARROW_NAME_SIZE = 24 };

/* The format of `length` characters such as "f8e4m3fn", or NULL. */
const tirb_narrow_format *narrow_from_name(const char *text, size_t length);
void narrow_name(const tirb_narrow_format *format, char buffer[NARROW_NAME_SIZE]);

/* The value of a byte; bits above the format's do not count. */
double narrow_decode(const tirb_narrow_format *format, uint8_t byte);
/* The byte of the nearest value, an even one where two are as near. */
uint8_t narrow_encode(const tirb_narrow_format *format, float value);

#endif
