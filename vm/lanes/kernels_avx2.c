/* Strip kernels for x86-64 with AVX2 and FMA. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_AVX2

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", "no-math-errno")
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#endif

#include <immintrin.h>

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA     1
#define TIRBI_HAVE_ROUND   1
#define TIRBI_KERNEL_TABLE tirbi_kernels_avx2
#define MOVE_VECTOR 32
#define MOVE_PAIRS 1
#define F16_LANES 8
#define F16_WIDEN(to, from) _mm256_storeu_ps((to), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from))))
#define F16_NARROW(to, from)                                                                                           \
    _mm_storeu_si128((void *)(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT))
#include "vm/lanes/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
