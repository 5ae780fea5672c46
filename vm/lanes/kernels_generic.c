/* Strip kernels in plain C, for the instruction set that the compiler was told to build for.
 *
 * One element after the other where another table has that machine's vectors, which is then compared with this one, and
 * where there are no vectors: gcc 12 takes a word for a vector of bytes there, and counts a byte's bits wrongly so. */
#include "vm/lanes/kernel_tables.h"

#if !defined(__ALTIVEC__) && !defined(__VX__) && !defined(__riscv_vector) && !defined(__loongarch_sx)
#define TIRBI_KERNELS_BY_ELEMENT 1
#if !defined(__clang__) && !defined(__OPTIMIZE_SIZE__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O1", "no-tree-vectorize") /* -O3 would find little more in one element */
#endif
#endif

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_KERNEL_TABLE tirbi_kernels_generic
#define OWN_SCALARS tirbi_scalars_generic
#define FLOAT_SCALARS NULL
#if TIRBI_LANES_SSE2 || TIRBI_LANES_NEON
#define FUSED_ORDERED tirbi_fused_baseline
#else
#define OWN_ORDERED tirbi_ordered_baseline
#define OWN_FUSED tirbi_fused_baseline
#endif
#define BLOCKS_OF(what) what##GENERIC
#include "vm/lanes/kernels.inc"
