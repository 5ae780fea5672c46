/* Strip kernels for x86-64 as such, with SSE2. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_SSE2

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", "no-math-errno")
#endif

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_KERNEL_TABLE tirbi_kernels_sse2
#include "vm/lanes/kernels.inc"

#endif
