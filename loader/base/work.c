#include "loader/base/work.h"

#include <inttypes.h>

#include "loader/base/error.h"

/* Some microseconds. */
enum { LOOK_EVERY = 256 };

void tirbi_work_watched(tirbi_heap *heap, tirbi_watch *watch) {
    heap->watch = watch;
    heap->work = 0;
    heap->max_work = watch ? LOOK_EVERY : UINT64_MAX;
}

tirb_status tirbi_work_exceeded(tirbi_heap *heap, tirb_error *error) {
    if (heap->watch) {
        heap->work = 0;
        if (tirbi_watch_look(heap->watch)) return TIRB_OK;
        return tirbi_error_set(error, heap->watch->stopped, "%s", tirb_status_text(heap->watch->stopped));
    }
    return tirbi_error_set(error, TIRB_FUEL, "it takes more than %" PRIu64 " steps, the limit of its work",
                           heap->max_work);
}
