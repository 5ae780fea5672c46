/* Arguments as most calls have them: compact tensors in host memory that keep apart, and scalars of their parameters'
 * own kinds. They are bound in one pass, which checks all that the general way (vm/call/bind.c) checks and finds no
 * words for what is wrong: whatever is different is left to that way, which begins anew. */
#ifndef TIRB_VM_CALL_PLAIN_H
#define TIRB_VM_CALL_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/base/alloc.h"
#include "loader/bundle/program.h"
#include "vm/exec/execute.h"

typedef enum tirbi_plain_kind {
    TIRBI_PLAIN_CONSTANT, /* the extent is `value` */
    TIRBI_PLAIN_BINDS,    /* it gives the shape variable of the scalar `slot` its value, which is at most `value` */
    TIRBI_PLAIN_AGREES    /* it is what that variable has been given */
} tirbi_plain_kind;

typedef struct tirbi_plain_extent {
    int64_t value;
    uint32_t slot;
    uint8_t kind;
} tirbi_plain_extent;

/* In the order of the function's references. */
typedef struct tirbi_plain_tensor {
    DLDataType type;
    uint32_t param;
    uint8_t ndim;
    uint8_t item;
    uint8_t dtype;
    bool written;
} tirbi_plain_tensor;

typedef struct tirbi_plain_scalar {
    uint32_t param;
    uint32_t slot;
    uint8_t dtype;
    bool agrees; /* with the shape variable that tensors give its value, and may be left out */
} tirbi_plain_scalar;

typedef struct tirbi_plain {
    const tirbi_plain_tensor *tensors;
    const tirbi_plain_extent *extents; /* of all tensors, one after the other */
    const tirbi_plain_scalar *scalars;
    uint32_t n_tensors, n_scalars;
    uint32_t first_written; /* number of a tensor; more than there are: none */
    bool applies; /* to the function at all */
    bool again;   /* tirbi_plain_bind_again does, for extents may be expressions */
} tirbi_plain;

/* Plans the parameters of `f`: `slots` has each one's number among the references or the scalars, `var_slots` each
 * shape variable's among the scalars. A function with conditions is bound in the general way, which checks them, and
 * again where all that they can mention is what it was. What fails is seen in the arena. */
void tirbi_plain_make(tirbi_arena *arena, const tirbi_function *f, const uint16_t *slots, const uint32_t *var_slots,
                      tirbi_plain *out);

/* Fills `refs` and `scalars`, which tirbi_execute takes, and the extents of all tensors, one after the other. False: an
 * argument is something else, or wrong. */
bool tirbi_plain_bind(const tirbi_plain *plain, const tirb_arg *args, tirbi_ref *refs, uint64_t *scalars,
                      int64_t *shapes);
/* The same where `refs`, `scalars` and `shapes` are as the call before has left them, whose tensors were compact and
 * used in place, and which bound its arguments in either way: most calls of a function have tensors of the shapes of
 * the call before. `seen` has, for each of them, what it was bound from where it had no strides, or a tensor of another
 * device. *same: nothing has changed. */
bool tirbi_plain_bind_again(const tirbi_plain *plain, const tirb_arg *args, tirbi_ref *refs, uint64_t *scalars,
                            const int64_t *shapes, DLTensor *seen, bool *same);

#endif
