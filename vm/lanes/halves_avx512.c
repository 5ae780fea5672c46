/* Strip kernels of float16 for x86-64 with AVX512-FP16. Its arithmetic heeds neither FTZ nor DAZ. */
#include "vm/lanes/halves.h"

#if TIRBI_LANES_AVX512_FP16

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512fp16,bmi,bmi2"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512fp16,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wsign-conversion" /* of gcc's own macros for comparisons */

enum { HALVES = 32 }; /* in a vector */

#define PART(n)           ((__mmask32)_bzhi_u32(~0u, (uint32_t)(n)))
#define LOAD(p)           _mm512_castsi512_ph(_mm512_loadu_si512(p))
#define LOAD_PART(p, n)   _mm512_castsi512_ph(_mm512_maskz_loadu_epi16(PART(n), p))
#define STORE(p, x)       _mm512_storeu_si512(p, x)
#define STORE_PART(p, n, x) _mm512_mask_storeu_epi16(p, PART(n), x)

/* The bits, with the canonical NaN for any. */
static inline __m512i settled(__m512h x) {
    __mmask32 nan = _mm512_cmp_ph_mask(x, x, _CMP_UNORD_Q);
    return _mm512_mask_blend_epi16(nan, _mm512_castph_si512(x), _mm512_set1_epi16(0x7E00));
}

#define KERNEL_1(name, OP)                                                                                             \
    static bool name##_f16(void *d, const void *a, const void *b, const void *c, size_t n) {                           \
        uint16_t *to = d;                                                                                              \
        const uint16_t *x = a;                                                                                         \
        (void)b, (void)c;                                                                                              \
        for (; n >= HALVES; n -= HALVES, to += HALVES, x += HALVES) STORE(to, settled(OP(LOAD(x))));                   \
        if (n > 0) STORE_PART(to, n, settled(OP(LOAD_PART(x, n))));                                                    \
        return true;                                                                                                   \
    }
#define KERNEL_2(name, OP)                                                                                             \
    static bool name##_f16(void *d, const void *a, const void *b, const void *c, size_t n) {                           \
        uint16_t *to = d;                                                                                              \
        const uint16_t *x = a, *y = b;                                                                                 \
        (void)c;                                                                                                       \
        for (; n >= HALVES; n -= HALVES, to += HALVES, x += HALVES, y += HALVES)                                       \
            STORE(to, settled(OP(LOAD(x), LOAD(y))));                                                                  \
        if (n > 0) STORE_PART(to, n, settled(OP(LOAD_PART(x, n), LOAD_PART(y, n))));                                   \
        return true;                                                                                                   \
    }
/* To bools, which are bytes. */
#define TRUTH_PART(p, n, mask) _mm256_mask_storeu_epi8(p, PART(n), _mm256_maskz_set1_epi8(mask, 1))
#define KERNEL_COMPARED(name, predicate)                                                                               \
    static bool name##_f16(void *d, const void *a, const void *b, const void *c, size_t n) {                           \
        uint8_t *to = d;                                                                                               \
        const uint16_t *x = a, *y = b;                                                                                 \
        (void)c;                                                                                                       \
        for (; n >= HALVES; n -= HALVES, to += HALVES, x += HALVES, y += HALVES)                                       \
            TRUTH_PART(to, HALVES, _mm512_cmp_ph_mask(LOAD(x), LOAD(y), predicate));                                   \
        if (n > 0) TRUTH_PART(to, n, _mm512_cmp_ph_mask(LOAD_PART(x, n), LOAD_PART(y, n), predicate));                 \
        return true;                                                                                                   \
    }
KERNEL_2(add, _mm512_add_ph)
KERNEL_2(sub, _mm512_sub_ph)
KERNEL_2(mul, _mm512_mul_ph)
KERNEL_2(div, _mm512_div_ph)
KERNEL_2(min, _mm512_min_ph)
KERNEL_2(max, _mm512_max_ph)
KERNEL_1(sqrt, _mm512_sqrt_ph)
KERNEL_COMPARED(eq, _CMP_EQ_OQ)
KERNEL_COMPARED(ne, _CMP_NEQ_UQ)
KERNEL_COMPARED(lt, _CMP_LT_OQ)
KERNEL_COMPARED(le, _CMP_LE_OQ)
KERNEL_COMPARED(gt, _CMP_GT_OQ)
KERNEL_COMPARED(ge, _CMP_GE_OQ)

#define ROW(NAME, name) [TIRB_OP_##NAME - TIRBI_FIRST_ELEMENTWISE] = name##_f16
const tirbi_half_kernels tirbi_halves_avx512 = {
    .op = {ROW(ADD, add), ROW(SUB, sub), ROW(MUL, mul), ROW(DIV, div), ROW(MIN, min), ROW(MAX, max), ROW(SQRT, sqrt),
           ROW(EQ, eq), ROW(NE, ne), ROW(LT, lt), ROW(LE, le), ROW(GT, gt), ROW(GE, ge)}};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
