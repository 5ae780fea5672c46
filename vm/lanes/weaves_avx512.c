/* Weaving for x86-64 with AVX512-VBMI, by vectors of 64 bytes under masks. */
#include "vm/lanes/isas.h"
#include "vm/lanes/weaves.h"

#if TIRBI_LANES_AVX512

#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,bmi2"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

enum { BYTES = 64 };

static inline __mmask64 first_bytes(size_t n) { return n >= BYTES ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }

/* What one vector of several rows takes from a source. */
typedef struct thread {
    __m512i index;
    __mmask64 takes, reads;
    const uint8_t *at;
} thread;

/* As many rows as their bytes on either side are in a vector. */
static size_t rows_at_once(const tirbi_weave *w, size_t step) {
    size_t rows = BYTES / w->to_step;
    for (unsigned k = 0; k < w->n_sources && step > 0; k++) {
        const size_t fit = (BYTES - w->span[k]) / step + 1;
        if (fit < rows) rows = fit;
    }
    return rows;
}

/* Backwards, a vector begins with its last row. */
static void set_threads(const tirbi_weave *w, size_t rows, size_t step, const uint8_t *from, thread *threads) {
    const ptrdiff_t begin = w->from_step < 0 ? (ptrdiff_t)(rows - 1) * w->from_step : 0;
    uint8_t index[TIRBI_WEAVE_SOURCES][BYTES];
    uint64_t takes[TIRBI_WEAVE_SOURCES] = {0};
    memset(index, 0, sizeof index);
    for (size_t r = 0; r < rows; r++) {
        const size_t row = (w->from_step < 0 ? rows - 1 - r : r) * step;
        for (unsigned b = 0; b < w->to_step; b++) {
            if (w->source_of[b] == TIRBI_WEAVE_NONE) continue;
            index[w->source_of[b]][r * w->to_step + b] = (uint8_t)(row + w->byte_of[b]);
            takes[w->source_of[b]] |= UINT64_C(1) << (r * w->to_step + b);
        }
    }
    for (unsigned k = 0; k < w->n_sources; k++)
        threads[k] = (thread){_mm512_loadu_si512(index[k]), takes[k], first_bytes((rows - 1) * step + w->span[k]),
                              (const uint8_t *)((uintptr_t)from + (uintptr_t)(w->source[k] + begin))};
}

static inline __attribute__((always_inline)) __m512i twisted(const thread *threads, unsigned n, ptrdiff_t at) {
    __m512i v = _mm512_setzero_si512();
    for (unsigned k = 0; k < n; k++) {
        const __m512i source =
            _mm512_maskz_loadu_epi8(threads[k].reads, (const void *)((uintptr_t)threads[k].at + (uintptr_t)at));
        v = _mm512_mask_permutexvar_epi8(v, threads[k].takes, threads[k].index, source);
    }
    return v;
}

static inline __attribute__((always_inline)) void weave_blocks(const thread *threads, unsigned n_threads, uint8_t *to,
                                                               size_t to_step, ptrdiff_t at, ptrdiff_t from_step,
                                                               size_t blocks) {
    __mmask64 written = 0;
    for (unsigned k = 0; k < n_threads; k++) written |= threads[k].takes;
    for (; blocks > 0; blocks--, to += to_step, at += from_step)
        _mm512_mask_storeu_epi8(to, written, twisted(threads, n_threads, at));
}

/* The same for as many threads as the compiler knows. */
static void weave_stretch(const thread *threads, unsigned n_threads, uint8_t *to, size_t to_step, ptrdiff_t at,
                          ptrdiff_t from_step, size_t blocks) {
    switch (n_threads) {
    case 1: weave_blocks(threads, 1, to, to_step, at, from_step, blocks); break;
    case 2: weave_blocks(threads, 2, to, to_step, at, from_step, blocks); break;
    case 3: weave_blocks(threads, 3, to, to_step, at, from_step, blocks); break;
    default: weave_blocks(threads, 4, to, to_step, at, from_step, blocks); break;
    }
}

static size_t weave(const tirbi_weave *w, uint8_t *to, const uint8_t *from, size_t n,
                    const tirbi_weave_stretches *stretches) {
    const size_t step = (size_t)(w->from_step < 0 ? -w->from_step : w->from_step);
    const size_t rows = rows_at_once(w, step), blocks = n / rows, left = n % rows, of_blocks = rows * w->to_step;
    const ptrdiff_t from_step = (ptrdiff_t)rows * w->from_step;
    thread threads[TIRBI_WEAVE_SOURCES], ends[TIRBI_WEAVE_SOURCES];
    set_threads(w, rows, step, from, threads);
    for (unsigned k = 0; k < w->n_sources; k++) {
        ends[k] = threads[k];
        ends[k].takes &= first_bytes(left * w->to_step);
        if (left > 0)
            ends[k].reads &= w->from_step < 0 ? ~first_bytes((rows - left) * step)
                                              : first_bytes((left - 1) * step + w->span[k]);
    }
    for (size_t i = 0; i < stretches->count; i++) {
        uint8_t *begin = (uint8_t *)((uintptr_t)to + i * (uintptr_t)stretches->to_step);
        const ptrdiff_t at = (ptrdiff_t)(i * (uintptr_t)stretches->from_step);
        weave_stretch(threads, w->n_sources, begin, of_blocks, at, from_step, blocks);
        if (left > 0)
            weave_stretch(ends, w->n_sources, begin + blocks * of_blocks, 0, at + (ptrdiff_t)blocks * from_step, 0, 1);
    }
    return n;
}

const tirbi_weaver tirbi_weaver_avx512 = {weave, true};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
