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
/* The greatest of 64 differences from the low end of the range decides. */
#define ALL_WITHIN(x, range)                                                                                           \
    (_mm256_testz_si256(                                                                                               \
         _mm256_cmpgt_epi32(                                                                                           \
             _mm256_xor_si256(_mm256_max_epu32(GREATEST_OFFSET((x), range), GREATEST_OFFSET((x) + 32, range)),         \
                              _mm256_set1_epi32(INT32_MIN)),                                                           \
             _mm256_set1_epi32((int)((range).width ^ 0x80000000u))),                                                   \
         _mm256_set1_epi32(-1)) != 0)
#define GREATEST_OFFSET(x, range)                                                                                      \
    _mm256_max_epu32(_mm256_max_epu32(OFFSET_IN((x), range), OFFSET_IN((x) + 8, range)),                               \
                     _mm256_max_epu32(OFFSET_IN((x) + 16, range), OFFSET_IN((x) + 24, range)))
#define OFFSET_IN(x, range)                                                                                            \
    _mm256_sub_epi32(                                                                                                  \
        _mm256_and_si256(_mm256_loadu_si256((const __m256i_u *)(const void *)(x)), _mm256_set1_epi32((int)(range).mask)), \
        _mm256_set1_epi32((int)(range).low))
#include "vm/lanes/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
