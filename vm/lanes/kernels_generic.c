/* Strip kernels in plain C, for the instruction set that the compiler was told to build for. Where there is a table
 * with that machine's vectors beside it, this one is what those are compared with: one element after the other. */
#include "vm/lanes/kernel_tables.h"

#if defined(__x86_64__) || (defined(__aarch64__) && defined(__ARM_NEON))
#define TIRBI_KERNELS_BY_ELEMENT 1
#endif

#if defined(__clang__)
#elif defined(TIRBI_KERNELS_BY_ELEMENT)
#pragma GCC optimize("O2", "no-tree-vectorize", "fp-contract=off", "no-trapping-math", "no-math-errno")
#else
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", "no-math-errno")
#endif

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_KERNEL_TABLE tirbi_kernels_generic
#include "vm/lanes/kernels.inc"
