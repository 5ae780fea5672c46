/* Strip kernels for x86-64 with AVX-512 VPOPCNTDQ and BITALG. */
#include "vm/lanes/counts.h"

#if TIRBI_LANES_AVX512

#if defined(__clang__)
#pragma clang attribute push(                                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx512bitalg,bmi,bmi2"))),               \
    apply_to = function)
#else
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx512bitalg,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#define POPCOUNT(bits, mask)                                                                                           \
    static bool popcount_##bits(void *d, const void *a, const void *b, const void *c, size_t n) {                      \
        enum { LANES = 512 / (bits) };                                                                                 \
        uint##bits##_t *to = d;                                                                                        \
        const uint##bits##_t *from = a;                                                                                \
        (void)b, (void)c;                                                                                              \
        for (; n >= LANES; n -= LANES, to += LANES, from += LANES)                                                     \
            _mm512_storeu_si512(to, _mm512_popcnt_epi##bits(_mm512_loadu_si512(from)));                                \
        const mask rest = (mask)_bzhi_u64(~UINT64_C(0), (uint32_t)n);                                                  \
        const __m512i x = _mm512_maskz_loadu_epi##bits(rest, from);                                                    \
        _mm512_mask_storeu_epi##bits(to, rest, _mm512_popcnt_epi##bits(x));                                            \
        return true;                                                                                                   \
    }
POPCOUNT(8, __mmask64)
POPCOUNT(16, __mmask32)
POPCOUNT(32, __mmask16)
POPCOUNT(64, __mmask8)

const tirbi_count_kernels tirbi_counts_avx512 = {
    .popcount = {[TIRB_I8] = popcount_8, [TIRB_U8] = popcount_8, [TIRB_I16] = popcount_16,
                 [TIRB_U16] = popcount_16, [TIRB_I32] = popcount_32, [TIRB_U32] = popcount_32,
                 [TIRB_I64] = popcount_64, [TIRB_U64] = popcount_64}};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
