/* Strip kernels for x86-64 with AVX2 and FMA. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_AVX2

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#endif

#include <immintrin.h>

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA     1
#define TIRBI_HAVE_ROUND   1
#define TIRBI_CONVERT_64_BY_HALVES 1
#define COUNTS_IN_STEPS 64
#define SHIFTS_IN_STEPS 1
#define TIRBI_KERNEL_TABLE tirbi_kernels_avx2
#define OWN_FLOAT_SCALARS tirbi_floats_avx2
#define OWN_FUSED tirbi_fused_avx2
#define BLOCKS_OF(what) what##AVX2
#define MOVE_VECTOR 32
#define MOVE_PAIRS 1
#define VB MOVE_VECTOR
#include "vm/lanes/picks.inc"
#define HAVE_SHUFFLES 1
#define NARROW_PICKS "vm/lanes/narrow_picks_x86.h"
#define VECTOR_MIN_f32   _mm256_min_ps
#define VECTOR_MIN_f64   _mm256_min_pd
#define VECTOR_MAX_f32   _mm256_max_ps
#define VECTOR_MAX_f64   _mm256_max_pd
#define VECTOR_FMA_f32   _mm256_fmadd_ps
#define VECTOR_FMA_f64   _mm256_fmadd_pd
#define VECTOR_SPLAT_f32 _mm256_set1_ps
#define VECTOR_SPLAT_f64 _mm256_set1_pd
#define VECTOR_NANS      __m256i
#define VECTOR_NANS_f32(x, y) _mm256_castps_si256(_mm256_cmp_ps(x, y, _CMP_UNORD_Q))
#define VECTOR_NANS_f64(x, y) _mm256_castpd_si256(_mm256_cmp_pd(x, y, _CMP_UNORD_Q))
#define VECTOR_HAS_NANS(nans) (_mm256_testz_si256(nans, nans) == 0)
#define ONES_LANES 4
#define ONES_IN_64(to, from)                                                                                           \
    _mm256_storeu_si256((__m256i_u *)(void *)(to),                                                                     \
                        ones_in_64(_mm256_loadu_si256((const __m256i_u *)(const void *)(from))))
/* A table of 16 has the bits of each half of a byte. */
static inline __attribute__((always_inline)) __m256i ones_in_64(__m256i v) {
    const __m256i ones = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(ones, _mm256_and_si256(v, half));
    const __m256i high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(v, 4), half));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}
#define F16_LANES 8
#define F16_WIDEN(to, from) _mm256_storeu_ps((to), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from))))
#define F16_NARROW(to, from)                                                                                           \
    _mm_storeu_si128((void *)(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT))
/* The greatest of 48 differences from the low end of the range decides. */
#define ALL_WITHIN(x, range)                                                                                           \
    (_mm256_testz_si256(                                                                                               \
         _mm256_cmpgt_epi32(                                                                                           \
             _mm256_xor_si256(_mm256_max_epu32(_mm256_max_epu32(GREATER_OFFSET((x), range),                            \
                                                                GREATER_OFFSET((x) + 16, range)),                      \
                                               GREATER_OFFSET((x) + 32, range)),                                       \
                              _mm256_set1_epi32(INT32_MIN)),                                                           \
             _mm256_set1_epi32((int)((range).width ^ 0x80000000u))),                                                   \
         _mm256_set1_epi32(-1)) != 0)
#define GREATER_OFFSET(x, range) _mm256_max_epu32(OFFSET_IN((x), range), OFFSET_IN((x) + 8, range))
#define OFFSET_IN(x, range)                                                                                            \
    _mm256_sub_epi32(                                                                                                  \
        _mm256_and_si256(_mm256_loadu_si256((const __m256i_u *)(const void *)(x)),                                     \
                         _mm256_set1_epi32((int)(range).mask)),                                                        \
        _mm256_set1_epi32((int)(range).low))
#define STREAM_HALF(to, from)                                                                                          \
    _mm256_stream_si256((__m256i *)(void *)(to), _mm256_loadu_si256((const __m256i_u *)(const void *)(from)))
#define STREAM_LINE(to, from)                                                                                          \
    do {                                                                                                               \
        STREAM_HALF(to, from);                                                                                         \
        STREAM_HALF((to) + 32, (from) + 32);                                                                           \
    } while (0)
#define STREAM_END() _mm_sfence()
/* The rows of eight lanes' pieces are loaded and transposed. */
#include "vm/math/pieces.h"
#define PIECES_LANES 8
#define ODD_PIECES(to, from, pieces)                                                                                   \
    _mm256_storeu_ps((float *)(void *)(to), odd_pieces(_mm256_loadu_ps((const float *)(const void *)(from)), pieces))
/* Four elements of the rows of lanes k and k + 4. */
#define HALVES_OF_ROWS(k)                                                                                              \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(rows + piece[k] + half)),                                  \
                         _mm_load_ps(rows + piece[(k) + 4] + half), 1)
static inline __attribute__((always_inline)) void four_columns(__m256 *to, const float *rows, const uint32_t *piece,
                                                               size_t half) {
    const __m256 r0 = HALVES_OF_ROWS(0), r1 = HALVES_OF_ROWS(1), r2 = HALVES_OF_ROWS(2), r3 = HALVES_OF_ROWS(3);
    const __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpackhi_ps(r0, r1);
    const __m256 c = _mm256_unpacklo_ps(r2, r3), d = _mm256_unpackhi_ps(r2, r3);
    to[0] = _mm256_shuffle_ps(a, c, 0x44);
    to[1] = _mm256_shuffle_ps(a, c, 0xEE);
    to[2] = _mm256_shuffle_ps(b, d, 0x44);
    to[3] = _mm256_shuffle_ps(b, d, 0xEE);
}
#undef HALVES_OF_ROWS
static inline __attribute__((always_inline)) __m256 odd_pieces(__m256 x, const tirbi_pieces *pieces) {
    const __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0f));
    const __m256 a = _mm256_min_ps(_mm256_xor_ps(x, sign), _mm256_set1_ps(pieces->limit));
    const __m256 rounded = _mm256_fmadd_ps(a, _mm256_set1_ps(pieces->scale), _mm256_set1_ps(TIRBI_ROUNDER_F32));
    _Alignas(32) uint32_t piece[8];
    const __m256i row = _mm256_slli_epi32(_mm256_castps_si256(rounded), 3);
    _mm256_store_si256((__m256i *)(void *)piece,
                       _mm256_and_si256(row, _mm256_set1_epi32((TIRBI_PIECES - 1) * TIRBI_PIECE_ROW)));
    __m256 column[TIRBI_PIECE_ROW];
    four_columns(column, pieces->rows[0], piece, 0);
    four_columns(column + 4, pieces->rows[0], piece, 4);
    const __m256 t = _mm256_sub_ps(a, column[TIRBI_PIECE_CENTER]);
    __m256 p = column[pieces->first];
    for (unsigned k = pieces->first + 1; k < TIRBI_PIECE_ROW; k++) p = _mm256_fmadd_ps(p, t, column[k]);
    const __m256 direct = _mm256_min_ps(a, _mm256_set1_ps(pieces->direct));
    const __m256 result = _mm256_fmadd_ps(p, t, _mm256_max_ps(column[TIRBI_PIECE_VALUE], direct));
    const __m256 unordered = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
    return _mm256_blendv_ps(_mm256_or_ps(result, sign), _mm256_set1_ps(TIRBI_NAN_F32), unordered);
}
#include "vm/lanes/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
