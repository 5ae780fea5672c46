/* Entering a lane loop: what it costs, what its cursors reach, and whether written elements keep apart. */
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/isa/reach.h"
#include "vm/enter/lane_again.h"
#include "vm/enter/lane_copy.h"
#include "vm/enter/lane_lists.h"
#include "vm/lanes/slots.h"

typedef struct entry {
    tirbi_machine *machine;
    const tirbi_lane_loop *loop;
    const uint64_t *slots;
    const tirbi_ref *refs;
    int64_t n;
    int64_t extent[TIRBI_MAX_INNER];
    bool repeats;  /* nothing that is written is read: lanes may be computed twice */
    bool in_order; /* a lane comes back to elements through another cursor: its iterations keep their order */
    const tirbi_lane_machine *machinery;
    uint32_t lanes; /* in a block of it */
    unsigned dimensions; /* of reaches: lanes, inner loops, and the numbers of rows where there are any */
    tirbi_reach reaches[TIRBI_MAX_CURSORS];
    struct {
        int64_t least, most; /* of the numbers */
    } seeks[TIRBI_MAX_CURSORS];
} entry;

/* ---- Fuel ----------------------------------------------------------------------------------------------------- */

static uint64_t mul_or_most(uint64_t a, uint64_t b) {
    uint64_t product;
    return tirbi_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t add_or_most(uint64_t a, uint64_t b) {
    uint64_t sum;
    return tirbi_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* Going through the lanes takes time even where nothing is in the body, or only inner loops that do not run. */
uint64_t tirbi_lane_cost(const tirbi_lane_loop *loop, const int64_t *extent, int64_t n) {
    uint64_t body = loop->weight;
    for (unsigned k = 0; k < loop->n_inner; k++) {
        uint64_t times = 1;
        for (unsigned j = 0; j < loop->n_inner && j < TIRBI_MAX_INNER; j++)
            if (loop->inner[k].enclosing >> j & 1) times = mul_or_most(times, extent[j] > 0 ? (uint64_t)extent[j] : 0);
        body = add_or_most(body, mul_or_most(times, loop->inner[k].weight));
    }
    return mul_or_most(body > 0 ? body : 1, (uint64_t)(n - 1) / 64 + 1);
}

/* ---- Bounds --------------------------------------------------------------------------------------------------- */

static bool all_run(const entry *e, unsigned loops) {
    for (unsigned k = 0; k < e->loop->n_inner; k++)
        if ((loops >> k & 1) && e->extent[k] < 1) return false;
    return true;
}

/* ---- Rows by number ------------------------------------------------------------------------------------------- */

/* A sought cursor's element, from that of number 0 on, for the least and the greatest number. */
static bool seek_range(const entry *e, const tirbi_lane_cursor *cursor, int64_t *low, int64_t *high) {
    if (cursor->seek == 0) return true;
    const tirbi_lane_seek *seek = &e->loop->seeks[cursor->seek - 1];
    int64_t scale = (int64_t)e->slots[seek->scale], first, last;
    bool fits = tirbi_mul_i64(scale, e->seeks[cursor->seek - 1].least, &first) &&
                tirbi_mul_i64(scale, e->seeks[cursor->seek - 1].most, &last);
    return fits && tirbi_add_i64(*low, first < last ? first : last, low) &&
           tirbi_add_i64(*high, first < last ? last : first, high);
}

/* The least and the greatest of `count` numbers. */
static void find_range(const uint8_t *from, int64_t step, int64_t count, uint8_t type, int64_t *least, int64_t *most) {
    int64_t low = *least, high = *most;
    switch (type) {
#define RANGE(TYPE)                                                                                                    \
    case TIRB_##TYPE:                                                                                                  \
        for (int64_t i = 0; i < count; i++, from = (const uint8_t *)((uintptr_t)from + (uintptr_t)step)) {             \
            const int64_t v = tirbi_lane_number(from, TIRB_##TYPE, INT64_MIN, INT64_MAX);                              \
            low = v < low ? v : low;                                                                                   \
            high = v > high ? v : high;                                                                                \
        }                                                                                                              \
        break;
        TIRBI_LANE_NUMBERS(RANGE)
#undef RANGE
    }
    *least = low;
    *most = high;
}

/* Reads all numbers of a seek, over the loops that its cursor of numbers steps in, the largest of them innermost. */
static tirb_status read_numbers(entry *e, unsigned i) {
    const tirbi_lane_seek *seek = &e->loop->seeks[i];
    const tirbi_reach *r = &e->reaches[seek->numbers];
    e->seeks[i].least = e->seeks[i].most = 0;
    if (!r->reached) return TIRB_OK;
    unsigned inner = 0;
    int64_t at[TIRBI_REACH_DIMENSIONS] = {0}, least = INT64_MAX, most = INT64_MIN;
    for (unsigned d = 1; d <= e->loop->n_inner; d++)
        if (tirbi_reach_moves(r, d) && (inner == 0 || r->count[d] > r->count[inner])) inner = d;
    const uint8_t *from = r->start;
    enum { PIECE = 1 << 9 };
    for (bool more = true; more;) {
        int64_t count = inner ? r->count[inner] : 1, step = r->step[inner];
        for (int64_t k = 0; k < count; k += PIECE) {
            find_range((const uint8_t *)((uintptr_t)from + (uintptr_t)k * (uintptr_t)step), step,
                       count - k < PIECE ? count - k : PIECE, seek->type, &least, &most);
            TIRBI_TRY(tirbi_poll(e->machine));
        }
        more = false;
        for (unsigned d = 1; d <= e->loop->n_inner && !more; d++) {
            if (d == inner || !tirbi_reach_moves(r, d)) continue;
            more = ++at[d] < r->count[d];
            uint64_t back = more ? (uint64_t)r->step[d] : 0 - (uint64_t)r->step[d] * (uint64_t)(r->count[d] - 1);
            from = (const uint8_t *)((uintptr_t)from + (uintptr_t)back);
            if (!more) at[d] = 0;
        }
    }
    int64_t limit = (int64_t)e->slots[seek->limit];
    if (least < 0 || most >= limit)
        return tirbi_error_set(e->machine->error, TIRB_BOUNDS, "index %lld is out of bounds for an extent of %lld",
                               (long long)(least < 0 ? least : most), (long long)limit);
    e->seeks[i].least = least;
    e->seeks[i].most = most;
    return TIRB_OK;
}

/* Checks the elements that the uses inside `loops` reach, and adds them to r. */
static tirb_status check_use(const entry *e, const tirbi_lane_cursor *cursor, unsigned loops, tirbi_reach *r) {
    const tirbi_ref *ref = &e->refs[cursor->ref];
    int64_t start = (int64_t)e->slots[cursor->start];
    int64_t low = start;
    int64_t high = start;
    bool fits = tirbi_reach_widen((int64_t)e->slots[cursor->step], e->n, &low, &high);
    for (unsigned k = 0; k < e->loop->n_inner; k++)
        if (loops >> k & 1)
            fits = fits && tirbi_reach_widen((int64_t)e->slots[cursor->steps[k]], e->extent[k], &low, &high);
    fits = fits && seek_range(e, cursor, &low, &high);
    uint64_t length = ref->size >> cursor->shift;
    if (!fits || low < 0 || (uint64_t)high >= length)
        return fits ? tirbi_error_set(e->machine->error, TIRB_BOUNDS,
                                      "elements %lld to %lld are outside of the %llu elements that there are",
                                      (long long)low, (long long)high, (unsigned long long)length)
                    : tirbi_error_set(e->machine->error, TIRB_BOUNDS, "an index is over 64 bits");
    uintptr_t data = (uintptr_t)ref->data;
    uintptr_t first = data + ((uintptr_t)low << cursor->shift);
    uintptr_t behind = data + (((uintptr_t)high + 1) << cursor->shift);
    if (!r->reached || first < r->low) r->low = first;
    if (!r->reached || behind > r->high) r->high = behind;
    r->start = ref->data + ((uintptr_t)start << cursor->shift);
    if (cursor->seek != 0) /* at the least number */
        r->start = (uint8_t *)((uintptr_t)r->start + (uintptr_t)r->step[e->dimensions - 1] *
                                                         (uintptr_t)e->seeks[cursor->seek - 1].least);
    for (unsigned k = 0; k < e->loop->n_inner; k++) {
        bool inside = loops >> k & 1;
        if (!inside && r->reached) continue; /* it stays as an earlier use left it */
        r->step[k + 1] = inside ? (int64_t)(e->slots[cursor->steps[k]] * cursor->size) : 0;
        r->count[k + 1] = inside ? e->extent[k] : 1;
    }
    r->reached = true;
    return TIRB_OK;
}

/* Lanes may name any element of an indexed cursor's reference. */
static void reach_all(entry *e, unsigned c) {
    const tirbi_ref *ref = &e->refs[e->loop->cursors[c].ref];
    tirbi_reach *r = &e->reaches[c];
    r->start = ref->data;
    r->low = (uintptr_t)ref->data;
    r->high = r->low + ref->size;
    r->size = ref->size; /* one piece: no step of another cursor goes around it */
    r->reached = ref->size > 0;
    for (unsigned d = 0; d < e->dimensions; d++) {
        r->step[d] = 0;
        r->count[d] = 1;
    }
}

static tirb_status check_cursor(entry *e, unsigned c) {
    const tirbi_lane_cursor *cursor = &e->loop->cursors[c];
    tirbi_reach *r = &e->reaches[c];
    r->reached = false;
    r->start = NULL;
    r->size = cursor->size;
    if (cursor->indexed) {
        reach_all(e, c);
        return TIRB_OK;
    }
    r->step[0] = (int64_t)(e->slots[cursor->step] * cursor->size);
    r->count[0] = e->n;
    if (e->loop->n_seeks > 0) {
        const tirbi_lane_seek *seek = cursor->seek ? &e->loop->seeks[cursor->seek - 1] : NULL;
        int64_t numbers = seek ? e->seeks[cursor->seek - 1].most - e->seeks[cursor->seek - 1].least + 1 : 1;
        r->step[e->dimensions - 1] = seek ? (int64_t)(e->slots[seek->scale] * cursor->size) : 0;
        r->count[e->dimensions - 1] = numbers;
    }
    for (unsigned u = 0; u < cursor->n_uses; u++)
        if (all_run(e, cursor->uses[u])) TIRBI_TRY(check_use(e, cursor, cursor->uses[u], r));
    return TIRB_OK;
}

/* Numbers are read where their own cursors are known to be inside. */
static tirb_status check_bounds(entry *e) {
    for (unsigned c = 0; c < e->loop->n_cursors; c++)
        if (e->loop->cursors[c].seek == 0) TIRBI_TRY(check_cursor(e, c));
    if (e->loop->n_seeks == 0) return TIRB_OK;
    for (unsigned i = 0; i < e->loop->n_seeks; i++) TIRBI_TRY(read_numbers(e, i));
    for (unsigned c = 0; c < e->loop->n_cursors; c++)
        if (e->loop->cursors[c].seek != 0) TIRBI_TRY(check_cursor(e, c));
    return TIRB_OK;
}

/* ---- Overlap -------------------------------------------------------------------------------------------------- */

/* Whether every element that both reach is reached by the same lane: both mean the same elements, but for loops that
 * only `written` runs in, whose lanes are apart anyway. */
static bool same_elements(const tirbi_reach *written, const tirbi_reach *other, unsigned dimensions) {
    if (written->start != other->start || written->size != other->size) return false;
    for (unsigned d = 0; d < dimensions; d++) {
        if (other->count[d] <= 1) continue;
        int64_t expected = written->count[d] == other->count[d] ? written->step[d] : 0;
        if (other->step[d] != expected) return false;
    }
    return true;
}

/* Rows by number are in the same place by chance only, and nothing may write the numbers. */
static bool may_be_same(const entry *e, unsigned written, unsigned other) {
    if (e->loop->cursors[written].seek != 0 || e->loop->cursors[other].seek != 0) return false;
    for (unsigned i = 0; i < e->loop->n_seeks; i++)
        if (e->loop->seeks[i].numbers == other) return false;
    return true;
}

static bool meet_forwards(const entry *e, unsigned written, unsigned other) {
    const tirbi_reach *a = &e->reaches[written], *b = &e->reaches[other];
    return e->dimensions == 1 && a->step[0] == b->step[0] &&
           tirbi_lane_meet_forwards(e->loop, written, (uintptr_t)a->start, other, (uintptr_t)b->start,
                                    (ptrdiff_t)a->step[0]);
}

static tirb_status check_overlap(entry *e) {
    unsigned dimensions = e->dimensions;
    for (unsigned w = 0; w < e->loop->n_cursors; w++) {
        const tirbi_reach *written = &e->reaches[w];
        uint8_t access = e->loop->cursors[w].access;
        if (!(access & TIRBI_WRITE) || !written->reached) continue;
        bool indexed = e->loop->cursors[w].indexed;
        if ((access & TIRBI_READ) || indexed) e->repeats = false;
        if (!indexed && !tirbi_reach_tells(written, 0, dimensions))
            return tirbi_error_set(e->machine->error, TIRB_OVERLAP, "two lanes write the same element");
        for (unsigned c = 0; c < e->loop->n_cursors; c++) {
            const tirbi_reach *other = &e->reaches[c];
            if (c == w || !other->reached) continue;
            if (tirbi_reach_apart(written, other, dimensions)) continue;
            e->repeats = false;
            bool plain = !indexed && !e->loop->cursors[c].indexed && may_be_same(e, w, c);
            if (plain && same_elements(written, other, dimensions)) continue;
            if (plain && (tirbi_reach_in_stretches(written, other, dimensions) || meet_forwards(e, w, c))) {
                e->in_order = true;
                continue;
            }
            return tirbi_error_set(e->machine->error, TIRB_OVERLAP,
                                   "a lane writes an element that another lane reads or writes");
        }
    }
    return TIRB_OK;
}

/* ---- Setting up ----------------------------------------------------------------------------------------------- */

/* Of one table: what is moved by whole vectors may go over its ends. */
static size_t pointers_size(const tirbi_lane_needs *needs) {
    return ((needs->pointers + 2 * TIRBI_POINTERS_AT_ONCE) * sizeof(uint8_t *) + 63) / 64 * 64;
}

void tirbi_lane_size_states(tirbi_lane_needs *needs) {
    const size_t head = sizeof(tirbi_lane_state_and_gaps) + (sizeof(tirbi_lane_again) + 63) / 64 * 64;
    needs->state_size = head + (1 + TIRBI_MAX_ROWS) * pointers_size(needs) + 64;
}

/* Each state is followed by its tables of pointers, whose first in use, number 1, begins a cache line. Strips are only
 * of use while a loop runs, so all states have the same ones. */
static void lay_out(tirbi_lane_state *state, size_t pointers, uint8_t *scratch) {
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    uint8_t *table = (uint8_t *)again + sizeof *again;
    table += (64 - (uintptr_t)table % 64) % 64;
    again->loop = again->brief = NULL;
    again->missed = 0;
    state->pointers = (uint8_t **)(void *)table + (TIRBI_POINTERS_AT_ONCE - 1);
    state->row_pointers = (uint8_t **)(void *)(table + pointers);
    state->row_loop = NULL;
    state->loop = NULL;
    state->scratch = scratch;
}

tirb_status tirbi_lane_make_states(tirbi_machine *machine) {
    const tirbi_lane_needs *needs = machine->needs;
    const size_t all = needs->state_size * needs->n_states;
    const size_t size = all + needs->scratch + TIRBI_SCRATCH_HEAD + 128 + sizeof *needs;
    bool are_made;
    uint8_t *states = tirbi_spare_take_made(machine->spares, TIRBI_SPARE_LANES, machine->heap, size, &are_made);
    if (!states) TIRBI_TRY(tirbi_poll(machine));
    if (!states)
        return tirbi_error_set(machine->error, tirbi_heap_status(machine->heap), "no memory for %llu bytes of scratch",
                               (unsigned long long)size);
    machine->lane_states = states;
    machine->lane_states_size = size;
    uint8_t *const made_for = states + size - sizeof *needs; /* other functions' states may be as large in all */
    are_made = are_made && memcmp(made_for, needs, sizeof *needs) == 0;
    for (uint32_t i = 0; i < needs->n_states && are_made; i++) /* what is prepared is so for one machine */
        tirbi_lane_again_of((tirbi_lane_state *)(void *)(states + i * needs->state_size))->brief = NULL;
    if (are_made) return TIRB_OK;
    memcpy(made_for, needs, sizeof *needs);
    uint8_t *scratch = states + all;
    scratch += (64 - (uintptr_t)scratch % 64) % 64;
    scratch += TIRBI_SCRATCH_HEAD;
    *tirbi_lane_scratch_user(scratch) = NULL;
    for (uint32_t i = 0; i < needs->n_states; i++)
        lay_out((tirbi_lane_state *)(void *)(states + i * needs->state_size), pointers_size(needs), scratch);
    return TIRB_OK;
}

static void set_pointers(const entry *e, tirbi_lane_state *state) {
    const tirbi_lane_loop *loop = e->loop;
    uint8_t **pointer = state->pointers + 1;
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        *pointer++ = e->reaches[c].start;
        if (cursor->indexed) state->elements[c] = e->refs[cursor->ref].size >> cursor->shift;
    }
    for (unsigned i = 0; i < loop->n_splats; i++) {
        const uint64_t *slot = &e->slots[loop->splats[i].slot];
        *pointer++ = tirbi_slot_bytes((uint64_t *)(uintptr_t)slot, loop->splats[i].size);
    }
    if (state->loop == loop) return;
    for (unsigned i = 0; i < loop->n_strips; i++) *pointer++ = state->scratch + (size_t)i * loop->strip_size;
    state->loop = loop;
}

/* How far behind a cursor's first element the last block begins that is not whole, of all rows. */
static uint64_t last_part(const entry *e, const tirbi_lane_state *state, const tirbi_reach *r) {
    uint64_t at = mul_or_most((uint64_t)r->step[0], (uint64_t)(e->n - e->n % (int64_t)e->lanes));
    for (unsigned o = 0; o < state->n_outer; o++) {
        unsigned k = state->outer[o];
        if (r->step[k + 1] > 0) at = add_or_most(at, mul_or_most((uint64_t)r->step[k + 1], (uint64_t)e->extent[k] - 1));
    }
    return at;
}

/* Which cursors the wide body reads whole blocks of, and where they may be for that; those that always may are left
 * out. */
static void set_streams(const entry *e, tirbi_lane_state *state, const tirbi_word *words) {
    const tirbi_lane_loop *loop = e->loop;
    bool parts = e->n < (int64_t)e->lanes || (!e->repeats && e->n % (int64_t)e->lanes != 0);
    state->wide = NULL;
    state->n_streams = 0;
    state->sure_parts = 0;
    if (loop->wide == 0 || !parts || state->packed_rows > 0) return;
    for (uint32_t c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        const tirbi_ref *ref = &e->refs[cursor->ref];
        const tirbi_reach *r = &e->reaches[c];
        uint64_t behind = (uint64_t)e->lanes
                          << cursor->shift; /* of a row's first element, as far as loops in the body go */
        if (!cursor->streams) continue;
        for (unsigned k = 0; k < loop->n_inner; k++) {
            bool around = false;
            for (unsigned o = 0; o < loop->n_outer; o++) around = around || loop->outer[o] == k;
            if (!around && r->reached && r->step[k + 1] > 0)
                behind = add_or_most(behind, mul_or_most((uint64_t)r->step[k + 1], (uint64_t)r->count[k + 1] - 1));
        }
        if (ref->size < behind) return;
        uint64_t first = (uint64_t)((uintptr_t)r->start - (uintptr_t)ref->data), most = ref->size - behind;
        if (!r->reached || (cursor->seek == 0 && first <= most && last_part(e, state, r) <= most - first)) continue;
        bool in_rows = state->n_outer > 0;
        state->streams[state->n_streams].pointer = c + 1;
        uint64_t row_step = in_rows ? (uint64_t)r->step[state->outer[state->n_outer - 1] + 1] * e->machinery->rows : 0;
        state->streams[state->n_streams].row_step = (ptrdiff_t)row_step;
        state->streams[state->n_streams++].last = ref->data + most;
    }
    state->wide = words + loop->wide;
}

/* Steps of cursors that no use reaches stay out: their pointers are null. */
static void set_moves(const entry *e, tirbi_lane_state *state) {
    for (unsigned k = 0; k < e->loop->n_inner; k++) state->inner[k].n_moves = 0;
    for (uint32_t c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        state->strides[c] = (ptrdiff_t)r->step[0];
        if (!r->reached) continue;
        for (unsigned k = 0; k < e->loop->n_inner; k++) {
            state->inner[k].steps[c] = (ptrdiff_t)r->step[k + 1];
            if (r->step[k + 1] != 0)
                state->inner[k].moves[state->inner[k].n_moves++] =
                    (tirbi_lane_move){c + 1, (ptrdiff_t)r->step[k + 1]};
        }
    }
}

/* Whether the rows of loop k follow each other in every cursor, as if they were more lanes. */
static bool rows_follow(const entry *e, unsigned k) {
    if (e->loop->counts_lanes || e->loop->inner[k].index != TIRBI_NO_REG) return false;
    for (uint32_t c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        int64_t row;
        if (r->reached && (!tirbi_mul_i64(r->step[0], e->n, &row) || row != r->step[k + 1])) return false;
    }
    return true;
}

/* The loops around the blocks; the innermost are made part of the lanes where their rows follow each other. */
static void set_outer_loops(entry *e, tirbi_lane_state *state) {
    state->n_outer = e->loop->n_outer;
    for (unsigned o = 0; o < state->n_outer; o++) state->outer[o] = e->loop->outer[o];
    for (; state->n_outer > 0; state->n_outer--) {
        unsigned k = state->outer[state->n_outer - 1];
        int64_t all = e->n;
        if (e->extent[k] != 1 && (!rows_follow(e, k) || !tirbi_mul_i64(e->n, e->extent[k], &all))) return;
        e->n = all;
    }
}

/* ---- Several rows at once ------------------------------------------------------------------------------------- */

/* Whether rows of loop k may be gone through together, and the last ones twice. Rows store in their order, each
 * instruction for itself: a row that stores to an element in different rounds of loops inside it must have it alone. */
static bool rows_are_free(const entry *e, unsigned k) {
    if (!e->repeats || e->loop->n_seeks > 0 || e->extent[k] < 2) return false;
    uint32_t around = 0;
    for (unsigned o = 0; o < e->loop->n_outer; o++) around |= 1u << e->loop->outer[o];
    for (unsigned i = 0; i < e->loop->n_inner; i++)
        if (e->loop->inner[i].index != TIRBI_NO_REG) return false;
    for (unsigned c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        if (!(e->loop->cursors[c].access & TIRBI_WRITE) || !r->reached || tirbi_reach_tells(r, k + 1, e->dimensions))
            continue;
        for (unsigned i = 0; i < e->loop->n_inner; i++)
            if (!(around >> i & 1) && tirbi_reach_moves(r, i + 1)) return false;
    }
    return true;
}

static void choose_rows(entry *e, const tirbi_lane_state *state) {
    const tirbi_lane_machine *wide = e->machine->code->lanes;
    if (state->packed_rows > 0 || state->n_outer == 0 || !wide->more_rows || e->n >= 2 * (int64_t)e->loop->lanes)
        return;
    unsigned k = state->outer[state->n_outer - 1];
    if (e->loop->by_rows && !e->loop->counts_lanes && rows_are_free(e, k))
        tirbi_lane_choose_rows(e->loop, wide, e->n, e->extent[k], &e->machinery, &e->lanes);
}

/* Makes the rows of the innermost loops around the blocks one loop of rows where they are as far apart in all of
 * them. */
static void join_loops(entry *e, tirbi_lane_state *state) {
    for (; state->n_outer > 1; state->n_outer--) {
        const unsigned k = state->outer[state->n_outer - 1], around = state->outer[state->n_outer - 2];
        int64_t all, apart;
        if (e->extent[k] < 2 || e->extent[around] < 2 || !tirbi_mul_i64(e->extent[k], e->extent[around], &all)) return;
        for (unsigned c = 0; c < e->loop->n_cursors; c++) {
            const tirbi_reach *r = &e->reaches[c];
            if (r->reached && (!tirbi_mul_i64(r->step[k + 1], e->extent[k], &apart) || apart != r->step[around + 1]))
                return;
        }
        for (unsigned c = 0; c < e->loop->n_cursors; c++) {
            tirbi_reach *r = &e->reaches[c];
            if (!r->reached) continue;
            r->step[around + 1] = r->step[k + 1];
            r->count[around + 1] *= r->count[k + 1];
            r->count[k + 1] = 1;
        }
        e->extent[around] = all;
    }
}

/* Packs short rows whose stores go on from row to row as they do in a row. */
static void pack_rows(entry *e, tirbi_lane_state *state) {
    state->packed_rows = 0;
    if (e->loop->packed == 0 || e->in_order || state->n_outer == 0 || e->n > e->loop->lanes / 2) return;
    join_loops(e, state);
    const unsigned k = state->outer[state->n_outer - 1];
    if (!rows_are_free(e, k)) return;
    for (unsigned c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        int64_t row;
        if (!r->reached || !(e->loop->cursors[c].access & TIRBI_WRITE)) continue;
        if (!tirbi_mul_i64(e->n, r->step[0], &row) || row != r->step[k + 1]) return;
    }
    state->packed_rows = tirbi_lane_choose_packing(e->loop, e->machine->frame->fn->words, e->machine->code->lanes, e->n,
                                                   e->extent[k], &e->machinery, &e->lanes);
    if (state->packed_rows == 0) return;
    state->packed_lanes = (size_t)e->n;
    for (unsigned c = 0; c < e->loop->n_cursors; c++)
        state->packed_steps[c] = e->reaches[c].reached ? (ptrdiff_t)e->reaches[c].step[k + 1] : 0;
    e->n *= state->packed_rows;
}

/* How many rows are gone through at once. */
static uint32_t rows_at_once(const entry *e, const tirbi_lane_state *state) {
    return state->packed_rows > 0 ? state->packed_rows : e->machinery->rows;
}

static void set_row_pointers(const entry *e, tirbi_lane_state *state) {
    const unsigned k = state->outer[state->n_outer - 1];
    uint64_t steps[TIRBI_MAX_CURSORS];
    for (uint32_t c = 0; c < e->loop->n_cursors; c++)
        steps[c] = e->reaches[c].reached ? (uint64_t)e->reaches[c].step[k + 1] : 0;
    tirbi_lane_set_row_pointers(e->loop, e->machinery, e->extent[k], steps, state);
}

/* An index register is 0 while its loop does not run, so that no block sees what another one has counted. */
void tirbi_lane_clear_indices(const tirbi_lane_loop *loop, uint64_t *slots) {
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) slots[loop->inner[k].index] = 0;
}

static void set_inner_loops(const entry *e, tirbi_lane_state *state, uint64_t *slots) {
    for (unsigned k = 0; k < e->loop->n_inner; k++) {
        uint16_t index = e->loop->inner[k].index;
        state->inner[k].extent = e->extent[k];
        state->inner[k].left = e->extent[k];
        state->inner[k].index = index == TIRBI_NO_REG ? NULL : &slots[index];
    }
}

/* The pointers are where the last block of a row has left them: at the rest that is behind the whole blocks, or at the
 * whole block that overlaps others for it. */
static void set_row_steps(const entry *e, tirbi_lane_state *state) {
    int64_t lanes = e->lanes, rest = e->n % lanes;
    int64_t last = e->n < lanes ? 0 : e->repeats || rest == 0 ? e->n - lanes : e->n - rest;
    uint32_t n = e->loop->n_cursors,
             whole = (n + (n == 0) + TIRBI_POINTERS_AT_ONCE - 1) / TIRBI_POINTERS_AT_ONCE * TIRBI_POINTERS_AT_ONCE;
    for (uint32_t c = n; c < whole; c++) {
        state->block_steps[c] = state->rest_steps[c] = state->last_steps[c] = 0;
        for (uint32_t o = 0; o < state->n_outer; o++) state->row_steps[o][c] = 0;
    }
    for (uint32_t c = 0; c < n; c++) {
        const tirbi_reach *r = &e->reaches[c];
        state->block_steps[c] = r->reached ? (ptrdiff_t)((uint64_t)r->step[0] * (uint64_t)lanes) : 0;
        state->rest_steps[c] = r->reached ? (ptrdiff_t)((uint64_t)r->step[0] * (uint64_t)rest) : 0;
        uint64_t back = r->reached ? (uint64_t)r->step[0] * (uint64_t)last : 0;
        for (uint32_t o = state->n_outer; o-- > 0;) {
            unsigned k = state->outer[o];
            uint64_t step = r->reached ? (uint64_t)r->step[k + 1] : 0;
            uint64_t extent = (uint64_t)e->extent[k], at_once = o + 1 == state->n_outer ? rows_at_once(e, state) : 1;
            uint64_t groups = (extent - 1) / at_once + 1, last_group = extent > at_once ? extent - at_once : 0;
            state->row_steps[o][c] = (ptrdiff_t)(step * at_once - back);
            if (at_once > 1 && groups > 1)
                state->last_steps[c] = (ptrdiff_t)(step * (last_group - (groups - 2) * at_once) - back);
            back += step * last_group;
        }
    }
}

/* Reads that go over more than this wait for memory behind the nearest caches. */
enum { NEAR = 1 << 18 };

/* What rows of a cursor that is sought are asked for ahead of, where they are far from each other. */
static void set_ahead(const entry *e, const tirbi_lane_state *state, const tirbi_reach *r, const tirbi_reach *numbers,
                      tirbi_lane_sought *to) {
    enum { MOST_LINES = 16 };
    const uint64_t row = mul_or_most((uint64_t)e->n, (uint64_t)r->step[0]);
    if (state->n_outer == 0 || r->high - r->low <= NEAR || r->step[0] <= 0) return;
    to->lines = row < MOST_LINES * 64 ? (uint32_t)(row / 64 + 1) : MOST_LINES;
    to->ahead = (ptrdiff_t)((uint64_t)numbers->step[state->outer[state->n_outer - 1] + 1] * TIRBI_ROWS_AHEAD);
}

/* From the least number of each seek to that of the first row. */
static void set_sought(const entry *e, tirbi_lane_state *state) {
    state->n_sought = 0;
    for (unsigned i = 0; i < e->loop->n_seeks; i++) {
        const tirbi_lane_seek *seek = &e->loop->seeks[i];
        const tirbi_reach *r = &e->reaches[seek->cursor];
        if (!r->reached) continue;
        tirbi_lane_sought *to = &state->sought[state->n_sought++];
        *to = (tirbi_lane_sought){.pointer = seek->cursor + 1u, .numbers = seek->numbers + 1u, .type = seek->type,
                                  .least = e->seeks[i].least, .most = e->seeks[i].most,
                                  .bytes = (ptrdiff_t)r->step[e->dimensions - 1]};
        set_ahead(e, state, r, &e->reaches[seek->numbers], to);
        to->at = tirbi_lane_number(state->pointers[to->numbers], to->type, to->least, to->most);
        state->pointers[to->pointer] = (uint8_t *)((uintptr_t)state->pointers[to->pointer] +
                                                   (uintptr_t)(to->at - to->least) * (uintptr_t)to->bytes);
    }
}

/* What seeks say of the rows of a cursor. */
static tirbi_lane_rows rows_of(const entry *e, unsigned cursor) {
    const uint8_t sought = cursor < e->loop->n_cursors ? e->loop->cursors[cursor].seek : 0;
    if (sought == 0) return (tirbi_lane_rows){.numbers = NULL};
    const tirbi_lane_seek *seek = &e->loop->seeks[sought - 1];
    return (tirbi_lane_rows){.numbers = &e->reaches[seek->numbers], .type = seek->type,
                             .least = e->seeks[sought - 1].least, .most = e->seeks[sought - 1].most,
                             .bytes = e->reaches[cursor].step[e->dimensions - 1]};
}

/* Copies of rows by number. */
static __attribute__((noinline)) tirb_status copy_list(const entry *e) {
    const tirbi_lane_loop *loop = e->loop;
    const tirbi_lane_list list = {.of = {rows_of(e, loop->copies[0].to), rows_of(e, loop->copies[0].from)}};
    return tirbi_lane_list_run(e->machine, loop, e->reaches, &list);
}

/* What is computed row by row of rows by number. */
static __attribute__((noinline)) tirb_status stream_list(const entry *e, const tirbi_lane_row_stream *row) {
    tirbi_lane_list list = {.of = {rows_of(e, row->to - 1u)}};
    for (unsigned i = 0; i < 3; i++) list.of[1 + i] = rows_of(e, row->from[i] - 1u);
    return tirbi_lane_row_stream_run(e->machine, e->loop, row, e->reaches, e->slots, &list);
}

/* Columns are transposed ahead where nothing writes to their memory, and there are some. */
static void set_tiles(const entry *e, tirbi_lane_state *state) {
    enum { SOME = 8 };
    for (unsigned t = 0; t < e->loop->n_tiles; t++) {
        const tirbi_lane_tile *tile = &e->loop->tiles[t];
        const tirbi_lane_cursor *cursor = &e->loop->cursors[tile->cursor];
        const tirbi_reach *r = &e->reaches[tile->cursor];
        bool fits =
            r->reached && !e->in_order && e->extent[tile->loop] >= SOME && r->step[tile->loop + 1u] == cursor->size;
        for (unsigned c = 0; c < e->loop->n_cursors && fits; c++) {
            const tirbi_reach *other = &e->reaches[c];
            bool written = (e->loop->cursors[c].access & TIRBI_WRITE) && other->reached;
            fits = !written || tirbi_reach_apart(other, r, e->dimensions);
        }
        state->tiles[t].fits = fits;
        state->tiles[t].used = false;
        state->tiles[t].left = 0;
    }
}

static void begin_scans(const tirbi_lane_loop *loop, tirbi_lane_state *state, const uint64_t *slots) {
    for (unsigned i = 0; i < loop->n_scans; i++) {
        state->running[i] = slots[loop->scans[i].slot];
        if (loop->scans[i].counts) state->place[i] = slots[loop->scans[i].start];
    }
}

static void end_scans(const tirbi_lane_loop *loop, const tirbi_lane_state *state, uint64_t *slots) {
    for (unsigned i = 0; i < loop->n_scans; i++)
        slots[loop->scans[i].slot] = tirbi_slot_extend(state->running[i], loop->scans[i].type);
}

/* ---- Writing past the caches ---------------------------------------------------------------------------------- */

/* Lines of memory are read before they are written, and what is written drives out what is in the caches. Where far
 * more is written than they hold, lanes are computed in pieces, which go through memory on the stack and from there
 * past the caches. Nothing is read while a piece is stored: shorter ones let what the processor asks for ahead go
 * on. That gains where lanes wait for memory and for little else: what reads from many places, or computes long, is
 * faster the plain way. */
enum { STREAM_PIECE = 4096, STREAM_CURSORS = 4, STREAM_LINE = 64, MOST_PLACES = 5, MOST_COMPUTED = 16 };

typedef struct stream {
    unsigned cursor;
    uint32_t at;     /* where its piece is; there is room for what is pending before it */
    uint8_t *next;   /* where the element behind those of the last piece belongs */
    size_t pending;  /* bytes before that, which do not fill a line yet */
} stream;

typedef struct streaming {
    unsigned n;
    stream streams[STREAM_CURSORS]; /* the cursors that are written */
    int64_t lanes;                  /* of a piece */
    int64_t rows;                   /* that make up a piece: those of all streams follow each other, or it is 1 */
    _Alignas(64) uint8_t pieces[STREAM_PIECE + STREAM_CURSORS * STREAM_LINE];
} streaming;

/* Whether it writes long rows of elements that follow each other, that no other cursor reaches, and that are part of a
 * lot: of what this loop writes, or of memory that this function reads nowhere. */
static bool streams_out(const entry *e, const tirbi_lane_state *state, unsigned c) {
    const tirbi_lane_cursor *cursor = &e->loop->cursors[c];
    const tirbi_reach *r = &e->reaches[c];
    if (!r->reached || (cursor->access & TIRBI_READ) || cursor->indexed || r->step[0] != cursor->size) return false;
    uint32_t around = 0;
    uint64_t row = mul_or_most((uint64_t)e->n, cursor->size), all = row;
    for (unsigned o = 0; o < state->n_outer; o++) all = mul_or_most(all, (uint64_t)e->extent[state->outer[o]]);
    const bool unread = cursor->ref < 64 && !(e->machine->frame->fn->refs_read >> cursor->ref & 1);
    if (row < TIRBI_STREAM_ROW || !tirbi_ref_is_much(&e->refs[cursor->ref]) || (all < TIRBI_MUCH && !unread))
        return false;
    for (unsigned o = 0; o < e->loop->n_outer; o++) around |= 1u << e->loop->outer[o];
    for (unsigned k = 0; k < e->loop->n_inner; k++)
        if (!(around >> k & 1) && tirbi_reach_moves(r, k + 1)) return false;
    for (unsigned i = 0; i < e->loop->n_cursors; i++) {
        const tirbi_reach *other = &e->reaches[i];
        if (i != c && other->reached && other->low < r->high && r->low < other->high) return false;
    }
    return true;
}

static uint64_t computed(const tirbi_lane_loop *loop) {
    uint64_t n = loop->instructions;
    for (unsigned k = 0; k < loop->n_inner; k++) n = add_or_most(n, loop->inner[k].instructions);
    return n;
}

static unsigned far_places(const entry *e) {
    unsigned n = 0;
    for (unsigned c = 0; c < e->loop->n_cursors; c++)
        n += e->reaches[c].reached && e->reaches[c].high - e->reaches[c].low > NEAR;
    return n;
}

static bool plan_streaming(const entry *e, const tirbi_lane_state *state, streaming *plan) {
    const tirbi_lane_loop *loop = e->loop;
    uint32_t size = 0;
    plan->n = 0;
    if (!e->machine->code->kernels->moves.stream || e->machinery->rows > 1 || state->packed_rows > 0 || loop->finds ||
        loop->counts_lanes || loop->n_seeks > 0 || loop->own_depth > 0)
        return false;
    const bool is_light = loop->only_banks || loop->n_scans > 0;
    if (!is_light || computed(loop) > MOST_COMPUTED || far_places(e) > MOST_PLACES) return false;
    for (unsigned o = 0; o < state->n_outer; o++)
        if (loop->inner[state->outer[o]].index != TIRBI_NO_REG) return false;
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        if (!(loop->cursors[c].access & TIRBI_WRITE)) continue;
        if (plan->n == STREAM_CURSORS || !streams_out(e, state, c)) return false;
        plan->streams[plan->n++] = (stream){.cursor = c};
        size += loop->cursors[c].size;
    }
    if (plan->n == 0) return false;
    plan->lanes = STREAM_PIECE / size / e->lanes * e->lanes;
    plan->rows = 1;
    if (state->n_outer > 0 && e->n <= STREAM_PIECE / size / 2) {
        const unsigned k = state->outer[state->n_outer - 1];
        bool follow = true;
        for (unsigned i = 0; i < plan->n; i++) {
            const unsigned c = plan->streams[i].cursor;
            follow = follow && e->reaches[c].step[k + 1] == e->n * loop->cursors[c].size;
        }
        if (follow) plan->rows = STREAM_PIECE / size / e->n;
        if (follow) plan->lanes = plan->rows * e->n;
    }
    uint32_t at = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        plan->streams[i].at = at + STREAM_LINE;
        at += STREAM_LINE + (uint32_t)plan->lanes * loop->cursors[plan->streams[i].cursor].size;
    }
    return plan->lanes > 0;
}

static void settle(streaming *plan, stream *s) {
    if (s->pending > 0) memcpy(s->next - s->pending, plan->pieces + s->at - s->pending, s->pending);
    s->pending = 0;
}

/* Stores a piece, but for the line that it ends in. */
static void store_piece(streaming *plan, stream *s, uint8_t *to, size_t size, const tirbi_moves *moves) {
    uint8_t *piece = plan->pieces + s->at, *from = piece;
    if (s->next != to) settle(plan, s);
    if (s->pending == 0) {
        size_t head = (STREAM_LINE - (uintptr_t)to % STREAM_LINE) % STREAM_LINE;
        if (head > size) head = size;
        memcpy(to, from, head);
        to += head;
        from += head;
        size -= head;
    } else {
        to -= s->pending;
        from -= s->pending;
        size += s->pending;
    }
    moves->stream(to, from, size / STREAM_LINE);
    s->pending = size % STREAM_LINE;
    s->next = to + size;
    memmove(piece - s->pending, from + size - s->pending, s->pending);
}

/* The lanes of one row, or of as many as the loop around them still has, whose cursors' elements are where the reaches
 * start. `anew`: the steps are not those of the call before. */
static tirbi_lane_end stream_rows(entry *row, tirbi_lane_state *state, streaming *plan, const tirbi_word *words,
                                  int64_t rows, bool anew) {
    const tirbi_moves *moves = &row->machine->code->kernels->moves;
    const tirbi_lane_loop *loop = row->loop;
    for (int64_t all = row->n, left = all; left > 0; left -= row->n) {
        row->n = left < plan->lanes ? left : plan->lanes;
        set_pointers(row, state);
        for (unsigned i = 0; i < plan->n; i++)
            state->pointers[plan->streams[i].cursor + 1] = plan->pieces + plan->streams[i].at;
        if (left == all ? anew : row->n == left) set_row_steps(row, state);
        set_streams(row, state, words);
        state->n = row->n;
        /* Not by a loop of C, which waits for memory at once: banks take longer over what they have. */
        tirbi_lane_end end = row->machinery->run(state, words + loop->full, words + loop->tail);
        if (end != TIRBI_LANE_DONE) return end;
        for (unsigned i = 0; i < plan->n; i++) {
            unsigned c = plan->streams[i].cursor;
            store_piece(plan, &plan->streams[i], row->reaches[c].start, (size_t)(row->n * rows) * loop->cursors[c].size,
                        moves);
        }
        for (unsigned c = 0; c < loop->n_cursors; c++) {
            uint64_t bytes = row->reaches[c].reached ? (uint64_t)row->reaches[c].step[0] * (uint64_t)row->n : 0;
            row->reaches[c].start = (uint8_t *)((uintptr_t)row->reaches[c].start + (uintptr_t)bytes);
        }
    }
    return TIRBI_LANE_DONE;
}

/* All rows, in the order of the loops around them. */
static tirbi_lane_end run_streaming(const entry *e, tirbi_lane_state *state, streaming *plan, const tirbi_word *words) {
    int64_t index[TIRBI_MAX_INNER] = {0}, before = 0;
    const unsigned n_outer = state->n_outer;
    const unsigned last = n_outer > 0 ? state->outer[n_outer - 1] : 0; /* the loop that rows are taken from */
    unsigned outer[TIRBI_MAX_INNER];
    for (unsigned o = 0; o < n_outer; o++) outer[o] = state->outer[o];
    e->machine->streamed = true;
    entry row = *e;
    state->n_outer = plan->rows > 1 ? 1 : 0;
    state->outer[0] = (uint8_t)last;
    for (bool more = true; more;) {
        int64_t rows = 1;
        row.n = e->n;
        if (plan->rows > 1) {
            const int64_t to_come = e->extent[last] - index[n_outer - 1];
            rows = to_come < plan->rows ? to_come : plan->rows;
            row.extent[last] = state->inner[last].extent = state->inner[last].left = rows;
        }
        for (unsigned c = 0; c < e->loop->n_cursors; c++) {
            const tirbi_reach *r = &e->reaches[c];
            uint64_t bytes = 0;
            for (unsigned o = 0; o < n_outer && r->reached; o++)
                bytes += (uint64_t)r->step[outer[o] + 1] * (uint64_t)index[o];
            row.reaches[c].start = (uint8_t *)((uintptr_t)r->start + (uintptr_t)bytes);
        }
        tirbi_lane_end end = stream_rows(&row, state, plan, words, rows, rows != before);
        if (end != TIRBI_LANE_DONE) return end;
        before = row.n < e->n ? 0 : rows;
        more = false;
        for (unsigned o = n_outer; o-- > 0 && !more;) {
            index[o] += o + 1 == n_outer ? rows : 1;
            more = index[o] < e->extent[outer[o]];
            if (!more) index[o] = 0;
        }
    }
    for (unsigned i = 0; i < plan->n; i++) settle(plan, &plan->streams[i]);
    return TIRBI_LANE_DONE;
}

/* ---- Searches ------------------------------------------------------------------------------------------------- */

/* As many lanes as there is fuel to look at: where none of these is the one, it runs out. */
static int64_t lanes_to_search(const entry *e) {
    uint64_t body = e->loop->weight > 0 ? e->loop->weight : 1, rounds = e->machine->fuel / body;
    return rounds <= (uint64_t)(e->n - 1) / 64 ? (int64_t)(rounds * 64) : e->n;
}

/* Of `all` lanes, the first e->n were looked at. */
static tirb_status end_find(const entry *e, int64_t all, int64_t found) {
    bool none = found == e->n;
    if (!none || e->n == all) tirbi_frame_slots(e->machine->frame)[e->loop->found] = (uint64_t)found;
    return tirbi_charge(e->machine, tirbi_lane_cost(e->loop, e->extent, none ? all : found + 1));
}

static tirb_status divided_by_zero(const tirbi_machine *machine) {
    return tirbi_error_set(machine->error, TIRB_DIVIDE, "an integer is divided by zero");
}

/* The words of an instruction with indices end, in a list, with how it names what is indexed: as a dimension of a
 * buffer with an extent, or (0) as an element of a cursor; or that it is a divisor. */
static tirb_status out_of_bounds(tirbi_machine *machine, const tirbi_lane_state *state) {
    const tirbi_word *at = state->trap;
    const uint16_t *list = at[1].list;
    machine->trap = at;
    if ((list[3] & 1) && list[2]) return divided_by_zero(machine);
    if (list[3] & 1) return tirbi_bad_index(machine, state->bad, list[0], list[1], (int64_t)state->slots[at->c]);
    return tirbi_error_set(machine->error, TIRB_BOUNDS, "element %lld is outside of the %llu elements that there are",
                           (long long)state->bad, (unsigned long long)state->bad_of);
}

/* Whether something that is read is more than what statements before this loop may have left in the caches, and leaves
 * elements out: those that follow each other the processor asks for ahead by itself. */
static bool reads_far(const entry *e) {
    for (unsigned c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        if ((e->loop->cursors[c].access & TIRBI_READ) && r->reached && r->step[0] > (int64_t)r->size &&
            r->high - r->low > NEAR)
            return true;
    }
    return false;
}

/* Out of line for the memory that it takes of the stack; false: nothing was run. */
static __attribute__((noinline)) bool streamed(const entry *e, tirbi_lane_state *state, uint64_t *slots,
                                               tirbi_lane_end *how) {
    streaming plan;
    if (!plan_streaming(e, state, &plan)) return false;
    tirbi_lane_begin(e->machine, e->loop, slots);
    state->is_far = reads_far(e);
    if (state->is_far) state->calm_blocks = 0;
    *how = run_streaming(e, state, &plan, e->machine->frame->fn->words);
    return true;
}

void tirbi_lane_renew(tirbi_machine *machine, const tirbi_lane_loop *loop, uint64_t *slots) {
    tirbi_lane_state *state = machine->lanes;
    tirbi_lane_clear_indices(loop, slots);
    begin_scans(loop, state, slots);
    for (unsigned t = 0; t < loop->n_tiles; t++) {
        state->tiles[t].used = false;
        state->tiles[t].left = 0;
    }
}

tirb_status tirbi_lane_end_run(tirbi_machine *machine, const tirbi_lane_loop *loop, tirbi_lane_end how) {
    tirbi_lane_state *state = machine->lanes;
    if (how != TIRBI_LANE_DONE) tirbi_lane_again_of(state)->loop = NULL;
    switch (how) {
    case TIRBI_LANE_DONE:
        end_scans(loop, state, tirbi_frame_slots(machine->frame));
        return state->spent < 64 ? TIRB_OK : tirbi_charge(machine, state->spent / 64);
    case TIRBI_LANE_FUEL: return tirbi_charge(machine, UINT64_MAX);
    case TIRBI_LANE_STOPPED: return tirbi_poll(machine);
    case TIRBI_LANE_BOUNDS: return out_of_bounds(machine, state);
    default:
        machine->trap = state->trap;
        return divided_by_zero(machine);
    }
}

tirb_status tirbi_lane_run_general(tirbi_machine *machine, const tirbi_lane_loop *loop, bool is_charged) {
    tirbi_frame *frame = machine->frame;
    uint64_t *slots = tirbi_frame_slots(frame);
    entry e;
    e.machine = machine;
    e.loop = loop;
    e.slots = slots;
    e.refs = tirbi_frame_refs(frame);
    e.n = (int64_t)slots[loop->n];
    e.dimensions = 1u + loop->n_inner + (loop->n_seeks > 0);
    for (unsigned k = 0; k < loop->n_inner; k++) e.extent[k] = (int64_t)slots[loop->inner[k].extent];
    const int64_t all = e.n;
    if (!loop->finds && !is_charged) TIRBI_TRY(tirbi_charge(machine, tirbi_lane_cost(loop, e.extent, all)));
    for (unsigned o = 0; o < loop->n_outer; o++)
        if (e.extent[loop->outer[o]] < 1) return TIRB_OK;
    const tirbi_lane_inputs *inputs = tirbi_lane_inputs_of(machine, loop);
    tirbi_lane_state *state = NULL;
    bool is_noted = false;
    if (inputs->are_kept && loop->n_copies == 0) {
        TIRBI_TRY(tirbi_lane_take_state(machine, inputs, &state));
        is_noted = tirbi_lane_note_inputs(tirbi_lane_again_of(state), loop, inputs, slots, e.refs);
    }
    TIRBI_TRY(check_bounds(&e));
    e.repeats = !loop->reduces;
    e.in_order = false;
    TIRBI_TRY(check_overlap(&e));
    if (loop->finds) e.n = lanes_to_search(&e);
    if (e.n < 1) return end_find(&e, all, 0);
    tirbi_lane_clear_indices(loop, slots);
    if (loop->n_seeks == 0 && !e.in_order && tirbi_lane_copy_fits(loop, e.reaches))
        return tirbi_lane_copy_run(machine, loop, e.reaches, slots, e.repeats);
    if (loop->n_seeks > 0 && tirbi_lane_list_fits(loop, e.reaches)) return copy_list(&e);
    /* Here, before what only some instruction sets do without it: a call's memory is the same on all of them. */
    if (!state) {
        TIRBI_TRY(tirbi_lane_take_state(machine, inputs, &state));
        tirbi_lane_again_of(state)->loop = NULL;
        machine->n_entered = TIRBI_REPEATED_LOOPS + 1; /* the state may be another loop's */
    }
    const bool goes_by_row = loop->n_seeks > 0 || (!e.in_order && loop->n_outer > 0 &&
                                                   !rows_follow(&e, loop->outer[loop->n_outer - 1]) &&
                                                   tirbi_lane_is_row_short(loop, machine, e.n, e.repeats));
    if (goes_by_row && tirbi_lane_row_stream_fits(loop, inputs->bodies.rows, e.reaches))
        return stream_list(&e, inputs->bodies.rows);
    set_pointers(&e, state);
    set_inner_loops(&e, state, slots);
    set_outer_loops(&e, state);
    e.machinery = tirbi_lane_choose_banks(loop, machine->code->lanes, e.n, e.repeats, &e.lanes);
    pack_rows(&e, state);
    choose_rows(&e, state);
    if (e.machinery->rows > 1) set_row_pointers(&e, state);
    if (state->n_outer > 0) {
        unsigned k = state->outer[state->n_outer - 1];
        state->inner[k].extent = state->inner[k].left = (e.extent[k] - 1) / rows_at_once(&e, state) + 1;
    }
    set_moves(&e, state);
    set_row_steps(&e, state);
    set_sought(&e, state);
    tirbi_lane_gaps_of(state)->period = 0;
    state->n_cursors = loop->n_cursors;
    state->repeats = e.repeats;
    state->n = e.n;
    state->lanes = e.lanes;
    set_streams(&e, state, frame->fn->words);
    begin_scans(loop, state, slots);
    if (loop->n_tiles > 0) set_tiles(&e, state);
    tirbi_lane_end how;
    if (!tirbi_lane_writes_much(loop, e.refs) || !streamed(&e, state, slots, &how)) {
        if (is_noted) tirbi_lane_note_starts(tirbi_lane_again_of(state), state, loop, e.machinery);
        how = tirbi_lane_go(machine, loop, inputs, e.machinery, slots);
    }
    if (loop->finds && (how == TIRBI_LANE_DONE || how == TIRBI_LANE_BOUNDS))
        return end_find(&e, all, how == TIRBI_LANE_DONE ? e.n : state->ended);
    return tirbi_lane_end_run(machine, loop, how);
}
