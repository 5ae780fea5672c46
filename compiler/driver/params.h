/* Files of named arrays, which --params reads: safetensors, and NumPy's .npz without compression. */
#ifndef TIRB_COMPILER_DRIVER_PARAMS_H
#define TIRB_COMPILER_DRIVER_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/driver/command.h"
#include "compiler/driver/tensor.h"

typedef struct named_array {
    char *name;
    tensor tensor; /* without a block: its data is the file's, which nobody may write */
} named_array;

/* An open file; its arrays point into it. */
typedef struct array_file {
    const char *path;
    const uint8_t *bytes; /* mapped */
    size_t size;
    named_array *arrays;
    size_t n;
} array_file;

/* Maps the file and reads what its arrays are. EXIT_DONE: the caller closes it; else all has been said. */
exit_code array_file_open(const invocation *inv, const char *path, array_file *out);
void array_file_close(array_file *file);

/* ---- npz.c ---- */

/* Reads the arrays of an archive, which are copied. */
exit_code npz_read(const invocation *inv, array_file *file);
/* Room for one more array, whose name has `size` bytes; NULL when out of memory. */
named_array *array_file_add(array_file *file, const char *name, size_t size);

#endif
