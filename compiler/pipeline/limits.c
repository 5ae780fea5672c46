#include "compiler/pipeline/limits.h"

#include <inttypes.h>

#include "loader/base/error.h"

/* A source that nobody wrote in earnest comes to its end in a second: steps take some tens of nanoseconds. */
static const uint64_t default_max_memory = UINT64_C(256) << 20, default_max_work = 4000000;

/* Times the work from which on plans are plain ones: to read, check and write what there is. */
enum { HARD_LIMIT = 4 };

struct tirb_canceller {
    tirbi_heap heap;
    atomic_uint cancelled;
};

tirb_status tirb_canceller_create(const tirb_allocator *allocator, tirb_canceller **out_canceller, tirb_error *error) {
    if (!out_canceller) return tirbi_error_set(error, TIRB_MISUSE, "out_canceller is NULL");
    tirbi_heap heap;
    tirbi_heap_init(&heap, allocator, UINT64_MAX);
    tirb_canceller *made = *out_canceller = tirbi_heap_alloc(&heap, sizeof(*made));
    if (!made) return tirbi_error_set(error, TIRB_NO_MEMORY, "no memory for a canceller");
    made->heap = heap;
    atomic_init(&made->cancelled, 0);
    return TIRB_OK;
}

void tirb_canceller_destroy(tirb_canceller *canceller) {
    if (!canceller) return;
    tirbi_heap heap = canceller->heap;
    tirbi_heap_free(&heap, canceller, sizeof(*canceller));
}

void tirb_canceller_cancel(tirb_canceller *canceller) {
    if (canceller) atomic_store_explicit(&canceller->cancelled, 1, memory_order_relaxed);
}

void tirb_canceller_reset(tirb_canceller *canceller) {
    if (canceller) atomic_store_explicit(&canceller->cancelled, 0, memory_order_relaxed);
}

void tirbi_limits_complete(tirb_compile_options *options) {
    if (!options->max_memory) options->max_memory = default_max_memory;
    if (!options->max_work) options->max_work = default_max_work;
}

tirbi_watch tirbi_limits_watch(const tirb_compile_options *options) {
    const uint64_t start = options->timeout_ns ? tirbi_clock_ns() : 0, most = options->max_work;
    return (tirbi_watch){
        .enough = most,
        .max_work = most > UINT64_MAX / HARD_LIMIT ? UINT64_MAX : most * HARD_LIMIT,
        .deadline = options->timeout_ns && options->timeout_ns < UINT64_MAX - start ? start + options->timeout_ns
                                                                                    : UINT64_MAX,
        .cancelled = options->canceller ? &options->canceller->cancelled : NULL,
    };
}

tirb_status tirbi_limits_error(const tirbi_watch *watch, const tirbi_heap *heap, const char *source,
                               tirb_error *error) {
    const tirb_status status = watch->stopped != TIRB_OK ? watch->stopped : tirbi_heap_status(heap);
    switch (status) {
    case TIRB_CANCELLED: return tirbi_error_set(error, status, "compiling '%s' was cancelled", source);
    case TIRB_DEADLINE: return tirbi_error_set(error, status, "compiling '%s' takes longer than it may", source);
    case TIRB_FUEL:
        return tirbi_error_set(error, status,
                               "compiling '%s' takes more than %" PRIu64 " steps, %d times what its plans may take",
                               source, watch->max_work, (int)HARD_LIMIT);
    case TIRB_MEMORY_LIMIT:
        return tirbi_error_set(error, status, "compiling '%s' takes more than %" PRIu64 " bytes of memory", source,
                               heap->budget);
    default: return tirbi_error_set(error, status, "%s while compiling '%s'", tirb_status_text(status), source);
    }
}
