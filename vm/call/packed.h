/* Arguments of a packed function (calling_conv 1): any number of them, of any kind, packed as TVM's C interface does.
 *
 * The function sees an array of 64-bit values, an array of type codes, and their number. A tensor's value is the handle
 * of a struct of TIRBI_STRUCT_WORDS words, of which word f is field f of TVM's DLTensor (compiler/lower/handles.c):
 * numbers, and the handles of its data, shape and strides. Nothing in these arrays is a pointer. */
#ifndef TIRB_VM_CALL_PACKED_H
#define TIRB_VM_CALL_PACKED_H

#include <tirb/tirb.h>

#include "vm/call/objects.h"

enum { TIRBI_MAX_PACKED_ARGS = 255, TIRBI_STRUCT_WORDS = 16 };

typedef struct tirbi_packed {
    void *memory; /* all that follows points into it */
    size_t size;
    tirbi_ref *handles;
    uint32_t n_handles;
    tirbi_ref refs[5]; /* values, codes, place of the result, of its code, resource handle */
    uint64_t n_args;   /* the scalar argument */
    uint64_t *result;
    int32_t *result_code;
} tirbi_packed;

/* Packs; tirbi_packed_release must follow whatever it returns. Tensors that overlap another one may only be read.
 * Errors: ARGUMENT, SHAPE, MEMORY_LIMIT, NO_MEMORY. */
tirb_status tirbi_packed_bind(const char *signature, const tirb_arg *args, uint32_t n_args, tirbi_heap *heap,
                              tirbi_packed *out, tirb_error *error);
void tirbi_packed_release(tirbi_packed *packed, tirbi_heap *heap);
/* What a function that returned `status` gave back: nothing, an int64 or a float64. Errors: VALUE if status is not
 * 0. */
tirb_status tirbi_packed_result(const tirbi_packed *packed, const char *signature, int32_t status, tirb_result *out,
                                tirb_error *error);

#endif
