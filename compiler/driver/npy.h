/* NumPy's .npy files, versions 1.0 to 3.0: either byte order, C and Fortran order, bool, integers and floats.
 *
 * Every size is checked before memory is taken, and memory grows with what the file really holds, so a header that
 * lies costs nothing. bfloat16 has no type in the format: it travels as raw 16-bit data. */
#ifndef TIRB_COMPILER_DRIVER_NPY_H
#define TIRB_COMPILER_DRIVER_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/driver/tensor.h"

typedef enum npy_result {
    NPY_DONE,
    NPY_FILES,     /* reading failed: see errno */
    NPY_MALFORMED, /* not a .npy file, or one that is cut short or holds what we do not read */
    NPY_NO_MEMORY,
} npy_result;

enum { NPY_MESSAGE_SIZE = 256 };

/* Reads one array that ends where the stream ends. `as` is the type that raw data (an unsigned type or V of its size)
 * is to be taken as, or TIRB_TYPE_NONE. `message` says what was wrong when the result is NPY_MALFORMED. */
npy_result npy_read(FILE *stream, tirbi_dtype as, tensor *out, char message[NPY_MESSAGE_SIZE]);

/* The bytes of a version 1.0 file, little-endian, in C order; NULL when out of memory. The caller frees them. `raw`
 * writes an element of 16 bits as an unsigned integer, as bfloat16 always is. */
uint8_t *npy_write(const tensor *tensor, bool raw, size_t *out_size);

#endif
