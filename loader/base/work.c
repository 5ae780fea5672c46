#include "loader/base/work.h"

#include <inttypes.h>

#include "loader/base/error.h"

tirb_status tirbi_work_exceeded(const tirbi_heap *heap, tirb_error *error) {
    return tirbi_error_set(error, TIRB_FUEL, "it takes more than %" PRIu64 " steps, the limit of its work",
                           heap->max_work);
}
