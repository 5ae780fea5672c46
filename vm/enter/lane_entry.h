/* What entering a lane loop decides, whether it is plain or not. */
#ifndef TIRB_VM_ENTER_LANE_ENTRY_H
#define TIRB_VM_ENTER_LANE_ENTRY_H

#include "loader/base/error.h"
#include "vm/lanes/gaps.h"
#include "vm/machine/machine.h"

/* n % lanes and n / lanes, without a long division where that can be: n > 0. */
static inline int64_t tirbi_lane_rest(int64_t n, uint32_t lanes) {
    if (n < (int64_t)lanes) return n;
    if ((lanes & (lanes - 1)) == 0) return n & (int64_t)(lanes - 1);
    return n <= UINT32_MAX ? (int64_t)((uint32_t)n % lanes) : n % (int64_t)lanes;
}
static inline int64_t tirbi_lane_blocks(int64_t n, uint32_t lanes) {
    if (n < (int64_t)lanes) return 0;
    if ((lanes & (lanes - 1)) == 0) return n >> __builtin_ctz(lanes);
    return n <= UINT32_MAX ? (int64_t)((uint32_t)n / lanes) : n / (int64_t)lanes;
}

/* About how long a row takes: an instruction is as long as two registers and one for each of its bank, and a block that
 * is not whole takes copies. */
static inline int64_t tirbi_lane_row_cost(int64_t n, uint32_t lanes, int64_t registers, bool repeats) {
    bool odd = tirbi_lane_rest(n, lanes) != 0, parts = n < (int64_t)lanes || (!repeats && odd);
    return (tirbi_lane_blocks(n, lanes) + odd) * (2 + registers) + parts;
}

/* Whether a loop is one from memory to memory, whose n lanes are few enough to go through without a look at whether to
 * stop, and enough for a vector. */
static inline bool tirbi_lane_goes_at_once(const tirbi_lane_loop *loop, int64_t n) {
    enum { BLOCKS = 16, PART = 8 };
    return loop->one_row != loop->full && n <= BLOCKS * (int64_t)loop->lanes && n >= (int64_t)loop->lanes / PART;
}

/* The same by a machine, of which the jumps count: rows that are a small part of a block are copied the longest, for
 * more of them have no whole block behind them in memory. */
static inline int64_t tirbi_lane_row_cost_on(const tirbi_lane_machine *machine, int64_t n, uint32_t lanes,
                                             bool repeats) {
    const bool odd = tirbi_lane_rest(n, lanes) != 0, parts = n < (int64_t)lanes || (!repeats && odd);
    const int64_t registers = (int64_t)machine->jump + machine->registers;
    const int64_t part = 2 * n > (int64_t)lanes ? 1 : (int64_t)machine->jump - 1;
    return (tirbi_lane_blocks(n, lanes) + odd) * registers + (parts ? part : 0);
}

/* Short rows go through narrower banks, where there are any: more instructions, and fewer registers that are computed
 * in vain. Kernels have blocks of their own, which are no smaller. */
static inline const tirbi_lane_machine *tirbi_lane_choose_banks(const tirbi_lane_loop *loop,
                                                                const tirbi_lane_machine *wide, int64_t n, bool repeats,
                                                                uint32_t *lanes) {
    const tirbi_lane_machine *chosen = wide;
    const bool by_loop = loop->one_row != loop->full; /* from memory to memory, parts of blocks included */
    *lanes = loop->lanes;
    if (n >= (by_loop ? 1 : 4) * (int64_t)loop->lanes) return chosen;
    if (n <= (int64_t)loop->least_lanes) { /* no other has fewer registers */
        *lanes = loop->least_lanes;
        return loop->least;
    }
    if (!loop->in_short) return chosen;
    int64_t least = tirbi_lane_row_cost_on(wide, n, loop->lanes, repeats);
    for (const tirbi_lane_machine *m = wide->narrow; m; m = m->narrow) {
        uint32_t fewer = m->bank_bytes >> __builtin_ctz(loop->main_size);
        int64_t cost = tirbi_lane_row_cost_on(m, n, fewer, repeats);
        if (cost >= least) continue;
        least = cost;
        chosen = m;
        *lanes = fewer;
    }
    return chosen;
}

/* Where rows are short, the time of an instruction is that of finding it: then several of the `extent` rows, which may
 * be gone through together and the last ones twice, are better done at once. */
static inline void tirbi_lane_choose_rows(const tirbi_lane_loop *loop, const tirbi_lane_machine *wide, int64_t n,
                                          int64_t extent, const tirbi_lane_machine **machinery, uint32_t *lanes) {
    int64_t least;
    if (n >= 2 * (int64_t)loop->lanes ||
        __builtin_mul_overflow(tirbi_lane_row_cost(n, *lanes, (*machinery)->registers, true), extent, &least))
        return;
    for (const tirbi_lane_machine *m = wide->more_rows; m; m = m->more_rows) {
        const uint32_t fewer = loop->lanes / m->rows;
        const int64_t cost = tirbi_lane_row_cost(n, fewer, m->registers, true) * ((extent - 1) / m->rows + 1);
        if (cost >= least) continue;
        least = cost;
        *machinery = m;
        *lanes = fewer;
    }
}

/* Whether rows are so short that a loop from memory to memory does each of them sooner than blocks go from row to
 * row. Machines for several rows at once are faster where these may be computed together. */
static inline bool tirbi_lane_is_row_short(const tirbi_lane_loop *loop, const tirbi_machine *machine, int64_t n,
                                           bool repeats) {
    return n < 4 * (int64_t)loop->lanes && !(repeats && loop->by_rows && machine->code->lanes->more_rows);
}

/* The word before a packed body: how many instructions compute in banks and by kernels, how many load, and of these,
 * how many load elements that are apart. */
enum { TIRBI_PACKED_IN_BANKS, TIRBI_PACKED_BY_KERNELS, TIRBI_PACKED_LOADS, TIRBI_PACKED_STEPS };

/* About how long it takes to pack a row of so many bytes: longer than its share where several are moved at once. */
static inline int64_t tirbi_lane_packing_cost(int64_t bytes, bool has_words) {
    const bool is_even = (bytes & (bytes - 1)) == 0;
    if (is_even && bytes <= 8) return 1;
    return !has_words ? 4 + bytes / 32 : is_even && bytes <= 32 ? 2 : 3 + bytes / 32;
}

/* Whether rows of n lanes take longer one by one, or by the groups of `apart`, than packed, each with its share of a
 * block: as above, where a kernel's call is as long as eight registers, and what copies elements is as long, or three
 * times that where a machine has no words for it, and a row of them some more; and going on from one group to the next
 * is as long as several instructions. Elements that are apart are read to banks in twice an instruction's time, copied
 * where there is no such word, and take as long again as others to pack without it. */
static inline bool tirbi_lane_is_worth_packing(const tirbi_lane_loop *loop, const tirbi_word *work, int64_t n,
                                               int64_t in_block, const tirbi_lane_machine *apart, uint32_t lanes,
                                               const tirbi_lane_machine *packed) {
    enum { CALL = 8, GROUP = 40 };
    const bool has_words = (packed->features & TIRBI_LANE_HAS_STEPS) != 0;
    const int64_t in_banks = work->list[TIRBI_PACKED_IN_BANKS], by_kernels = work->list[TIRBI_PACKED_BY_KERNELS];
    const int64_t loads = work->list[TIRBI_PACKED_LOADS], steps = work->list[TIRBI_PACKED_STEPS];
    const int64_t row = tirbi_lane_packing_cost(n * (loop->main_size ? loop->main_size : 4), has_words);
    const int64_t in_row = tirbi_lane_row_cost(n, lanes, apart->registers, true);
    const int64_t copy = has_words ? CALL : 3 * CALL, copies = has_words ? loads : loads + steps;
    const int64_t apart_load = loop->picks && n >= (int64_t)lanes ? 2 * in_row : copy + (has_words ? row : 0);
    const int64_t group = in_banks * in_row + by_kernels * CALL + steps * apart_load + (loop->by_rows ? GROUP : 0);
    const int64_t block = in_banks * (2 + packed->registers) + by_kernels * CALL + loads * copy;
    return group * in_block > (block + in_block * copies * row) * (int64_t)apart->rows;
}

/* How many of `rows` short rows of n lanes, whose elements may be packed, are in a block of *lanes, of the smallest
 * machine with room for them; 0: they are no short rows, or few, and go as they are through *machinery. */
static inline uint32_t tirbi_lane_choose_packing(const tirbi_lane_loop *loop, const tirbi_word *words,
                                                 const tirbi_lane_machine *wide, int64_t n, int64_t rows,
                                                 const tirbi_lane_machine **machinery, uint32_t *lanes) {
    if (loop->packed == 0 || rows < 2 || n > (int64_t)loop->lanes / 2) return 0;
    const int64_t most = (int64_t)loop->lanes / n, blocks = (rows - 1) / most + 1, in_block = (rows - 1) / blocks + 1;
    const tirbi_lane_machine *packed = wide;
    uint32_t room = loop->lanes;
    for (const tirbi_lane_machine *m = wide->narrow; loop->in_short && m; m = m->narrow) {
        const uint32_t fewer = m->bank_bytes >> __builtin_ctz(loop->main_size);
        if (in_block * n > (int64_t)fewer) break;
        packed = m;
        room = fewer;
    }
    const tirbi_lane_machine *apart = *machinery;
    uint32_t apart_lanes = *lanes;
    if (loop->by_rows) tirbi_lane_choose_rows(loop, wide, n, rows, &apart, &apart_lanes);
    if (!tirbi_lane_is_worth_packing(loop, words + loop->packed - 1, n, in_block, apart, apart_lanes, packed)) return 0;
    *machinery = packed;
    *lanes = room;
    return (uint32_t)in_block;
}

/* Whether elements of two cursors that begin at `a` and `b` and go on by the same stride lie between each other, so
 * that none of them meet. */
static inline bool tirbi_lane_interleave(uintptr_t a, uint64_t a_size, uintptr_t b, uint64_t b_size, uint64_t stride) {
    if (stride < a_size + b_size) return false;
    const uint64_t behind = b >= a ? (uint64_t)(b - a) % stride : stride - 1 - (uint64_t)(a - b - 1) % stride;
    return behind >= a_size && behind <= stride - b_size;
}

/* Whether lanes of cursors that begin at different elements, and go on by the same stride, come to the same ones in the
 * order in which the body uses them. */
static inline bool tirbi_lane_meet_forwards(const tirbi_lane_loop *loop, unsigned a, uintptr_t a_start, unsigned b,
                                            uintptr_t b_start, ptrdiff_t stride) {
    const bool a_is_first = (a_start > b_start) == (stride > 0);
    return loop->cursors[a_is_first ? a : b].before >> (a_is_first ? b : a) & 1;
}

/* Rows of fewer bytes are stored through the caches. */
enum { TIRBI_STREAM_ROW = 2048 };

/* Scratch for copies of rows that all rows of a loop read: see repeat_rows in vm/enter/lane_rows.c. */
enum { TIRBI_REPEATED_BYTES = 1 << 14 };
static inline bool tirbi_lane_may_repeat_rows(const tirbi_lane_loop *loop) {
    bool some = false;
    for (unsigned c = 0; c < loop->n_cursors; c++)
        some = some || (loop->cursors[c].is_unit && !(loop->cursors[c].access & TIRBI_WRITE));
    return some && loop->n_outer > 0 && !loop->reduces && loop->n_scans == 0;
}

/* Whether a loop writes to far more memory than the caches hold. */
static inline bool tirbi_lane_writes_much(const tirbi_lane_loop *loop, const tirbi_ref *refs) {
    for (unsigned c = 0; c < loop->n_cursors; c++)
        if ((loop->cursors[c].access & TIRBI_WRITE) && tirbi_ref_is_much(&refs[loop->cursors[c].ref])) return true;
    return false;
}

/* Runs a lane loop in the frame on top. */
tirb_status tirbi_lane_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs);

/* Whether a loop may be entered in the plain way, when what is around its lanes is joined with them. */
bool tirbi_lane_is_plain(const tirbi_lane_loop *loop);

/* Whether a loop copies or fills one row of elements, or does so where what is around its lanes is joined with them. */
bool tirbi_lane_is_row_copy(const tirbi_lane_loop *loop);
bool tirbi_lane_may_be_row_copy(const tirbi_lane_loop *loop);
/* Copies or fills a row of some elements; what is no row of elements apart, or a long one, goes the general way. */
tirb_status tirbi_lane_copy_row(tirbi_machine *machine, const tirbi_lane_loop *loop);

/* Makes one loop of the lanes and of the loops around them, whose extents are positive, where the rows of each follow
 * each other in all cursors; *n: its lanes. */
static inline bool tirbi_lane_join_rows(const tirbi_lane_loop *loop, const int64_t *extent, const uint64_t *slots,
                                        int64_t *n) {
    for (unsigned o = loop->n_outer; o-- > 0;) {
        const unsigned k = loop->outer[o];
        if (extent[k] == 1) continue;
        for (uint32_t c = 0; c < loop->n_cursors; c++) {
            int64_t row;
            if (__builtin_mul_overflow((int64_t)slots[loop->cursors[c].step], *n, &row) ||
                row != (int64_t)slots[loop->cursors[c].steps[k]])
                return false;
        }
        if (__builtin_mul_overflow(*n, extent[k], n)) return false;
    }
    return true;
}

/* Whether a loop may be entered for few lanes at once, and runs one so whose state is machine->lanes, which is no
 * entry's to repeat from then on. False: nothing was done, for there are many lanes, or the general way is to tell. */
bool tirbi_lane_may_be_brief(const tirbi_lane_loop *loop);
bool tirbi_lane_run_brief(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs,
                          tirb_status *status);

/* Enters a plain loop whose rows are not one loop; all extents are positive, and machine->lanes is its state. NULL: as
 * above, or the rows are already done. */
const tirbi_lane_machine *tirbi_lane_enter_rows(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                                const tirbi_lane_inputs *inputs, const int64_t *extent, bool *done,
                                                tirb_status *status);

/* Sets the pointers of as many of the `extent` rows as a machine goes through at once; row_steps, the bytes from row to
 * row by cursor. */
void tirbi_lane_set_row_pointers(const tirbi_lane_loop *loop, const tirbi_lane_machine *machinery, int64_t extent,
                                 const uint64_t *row_steps, tirbi_lane_state *state);

/* ---- What the plain way and the general one share ------------------------------------------------------------- */

/* All states of a machine have the same scratch. Before it lies which of them used it last. */
enum { TIRBI_SCRATCH_HEAD = 64 };
static inline const tirbi_lane_state **tirbi_lane_scratch_user(uint8_t *scratch) {
    return (const tirbi_lane_state **)(void *)(scratch - TIRBI_SCRATCH_HEAD);
}

/* Sets machine->lane_states, for what the run needs. */
tirb_status tirbi_lane_make_states(tirbi_machine *machine);
/* The size of the states of loops of so many pointers. */
void tirbi_lane_size_states(tirbi_lane_needs *needs);

/* Of a loop of the frame on top. */
static inline const tirbi_lane_inputs *tirbi_lane_inputs_of(const tirbi_machine *machine, const tirbi_lane_loop *loop) {
    const tirbi_fn *fn = machine->frame->fn;
    return &fn->loop_inputs[loop - fn->loops];
}

/* A loop's state among those of a machine. */
static inline tirbi_lane_state *tirbi_lane_state_at(const tirbi_lane_needs *needs, uint8_t *states,
                                                    const tirbi_lane_inputs *inputs) {
    return (tirbi_lane_state *)(void *)(states + inputs->place * needs->state_size);
}

/* The fuel for n > 0 lanes. */
uint64_t tirbi_lane_cost(const tirbi_lane_loop *loop, const int64_t *extent, int64_t n);
/* Runs any loop of some lanes. `is_charged`: the entry's fuel is paid. */
tirb_status tirbi_lane_run_general(tirbi_machine *machine, const tirbi_lane_loop *loop, bool is_charged);
/* Ends a run that has not found anything. */
tirb_status tirbi_lane_end_run(tirbi_machine *machine, const tirbi_lane_loop *loop, tirbi_lane_end how);
/* Sets the registers that the loops inside count in to 0. */
void tirbi_lane_clear_indices(const tirbi_lane_loop *loop, uint64_t *slots);
/* What the last run of a loop, which is entered again, has changed but for pointers. */
void tirbi_lane_renew(tirbi_machine *machine, const tirbi_lane_loop *loop, uint64_t *slots);

static inline void tirbi_lane_begin(tirbi_machine *machine, const tirbi_lane_loop *loop, uint64_t *slots) {
    tirbi_lane_state *state = machine->lanes;
    *tirbi_lane_scratch_user(state->scratch) = state;
    state->is_far = false;
    state->calm_blocks = loop->calm_blocks;
    state->stop = machine->stop;
    state->reds = tirbi_frame_reds(machine->frame);
    state->slots = slots;
    state->moves = &machine->code->kernels->moves;
    state->trap = NULL;
    state->fuel = machine->fuel_limit == UINT64_MAX ? UINT64_MAX : machine->fuel;
    state->spent = 0;
}

/* Does all lanes of a row by its loop from memory to memory, the STREAM that its body begins with. */
void tirbi_lane_stream_row(const tirbi_lane_state *state, const tirbi_word *stream);

/* The same by several loops, behind one word. */
static inline void tirbi_lane_run_short(const tirbi_lane_state *state, const tirbi_word *loops, size_t n) {
    uint8_t *const *pointers = state->pointers;
    for (const tirbi_word *loop = loops + 1, *end = loops + loops->jump; loop < end; loop += 3) {
        const uint16_t *at = loop->list;
        loop[2].kernel(pointers[at[0]], pointers[at[1]], pointers[at[2]], pointers[at[3]], n);
    }
}

/* Whether that is all that is to be done, of a loop entered for whole blocks of the widest machine. No pointer
 * moves. */
static inline bool tirbi_lane_streams_at_once(const tirbi_lane_loop *loop, const tirbi_lane_state *state) {
    return state->n_outer == 0 && state->lanes == loop->lanes && tirbi_lane_goes_at_once(loop, state->n);
}

/* The state's pointers and steps are set: goes through the lanes. */
static inline tirbi_lane_end tirbi_lane_go(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                           const tirbi_lane_inputs *inputs, const tirbi_lane_machine *machinery,
                                           uint64_t *slots) {
    const tirbi_word *words = machine->frame->fn->words;
    const tirbi_lane_bodies *bodies = &inputs->bodies;
    tirbi_lane_state *state = machine->lanes;
    const tirbi_lane_gaps *gaps = tirbi_lane_gaps_of(state);
    if (tirbi_lane_streams_at_once(loop, state)) {
        state->spent = 0;
        tirbi_lane_stream_row(state, words + loop->one_row);
        return TIRBI_LANE_DONE;
    }
    tirbi_lane_begin(machine, loop, slots);
    if (gaps->period > 0) {
        const uint32_t body = gaps->apart && bodies->spanning_apart ? bodies->spanning_apart : bodies->spanning;
        return machinery->run(state, words + body, words + body);
    }
    if (state->packed_rows > 0) return machinery->run(state, words + loop->packed, words + loop->packed);
    /* Loops from memory to memory are for whole blocks of the widest machine. */
    uint32_t body = machinery == machine->code->lanes ? loop->one_row : loop->full;
    if (bodies->apart != 0 && state->repeats) {
        body = bodies->apart;
        if (bodies->wide_apart != 0 && state->wide != NULL) state->wide = words + bodies->wide_apart;
    }
    if (bodies->registers != 0 && machinery == machine->code->lanes && state->n >= bodies->registers_from &&
        (state->repeats || !bodies->reads_behind_stores))
        body = bodies->registers;
    return machinery->run(state, words + body, words + loop->tail);
}

#endif
