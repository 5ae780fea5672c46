/* Entering plain lane loops whose rows do not follow each other, as where a row of another buffer, or one element, is
 * for all of them: one pass over the cursors. The checks are those of vm/enter/lane_run.c. */
#include <string.h>

#include "vm/enter/lane_again.h"
#include "vm/lanes/slots.h"

typedef struct place {
    uintptr_t low, behind;           /* the bytes that it reaches */
    uint64_t stride;                 /* bytes from lane to lane */
    uint64_t steps[TIRBI_MAX_INNER]; /* and from row to row, by loop around them, outermost first */
} place;

typedef struct rows {
    const tirbi_lane_loop *loop;
    const uint64_t *slots;
    int64_t n;        /* lanes of a row */
    unsigned n_outer; /* loops around the rows */
    int64_t extent[TIRBI_MAX_INNER];
    place places[TIRBI_MAX_CURSORS];
    bool repeats;    /* lanes may be computed twice */
    uint32_t copied; /* the set of cursors that read copies */
} rows;

/* Takes the innermost loops into the lanes as far as their rows follow each other; false: there are too many lanes, or
 * no rows are left. */
static bool join(rows *r, const int64_t *extent) {
    const tirbi_lane_loop *loop = r->loop;
    for (r->n_outer = loop->n_outer; r->n_outer > 0; r->n_outer--) {
        const unsigned k = loop->outer[r->n_outer - 1];
        bool follow = true;
        for (uint32_t c = 0; c < loop->n_cursors && follow && extent[k] != 1; c++) {
            int64_t row;
            follow = !__builtin_mul_overflow((int64_t)r->slots[loop->cursors[c].step], r->n, &row) &&
                     row == (int64_t)r->slots[loop->cursors[c].steps[k]];
        }
        if (!follow) break;
        if (__builtin_mul_overflow(r->n, extent[k], &r->n)) return false;
    }
    for (unsigned o = 0; o < r->n_outer; o++) r->extent[o] = extent[loop->outer[o]];
    return r->n_outer > 0;
}

/* Checks a cursor's elements and finds where they are: forwards, inside its reference. A step backwards is one of 2^63
 * elements and more here, so that more than one of them are too far for any reference, or over 64 bits. */
static bool find_place(const rows *r, const tirbi_lane_cursor *cursor, const tirbi_ref *ref, place *out) {
    const uint64_t start = r->slots[cursor->start], length = ref->size >> cursor->shift, step = r->slots[cursor->step];
    uint64_t span, more;
    if (start >= length || __builtin_mul_overflow(step, (uint64_t)r->n - 1, &span)) return false;
    for (unsigned o = 0; o < r->n_outer; o++) {
        const uint64_t row = r->extent[o] > 1 ? r->slots[cursor->steps[r->loop->outer[o]]] : 0;
        if (__builtin_mul_overflow(row, (uint64_t)r->extent[o] - 1, &more) || __builtin_add_overflow(span, more, &span))
            return false;
        out->steps[o] = row << cursor->shift;
    }
    if (span >= length - start) return false;
    out->stride = r->n > 1 ? step << cursor->shift : 0;
    out->low = (uintptr_t)ref->data + ((uintptr_t)start << cursor->shift);
    out->behind = out->low + (((uintptr_t)span + 1) << cursor->shift);
    return true;
}

/* Whether each lane of each row writes an element of its own: rows lie one behind the other. */
static bool is_spread(const rows *r, const place *written, uint64_t size) {
    uint64_t reach = size;
    if (r->n > 1 && written->stride < reach) return false;
    reach += written->stride * ((uint64_t)r->n - 1);
    for (unsigned o = r->n_outer; o-- > 0;) {
        if (r->extent[o] == 1) continue;
        if (written->steps[o] < reach) return false;
        reach += written->steps[o] * ((uint64_t)r->extent[o] - 1);
    }
    return true;
}

static bool same_elements(const rows *r, const place *a, const place *b) {
    bool same = a->low == b->low && a->stride == b->stride;
    for (unsigned o = 0; o < r->n_outer; o++) same = same && a->steps[o] == b->steps[o];
    return same;
}

/* The bytes from a row's first element to behind its last one. */
static uint64_t row_bytes(const rows *r, unsigned c) {
    return r->places[c].stride * ((uint64_t)r->n - 1) + r->loop->cursors[c].size;
}

/* Whether what two cursors reach lies between each other, by elements or by rows of `a_size` and `b_size` bytes, of
 * which the next one is `step` away; loops around them, from the innermost of `n_outer` outwards, go on by multiples of
 * that. */
static bool interleave_by(const rows *r, unsigned a, unsigned b, uint64_t step, uint64_t a_size, uint64_t b_size,
                          unsigned n_outer) {
    for (unsigned o = 0; o < n_outer; o++)
        if (r->places[a].steps[o] % step != 0 || r->places[b].steps[o] % step != 0) return false;
    return tirbi_lane_interleave(r->places[a].low, a_size, r->places[b].low, b_size, step);
}

/* Whether the elements of one cursor lie between those of another in all rows, or their rows do. */
static bool interleave(const rows *r, unsigned a, unsigned b) {
    const unsigned last = r->n_outer - 1;
    const uint64_t stride = r->places[a].stride, step = r->places[a].steps[last];
    if (stride != 0 && stride == r->places[b].stride &&
        interleave_by(r, a, b, stride, r->loop->cursors[a].size, r->loop->cursors[b].size, r->n_outer))
        return true;
    return step != 0 && step == r->places[b].steps[last] &&
           interleave_by(r, a, b, step, row_bytes(r, a), row_bytes(r, b), last);
}

/* Whether every element that is written belongs to one lane; r->repeats, whether lanes may be computed twice. */
static bool keep_apart(rows *r) {
    const tirbi_lane_loop *loop = r->loop;
    for (uint32_t writes = loop->written; writes != 0; writes &= writes - 1) {
        const unsigned w = (unsigned)__builtin_ctz(writes);
        const place *written = &r->places[w];
        if (loop->cursors[w].access & TIRBI_READ) r->repeats = false;
        if (!is_spread(r, written, loop->cursors[w].size)) return false;
        for (unsigned c = 0, n = loop->n_cursors; c < n; c++) {
            const place *other = &r->places[c];
            if (written->behind <= other->low || other->behind <= written->low || c == w) continue;
            if (interleave(r, w, c)) continue;
            r->repeats = false;
            if (!same_elements(r, written, other) || loop->cursors[w].size != loop->cursors[c].size) return false;
        }
    }
    return true;
}

/* The rows of a group that is not whole: the last one stands for those behind it. */
void tirbi_lane_set_row_pointers(const tirbi_lane_loop *loop, const tirbi_lane_machine *machinery, int64_t extent,
                                 const uint64_t *row_steps, tirbi_lane_state *state) {
    const uint32_t at_once = machinery->rows, first_strip = 1u + loop->n_cursors + loop->n_splats;
    for (uint32_t r = 0; r < at_once; r++) {
        const uint64_t row = (int64_t)r < extent ? r : (uint64_t)extent - 1;
        for (uint32_t c = 0; c < loop->n_cursors; c++)
            state->row_pointers[(c + 1) * at_once + r] =
                (uint8_t *)((uintptr_t)state->pointers[c + 1] + (uintptr_t)(row_steps[c] * row));
    }
    for (uint32_t p = loop->n_cursors + 1u; p < first_strip; p++)
        for (uint32_t r = 0; r < at_once; r++) state->row_pointers[p * at_once + r] = state->pointers[p];
    if (state->row_loop == loop && state->row_number == at_once) return;
    const size_t of_row = machinery->bank_bytes / at_once;
    for (uint32_t p = first_strip; p < first_strip + loop->n_strips; p++)
        for (uint32_t r = 0; r < at_once; r++) state->row_pointers[p * at_once + r] = state->pointers[p] + r * of_row;
    state->row_loop = loop;
    state->row_number = at_once;
}

/* Makes the rows of the innermost loops one loop of rows where they are as far apart in all of them. */
static void join_loops(rows *r) {
    for (; r->n_outer > 1; r->n_outer--) {
        const unsigned o = r->n_outer - 2;
        const int64_t outer = r->extent[o], inner = r->extent[o + 1];
        bool follow = !__builtin_mul_overflow(outer, inner, &r->extent[o]);
        for (uint32_t c = 0; c < r->loop->n_cursors && follow && outer > 1 && inner > 1; c++)
            follow = r->places[c].steps[o] == r->places[c].steps[o + 1] * (uint64_t)inner;
        for (uint32_t c = 0; c < r->loop->n_cursors && follow && inner > 1; c++)
            r->places[c].steps[o] = r->places[c].steps[o + 1];
        if (!follow) {
            r->extent[o] = outer;
            return;
        }
    }
}

/* Packs short rows whose stores go on from row to row as they do in a row: *machinery and *lanes, of their blocks, and
 * 0 if nothing was packed. */
static uint32_t pack(rows *r, const tirbi_word *words, const tirbi_lane_machine *wide, tirbi_lane_state *state,
                     const tirbi_lane_machine **machinery, uint32_t *lanes) {
    if (r->loop->packed == 0 || !r->repeats) return 0;
    join_loops(r);
    const unsigned last = r->n_outer - 1;
    for (uint32_t writes = r->loop->written; writes != 0; writes &= writes - 1) {
        const unsigned w = (unsigned)__builtin_ctz(writes);
        const tirbi_lane_cursor *written = &r->loop->cursors[w];
        const uint64_t stride = r->slots[written->step] << written->shift;
        if (r->places[w].steps[last] != (uint64_t)r->n * stride) return 0;
        r->places[w].stride = stride; /* of one lane, too: rows make lanes of it */
    }
    const uint32_t in_block = tirbi_lane_choose_packing(r->loop, words, wide, r->n, r->extent[last], machinery, lanes);
    if (in_block == 0) return 0;
    state->packed_lanes = (size_t)r->n;
    for (uint32_t c = 0; c < r->loop->n_cursors; c++) state->packed_steps[c] = (ptrdiff_t)r->places[c].steps[last];
    r->n *= in_block;
    return in_block;
}

/* Finds the cursors that read one row in all rows, and how many bytes these have together; the others go on from row to
 * row as they do from lane to lane. False: one does neither, or there is nothing to copy. */
static bool find_repeated(rows *r, uint64_t *bytes) {
    const unsigned last = r->n_outer - 1;
    unsigned n = 0;
    *bytes = 0;
    for (uint32_t c = 0; c < r->loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &r->loop->cursors[c];
        const place *at = &r->places[c];
        if (at->steps[last] == at->stride * (uint64_t)r->n) continue;
        if (!cursor->is_unit || (cursor->access & TIRBI_WRITE) || n++ == TIRBI_MAX_REPEATS) return false;
        for (unsigned o = 0; o < r->n_outer; o++)
            if (at->steps[o] != 0) return false;
        *bytes += (uint64_t)r->n << cursor->shift;
        r->copied |= UINT32_C(1) << c;
    }
    return n > 0;
}

/* How many rows to make one of; 1: as they are, they take no longer. */
static int64_t choose_repeats(const rows *r, const tirbi_lane_machine *wide, uint64_t bytes) {
    enum { BLOCKS = 8, LEAST_GROUPS = 4, BETWEEN = 8, ROOM = TIRBI_REPEATED_BYTES - 64 };
    const int64_t n_rows = r->extent[r->n_outer - 1], lanes = (int64_t)r->loop->lanes;
    const uint64_t behind = (uint64_t)__builtin_popcount(r->copied) * (TIRBI_MAX_BANK_BYTES + 64);
    const int64_t fit = (int64_t)((ROOM - behind) / bytes);
    int64_t times = (BLOCKS * lanes - 1) / r->n + 1;
    if (times > n_rows / LEAST_GROUPS) times = n_rows / LEAST_GROUPS;
    if (times > fit) times = fit;
    while (times > 1 && n_rows % times != 0) times--;
    if (times < 2) return 1;
    uint32_t few, many;
    const tirbi_lane_machine *one = tirbi_lane_choose_banks(r->loop, wide, r->n, r->repeats, &few),
                             *all = tirbi_lane_choose_banks(r->loop, wide, r->n * times, r->repeats, &many);
    const int64_t apart = tirbi_lane_row_cost(r->n, few, one->registers, r->repeats) + BETWEEN,
                  together = tirbi_lane_row_cost(r->n * times, many, all->registers, r->repeats) + BETWEEN;
    return together < apart * times ? times : 1;
}

/* Makes one row of several short ones, of which the next one begins where one ends but for what all of them read, as
 * the biases of channels that lie side by side: of that copies are made, one behind the other. Nothing that is read in
 * each row is written in any. */
static bool repeat_rows(rows *r, const tirbi_lane_machine *wide, tirbi_lane_state *state) {
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    uint64_t bytes;
    r->copied = 0;
    again->n_repeats = 0;
    const bool is_short = r->n > 1 && r->n < 4 * (int64_t)r->loop->lanes;
    int64_t n_rows = 1;
    if (is_short && tirbi_lane_may_repeat_rows(r->loop) && find_repeated(r, &bytes)) {
        join_loops(r);
        n_rows = choose_repeats(r, wide, bytes);
    }
    if (n_rows == 1) {
        r->copied = 0;
        return false;
    }
    const unsigned last = r->n_outer - 1;
    uint8_t *to = state->scratch + (size_t)r->loop->n_strips * r->loop->strip_size;
    for (uint32_t c = 0; c < r->loop->n_cursors; c++) {
        place *at = &r->places[c];
        if (!(r->copied >> c & 1)) {
            at->steps[last] *= (uint64_t)n_rows;
            continue;
        }
        const size_t row = (size_t)r->n << r->loop->cursors[c].shift, all = row * (size_t)n_rows;
        to += (64 - (uintptr_t)to % 64) % 64;
        again->repeats[again->n_repeats++] =
            (tirbi_lane_repeat){.from = (const uint8_t *)at->low, .to = to, .bytes = row, .all = all};
        at->low = (uintptr_t)to;
        at->behind = at->low + all;
        to += all + TIRBI_MAX_BANK_BYTES; /* whole blocks may be read */
    }
    r->n *= n_rows;
    r->extent[last] /= n_rows;
    tirbi_lane_repeat_rows(again, false);
    return true;
}

/* Copies rows that all rows read, where a whole block from their last lanes on would reach behind the memory that they
 * are in: behind the copies there is room. */
static void pad_rows(rows *r, const tirbi_ref *refs, uint32_t lanes, tirbi_lane_state *state) {
    enum { LEAST_ROWS = 4 };
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    const uint64_t whole = (uint64_t)(r->n - tirbi_lane_rest(r->n, lanes));
    uint8_t *to = state->scratch + (size_t)r->loop->n_strips * r->loop->strip_size;
    uint8_t *const end = to + TIRBI_REPEATED_BYTES;
    if (!tirbi_lane_may_repeat_rows(r->loop) || r->extent[r->n_outer - 1] < LEAST_ROWS) return;
    for (uint32_t streaming = r->loop->streaming & ~r->loop->written; streaming != 0; streaming &= streaming - 1) {
        const uint32_t c = (uint32_t)__builtin_ctz(streaming);
        const tirbi_ref *ref = &refs[r->loop->cursors[c].ref];
        place *at = &r->places[c];
        const unsigned shift = r->loop->cursors[c].shift;
        const uint64_t row = (uint64_t)r->n << shift;
        const uint64_t behind = at->low - (uintptr_t)ref->data + ((whole + lanes) << shift);
        bool is_still = r->loop->cursors[c].is_unit && behind > ref->size;
        for (unsigned o = 0; o < r->n_outer; o++) is_still = is_still && at->steps[o] == 0;
        to += (64 - (uintptr_t)to % 64) % 64;
        if (!is_still || row > (uint64_t)(end - to) || (uint64_t)(end - to) - row < TIRBI_MAX_BANK_BYTES) continue;
        if (again->n_repeats == TIRBI_MAX_REPEATS) break;
        again->repeats[again->n_repeats++] =
            (tirbi_lane_repeat){.from = (const uint8_t *)at->low, .to = to, .bytes = row, .all = row};
        at->low = (uintptr_t)to;
        at->behind = at->low + row;
        r->copied |= UINT32_C(1) << c;
        to += row + TIRBI_MAX_BANK_BYTES;
        if (to + 64 > end) break;
    }
    tirbi_lane_repeat_rows(again, false);
}

/* How the cursors go on from block to block and from row to row, `at_once` of the innermost ones: see set_row_steps in
 * vm/enter/lane_run.c. */
static void set_steps(const rows *r, uint32_t lanes, uint32_t at_once, tirbi_lane_state *state) {
    const uint64_t rest = (uint64_t)tirbi_lane_rest(r->n, lanes), n = (uint64_t)r->n;
    const uint64_t last = n < lanes ? 0 : r->repeats || rest == 0 ? n - lanes : n - rest;
    const uint64_t extent = (uint64_t)r->extent[r->n_outer - 1], last_group = extent > at_once ? extent - at_once : 0;
    const uint64_t before =
        (extent - 1) / at_once * at_once; /* the rows of all groups but the last, which may overlap them */
    uint32_t c = 0;
    for (const uint32_t n_cursors = r->loop->n_cursors; c < n_cursors; c++) {
        const place *at = &r->places[c];
        uint64_t back = at->stride * last;
        state->pointers[c + 1] = (uint8_t *)at->low;
        state->strides[c] = (ptrdiff_t)at->stride;
        state->block_steps[c] = (ptrdiff_t)(at->stride * lanes);
        state->rest_steps[c] = (ptrdiff_t)(at->stride * rest);
        const uint64_t step = at->steps[r->n_outer - 1];
        state->row_steps[r->n_outer - 1][c] = (ptrdiff_t)(step * at_once - back);
        if (at_once > 1 && before > 0)
            state->last_steps[c] = (ptrdiff_t)(step * (last_group - (before - at_once)) - back);
        back += step * last_group;
        for (unsigned o = r->n_outer - 1; o-- > 0;) {
            state->row_steps[o][c] = (ptrdiff_t)(at->steps[o] - back);
            back += at->steps[o] * ((uint64_t)r->extent[o] - 1);
        }
    }
    for (; c == 0 || c % TIRBI_POINTERS_AT_ONCE != 0; c++) {
        state->block_steps[c] = state->rest_steps[c] = state->last_steps[c] = 0;
        for (unsigned o = 0; o < r->n_outer; o++) state->row_steps[o][c] = 0;
    }
}

/* The cursors that the wide body may not always read whole blocks of: see set_streams in vm/enter/lane_run.c. */
static void set_streams(const rows *r, const tirbi_ref *refs, uint32_t lanes, uint32_t at_once, const tirbi_word *words,
                        tirbi_lane_state *state) {
    const uint64_t whole = (uint64_t)(r->n - tirbi_lane_rest(r->n, lanes));
    for (uint32_t streaming = r->loop->streaming; streaming != 0; streaming &= streaming - 1) {
        const uint32_t c = (uint32_t)__builtin_ctz(streaming);
        if (r->copied >> c & 1) continue;
        const tirbi_lane_cursor *cursor = &r->loop->cursors[c];
        const tirbi_ref *ref = &refs[cursor->ref];
        const place *at = &r->places[c];
        const uint64_t behind = (uint64_t)lanes << cursor->shift;
        if (ref->size < behind) return;
        uint64_t last = (uint64_t)(at->low - (uintptr_t)ref->data) + at->stride * whole; /* within the reference */
        for (unsigned o = 0; o < r->n_outer; o++) last += at->steps[o] * ((uint64_t)r->extent[o] - 1);
        if (last <= ref->size - behind) continue;
        state->streams[state->n_streams].pointer = c + 1;
        state->streams[state->n_streams].row_step = (ptrdiff_t)(at->steps[r->n_outer - 1] * at_once);
        state->streams[state->n_streams++].last = ref->data + (ref->size - behind);
    }
    state->wide = words + r->loop->wide;
}

/* How many lanes lie between the first ones of rows that are as far apart in all cursors; 0: they are not. */
static uint64_t find_period(const rows *r) {
    const unsigned last = r->n_outer - 1;
    uint64_t period = 0;
    for (uint32_t c = 0; c < r->loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &r->loop->cursors[c];
        const uint64_t step = r->places[c].steps[last];
        if (!cursor->is_unit && r->places[c].stride == 0 && step == 0) continue;
        const uint64_t apart = step >> cursor->shift;
        if (!cursor->is_unit || apart == 0 || (period != 0 && apart != period)) return 0;
        period = apart;
    }
    return period;
}

static void set_bits(uint8_t *table, uint64_t from, uint64_t to) {
    for (; from < to && from % 8 != 0; from++) table[from / 8] |= (uint8_t)(1u << from % 8);
    const uint64_t bytes = from < to ? (to - from) / 8 : 0;
    memset(table + from / 8, 0xFF, bytes);
    for (from += bytes * 8; from < to; from++) table[from / 8] |= (uint8_t)(1u << from % 8);
}

/* The masks of rows of `row` lanes that begin `period` apart, of which `n` lanes are computed in blocks of `lanes`. */
static void set_masks(tirbi_lane_gaps *gaps, uint32_t period, uint32_t row, uint64_t n, uint32_t lanes,
                      uint32_t shift) {
    const uint32_t rest = (uint32_t)(n % lanes);
    gaps->period = period;
    gaps->shift = shift;
    gaps->table_bytes = ((period + lanes) << shift) / 8 + 1;
    for (uint32_t first = 0; first < 8; first += 1u << shift) {
        uint8_t *table = gaps->table + (first >> shift) * gaps->table_bytes;
        const uint64_t bits = (uint64_t)gaps->table_bytes * 8;
        memset(table, 0, gaps->table_bytes);
        for (uint64_t at = 0; at < period + lanes; at += period) {
            const uint64_t from = at << shift, to = (at + row) << shift;
            if (to > first) set_bits(table, from > first ? from - first : 0, to - first < bits ? to - first : bits);
        }
    }
    if (rest == 0) return;
    const uint8_t *masks = tirbi_lane_masks(gaps, (uint32_t)((n - lanes) % period));
    const uint32_t stored = (lanes - rest) << shift;
    memset(gaps->last, 0, stored / 8);
    memcpy(gaps->last + stored / 8, masks + stored / 8, (lanes << shift) / 8 - stored / 8);
    gaps->last[stored / 8] &= (uint8_t)(0xFFu << stored % 8);
}

/* Makes one row of the rows of the innermost loop where they lie close enough together: *machinery and *lanes are then
 * those for it. */
static bool span_gaps(rows *r, const tirbi_lane_machine *wide, tirbi_lane_gaps *gaps,
                      const tirbi_lane_machine **machinery, uint32_t *lanes) {
    const uint64_t n_rows = (uint64_t)r->extent[r->n_outer - 1], n = (uint64_t)r->n;
    const uint64_t period = n_rows > 1 && n > 1 ? find_period(r) : 0; /* a single lane has no stride */
    if (period <= n || period > TIRBI_MAX_PERIOD || n_rows > UINT32_MAX / period) return false;
    const uint64_t all = period * (n_rows - 1) + n; /* within every cursor's reference */
    uint32_t fewer;
    const tirbi_lane_machine *spanning = tirbi_lane_choose_banks(r->loop, wide, (int64_t)all, true, &fewer);
    if (all < fewer) return false;
    const int64_t by_rows = tirbi_lane_row_cost(r->n, *lanes, (*machinery)->registers, true) *
                            (int64_t)((n_rows - 1) / (*machinery)->rows + 1);
    if (tirbi_lane_row_cost((int64_t)all, fewer, spanning->registers, true) * 16 >= by_rows * 15) return false;
    set_masks(gaps, (uint32_t)period, (uint32_t)n, all, fewer, (uint32_t)__builtin_ctz(r->loop->main_size));
    r->n = (int64_t)all;
    r->extent[r->n_outer - 1] = 1;
    *machinery = spanning;
    *lanes = fewer;
    return true;
}

/* Runs the rows one by one, each by the loop from memory to memory that does all of it. */
static tirb_status stream_rows(tirbi_machine *machine, const rows *r, const tirbi_lane_row_stream *row) {
    enum { SIDES = 4 };
    static const place still;
    const unsigned last = r->n_outer - 1;
    const place *sides[SIDES];
    uintptr_t at[SIDES];
    int64_t index[TIRBI_MAX_INNER] = {0};
    for (unsigned i = 0; i < SIDES; i++) {
        const unsigned c = (i ? row->from[i - 1] : row->to) - 1u;
        sides[i] = c < r->loop->n_cursors ? &r->places[c] : &still;
        at[i] = sides[i]->low;
        if (sides[i] != &still) continue;
        const tirbi_lane_splat *splat = &r->loop->splats[c - r->loop->n_cursors];
        at[i] = (uintptr_t)tirbi_slot_bytes((uint64_t *)(uintptr_t)&r->slots[splat->slot], splat->size);
    }
    for (bool more = true; more;) {
        for (uint64_t k = 0; k < (uint64_t)r->extent[last]; k++) {
            if (atomic_load_explicit(machine->stop, memory_order_relaxed) != 0) TIRBI_TRY(tirbi_poll(machine));
            uint8_t *of_row[SIDES];
            for (unsigned i = 0; i < SIDES; i++)
                of_row[i] = (uint8_t *)(at[i] + (uintptr_t)(k * sides[i]->steps[last]));
            row->kernel(of_row[0], of_row[1], of_row[2], of_row[3], (size_t)r->n);
        }
        more = false;
        for (unsigned o = last; o-- > 0 && !more;) {
            more = ++index[o] < r->extent[o];
            if (!more) index[o] = 0;
            const uint64_t times = more ? 1 : 1 - (uint64_t)r->extent[o];
            for (unsigned i = 0; i < SIDES; i++) at[i] += (uintptr_t)(sides[i]->steps[o] * times);
        }
    }
    return TIRB_OK;
}

const tirbi_lane_machine *tirbi_lane_enter_rows(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                                const tirbi_lane_inputs *inputs, const int64_t *extent, bool *done,
                                                tirb_status *status) {
    tirbi_frame *frame = machine->frame;
    uint64_t *slots = tirbi_frame_slots(frame);
    const tirbi_ref *refs = tirbi_frame_refs(frame);
    tirbi_lane_state *state = machine->lanes;
    rows r;
    r.loop = loop;
    r.slots = slots;
    r.n = (int64_t)slots[loop->n];
    r.repeats = !loop->reduces;
    if (loop->n_tiles > 0 || tirbi_lane_writes_much(loop, refs) || !join(&r, extent)) return NULL;
    for (uint32_t c = 0; c < loop->n_cursors; c++)
        if (!find_place(&r, &loop->cursors[c], &refs[loop->cursors[c].ref], &r.places[c])) return NULL;
    if (!keep_apart(&r)) return NULL;
    uint32_t lanes;
    const tirbi_lane_machine *wide = machine->code->lanes;
    const bool is_repeated = repeat_rows(&r, wide, state);
    const tirbi_lane_machine *machinery = tirbi_lane_choose_banks(loop, wide, r.n, r.repeats, &lanes);
    state->packed_rows = is_repeated ? 0 : pack(&r, frame->fn->words, wide, state, &machinery, &lanes);
    *done = !is_repeated && state->packed_rows == 0 && inputs->bodies.rows &&
            tirbi_lane_is_row_short(loop, machine, r.n, r.repeats);
    if (*done) {
        *status = stream_rows(machine, &r, inputs->bodies.rows);
        return NULL;
    }
    const int64_t n_rows = r.extent[r.n_outer - 1];
    if (!is_repeated && state->packed_rows == 0 && loop->by_rows && r.repeats && n_rows > 1)
        tirbi_lane_choose_rows(loop, wide, r.n, n_rows, &machinery, &lanes);
    tirbi_lane_gaps *gaps = tirbi_lane_gaps_of(state);
    gaps->period = 0;
    gaps->apart = r.repeats;
    if (!is_repeated && state->packed_rows == 0 && inputs->bodies.spanning != 0 &&
        span_gaps(&r, wide, gaps, &machinery, &lanes))
        r.repeats = true; /* no lane is stored twice */
    const bool has_parts = loop->wide != 0 && state->packed_rows == 0 &&
                           (r.n < (int64_t)lanes || (!r.repeats && tirbi_lane_rest(r.n, lanes) != 0));
    if (has_parts && !is_repeated) pad_rows(&r, refs, lanes, state);
    const uint32_t at_once = state->packed_rows > 0 ? state->packed_rows : machinery->rows;
    set_steps(&r, lanes, at_once, state);
    uint8_t **pointer = state->pointers + 1 + loop->n_cursors;
    for (uint32_t i = 0; i < loop->n_splats; i++)
        *pointer++ = tirbi_slot_bytes(&slots[loop->splats[i].slot], loop->splats[i].size);
    for (uint32_t i = 0; i < loop->n_strips && state->loop != loop; i++)
        *pointer++ = state->scratch + (size_t)i * loop->strip_size;
    state->loop = loop;
    for (unsigned o = 0; o < r.n_outer; o++) {
        const unsigned k = state->outer[o] = loop->outer[o];
        state->inner[k].extent = state->inner[k].left = r.extent[o];
        state->inner[k].index = NULL;
    }
    if (at_once > 1) {
        const unsigned k = state->outer[r.n_outer - 1];
        state->inner[k].extent = state->inner[k].left = (n_rows - 1) / at_once + 1;
    }
    if (machinery->rows > 1) {
        uint64_t steps[TIRBI_MAX_CURSORS];
        for (uint32_t c = 0; c < loop->n_cursors; c++) steps[c] = r.places[c].steps[r.n_outer - 1];
        tirbi_lane_set_row_pointers(loop, machinery, n_rows, steps, state);
    }
    state->n = r.n;
    state->lanes = lanes;
    state->repeats = r.repeats;
    state->n_cursors = loop->n_cursors;
    state->n_outer = r.n_outer;
    state->n_sought = state->n_streams = 0;
    state->sure_parts = 0;
    state->wide = NULL;
    if (has_parts) set_streams(&r, refs, lanes, at_once, frame->fn->words, state);
    return machinery;
}
