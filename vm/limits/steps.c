#include "vm/limits/steps.h"

#include <string.h>

#include "loader/base/alloc.h"

static size_t step_of(uint64_t left) { return left < TIRBI_WRITE_STEP ? (size_t)left : TIRBI_WRITE_STEP; }

bool tirbi_clear_in_steps(uint8_t *data, uint64_t size, const atomic_uint *stop) {
    for (uint64_t at = 0; at < size; at += TIRBI_WRITE_STEP) {
        if (tirbi_is_stopped(stop)) return false;
        memset(data + at, 0, step_of(size - at));
    }
    return true;
}

/* From the end where the two may overlap so that the beginning would be written before it is read. */
bool tirbi_move_in_steps(uint8_t *to, const uint8_t *from, uint64_t size, const atomic_uint *stop) {
    const bool backwards = (uintptr_t)to > (uintptr_t)from;
    for (uint64_t left = size; left > 0;) {
        if (tirbi_is_stopped(stop)) return false;
        const size_t step = step_of(left);
        const uint64_t at = backwards ? left - step : size - left;
        memmove(to + at, from + at, step);
        left -= step;
    }
    return true;
}
