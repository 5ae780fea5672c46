/* Strip kernels for x86-64 with AVX-512 F, BW, DQ, VL and CD. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_AVX512

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(                                                                                   \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))), \
    apply_to = function)
#else
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math", "no-math-errno")
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif

#include <immintrin.h>

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA     1
#define TIRBI_HAVE_ROUND   1
#define TIRBI_KERNEL_TABLE tirbi_kernels_avx512
#define MOVE_VECTOR 64
#define MOVE_PAIRS 1
#define F16_LANES 16
#define F16_WIDEN(to, from) _mm512_storeu_ps((to), _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from))))
#define F16_NARROW(to, from)                                                                                           \
    _mm256_storeu_si256((void *)(to), _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT))
/* The greatest of 64 differences from the low end of the range decides. */
#define ALL_WITHIN(x, range)                                                                                           \
    (_mm512_cmpgt_epu32_mask(                                                                                          \
         _mm512_max_epu32(_mm512_max_epu32(OFFSET_IN((x), range), OFFSET_IN((x) + 16, range)),                         \
                          _mm512_max_epu32(OFFSET_IN((x) + 32, range), OFFSET_IN((x) + 48, range))),                   \
         _mm512_set1_epi32((int)(range).width)) == 0)
#define OFFSET_IN(x, range)                                                                                            \
    _mm512_sub_epi32(_mm512_and_epi32(_mm512_loadu_si512(x), _mm512_set1_epi32((int)(range).mask)),                    \
                     _mm512_set1_epi32((int)(range).low))
#include "vm/lanes/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
