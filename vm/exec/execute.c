/* Runs: frames, handles, allocations, and the entry from outside. */
#include "vm/exec/execute.h"

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/enter/lane_again.h"
#include "vm/enter/lane_copy.h"
#include "vm/exec/dispatch.h"
#include "vm/limits/steps.h"

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 18, DATA_ALIGNMENT = 64 };
enum { CHUNK_HEAD = (sizeof(tirbi_chunk) + 15) / 16 * 16 };

/* ---- Limits --------------------------------------------------------------------------------------------------- */

static tirb_status out_of_memory(const tirbi_machine *machine, uint64_t bytes, const char *what) {
    TIRBI_TRY(tirbi_poll(machine)); /* which may be why there is none */
    tirb_status status = tirbi_heap_status(machine->heap);
    if (status == TIRB_MEMORY_LIMIT)
        return tirbi_error_set(machine->error, status, "%llu bytes for %s are over the memory limit of %llu bytes",
                               (unsigned long long)bytes, what, (unsigned long long)machine->heap->budget);
    return tirbi_error_set(machine->error, status, "no memory for %llu bytes of %s", (unsigned long long)bytes, what);
}

uint64_t tirbi_result_bytes(const int64_t *extents, uint32_t n, uint64_t item) {
    uint64_t bytes = item;
    bool fits = true, is_empty = false;
    for (uint32_t i = 0; i < n; i++) {
        if (extents[i] < 0) return UINT64_MAX;
        is_empty |= extents[i] == 0;
        fits = fits && tirbi_mul_u64(bytes, (uint64_t)extents[i], &bytes);
    }
    return is_empty ? 0 : fits ? bytes : UINT64_MAX;
}

/* ---- Frames --------------------------------------------------------------------------------------------------- */

static void free_chunk(const tirbi_machine *machine, tirbi_chunk *chunk) {
    if (chunk->is_spare)
        tirbi_spare_leave(machine->spares, TIRBI_SPARE_FRAMES, machine->heap, chunk->block.total);
    else
        tirbi_block_leave(machine->spares, machine->heap, &chunk->block);
}

static void push_chunk(tirbi_machine *machine, tirbi_chunk *chunk) {
    chunk->block.older = machine->chunk ? &machine->chunk->block : NULL;
    machine->chunk = chunk;
    if (chunk->is_spare) return;
    if (!machine->second) machine->second = chunk;
    machine->chunks_size += chunk->block.total;
}

static tirb_status new_chunk(tirbi_machine *machine, size_t frame_size) {
    size_t need = CHUNK_HEAD + frame_size;
    tirbi_chunk *chunk = machine->spare;
    machine->spare = NULL;
    if (chunk && chunk->block.total >= need) {
        push_chunk(machine, chunk);
        return TIRB_OK;
    }
    if (chunk) free_chunk(machine, chunk);
    const bool first = !machine->chunk;
    size_t size = first ? FIRST_CHUNK : machine->chunk->block.total * 2;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    if (size < need) size = need;
    chunk = first ? tirbi_spare_take(machine->spares, TIRBI_SPARE_FRAMES, machine->heap, size)
                  : (void *)tirbi_block_take(machine->spares, machine->heap, size);
    if (!chunk) return out_of_memory(machine, size, "frames");
    *chunk = (tirbi_chunk){.block.total = size, .used = CHUNK_HEAD, .is_spare = first};
    push_chunk(machine, chunk);
    return TIRB_OK;
}

/* The chunk below, if there is one. A chunk begins with its block. */
static tirbi_chunk *below(const tirbi_chunk *chunk) { return (void *)chunk->block.older; }

static void drop_chunk(tirbi_machine *machine) {
    tirbi_chunk *empty = machine->chunk;
    machine->chunk = below(empty);
    if (machine->second == empty) machine->second = NULL;
    if (!empty->is_spare) machine->chunks_size -= empty->block.total;
    if (machine->spare) free_chunk(machine, machine->spare);
    machine->spare = empty;
}

/* Clears in steps, so that a stop is seen in time. */
static tirb_status clear(const tirbi_machine *machine, uint8_t *data, uint64_t bytes) {
    return tirbi_clear_in_steps(data, bytes, machine->stop) ? TIRB_OK : tirbi_poll(machine);
}

/* Most frames are so small that calling memset takes longer than clearing them. Their size is a multiple of 16. */
static inline tirb_status clear_frame(const tirbi_machine *machine, uint8_t *frame, size_t size) {
    enum { SMALL = 512 };
    if (size > SMALL) return clear(machine, frame, size);
    uint8_t *const end = frame + size;
    for (; end - frame >= 64; frame += 64) {
        memset(frame, 0, 64);
        __asm__("" : "+r"(frame)); /* or compilers see a memset in the loop */
    }
    for (; frame < end; frame += 16) {
        memset(frame, 0, 16);
        __asm__("" : "+r"(frame));
    }
    return TIRB_OK;
}

tirb_status tirbi_machine_push(tirbi_machine *machine, const tirbi_fn *fn) {
    if (machine->depth >= machine->run->max_depth)
        return tirbi_error_set(machine->error, TIRB_DEPTH, "calls are nested more than %u deep",
                               (unsigned)machine->run->max_depth);
    if (!machine->chunk || machine->chunk->block.total - machine->chunk->used < fn->frame_size)
        TIRBI_TRY(new_chunk(machine, fn->frame_size));
    tirbi_chunk *chunk = machine->chunk;
    tirbi_frame *frame = (tirbi_frame *)(void *)((uint8_t *)chunk + chunk->used);
    TIRBI_TRY(clear_frame(machine, (uint8_t *)frame, fn->frame_size));
    chunk->used += fn->frame_size;
    frame->caller = machine->frame;
    frame->fn = fn;
    uint64_t *constants = tirbi_frame_slots(frame) + fn->function->n_sregs;
    for (uint32_t i = 0; i < fn->n_constants; i++) constants[i] = fn->constants[i]; /* at most 2^16 */
    frame->n_handles = machine->n_handles;
    machine->frame = frame;
    machine->depth++;
    return TIRB_OK;
}

void tirbi_machine_pop(tirbi_machine *machine) {
    tirbi_frame *frame = machine->frame;
    if (frame->first_block) {
        tirbi_block *newest = machine->blocks;
        machine->blocks = frame->first_block->older;
        machine->blocks_total -= frame->blocks_size;
        tirbi_blocks_leave(machine->spares, machine->heap, newest, frame->first_block, frame->blocks_size);
    }
    machine->n_handles = frame->n_handles;
    machine->chunk->used -= frame->fn->frame_size;
    machine->frame = frame->caller;
    machine->depth--;
    if (machine->chunk->used <= CHUNK_HEAD) drop_chunk(machine);
}

/* However many frames there are, and blocks that they have taken: a run that was stopped ends at once. */
void tirbi_machine_release(tirbi_machine *machine) {
    tirbi_spares *const spares = machine->spares;
    tirbi_machine_settle(machine);
    if (machine->blocks)
        tirbi_blocks_leave(spares, machine->heap, machine->blocks, machine->first_block, machine->blocks_total);
    tirbi_chunk *lowest = machine->second ? below(machine->second) : machine->chunk;
    if (machine->second)
        tirbi_blocks_leave(spares, machine->heap, &machine->chunk->block, &machine->second->block,
                           machine->chunks_size);
    if (lowest) free_chunk(machine, lowest);
    if (machine->spare) free_chunk(machine, machine->spare);
    if (machine->lane_states) tirbi_spare_leave(spares, TIRBI_SPARE_LANES, machine->heap, machine->lane_states_size);
    tirbi_heap_discharge(machine->heap, machine->blocks_size);
    if (machine->contracts) tirbi_contract_forget(machine);
    if (machine->copies) tirbi_lane_copies_forget(machine);
    for (uint32_t i = 0; i < machine->n_handle_parts; i++)
        tirbi_block_leave(spares, machine->heap, machine->handles[i]);
}

/* ---- Handles -------------------------------------------------------------------------------------------------- */

/* The table belongs to the whole call, and what chunks do to it would depend on their order. */
static tirb_status no_handles_here(const tirbi_machine *machine) {
    if (machine->n_chunked == 0) return TIRB_OK;
    return tirbi_error_set(machine->error, TIRB_UNSUPPORTED, "handles cannot be used in a chunk of several");
}

static uint32_t handles_before(uint32_t part) { return TIRBI_FIRST_HANDLES * ((UINT32_C(1) << part) - 1); }

static tirbi_ref *handle_at(const tirbi_machine *machine, uint32_t entry) {
    const uint32_t part = 31 - (uint32_t)__builtin_clz(entry / TIRBI_FIRST_HANDLES + 1);
    return (tirbi_ref *)(void *)(machine->handles[part] + 1) + (entry - handles_before(part));
}

/* Room for `n` handles in all. */
static tirb_status need_handles(tirbi_machine *machine, uint64_t n) {
    while (n > handles_before(machine->n_handle_parts)) {
        const uint64_t bytes = (uint64_t)TIRBI_FIRST_HANDLES * sizeof(tirbi_ref) << machine->n_handle_parts;
        const uint64_t total = sizeof(tirbi_block) + bytes;
        const bool is_last = machine->n_handle_parts == TIRBI_HANDLE_PARTS || total > SIZE_MAX;
        tirbi_block *part = is_last ? NULL : tirbi_block_take(machine->spares, machine->heap, (size_t)total);
        if (!part) return out_of_memory(machine, total, "handles");
        part->total = (size_t)total;
        machine->handles[machine->n_handle_parts++] = part;
    }
    return TIRB_OK;
}

tirb_status tirbi_handle_get(const tirbi_machine *machine, uint64_t handle, const tirbi_ref_type *type,
                             tirbi_ref *out) {
    TIRBI_TRY(no_handles_here(machine));
    uint64_t entry = handle - TIRBI_HANDLE_TAG - 1;
    tirbi_ref ref = {0};
    if (entry < machine->n_handles) ref = *handle_at(machine, (uint32_t)entry);
    if (ref.data && type->writable && !ref.writable) {
        return tirbi_error_set(machine->error, TIRB_ARGUMENT,
                               "the program writes an argument that is read-only or overlaps another one");
    }
    ref.type = type->dtype;
    ref.count = tirbi_ref_count(ref.size, ref.type);
    ref.writable = type->writable;
    *out = ref;
    return TIRB_OK;
}

tirb_status tirbi_handle_put(tirbi_machine *machine, const tirbi_ref *ref, uint64_t *out) {
    TIRBI_TRY(no_handles_here(machine));
    *out = 0;
    if (!ref->data) return TIRB_OK;
    TIRBI_TRY(need_handles(machine, (uint64_t)machine->n_handles + 1));
    *handle_at(machine, machine->n_handles++) = *ref;
    *out = TIRBI_HANDLE_TAG + machine->n_handles;
    return TIRB_OK;
}

static tirb_status take_handles(tirbi_machine *machine, const tirbi_run *run) {
    TIRBI_TRY(need_handles(machine, run->n_handles));
    for (uint32_t i = 0; i < run->n_handles; i++) *handle_at(machine, i) = run->handles[i];
    machine->n_handles = run->n_handles;
    return TIRB_OK;
}

/* ---- Allocations and slices ----------------------------------------------------------------------------------- */

static tirb_status grow_site(tirbi_machine *machine, tirbi_block **site, uint64_t bytes) {
    uint64_t capacity = bytes;
    if (*site && (*site)->capacity <= UINT64_MAX / 2 && capacity < (*site)->capacity * 2)
        capacity = (*site)->capacity * 2;
    uint64_t total;
    if (!tirbi_add_u64(capacity, sizeof(tirbi_block) + DATA_ALIGNMENT, &total) || total > SIZE_MAX)
        return tirbi_error_set(machine->error, TIRB_MEMORY_LIMIT, "%llu bytes cannot be allocated",
                               (unsigned long long)bytes);
    tirbi_block *block = tirbi_block_take(machine->spares, machine->heap, (size_t)total);
    if (!block) return out_of_memory(machine, total, "an allocated buffer");
    uintptr_t data = (uintptr_t)(block + 1);
    *block = (tirbi_block){.older = machine->blocks,
                           .capacity = capacity,
                           .total = (size_t)total,
                           .data = (uint8_t *)(block + 1) + (DATA_ALIGNMENT - data % DATA_ALIGNMENT) % DATA_ALIGNMENT};
    *site = block;
    tirbi_frame *frame = machine->frame;
    if (!machine->blocks) machine->first_block = block;
    if (!frame->first_block) frame->first_block = block;
    machine->blocks = block;
    machine->blocks_total += (size_t)total;
    frame->blocks_size += (size_t)total;
    return TIRB_OK;
}

tirb_status tirbi_site_alloc(tirbi_machine *machine, tirbi_block **site, int64_t count, uint8_t type, tirbi_ref *out) {
    if (count < 0)
        return tirbi_error_set(machine->error, TIRB_VALUE, "a buffer of %lld elements cannot be allocated",
                               (long long)count);
    uint64_t bytes;
    if (!tirbi_mul_u64((uint64_t)count, tirbi_dtypes[type].size, &bytes))
        return tirbi_error_set(machine->error, TIRB_MEMORY_LIMIT, "%lld elements of %u bytes cannot be allocated",
                               (long long)count, (unsigned)tirbi_dtypes[type].size);
    if (!*site || (*site)->capacity < bytes) TIRBI_TRY(grow_site(machine, site, bytes));
    *out = (tirbi_ref){.data = (*site)->data, .size = bytes, .type = type, .writable = true,
                        .count = (uint64_t)count};
    return clear(machine, out->data, bytes);
}

tirb_status tirbi_make_slice(const tirbi_word *pc, const uint64_t *slots, tirbi_ref *refs, tirb_error *error) {
    const tirbi_ref from = refs[pc->b];
    uint8_t type = (uint8_t)pc[1].list[1];
    uint64_t size = tirbi_dtypes[type].size;
    uint64_t length = from.size / size;
    int64_t start = (int64_t)slots[pc->c];
    int64_t count = (int64_t)slots[pc[1].list[0]];
    if (start < 0 || count < 0 || !tirbi_in_range((uint64_t)start, (uint64_t)count, length))
        return tirbi_error_set(error, TIRB_BOUNDS, "a slice of %lld elements from %lld on is outside of %llu elements",
                               (long long)count, (long long)start, (unsigned long long)length);
    refs[pc->a] = (tirbi_ref){.data = count == 0 ? from.data : from.data + (uint64_t)start * size,
                              .size = (uint64_t)count * size,
                              .type = type,
                              .writable = from.writable,
                              .count = (uint64_t)count};
    return TIRB_OK;
}

/* ---- Entry ---------------------------------------------------------------------------------------------------- */

static void pass_arguments(tirbi_frame *frame, const tirbi_fn *fn, const uint64_t *scalars, const tirbi_ref *refs) {
    uint64_t *slots = tirbi_frame_slots(frame);
    tirbi_ref *registers = (tirbi_ref *)(void *)((uint8_t *)frame + fn->refs_at);
    for (uint32_t i = 0, n = fn->n_scalar_args; i < n; i++) slots[fn->scalar_args[i]] = scalars[i];
    for (uint32_t i = 0, n = fn->n_ref_args; i < n; i++) tirbi_pass_ref(registers, &fn->ref_args[i], &refs[i]);
}

/* Field by field: clearing the whole struct first takes longer than a small function runs. */
void tirbi_machine_begin(tirbi_machine *m, tirbi_run *run, tirbi_heap *heap, tirbi_spares *spares,
                         const atomic_uint *stop, uint64_t fuel, tirb_error *error) {
    m->run = run;
    m->code = run->code;
    m->needs = &run->needs;
    m->heap = heap;
    m->spares = spares;
    m->chunk = m->second = m->spare = NULL;
    m->chunks_size = m->blocks_total = 0;
    m->frame = NULL;
    m->blocks = m->first_block = NULL;
    m->depth = 0;
    m->fuel = fuel;
    m->fuel_limit = run->fuel;
    m->lanes = NULL;
    m->lane_states = NULL;
    m->lane_states_size = m->blocks_size = 0;
    m->contracts = NULL;
    m->copies = NULL;
    m->result = 0;
    m->trap = NULL;
    m->error = error;
    m->stop = spares->stop = stop;
    m->own_chunk = m->n_chunked = 0;
    m->n_entered = 0;
    m->row_misses = m->row_waits = 0;
    m->streamed = false;
    m->place.known = false;
    m->n_handles = m->n_handle_parts = 0;
}

/* Whether spare memory of this kind still is where `at` leads. */
static bool is_spare(const tirbi_spares *spares, tirbi_spare_kind kind, const void *at) {
    const uintptr_t begin = (uintptr_t)spares->kept[kind].memory;
    return begin != 0 && (uintptr_t)at - begin < spares->kept[kind].size;
}

/* What the entry of a loop has charged, if it may be entered again: its state is left so, or it copies a row and has
 * none. Loops that charge as they go, and that leave something in registers, may do otherwise with other elements. */
static bool may_enter_again(const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs, const tirbi_lane_needs *needs,
                            const tirbi_repeat *left, const uint64_t *slots, uint64_t *cost) {
    *cost = tirbi_lane_is_row_copy(loop) ? tirbi_lane_cost(loop, NULL, (int64_t)slots[loop->n]) : 0;
    if (*cost > 0) return true;
    if (!inputs->are_kept || loop->finds || loop->reduces || loop->n_scans > 0 || loop->own_depth > 0) return false;
    const tirbi_lane_again *again = loop->n_copies > 0
                                        ? tirbi_lane_copies_again(left->copies, inputs)
                                        : tirbi_lane_again_of(tirbi_lane_state_at(needs, left->lane_states, inputs));
    *cost = again->cost;
    return again->loop == loop;
}

/* Notes a run that has ended well, and what it has left in its place. */
static void note_repeat(tirbi_run *run, uint32_t function, const tirbi_machine *machine) {
    const tirbi_fn *fn = &run->code->functions[function];
    tirbi_repeat *repeat = &run->repeats[run->place];
    const uint32_t n = machine->n_entered;
    const tirbi_spares *spares = run->store->spares;
    if (n > TIRBI_REPEATED_LOOPS || !is_spare(spares, TIRBI_SPARE_FRAMES, repeat->frame) ||
        (repeat->lane_states && !is_spare(spares, TIRBI_SPARE_LANES, repeat->lane_states)) ||
        (repeat->copies && !is_spare(spares, TIRBI_SPARE_COPIES, repeat->copies)))
        return;
    uint64_t fuel = run->fuel_used;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_lane_loop *loop = repeat->loops[i] = machine->entered[i];
        const tirbi_lane_inputs *inputs = &fn->loop_inputs[loop - fn->loops];
        uint64_t cost;
        if (!may_enter_again(loop, inputs, &run->needs, repeat, tirbi_frame_slots(repeat->frame), &cost) || cost > fuel)
            return;
        fuel -= cost;
    }
    repeat->function = function;
    repeat->drops = spares->drops;
    repeat->fuel = fuel;
    repeat->result = machine->result;
    repeat->peak = run->heap->peak;
    repeat->n_loops = n;
    repeat->known = true;
}

static tirb_status end_run(tirbi_run *run, const tirbi_machine *machine, uint32_t function, const tirbi_word *trap_pc,
                           tirb_status status, uint64_t *result) {
    if (status == TIRB_OK) {
        if (result) *result = machine->result;
    } else {
        tirbi_trap_place place = {.function = function};
        if (machine->frame) place = tirbi_trap_place_of(machine, status, trap_pc);
        run->trap_function = place.function;
        run->trap_offset = place.offset;
    }
    run->fuel_used = run->fuel - machine->fuel;
    tirbi_store_end_run(run->store, run->stop);
    return status;
}

tirb_status tirbi_execute(tirbi_run *run, uint32_t function, const uint64_t *scalars, const tirbi_ref *refs,
                          uint64_t *result, tirb_error *error) {
    tirbi_machine machine;
    tirbi_frame *frame = NULL;
    const tirbi_fn *fn = &run->code->functions[function];
    const tirbi_word *trap_pc = fn->words;
    tirbi_repeat *repeat = &run->repeats[run->place];
    repeat->known = false;
    run->needs = fn->needs;
    tirbi_machine_begin(&machine, run, run->heap, run->store->spares, run->stop, run->fuel, error);
    machine.host = run->host;
    tirbi_fpu_enter(run->host);
    tirb_status status = tirbi_charge(&machine, fn->cost);
    if (status == TIRB_OK) status = tirbi_poll(&machine);
    if (status == TIRB_OK) status = take_handles(&machine, run);
    if (status == TIRB_OK) status = tirbi_machine_push(&machine, fn);
    if (status == TIRB_OK) {
        frame = machine.frame;
        pass_arguments(frame, fn, scalars, refs);
        status = tirbi_dispatch(&machine, &trap_pc);
    }
    end_run(run, &machine, function, trap_pc, status, result);
    repeat->frame = frame;
    repeat->lane_states = machine.lane_states;
    repeat->copies = machine.copies;
    tirbi_machine_release(&machine);
    tirbi_fpu_leave(machine.host);
    if (status == TIRB_OK && fn->may_repeat) note_repeat(run, function, &machine);
    return status;
}

/* ---- Repetition ------------------------------------------------------------------------------------------------ */

tirb_status tirbi_execute_again(tirbi_run *run, uint64_t *result, tirb_error *error) {
    tirbi_repeat *repeat = &run->repeats[run->place];
    const tirbi_fn *fn = &run->code->functions[repeat->function];
    const tirbi_word *trap_pc = fn->words;
    tirbi_machine machine;
    run->needs = fn->needs;
    tirbi_machine_begin(&machine, run, run->heap, run->store->spares, run->stop, run->fuel, error);
    machine.host = run->host;
    machine.frame = repeat->frame;
    machine.result = repeat->result;
    run->heap->peak = repeat->peak;
    tirbi_fpu_enter(run->host);
    tirb_status status = tirbi_charge(&machine, repeat->fuel);
    if (status == TIRB_OK) status = tirbi_poll(&machine);
    /* Nothing else writes these registers; a loop before the one that counts in them may read them. */
    for (uint32_t i = 0; i < repeat->n_loops; i++)
        tirbi_lane_clear_indices(repeat->loops[i], tirbi_frame_slots(repeat->frame));
    for (uint32_t i = 0; i < repeat->n_loops && status == TIRB_OK; i++) {
        const tirbi_lane_loop *loop = repeat->loops[i];
        const tirbi_lane_inputs *inputs = &fn->loop_inputs[loop - fn->loops];
        trap_pc = fn->words + loop->entry;
        if ((status = tirbi_poll(&machine)) != TIRB_OK) break;
        if (!inputs->are_kept) {
            status = tirbi_lane_copy_row(&machine, loop);
        } else if (loop->n_copies > 0) {
            status = tirbi_lane_copies_run(&machine, repeat->copies, inputs);
        } else {
            machine.lanes = tirbi_lane_state_at(&run->needs, repeat->lane_states, inputs);
            status = tirbi_lane_run_again(&machine, loop, inputs);
        }
    }
    end_run(run, &machine, repeat->function, machine.trap ? machine.trap : trap_pc, status, result);
    if (status != TIRB_OK) repeat->known = false;
    tirbi_machine_settle(&machine);
    tirbi_fpu_leave(machine.host);
    return status;
}
