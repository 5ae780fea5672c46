/* Strip kernels for AArch64: Advanced SIMD, which every AArch64 has. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_NEON

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA     1
#define TIRBI_HAVE_ROUND   1
#define TIRBI_KERNEL_TABLE tirbi_kernels_neon
#define FLOAT_SCALARS NULL
#define OWN_ORDERED tirbi_ordered_baseline
#define OWN_FUSED tirbi_fused_baseline
#define BLOCKS_OF(what) what##NEON
#include "vm/lanes/kernels.inc"

#endif
