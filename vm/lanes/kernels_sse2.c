/* Strip kernels for x86-64 as such, with SSE2. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_SSE2

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_CONVERT_64_BY_HALVES 1
#define COUNTS_IN_STEPS 32
#define SHIFTS_IN_STEPS 1
#define SHIFTS_BY_ONE 1
#define TIRBI_KERNEL_TABLE tirbi_kernels_sse2
#define FLOAT_SCALARS NULL
#define OWN_ORDERED tirbi_ordered_baseline
#define OWN_FUSED tirbi_fused_baseline
#define BLOCKS_OF(what) what##SSE2
#include "vm/lanes/kernels.inc"

#endif
