/* Lane loops that only move elements.
 *
 * The order of the moves is free, for what one copy writes no other iteration of it reads or writes. So the loops are
 * sorted by the steps of what is written, those that follow each other become one, and the two innermost are done by a
 * kernel: rows that are contiguous on both sides, a transposition where either side has a contiguous loop of its own,
 * rows of few bytes several to a vector, or else element by element. */
#include "vm/exec/lane_copy.h"

#include <string.h>

#include "vm/lanes/slots.h"
#include "vm/math/core.h"

/* ---- Finding -------------------------------------------------------------------------------------------------- */

/* A store of what was loaded or splat directly before it, or before other such stores. Bools are brought to 0 and 1 by
 * loads, and a NaN to its canonical form by stores of floats: that is more than a copy. */
static bool read_copy(const lane_body *body, const lane_ins *source, const lane_ins *store, tirbi_lane_copy *out) {
    if (store->op != TIRB_OP_VSTORE || store->reads[0] != source->dest || store->type == TIRB_BOOL) return false;
    if (tirbi_dtypes[store->type].size != tirbi_dtypes[source->type].size) return false;
    out->to = store->cursor;
    out->fills = source->op == TIRB_OP_VSPLAT;
    out->from = source->cursor;
    out->slot = source->slot;
    out->type = store->type;
    out->settled = store->settled || !tirbi_dtype_is_float((tirbi_dtype)store->type);
    for (unsigned k = 0; out->fills && k < body->header->n_inner; k++)
        if (body->header->inner[k].index == source->slot) return false;
    return out->fills || (source->op == TIRB_OP_VLOAD && out->settled);
}

tirb_status tirbi_lane_copy_find(const lane_body *body, tirbi_lane_loop *loop, tirbi_code *code) {
    const lane_ins *source = NULL;
    uint32_t end = body->n - loop->n_outer;
    if (loop->n_outer != loop->n_inner || end - loop->n_outer > TIRBI_MAX_CURSORS) return TIRB_OK;
    tirbi_lane_copy *copies = TIRBI_NEW_ARRAY(&code->arena, tirbi_lane_copy, end - loop->n_outer);
    if (!copies) return tirbi_heap_status(code->heap);
    uint8_t n = 0;
    for (uint32_t i = loop->n_outer; i < end; i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT)
            source = ins;
        else if (!source || !read_copy(body, source, ins, &copies[n++]))
            return TIRB_OK;
    }
    loop->copies = copies;
    loop->n_copies = n;
    return TIRB_OK;
}

/* Each element is written once by each copy. */
bool tirbi_lane_copy_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches) {
    for (uint32_t i = 0; i < loop->n_copies; i++) {
        const tirbi_reach *to = &reaches[loop->copies[i].to];
        for (unsigned d = 0; d < 1u + loop->n_inner; d++)
            if (to->count[d] > 1 && to->step[d] == 0) return false;
        if (!tirbi_reach_nested(to, 1u + loop->n_inner)) return false;
    }
    return loop->n_copies > 0;
}

/* The bits of the canonical NaN instead of those of any NaN. */
static uint64_t settled(uint64_t bits, uint8_t type) {
    switch (type) {
    case TIRB_F16: return tirbi_canon_f16((uint16_t)bits);
    case TIRB_BF16: return tirbi_canon_bf16((uint16_t)bits);
    case TIRB_F32: return tirbi_slot_of_f32(tirbi_canon_f32(tirbi_slot_f32(bits)));
    case TIRB_F64: return tirbi_slot_of_f64(tirbi_canon_f64(tirbi_slot_f64(bits)));
    default: return bits;
    }
}

static uint64_t repeated(const void *element, size_t size) {
    uint64_t pattern = 0;
    memcpy(&pattern, element, size);
    for (; size < sizeof pattern; size *= 2) memcpy((uint8_t *)&pattern + size, &pattern, size);
    return pattern;
}

uint64_t tirbi_lane_fill_pattern(const tirbi_lane_copy *fill, const uint64_t *slots, size_t size) {
    uint64_t bits = fill->settled ? slots[fill->slot] : settled(slots[fill->slot], fill->type);
    return repeated(tirbi_slot_bytes(&bits, size), size);
}

/* ---- Boxes ---------------------------------------------------------------------------------------------------- */

typedef struct dimension {
    int64_t to, from; /* steps in bytes */
    int64_t count;
} dimension;

typedef struct box {
    const tirbi_moves *moves;
    const tirbi_weaver *weaver; /* or NULL */
    tirbi_weave weave;          /* of weave_plane, */
    int64_t rows;               /* for so many rows, */
    dimension stretches;        /* so many times */
    const atomic_uint *stop;
    bool past; /* what is written goes past the caches, where it fills lines */
    uint8_t *to;
    const uint8_t *from;
    int64_t size; /* of an element */
    unsigned n;
    dimension dims[TIRBI_REACH_DIMENSIONS]; /* those of smaller steps in what is written first */
} box;

static uint8_t *moved(uint8_t *p, int64_t step, int64_t times) {
    return (uint8_t *)((uintptr_t)p + (uintptr_t)step * (uintptr_t)times);
}

static const uint8_t *moved_from(const uint8_t *p, int64_t step, int64_t times) {
    return (const uint8_t *)((uintptr_t)p + (uintptr_t)step * (uintptr_t)times);
}

static bool must_stop(const box *b) { return atomic_load_explicit(b->stop, memory_order_relaxed) != 0; }

static void add_dimension(box *b, dimension d) {
    if (d.count == 1) return;
    if (d.to < 0) {
        b->to = moved(b->to, d.to, d.count - 1);
        b->from = moved_from(b->from, d.from, d.count - 1);
        d.to = -d.to;
        d.from = -d.from;
    }
    unsigned at = b->n++;
    for (; at > 0 && b->dims[at - 1].to > d.to; at--) b->dims[at] = b->dims[at - 1];
    b->dims[at] = d;
}

static void drop_dimension(box *b, unsigned d) {
    b->n--;
    memmove(&b->dims[d], &b->dims[d + 1], (b->n - d) * sizeof *b->dims);
}

/* Loops whose rounds follow each other become one. What is left of a loop of two, four or eight bytes in a row is
 * larger elements. */
static void simplify(box *b) {
    for (unsigned d = 0; d + 1 < b->n;) {
        dimension *inner = &b->dims[d], *outer = &b->dims[d + 1];
        if (outer->to == inner->to * inner->count && outer->from == inner->from * inner->count) {
            inner->count *= outer->count;
            drop_dimension(b, d + 1);
        } else {
            d++;
        }
    }
    while (b->n > 1 && b->dims[0].to == b->size && b->dims[0].from == b->size) {
        int64_t bytes = b->dims[0].count * b->size;
        if (bytes != 2 && bytes != 4 && bytes != 8) return;
        b->size = bytes;
        drop_dimension(b, 0);
    }
}

/* ---- Past the caches ------------------------------------------------------------------------------------------- */

/* Lines that are stored in part are read first, as those at both ends of a row: shorter rows, unless they are lines. */
enum { PAST_ROW = 512 };

/* Whether a copy writes far more than the caches hold, to memory of which nothing is read soon. */
static bool goes_past(const tirbi_machine *machine, const tirbi_lane_loop *loop, unsigned cursor, uint64_t bytes) {
    const uint16_t ref = loop->cursors[cursor].ref;
    const bool unread = ref < 64 && !(machine->frame->fn->refs_read >> ref & 1);
    return machine->code->kernels->moves.stream && tirbi_ref_is_much(&tirbi_frame_refs(machine->frame)[ref]) &&
           (bytes >= TIRBI_MUCH || unread);
}

/* Whether rows of `bytes` bytes that are `step` bytes apart fill so many lines. */
static bool fills_lines(const uint8_t *to, int64_t step, int64_t bytes) {
    return bytes >= PAST_ROW || (((uintptr_t)to | (uintptr_t)step | (uintptr_t)bytes) % 64 == 0 && bytes > 0);
}

static void move_past(const tirbi_moves *moves, uint8_t *to, const uint8_t *from, size_t size) {
    size_t head = (0 - (uintptr_t)to) % 64;
    if (head > size) head = size;
    const size_t lines = (size - head) / 64, tail = head + lines * 64;
    if (head > 0) memcpy(to, from, head);
    if (lines > 0) moves->stream(to + head, from + head, lines);
    if (tail < size) memcpy(to + tail, from + tail, size - tail);
}

/* ---- The two innermost loops ---------------------------------------------------------------------------------- */

/* No more bytes are moved at once than this, so that a stop is soon seen. */
enum { MOST_BYTES = 1 << 20 };

static bool copy_plane(const box *b, uint8_t *to, const uint8_t *from) {
    int64_t bytes = b->dims[0].count * b->size;
    const dimension rows = b->n > 1 ? b->dims[1] : (dimension){.count = 1};
    if (bytes >= MOST_BYTES) {
        for (int64_t i = 0; i < rows.count; i++) {
            for (int64_t at = 0; at < bytes; at += MOST_BYTES) {
                size_t piece = bytes - at < MOST_BYTES ? (size_t)(bytes - at) : MOST_BYTES;
                uint8_t *part = moved(to, rows.to, i) + at;
                if (b->past)
                    move_past(b->moves, part, moved_from(from, rows.from, i) + at, piece);
                else
                    memcpy(part, moved_from(from, rows.from, i) + at, piece);
                if (must_stop(b)) return false;
            }
        }
        return true;
    }
    const int64_t most = MOST_BYTES / bytes;
    const bool past = b->past && fills_lines(to, rows.to, bytes);
    for (int64_t i = 0; i < rows.count; i += most) {
        int64_t n = rows.count - i < most ? rows.count - i : most;
        for (int64_t k = i; k < i + n && past; k++)
            move_past(b->moves, moved(to, rows.to, k), moved_from(from, rows.from, k), (size_t)bytes);
        if (!past)
            b->moves->copy(moved(to, rows.to, i), (ptrdiff_t)rows.to, moved_from(from, rows.from, i),
                           (ptrdiff_t)rows.from, (size_t)bytes, (size_t)n);
        if (must_stop(b)) return false;
    }
    return true;
}

static bool fill_plane(const box *b, uint8_t *to, const uint8_t *from) {
    const uint64_t pattern = repeated(from, (size_t)b->size);
    int64_t bytes = b->dims[0].count * b->size;
    bool same = b->n > 1 && b->dims[1].from == 0;
    const dimension rows = same ? b->dims[1] : (dimension){.count = 1};
    const int64_t width = bytes < MOST_BYTES ? bytes : MOST_BYTES, most = MOST_BYTES / width;
    for (int64_t i = 0; i < rows.count; i += most) {
        int64_t n = rows.count - i < most ? rows.count - i : most;
        for (int64_t at = 0; at < bytes; at += width) {
            size_t piece = bytes - at < width ? (size_t)(bytes - at) : (size_t)width;
            b->moves->fill(moved(to, rows.to, i) + at, (ptrdiff_t)rows.to, &pattern, piece, (size_t)n);
            if (must_stop(b)) return false;
        }
    }
    return true;
}

/* Elements from steps of any size to steps of any. */
static bool place_elements(const box *b, dimension row, uint8_t *to, const uint8_t *from) {
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    for (int64_t at = 0; at < row.count; at += MOST_BYTES / 8) {
        int64_t n = row.count - at < MOST_BYTES / 8 ? row.count - at : MOST_BYTES / 8;
        b->moves->place[shift](moved(to, row.to, at), (ptrdiff_t)row.to, moved_from(from, row.from, at),
                               (ptrdiff_t)row.from, (size_t)n);
        if (must_stop(b)) return false;
    }
    return true;
}

static bool place_row(const box *b, uint8_t *to, const uint8_t *from) {
    return place_elements(b, b->dims[0], to, from);
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
static bool repeat_plane(const box *b, uint8_t *to, const uint8_t *from) {
    static void (*const repeats[])(uint8_t *restrict, const uint8_t *restrict, int64_t,
                                   int64_t) = {repeat_uint8_t, repeat_uint16_t, repeat_uint32_t, repeat_uint64_t};
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    const int64_t times = b->dims[0].count, count = b->dims[1].count;
    for (int64_t at = 0; at < count; at += MOST_BYTES / 64) {
        const int64_t n = count - at < MOST_BYTES / 64 ? count - at : MOST_BYTES / 64;
        repeats[shift](moved(to, b->dims[1].to, at), moved_from(from, b->dims[1].from, at), n, times);
        if (must_stop(b)) return false;
    }
    return true;
}

/* A transposition with fewer rows or columns than a tile has: by pieces of the longer loop, so that what one of the
 * shorter one has left in the caches the next one finds. */
static bool thin_plane(const box *b, uint8_t *to, const uint8_t *from) {
    enum { PIECE = 4096 };
    const bool few_rows = b->dims[0].count < b->dims[1].count;
    const dimension few = b->dims[few_rows ? 0 : 1], many = b->dims[few_rows ? 1 : 0];
    for (int64_t at = 0; at < many.count; at += PIECE) {
        const dimension piece = {many.to, many.from, many.count - at < PIECE ? many.count - at : PIECE};
        for (int64_t i = 0; i < few.count; i++) {
            uint8_t *part = moved(moved(to, many.to, at), few.to, i);
            if (!place_elements(b, piece, part, moved_from(moved_from(from, many.from, at), few.from, i))) return false;
        }
    }
    return true;
}

/* Asks for the lines of `n` rows that are read next, where they are not so far apart that the kernel does so. */
static void ask_for_rows(const uint8_t *from, int64_t step, int64_t n) {
    enum { APART = 2048 };
    if (step > APART || step < -APART) return;
    for (int64_t i = 0; i < n; i++) __builtin_prefetch(moved_from(from, step, i));
}

/* The columns of a line go through near memory, from where they are stored by lines. */
static __attribute__((noinline)) bool transpose_past(const box *b, uint8_t *to, const uint8_t *from) {
    enum { ROWS = 256 };
    const dimension rows = b->dims[0], columns = b->dims[1];
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
                const uint8_t *next = moved_from(from, rows.from, i + r + (ends ? ROWS : 0));
                ask_for_rows(moved_from(next, b->size, ends ? 0 : j + line), rows.from, n);
                b->moves->transpose[shift](near + r * b->size, (ptrdiff_t)pitch,
                                           moved_from(from, rows.from, i + r) + j * b->size, (ptrdiff_t)rows.from,
                                           (size_t)n, (size_t)width);
            }
            const bool follow = columns.to == pitch;
            for (int64_t k = 0; k < (follow ? 1 : width); k++)
                move_past(b->moves, moved(to, columns.to, j + k) + i * b->size, near + k * pitch,
                          (size_t)(follow ? pitch * width : pitch));
            if (must_stop(b)) return false;
        }
    }
    return true;
}

static bool transpose_plane(const box *b, uint8_t *to, const uint8_t *from) {
    const dimension rows = b->dims[0], columns = b->dims[1];
    const int64_t most = MOST_BYTES / 64 / TIRBI_TRANSPOSE_ROWS * TIRBI_TRANSPOSE_ROWS;
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)b->size);
    for (int64_t j = 0; j < columns.count; j += most) {
        int64_t width = columns.count - j < most ? columns.count - j : most;
        for (int64_t i = 0; i < rows.count; i += TIRBI_TRANSPOSE_ROWS) {
            int64_t height = rows.count - i < TIRBI_TRANSPOSE_ROWS ? rows.count - i : TIRBI_TRANSPOSE_ROWS;
            b->moves->transpose[shift](moved(to, columns.to, j) + i * b->size, (ptrdiff_t)columns.to,
                                       moved_from(from, rows.from, i) + j * b->size, (ptrdiff_t)rows.from,
                                       (size_t)height, (size_t)width);
            if (must_stop(b)) return false;
        }
    }
    return true;
}

/* ---- Rows of few bytes ---------------------------------------------------------------------------------------- */

/* The rows of one stretch that a weaver has left. */
static void weave_rest(const tirbi_weave *w, uint8_t *to, const uint8_t *from, int64_t done, int64_t n) {
    for (int64_t i = done; i < n; i++) {
        for (unsigned k = 0; k < w->to_step; k++) {
            if (w->source_of[k] == TIRBI_WEAVE_NONE) continue;
            const uint8_t *row = moved_from(from + w->source[w->source_of[k]], w->from_step, i);
            moved(to, w->to_step, i)[k] = row[w->byte_of[k]];
        }
    }
}

static bool weave_plane(const box *b, uint8_t *to, const uint8_t *from) {
    enum { MOST_ROWS = MOST_BYTES / TIRBI_WEAVE_BYTES };
    const tirbi_weave *w = &b->weave;
    const dimension around = b->stretches;
    for (int64_t at = 0; at < b->rows; at += MOST_ROWS) {
        const int64_t n = b->rows - at < MOST_ROWS ? b->rows - at : MOST_ROWS, most = MOST_ROWS / n;
        for (int64_t i = 0; i < around.count; i += most) {
            uint8_t *part = moved(moved(to, around.to, i), w->to_step, at);
            const uint8_t *source = moved_from(moved_from(from, around.from, i), w->from_step, at);
            const int64_t count = around.count - i < most ? around.count - i : most;
            const tirbi_weave_stretches stretches = {(size_t)count, (ptrdiff_t)around.to, (ptrdiff_t)around.from};
            const int64_t done = (int64_t)b->weaver->run(w, part, source, (size_t)n, &stretches);
            for (int64_t k = 0; k < count && done < n; k++)
                weave_rest(w, moved(part, around.to, k), moved_from(source, around.from, k), done, n);
            if (must_stop(b)) return false;
        }
    }
    return true;
}

/* The source of a row that has `size` bytes from `at` on, which may lie before what it had. */
static unsigned source_at(tirbi_weave *w, int64_t at, int64_t size) {
    for (unsigned k = 0; k < w->n_sources; k++) {
        const int64_t begin = at < w->source[k] ? at : w->source[k];
        const int64_t end = at + size > w->source[k] + w->span[k] ? at + size : w->source[k] + w->span[k];
        if (end - begin > TIRBI_WEAVE_BYTES) continue;
        w->source[k] = begin;
        w->span[k] = (uint8_t)(end - begin);
        return k;
    }
    if (w->n_sources == TIRBI_WEAVE_SOURCES) return TIRBI_WEAVE_SOURCES;
    w->source[w->n_sources] = at;
    w->span[w->n_sources] = (uint8_t)size;
    return w->n_sources++;
}

/* Says of each byte of a row, which the first `inner` loops make, where it comes from. */
static bool describe_row(const box *b, unsigned inner, tirbi_weave *w) {
    int64_t places[TIRBI_WEAVE_BYTES], at[TIRBI_REACH_DIMENSIONS] = {0}, to = 0, from = 0;
    unsigned d = 0;
    memset(w->source_of, TIRBI_WEAVE_NONE, sizeof w->source_of);
    while (d <= inner) {
        if (to + b->size > w->to_step) return false;
        const unsigned k = source_at(w, from, b->size);
        if (k == TIRBI_WEAVE_SOURCES) return false;
        for (int64_t i = 0; i < b->size; i++) {
            w->source_of[to + i] = (uint8_t)k;
            places[to + i] = from + i;
        }
        for (d = 0; d < inner; d++) {
            to += b->dims[d].to;
            from += b->dims[d].from;
            if (++at[d] < b->dims[d].count) break;
            to -= b->dims[d].to * b->dims[d].count;
            from -= b->dims[d].from * b->dims[d].count;
            at[d] = 0;
        }
        if (d == inner) break;
    }
    for (unsigned i = 0; i < w->to_step; i++)
        if (w->source_of[i] != TIRBI_WEAVE_NONE) w->byte_of[i] = (uint8_t)(places[i] - w->source[w->source_of[i]]);
    return true;
}

static bool has_gaps(const tirbi_weave *w) {
    for (unsigned i = 0; i < w->to_step; i++)
        if (w->source_of[i] == TIRBI_WEAVE_NONE) return true;
    return false;
}

/* Whether the innermost loops make rows of few bytes, of which the loop around them makes many. Single elements of four
 * bytes and more, and rows that are columns of such, have other ways that are as fast. */
static bool find_weave(box *b, unsigned *loops) {
    enum { MANY = 32, NARROW = 2 };
    const dimension first = b->dims[0];
    unsigned inner = 0;
    const bool simple = first.from == 0 || first.from == b->size || first.from == -b->size;
    if (!b->weaver || (first.to == b->size && simple && first.count >= MANY)) return false;
    for (int64_t bytes = b->size; inner < b->n && b->dims[inner].count < MANY; inner++) {
        bytes *= b->dims[inner].count;
        if (bytes > TIRBI_WEAVE_BYTES) return false;
    }
    if (inner == b->n || (inner == 0 && b->size > NARROW)) return false;
    const dimension row = b->dims[inner];
    if (row.to > TIRBI_WEAVE_BYTES || row.from > TIRBI_WEAVE_BYTES || row.from < -TIRBI_WEAVE_BYTES) return false;
    const bool doubles = inner > 0 && first.from == 0 && (first.count == 2 || first.count == 4);
    if (doubles && b->size > 1) return false;
    tirbi_weave w = {.to_step = (unsigned)row.to, .from_step = (int)row.from};
    if (!describe_row(b, inner, &w) || (w.n_sources > 1 && b->size > NARROW)) return false;
    if (!b->weaver->leaves_bytes && has_gaps(&w)) return false;
    b->weave = w;
    b->rows = row.count;
    const bool is_around = inner + 1 < b->n;
    b->stretches = is_around ? b->dims[inner + 1] : (dimension){.count = 1};
    *loops = inner + 1 + is_around;
    return true;
}

/* ---- The loops around them ------------------------------------------------------------------------------------ */

typedef bool (*plane)(const box *b, uint8_t *to, const uint8_t *from);

enum { FEW = 16, LONG_SPREAD = 512 };

/* Which kernel does the innermost loops, and how many they are. */
static plane choose_plane(box *b, unsigned *loops) {
    if (find_weave(b, loops)) return weave_plane;
    const dimension first = b->dims[0];
    if (first.to != b->size) return place_row;
    if (first.from == b->size) {
        *loops = 2;
        return copy_plane;
    }
    if (first.from == 0 && first.count < FEW && b->n > 1 && b->dims[1].from == b->size &&
        b->dims[1].to == first.count * b->size) {
        *loops = 2;
        return repeat_plane;
    }
    if (first.from == 0 && first.count < FEW && b->n > 1 && b->dims[1].from != 0 && b->dims[1].count > first.count) {
        b->dims[0] = b->dims[1]; /* each element some times: all of them once, and again */
        b->dims[1] = first;
        return place_row;
    }
    if (first.from == 0) {
        *loops = b->n > 1 && b->dims[1].from == 0 ? 2 : 1;
        return fill_plane;
    }
    for (unsigned d = 1; d < b->n; d++) {
        if (b->dims[d].from != b->size) continue;
        const dimension columns = b->dims[d];
        memmove(&b->dims[2], &b->dims[1], (d - 1) * sizeof *b->dims);
        b->dims[1] = columns;
        *loops = 2;
        /* Spreading a row takes some preparation, which picking columns does not. */
        const int64_t side = 16 / b->size;
        const bool thin = columns.count < side || (first.count < side && columns.count >= LONG_SPREAD);
        const int64_t bytes = first.count * b->size;
        if (!thin && b->past && (columns.to == bytes || fills_lines(b->to, columns.to, bytes))) return transpose_past;
        return thin ? thin_plane : transpose_plane;
    }
    return place_row;
}

static bool run_box(box *b) {
    simplify(b);
    if (b->n == 0) b->dims[b->n++] = (dimension){.to = b->size, .from = b->size, .count = 1};
    unsigned loops = 1;
    plane run = choose_plane(b, &loops);
    int64_t at[TIRBI_REACH_DIMENSIONS] = {0};
    for (;;) {
        if (!run(b, b->to, b->from)) return false;
        unsigned d = loops;
        for (; d < b->n; d++) {
            const dimension *dim = &b->dims[d];
            b->to = moved(b->to, dim->to, 1);
            b->from = moved_from(b->from, dim->from, 1);
            if (++at[d] < dim->count) break;
            b->to = moved(b->to, -dim->to, dim->count);
            b->from = moved_from(b->from, -dim->from, dim->count);
            at[d] = 0;
        }
        if (d >= b->n) return true;
    }
}

static uint64_t bytes_of(const tirbi_reach *r, unsigned dimensions) {
    uint64_t bytes = r->size;
    for (unsigned d = 0; d < dimensions; d++) bytes *= (uint64_t)r->count[d];
    return bytes;
}

tirb_status tirbi_lane_copy_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const uint64_t *slots) {
    for (uint32_t i = 0; i < loop->n_copies; i++) {
        const tirbi_lane_copy *copy = &loop->copies[i];
        const tirbi_reach *to = &reaches[copy->to], *from = &reaches[copy->from];
        box b = {.moves = &machine->code->kernels->moves,
                 .weaver = copy->fills ? NULL : machine->code->weaver,
                 .stop = machine->stop,
                 .past = goes_past(machine, loop, copy->to, bytes_of(to, 1u + loop->n_inner)),
                 .to = to->start,
                 .size = (int64_t)to->size};
        uint64_t value = 0;
        if (copy->fills) {
            value = tirbi_lane_fill_pattern(copy, slots, to->size);
            b.from = (const uint8_t *)&value;
        } else if (to->start == from->start && !tirbi_reach_apart(to, from, 1u + loop->n_inner)) {
            continue; /* onto itself: anything else is refused at entry */
        } else {
            b.from = from->start;
        }
        for (unsigned d = 0; d < 1u + loop->n_inner; d++)
            add_dimension(&b, (dimension){to->step[d], copy->fills ? 0 : from->step[d], to->count[d]});
        machine->streamed |= b.past;
        if (!run_box(&b)) return tirbi_poll(machine);
    }
    return TIRB_OK;
}

/* ---- Rows by number ------------------------------------------------------------------------------------------- */

bool tirbi_lane_list_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches) {
    if (loop->n_copies != 1 || loop->copies[0].fills || loop->n_inner == 0) return false;
    const tirbi_lane_copy *copy = &loop->copies[0];
    for (uint32_t i = 0; i < loop->n_seeks; i++)
        if (loop->seeks[i].cursor != copy->to && loop->seeks[i].cursor != copy->from) return false;
    const tirbi_reach *to = &reaches[copy->to], *from = &reaches[copy->from];
    int64_t size = (int64_t)to->size;
    return to->step[0] == size && from->step[0] == size && to->count[0] <= MOST_BYTES;
}

/* The offsets of `n` rows, `step` bytes apart but for their numbers, the first of which is row `first`. */
static void find_rows(const tirbi_lane_rows *rows, const uint8_t *numbers, int64_t number_step, int64_t step,
                      int64_t first, size_t n, ptrdiff_t *offsets) {
    if (!rows->numbers) {
        for (size_t i = 0; i < n; i++) offsets[i] = (ptrdiff_t)((first + (int64_t)i) * step);
        return;
    }
    const uint8_t *from = moved_from(numbers, number_step, first);
    const int64_t least = rows->least, most = rows->most, bytes = rows->bytes;
    switch (rows->type) {
#define OFFSETS(TYPE)                                                                                                  \
    case TIRB_##TYPE:                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const int64_t number =                                                                                     \
                tirbi_lane_number(moved_from(from, number_step, (int64_t)i), TIRB_##TYPE, least, most);                \
            offsets[i] = (ptrdiff_t)((first + (int64_t)i) * step + (number - least) * bytes);                          \
        }                                                                                                              \
        return;
        TIRBI_LANE_NUMBERS(OFFSETS)
#undef OFFSETS
    }
}

/* Rows of which only their list tells where they are are asked for some of them ahead. */
static void list_past(const tirbi_moves *moves, uint8_t *to, const ptrdiff_t *to_rows, const uint8_t *from,
                      const ptrdiff_t *from_rows, size_t size, size_t rows, size_t asked) {
    enum { AHEAD = 4 };
    for (size_t i = 0; i < rows; i++) {
        const size_t next = i + AHEAD < rows ? i + AHEAD : rows - 1;
        for (size_t at = 0; at < asked; at += 64) __builtin_prefetch(from + from_rows[next] + at);
        move_past(moves, to + to_rows[i], from + from_rows[i], size);
    }
}

/* One side of a copy in the loops around the innermost. */
typedef struct side {
    const tirbi_lane_rows *rows;
    const tirbi_reach *reach;
    uint8_t *at;
    const uint8_t *numbers;
} side;

static side side_of(const tirbi_reach *reach, const tirbi_lane_rows *rows) {
    return (side){.rows = rows, .reach = reach, .at = reach->start,
                  .numbers = rows->numbers ? rows->numbers->start : NULL};
}

static void move_side(side *s, unsigned d, int64_t times) {
    s->at = moved(s->at, s->reach->step[d], times);
    if (s->numbers) s->numbers = moved_from(s->numbers, s->rows->numbers->step[d], times);
}

/* The offsets of `n` rows of the innermost loop. */
static void find_side(const side *s, unsigned inner, int64_t first, size_t n, ptrdiff_t *offsets) {
    find_rows(s->rows, s->numbers, s->numbers ? s->rows->numbers->step[inner] : 0, s->reach->step[inner], first, n,
              offsets);
}

/* Whether the rows of loop d are one row, which one number chooses. */
static bool is_one_row(const side *s, unsigned d, size_t size) {
    const tirbi_reach *numbers = s->rows->numbers;
    return s->reach->step[d] == (int64_t)size && (!numbers || !tirbi_reach_moves(numbers, d));
}

/* Goes on in the loops around the innermost; false where they end. */
static bool next_rows(const tirbi_reach *reach, unsigned inner, int64_t *index, side *to, side *from) {
    for (unsigned d = inner; d-- > 1;) {
        const bool more = ++index[d] < reach->count[d];
        const int64_t times = more ? 1 : 1 - reach->count[d];
        move_side(to, d, times);
        move_side(from, d, times);
        if (more) return true;
        index[d] = 0;
    }
    return false;
}

tirb_status tirbi_lane_list_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const tirbi_lane_list *list) {
    enum { NEAR = 1 << 18, MOST_ASKED = 1024 };
    const tirbi_moves *moves = &machine->code->kernels->moves;
    const tirbi_reach *const reach = &reaches[loop->copies[0].to];
    unsigned inner = loop->n_inner;
    side to = side_of(reach, &list->to), from = side_of(&reaches[loop->copies[0].from], &list->from);
    size_t size = (size_t)reach->count[0] * reach->size;
    for (; inner > 1 && is_one_row(&to, inner, size) && is_one_row(&from, inner, size) &&
           reach->count[inner] <= (int64_t)(MOST_BYTES / size);
         inner--)
        size *= (size_t)reach->count[inner];
    const size_t asked = from.reach->high - from.reach->low <= NEAR ? 0 : size < MOST_ASKED ? size : MOST_ASKED;
    const int64_t most = size >= MOST_BYTES                       ? 1
                         : size <= MOST_BYTES / TIRBI_LISTED_ROWS ? TIRBI_LISTED_ROWS
                                                                  : (int64_t)(MOST_BYTES / size);
    const bool past = !to.numbers && fills_lines(to.at, reach->step[inner], (int64_t)size) &&
                      goes_past(machine, loop, loop->copies[0].to, bytes_of(reach, 1u + loop->n_inner));
    ptrdiff_t to_rows[TIRBI_LISTED_ROWS], from_rows[TIRBI_LISTED_ROWS];
    int64_t index[TIRBI_REACH_DIMENSIONS] = {0};
    machine->streamed |= past;
    do {
        for (int64_t at = 0; at < reach->count[inner]; at += most) {
            const size_t n = (size_t)(reach->count[inner] - at < most ? reach->count[inner] - at : most);
            find_side(&to, inner, at, n, to_rows);
            find_side(&from, inner, at, n, from_rows);
            if (past)
                list_past(moves, to.at, to_rows, from.at, from_rows, size, n, asked);
            else
                moves->list(to.at, to_rows, from.at, from_rows, size, n, asked);
            if (atomic_load_explicit(machine->stop, memory_order_relaxed) != 0) return tirbi_poll(machine);
        }
    } while (next_rows(reach, inner, index, &to, &from));
    return TIRB_OK;
}
