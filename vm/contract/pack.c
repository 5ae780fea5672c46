#include "vm/contract/pack.h"

#include <string.h>

enum { STAGED_ROWS = 16, LINE = 64, LARGEST = 8, WORD = 4 };
enum { PREFETCH_ROWS = 12, PREFETCHED_BYTES = 512 };
enum { LEAST_RAW = 4096, GAP = 48 };

static size_t lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }
static size_t staged_row(size_t k_block) { return lines(k_block * LARGEST) + LINE; }

static size_t raw_size(size_t longest) { return longest * LARGEST < LEAST_RAW ? LEAST_RAW : lines(longest * LARGEST); }

size_t tirbi_pack_scratch_size(size_t longest, size_t k_block) {
    return lines(longest * sizeof(tirbi_pack_run)) + raw_size(longest) + STAGED_ROWS * staged_row(k_block);
}

void tirbi_pack_scratch_place(tirbi_pack_scratch *scratch, uint8_t *at, size_t longest, size_t k_block) {
    scratch->runs = (tirbi_pack_run *)(void *)at;
    at += lines(longest * sizeof(tirbi_pack_run));
    scratch->raw = at;
    scratch->raw_size = raw_size(longest);
    scratch->staged = at + scratch->raw_size;
    scratch->staged_row = (ptrdiff_t)staged_row(k_block);
}

/* ---- Rows ----------------------------------------------------------------------------------------------------- */

static size_t find_runs(tirbi_pack_run *runs, const int64_t *elements, size_t n, int64_t size) {
    size_t n_runs = 0;
    for (size_t first = 0, end; first < n; first = end) {
        const int64_t step = first + 1 < n ? elements[first + 1] - elements[first] : size;
        for (end = first + 1; end < n && elements[end] - elements[end - 1] == step;) end++;
        runs[n_runs++] = (tirbi_pack_run){(uint32_t)first, (uint32_t)(end - first), step};
    }
    return n_runs;
}

enum { STEP = 16, HALF = 8, SHORT = 128 };

/* Short copies, which rows of tiles are: whole words, the last of which may overlap the one before it. */
static inline void copy(uint8_t *to, const uint8_t *from, size_t bytes) {
    if (bytes > SHORT || bytes < HALF) {
        memcpy(to, from, bytes);
        return;
    }
    if (bytes < STEP) {
        memcpy(to, from, HALF);
        memcpy(to + bytes - HALF, from + bytes - HALF, HALF);
        return;
    }
    for (size_t at = 0; at < bytes - STEP; at += STEP) memcpy(to + at, from + at, STEP);
    memcpy(to + bytes - STEP, from + bytes - STEP, STEP);
}

/* The same of many rows, which are one or two such words: each is two copies, and no call. */
#define COPY_ROWS(name, WORD)                                                                                \
    static void name(uint8_t *to, ptrdiff_t to_row, const uint8_t *from, const int64_t *rows, size_t n_rows, \
                     size_t last) {                                                                          \
        for (size_t i = 0; i < n_rows; i++, to += to_row) {                                                  \
            memcpy(to, from + rows[i], WORD);                                                                \
            memcpy(to + last, from + rows[i] + last, WORD);                                                  \
        }                                                                                                    \
    }
COPY_ROWS(copy_rows_4, 4)
COPY_ROWS(copy_rows_8, HALF)
COPY_ROWS(copy_rows_16, STEP)

static bool copy_short_rows(uint8_t *to, ptrdiff_t to_row, const uint8_t *from, const int64_t *rows, size_t n_rows,
                            size_t bytes) {
    if (bytes < 4 || bytes > 2 * STEP) return false;
    if (bytes < HALF)
        copy_rows_4(to, to_row, from, rows, n_rows, bytes - 4);
    else if (bytes < STEP)
        copy_rows_8(to, to_row, from, rows, n_rows, bytes - HALF);
    else
        copy_rows_16(to, to_row, from, rows, n_rows, bytes - STEP);
    return true;
}

/* A row of a tile is too short for the machine to see where the next one will be. */
static inline void prefetch(const uint8_t *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += LINE) __builtin_prefetch(from + at);
    __builtin_prefetch(from + bytes - 1);
}

static inline void gather(uint8_t *to, const uint8_t *from, const int64_t *elements, size_t n, size_t size) {
    switch (size) {
    case 1:
        for (size_t j = 0; j < n; j++) to[j] = from[elements[j]];
        return;
    case 2:
        for (size_t j = 0; j < n; j++) memcpy(to + 2 * j, from + elements[j], 2);
        return;
    case 4:
        for (size_t j = 0; j < n; j++) memcpy(to + 4 * j, from + elements[j], 4);
        return;
    default:
        for (size_t j = 0; j < n; j++) memcpy(to + 8 * j, from + elements[j], 8);
        return;
    }
}

#define COPY_STEPS(T)                                                                                   \
    static void copy_steps_##T(uint8_t *to, const uint8_t *from, size_t n, int64_t step) {              \
        for (size_t j = 0; j < n; j++) memcpy(to + j * sizeof(T), from + (int64_t)j * step, sizeof(T)); \
    }
COPY_STEPS(uint8_t)
COPY_STEPS(uint16_t)
COPY_STEPS(uint32_t)
COPY_STEPS(uint64_t)

static inline void copy_run(uint8_t *to, const uint8_t *from, const tirbi_pack_run *run, size_t size) {
    if (run->step == (int64_t)size)
        copy(to, from, run->n * size);
    else if (size == 1)
        copy_steps_uint8_t(to, from, run->n, run->step);
    else if (size == 2)
        copy_steps_uint16_t(to, from, run->n, run->step);
    else if (size == 4)
        copy_steps_uint32_t(to, from, run->n, run->step);
    else
        copy_steps_uint64_t(to, from, run->n, run->step);
}

/* A run of all rows, then the next one: each is as long, and lies alike, in all of them. */
static void gather_rows(const tirbi_pack *p, const tirbi_pack_scratch *scratch, size_t n_runs, uint8_t *to,
                        ptrdiff_t to_row, const int64_t *rows, size_t n_rows, const int64_t *elements,
                        size_t n_elements) {
    const size_t size = tirbi_dtypes[p->from_type].size;
    if (n_runs > n_elements / 2 && n_runs > 1) {
        for (size_t i = 0; i < n_rows; i++)
            gather(to + (ptrdiff_t)i * to_row, p->from + rows[i], elements, n_elements, size);
        return;
    }
    const bool brief = n_runs == 1 && n_elements * size <= PREFETCHED_BYTES;
    for (size_t r = 0; r < n_runs; r++) {
        const tirbi_pack_run run = scratch->runs[r];
        const uint8_t *from = p->from + elements[run.first];
        uint8_t *at = to + run.first * size;
        if (run.step == 2 * (int64_t)size && size == p->set->picked) {
            p->set->every_second(at, to_row, from, rows, n_rows, run.n);
            continue;
        }
        if (n_runs > 1 && run.step == (int64_t)size &&
            copy_short_rows(at, to_row, from, rows, n_rows, run.n * size))
            continue;
        for (size_t i = 0; i < n_rows; i++) {
            if (brief && run.step == (int64_t)size && i + PREFETCH_ROWS < n_rows)
                prefetch(from + rows[i + PREFETCH_ROWS], n_elements * size);
            copy_run(at + (ptrdiff_t)i * to_row, from + rows[i], &run, size);
        }
    }
}

/* Short rows are converted many at a time, with zeroes for what is between them: a strip of some elements costs as much
 * as a block. */
static void convert_rows(const tirbi_pack *p, tirbi_pack_scratch *scratch, size_t n_runs, size_t pitch,
                         tirbi_kernel convert, tirbi_kernel also, const int64_t *rows, size_t n_rows,
                         const int64_t *elements, size_t n_elements) {
    size_t row = pitch * tirbi_dtypes[p->from_type].size, most = scratch->raw_size / row;
    if (pitch > n_elements) memset(scratch->raw, 0, (n_rows < most ? n_rows : most) * row);
    for (size_t i = 0; i < n_rows; i += most) {
        size_t n = n_rows - i < most ? n_rows - i : most, all = (n - 1) * pitch + n_elements;
        gather_rows(p, scratch, n_runs, scratch->raw, (ptrdiff_t)row, rows + i, n, elements, n_elements);
        uint8_t *to = p->to + (ptrdiff_t)i * p->to_row;
        convert(to, scratch->raw, NULL, NULL, all);
        if (also) also(to, to, NULL, NULL, all);
    }
}

void tirbi_pack_rows(const tirbi_pack *p, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                     const int64_t *elements, size_t n_elements) {
    size_t size = tirbi_dtypes[p->from_type].size, to_size = tirbi_dtypes[p->to_type].size;
    size_t n_runs = find_runs(scratch->runs, elements, n_elements, (int64_t)size);
    tirbi_kernel convert = p->from_type == p->to_type ? NULL : p->strips->cast[p->to_type][p->from_type];
    tirbi_kernel negate = p->negate ? p->strips->op[TIRB_OP_NEG - TIRBI_FIRST_ELEMENTWISE][p->to_type] : NULL;
    size_t pitch = (size_t)p->to_row / to_size;
    bool narrow_gaps =
        pitch * to_size == (size_t)p->to_row && pitch <= n_elements + GAP && pitch * size <= scratch->raw_size;
    if ((convert || negate) && n_elements % TIRBI_STRIP_LANES != 0 && n_rows > 1 && narrow_gaps) {
        convert_rows(p, scratch, n_runs, pitch, convert ? convert : negate, convert ? negate : NULL, rows, n_rows,
                     elements, n_elements);
        return;
    }
    if (!convert) gather_rows(p, scratch, n_runs, p->to, p->to_row, rows, n_rows, elements, n_elements);
    if (!convert && !negate) return;
    const bool side_by_side = n_runs == 1 && scratch->runs[0].step == (int64_t)size;
    for (size_t i = 0; i < n_rows; i++) {
        uint8_t *to = p->to + (ptrdiff_t)i * p->to_row;
        if (convert && !side_by_side)
            gather_rows(p, scratch, n_runs, scratch->raw, 0, rows + i, 1, elements, n_elements);
        if (convert) convert(to, side_by_side ? p->from + rows[i] + elements[0] : scratch->raw, NULL, NULL, n_elements);
        if (negate) negate(to, to, NULL, NULL, n_elements);
    }
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

static bool evenly(const int64_t *places, size_t n, int64_t step) {
    for (size_t i = 1; i < n; i++)
        if (places[i] - places[i - 1] != step) return false;
    return true;
}

void tirbi_pack_transposed(const tirbi_pack *p, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                           const int64_t *elements, size_t n_elements) {
    int64_t apart = n_elements > 1 ? elements[1] - elements[0] : 0;
    if (p->from_type == p->to_type && !p->negate && evenly(rows, n_rows, tirbi_dtypes[p->from_type].size) &&
        evenly(elements, n_elements, apart)) {
        p->set->transpose(p->to, p->to_row, p->from + rows[0] + elements[0], (ptrdiff_t)apart, n_rows, n_elements);
        return;
    }
    for (size_t j = 0; j < n_elements; j += STAGED_ROWS) {
        size_t n = n_elements - j < STAGED_ROWS ? n_elements - j : STAGED_ROWS;
        tirbi_pack staged = *p;
        staged.to = scratch->staged;
        staged.to_row = scratch->staged_row;
        tirbi_pack_rows(&staged, scratch, elements + j, n, rows, n_rows);
        p->set->transpose(p->to + j * tirbi_dtypes[p->to_type].size, p->to_row, scratch->staged, scratch->staged_row,
                          n_rows, n);
    }
}

/* ---- Words ---------------------------------------------------------------------------------------------------- */

static void copy_flipped(uint8_t *to, const uint8_t *from, uint8_t flip, size_t n) {
    const uint64_t flips = UINT64_C(0x0101010101010101) * flip;
    for (; n >= sizeof flips; n -= sizeof flips, to += sizeof flips, from += sizeof flips) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        word ^= flips;
        memcpy(to, &word, sizeof word);
    }
    for (size_t i = 0; i < n; i++) to[i] = from[i] ^ flip;
}

void tirbi_pack_rows_of_words(const tirbi_pack *p, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                              const int64_t *elements, size_t n_elements) {
    size_t size = tirbi_dtypes[p->to_type].size, missing = (p->group - n_elements % p->group) % p->group;
    bool in_place = p->from_type == p->to_type && !p->negate && evenly(elements, n_elements, (int64_t)size);
    if (!in_place) tirbi_pack_rows(p, scratch, rows, n_rows, elements, n_elements);
    for (size_t i = 0; i < n_rows; i++) {
        uint8_t *to = p->to + (ptrdiff_t)i * p->to_row;
        const uint8_t *from = in_place ? p->from + rows[i] + elements[0] : to;
        if (in_place && p->flip == 0) memcpy(to, from, n_elements * size);
        else if (p->flip != 0) copy_flipped(to, from, p->flip, n_elements * size);
        if (missing > 0) memset(to + n_elements * size, p->flip, missing * size);
    }
}

/* Whether words can be made of the operand as it lies: of whole rows one step apart, and elements side by side. */
static bool lie_as_words(const tirbi_pack *p, const int64_t *rows, size_t n_rows, int64_t row_step,
                         const int64_t *elements, size_t n_elements, int64_t step) {
    return p->from_type == p->to_type && !p->negate && n_rows > 1 && evenly(rows, n_rows, row_step) &&
           evenly(elements, n_elements, step);
}

static void pack_words_along(const tirbi_pack *p, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                             const int64_t *elements, size_t n_elements) {
    tirbi_pack staged = *p;
    int64_t apart = n_elements > 1 ? elements[1] - elements[0] : 0;
    if (n_rows % p->group == 0 &&
        lie_as_words(p, rows, n_rows, tirbi_dtypes[p->from_type].size, elements, n_elements, apart)) {
        p->set->transpose(p->to, p->to_row, p->from + rows[0] + elements[0], (ptrdiff_t)apart, n_rows / p->group,
                          n_elements);
        return;
    }
    staged.to = scratch->staged;
    staged.to_row = scratch->staged_row;
    for (size_t j = 0; j < n_elements; j += STAGED_ROWS) {
        size_t n = n_elements - j < STAGED_ROWS ? n_elements - j : STAGED_ROWS;
        tirbi_pack_rows_of_words(&staged, scratch, elements + j, n, rows, n_rows);
        p->set->transpose(p->to + j * WORD, p->to_row, scratch->staged, scratch->staged_row,
                          (n_rows + p->group - 1) / p->group, n);
    }
}

void tirbi_pack_words(const tirbi_pack *p, tirbi_pack_scratch *scratch, const int64_t *rows, size_t n_rows,
                      const int64_t *elements, size_t n_elements, bool along) {
    if (along) {
        pack_words_along(p, scratch, rows, n_rows, elements, n_elements);
        return;
    }
    tirbi_pack staged = *p;
    size_t done = 0;
    int64_t apart = n_rows > 1 ? rows[1] - rows[0] : 0;
    if (lie_as_words(p, rows, n_rows, apart, elements, n_elements, tirbi_dtypes[p->from_type].size)) {
        for (; done + p->group <= n_rows; done += p->group)
            p->set->interleave(p->to + (ptrdiff_t)(done / p->group) * p->to_row, p->from + rows[done] + elements[0],
                               (ptrdiff_t)apart, n_elements);
    }
    staged.to = scratch->staged;
    staged.to_row = (ptrdiff_t)(n_elements * tirbi_dtypes[p->to_type].size);
    for (size_t i = done; i < n_rows; i += STAGED_ROWS) {
        size_t n = n_rows - i < STAGED_ROWS ? n_rows - i : STAGED_ROWS;
        tirbi_pack_rows(&staged, scratch, rows + i, n, elements, n_elements);
        size_t words = (n + p->group - 1) / p->group;
        memset(staged.to + n * (size_t)staged.to_row, 0, (words * p->group - n) * (size_t)staged.to_row);
        for (size_t w = 0; w < words; w++)
            p->set->interleave(p->to + (ptrdiff_t)(i / p->group + w) * p->to_row,
                               staged.to + (ptrdiff_t)(w * p->group) * staged.to_row, staged.to_row, n_elements);
    }
}
