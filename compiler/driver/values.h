/* Values as the command line writes them: "@x.npy", "@x.npy:bf16", "4xf32=1,2,3,4", "2x3xi32=0", "-1.5", "true". */
#ifndef TIRB_COMPILER_DRIVER_VALUES_H
#define TIRB_COMPILER_DRIVER_VALUES_H

#include <stdbool.h>

#include "compiler/driver/command.h"
#include "compiler/driver/tensor.h"

typedef struct value {
    bool is_tensor;
    tensor tensor;
    number scalar;
} value;

/* Reads a value; a tensor's memory is the caller's (value_clear). EXIT_USAGE when it cannot be read, EXIT_FILES when
 * its file cannot, EXIT_CALL when a file or a literal holds what its type cannot. */
exit_code value_read(const invocation *inv, const char *text, value *out);
void value_clear(value *value);

/* "@path" or "@path:type" of a file to read or write. `as` is TIRB_TYPE_NONE without a type. */
typedef struct file_value {
    char *path;
    tirbi_dtype as;
    const tirb_narrow_format *narrow; /* of a file of bytes, or NULL */
} file_value;

/* False when the text is no '@' form or memory ran out. The caller frees path. */
bool file_value_parse(const char *text, file_value *out);
/* Reads the array of an '@' form. */
exit_code file_value_read(const invocation *inv, const char *text, tensor *out);

/* Splits "NAME=REST" where NAME is an identifier, perhaps with numbers of fields behind it ("p.0"), or a position; NULL
 * if it is none. Returns REST. */
const char *split_assignment(const char *text, size_t *name_length);
/* Reads "2x3xi32" of `length` characters: the type and the shape, no memory. False when it is none. */
bool tensor_of_type_text(const char *text, size_t length, tensor *out);
/* Whether the text before '=' is a tensor type such as "2x3xi32" or "f32". */
bool is_tensor_type(const char *text, size_t length);

#endif
