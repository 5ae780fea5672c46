/* Strip kernels of CPUs that count bits in vectors. */
#ifndef TIRB_VM_LANES_COUNTS_H
#define TIRB_VM_LANES_COUNTS_H

#include "vm/lanes/isas.h"
#include "vm/lanes/kernels.h"

typedef struct tirbi_count_kernels {
    tirbi_kernel popcount[TIRB_N_DTYPES];
} tirbi_count_kernels;

extern const tirbi_count_kernels tirbi_counts_avx512;

/* NULL: this CPU has none for `isa`. */
const tirbi_count_kernels *tirbi_count_kernels_of(tirb_isa isa);

#endif
