/* Bytes and words of 2 bytes that are some step apart, for x86-64: see vm/lanes/pick_steps.inc.
 *
 * picked_<size>_by_<k>(p) is a vector of every k-th element, half_<size>_<which>(p, step) 16 bytes of elements, read
 * between the first and the last byte of these. Every second and fourth element is what is left of vectors when the
 * bits between are cleared, packed: the last of these ends with the last element, whose bits are its highest. */
#ifndef TIRB_VM_LANES_NARROW_PICKS_X86_H
#define TIRB_VM_LANES_NARROW_PICKS_X86_H

typedef __m128i_u HALF_IN_STRIP __attribute__((may_alias));
typedef PICKED_4_IN_MEMORY PICKED_1_IN_MEMORY;
typedef PICKED_4_IN_MEMORY PICKED_2_IN_MEMORY;
typedef uint16_t ONE_PICKED_2 __attribute__((aligned(1), may_alias));

#define DEFINE_HALF(name)                                                                                              \
    static inline __attribute__((always_inline)) __m128i half_##name(const uint8_t *p, ptrdiff_t step)
#define HALF_AT(bytes) _mm_loadu_si128((const HALF_IN_STRIP *)(const void *)BEHIND(p, bytes))

/* ---- Every second and fourth element ---------------------------------------------------------------------------- */

#if VB == 32
#define PACKED_BYTES(a, b) _mm256_packus_epi16((__m256i)(a), (__m256i)(b))
#define PACKED_WORDS(a, b) _mm256_packs_epi32((__m256i)(a), (__m256i)(b))
#define EVEN_FOURTHS(a, b) _mm256_shuffle_ps((__m256)(a), (__m256)(b), 0x88)
/* Of what was packed once, and twice, in each half by itself. */
#define IN_ORDER(x)        ((PICKED_4)_mm256_permute4x64_epi64(x, 0xD8))
#define IN_ORDER_TWICE(x)  ((PICKED_4)_mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)))
#else
#define PACKED_BYTES(a, b) _mm_packus_epi16((__m128i)(a), (__m128i)(b))
#define PACKED_WORDS(a, b) _mm_packs_epi32((__m128i)(a), (__m128i)(b))
#define EVEN_FOURTHS(a, b) _mm_shuffle_ps((__m128)(a), (__m128)(b), 0x88)
#define IN_ORDER(x)        ((PICKED_4)(x))
#define IN_ORDER_TWICE(x)  ((PICKED_4)(x))
#endif
#define LANES_AT(type, bytes) ((type)VECTOR_AT(8, BEHIND(p, bytes)))
/* The low 16 bits of lanes of 32 as numbers with a sign, which packing leaves as they are. */
#define SIGNED_LOW(x) ((SIGNED_4)(x) << 16 >> 16)
typedef int32_t SIGNED_4 __attribute__((vector_size(VB)));
typedef uint16_t UNSIGNED_2 __attribute__((vector_size(VB)));

static inline PICKED_4 picked_1_by_2(const uint8_t *p) {
    return IN_ORDER(PACKED_BYTES(LANES_AT(UNSIGNED_2, 0) & 0xFF, LANES_AT(UNSIGNED_2, VB - 1) >> 8));
}

static inline PICKED_4 picked_1_by_4(const uint8_t *p) {
    return IN_ORDER_TWICE(
        PACKED_BYTES(PACKED_WORDS(LANES_AT(PICKED_4, 0) & 0xFF, LANES_AT(PICKED_4, VB) & 0xFF),
                     PACKED_WORDS(LANES_AT(PICKED_4, 2 * VB) & 0xFF, LANES_AT(PICKED_4, 3 * VB - 3) >> 24)));
}

static inline PICKED_4 picked_2_by_2(const uint8_t *p) {
    return IN_ORDER(PACKED_WORDS(SIGNED_LOW(LANES_AT(SIGNED_4, 0)), LANES_AT(SIGNED_4, VB - 2) >> 16));
}

static inline PICKED_4 picked_2_by_4(const uint8_t *p) {
    return IN_ORDER_TWICE(PACKED_WORDS(
        SIGNED_LOW(EVEN_FOURTHS(LANES_AT(PICKED_8, 0), LANES_AT(PICKED_8, VB))),
        SIGNED_LOW(EVEN_FOURTHS(LANES_AT(PICKED_8, 2 * VB), LANES_AT(PICKED_8, 3 * VB - 6) >> 48))));
}

/* ---- Halves ----------------------------------------------------------------------------------------------------- */

/* The others by fours, which are put together where numbers are: insertions into a vector wait for each other. */
#define BYTE_AT(k) ((uint32_t)*BEHIND(p, (k) * step))
#define WORD_AT(k) ((uint32_t)*(const ONE_PICKED_2 *)(const void *)BEHIND(p, (k) * step))
#define FOUR_BYTES(k)                                                                                                  \
    _mm_cvtsi32_si128((int)(BYTE_AT(k) | BYTE_AT(k + 1) << 8 | BYTE_AT(k + 2) << 16 | BYTE_AT(k + 3) << 24))
#define TWO_WORDS(k) _mm_cvtsi32_si128((int)(WORD_AT(k) | WORD_AT(k + 1) << 16))
#define OF_FOURTHS(fourth, n)                                                                                          \
    _mm_unpacklo_epi64(_mm_unpacklo_epi32(fourth(0), fourth(n)), _mm_unpacklo_epi32(fourth(2 * (n)), fourth(3 * (n))))

DEFINE_HALF(1_far) { return OF_FOURTHS(FOUR_BYTES, 4); }
DEFINE_HALF(2_far) { return OF_FOURTHS(TWO_WORDS, 2); }

/* Whether halves with every third element are better than what compilers make. */
#ifdef HAVE_SHUFFLES
#define PICK_3_OF_HALVES(size) true
#define SHUFFLED(bytes, ...) _mm_shuffle_epi8(HALF_AT(bytes), _mm_setr_epi8(__VA_ARGS__))

DEFINE_HALF(1_by_3) {
    (void)step;
    return _mm_or_si128(_mm_or_si128(SHUFFLED(0, 0, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1),
                                     SHUFFLED(15, -1, -1, -1, -1, -1, -1, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1)),
                        SHUFFLED(30, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 3, 6, 9, 12, 15));
}

DEFINE_HALF(2_by_3) {
    (void)step;
    return _mm_or_si128(_mm_or_si128(SHUFFLED(0, 0, 1, 6, 7, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1),
                                     SHUFFLED(16, -1, -1, -1, -1, -1, -1, 2, 3, 8, 9, 14, 15, -1, -1, -1, -1)),
                        SHUFFLED(28, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 8, 9, 14, 15));
}

DEFINE_HALF(1_back) {
    (void)step;
    return SHUFFLED(-15, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

DEFINE_HALF(2_back) {
    (void)step;
    return SHUFFLED(-14, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
}
#else
#define PICK_3_OF_HALVES(size) ((size) == 1)
#define half_1_by_3 half_1_far
#define half_2_by_3 half_2_far
#define half_1_back half_1_far
#define half_2_back half_2_far
#endif

/* A vector of halves that begin where the elements of the one before end. */
#if VB == 32
#define OF_HALVES(size, half, p, step)                                                                                 \
    ((PICKED_4)_mm256_inserti128_si256(_mm256_castsi128_si256(half(p, step)),                                          \
                                       half(BEHIND(p, 16 / (size) * (step)), step), 1))
#else
#define OF_HALVES(size, half, p, step) ((PICKED_4)half(p, step))
#endif

#endif
