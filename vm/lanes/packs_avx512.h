/* What vm/lanes/packs.inc may have, in AVX-512's words. Included by machine.inc, for machines of one row. */
#ifndef TIRB_VM_LANES_PACKS_AVX512_H
#define TIRB_VM_LANES_PACKS_AVX512_H

static const uint16_t picked_3_of_2[32] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30};
/* The first elements of a vector, of which a stretch of n elements at p has some. */
#define TAKE2_1(p, n) _mm512_castsi256_si512(_mm512_cvtepi16_epi8(STRETCH_1(p, n)))
#define TAKE3_1(p, n) _mm512_castsi128_si512(_mm512_cvtepi32_epi8((__m512i)PICK3_U8(p, n)))
#define TAKE4_1(p, n) _mm512_castsi128_si512(_mm512_cvtepi32_epi8(STRETCH_1(p, n)))
#define TAKE2_2(p, n) _mm512_castsi256_si512(_mm512_cvtepi32_epi16(STRETCH_1(p, 2 * (n))))
#define TAKE3_2(p, n) _mm512_permutexvar_epi16(NUMBERS_OF(picked_3_of_2), STRETCH_1(p, 2 * (n)))
#define TAKE4_2(p, n) _mm512_castsi128_si512(_mm512_cvtepi64_epi16(STRETCH_1(p, 2 * (n))))
#define TAKE2_4(p, n) (__m512i)PICK2_4(p, n)
#define TAKE3_4(p, n) (__m512i)PICK3_4(p, n)
#define TAKE4_4(p, n) (__m512i)PICK4_4(p, n)
#define TAKE2_8(p, n) (__m512i)PICK2_8(p, n)
#define TAKE3_8(p, n) (__m512i)PICK3_8(p, n)
#define TAKE4_8(p, n) (__m512i)PICK4_8(p, n)

/* Rows of elements of E bytes that are k of them apart, of which vectors take `most` at once. */
#define DEFINE_TAKE(k, E, most)                                                                                        \
    static void take##k##_##E(uint8_t *to, const uint8_t *from, ptrdiff_t row_step, size_t lanes, size_t rows) {       \
        const size_t last = lanes % (most) > 0 ? lanes % (most) : (most), whole = lanes - last;                        \
        const size_t stretch = (last - 1) * (k) + 1;                                                                   \
        const __mmask64 mask = FIRST_BITS(last * (E));                                                                 \
        for (size_t r = 0; r < rows; r++) {                                                                            \
            const uint8_t *p = from;                                                                                   \
            for (size_t i = 0; i < whole; i += (most), p += (most) * (k) * (E), to += (most) * (E))                    \
                _mm512_mask_storeu_epi8(to, FIRST_BITS((most) * (E)), TAKE##k##_##E(p, ((most)-1) * (k) + 1));         \
            _mm512_mask_storeu_epi8(to, mask, TAKE##k##_##E(p, stretch));                                              \
            to += last * (E);                                                                                          \
            from = (const uint8_t *)((uintptr_t)from + (uintptr_t)row_step);                                           \
        }                                                                                                              \
    }
DEFINE_TAKE(2, 1, 32)
DEFINE_TAKE(3, 1, 16)
DEFINE_TAKE(4, 1, 16)
DEFINE_TAKE(2, 2, 16)
DEFINE_TAKE(3, 2, 11)
DEFINE_TAKE(4, 2, 8)
DEFINE_TAKE(2, 4, 16)
DEFINE_TAKE(3, 4, 16)
DEFINE_TAKE(4, 4, 16)
DEFINE_TAKE(2, 8, 8)
DEFINE_TAKE(3, 8, 8)
DEFINE_TAKE(4, 8, 8)

static bool take_steps(uint8_t *to, const uint8_t *from, ptrdiff_t step, ptrdiff_t row_step, unsigned shift, size_t lanes,
                       size_t rows) {
    typedef void take(uint8_t *, const uint8_t *, ptrdiff_t, size_t, size_t);
    static take *const takes[4][3] = {{take2_1, take3_1, take4_1},
                                      {take2_2, take3_2, take4_2},
                                      {take2_4, take3_4, take4_4},
                                      {take2_8, take3_8, take4_8}};
    const ptrdiff_t size = (ptrdiff_t)1 << shift, apart = step >> shift;
    if (step % size != 0 || apart < 2 || apart > 4 || lanes == 0) return false;
    takes[shift][apart - 2](to, from, row_step, lanes, rows);
    return true;
}
#define PACK_STEPS(to, from, step, row_step, shift, lanes, rows)                                                       \
    take_steps(to, from, step, row_step, shift, lanes, rows)

static void pack_rows_of_bytes(uint8_t *to, const uint8_t *from, ptrdiff_t row_step, size_t bytes, size_t rows) {
    const size_t last = bytes % 64 > 0 ? bytes % 64 : 64, whole = bytes - last;
    const __mmask64 mask = FIRST_BITS(last);
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < whole; i += 64, to += 64) _mm512_storeu_si512(to, _mm512_loadu_si512(from + i));
        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from + whole));
        to += last;
        from = (const uint8_t *)((uintptr_t)from + (uintptr_t)row_step);
    }
}
#define PACK_BYTES(to, from, row_step, bytes, rows) pack_rows_of_bytes(to, from, row_step, bytes, rows)

#endif
