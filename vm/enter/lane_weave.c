/* Boxes of rows of few bytes, of which several are in a vector: those of one copy, or of copies whose elements fill the
 * gaps between each other's. */
#include <string.h>

#include "vm/enter/lane_box.h"

/* The rows of one stretch that a weaver has left. */
static void weave_rest(const tirbi_weave *w, uint8_t *to, const uint8_t *from, const ptrdiff_t *at, int64_t done,
                       int64_t n) {
    for (int64_t i = done; i < n; i++) {
        for (unsigned b = 0; b < w->to_step; b++) {
            const unsigned k = w->source_of[b];
            if (k == TIRBI_WEAVE_NONE) continue;
            const uint8_t *row = tirbi_moved_from(tirbi_moved_from(from, w->source[k] + at[k], 1), w->from_step[k], i);
            tirbi_moved(to, w->to_step, i)[b] = row[w->byte_of[b]];
        }
    }
}

/* Where the sources of stretch i of a weave are, from row `row` on. */
static void find_part(const tirbi_box *b, int64_t i, int64_t row, ptrdiff_t *at) {
    for (unsigned k = 0; k < b->weave.n_sources; k++)
        at[k] = (ptrdiff_t)((uint64_t)b->stretches.from_step[k] * (uint64_t)i +
                            (uint64_t)b->weave.from_step[k] * (uint64_t)row);
}

bool tirbi_box_weave(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    enum { MOST_ROWS = TIRBI_BOX_BYTES / TIRBI_WEAVE_BYTES, MOST_STRETCHES = 512 };
    const int64_t count = (int64_t)b->stretches.count, to_step = b->stretches.to_step;
    for (int64_t at = 0; at < b->rows; at += MOST_ROWS) {
        const int64_t n = b->rows - at < MOST_ROWS ? b->rows - at : MOST_ROWS;
        const int64_t most = MOST_ROWS / n < MOST_STRETCHES ? MOST_ROWS / n : MOST_STRETCHES;
        uint8_t *const first = tirbi_moved(to, b->weave.to_step, at);
        for (int64_t i = 0; i < count; i += most) {
            ptrdiff_t sources[TIRBI_WEAVE_SOURCES];
            find_part(b, i, at, sources);
            tirbi_weave_stretches part = b->stretches;
            part.count = (size_t)(count - i < most ? count - i : most);
            const int64_t done =
                (int64_t)b->weaver->run(&b->weave, tirbi_moved(first, to_step, i), from, sources, (size_t)n, &part);
            for (int64_t k = i; k < i + (int64_t)part.count && done < n; k++) {
                find_part(b, k, at, sources);
                weave_rest(&b->weave, tirbi_moved(first, to_step, k), from, sources, done, n);
            }
            if (tirbi_box_must_stop(b)) return false;
        }
    }
    return true;
}

/* ---- Rows that are parted ------------------------------------------------------------------------------------- */

bool tirbi_box_find_parts(tirbi_box *b) {
    const tirbi_box_loop row = b->loops[0];
    const int64_t n = row.from / b->size;
    if (!b->weaver || !b->weaver->part || b->past || row.to != b->size || row.from != n * b->size ||
        n < TIRBI_LEAST_PARTS || n > TIRBI_MOST_PARTS || row.count * b->size < TIRBI_WEAVE_VECTOR)
        return false;
    if (b->n_parts > 0) return b->n_parts == n;
    for (unsigned d = 1; d < b->n; d++) {
        if (b->loops[d].from != b->size || b->loops[d].count != n) continue;
        for (int64_t k = 0; k < n; k++) b->parts[k] = (ptrdiff_t)(b->loops[d].to * k);
        b->n_parts = (unsigned)n;
        b->n--;
        memmove(&b->loops[d], &b->loops[d + 1], (b->n - d) * sizeof *b->loops);
        return true;
    }
    return false;
}

bool tirbi_box_part(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    const int64_t rows = b->loops[0].count, most = TIRBI_BOX_BYTES / (b->size * TIRBI_MOST_PARTS);
    for (int64_t at = 0; at < rows; at += most) {
        uint8_t *columns[TIRBI_MOST_PARTS];
        for (unsigned k = 0; k < b->n_parts; k++)
            columns[k] = tirbi_moved(tirbi_moved(to, b->parts[k], 1), b->size, at);
        b->weaver->part(columns, tirbi_moved_from(from, b->loops[0].from, at), (unsigned)b->size, b->n_parts,
                        (size_t)(rows - at < most ? rows - at : most));
        if (tirbi_box_must_stop(b)) return false;
    }
    return true;
}

/* ---- Finding -------------------------------------------------------------------------------------------------- */

/* One of the copies that a row is made of: the box itself, or what is beside it. */
typedef struct strand {
    ptrdiff_t to, from; /* of the first row */
    unsigned array;
    bool is_still; /* one and the same element: more bytes than it has may be read */
} strand;

static strand strand_of(const tirbi_box *b, unsigned s) {
    if (s == 0) return (strand){.array = b->array, .is_still = b->is_still};
    const tirbi_box_beside *beside = &b->beside[s - 1];
    return (strand){beside->to, (ptrdiff_t)((uintptr_t)beside->from - (uintptr_t)b->from), beside->array,
                    beside->is_still};
}

static int64_t step_of(const tirbi_box_loop *loop, unsigned s) { return s == 0 ? loop->from : loop->beside[s - 1]; }

/* What has been found of a weave: all of it, and of whose array each source is. */
typedef struct plan {
    unsigned around; /* the loop of stretches */
    tirbi_weave weave;
    tirbi_weave_stretches stretches;
    unsigned array[TIRBI_WEAVE_SOURCES];
    int64_t places[TIRBI_WEAVE_BYTES];
} plan;

/* The source of a row that has `size` bytes from `at` on, which may lie before what it had. Only what is between bytes
 * of one array is read with them. */
static unsigned source_at(plan *p, const strand *s, int64_t at, int64_t size, int64_t step, int64_t around) {
    tirbi_weave *const w = &p->weave;
    for (unsigned k = 0; k < w->n_sources; k++) {
        const int64_t begin = at < w->source[k] ? at : w->source[k];
        const int64_t end = at + size > w->source[k] + w->span[k] ? at + size : w->source[k] + w->span[k];
        if (p->array[k] != s->array || w->from_step[k] != step || p->stretches.from_step[k] != around) continue;
        if (end - begin > TIRBI_WEAVE_BYTES) continue;
        w->source[k] = begin;
        w->span[k] = (uint8_t)(end - begin);
        return k;
    }
    const unsigned k = w->n_sources;
    if (k == TIRBI_WEAVE_SOURCES) return k;
    p->array[k] = s->array;
    p->stretches.from_step[k] = (ptrdiff_t)around;
    w->source[k] = (ptrdiff_t)at;
    w->span[k] = (uint8_t)size;
    w->from_step[k] = (int)step;
    return w->n_sources++;
}

/* Says of each byte of a row that a strand writes, by the first `inner` loops, where it comes from. */
static bool describe_strand(const tirbi_box *b, unsigned which, unsigned inner, plan *p) {
    const strand s = strand_of(b, which);
    const int64_t step = step_of(&b->loops[inner], which), size = b->size;
    const int64_t around = p->around < b->n ? step_of(&b->loops[p->around], which) : 0;
    int64_t at[TIRBI_REACH_DIMENSIONS] = {0}, to = s.to, from = s.from;
    unsigned d;
    if (step > TIRBI_WEAVE_BYTES || step < -TIRBI_WEAVE_BYTES) return false;
    do {
        if (to < 0 || to + size > p->weave.to_step) return false;
        const unsigned k = source_at(p, &s, from, s.is_still ? TIRBI_WEAVE_BYTES : size, step, around);
        if (k == TIRBI_WEAVE_SOURCES) return false;
        for (int64_t i = to; i < to + size; i++) {
            if (p->weave.source_of[i] != TIRBI_WEAVE_NONE) return false;
            p->weave.source_of[i] = (uint8_t)k;
            p->places[i] = from + (i - to);
        }
        for (d = 0; d < inner; d++) {
            to += b->loops[d].to;
            from += step_of(&b->loops[d], which);
            if (++at[d] < b->loops[d].count) break;
            to -= b->loops[d].to * b->loops[d].count;
            from -= step_of(&b->loops[d], which) * b->loops[d].count;
            at[d] = 0;
        }
    } while (d < inner);
    return true;
}

static bool describe_row(const tirbi_box *b, unsigned inner, plan *p) {
    tirbi_weave *const w = &p->weave;
    memset(w->source_of, TIRBI_WEAVE_NONE, sizeof w->source_of);
    for (unsigned s = 0; s <= b->n_beside; s++)
        if (!describe_strand(b, s, inner, p)) return false;
    for (unsigned i = 0; i < w->to_step; i++)
        if (w->source_of[i] != TIRBI_WEAVE_NONE) w->byte_of[i] = (uint8_t)(p->places[i] - w->source[w->source_of[i]]);
    return true;
}

static bool has_gaps(const tirbi_weave *w) {
    for (unsigned i = 0; i < w->to_step; i++)
        if (w->source_of[i] == TIRBI_WEAVE_NONE) return true;
    return false;
}

enum { NARROW = 2 };

/* Single elements of four bytes and more, where their rows are long, and rows that are columns of such have other ways
 * that are as fast. */
static bool has_other_ways(const tirbi_box *b, unsigned inner) {
    enum { LONG = 64 };
    const tirbi_box_loop first = b->loops[0];
    if (b->n_beside > 0) return false;
    if (inner > 0) return b->size > 1 && first.from == 0 && (first.count == 2 || first.count == 4);
    if (first.to == b->size && (first.from == 0 || first.from == b->size || first.from == -b->size)) return true;
    return b->size > NARROW && (!b->weaver->leaves_bytes || first.count >= LONG || b->n == 1);
}

bool tirbi_box_find_weave(tirbi_box *b, unsigned *loops) {
    enum { MANY = 32 };
    unsigned inner = 0;
    if (!b->weaver) return false;
    for (int64_t bytes = b->size; inner < b->n && b->loops[inner].count < MANY; inner++) {
        bytes *= b->loops[inner].count;
        if (bytes > TIRBI_WEAVE_BYTES) break;
    }
    if (inner == b->n || has_other_ways(b, inner)) return false;
    const tirbi_box_loop row = b->loops[inner];
    if (row.to > TIRBI_WEAVE_BYTES) return false;
    plan p = {.around = tirbi_box_most_rows(b, inner + 1),
              .weave = {.to_step = (unsigned)row.to},
              .stretches = {.count = 1}};
    const bool is_around = p.around < b->n;
    if (is_around) p.stretches.count = (size_t)b->loops[p.around].count;
    if (is_around) p.stretches.to_step = (ptrdiff_t)b->loops[p.around].to;
    if (!describe_row(b, inner, &p)) return false;
    const bool is_slow = b->n_beside == 0 && b->size > NARROW && p.weave.n_sources > 1;
    if (!b->weaver->leaves_bytes && (is_slow || has_gaps(&p.weave))) return false;
    b->weave = p.weave;
    b->weaver->prepare(&b->weave);
    b->rows = row.count;
    b->stretches = p.stretches;
    tirbi_box_bring(b, p.around, inner + 1);
    *loops = inner + 1 + is_around;
    return true;
}
