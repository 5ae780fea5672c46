/* Strip kernels for x86-64 as such, with SSE2. */
#include "vm/lanes/kernel_tables.h"

#if TIRBI_LANES_SSE2

#include <emmintrin.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpedantic"

static inline __m128i truths_as_16(const uint8_t *from, size_t n) {
    int32_t truths = 0;
    memcpy(&truths, from, n);
    const __m128i ones = _mm_min_epu8(_mm_cvtsi32_si128(truths), _mm_set1_epi8(1));
    const __m128i bytes = _mm_sub_epi8(_mm_setzero_si128(), ones);
    return _mm_unpacklo_epi8(bytes, bytes);
}
#define TRUTHS_AS_32(from) truths_as_32(truths_as_16(from, 4))
#define TRUTHS_AS_64(from) truths_as_64(truths_as_32(truths_as_16(from, 2)))
static inline __m128i truths_as_32(__m128i truths) { return _mm_unpacklo_epi16(truths, truths); }
static inline __m128i truths_as_64(__m128i truths) { return _mm_unpacklo_epi32(truths, truths); }

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_CONVERT_64_BY_HALVES 1
#define COUNTS_IN_STEPS 32
#define SHIFTS_IN_STEPS 1
#define SHIFTS_BY_ONE 1
#define MOVE_VECTOR 16
#define VB MOVE_VECTOR
#include "vm/lanes/picks.inc"
#define NARROW_PICKS "vm/lanes/narrow_picks_x86.h"
#define VECTOR_MIN_f32   _mm_min_ps
#define VECTOR_MIN_f64   _mm_min_pd
#define VECTOR_MAX_f32   _mm_max_ps
#define VECTOR_MAX_f64   _mm_max_pd
#define VECTOR_SPLAT_f32 _mm_set1_ps
#define VECTOR_SPLAT_f64 _mm_set1_pd
#define VECTOR_NANS      __m128i
#define VECTOR_NANS_f32(x, y) _mm_castps_si128(_mm_cmpunord_ps(x, y))
#define VECTOR_NANS_f64(x, y) _mm_castpd_si128(_mm_cmpunord_pd(x, y))
#define VECTOR_HAS_NANS(nans) (_mm_movemask_epi8(nans) != 0)
#define TIRBI_KERNEL_TABLE tirbi_kernels_sse2
#define FLOAT_SCALARS NULL
#define OWN_ORDERED tirbi_ordered_baseline
#define OWN_FUSED tirbi_fused_baseline
#define BLOCKS_OF(what) what##SSE2
#include "vm/lanes/kernels.inc"

#endif
