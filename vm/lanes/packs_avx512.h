/* What vm/lanes/packs.inc may have, in AVX-512's words. Included by machine.inc, for machines of one row. */
#ifndef TIRB_VM_LANES_PACKS_AVX512_H
#define TIRB_VM_LANES_PACKS_AVX512_H

/* Which of two vectors of 16 bits are every third, and where each of ten goes among 30. */
static const uint16_t picked_3_of_2[32] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45};
static const uint16_t spread_3_of_2[32] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5,
                                           5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 9, 9};
/* Where 16 bytes go among 48. */
static const uint8_t spread_3_of_1[64] = {0,  0,  0,  1,  1,  1,  2,  2,  2,  3,  3,  3,  4,  4,  4,  5,
                                          5,  5,  6,  6,  6,  7,  7,  7,  8,  8,  8,  9,  9,  9,  10, 10,
                                          10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15};

/* The first elements of a vector, of which a stretch of n elements at p has some. */
#define TAKE2_1(p, n) _mm512_castsi256_si512(_mm512_cvtepi16_epi8(STRETCH_1(p, n)))
#define TAKE3_1(p, n) _mm512_castsi128_si512(_mm512_cvtepi32_epi8((__m512i)PICK3_U8(p, n)))
#define TAKE4_1(p, n) _mm512_castsi128_si512(_mm512_cvtepi32_epi8(STRETCH_1(p, n)))
#define TAKE8_1(p, n) _mm512_castsi128_si512(_mm512_cvtepi64_epi8(STRETCH_1(p, n)))
#define TAKE2_2(p, n) _mm512_castsi256_si512(_mm512_cvtepi32_epi16(STRETCH_1(p, 2 * (n))))
#define TAKE3_2(p, n) BOTH(16, STRETCH_2(p, 0, n), picked_3_of_2, STRETCH_2(p, 1, n))
#define TAKE4_2(p, n) _mm512_castsi128_si512(_mm512_cvtepi64_epi16(STRETCH_1(p, 2 * (n))))
#define TAKE2_4(p, n) (__m512i)PICK2_4(p, n)
#define TAKE3_4(p, n) (__m512i)PICK3_4(p, n)
#define TAKE4_4(p, n) (__m512i)PICK4_4(p, n)
#define TAKE2_8(p, n) (__m512i)PICK2_8(p, n)
#define TAKE3_8(p, n) (__m512i)PICK3_8(p, n)
#define TAKE4_8(p, n) (__m512i)PICK4_8(p, n)

/* The first bytes of a vector, as many as the compiler knows: what is read soon is stored without a mask. */
#define STORE_FIRST(bytes, to, v)                                                                                      \
    ((bytes) == 64   ? _mm512_storeu_si512(to, v)                                                                      \
     : (bytes) == 32 ? _mm256_storeu_si256((__m256i_u *)(void *)(to), _mm512_castsi512_si256(v))                       \
     : (bytes) == 16 ? _mm_storeu_si128((__m128i_u *)(void *)(to), _mm512_castsi512_si128(v))                          \
                     : _mm_storel_epi64((__m128i_u *)(void *)(to), _mm512_castsi512_si128(v)))

/* Rows of elements of E bytes that are k of them apart, of which vectors take `most` at once. */
#define DEFINE_TAKE(k, E, most)                                                                                        \
    static void take##k##_##E(uint8_t *to, const uint8_t *from, ptrdiff_t row_step, size_t lanes, size_t rows) {       \
        const size_t last = lanes % (most) > 0 ? lanes % (most) : (most), whole = lanes - last;                        \
        const size_t stretch = (last - 1) * (k) + 1;                                                                   \
        const __mmask64 mask = FIRST_BITS(last * (E));                                                                 \
        for (size_t r = 0; r < rows; r++) {                                                                            \
            const uint8_t *p = from;                                                                                   \
            for (size_t i = 0; i < whole; i += (most), p += (most) * (k) * (E), to += (most) * (E))                    \
                STORE_FIRST((most) * (E), to, TAKE##k##_##E(p, ((most)-1) * (k) + 1));                                 \
            if (last + (rows - r - 1) * lanes >= (most))                                                               \
                STORE_FIRST((most) * (E), to, TAKE##k##_##E(p, stretch)); /* rows to come are stored over the rest */  \
            else                                                                                                       \
                _mm512_mask_storeu_epi8(to, mask, TAKE##k##_##E(p, stretch));                                          \
            to += last * (E);                                                                                          \
            from = (const uint8_t *)((uintptr_t)from + (uintptr_t)row_step);                                           \
        }                                                                                                              \
    }
DEFINE_TAKE(2, 1, 32)
DEFINE_TAKE(3, 1, 16)
DEFINE_TAKE(4, 1, 16)
DEFINE_TAKE(8, 1, 8)
DEFINE_TAKE(2, 2, 16)
DEFINE_TAKE(3, 2, 16)
DEFINE_TAKE(4, 2, 8)
DEFINE_TAKE(2, 4, 16)
DEFINE_TAKE(3, 4, 16)
DEFINE_TAKE(4, 4, 16)
DEFINE_TAKE(2, 8, 8)
DEFINE_TAKE(3, 8, 8)
DEFINE_TAKE(4, 8, 8)

static bool take_steps(uint8_t *to, const uint8_t *from, ptrdiff_t step, ptrdiff_t row_step, unsigned shift,
                       size_t lanes, size_t rows) {
    typedef void take(uint8_t *, const uint8_t *, ptrdiff_t, size_t, size_t);
    static take *const takes[4][3] = {{take2_1, take3_1, take4_1},
                                      {take2_2, take3_2, take4_2},
                                      {take2_4, take3_4, take4_4},
                                      {take2_8, take3_8, take4_8}};
    const ptrdiff_t size = (ptrdiff_t)1 << shift, apart = step >> shift;
    const bool by_eight = shift == 0 && apart == 8;
    if (step % size != 0 || apart < 2 || (apart > 4 && !by_eight) || lanes == 0) return false;
    (by_eight ? take8_1 : takes[shift][apart - 2])(to, from, row_step, lanes, rows);
    return true;
}
#define PACK_STEPS(to, from, step, row_step, shift, lanes, rows)                                                       \
    take_steps(to, from, step, row_step, shift, lanes, rows)

/* The other way: the first elements of a vector to a stretch of n elements. */
#define PUT2_1(p, x, n)                                                                                                \
    _mm512_mask_storeu_epi8(p, UINT64_C(0x5555555555555555) & FIRST_BITS(n),                                           \
                            _mm512_cvtepu8_epi16(_mm512_castsi512_si256(x)))
#define PUT3_1(p, x, n)                                                                                                \
    _mm512_mask_storeu_epi8(p, UINT64_C(0x249249249249) & FIRST_BITS(n),                                               \
                            _mm512_shuffle_epi8(_mm512_shuffle_i64x2(x, x, 0), NUMBERS_OF(spread_3_of_1)))
#define PUT4_1(p, x, n)                                                                                                \
    _mm512_mask_storeu_epi8(p, UINT64_C(0x1111111111111111) & FIRST_BITS(n),                                           \
                            _mm512_cvtepu8_epi32(_mm512_castsi512_si128(x)))
#define PUT2_2(p, x, n)                                                                                                \
    _mm512_mask_storeu_epi16(p, (__mmask32)(0x55555555 & FIRST_BITS(n)),                                               \
                             _mm512_cvtepu16_epi32(_mm512_castsi512_si256(x)))
#define PUT3_2(p, x, n)                                                                                                \
    _mm512_mask_storeu_epi16(p, (__mmask32)(0x09249249 & FIRST_BITS(n)),                                               \
                             _mm512_permutexvar_epi16(NUMBERS_OF(spread_3_of_2), x))
#define PUT4_2(p, x, n)                                                                                                \
    _mm512_mask_storeu_epi16(p, (__mmask32)(0x11111111 & FIRST_BITS(n)),                                               \
                             _mm512_cvtepu16_epi64(_mm512_castsi512_si128(x)))
#define PUT2_4(p, x, n) SPREAD2_4(p, x, n)
#define PUT3_4(p, x, n) SPREAD3_4(p, x, n)
#define PUT4_4(p, x, n) SPREAD4_4(p, x, n)
#define PUT2_8(p, x, n) SPREAD2_8(p, x, n)
#define PUT3_8(p, x, n) SPREAD3_8(p, x, n)
#define PUT4_8(p, x, n) SPREAD4_8(p, x, n)

#define DEFINE_PUT(k, E, most)                                                                                         \
    static void put##k##_##E(uint8_t *to, const uint8_t *from, size_t n) {                                             \
        for (; n > (most); n -= (most), to += (most) * (k) * (E), from += (most) * (E)) {                              \
            const __m512i x = STRETCH_1(from, (most) * (E));                                                           \
            PUT##k##_##E(to, x, ((most)-1) * (k) + 1);                                                                 \
        }                                                                                                              \
        const __m512i x = STRETCH_1(from, n * (E));                                                                    \
        PUT##k##_##E(to, x, (n - 1) * (k) + 1);                                                                        \
    }
DEFINE_PUT(2, 1, 32)
DEFINE_PUT(3, 1, 16)
DEFINE_PUT(4, 1, 16)
DEFINE_PUT(2, 2, 16)
DEFINE_PUT(3, 2, 10)
DEFINE_PUT(4, 2, 8)
DEFINE_PUT(2, 4, 16)
DEFINE_PUT(3, 4, 16)
DEFINE_PUT(4, 4, 16)
DEFINE_PUT(2, 8, 8)
DEFINE_PUT(3, 8, 8)
DEFINE_PUT(4, 8, 8)

static bool put_steps(uint8_t *to, ptrdiff_t step, const uint8_t *from, unsigned shift, size_t n) {
    typedef void put(uint8_t *, const uint8_t *, size_t);
    static put *const puts[4][3] = {{put2_1, put3_1, put4_1},
                                    {put2_2, put3_2, put4_2},
                                    {put2_4, put3_4, put4_4},
                                    {put2_8, put3_8, put4_8}};
    const ptrdiff_t size = (ptrdiff_t)1 << shift, apart = step >> shift;
    if (step % size != 0 || apart < 2 || apart > 4 || n == 0) return false;
    puts[shift][apart - 2](to, from, n);
    return true;
}
#define PUT_STEPS(to, step, from, shift, n) put_steps(to, step, from, shift, n)

/* Rows of fewer bytes than a vector, each with what lies behind it, up to the next row's end at most: the next row is
 * stored over that. */
#define ROWS_WITH_MORE(type)                                                                                           \
    for (; rows > 1 && rows * bytes >= sizeof(type); rows--) {                                                         \
        *(type *)(void *)to = *(const type *)(const void *)from;                                                       \
        to += bytes;                                                                                                   \
        from = (const uint8_t *)((uintptr_t)from + (uintptr_t)row_step);                                               \
    }

/* Rows of so few bytes, so near each other, that 16 bytes have several of them. What is stored behind these, the rows
 * to come are stored over; returns how many rows are packed, all but some of the last. */
static size_t pack_near_rows(uint8_t *to, const uint8_t *from, size_t row_step, size_t bytes, size_t rows) {
    const size_t each = (16 - bytes) / row_step + 1;
    const __m256i k = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m256i row = _mm256_mulhi_epu16(k, _mm256_set1_epi16((short)(65535 / bytes + 1))); /* k / bytes */
    const __m256i between = _mm256_mullo_epi16(row, _mm256_set1_epi16((short)(row_step - bytes)));
    const __m128i at = _mm256_cvtepi16_epi8(_mm256_add_epi16(k, between));
    size_t done = 0;
    for (; (rows - done) * bytes >= 16 && (rows - done - 1) * row_step + bytes >= 16; done += each) {
        const __m128i some = _mm_loadu_si128((const __m128i_u *)(const void *)(from + done * row_step));
        _mm_storeu_si128((__m128i_u *)(void *)(to + done * bytes), _mm_shuffle_epi8(some, at));
    }
    return done;
}

/* As many rows of 16 or 32 bytes as a vector holds. */
#define ROW_16(k) _mm_loadu_si128((const __m128i_u *)((uintptr_t)from + (uintptr_t)row_step * (k)))
#define ROW_32(k) _mm256_loadu_si256((const __m256i_u *)((uintptr_t)from + (uintptr_t)row_step * (k)))
static void pack_rows_of_bytes(uint8_t *to, const uint8_t *from, ptrdiff_t row_step, size_t bytes, size_t rows) {
    const size_t last = bytes % 64 > 0 ? bytes % 64 : 64, whole = bytes - last;
    const __mmask64 mask = FIRST_BITS(last);
    if (bytes == 16) {
        for (; rows >= 4; rows -= 4, to += 64, from = (const uint8_t *)((uintptr_t)from + 4 * (uintptr_t)row_step)) {
            const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(ROW_16(0)), ROW_16(1), 1);
            const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(ROW_16(2)), ROW_16(3), 1);
            _mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
        }
    } else if (bytes == 32) {
        for (; rows >= 2; rows -= 2, to += 64, from = (const uint8_t *)((uintptr_t)from + 2 * (uintptr_t)row_step))
            _mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(ROW_32(0)), ROW_32(1), 1));
    } else if (bytes < 16 && row_step > 0 && (size_t)row_step + bytes >= 16) {
        ROWS_WITH_MORE(__m128i_u)
    } else if (bytes > 1 && row_step > 0 && (size_t)row_step >= bytes && (size_t)row_step + bytes <= 16) {
        const size_t done = pack_near_rows(to, from, (size_t)row_step, bytes, rows);
        rows -= done;
        to += done * bytes;
        from += done * (size_t)row_step;
    } else if (bytes > 16 && bytes < 32 && row_step > 0 && (size_t)row_step + bytes >= 32) {
        ROWS_WITH_MORE(__m256i_u)
    } else if (bytes > 32 && bytes < 64 && row_step > 0 && (size_t)row_step + bytes >= 64) {
        ROWS_WITH_MORE(__m512i_u)
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < whole; i += 64, to += 64) _mm512_storeu_si512(to, _mm512_loadu_si512(from + i));
        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from + whole));
        to += last;
        from = (const uint8_t *)((uintptr_t)from + (uintptr_t)row_step);
    }
}
#define PACK_BYTES(to, from, row_step, bytes, rows) pack_rows_of_bytes(to, from, row_step, bytes, rows)

#endif
