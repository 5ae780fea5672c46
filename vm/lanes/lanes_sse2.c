/* The lane machine for x86-64 as such, with SSE2. It has no fused multiply-add: those go through the strip kernels. */
#include "vm/lanes/apart.h"
#include "vm/lanes/banks.h"
#include "vm/lanes/machines.h"

#if TIRBI_LANES_SSE2

#pragma GCC diagnostic ignored "-Wpedantic"

#include <emmintrin.h>
#include <math.h>
#include <string.h>

#define LANE_MACHINE tirbi_lane_machine_sse2
#define BLOCKS_OF(what) what##SSE2
#define VB 16
#define BANK_REGISTERS 6
#define EACH EACH6
#define BANK_VARIABLES VARIABLES6
#define FORGET_BANKS() FORGET6("x")

#define HAVE_SQRT 1
#define DO_SQRT_F32(x) ((V)_mm_sqrt_ps((__m128)(x)))
#define DO_SQRT_F64(x) ((V)_mm_sqrt_pd((__m128d)(x)))
#define DO_MIN_F32(x, y) ((V)_mm_min_ps((__m128)(x), (__m128)(y)))
#define DO_MAX_F32(x, y) ((V)_mm_max_ps((__m128)(x), (__m128)(y)))
#define DO_MIN_F64(x, y) ((V)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define DO_MAX_F64(x, y) ((V)_mm_max_pd((__m128d)(x), (__m128d)(y)))
#define DO_MIN_U8(x, y) ((V)_mm_min_epu8((__m128i)(x), (__m128i)(y)))
#define DO_MAX_U8(x, y) ((V)_mm_max_epu8((__m128i)(x), (__m128i)(y)))
#define DO_MIN_I16(x, y) ((V)_mm_min_epi16((__m128i)(x), (__m128i)(y)))
#define DO_MAX_I16(x, y) ((V)_mm_max_epi16((__m128i)(x), (__m128i)(y)))
#define LOAD_HALF(p) _mm_loadl_epi64((const __m128i_u *)(p))
#define WIDEN_U8(p) ((V)_mm_unpacklo_epi8(LOAD_HALF(p), _mm_setzero_si128()))
#define WIDEN_I8(p) ((V)_mm_srai_epi16(_mm_unpacklo_epi8(_mm_setzero_si128(), LOAD_HALF(p)), 8))
#define LOW_BYTES_OF(v) _mm_and_si128((__m128i)(v), _mm_set1_epi16(0xFF))
#define NARROW_8(p, x) _mm_storel_epi64((__m128i_u *)(p), _mm_packus_epi16(LOW_BYTES_OF(x), LOW_BYTES_OF(x)))
/* A comparison of two registers finds a NaN in either. */
#define UNORDERED_F32(x, y) _mm_cmpunord_ps((__m128)(x), (__m128)(y))
#define UNORDERED_F64(x, y) _mm_cmpunord_pd((__m128d)(x), (__m128d)(y))
#define ANY_NAN_F32(R)                                                                                                 \
    (_mm_movemask_ps(_mm_or_ps(_mm_or_ps(UNORDERED_F32(R(0), R(1)), UNORDERED_F32(R(2), R(3))),                        \
                               UNORDERED_F32(R(4), R(5)))) != 0)
#define ANY_NAN_F64(R)                                                                                                 \
    (_mm_movemask_pd(_mm_or_pd(_mm_or_pd(UNORDERED_F64(R(0), R(1)), UNORDERED_F64(R(2), R(3))),                        \
                               UNORDERED_F64(R(4), R(5)))) != 0)
#include "vm/lanes/words_sse2.h"
#define FUSED_HANDLERS "vm/lanes/fused_sse2.h"
#define NARROW_PICKS "vm/lanes/narrow_picks_x86.h"
#include "vm/lanes/machine.inc"

#endif
