/* Arguments for any function, made from its signature: tensors in memory of exactly their size, so that a sanitizer
 * sees a byte too far, dense or with odd strides, of values that programs trip over. */
#ifndef TIRB_FUZZ_ARGUMENTS_H
#define TIRB_FUZZ_ARGUMENTS_H

#include <tirb/tirb.h>

#include "fuzz/fuzz.h"
#include "loader/bundle/program.h"

enum { FUZZ_MAX_ARGS = 24 };

typedef struct fuzz_tensor {
    uint8_t *block; /* the allocation: `skew` bytes, then the memory that the tensor's elements span */
    size_t size;    /* of the allocation */
    size_t skew;
    tirbi_dtype type;
    bool written;
    bool whole; /* the parameter declares strides: all from the first element to the last is the function's */
    int64_t shape[TIRBI_MAX_NDIM];
    int64_t strides[TIRBI_MAX_NDIM];
    DLTensor view;
} fuzz_tensor;

typedef struct fuzz_arguments {
    uint32_t n;
    bool is_far; /* some go past the caches, and need more fuel */
    tirb_arg args[FUZZ_MAX_ARGS];
    fuzz_tensor tensors[FUZZ_MAX_ARGS];
} fuzz_arguments;

/* Chooses shapes, layouts and values. False when the signature asks for more than some megabytes, or for extents that
 * no choice of its variables gives; then there is nothing to free. */
bool fuzz_arguments_make(fuzz_arguments *a, const tirbi_function *function, uint64_t seed);
/* The same shapes and layouts with memory of their own: with the same values, or with others from `seed`. */
void fuzz_arguments_copy(fuzz_arguments *to, const fuzz_arguments *from);
void fuzz_arguments_refill(fuzz_arguments *a, uint64_t seed);
void fuzz_arguments_free(fuzz_arguments *a);
/* Fails when `after` is not `before` in a byte that the call may not have written: of a tensor that the function only
 * reads, or between the elements of a strided one whose strides it does not know. */
void fuzz_arguments_check_kept(const fuzz_arguments *before, const fuzz_arguments *after);
/* Whether the tensors hold the same bytes; *out_tensor is the first that does not. */
bool fuzz_arguments_equal(const fuzz_arguments *a, const fuzz_arguments *b, uint32_t *out_tensor);

#endif
