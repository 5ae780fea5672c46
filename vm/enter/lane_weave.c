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

/* ---- Rows of elements that each follow their own -------------------------------------------------------------- */

/* Where element `e` of row `row` of stretch `i` comes from. */
static const uint8_t *element_from(const tirbi_box *b, const uint8_t *from, unsigned e, int64_t i, int64_t row) {
    const tirbi_weave *w = &b->weave;
    const unsigned byte = e * (unsigned)b->size, k = w->source_of[byte];
    const uint8_t *const first = tirbi_moved_from(from, w->source[k] + w->byte_of[byte], 1);
    return tirbi_moved_from(tirbi_moved_from(first, b->stretches.from_step[k], i), w->from_step[k], row);
}

static bool is_same_for_all(const tirbi_box *b, unsigned e) {
    return b->weave.from_step[b->weave.source_of[e * (unsigned)b->size]] == 0;
}

bool tirbi_box_interleave(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    enum { SAME_BYTES = 1024 };
    const unsigned shift = (unsigned)__builtin_ctzll((uint64_t)b->size), n = b->weave.to_step >> shift;
    _Alignas(16) uint8_t same[TIRBI_MOST_PARTS][SAME_BYTES];
    bool has_same = false;
    for (unsigned e = 0; e < n; e++) has_same = has_same || is_same_for_all(b, e);
    const int64_t most = (has_same ? SAME_BYTES : TIRBI_BOX_BYTES / TIRBI_MOST_PARTS) / b->size;
    for (int64_t i = 0; i < (int64_t)b->stretches.count; i++) {
        for (unsigned e = 0; e < n; e++) {
            uint64_t pattern = 0;
            if (!is_same_for_all(b, e)) continue;
            const uint8_t *const element = element_from(b, from, e, i, 0);
            for (unsigned byte = 0; byte < sizeof pattern; byte++)
                ((uint8_t *)&pattern)[byte] = element[byte & ((unsigned)b->size - 1)];
            b->moves->fill(same[e], 0, &pattern, (size_t)((b->rows < most ? b->rows : most) * b->size), 1);
        }
        for (int64_t at = 0; at < b->rows; at += most) {
            const uint8_t *elements[TIRBI_MOST_PARTS];
            for (unsigned e = 0; e < TIRBI_MOST_PARTS; e++)
                elements[e] = e < n && !is_same_for_all(b, e) ? element_from(b, from, e, i, at) : same[e];
            b->moves->interleave[shift](tirbi_moved(tirbi_moved(to, b->stretches.to_step, i), b->weave.to_step, at),
                                        elements, n, (size_t)(b->rows - at < most ? b->rows - at : most));
            if (tirbi_box_must_stop(b)) return false;
        }
    }
    return true;
}

/* Rows whose elements come at even steps, from the last of a row to the first of the next one as well. */
bool tirbi_box_place_rows(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    const unsigned shift = (unsigned)__builtin_ctzll((uint64_t)b->size), n = b->weave.to_step >> shift;
    const int64_t most = TIRBI_BOX_BYTES / TIRBI_WEAVE_BYTES;
    for (int64_t i = 0; i < (int64_t)b->stretches.count; i++) {
        for (int64_t at = 0; at < b->rows; at += most) {
            const int64_t rows = b->rows - at < most ? b->rows - at : most;
            b->moves->place[shift](tirbi_moved(tirbi_moved(to, b->stretches.to_step, i), b->weave.to_step, at), b->size,
                                   element_from(b, from, 0, i, at), b->weave.from_step[0] / (int)n,
                                   (size_t)rows * n);
            if (tirbi_box_must_stop(b)) return false;
        }
    }
    return true;
}

/* Whether they do. Of single elements vectors know the short steps best. */
static bool can_place_rows(const tirbi_box *b, const tirbi_weave *w) {
    enum { SHORT = 4 };
    const unsigned size = (unsigned)b->size, n = w->to_step / size;
    if (w->to_step % size != 0 || n < 1 || w->n_sources != 1 || w->from_step[0] <= 0 || w->from_step[0] % (int)n != 0)
        return false;
    const unsigned step = (unsigned)w->from_step[0] / n;
    if (n == 1 && (step == size || step % size != 0 || step > SHORT * size)) return false;
    for (unsigned i = 0; i < w->to_step; i++)
        if (w->source_of[i] != 0 || w->byte_of[i] != w->byte_of[0] + i / size * step + i % size) return false;
    return true;
}

/* Whether rows are whole elements, each of which goes on by one from row to row, or is the same for all. */
static bool can_interleave(const tirbi_box *b, const tirbi_weave *w, int64_t rows) {
    enum { LEAST = 64 };
    const unsigned size = (unsigned)b->size, n = w->to_step / size;
    bool goes_on = false;
    if (w->to_step % size != 0 || n < TIRBI_LEAST_PARTS || n > TIRBI_MOST_PARTS || rows * w->to_step < LEAST)
        return false;
    for (unsigned i = 0; i < w->to_step; i++) {
        const unsigned k = w->source_of[i], first = i - i % size;
        if (k == TIRBI_WEAVE_NONE || k != w->source_of[first] || w->byte_of[i] != w->byte_of[first] + i % size)
            return false;
        if (w->from_step[k] != 0 && w->from_step[k] != b->size) return false;
        goes_on = goes_on || w->from_step[k] != 0;
    }
    return goes_on;
}

/* ---- Rows that are parted ------------------------------------------------------------------------------------- */

bool tirbi_box_find_parts(tirbi_box *b) {
    const tirbi_box_loop row = b->loops[0];
    const int64_t n = row.from / b->size;
    if (b->past || row.to != b->size || row.from != n * b->size ||
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
        const uint8_t *const first = tirbi_moved_from(from, b->loops[0].from, at);
        const size_t n = (size_t)(rows - at < most ? rows - at : most);
        if (b->weaver && b->weaver->part)
            b->weaver->part(columns, first, (unsigned)b->size, b->n_parts, n);
        else
            b->moves->part[__builtin_ctzll((uint64_t)b->size)](columns, first, b->n_parts, n);
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
    return b->size > NARROW && (!b->weaver || !b->weaver->leaves_bytes || first.count >= LONG || b->n == 1);
}

bool tirbi_box_find_weave(tirbi_box *b, unsigned *loops) {
    enum { MANY = 32 };
    unsigned inner = 0;
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
    const bool goes_everywhere = b->weaver && b->weaver->leaves_bytes;
    const tirbi_box_plane plane = goes_everywhere                               ? tirbi_box_weave
                                  : can_place_rows(b, &p.weave)                 ? tirbi_box_place_rows
                                  : can_interleave(b, &p.weave, row.count)      ? tirbi_box_interleave
                                  : is_slow || !b->weaver || has_gaps(&p.weave) ? NULL
                                                                                : tirbi_box_weave;
    if (!plane) return false;
    b->weave = p.weave;
    b->plane = plane;
    if (plane == tirbi_box_weave) b->weaver->prepare(&b->weave);
    b->rows = row.count;
    b->stretches = p.stretches;
    tirbi_box_bring(b, p.around, inner + 1);
    *loops = inner + 1 + is_around;
    return true;
}
