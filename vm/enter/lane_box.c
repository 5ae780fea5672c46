/* Boxes of elements: loops that follow each other become one, and the two innermost are done by a kernel. */
#include "vm/enter/lane_box.h"

#include <string.h>

void tirbi_box_add(tirbi_box *b, tirbi_box_loop d) {
    if (d.count == 1) return;
    if (d.to < 0) {
        b->to = tirbi_moved(b->to, d.to, d.count - 1);
        b->from = tirbi_moved_from(b->from, d.from, d.count - 1);
        for (unsigned k = 0; k < b->n_beside; k++) {
            b->beside[k].from = tirbi_moved_from(b->beside[k].from, d.beside[k], d.count - 1);
            d.beside[k] = -d.beside[k];
        }
        d.to = -d.to;
        d.from = -d.from;
    }
    unsigned at = b->n++;
    for (; at > 0 && b->loops[at - 1].to > d.to; at--) b->loops[at] = b->loops[at - 1];
    b->loops[at] = d;
}

static void drop_loop(tirbi_box *b, unsigned d) {
    b->n--;
    memmove(&b->loops[d], &b->loops[d + 1], (b->n - d) * sizeof *b->loops);
}

/* Whether rounds of the outer loop read on where those of the inner one end. */
static bool reads_follow(const tirbi_box *b, const tirbi_box_loop *inner, const tirbi_box_loop *outer) {
    for (unsigned k = 0; k < b->n_beside; k++)
        if (outer->beside[k] != inner->beside[k] * inner->count) return false;
    return outer->from == inner->from * inner->count;
}

/* Loops whose rounds follow each other become one. What is left of a loop of two, four or eight bytes in a row is
 * larger elements. */
static void simplify(tirbi_box *b) {
    for (unsigned d = 0; d + 1 < b->n;) {
        tirbi_box_loop *inner = &b->loops[d], *outer = &b->loops[d + 1];
        if (outer->to == inner->to * inner->count && reads_follow(b, inner, outer)) {
            inner->count *= outer->count;
            drop_loop(b, d + 1);
        } else {
            d++;
        }
    }
    while (b->n_beside == 0 && b->n > 1 && b->loops[0].to == b->size && b->loops[0].from == b->size) {
        int64_t bytes = b->loops[0].count * b->size;
        if (bytes != 2 && bytes != 4 && bytes != 8) return;
        b->size = bytes;
        drop_loop(b, 0);
    }
}

/* ---- Past the caches ------------------------------------------------------------------------------------------- */

/* Lines that are stored in part are read first, as those at both ends of a row: shorter rows, unless they are lines. */
enum { PAST_ROW = 512 };

bool tirbi_fills_lines(const uint8_t *to, int64_t step, int64_t bytes) {
    return bytes >= PAST_ROW || (((uintptr_t)to | (uintptr_t)step | (uintptr_t)bytes) % 64 == 0 && bytes > 0);
}

void tirbi_move_past(const tirbi_moves *moves, uint8_t *to, const uint8_t *from, size_t size) {
    size_t head = (0 - (uintptr_t)to) % 64;
    if (head > size) head = size;
    const size_t lines = (size - head) / 64, tail = head + lines * 64;
    if (head > 0) memcpy(to, from, head);
    if (lines > 0) moves->stream(to + head, from + head, lines);
    if (tail < size) memcpy(to + tail, from + tail, size - tail);
}

/* ---- The two innermost loops ---------------------------------------------------------------------------------- */

/* The loop around a row that a kernel goes through as well, in parts of so many rows. */
static tirbi_box_loop rows_of(const tirbi_box *b, unsigned d) {
    return b->n > d ? b->loops[d] : (tirbi_box_loop){.count = 1};
}

static bool are_apart(tirbi_box_loop loop) {
    enum { LINE = 64 };
    return loop.to > LINE || loop.to < -LINE || loop.from > LINE || loop.from < -LINE;
}

/* How many rows of `bytes` bytes may be moved until somebody looks whether to stop: what is apart waits for memory. */
static int64_t rows_at_once(tirbi_box_loop rows, int64_t bytes) {
    enum { WAITS = 1024 };
    const int64_t n = TIRBI_BOX_BYTES / (bytes + (are_apart(rows) ? WAITS : 0));
    return n > 0 ? n : 1;
}

static bool copy_plane(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    int64_t bytes = b->loops[0].count * b->size;
    const tirbi_box_loop rows = rows_of(b, 1);
    if (bytes >= TIRBI_BOX_BYTES) {
        for (int64_t i = 0; i < rows.count; i++) {
            for (int64_t at = 0; at < bytes; at += TIRBI_BOX_BYTES) {
                size_t piece = bytes - at < TIRBI_BOX_BYTES ? (size_t)(bytes - at) : TIRBI_BOX_BYTES;
                uint8_t *part = tirbi_moved(to, rows.to, i) + at;
                if (b->past)
                    tirbi_move_past(b->moves, part, tirbi_moved_from(from, rows.from, i) + at, piece);
                else
                    memcpy(part, tirbi_moved_from(from, rows.from, i) + at, piece);
                if (tirbi_box_must_stop(b)) return false;
            }
        }
        return true;
    }
    const int64_t most = rows_at_once(rows, bytes);
    const bool past = b->past && tirbi_fills_lines(to, rows.to, bytes);
    for (int64_t i = 0; i < rows.count; i += most) {
        int64_t n = rows.count - i < most ? rows.count - i : most;
        for (int64_t k = i; k < i + n && past; k++)
            tirbi_move_past(b->moves, tirbi_moved(to, rows.to, k), tirbi_moved_from(from, rows.from, k), (size_t)bytes);
        if (!past)
            b->moves->copy(tirbi_moved(to, rows.to, i), (ptrdiff_t)rows.to, tirbi_moved_from(from, rows.from, i),
                           (ptrdiff_t)rows.from, (size_t)bytes, (size_t)n);
        if (tirbi_box_must_stop(b)) return false;
    }
    return true;
}

static uint64_t repeated(const uint8_t *element, size_t size) {
    uint64_t pattern;
    uint32_t four;
    uint16_t two;
    switch (size) {
    case 1: return *element * UINT64_C(0x0101010101010101);
    case 2: memcpy(&two, element, sizeof two); return two * UINT64_C(0x0001000100010001);
    case 4: memcpy(&four, element, sizeof four); return four * UINT64_C(0x0000000100000001);
    default: memcpy(&pattern, element, sizeof pattern); return pattern;
    }
}

/* Rows of elements that are all alike: in all rows, or in each by itself. */
static bool fill_plane(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    const tirbi_box_loop rows = rows_of(b, 1);
    const int64_t bytes = b->loops[0].count * b->size;
    const int64_t width = bytes < TIRBI_BOX_BYTES ? bytes : TIRBI_BOX_BYTES;
    const int64_t most = rows_at_once(rows, width), alike = rows.from == 0 ? most : 1;
    for (int64_t begin = 0; begin < rows.count; begin += most) {
        const int64_t end = rows.count - begin < most ? rows.count : begin + most;
        for (int64_t at = 0; at < bytes; at += width) {
            const size_t piece = bytes - at < width ? (size_t)(bytes - at) : (size_t)width;
            for (int64_t i = begin; i < end; i += alike) {
                const uint64_t pattern = repeated(tirbi_moved_from(from, rows.from, i), (size_t)b->size);
                b->moves->fill(tirbi_moved(to, rows.to, i) + at, (ptrdiff_t)rows.to, &pattern, piece,
                               (size_t)(end - i < alike ? end - i : alike));
            }
            if (tirbi_box_must_stop(b)) return false;
        }
    }
    return true;
}

/* Rows of elements from steps of any size to steps of any. */
static bool place_rows(const tirbi_box *b, tirbi_box_loop row, tirbi_box_loop rows, uint8_t *to, const uint8_t *from) {
    enum { MOST = TIRBI_BOX_BYTES / 8, MOST_APART = TIRBI_BOX_BYTES / 1024 };
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    const int64_t elements = are_apart(row) || are_apart(rows) ? MOST_APART : MOST;
    const int64_t width = row.count < elements ? row.count : elements, most = elements / width;
    for (int64_t begin = 0; begin < rows.count; begin += most) {
        const int64_t end = rows.count - begin < most ? rows.count : begin + most;
        for (int64_t at = 0; at < row.count; at += width) {
            const int64_t n = row.count - at < width ? row.count - at : width;
            for (int64_t i = begin; i < end; i++)
                b->moves->place[shift](tirbi_moved(tirbi_moved(to, rows.to, i), row.to, at), (ptrdiff_t)row.to,
                                       tirbi_moved_from(tirbi_moved_from(from, rows.from, i), row.from, at),
                                       (ptrdiff_t)row.from, (size_t)n);
            if (tirbi_box_must_stop(b)) return false;
        }
    }
    return true;
}

static bool place_plane(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    return place_rows(b, b->loops[0], rows_of(b, 1), to, from);
}

/* `n` elements that follow each other, each `times` times: the compiler makes vectors of those loops whose bounds it
 * knows. */
#define REPEAT_TIMES(type, times)                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        type v;                                                                                                        \
        memcpy(&v, from + i * (int64_t)sizeof v, sizeof v);                                                            \
        for (int64_t j = 0; j < (times); j++) memcpy(to + (i * (times) + j) * (int64_t)sizeof v, &v, sizeof v);        \
    }
#define DEFINE_REPEAT(type)                                                                                            \
    static void repeat_##type(uint8_t *restrict to, const uint8_t *restrict from, int64_t n, int64_t times) {          \
        if (times == 2) {                                                                                              \
            REPEAT_TIMES(type, 2)                                                                                      \
        } else if (times == 4) {                                                                                       \
            REPEAT_TIMES(type, 4)                                                                                      \
        } else {                                                                                                       \
            REPEAT_TIMES(type, times)                                                                                  \
        }                                                                                                              \
    }
DEFINE_REPEAT(uint8_t)
DEFINE_REPEAT(uint16_t)
DEFINE_REPEAT(uint32_t)
DEFINE_REPEAT(uint64_t)

/* A row of elements that are there some times each, as where an image is made larger. */
static bool repeat_plane(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    static void (*const repeats[])(uint8_t *restrict, const uint8_t *restrict, int64_t,
                                   int64_t) = {repeat_uint8_t, repeat_uint16_t, repeat_uint32_t, repeat_uint64_t};
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    const int64_t times = b->loops[0].count, count = b->loops[1].count;
    for (int64_t at = 0; at < count; at += TIRBI_BOX_BYTES / 64) {
        const int64_t n = count - at < TIRBI_BOX_BYTES / 64 ? count - at : TIRBI_BOX_BYTES / 64;
        repeats[shift](tirbi_moved(to, b->loops[1].to, at), tirbi_moved_from(from, b->loops[1].from, at), n, times);
        if (tirbi_box_must_stop(b)) return false;
    }
    return true;
}

/* A transposition with fewer rows or columns than a tile has: by pieces of the longer loop, so that what one of the
 * shorter one has left in the caches the next one finds. */
static bool thin_plane(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    enum { PIECE = 4096 };
    const bool few_rows = b->loops[0].count < b->loops[1].count;
    const tirbi_box_loop few = b->loops[few_rows ? 0 : 1], many = b->loops[few_rows ? 1 : 0];
    for (int64_t at = 0; at < many.count; at += PIECE) {
        const int64_t n = many.count - at < PIECE ? many.count - at : PIECE;
        const tirbi_box_loop piece = {.to = many.to, .from = many.from, .count = n};
        if (!place_rows(b, piece, few, tirbi_moved(to, many.to, at), tirbi_moved_from(from, many.from, at)))
            return false;
    }
    return true;
}

/* Asks for the lines of `n` rows that are read next, where they are not so far apart that the kernel does so. */
static void ask_for_rows(const uint8_t *from, int64_t step, int64_t n) {
    enum { APART = 2048 };
    if (step > APART || step < -APART) return;
    for (int64_t i = 0; i < n; i++) __builtin_prefetch(tirbi_moved_from(from, step, i));
}

/* The columns of a line go through near memory, from where they are stored by lines. */
static __attribute__((noinline)) bool transpose_past(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    enum { ROWS = 256 };
    const tirbi_box_loop rows = b->loops[0], columns = b->loops[1];
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    const int64_t line = 64 >> shift;
    _Alignas(64) uint8_t near[64 * ROWS];
    for (int64_t i = 0; i < rows.count; i += ROWS) {
        const int64_t height = rows.count - i < ROWS ? rows.count - i : ROWS, pitch = height * b->size;
        for (int64_t j = 0; j < columns.count; j += line) {
            const int64_t width = columns.count - j < line ? columns.count - j : line;
            const bool ends = j + line >= columns.count;
            for (int64_t r = 0; r < height; r += TIRBI_TRANSPOSE_ROWS) {
                const int64_t n = height - r < TIRBI_TRANSPOSE_ROWS ? height - r : TIRBI_TRANSPOSE_ROWS;
                const uint8_t *next = tirbi_moved_from(from, rows.from, i + r + (ends ? ROWS : 0));
                ask_for_rows(tirbi_moved_from(next, b->size, ends ? 0 : j + line), rows.from, n);
                b->moves->transpose[shift](near + r * b->size, (ptrdiff_t)pitch,
                                           tirbi_moved_from(from, rows.from, i + r) + j * b->size, (ptrdiff_t)rows.from,
                                           (size_t)n, (size_t)width);
            }
            const bool follow = columns.to == pitch;
            for (int64_t k = 0; k < (follow ? 1 : width); k++)
                tirbi_move_past(b->moves, tirbi_moved(to, columns.to, j + k) + i * b->size, near + k * pitch,
                          (size_t)(follow ? pitch * width : pitch));
            if (tirbi_box_must_stop(b)) return false;
        }
    }
    return true;
}

static bool transpose_plane(const tirbi_box *b, uint8_t *to, const uint8_t *from) {
    enum { SOME = 256 };
    const tirbi_box_loop rows = b->loops[0], columns = b->loops[1];
    const int64_t most = TIRBI_BOX_BYTES / 64 / TIRBI_TRANSPOSE_ROWS * TIRBI_TRANSPOSE_ROWS;
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    for (int64_t j = 0; j < columns.count; j += most) {
        int64_t width = columns.count - j < most ? columns.count - j : most;
        for (int64_t i = 0; i < rows.count; i += TIRBI_TRANSPOSE_ROWS) {
            int64_t height = rows.count - i < TIRBI_TRANSPOSE_ROWS ? rows.count - i : TIRBI_TRANSPOSE_ROWS;
            for (int64_t k = j; k < j + width; k += SOME) {
                const int64_t some = j + width - k < SOME ? j + width - k : SOME;
                b->moves->transpose[shift](tirbi_moved(to, columns.to, k) + i * b->size, (ptrdiff_t)columns.to,
                                           tirbi_moved_from(from, rows.from, i) + k * b->size, (ptrdiff_t)rows.from,
                                           (size_t)height, (size_t)some);
                if (tirbi_box_must_stop(b)) return false;
            }
        }
    }
    return true;
}

/* ---- The loops around them ------------------------------------------------------------------------------------ */

enum { FEW = 16, LONG_SPREAD = 512 };

unsigned tirbi_box_most_rows(const tirbi_box *b, unsigned d) {
    unsigned most = d;
    for (unsigned k = d; k < b->n && !b->past && b->loops[most].count < FEW; k++)
        if (b->loops[k].count > b->loops[most].count) most = k;
    return most > d && b->loops[most].count / 4 < b->loops[d].count ? d : most;
}

void tirbi_box_bring(tirbi_box *b, unsigned from, unsigned to) {
    for (; from > to; from--) {
        const tirbi_box_loop rows = b->loops[from];
        b->loops[from] = b->loops[from - 1];
        b->loops[from - 1] = rows;
    }
}

/* Which kernel does the innermost loops, and how many they are. */
static tirbi_box_plane choose_plane(tirbi_box *b, unsigned *loops) {
    *loops = 1;
    if (tirbi_box_find_parts(b)) return tirbi_box_part;
    if (tirbi_box_find_weave(b, loops)) return b->plane;
    const tirbi_box_loop first = b->loops[0];
    const bool many_times = first.from == 0 && first.count < FEW && b->n > 1;
    *loops = 2;
    if (first.to == b->size && many_times && b->loops[1].from == b->size && b->loops[1].to == first.count * b->size)
        return repeat_plane;
    if (first.to == b->size && many_times && b->loops[1].from != 0 && b->loops[1].count > first.count) {
        b->loops[0] = b->loops[1]; /* each element some times: all of them once, and again */
        b->loops[1] = first;
        return place_plane;
    }
    for (unsigned d = 1; d < b->n && first.to == b->size && first.from != 0 && first.from != b->size; d++) {
        if (b->loops[d].from != b->size) continue;
        const tirbi_box_loop columns = b->loops[d];
        memmove(&b->loops[2], &b->loops[1], (d - 1) * sizeof *b->loops);
        b->loops[1] = columns;
        /* Spreading a row takes some preparation, which picking columns does not. */
        const int64_t side = 16 / b->size;
        const bool thin = columns.count < side || (first.count < side && columns.count >= LONG_SPREAD);
        const int64_t bytes = first.count * b->size;
        if (!thin && b->past && (columns.to == bytes || tirbi_fills_lines(b->to, columns.to, bytes)))
            return transpose_past;
        return thin ? thin_plane : transpose_plane;
    }
    tirbi_box_bring(b, tirbi_box_most_rows(b, 1), 1);
    if (first.to != b->size) return place_plane;
    return first.from == b->size ? copy_plane : first.from == 0 ? fill_plane : place_plane;
}

/* Where no loop does anything, there is one element. */
static void prepare(tirbi_box *b) {
    simplify(b);
    if (b->n == 0) b->loops[b->n++] = (tirbi_box_loop){.to = b->size, .from = b->size, .count = 1};
}

bool tirbi_box_plan_together(tirbi_box *b) {
    prepare(b);
    b->plane = tirbi_box_part;
    b->n_in_plane = 1;
    if (b->n_parts > 0) return tirbi_box_find_parts(b);
    return tirbi_box_find_weave(b, &b->n_in_plane) && b->n_in_plane >= b->n;
}

void tirbi_box_plan(tirbi_box *b) {
    prepare(b);
    b->plane = choose_plane(b, &b->n_in_plane);
}

bool tirbi_box_run(tirbi_box *b) {
    if (b->n <= b->n_in_plane) return b->plane(b, b->to, b->from);
    int64_t at[TIRBI_REACH_DIMENSIONS] = {0};
    for (;;) {
        if (!b->plane(b, b->to, b->from)) return false;
        unsigned d = b->n_in_plane;
        for (; d < b->n; d++) {
            const tirbi_box_loop *dim = &b->loops[d];
            b->to = tirbi_moved(b->to, dim->to, 1);
            b->from = tirbi_moved_from(b->from, dim->from, 1);
            if (++at[d] < dim->count) break;
            b->to = tirbi_moved(b->to, -dim->to, dim->count);
            b->from = tirbi_moved_from(b->from, -dim->from, dim->count);
            at[d] = 0;
        }
        if (d >= b->n) return true;
    }
}

