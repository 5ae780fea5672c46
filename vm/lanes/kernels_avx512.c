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
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif

#include <immintrin.h>

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA     1
#define TIRBI_HAVE_ROUND   1
#define TIRBI_KERNEL_TABLE tirbi_kernels_avx512
#if TIRBI_LANES_AVX2
#define FLOAT_SCALARS &tirbi_floats_avx2
#define FUSED_ORDERED tirbi_fused_avx2
#else
#define OWN_FLOAT_SCALARS tirbi_floats_avx512
#define OWN_FUSED tirbi_fused_avx512
#endif
#define BLOCKS_OF(what) what##AVX512
#define MOVE_VECTOR 64
#define MOVE_PAIRS 1
#define VECTOR_MIN_f32   _mm512_min_ps
#define VECTOR_MIN_f64   _mm512_min_pd
#define VECTOR_MAX_f32   _mm512_max_ps
#define VECTOR_MAX_f64   _mm512_max_pd
#define VECTOR_FMA_f32   _mm512_fmadd_ps
#define VECTOR_FMA_f64   _mm512_fmadd_pd
#define VECTOR_SPLAT_f32 _mm512_set1_ps
#define VECTOR_SPLAT_f64 _mm512_set1_pd
#define VECTOR_NANS      unsigned
#define VECTOR_NANS_f32(x, y) _mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q)
#define VECTOR_NANS_f64(x, y) _mm512_cmp_pd_mask(x, y, _CMP_UNORD_Q)
#define VECTOR_HAS_NANS(nans) ((nans) != 0)
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
/* Fewer elements than a block has, and the first one behind them. */
#define LOAD_SOME(to, from, n)                                                                                         \
    for (size_t at = 0; at < WIDE_MATH_BLOCK; at += 16)                                                                \
        _mm512_store_ps((to) + at, _mm512_mask_loadu_ps(_mm512_set1_ps(*(from)), FIRST(n, at), (from) + at))
#define STORE_SOME(to, from, n)                                                                                        \
    for (size_t at = 0; at < WIDE_MATH_BLOCK; at += 16)                                                                \
        _mm512_mask_storeu_ps((to) + at, FIRST(n, at), _mm512_load_ps((from) + at))
#define FIRST(n, at)  (__mmask16)(_bzhi_u64(UINT64_MAX, (unsigned)(n)) >> (at))
#define PREFIX_VECTOR 64
#define MOVED_UP_u32(x, by, fill) ((prefix_u32)_mm512_alignr_epi32((__m512i)(x), (__m512i)(fill), 16 - (by)))
#define MOVED_UP_u64(x, by, fill) ((prefix_u64)_mm512_alignr_epi64((__m512i)(x), (__m512i)(fill), 8 - (by)))
#define LAST_OF_u32(x)      ((prefix_u32)_mm512_permutexvar_epi32(_mm512_set1_epi32(15), (__m512i)(x)))
#define LAST_OF_u64(x)      ((prefix_u64)_mm512_permutexvar_epi64(_mm512_set1_epi64(7), (__m512i)(x)))
#define EACH_STEP_u32(STEP) STEP(1) STEP(2) STEP(4) STEP(8)
#define EACH_STEP_u64(STEP) STEP(1) STEP(2) STEP(4)
#define STREAM_LINE(to, from) _mm512_stream_si512((void *)(to), _mm512_loadu_si512(from))
#define STREAM_END()          _mm_sfence()
/* Elements two to four elements apart: each vector that is stored to takes those of its places that hold one. */
enum { FARTHEST_SPREAD = 4 };
#define DEFINE_SPREAD(name, bits, size)                                                                                \
    static inline size_t name(uint8_t *to, ptrdiff_t to_step, const uint8_t *from, size_t n) {                         \
        enum { LANES = 64 / (size) };                                                                                  \
        const ptrdiff_t step = to_step / (size);                                                                       \
        if (step < 2 || step > FARTHEST_SPREAD || to_step != step * (size)) return 0;                                  \
        __m512i lane[FARTHEST_SPREAD];                                                                                 \
        __mmask16 holds[FARTHEST_SPREAD];                                                                              \
        for (ptrdiff_t k = 0; k < step; k++) {                                                                         \
            uint##bits##_t which[LANES];                                                                               \
            unsigned mask = 0;                                                                                         \
            for (ptrdiff_t i = 0; i < LANES; i++) {                                                                    \
                which[i] = (uint##bits##_t)((k * LANES + i) / step);                                                   \
                mask |= (unsigned)((k * LANES + i) % step == 0) << i;                                                  \
            }                                                                                                          \
            lane[k] = _mm512_loadu_si512(which);                                                                       \
            holds[k] = (__mmask16)mask;                                                                                \
        }                                                                                                              \
        size_t i = 0;                                                                                                  \
        for (; i + LANES <= n; i += LANES, from += 64) {                                                               \
            const __m512i v = _mm512_loadu_si512(from);                                                                \
            for (ptrdiff_t k = 0; k < step; k++, to += 64)                                                             \
                SPREAD_STORE_##size(to, holds[k], _mm512_permutexvar_epi##bits(lane[k], v));                           \
        }                                                                                                              \
        return i;                                                                                                      \
    }
#define SPREAD_STORE_4(to, mask, v) _mm512_mask_storeu_epi32(to, mask, v)
#define SPREAD_STORE_8(to, mask, v) _mm512_mask_storeu_epi64(to, (__mmask8)(mask), v)
DEFINE_SPREAD(spread_4, 32, 4)
DEFINE_SPREAD(spread_8, 64, 8)
/* Narrower ones two apart: each is widened, and its upper half left out. */
#define DEFINE_SPREAD_NARROW(name, size, WIDEN, STORE, mask)                                                           \
    static inline size_t name(uint8_t *to, ptrdiff_t to_step, const uint8_t *from, size_t n) {                         \
        enum { LANES = 32 / (size) };                                                                                  \
        size_t i = 0;                                                                                                  \
        if (to_step != 2 * (size)) return 0;                                                                           \
        for (; i + LANES <= n; i += LANES, from += 32, to += 64)                                                       \
            STORE(to, mask, WIDEN(_mm256_loadu_si256((const __m256i *)(const void *)from)));                           \
        return i;                                                                                                      \
    }
DEFINE_SPREAD_NARROW(spread_1, 1, _mm512_cvtepu8_epi16, _mm512_mask_storeu_epi8, UINT64_C(0x5555555555555555))
DEFINE_SPREAD_NARROW(spread_2, 2, _mm512_cvtepu16_epi32, _mm512_mask_storeu_epi16, 0x55555555u)
#define SPREAD_1(to, to_step, from, n) spread_1(to, to_step, from, n)
#define SPREAD_2(to, to_step, from, n) spread_2(to, to_step, from, n)
#define SPREAD_4(to, to_step, from, n) spread_4(to, to_step, from, n)
#define SPREAD_8(to, to_step, from, n) spread_8(to, to_step, from, n)
/* Both halves of a column are in registers, and the low bits of an index choose. */
#include "vm/math/pieces.h"
#define PIECES_LANES 16
#define ODD_PIECES(to, from, pieces) _mm512_storeu_ps(to, odd_pieces(_mm512_loadu_ps(from), pieces))
#define OF_PIECE(k)                                                                                                    \
    _mm512_permutex2var_ps(_mm512_load_ps(pieces->columns[k]), piece, _mm512_load_ps(pieces->columns[k] + 16))
static inline __attribute__((always_inline)) __m512 odd_pieces(__m512 x, const tirbi_pieces *pieces) {
    const __m512 a = _mm512_min_ps(_mm512_abs_ps(x), _mm512_set1_ps(pieces->limit));
    const __m512i piece =
        _mm512_castps_si512(_mm512_fmadd_ps(a, _mm512_set1_ps(pieces->scale), _mm512_set1_ps(TIRBI_ROUNDER_F32)));
    const __m512 t = _mm512_sub_ps(a, OF_PIECE(TIRBI_PIECE_CENTER));
    __m512 p = OF_PIECE(pieces->first);
    for (unsigned k = pieces->first + 1; k < TIRBI_PIECE_ROW; k++) p = _mm512_fmadd_ps(p, t, OF_PIECE(k));
    const __m512 direct = _mm512_min_ps(a, _mm512_set1_ps(pieces->direct));
    const __m512 result = _mm512_fmadd_ps(p, t, _mm512_max_ps(OF_PIECE(TIRBI_PIECE_VALUE), direct));
    const __m512 with_sign = _mm512_or_ps(result, _mm512_and_ps(x, _mm512_set1_ps(-0.0f)));
    return _mm512_mask_mov_ps(with_sign, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_set1_ps(TIRBI_NAN_F32));
}
#undef OF_PIECE
#define KEEP_CHOSEN_u32(to, from, chosen, n) keep_chosen_u32(to, from, chosen, n)
#define KEEP_CHOSEN_u64(to, from, chosen, n) keep_chosen_u64(to, from, chosen, n)
#define KEEP_CHOSEN(bits, type, at_once)                                                                               \
    static __attribute__((noinline)) size_t keep_chosen_u##bits(void *to, const void *from, const uint8_t *chosen,     \
                                                                size_t n) {                                            \
        size_t kept = 0;                                                                                               \
        for (size_t k = 0; k < n; k += (at_once)) {                                                                    \
            const unsigned some = n - k < (at_once) ? (1u << (n - k)) - 1 : (1u << (at_once)) - 1;                     \
            const __m128i truth = _mm_maskz_loadu_epi8((__mmask16)some, chosen + k);                                   \
            const unsigned keep = _mm_test_epi8_mask(truth, truth);                                                    \
            const __m512i x = _mm512_maskz_loadu_epi##bits((type)keep, (const uint8_t *)from + k * ((bits) / 8));      \
            _mm512_storeu_si512((uint8_t *)to + kept * ((bits) / 8), _mm512_maskz_compress_epi##bits((type)keep, x));  \
            kept += (size_t)__builtin_popcount(keep);                                                                  \
        }                                                                                                              \
        return kept;                                                                                                   \
    }
KEEP_CHOSEN(32, __mmask16, 16)
KEEP_CHOSEN(64, __mmask8, 8)
#include "vm/lanes/kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
