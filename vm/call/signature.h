/* Functions and extents as text: "f(A: Tensor([n, n + 1], float32), x: int32) -> float32". */
#ifndef TIRB_VM_CALL_SIGNATURE_H
#define TIRB_VM_CALL_SIGNATURE_H

#include <stddef.h>

#include "loader/bundle/program.h"

enum { TIRBI_MAX_SIGNATURE = 1024, TIRBI_MAX_DIM_TEXT = 160, TIRBI_MAX_CONDITION_TEXT = 2 * 160 + 4 };

/* Both write at most `size` bytes (at least 4) with the terminator, cut a longer text to end in "...", and return the
 * length of what they wrote. */
size_t tirbi_signature_format(const tirbi_program *program, const tirbi_function *function, char *out, size_t size);
size_t tirbi_dim_format(const tirbi_program *program, const tirbi_function *function, const tirbi_dim *dim, char *out,
                        size_t size);

/* "H - KH >= 0"; each side is cut as an extent is. Returns its length. */
size_t tirbi_condition_format(const tirbi_program *program, const tirbi_function *function,
                              const tirbi_condition *condition, char out[TIRBI_MAX_CONDITION_TEXT]);

/* The name of any DLPack type: "float32", "uint8x4", "type(17, 4 bits)". */
void tirbi_dl_type_format(DLDataType type, char out[48]);

/* The number of bytes of `text`, at most `limit`, that end between characters. */
size_t tirbi_text_cut(const char *text, size_t limit);

#endif
