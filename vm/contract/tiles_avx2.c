/* Micro-kernels for x86-64 with AVX2 and FMA: 12 registers hold a tile. */
#include "vm/contract/tables.h"
#include "vm/lanes/isas.h"

#if TIRBI_LANES_AVX2

#pragma GCC diagnostic ignored "-Wpedantic"

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#include <immintrin.h>

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA 1
#define TIRBI_HAVE_ROUND 1
#define CONTRACT_KERNELS tirbi_contract_avx2
#define VB 32
#define ROWS 6
#define PAD 8
#define VECTORS 2
#define EACH_ROW TIRBI_ROWS_6
#define FMA_F32(x, y, z) ((VF32)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z)))
#define FMA_F64(x, y, z) ((VF64)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#define MIN_F32(x, y) ((VF32)_mm256_min_ps((__m256)(x), (__m256)(y)))
#define MIN_F64(x, y) ((VF64)_mm256_min_pd((__m256d)(x), (__m256d)(y)))
#define MAX_F32(x, y) ((VF32)_mm256_max_ps((__m256)(x), (__m256)(y)))
#define MAX_F64(x, y) ((VF64)_mm256_max_pd((__m256d)(x), (__m256d)(y)))
#define MIN_I32(x, y) ((VI32)_mm256_min_epi32((__m256i)(x), (__m256i)(y)))
#define MAX_I32(x, y) ((VI32)_mm256_max_epi32((__m256i)(x), (__m256i)(y)))
#define ROUND_F16(v)         ((VF32)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)(v), _MM_FROUND_TO_NEAREST_INT)))
#define WIDEN_F16(from)      ((VF32)_mm256_cvtph_ps(_mm_loadu_si128((const void *)(from))))
#define NARROW_F16(to, v) \
    _mm_storeu_si128((__m128i_u *)(void *)(to), _mm256_cvtps_ph((__m256)(v), _MM_FROUND_TO_NEAREST_INT))
#define PAIR(x, y, z) ((VI32)_mm256_add_epi32((__m256i)(z), _mm256_madd_epi16((__m256i)(x), (__m256i)(y))))
/* The mask of the first n elements of 4 or 8 bytes, in words of 4. */
#define PART_MASK(n, size)                                                                                             \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)((n) * ((size) / 4))), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define LOAD_PART(from, n, size)   ((VI32)_mm256_maskload_epi32((const int *)(const void *)(from), PART_MASK(n, size)))
/* The first n words of 4 bytes. Stores under a mask take ten times as long on some CPUs. */
static inline void store_words(uint8_t *to, size_t n, __m256i v) {
    __m128i words = _mm256_castsi256_si128(v);
    if (n == 8) {
        _mm256_storeu_si256((__m256i_u *)(void *)to, v);
        return;
    }
    if (n & 4) {
        _mm_storeu_si128((__m128i_u *)(void *)to, words);
        words = _mm256_extracti128_si256(v, 1);
        to += 16;
    }
    if (n & 2) {
        _mm_storel_epi64((__m128i_u *)(void *)to, words);
        words = _mm_unpackhi_epi64(words, words);
        to += 8;
    }
    const int word = _mm_cvtsi128_si32(words);
    if (n & 1) memcpy(to, &word, sizeof word);
}
#define STORE_PART(to, n, size, v) store_words((uint8_t *)(to), (size_t)(n) * ((size) / 4), (__m256i)(v))
#define WIDEN_I8(from)             ((VI32)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(from))))
#define WIDEN_U8(from)             ((VI32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(from))))
#define WIDEN_I16(from)            ((VI32)_mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)(from))))
#include "vm/contract/tiles.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
