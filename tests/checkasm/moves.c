/* Rows that are copied, filled and reordered, and elements that are transposed, beside plain C. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "vm/lanes/weaves.h"

enum { MOST_SIDE = 75, TRIALS = 600, MOST_WOVEN = 100 };

typedef struct sheet {
    size_t size, rows, columns; /* of an element, in elements */
    size_t gap;                 /* elements between rows */
    size_t behind;
} sheet;

static size_t pitch(const sheet *s) { return (s->columns + s->gap) * s->size; }
static size_t elements(const sheet *s) { return (s->rows - 1) * (s->columns + s->gap) + s->columns; }

static void fail_move(checker *c, tirb_isa isa, const char *what, const sheet *s) {
    printf("FAIL %s %s: %zu rows of %zu elements of %zu bytes, %zu between\n", tirb_isa_name(isa), what, s->rows,
           s->columns, s->size, s->gap);
    c->failures++;
}

static void check_result(checker *c, tirb_isa isa, const char *what, const sheet *s, const uint8_t *got,
                         const uint8_t *want) {
    size_t bytes = elements(s) * s->size;
    if (memcmp(got, want, bytes) != 0) fail_move(c, isa, what, s);
    if (!untouched(got, bytes, s->behind)) fail_move(c, isa, "writes beside its elements", s);
}

static void check_transpose(checker *c, tirb_isa isa, const sheet *to, const sheet *from) {
    unsigned shift = (unsigned)__builtin_ctzll(to->size);
    uint8_t *source = place(&c->areas[0], from->size, elements(from), from->behind);
    uint8_t *got = place(&c->areas[1], to->size, elements(to), to->behind), *want = c->kept;
    for (size_t i = 0; i < elements(from) * from->size; i++) source[i] = (uint8_t)next_random(c);
    memset(got, 1, elements(to) * to->size);
    memset(want, 1, elements(to) * to->size);
    for (size_t i = 0; i < from->rows; i++) {
        for (size_t j = 0; j < from->columns; j++)
            memcpy(want + j * pitch(to) + i * to->size, source + i * pitch(from) + j * to->size, to->size);
    }
    tirbi_kernels(isa)->moves.transpose[shift](got, (ptrdiff_t)pitch(to), source, (ptrdiff_t)pitch(from), from->rows,
                                               from->columns);
    check_result(c, isa, "transpose", to, got, want);
}

static void check_rows(checker *c, tirb_isa isa, const sheet *to, const sheet *from) {
    uint8_t *source = place(&c->areas[0], from->size, elements(from), from->behind);
    uint8_t *got = place(&c->areas[1], to->size, elements(to), to->behind), *want = c->kept;
    size_t row = to->columns * to->size;
    uint64_t pattern = next_random(c);
    for (size_t size = to->size; size < 8; size *= 2) memcpy((uint8_t *)&pattern + size, &pattern, size);
    for (size_t i = 0; i < elements(from) * from->size; i++) source[i] = (uint8_t)next_random(c);
    memset(got, 1, elements(to) * to->size);
    memset(want, 1, elements(to) * to->size);
    for (size_t i = 0; i < to->rows; i++) memcpy(want + i * pitch(to), source + i * pitch(from), row);
    tirbi_kernels(isa)->moves.copy(got, (ptrdiff_t)pitch(to), source, (ptrdiff_t)pitch(from), row, to->rows);
    check_result(c, isa, "copy", to, got, want);
    ptrdiff_t to_rows[TIRBI_LISTED_ROWS], from_rows[TIRBI_LISTED_ROWS];
    size_t listed = to->rows < TIRBI_LISTED_ROWS ? to->rows : TIRBI_LISTED_ROWS;
    for (size_t i = 0; i < listed; i++) {
        to_rows[i] = (ptrdiff_t)(next_random(c) % to->rows * pitch(to));
        from_rows[i] = (ptrdiff_t)(next_random(c) % from->rows * pitch(from));
        memcpy(want + to_rows[i], source + from_rows[i], row);
    }
    tirbi_kernels(isa)->moves.list(got, to_rows, source, from_rows, row, listed,
                                    next_random(c) % 2 * row);
    check_result(c, isa, "list", to, got, want);
    for (size_t i = 0; i < to->rows; i++) {
        for (size_t j = 0; j < to->columns; j++) memcpy(want + i * pitch(to) + j * to->size, &pattern, to->size);
    }
    tirbi_kernels(isa)->moves.fill(got, (ptrdiff_t)pitch(to), &pattern, row, to->rows);
    check_result(c, isa, "fill", to, got, want);
}

/* Columns of one element, taken from the first or from the last row on. */
static void check_elements(checker *c, tirb_isa isa, const sheet *to, const sheet *from, bool backwards) {
    unsigned shift = (unsigned)__builtin_ctzll(to->size);
    uint8_t *source = place(&c->areas[0], from->size, elements(from), from->behind);
    uint8_t *got = place(&c->areas[1], to->size, elements(to), to->behind), *want = c->kept;
    for (size_t i = 0; i < elements(from) * from->size; i++) source[i] = (uint8_t)next_random(c);
    memset(got, 1, elements(to) * to->size);
    memset(want, 1, elements(to) * to->size);
    ptrdiff_t step = backwards ? -(ptrdiff_t)pitch(from) : (ptrdiff_t)pitch(from);
    const uint8_t *first = backwards ? source + (from->rows - 1) * pitch(from) : source;
    for (size_t i = 0; i < to->rows; i++) memcpy(want + i * pitch(to), first + (ptrdiff_t)i * step, to->size);
    tirbi_kernels(isa)->moves.place[shift](got, (ptrdiff_t)pitch(to), first, step, to->rows);
    check_result(c, isa, "place", to, got, want);
}

/* Rows of any width whose bytes come from anywhere in rows that are some bytes apart, or are left alone. */
static tirbi_weave any_weave(checker *c, bool leaves_bytes) {
    tirbi_weave w = {.to_step = 1 + (unsigned)(next_random(c) % TIRBI_WEAVE_BYTES),
                     .n_sources = 1 + (unsigned)(next_random(c) % TIRBI_WEAVE_SOURCES)};
    memset(w.source_of, TIRBI_WEAVE_NONE, sizeof w.source_of);
    for (unsigned k = 0; k < w.n_sources; k++) {
        w.from_step[k] = (int)(next_random(c) % (2 * TIRBI_WEAVE_BYTES + 1)) - TIRBI_WEAVE_BYTES;
        w.span[k] = (uint8_t)(1 + next_random(c) % TIRBI_WEAVE_BYTES);
    }
    for (unsigned b = 0; b < w.to_step; b++) {
        if (leaves_bytes && next_random(c) % 4 == 0) continue;
        w.source_of[b] = (uint8_t)(next_random(c) % w.n_sources);
        w.byte_of[b] = (uint8_t)(next_random(c) % w.span[w.source_of[b]]);
    }
    return w;
}

/* The sources lie one behind the other, the last one before no memory, and so do stretches of rows. */
static void check_weave(checker *c, tirb_isa isa, const tirbi_weaver *weaver) {
    tirbi_weave w = any_weave(c, weaver->leaves_bytes);
    const size_t n = 1 + next_random(c) % MOST_WOVEN, count = 1 + next_random(c) % 3;
    size_t read = 0, written = n * w.to_step;
    for (unsigned k = 0; k < w.n_sources; k++) {
        const size_t step = (size_t)(w.from_step[k] < 0 ? -w.from_step[k] : w.from_step[k]);
        w.source[k] = (ptrdiff_t)(read + (w.from_step[k] < 0 ? (n - 1) * step : 0));
        read += (n - 1) * step + w.span[k];
    }
    const sheet s = {1, n * count, w.to_step, 0, next_random(c) % 16};
    uint8_t *source = place(&c->areas[0], 1, read * count, 0);
    uint8_t *got = place(&c->areas[1], 1, written * count, s.behind), *want = c->kept;
    for (size_t i = 0; i < read * count; i++) source[i] = (uint8_t)next_random(c);
    memset(got, 1, written * count);
    memset(want, 1, written * count);
    tirbi_weave_stretches stretches = {.count = count, .to_step = (ptrdiff_t)written};
    for (unsigned k = 0; k < w.n_sources; k++) stretches.from_step[k] = (ptrdiff_t)read;
    /* What lies further along in memory is as good as what is named there. */
    const ptrdiff_t at[TIRBI_WEAVE_SOURCES] = {-3, 0, 5, 16};
    tirbi_weave prepared = w;
    for (unsigned k = 0; k < w.n_sources; k++) prepared.source[k] -= at[k];
    weaver->prepare(&prepared);
    const size_t done = weaver->run(&prepared, got, source, at, n, &stretches);
    for (size_t i = 0; i < n * count; i++) {
        for (unsigned b = 0; b < w.to_step; b++) {
            if (w.source_of[b] == TIRBI_WEAVE_NONE) continue;
            const uint8_t *first = source + i / n * read + w.source[w.source_of[b]];
            const uint8_t *row = first + (ptrdiff_t)(i % n) * w.from_step[w.source_of[b]];
            want[i * w.to_step + b] = row[w.byte_of[b]];
            if (i % n >= done) got[i * w.to_step + b] = row[w.byte_of[b]];
        }
    }
    check_result(c, isa, "weave", &s, got, want);
}

/* By a weaver, or, where it is NULL, by what every instruction set has. */
static void check_parting(checker *c, tirb_isa isa, const tirbi_weaver *weaver) {
    const unsigned size = 1u << next_random(c) % 4;
    const unsigned parts = TIRBI_LEAST_PARTS + (unsigned)(next_random(c) % (TIRBI_MOST_PARTS - TIRBI_LEAST_PARTS + 1));
    const size_t n = 1 + next_random(c) % MOST_WOVEN;
    const sheet s = {1, n * parts, size, 0, next_random(c) % 16};
    uint8_t *source = place(&c->areas[0], 1, n * parts * size, 0);
    uint8_t *got = place(&c->areas[1], 1, n * parts * size, s.behind), *want = c->kept, *to[TIRBI_MOST_PARTS];
    for (size_t i = 0; i < n * parts * size; i++) source[i] = (uint8_t)next_random(c);
    memset(got, 1, n * parts * size);
    for (unsigned k = 0; k < parts; k++) {
        to[k] = got + k * n * size;
        for (size_t i = 0; i < n; i++)
            memcpy(want + (k * n + i) * size, source + (i * parts + k) * size, size);
    }
    if (weaver)
        weaver->part(to, source, size, parts, n);
    else
        tirbi_kernels(isa)->moves.part[__builtin_ctz(size)](to, source, parts, n);
    check_result(c, isa, "part", &s, got, want);
}

/* Strips, one behind the other, the last one before no memory. */
static void check_interleaving(checker *c, tirb_isa isa) {
    const unsigned shift = (unsigned)(next_random(c) % 4), n = 2 + (unsigned)(next_random(c) % 3);
    const size_t size = (size_t)1 << shift, count = 1 + next_random(c) % MOST_WOVEN;
    const sheet s = {1, n * count, size, 0, next_random(c) % 16};
    uint8_t *source = place(&c->areas[0], 1, n * count * size, 0);
    uint8_t *got = place(&c->areas[1], 1, n * count * size, s.behind), *want = c->kept;
    const uint8_t *from[4];
    for (size_t i = 0; i < n * count * size; i++) source[i] = (uint8_t)next_random(c);
    for (unsigned k = 0; k < 4; k++) from[k] = source + (k < n ? k : 0) * count * size;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < n; k++) memcpy(want + (i * n + k) * size, from[k] + i * size, size);
    memset(got, 1, n * count * size);
    tirbi_kernels(isa)->moves.interleave[shift](got, from, n, count);
    check_result(c, isa, "interleave", &s, got, want);
}

void check_moves(checker *c, tirb_isa isa) {
    for (unsigned k = 0; k < TRIALS; k++) check_interleaving(c, isa);
    const tirbi_weaver *weaver = tirbi_weaver_of(isa);
    for (unsigned k = 0; k < 2 * TRIALS; k++) check_parting(c, isa, NULL);
    for (unsigned k = 0; weaver && weaver->part && k < 4 * TRIALS; k++) check_parting(c, isa, weaver);
    for (unsigned k = 0; weaver && k < 4 * TRIALS; k++) check_weave(c, isa, weaver);
    for (unsigned k = 0; k < TRIALS; k++) {
        size_t size = (size_t)1 << k % 4;
        sheet from = {size, 1 + next_random(c) % MOST_SIDE, 1 + next_random(c) % MOST_SIDE, next_random(c) % 5,
                      next_random(c) % 16};
        sheet to = {size, from.columns, from.rows, next_random(c) % 5, next_random(c) % 16};
        check_transpose(c, isa, &to, &from);
        to.rows = from.rows;
        to.columns = from.columns;
        check_rows(c, isa, &to, &from);
        sheet column = {size, 1 + next_random(c) % (4 * MOST_SIDE), 1, next_random(c) % 5, next_random(c) % 16},
              other = column;
        other.gap = k % 8 < 4 ? 0 : next_random(c) % 5;
        check_elements(c, isa, &other, &column, next_random(c) % 2);
        check_elements(c, isa, &column, &other, next_random(c) % 2);
    }
    const sheet long_row = {1, 2, 5000, 3, 1};
    check_rows(c, isa, &long_row, &long_row);
}
