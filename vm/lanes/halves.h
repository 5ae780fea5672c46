/* Strip kernels of CPUs that compute with float16 themselves.
 *
 * The language computes in float32 and rounds once more. For sums, differences, products, quotients and square roots
 * that gives what one rounding does, since 24 bits are at least 2 * 11 + 2 (and a product is exact in float32): these
 * kernels give the bits of those of vm/lanes/kernels.h. A fused multiply-add is not among them. */
#ifndef TIRB_VM_LANES_HALVES_H
#define TIRB_VM_LANES_HALVES_H

#include "vm/lanes/isas.h"
#include "vm/lanes/kernels.h"

/* By scalar opcode - 0x20; NULL: as in the table of the instruction set. */
typedef struct tirbi_half_kernels {
    tirbi_kernel op[TIRBI_N_ELEMENTWISE];
} tirbi_half_kernels;

extern const tirbi_half_kernels tirbi_halves_avx512;

/* NULL: this build or this CPU has none for `isa`. */
const tirbi_half_kernels *tirbi_half_kernels_of(tirb_isa isa);

#endif
