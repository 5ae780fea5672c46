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
#define WIDEN_F16(v)         ((VF32)_mm256_cvtph_ps((__m128i)(v)))
#define NARROW_F16(v)        ((VH16)_mm256_cvtps_ph((__m256)(v), _MM_FROUND_TO_NEAREST_INT))
/* Four and the last four, or as many as there are. */
static inline __attribute__((always_inline)) __m128i load_halves(const uint8_t *from, unsigned n) {
    uint64_t four = 0;
    uint16_t third = 0;
    if (n >= 4) {
        const __m128i last = _mm_loadl_epi64((const void *)(from + 2 * n - 8));
        return _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)from),
                                  _mm_srl_epi64(last, _mm_cvtsi32_si128(16 * (8 - (int)n))));
    }
    if (n == 1) memcpy(&four, from, 2);
    if (n >= 2) memcpy(&four, from, 4);
    if (n == 3) memcpy(&third, from + 4, 2);
    return _mm_cvtsi64_si128((int64_t)(four | (uint64_t)third << 32));
}
#define LOAD_HALVES(from, n) ((VH16)load_halves(from, n))
#define PAIR(x, y, z) ((VI32)_mm256_add_epi32((__m256i)(z), _mm256_madd_epi16((__m256i)(x), (__m256i)(y))))
/* The mask of the first n elements of 4 or 8 bytes, in words of 4. */
#define PART_MASK(n, size)                                                                                             \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)((n) * ((size) / 4))), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define LOAD_PART(from, n, size)   ((VI32)_mm256_maskload_epi32((const int *)(const void *)(from), PART_MASK(n, size)))
/* The first n words of 4 bytes. Stores under a mask take ten times as long on some CPUs. What calls this clears the
 * upper halves of the registers itself where it ends: gcc takes it that this function has. */
static __attribute__((noinline)) void store_words(uint8_t *to, size_t n, __m256i v) {
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
#define PARTS_STORED()             _mm256_zeroupper()
#define WIDEN_I8(from)             ((VI32)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(from))))
#define WIDEN_U8(from)             ((VI32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(from))))
#define WIDEN_I16(from)            ((VI32)_mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)(from))))
#include "vm/contract/tiles.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
