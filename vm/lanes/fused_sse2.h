/* Multiply-adds of banks of float32 by SSE2, which has no instruction for these: see vm/math/fused.h. Included by
 * machine.inc.
 *
 * There are four registers beside two banks. Operands come from memory for that reason, where handlers put those that
 * are in banks, and so they are there still where a result turns out not to be sure. Handlers of all forms go on to a
 * few places, by the operation, by the bank of the results and by one factor: M, one for each lane; K, one for all of
 * them; and P, a power of two for all, whose products are exact where they lead back to the other factor. */
#ifndef TIRB_VM_LANES_FUSED_SSE2_H
#define TIRB_VM_LANES_FUSED_SSE2_H

#define FUSED_INLINE static inline __attribute__((always_inline))

/* Two floats as doubles. gcc 12 would load them, and then convert. */
FUSED_INLINE __m128d fused_wide(const uint8_t *from) {
    typedef double in_memory __attribute__((aligned(1), may_alias));
    __m128d to;
    __asm__("cvtps2pd %1, %0" : "=x"(to) : "m"(*(const in_memory *)from));
    return to;
}

/* Four sums, rounded once more. Where one of them is just between two floats, its word of the least numbers is the
 * least there is, as seldom is of others: 16 of the 29 bits that say so are looked at. */
FUSED_INLINE V fused_join(__m128d low, __m128d high, __m128i *least) {
    const __m128i tails = (__m128i)_mm_shuffle_ps((__m128)low, (__m128)high, 0x88);
    *least = _mm_min_epi16(*least, _mm_slli_epi32(tails, 3));
    return (V)_mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
/* The same for results that are NaN, or not greater than the least normal number: doubled, those follow each other. */
FUSED_INLINE __m128i fused_lesser(__m128i least, V result) {
    const __m128i twice = _mm_add_epi32((__m128i)result, (__m128i)result);
    return _mm_min_epi16(least, _mm_add_epi32(twice, _mm_set1_epi32(INT32_MIN + 0xFFFFFF)));
}
#define FUSED_LESSER(least) _mm_cmplt_epi16(least, _mm_set1_epi16(INT16_MIN + 0x200))
/* Whether any of such words is true; of each, the higher half counts. */
#define FUSED_ANY(words) (_mm_movemask_epi8(words) & 0xCCCC)
#define FUSED_TIES(least) _mm_cmpeq_epi16(least, _mm_set1_epi16(INT16_MIN))

#define FUSED_FACTOR_K(i) *(const __m128d *)(const void *)fused_y
#define FUSED_FACTOR_M(i) fused_wide(fused_y + (i)*8)
#define FUSED_SUM_FMA(p, z)  ((p) + (z))
#define FUSED_SUM_FMS(p, z)  ((p) - (z))
#define FUSED_SUM_FNMA(p, z) ((z) - (p))
#define FUSED_HALF(to, i, OP, Y)                                                                                       \
    __m128d to = fused_wide(fused_x + (i)*8) * FUSED_FACTOR_##Y(i);                                                    \
    to = FUSED_SUM_##OP(to, fused_wide(fused_z + (i)*8));                                                              \
    __asm__("" : "+x"(to)); /* one after the other */
#define STEP_FUSED(i, OP, D, Y)                                                                                        \
    {                                                                                                                  \
        FUSED_HALF(low, 2 * (i), OP, Y)                                                                                \
        FUSED_HALF(high, 2 * (i) + 1, OP, Y)                                                                           \
        REG_##D(i) = fused_join(low, high, &fused_ties);                                                               \
        __asm__("" : "+x"(fused_ties));                                                                                \
    }
#define STEP_LESSER(i, D) least = fused_lesser(least, REG_##D(i));
#define FUSED_BANK(OP, D, Y)                                                                                           \
    __m128i least = _mm_setzero_si128();                                                                               \
    fused_ties = least;                                                                                                \
    EACH(STEP_FUSED, OP, D, Y)                                                                                         \
    EACH(STEP_LESSER, D)                                                                                               \
    least = _mm_or_si128(FUSED_LESSER(least), FUSED_TIES(fused_ties));
#define FUSED_PLACE(OP, D, Y)                                                                                          \
    {                                                                                                                  \
        FUSED_BANK(OP, D, Y)                                                                                           \
        if (__builtin_expect(FUSED_ANY(least) != 0, 0)) goto fused_unsure_##D;                                         \
        NEXT(1);                                                                                                       \
    }
#define STEP_FUSED_POWER(i, OP, D)                                                                                     \
    {                                                                                                                  \
        const __m128 x = _mm_loadu_ps((const float *)(const void *)(fused_x + (i)*VB)), p = x * power;                 \
        const __m128 sum = FUSED_SUM_##OP(p, _mm_loadu_ps((const float *)(const void *)(fused_z + (i)*VB)));           \
        odd = _mm_or_ps(odd, _mm_or_ps(_mm_cmpneq_ps(p * inverse, x), _mm_cmpunord_ps(sum, sum)));                     \
        REG_##D(i) = (V)sum;                                                                                           \
    }
#define FUSED_POWER(OP, D)                                                                                             \
    {                                                                                                                  \
        const __m128 power = (__m128)k, inverse = 1 / power;                                                           \
        __m128 odd = _mm_setzero_ps();                                                                                 \
        EACH(STEP_FUSED_POWER, OP, D)                                                                                  \
        if (__builtin_expect(_mm_movemask_ps(odd) != 0, 0)) goto fused_anew_##D;                                       \
        NEXT(1);                                                                                                       \
    }
#define FUSED_PLACE_M(OP, D)                                                                                           \
    case FUSED_##OP##_##D##M:                                                                                          \
        FUSED_PLACE(OP, D, M)
/* Products by a factor that lacks these have short ends, so that sums are often just between two floats, exactly: that
 * is looked at more closely elsewhere. */
enum { FUSED_DIGITS = 0x7FFF };
/* z - x k is x (-k) + z. */
#define FUSED_PLACES_OF_ONE(OP, D)                                                                                     \
    if ((_mm_cvtsi128_si32((__m128i)k) & 0x7FFFFF) == 0) FUSED_POWER(OP, D)                                            \
    if ((_mm_cvtsi128_si32((__m128i)k) & FUSED_DIGITS) == 0) goto in_memory;                                           \
    ST(fused_factor, (V)_mm_cvtps_pd((__m128)k));                                                                      \
    fused_y = fused_factor;                                                                                            \
    FUSED_PLACE(OP, D, K)
#define FUSED_PLACES_K(D)                                                                                              \
    case FUSED_FNMA_##D##K:                                                                                            \
        k = DO_NEG_F32(SPLAT_F32(fused_y));                                                                            \
        goto fused_##D##K;                                                                                             \
    case FUSED_FMA_##D##K:                                                                                             \
        k = SPLAT_F32(fused_y);                                                                                        \
    fused_##D##K:                                                                                                      \
        FUSED_PLACES_OF_ONE(FMA, D)                                                                                    \
    case FUSED_FMS_##D##K:                                                                                             \
        k = SPLAT_F32(fused_y);                                                                                        \
        FUSED_PLACES_OF_ONE(FMS, D)
/* Results that are zero are right, for where a sum is that small it is exact. What is not is done anew. */
#define STEP_SMALL(i, D)                                                                                               \
    least = _mm_min_epi16(least, (__m128i)TIRBI_FUSED_ORDER((VU32)REG_##D(i)));                                        \
    odd = _mm_or_si128(odd, (__m128i)_mm_cmpunord_ps((__m128)REG_##D(i), (__m128)REG_##D(i)));
#define FUSED_UNSURE(D, O, o)                                                                                          \
    fused_unsure_##D : {                                                                                               \
        __m128i least = _mm_setzero_si128(), odd = FUSED_TIES(fused_ties);                                             \
        EACH(STEP_SMALL, D)                                                                                            \
        odd = _mm_or_si128(odd, _mm_cmplt_epi16(least, _mm_set1_epi16(INT16_MIN + 0x100)));                            \
        if (FUSED_ANY(odd) == 0) NEXT(1);                                                                              \
    }                                                                                                                  \
    fused_anew_##D : {                                                                                                 \
        uint8_t *const p = banks[o];                                                                                   \
        EACH(STEP_STORE, O)                                                                                            \
        goto from_memory;                                                                                              \
    }

/* Where handlers go on to, with what they read in memory. */
#define FUSED_PLACES                                                                                                   \
    fused_keep_both : {                                                                                                \
        uint8_t *const p = banks[0];                                                                                   \
        EACH(STEP_STORE, A)                                                                                            \
    }                                                                                                                  \
    fused_keep_B : {                                                                                                   \
        uint8_t *const p = banks[1];                                                                                   \
        EACH(STEP_STORE, B)                                                                                            \
    }                                                                                                                  \
    goto fused_go;                                                                                                     \
    fused_keep_A : {                                                                                                   \
        uint8_t *const p = banks[0];                                                                                   \
        EACH(STEP_STORE, A)                                                                                            \
    }                                                                                                                  \
    fused_go : {                                                                                                       \
        V k;                                                                                                           \
        switch (fused_place) {                                                                                         \
            FUSED_PLACES_K(A)                                                                                          \
            FUSED_PLACES_K(B)                                                                                          \
            FUSED_PLACE_M(FMA, A)                                                                                      \
            FUSED_PLACE_M(FMA, B)                                                                                      \
            FUSED_PLACE_M(FMS, A)                                                                                      \
            FUSED_PLACE_M(FMS, B)                                                                                      \
            FUSED_PLACE_M(FNMA, A)                                                                                     \
            FUSED_PLACE_M(FNMA, B)                                                                                     \
        }                                                                                                              \
        __builtin_unreachable();                                                                                       \
    }                                                                                                                  \
    FUSED_UNSURE(A, B, 1)                                                                                              \
    FUSED_UNSURE(B, A, 0)

/* Handlers say where operands are: what is in a bank is kept in memory, a factor for all stays where it is, and a term
 * for all becomes a bank in memory. */
#define FUSED_PLACES_OF(OP) FUSED_##OP##_AK, FUSED_##OP##_BK, FUSED_##OP##_AM, FUSED_##OP##_BM
enum { FUSED_PLACES_OF(FMA), FUSED_PLACES_OF(FMS), FUSED_PLACES_OF(FNMA) };
#define FUSED_IS_A_A 1
#define FUSED_IS_A_B 0
#define FUSED_IS_A_M 0
#define FUSED_IS_A_K 0
#define FUSED_IS_B_A 0
#define FUSED_IS_B_B 1
#define FUSED_IS_B_M 0
#define FUSED_IS_B_K 0
#define FUSED_IS_M_K 0
#define FUSED_IS_K_K 1
#define FUSED_KEEPS(BANK, X, Y, Z) (FUSED_IS_##BANK##_##X || FUSED_IS_##BANK##_##Y || FUSED_IS_##BANK##_##Z)
#define STEP_FUSED_SPLAT(i, v) ST(banks[2] + (i)*VB, v);
#define FUSED_TERM_A fused_z = banks[0];
#define FUSED_TERM_B fused_z = banks[1];
#define FUSED_TERM_M fused_z = ptr[WORD_C];
#define FUSED_TERM_K                                                                                                   \
    {                                                                                                                  \
        const V term = SPLAT_F32(ptr[WORD_C]);                                                                         \
        EACH(STEP_FUSED_SPLAT, term)                                                                                   \
        fused_z = banks[2];                                                                                            \
    }
#define FUSED_AT_A(word) banks[0]
#define FUSED_AT_B(word) banks[1]
#define FUSED_AT_M(word) ptr[word]
#define FUSED_AT_K(word) ptr[word]
#define FUSED_HANDLER(OP, D, X, Y, Z)                                                                                  \
    HANDLER(OP##_F32_##D##X##Y##Z) {                                                                                   \
        FUSED_TERM_##Z                                                                                                 \
        fused_x = FUSED_AT_##X(WORD_A);                                                                                \
        fused_y = FUSED_AT_##Y(WORD_B);                                                                                \
        fused_place = FUSED_IS_##Y##_K ? FUSED_##OP##_##D##K : FUSED_##OP##_##D##M;                                    \
        if (FUSED_KEEPS(A, X, Y, Z) && FUSED_KEEPS(B, X, Y, Z)) goto fused_keep_both;                                  \
        if (FUSED_KEEPS(A, X, Y, Z)) goto fused_keep_A;                                                                \
        if (FUSED_KEEPS(B, X, Y, Z)) goto fused_keep_B;                                                                \
        goto fused_go;                                                                                                 \
    }

/* An inner loop whose body is D = fma(k, m, D); the one round that is not sure is done in memory. */
#define FUSED_LOOP_HANDLER(D, d, O, o)                                                                                 \
    HANDLER(LOOP_FMA_F32_##D) {                                                                                        \
        const ptrdiff_t from_step = (ptrdiff_t)state->inner[pc->a].steps[pc->b - 1];                                   \
        const ptrdiff_t m_step = (ptrdiff_t)state->inner[pc->a].steps[pc->c - 1];                                      \
        const uint8_t *from = ptr[pc->b];                                                                              \
        fused_x = ptr[pc->c];                                                                                          \
        fused_y = fused_factor;                                                                                        \
        fused_z = banks[d];                                                                                            \
        for (int64_t left = state->inner[pc->a].extent; left > 0; left--) {                                            \
            const V k = SPLAT_F32(from);                                                                               \
            ST(fused_factor, (V)_mm_cvtps_pd((__m128)k));                                                              \
            {                                                                                                          \
                uint8_t *const p = banks[d];                                                                           \
                EACH(STEP_STORE, D)                                                                                    \
            }                                                                                                          \
            FUSED_BANK(FMA, D, K)                                                                                      \
            if (__builtin_expect(FUSED_ANY(least) != 0, 0)) {                                                          \
                {                                                                                                      \
                    uint8_t *const p = banks[o];                                                                       \
                    EACH(STEP_STORE, O)                                                                                \
                }                                                                                                      \
                fuse_bank(banks[d], from, fused_x);                                                                    \
                FORGET_BANKS();                                                                                        \
                const uint8_t *p = banks[d];                                                                           \
                EACH(STEP_LOAD, D)                                                                                     \
                p = banks[o];                                                                                          \
                EACH(STEP_LOAD, O)                                                                                     \
            }                                                                                                          \
            from = (const uint8_t *)((uintptr_t)from + (uintptr_t)from_step);                                          \
            fused_x = (const uint8_t *)((uintptr_t)fused_x + (uintptr_t)m_step);                                       \
            if ((left & 63) == 0 && must_stop(state)) return TIRBI_LANE_STOPPED;                                       \
        }                                                                                                              \
        NEXT(1);                                                                                                       \
    }
static __attribute__((noinline)) void fuse_bank(uint8_t *sums, const uint8_t *from, const uint8_t *m) {
    const V k = SPLAT_F32(from);
    FUSE_F32[TIRBI_FUSED_FMA](sums, for_all(&k), in_order(m), in_order(sums), BANK_REGISTERS);
}

#endif
