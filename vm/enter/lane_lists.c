/* Loops over rows of which numbers in memory say where they begin. Rows are done in the order of the loops around them:
 * several may be the same one. */
#include "vm/enter/lane_lists.h"

#include "vm/enter/lane_box.h"
#include "vm/enter/lane_copy.h"
#include "vm/lanes/slots.h"

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

bool tirbi_lane_list_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches) {
    if (loop->n_copies != 1 || loop->copies[0].fills || loop->n_inner == 0) return false;
    const tirbi_lane_copy *copy = &loop->copies[0];
    for (uint32_t i = 0; i < loop->n_seeks; i++)
        if (loop->seeks[i].cursor != copy->to && loop->seeks[i].cursor != copy->from) return false;
    const tirbi_reach *to = &reaches[copy->to], *from = &reaches[copy->from];
    int64_t size = (int64_t)to->size;
    return to->step[0] == size && from->step[0] == size && to->count[0] <= TIRBI_BOX_BYTES;
}

/* The offsets of `n` rows, `step` bytes apart but for their numbers, the first of which is row `first`. */
static void find_rows(const tirbi_lane_rows *rows, const uint8_t *numbers, int64_t number_step, int64_t step,
                      int64_t first, size_t n, ptrdiff_t *offsets) {
    if (!rows->numbers) {
        for (size_t i = 0; i < n; i++) offsets[i] = (ptrdiff_t)((first + (int64_t)i) * step);
        return;
    }
    const uint8_t *from = tirbi_moved_from(numbers, number_step, first);
    const int64_t least = rows->least, most = rows->most, bytes = rows->bytes;
    switch (rows->type) {
#define OFFSETS(TYPE)                                                                                                  \
    case TIRB_##TYPE:                                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const int64_t number =                                                                                     \
                tirbi_lane_number(tirbi_moved_from(from, number_step, (int64_t)i), TIRB_##TYPE, least, most);          \
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
        tirbi_move_past(moves, to + to_rows[i], from + from_rows[i], size);
    }
}

/* One side of what is done, in the loops around the innermost. */
typedef struct side {
    const tirbi_lane_rows *rows;
    const tirbi_reach *reach; /* NULL: a scalar */
    uint8_t *at;
    const uint8_t *numbers;
} side;

static side side_of(const tirbi_reach *reach, const tirbi_lane_rows *rows) {
    return (side){.rows = rows, .reach = reach, .at = reach->start,
                  .numbers = rows->numbers ? rows->numbers->start : NULL};
}

static void move_side(side *s, unsigned d, int64_t times) {
    if (!s->reach) return;
    s->at = tirbi_moved(s->at, s->reach->step[d], times);
    if (s->numbers) s->numbers = tirbi_moved_from(s->numbers, s->rows->numbers->step[d], times);
}

/* The offsets of `n` rows of the innermost loop. */
static void find_side(const side *s, unsigned inner, int64_t first, size_t n, ptrdiff_t *offsets) {
    find_rows(s->rows, s->numbers, s->numbers ? s->rows->numbers->step[inner] : 0, s->reach ? s->reach->step[inner] : 0,
              first, n, offsets);
}

/* Whether the rows of loop d are one row, which one number chooses. */
static bool is_one_row(const side *s, unsigned d, size_t size) {
    const tirbi_reach *numbers = s->rows->numbers;
    return s->reach->step[d] == (int64_t)size && (!numbers || !tirbi_reach_moves(numbers, d));
}

/* Goes on in the loops around the innermost; false where they end. */
static bool next_rows(const tirbi_reach *reach, unsigned inner, int64_t *index, side *sides, unsigned n_sides) {
    for (unsigned d = inner; d-- > 1;) {
        const bool more = ++index[d] < reach->count[d];
        const int64_t times = more ? 1 : 1 - reach->count[d];
        for (unsigned i = 0; i < n_sides; i++) move_side(&sides[i], d, times);
        if (more) return true;
        index[d] = 0;
    }
    return false;
}

/* How many rows of `size` bytes there may be until somebody looks whether to stop. */
static int64_t rows_at_once(size_t size) {
    return size >= TIRBI_BOX_BYTES                       ? 1
           : size <= TIRBI_BOX_BYTES / TIRBI_LISTED_ROWS ? TIRBI_LISTED_ROWS
                                                         : (int64_t)(TIRBI_BOX_BYTES / size);
}

/* How many bytes of a row are asked for ahead: where rows are far from each other, none is in the nearest caches. */
static size_t bytes_asked(const tirbi_reach *reach, size_t size) {
    enum { NEAR = 1 << 18, MOST_ASKED = 1024 };
    return reach->high - reach->low <= NEAR ? 0 : size < MOST_ASKED ? size : MOST_ASKED;
}

tirb_status tirbi_lane_list_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const tirbi_lane_list *list) {
    const tirbi_moves *moves = &machine->code->kernels->moves;
    const tirbi_reach *const reach = &reaches[loop->copies[0].to];
    unsigned inner = loop->n_inner;
    side sides[2] = {side_of(reach, &list->of[0]), side_of(&reaches[loop->copies[0].from], &list->of[1])};
    side *const to = &sides[0], *const from = &sides[1];
    size_t size = (size_t)reach->count[0] * reach->size;
    for (; inner > 1 && is_one_row(to, inner, size) && is_one_row(from, inner, size) &&
           reach->count[inner] <= (int64_t)(TIRBI_BOX_BYTES / size);
         inner--)
        size *= (size_t)reach->count[inner];
    const size_t asked = bytes_asked(from->reach, size);
    const int64_t most = rows_at_once(size);
    const bool past = !to->numbers && tirbi_fills_lines(to->at, reach->step[inner], (int64_t)size) &&
                      tirbi_lane_goes_past(machine, loop, loop->copies[0].to,
                                           tirbi_lane_bytes_of(reach, 1u + loop->n_inner));
    ptrdiff_t to_rows[TIRBI_LISTED_ROWS], from_rows[TIRBI_LISTED_ROWS];
    int64_t index[TIRBI_REACH_DIMENSIONS] = {0};
    machine->streamed |= past;
    do {
        for (int64_t at = 0; at < reach->count[inner]; at += most) {
            const size_t n = (size_t)(reach->count[inner] - at < most ? reach->count[inner] - at : most);
            find_side(to, inner, at, n, to_rows);
            find_side(from, inner, at, n, from_rows);
            if (past)
                list_past(moves, to->at, to_rows, from->at, from_rows, size, n, asked);
            else
                moves->list(to->at, to_rows, from->at, from_rows, size, n, asked);
            if (atomic_load_explicit(machine->stop, memory_order_relaxed) != 0) return tirbi_poll(machine);
        }
    } while (next_rows(reach, inner, index, sides, 2));
    return TIRB_OK;
}

/* ---- Computed rows ---------------------------------------------------------------------------------------------- */

bool tirbi_lane_row_stream_fits(const tirbi_lane_loop *loop, const tirbi_lane_row_stream *row,
                                const tirbi_reach *reaches) {
    if (!row || loop->n_inner == 0) return false;
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) return false; /* a scalar of each row */
    const tirbi_reach *to = &reaches[row->to - 1];
    for (unsigned i = 0; i < 3; i++) {
        const unsigned c = row->from[i] - 1u;
        if (c < loop->n_cursors && !reaches[c].reached) return false;
    }
    return to->reached && to->count[0] <= TIRBI_BOX_BYTES;
}

/* What is behind a pointer: a cursor's rows, or a scalar. */
static side side_behind(const tirbi_lane_loop *loop, uint16_t pointer, const tirbi_reach *reaches,
                        const uint64_t *slots, const tirbi_lane_rows *rows) {
    if (pointer <= loop->n_cursors) return side_of(&reaches[pointer - 1], rows);
    const tirbi_lane_splat *splat = &loop->splats[pointer - 1 - loop->n_cursors];
    return (side){.rows = rows, .at = tirbi_slot_bytes((uint64_t *)(uintptr_t)&slots[splat->slot], splat->size)};
}

tirb_status tirbi_lane_row_stream_run(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                      const tirbi_lane_row_stream *row, const tirbi_reach *reaches,
                                      const uint64_t *slots, const tirbi_lane_list *list) {
    enum { AHEAD = 4 };
    const tirbi_reach *const reach = &reaches[row->to - 1];
    const unsigned inner = loop->n_inner;
    const size_t lanes = (size_t)reach->count[0], size = lanes * reach->size;
    const int64_t most = rows_at_once(size);
    side sides[TIRBI_LIST_SIDES];
    size_t asked[TIRBI_LIST_SIDES];
    ptrdiff_t rows[TIRBI_LIST_SIDES][TIRBI_LISTED_ROWS];
    int64_t index[TIRBI_REACH_DIMENSIONS] = {0};
    for (unsigned i = 0; i < TIRBI_LIST_SIDES; i++) {
        sides[i] = side_behind(loop, i ? row->from[i - 1] : row->to, reaches, slots, &list->of[i]);
        asked[i] = sides[i].numbers ? bytes_asked(sides[i].reach, size) : 0;
    }
    do {
        for (int64_t at = 0; at < reach->count[inner]; at += most) {
            const size_t n = (size_t)(reach->count[inner] - at < most ? reach->count[inner] - at : most);
            for (unsigned i = 0; i < TIRBI_LIST_SIDES; i++) find_side(&sides[i], inner, at, n, rows[i]);
            for (size_t r = 0; r < n; r++) {
                const size_t next = r + AHEAD < n ? r + AHEAD : n - 1;
                for (unsigned i = 0; i < TIRBI_LIST_SIDES; i++)
                    for (size_t line = 0; line < asked[i]; line += 64)
                        __builtin_prefetch(sides[i].at + rows[i][next] + line);
                row->kernel(sides[0].at + rows[0][r], sides[1].at + rows[1][r], sides[2].at + rows[2][r],
                            sides[3].at + rows[3][r], lanes);
            }
            if (atomic_load_explicit(machine->stop, memory_order_relaxed) != 0) return tirbi_poll(machine);
        }
    } while (next_rows(reach, inner, index, sides, TIRBI_LIST_SIDES));
    return TIRB_OK;
}
