/* Strip kernels in plain C, for the instruction set that the compiler was told to build for. */
#include "vm/lanes/kernel_tables.h"

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", "no-math-errno")
#endif

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_KERNEL_TABLE tirbi_kernels_generic
#include "vm/lanes/kernels.inc"
