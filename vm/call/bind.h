/* From the arguments of a call to registers: every check that TVM's calling convention makes, and ours.
 *
 * Order: count; then per parameter from left to right its kind, type, rank, extents (a bare variable is bound where it
 * is seen first), strides, offset and data; then scalars that shapes determine; then the function's conditions, which
 * explain extents that would be impossible; then extents that are expressions; then overlap. Any alignment, any strides
 * and any byte offset are accepted:
 *   - a parameter without declared strides is seen compact; an argument that is not is copied into call memory first,
 *     and copied back after a successful call if the function writes it;
 *   - a parameter with declared strides is used in place, from its first element to the last one that is reachable.
 * In both cases the function's reference begins at the argument's first element, behind byte_offset. */
#ifndef TIRB_VM_CALL_BIND_H
#define TIRB_VM_CALL_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "vm/call/objects.h"

typedef struct tirbi_binding {
    const tirbi_program *program;
    const tirbi_function *function;
    const tirbi_plan *plan;
    const tirb_arg *args; /* function->n_params of them */
    tirbi_scratch *scratch;
    tirb_error *error;
    bool partial;     /* for inference: any argument may be left out, and unknown variables stay unknown */
    bool packs;       /* some tensor has a compact copy */
    bool plain;       /* vm/call/plain.h has bound the arguments */
    uint32_t skipped; /* with `partial`: this parameter's argument is not looked at */
} tirbi_binding;

/* Checks the arguments and binds the shape variables. Errors: ARGUMENT, SHAPE. */
tirb_status tirbi_bind_arguments(tirbi_binding *binding);

/* After tirbi_bind_arguments: refuses overlap, packs what must be compact and fills scratch->refs. Whatever it returns,
 * tirbi_bind_release must follow where something is packed. Errors: OVERLAP, MEMORY_LIMIT, NO_MEMORY; CANCELLED and
 * DEADLINE by *stop. */
tirb_status tirbi_bind_references(tirbi_binding *binding, tirbi_spares *spares, tirbi_heap *heap,
                                  const atomic_uint *stop);
/* Copies packed arguments that the function writes back to where they came from. */
tirb_status tirbi_bind_copy_back(tirbi_binding *binding, const atomic_uint *stop);
void tirbi_bind_release(tirbi_binding *binding, tirbi_spares *spares, tirbi_heap *heap);

/* Whether all its variables have values. */
bool tirbi_bind_determines(const tirbi_binding *binding, const tirbi_dim *dim);

/* An error about parameter `param`: "argument #1 'B' of f(..): " and the formatted rest. */
tirb_status tirbi_bind_refuse(const tirbi_binding *binding, tirb_status code, uint32_t param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
