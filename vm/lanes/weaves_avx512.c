/* Weaving for x86-64 with AVX512-VBMI, by vectors of 64 bytes under masks. */
#include "vm/lanes/isas.h"
#include "vm/lanes/weaves.h"

#if TIRBI_LANES_AVX512

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,bmi2"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

enum { BYTES = TIRBI_WEAVE_VECTOR };

static const uint8_t numbers[BYTES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                       32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                       48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

static inline __mmask64 first_bytes(size_t n) { return n >= BYTES ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }

/* What one vector of several rows takes from a source. */
typedef struct thread {
    __m512i index;
    __mmask64 takes, reads;
    const uint8_t *at;
    ptrdiff_t step; /* to the next vector's */
} thread;

static size_t step_of(const tirbi_weave *w, unsigned k) {
    return (size_t)(w->from_step[k] < 0 ? -w->from_step[k] : w->from_step[k]);
}

/* As many rows as their bytes on either side are in a vector. */
static size_t rows_at_once(const tirbi_weave *w) {
    size_t rows = BYTES / w->to_step;
    for (unsigned k = 0; k < w->n_sources; k++) {
        const size_t fit = step_of(w, k) > 0 ? (BYTES - w->span[k]) / step_of(w, k) + 1 : rows;
        if (fit < rows) rows = fit;
    }
    return rows;
}

/* The bytes that the first `n` rows of a vector of `rows` use of source k: backwards, it begins with its last row. */
static __mmask64 bytes_read(const tirbi_weave *w, unsigned k, size_t rows, size_t n) {
    if (n == 0) return 0;
    const __mmask64 before = w->from_step[k] < 0 ? first_bytes((rows - n) * step_of(w, k)) : 0;
    const size_t last = w->from_step[k] < 0 ? rows - 1 : n - 1;
    return first_bytes(last * step_of(w, k) + w->span[k]) & ~before;
}

/* Halves of vectors of bytes, as 16 bits each, and back. */
static inline __m512i bytes_of_halves(__m512i low, __m512i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(low)), _mm512_cvtepi16_epi8(high), 1);
}

/* Of 16 bytes, those at the places. */
static inline __m512i repeated(__m512i places, const uint8_t *bytes) {
    return _mm512_permutexvar_epi8(places, _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)bytes)));
}

static void prepare(tirbi_weave *w) {
    const size_t rows = rows_at_once(w);
    const __m512i low = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)numbers)),
                  high = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)(numbers + 32)));
    /* The row of each byte, and its place there: a division of numbers below 64 by at most 16. */
    const __m512i parts = _mm512_set1_epi16((int16_t)(uint16_t)(65535 / w->to_step + 1)),
                  width = _mm512_set1_epi16((int16_t)w->to_step);
    const __m512i low_row = w->to_step == 1 ? low : _mm512_mulhi_epu16(low, parts),
                  high_row = w->to_step == 1 ? high : _mm512_mulhi_epu16(high, parts);
    const __m512i place = bytes_of_halves(_mm512_sub_epi16(low, _mm512_mullo_epi16(low_row, width)),
                                          _mm512_sub_epi16(high, _mm512_mullo_epi16(high_row, width)));
    const __m512i source = repeated(place, w->source_of), byte = repeated(place, w->byte_of);
    const __mmask64 inside = first_bytes(rows * w->to_step);
    for (unsigned k = 0; k < w->n_sources; k++) {
        const __m512i step = _mm512_set1_epi16((int16_t)w->from_step[k]);
        const bool back = w->from_step[k] < 0;
        const ptrdiff_t begin = back ? (ptrdiff_t)(rows - 1) * w->from_step[k] : 0;
        const __m512i row = bytes_of_halves(_mm512_mullo_epi16(low_row, step), _mm512_mullo_epi16(high_row, step));
        w->begin[k] = begin;
        w->takes[k] = _mm512_mask_cmpeq_epi8_mask(inside, source, _mm512_set1_epi8((char)k));
        w->reads[k] = bytes_read(w, k, rows, rows);
        _mm512_storeu_si512(w->index[k],
                            _mm512_add_epi8(_mm512_add_epi8(row, byte), _mm512_set1_epi8((char)-begin)));
    }
    w->rows = rows;
}

static inline __attribute__((always_inline)) void weave_blocks(const thread *threads, unsigned n, uint8_t *to,
                                                               size_t to_step, const ptrdiff_t *at, size_t blocks) {
    const uint8_t *from[TIRBI_WEAVE_SOURCES];
    __mmask64 written = 0;
    for (unsigned k = 0; k < n; k++) {
        written |= threads[k].takes;
        from[k] = (const uint8_t *)((uintptr_t)threads[k].at + (uintptr_t)at[k]);
    }
    for (; blocks > 0; blocks--, to += to_step) {
        __m512i v = _mm512_setzero_si512();
        for (unsigned k = 0; k < n; k++) {
            const __m512i source = _mm512_maskz_loadu_epi8(threads[k].reads, from[k]);
            v = _mm512_mask_permutexvar_epi8(v, threads[k].takes, threads[k].index, source);
            from[k] = (const uint8_t *)((uintptr_t)from[k] + (uintptr_t)threads[k].step);
        }
        _mm512_mask_storeu_epi8(to, written, v);
    }
}

/* The same for as many threads as the compiler knows. */
static void weave_stretch(const thread *threads, unsigned n_threads, uint8_t *to, size_t to_step, const ptrdiff_t *at,
                          size_t blocks) {
    switch (n_threads) {
    case 1: weave_blocks(threads, 1, to, to_step, at, blocks); break;
    case 2: weave_blocks(threads, 2, to, to_step, at, blocks); break;
    case 3: weave_blocks(threads, 3, to, to_step, at, blocks); break;
    default: weave_blocks(threads, 4, to, to_step, at, blocks); break;
    }
}

static size_t weave(const tirbi_weave *w, uint8_t *to, const uint8_t *from, const ptrdiff_t *first, size_t n,
                    const tirbi_weave_stretches *stretches) {
    const size_t rows = w->rows, blocks = n / rows, left = n - blocks * rows, of_blocks = rows * w->to_step;
    thread threads[TIRBI_WEAVE_SOURCES], ends[TIRBI_WEAVE_SOURCES];
    ptrdiff_t at[TIRBI_WEAVE_SOURCES];
    for (unsigned k = 0; k < w->n_sources; k++) {
        at[k] = first[k];
        threads[k] = (thread){_mm512_loadu_si512(w->index[k]), w->takes[k], w->reads[k],
                              (const uint8_t *)((uintptr_t)from + (uintptr_t)(w->source[k] + w->begin[k])),
                              (ptrdiff_t)rows * w->from_step[k]};
        ends[k] = threads[k];
        ends[k].takes &= first_bytes(left * w->to_step);
        ends[k].reads = bytes_read(w, k, rows, left);
        ends[k].at = (const uint8_t *)((uintptr_t)ends[k].at + (uintptr_t)ends[k].step * blocks);
    }
    for (size_t i = 0; i < stretches->count; i++) {
        weave_stretch(threads, w->n_sources, to, of_blocks, at, blocks);
        if (left > 0) weave_stretch(ends, w->n_sources, to + blocks * of_blocks, 0, at, 1);
        to = (uint8_t *)((uintptr_t)to + (uintptr_t)stretches->to_step);
        for (unsigned k = 0; k < w->n_sources; k++) at[k] += stretches->from_step[k];
    }
    return n;
}

/* ---- Parting ---------------------------------------------------------------------------------------------------- */

/* The bytes of an output: byte index[i] of the first two vectors of some rows, or of the next two where `behind` says
 * so. */
typedef struct strand {
    __m512i index;
    __mmask64 behind;
} strand;

/* Byte i is byte i % size of element k of row i / size; 16 bits each, from the first one of `numbers` on. */
static inline __m512i places_of(const uint8_t *first, unsigned size, unsigned parts, unsigned k) {
    const __m128i shift = _mm_cvtsi32_si128(__builtin_ctz(size));
    const __m512i i = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)first));
    const __m512i row = _mm512_srl_epi16(i, shift);
    const __m512i element = _mm512_add_epi16(_mm512_mullo_epi16(row, _mm512_set1_epi16((int16_t)parts)),
                                             _mm512_set1_epi16((int16_t)k));
    return _mm512_add_epi16(_mm512_sll_epi16(element, shift),
                            _mm512_and_si512(i, _mm512_set1_epi16((int16_t)(size - 1))));
}

static strand strand_of(unsigned size, unsigned parts, unsigned k) {
    const __m512i low = places_of(numbers, size, parts, k), high = places_of(numbers + BYTES / 2, size, parts, k);
    const __m512i two = _mm512_set1_epi16(2 * BYTES);
    return (strand){bytes_of_halves(low, high), (__mmask64)_mm512_cmpge_epu16_mask(low, two) |
                                                    (__mmask64)_mm512_cmpge_epu16_mask(high, two) << (BYTES / 2)};
}

static inline __m512i rows_of_strand(const __m512i *v, unsigned parts, strand s) {
    const __m512i first = _mm512_permutex2var_epi8(v[0], s.index, v[1]);
    if (parts == 2) return first;
    if (parts == 3) return _mm512_mask_permutexvar_epi8(first, s.behind, s.index, v[2]);
    return _mm512_mask_blend_epi8(s.behind, first, _mm512_permutex2var_epi8(v[2], s.index, v[3]));
}

static inline __attribute__((always_inline)) void part_rows(uint8_t *const *to, const uint8_t *from, unsigned size,
                                                            unsigned parts, size_t n) {
    strand strands[TIRBI_MOST_PARTS];
    __m512i v[TIRBI_MOST_PARTS];
    const size_t rows = BYTES / size, whole = n / rows * BYTES, left = n % rows * size;
    for (unsigned k = 0; k < parts; k++) strands[k] = strand_of(size, parts, k);
    for (size_t at = 0; at < whole; at += BYTES, from += BYTES * parts) {
        for (unsigned k = 0; k < parts; k++) v[k] = _mm512_loadu_si512(from + BYTES * k);
        for (unsigned k = 0; k < parts; k++) _mm512_storeu_si512(to[k] + at, rows_of_strand(v, parts, strands[k]));
    }
    if (left == 0) return;
    for (unsigned k = 0; k < parts; k++) {
        const size_t bytes = left * parts > BYTES * k ? left * parts - BYTES * k : 0;
        v[k] = _mm512_maskz_loadu_epi8(first_bytes(bytes), from + (bytes > 0 ? BYTES * k : 0));
    }
    for (unsigned k = 0; k < parts; k++)
        _mm512_mask_storeu_epi8(to[k] + whole, first_bytes(left), rows_of_strand(v, parts, strands[k]));
}

static void part(uint8_t *const *to, const uint8_t *from, unsigned size, unsigned parts, size_t n) {
    switch (parts) {
    case 2: part_rows(to, from, size, 2, n); break;
    case 3: part_rows(to, from, size, 3, n); break;
    default: part_rows(to, from, size, 4, n); break;
    }
}

const tirbi_weaver tirbi_weaver_avx512 = {prepare, weave, true, part};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
