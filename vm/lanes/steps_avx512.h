/* What vm/lanes/steps.inc asks for, in AVX-512's words. Included by lanes_avx512.c. */
#ifndef TIRB_VM_LANES_STEPS_AVX512_H
#define TIRB_VM_LANES_STEPS_AVX512_H
#define HAVE_STEPS 1

/* Which elements of two vectors, or of what they gave and the third, are picked. */
static const uint16_t picked_2[1][32] = {{0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                          32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62}};
static const uint32_t picked_4[4][16] = {
    {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
    {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29},
    {0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28}};
static const uint64_t picked_8[4][8] = {
    {0, 2, 4, 6, 8, 10, 12, 14},
    {0, 3, 6, 9, 12, 15, 0, 0},
    {0, 1, 2, 3, 4, 5, 10, 13},
    {0, 4, 8, 12, 0, 4, 8, 12}};
/* And where each goes to. */
static const uint32_t spread_4[9][16] = {
    {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7},
    {8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
    {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5},
    {5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10},
    {10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
    {4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
    {8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11},
    {12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15}};
static const uint64_t spread_8[9][8] = {
    {0, 0, 1, 1, 2, 2, 3, 3},
    {4, 4, 5, 5, 6, 6, 7, 7},
    {0, 0, 0, 1, 1, 1, 2, 2},
    {2, 3, 3, 3, 4, 4, 4, 5},
    {5, 5, 6, 6, 6, 7, 7, 7},
    {0, 0, 0, 0, 1, 1, 1, 1},
    {2, 2, 2, 2, 3, 3, 3, 3},
    {4, 4, 4, 4, 5, 5, 5, 5},
    {6, 6, 6, 6, 7, 7, 7, 7}};
/* Words and bytes of three bytes each, by fours. */
static const uint32_t apart_3[16] = {0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11};
static const uint32_t together_3[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15};

#define NUMBERS_OF(table)    _mm512_loadu_si512(table)
#define BOTH(E, x, table, y) _mm512_permutex2var_epi##E((__m512i)(x), NUMBERS_OF(table), (__m512i)(y))
#define FIRST_BITS(n)        _bzhi_u64(~(uint64_t)0, (uint32_t)(n))
#define BEHIND(n, before)    ((n) > (size_t)(before) ? (n) - (size_t)(before) : 0)
/* Vector v of a stretch of n elements; of it, what is in the stretch. */
#define STRETCH_1(p, n)    _mm512_maskz_loadu_epi8(FIRST_BITS(n), p)
#define STRETCH_2(p, v, n) _mm512_maskz_loadu_epi16((__mmask32)FIRST_BITS(BEHIND(n, 32 * (v))), (p) + 64 * (v))
#define STRETCH_4(p, v, n) _mm512_maskz_loadu_epi32((__mmask16)(FIRST_BITS(n) >> (16 * (v))), (p) + 64 * (v))
#define STRETCH_8(p, v, n) _mm512_maskz_loadu_epi64((__mmask8)(FIRST_BITS(n) >> (8 * (v))), (p) + 64 * (v))

#define PICK_2(E, S, p, n) ((V)BOTH(E, STRETCH_##S(p, 0, n), picked_##S[0], STRETCH_##S(p, 1, n)))
#define PICK_3(E, S, p, n)                                                                                             \
    ((V)BOTH(E, BOTH(E, STRETCH_##S(p, 0, n), picked_##S[1], STRETCH_##S(p, 1, n)), picked_##S[2],                     \
             STRETCH_##S(p, 2, n)))
#define PICK_4(E, S, p, n)                                                                                             \
    ((V)_mm512_shuffle_i64x2(BOTH(E, STRETCH_##S(p, 0, n), picked_##S[3], STRETCH_##S(p, 1, n)),                       \
                             BOTH(E, STRETCH_##S(p, 2, n), picked_##S[3], STRETCH_##S(p, 3, n)), 0x44))
#define PICK2_2(p, n) PICK_2(16, 2, p, n)
#define PICK2_4(p, n) PICK_2(32, 4, p, n)
#define PICK3_4(p, n) PICK_3(32, 4, p, n)
#define PICK4_4(p, n) PICK_4(32, 4, p, n)
#define PICK2_8(p, n) PICK_2(64, 8, p, n)
#define PICK3_8(p, n) PICK_3(64, 8, p, n)
#define PICK4_8(p, n) PICK_4(64, 8, p, n)
#define PICK2_U8(p, n)                                                                                                 \
    ((V)_mm512_and_si512(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi8((__mmask32)FIRST_BITS(n), p)),                  \
                         _mm512_set1_epi32(255)))
#define PICK3_U8(p, n)                                                                                                 \
    ((V)_mm512_and_si512(_mm512_shuffle_epi8(_mm512_permutexvar_epi32(NUMBERS_OF(apart_3), STRETCH_1(p, n)),           \
                                             _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 3, 3, 3, 3, 6, 6, 6,     \
                                                                                  6, 9, 9, 9, 9))),                    \
                         _mm512_set1_epi32(255)))
#define PICK4_U8(p, n) ((V)_mm512_and_si512(STRETCH_1(p, n), _mm512_set1_epi32(255)))

#define SPREAD_4(p, x, n, at, v, mask)                                                                                 \
    _mm512_mask_storeu_epi32((p) + 64 * (v), (__mmask16)((mask) & FIRST_BITS(n) >> (16 * (v))),                        \
                             _mm512_permutexvar_epi32(NUMBERS_OF(spread_4[(at) + (v)]), (__m512i)(x)))
#define SPREAD_8(p, x, n, at, v, mask)                                                                                 \
    _mm512_mask_storeu_epi64((p) + 64 * (v), (__mmask8)((mask) & FIRST_BITS(n) >> (8 * (v))),                          \
                             _mm512_permutexvar_epi64(NUMBERS_OF(spread_8[(at) + (v)]), (__m512i)(x)))
#define SPREAD2_4(p, x, n) SPREAD_4(p, x, n, 0, 0, 0x5555), SPREAD_4(p, x, n, 0, 1, 0x5555)
#define SPREAD3_4(p, x, n)                                                                                             \
    SPREAD_4(p, x, n, 2, 0, 0x9249), SPREAD_4(p, x, n, 2, 1, 0x4924), SPREAD_4(p, x, n, 2, 2, 0x2492)
#define SPREAD4_4(p, x, n)                                                                                             \
    SPREAD_4(p, x, n, 5, 0, 0x1111), SPREAD_4(p, x, n, 5, 1, 0x1111), SPREAD_4(p, x, n, 5, 2, 0x1111),                 \
        SPREAD_4(p, x, n, 5, 3, 0x1111)
#define SPREAD2_8(p, x, n) SPREAD_8(p, x, n, 0, 0, 0x55), SPREAD_8(p, x, n, 0, 1, 0x55)
#define SPREAD3_8(p, x, n)                                                                                             \
    SPREAD_8(p, x, n, 2, 0, 0x49), SPREAD_8(p, x, n, 2, 1, 0x92), SPREAD_8(p, x, n, 2, 2, 0x24)
#define SPREAD4_8(p, x, n)                                                                                             \
    SPREAD_8(p, x, n, 5, 0, 0x11), SPREAD_8(p, x, n, 5, 1, 0x11), SPREAD_8(p, x, n, 5, 2, 0x11),                       \
        SPREAD_8(p, x, n, 5, 3, 0x11)
#define SPREAD2_U8(p, x, n)                                                                                            \
    _mm256_mask_storeu_epi8(p, (__mmask32)(0x55555555 & FIRST_BITS(n)), _mm512_cvtepi32_epi16((__m512i)(x)))
#define SPREAD3_U8(p, x, n)                                                                                            \
    _mm512_mask_storeu_epi8(p, UINT64_C(0x249249249249) & FIRST_BITS(n),                                               \
                            _mm512_permutexvar_epi32(NUMBERS_OF(together_3),                                           \
                                                     _mm512_shuffle_epi8((__m512i)(x),                                 \
                                                                         _mm512_broadcast_i32x4(_mm_setr_epi8(         \
                                                         0, 0, 0, 4, 4, 4, 8, 8, 8, 12, 12, 12, 12, 12, 12, 12)))))
#define SPREAD4_U8(p, x, n) _mm512_mask_storeu_epi8(p, UINT64_C(0x1111111111111111) & FIRST_BITS(n), (__m512i)(x))

#endif
