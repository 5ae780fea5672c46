#include "loader/base/work.h"

#include <inttypes.h>

#include "loader/base/error.h"

/* Some microseconds. */
enum { LOOK_EVERY = 256 };

static uint64_t next_look(const tirbi_heap *heap) {
    const uint64_t most = heap->watched_work, steps = heap->watch->each_step ? 0 : LOOK_EVERY;
    return heap->work < most && most - heap->work > steps ? heap->work + steps : most;
}

void tirbi_work_watched(tirbi_heap *heap, tirbi_watch *watch) {
    if (!heap->watch) heap->watched_work = heap->max_work;
    heap->watch = watch;
    heap->max_work = watch ? next_look(heap) : heap->watched_work;
}

tirb_status tirbi_work_seen(const tirbi_heap *heap, tirb_error *error) {
    const tirb_status status = heap->watch ? heap->watch->stopped : TIRB_OK;
    return status == TIRB_OK ? TIRB_OK : tirbi_error_set(error, status, "%s", tirb_status_text(status));
}

tirb_status tirbi_work_exceeded(tirbi_heap *heap, tirb_error *error) {
    const uint64_t most = heap->watch ? heap->watched_work : heap->max_work;
    if (heap->work > most)
        return tirbi_error_set(error, TIRB_FUEL, "it takes more than %" PRIu64 " steps, the limit of its work", most);
    heap->max_work = next_look(heap);
    (void)tirbi_watch_look(heap->watch);
    return tirbi_work_seen(heap, error);
}
