/* Forks: a region over chunks of iterations, in order on one machine or by the team.
 *
 * What can be told from outside does not depend on who runs which chunk. The chunks depend on the fork's operands
 * alone; parts keep what is written apart; every chunk has memory and fuel of its own; and of traps the lowest chunk's
 * counts: chunks before it always run to their end. */
#include <pthread.h>
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/exec/dispatch.h"
#include "vm/machine/fpu.h"

/* ---- Chunks --------------------------------------------------------------------------------------------------- */

static uint32_t chunk_count(int64_t n, int64_t grain) {
    int64_t chunks = n / (grain > 1 ? grain : 1);
    return chunks < 1 ? 1 : chunks < TIRBI_MAX_CHUNKS ? (uint32_t)chunks : TIRBI_MAX_CHUNKS;
}

/* n * i / chunks, rounded down, for i <= chunks. */
static int64_t chunk_begin(int64_t n, uint32_t chunks, uint32_t i) {
    return n / chunks * i + n % chunks * i / chunks;
}

/* ---- Parts ---------------------------------------------------------------------------------------------------- */

/* What an argument reaches over all iterations: bytes low up to high. Of a part also what its lowest iteration has, and
 * how far in bytes it is from there to the next iteration's; 0 where that is no number of bytes. */
typedef struct span {
    uintptr_t low, high;
    uint64_t first_size;
    uint64_t step;
    bool forwards, written;
} span;

static tirb_status bad_part(const tirbi_machine *machine, unsigned arg, int64_t extent, int64_t stride) {
    return tirbi_error_set(machine->error, TIRB_VALUE,
                           "argument %u of a fork: parts of %lld elements, %lld elements apart, overlap", arg,
                           (long long)extent, (long long)stride);
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static tirb_status measure(const tirbi_machine *machine, const tirbi_fork_arg *arg, unsigned number, int64_t n,
                           span *out) {
    const uint64_t *s = tirbi_frame_slots(machine->frame);
    const tirbi_ref *ref = &tirbi_frame_refs(machine->frame)[arg->ref];
    *out = (span){.low = (uintptr_t)ref->data, .high = (uintptr_t)ref->data + ref->size, .written = arg->written};
    if (!arg->partitioned) return TIRB_OK;
    int64_t base = (int64_t)s[arg->base], stride = (int64_t)s[arg->stride], extent = (int64_t)s[arg->extent];
    uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    if (extent < 0 || (arg->written && n > 1 && (uint64_t)extent > step))
        return bad_part(machine, number, extent, stride);
    int64_t way, last, end;
    bool fits = tirbi_mul_i64(n - 1, stride, &way) && tirbi_add_i64(base, way, &last) &&
                tirbi_add_i64(stride < 0 ? base : last, extent, &end);
    int64_t first = fits && stride < 0 ? last : base;
    if (!fits || first < 0)
        return tirbi_error_set(
            machine->error, TIRB_BOUNDS,
            "argument %u of a fork: parts from element %lld on, %lld elements apart, are outside of %llu "
            "elements",
            number, (long long)base, (long long)stride, (unsigned long long)(ref->size / tirbi_dtypes[ref->type].size));
    uint64_t size = tirbi_dtypes[ref->type].size, length = ref->size / size;
    out->low += least((uint64_t)first, length) * size;
    out->high = (uintptr_t)ref->data + least((uint64_t)end, length) * size;
    out->first_size = least((uint64_t)extent, length) * size;
    out->forwards = stride >= 0;
    if (!tirbi_mul_u64(step, size, &out->step)) out->step = 0;
    return TIRB_OK;
}

/* Whether the chunks' parts of a and b stay apart: together they fit between one iteration's and the next one's. */
static bool interleave(const span *a, const span *b) {
    if (a->step == 0 || a->step != b->step || a->forwards != b->forwards) return false;
    if (b->low < a->low) {
        const span *swap = a;
        a = b;
        b = swap;
    }
    uint64_t distance = b->low - a->low;
    return distance <= a->step && a->first_size <= a->step && b->first_size <= a->step - distance;
}

static tirb_status check_args(const tirbi_machine *machine, const tirbi_fork *fork, int64_t n) {
    span spans[TIRBI_MAX_CALL_ARGS];
    for (unsigned i = 0; i < fork->n_args; i++) {
        TIRBI_TRY(measure(machine, &fork->args[i], i, n, &spans[i]));
        for (unsigned k = 0; k < i && n > 1; k++) {
            const span *a = &spans[k], *b = &spans[i];
            bool none = a->low >= a->high || b->low >= b->high; /* no elements overlap nothing, wherever they are */
            bool apart = none || a->low >= b->high || b->low >= a->high || (!a->written && !b->written);
            if (!apart && !interleave(a, b))
                return tirbi_error_set(machine->error, TIRB_OVERLAP,
                                       "arguments %u and %u of a fork overlap, and its chunks write one of them", k, i);
        }
    }
    return TIRB_OK;
}

/* The part that the iterations begin .. end - 1 have, as far as the reference goes. */
static tirbi_ref part_of(const tirbi_fork_arg *arg, const uint64_t *s, const tirbi_ref *ref, int64_t begin,
                         int64_t end) {
    int64_t stride = (int64_t)s[arg->stride];
    uint64_t size = tirbi_dtypes[ref->type].size, length = ref->size / size;
    int64_t lowest = stride < 0 ? end - 1 : begin, highest = stride < 0 ? begin : end - 1;
    uint64_t low = s[arg->base] + (uint64_t)lowest * s[arg->stride];
    uint64_t high = s[arg->base] + (uint64_t)highest * s[arg->stride] + s[arg->extent];
    tirbi_ref part = *ref;
    low = least(low, length);
    high = least(high, length);
    part.size = high > low ? (high - low) * size : 0;
    part.of_much = ref->size >= TIRBI_MUCH;
    if (part.size > 0) part.data = ref->data + low * size;
    return part;
}

/* ---- Calling the region --------------------------------------------------------------------------------------- */

/* Pushes the region's frame for a chunk on `machine`; `frame` executes the fork, on this machine or another one. */
static tirb_status enter_chunk(tirbi_machine *machine, tirbi_frame *frame, const tirbi_fork *fork, int64_t n,
                               uint32_t chunks, uint32_t chunk) {
    const tirbi_fn *fn = &machine->code->functions[fork->region];
    const uint64_t *s = tirbi_frame_slots(frame);
    const tirbi_ref *refs = tirbi_frame_refs(frame);
    int64_t begin = chunk_begin(n, chunks, chunk), end = chunk_begin(n, chunks, chunk + 1);
    TIRBI_TRY(tirbi_charge(machine, fn->cost));
    TIRBI_TRY(tirbi_poll(machine));
    TIRBI_TRY(tirbi_machine_push(machine, fn));
    uint64_t *to = tirbi_frame_slots(machine->frame);
    tirbi_ref *to_refs = tirbi_frame_refs(machine->frame);
    to[fn->scalar_args[0]] = (uint64_t)begin;
    to[fn->scalar_args[1]] = (uint64_t)end;
    for (unsigned i = 0; i < fork->n_scalars; i++) to[fn->scalar_args[i + 2]] = s[fork->scalars[i]];
    for (unsigned i = 0; i < fork->n_args; i++) {
        const tirbi_fork_arg *arg = &fork->args[i];
        tirbi_ref ref = arg->partitioned ? part_of(arg, s, &refs[arg->ref], begin, end) : refs[arg->ref];
        tirbi_pass_ref(to_refs, &fn->ref_args[i], &ref);
    }
    machine->frame->chunked = chunks > 1;
    return TIRB_OK;
}

/* ---- The team's way ------------------------------------------------------------------------------------------- */

enum { NO_CHUNK = TIRBI_MAX_CHUNKS };

struct tirbi_region {
    tirbi_machine *machine; /* that executes the fork, and waits */
    const tirbi_fork *fork;
    int64_t n;
    uint32_t chunks, participants;
    uint64_t memory; /* of one chunk */
    pthread_mutex_t lock;
    uint8_t next[TIRBI_MAX_CHUNKS]; /* participant p takes chunks next[p] .. end[p] - 1, and then those of others */
    uint8_t end[TIRBI_MAX_CHUNKS];
    uint8_t current[TIRBI_MAX_CHUNKS]; /* by participant: the chunk it runs, or NO_CHUNK */
    uint32_t failed;                   /* the lowest chunk that has trapped, or NO_CHUNK */
    uint64_t fuel[TIRBI_MAX_CHUNKS];   /* used by each chunk that has ended, */
    uint64_t peak[TIRBI_MAX_CHUNKS];   /* and the most memory that it has had */
    tirb_status status;                /* of the chunk `failed` */
    tirbi_trap_place place;
    tirb_error error;
};

static atomic_uint *stop_of(const tirbi_region *region, uint32_t who) {
    return &region->machine->run->stops->participants[who];
}

/* The next chunk for a participant, and the fuel that it may use: what is left behind the chunks before it that have
 * ended. NO_CHUNK when there is none. The region is locked. */
static uint32_t take_chunk(tirbi_region *region, uint32_t who, uint64_t *fuel) {
    uint32_t chunk = NO_CHUNK;
    for (uint32_t i = 0; i < region->participants && chunk == NO_CHUNK; i++) {
        uint32_t from = (who + i) % region->participants;
        if (region->next[from] < region->end[from] && region->next[from] < region->failed) chunk = region->next[from]++;
    }
    region->current[who] = (uint8_t)chunk;
    atomic_fetch_and_explicit(stop_of(region, who), ~(unsigned)TIRBI_STOP_VOID, memory_order_relaxed);
    *fuel = region->machine->fuel;
    for (uint32_t i = 0; i < chunk && region->machine->fuel_limit != UINT64_MAX; i++)
        *fuel = *fuel > region->fuel[i] ? *fuel - region->fuel[i] : 0;
    return chunk;
}

/* How a chunk has ended. */
typedef struct ending {
    tirb_status status;
    uint64_t fuel, peak;
    tirbi_trap_place place;
    const tirb_error *error;
} ending;

/* The region is locked. */
static void end_chunk(tirbi_region *region, uint32_t chunk, const ending *end) {
    region->fuel[chunk] = end->fuel;
    region->peak[chunk] = end->peak;
    if (end->status == TIRB_OK || chunk >= region->failed) return;
    region->failed = chunk;
    region->status = end->status;
    region->error = *end->error;
    region->place = end->place;
    for (uint32_t i = 0; i < region->participants; i++) {
        if (region->current[i] == NO_CHUNK || region->current[i] <= chunk) continue;
        atomic_fetch_or_explicit(stop_of(region, i), TIRBI_STOP_VOID, memory_order_relaxed);
    }
}

static void run_chunk(tirbi_region *region, uint32_t who, uint32_t chunk, uint64_t fuel, tirb_error *error,
                      ending *end) {
    const tirbi_machine *parent = region->machine;
    tirbi_heap heap;
    tirbi_heap_init(&heap, &parent->heap->allocator, region->memory);
    tirbi_spares *spares = &parent->run->store->spares[1 + who];
    heap.keeper = &spares->keeper;
    tirbi_machine machine;
    tirbi_machine_begin(&machine, parent->run, &heap, spares, stop_of(region, who), fuel, error);
    machine.depth = parent->depth;
    machine.n_chunked = 1;
    machine.own_chunk = chunk;
    machine.host = parent->host;
    const tirbi_word *trap_pc = NULL;
    tirb_status status = enter_chunk(&machine, parent->frame, region->fork, region->n, region->chunks, chunk);
    if (status == TIRB_OK) status = tirbi_dispatch(&machine, &trap_pc);
    *end = (ending){.status = status, .fuel = fuel - machine.fuel, .peak = heap.peak, .error = error};
    if (status != TIRB_OK && machine.frame) end->place = tirbi_trap_place_of(&machine, status, trap_pc);
    tirbi_machine_release(&machine);
}

static void participate(void *context, uint32_t who) {
    tirbi_region *region = context;
    const tirbi_fpu_state host = tirbi_fpu_read();
    tirbi_fpu_enter(host);
    tirb_error error;
    error.struct_size = sizeof error; /* an error that is set sets the rest */
    ending end;
    uint64_t fuel;
    pthread_mutex_lock(&region->lock);
    uint32_t chunk = take_chunk(region, who, &fuel);
    pthread_mutex_unlock(&region->lock);
    while (chunk != NO_CHUNK) {
        run_chunk(region, who, chunk, fuel, &error, &end);
        pthread_mutex_lock(&region->lock);
        end_chunk(region, chunk, &end);
        chunk = take_chunk(region, who, &fuel);
        pthread_mutex_unlock(&region->lock);
    }
    tirbi_fpu_leave(host);
}

/* The most memory of the chunks that count: those behind one that has trapped may have run or not. As if all
 * participants had such a chunk at once. */
static uint64_t peak_of(const tirbi_region *region, uint64_t used) {
    uint64_t most = 0, peak;
    for (uint32_t i = 0; i < region->chunks && i <= region->failed; i++)
        if (region->peak[i] > most) most = region->peak[i];
    if (!tirbi_mul_u64(most, region->participants, &peak) || !tirbi_add_u64(peak, used, &peak)) return UINT64_MAX;
    return peak;
}

/* Sums the chunks up in order, as if they had run so. */
static tirb_status settle(tirbi_machine *machine, const tirbi_region *region) {
    uint64_t left = machine->fuel;
    for (uint32_t i = 0; i < region->chunks && i <= region->failed; i++) {
        bool enough = region->fuel[i] <= left;
        left = enough ? left - region->fuel[i] : 0;
        bool limited = machine->fuel_limit != UINT64_MAX;
        if (limited && (!enough || (i == region->failed && region->status == TIRB_FUEL))) {
            machine->fuel = 0;
            return tirbi_charge(machine, UINT64_MAX);
        }
    }
    machine->fuel = left;
    if (region->failed == NO_CHUNK) return TIRB_OK;
    machine->place = region->place;
    return tirbi_error_set(machine->error, region->status, "%s", region->error.message);
}

static tirb_status run_by_team(tirbi_machine *machine, const tirbi_fork *fork, int64_t n, uint32_t chunks) {
    const tirbi_run *run = machine->run;
    tirbi_heap *heap = machine->heap;
    uint32_t participants = run->threads < chunks ? run->threads : chunks;
    tirbi_region region = {.machine = machine, .fork = fork, .n = n, .chunks = chunks, .participants = participants,
                           .memory = UINT64_MAX, .failed = NO_CHUNK};
    if (heap->budget != UINT64_MAX) region.memory = (heap->budget - heap->used) / participants;
    if (pthread_mutex_init(&region.lock, NULL) != 0)
        return tirbi_error_set(machine->error, TIRB_NO_MEMORY, "no memory for a lock");
    for (uint32_t i = 0; i < participants; i++) {
        region.next[i] = (uint8_t)(chunks * i / participants);
        region.end[i] = (uint8_t)(chunks * (i + 1) / participants);
        region.current[i] = NO_CHUNK;
        atomic_store(stop_of(&region, i), TIRBI_RUN);
    }
    /* What stops the call from now on reaches the participants too. No processor may read the call's word before theirs
     * are cleared, so this is no relaxed load as elsewhere. */
    tirb_status status = tirbi_stop_status(atomic_load(machine->stop), machine->error);
    if (status == TIRB_OK && !tirbi_store_fork(run->store, participants, region.memory, machine->stop, &region.lock))
        status = tirbi_poll(machine);
    if (status == TIRB_OK) {
        tirbi_team_run(run->team, participants, participate, &region);
        tirbi_store_join(run->store);
        const uint64_t peak = peak_of(&region, heap->used);
        if (heap->budget != UINT64_MAX && peak > heap->peak) heap->peak = peak;
        status = settle(machine, &region);
    }
    pthread_mutex_destroy(&region.lock);
    return status;
}

/* ---- The instruction ------------------------------------------------------------------------------------------ */

tirb_status tirbi_fork_step(tirbi_machine *machine, const tirbi_word *pc, bool *entered) {
    tirbi_frame *frame = machine->frame;
    const tirbi_fork *fork = &frame->fn->forks[pc[1].cost];
    const uint64_t *s = tirbi_frame_slots(frame);
    int64_t n = (int64_t)s[fork->n];
    if (n < 1) return TIRB_OK;
    uint32_t chunks = chunk_count(n, (int64_t)s[fork->grain]);
    machine->n_entered = TIRBI_REPEATED_LOOPS + 1;
    if (frame->next_chunk == 0) {
        tirbi_machine_settle(machine);
        TIRBI_TRY(tirbi_charge(machine, (uint64_t)fork->n_args * fork->n_args / 64 + 1));
        TIRBI_TRY(tirbi_poll(machine));
        TIRBI_TRY(check_args(machine, fork, n));
        if (chunks > 1 && machine->n_chunked == 0 && machine->run->threads > 1 && machine->run->stops)
            return run_by_team(machine, fork, n, chunks);
    } else if (chunks > 1) {
        machine->n_chunked--;
    }
    if (frame->next_chunk == chunks) {
        frame->next_chunk = 0;
        return TIRB_OK;
    }
    TIRBI_TRY(enter_chunk(machine, frame, fork, n, chunks, frame->next_chunk));
    machine->frame->pc = pc;
    if (chunks > 1) machine->n_chunked++;
    frame->next_chunk++;
    *entered = true;
    return TIRB_OK;
}

static tirbi_trap_place place_in(const tirbi_machine *machine, const tirbi_fn *fn, const tirbi_word *pc) {
    return (tirbi_trap_place){.function = (uint32_t)(fn - machine->code->functions),
                              .offset = tirbi_words_place(&fn->all, (uint32_t)(pc - fn->words)), .known = true};
}

tirbi_trap_place tirbi_trap_place_of(const tirbi_machine *machine, tirb_status status, const tirbi_word *trap_pc) {
    if (machine->place.known) return machine->place;
    const tirbi_frame *frame = machine->frame;
    if (!trap_pc) trap_pc = frame->fn->words;
    tirbi_trap_place place = place_in(machine, frame->fn, trap_pc);
    for (; status == TIRB_FUEL && frame; frame = frame->caller) {
        if (frame->chunked && frame->caller) place = place_in(machine, frame->caller->fn, frame->pc);
    }
    return place;
}
