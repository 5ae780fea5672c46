#include "vm/call/strided.h"

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/divisor.h"
#include "loader/bundle/program.h"

enum { TILE = 32, POLL_ELEMENTS = 1 << 10 };

/* ---- What a view covers ---------------------------------------------------------------------------------------- */

static bool count_elements(tirbi_view *view) {
    uint64_t count = 1;
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) {
            view->count = 0;
            return true;
        }
    }
    for (int i = 0; i < view->ndim; i++) {
        if (!tirbi_mul_u64(count, (uint64_t)view->shape[i], &count)) return false;
    }
    view->count = count;
    uint64_t bytes;
    return tirbi_mul_u64(count, view->item, &bytes) && bytes <= INT64_MAX;
}

static bool is_compact(const tirbi_view *view) {
    if (!view->strides || view->count == 0) return true;
    int64_t expected = 1;
    for (int i = view->ndim - 1; i >= 0; i--) {
        if (view->shape[i] == 1) continue;
        if (view->strides[i] != expected) return false;
        expected *= view->shape[i];
    }
    return true;
}

bool tirbi_view_measure(tirbi_view *view) {
    if (!count_elements(view)) return false;
    view->compact = is_compact(view);
    view->low = view->high = (uintptr_t)view->base;
    if (view->count == 0) return true;
    int64_t below = 0, above = (int64_t)(view->count - 1);
    if (!view->compact) {
        above = 0;
        for (int i = 0; i < view->ndim; i++) {
            int64_t reach;
            if (!tirbi_mul_i64(view->shape[i] - 1, view->strides[i], &reach)) return false;
            int64_t *side = reach < 0 ? &below : &above;
            if (!tirbi_add_i64(*side, reach, side)) return false;
        }
    }
    if (!tirbi_add_i64(above, 1, &above)) return false;
    if (!tirbi_mul_i64(below, view->item, &below) || !tirbi_mul_i64(above, view->item, &above)) return false;
    if (below < -TIRBI_VIEW_FARTHEST || above > TIRBI_VIEW_FARTHEST) return false;
    return !__builtin_sub_overflow(view->low, (uint64_t)-below, &view->low) &&
           !__builtin_add_overflow(view->high, (uint64_t)above, &view->high);
}

/* ---- Copies ---------------------------------------------------------------------------------------------------- */

/* One loop of a copy; steps in bytes. */
typedef struct copy_loop {
    int64_t extent;
    int64_t to;
    int64_t from;
} copy_loop;

typedef struct copy_nest {
    int n; /* at least 1 */
    uint32_t item;
    copy_loop loops[TIRBI_MAX_NDIM + 1]; /* outermost first */
} copy_nest;

#define COPY_ITEMS(type)                                                \
    for (int64_t i = 0; i < n; i++, to += to_step, from += from_step) { \
        type element;                                                   \
        memcpy(&element, from, sizeof(element));                        \
        memcpy(to, &element, sizeof(element));                          \
    }

static void copy_line(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step, int64_t n, uint32_t item) {
    if (to_step == (int64_t)item && from_step == (int64_t)item) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    switch (item) {
    case 1:
        COPY_ITEMS(uint8_t)
        return;
    case 2:
        COPY_ITEMS(uint16_t)
        return;
    case 4:
        COPY_ITEMS(uint32_t)
        return;
    default:
        COPY_ITEMS(uint64_t)
        return;
    }
}

static copy_nest make_nest(const tirbi_view *view, bool to_view) {
    copy_nest nest = {.item = view->item};
    int64_t compact = view->item;
    int at = TIRBI_MAX_NDIM + 1; /* filled from the innermost loop */
    for (int i = view->ndim - 1; i >= 0; i--) {
        int64_t extent = view->shape[i];
        if (extent == 1) continue;
        int64_t strided = view->strides[i] * (int64_t)view->item;
        copy_loop loop = {extent, to_view ? strided : compact, to_view ? compact : strided};
        compact *= extent;
        copy_loop *inner = &nest.loops[at];
        if (at <= TIRBI_MAX_NDIM && loop.to == inner->to * inner->extent && loop.from == inner->from * inner->extent) {
            inner->extent *= extent;
        } else {
            nest.loops[--at] = loop;
        }
    }
    if (at > TIRBI_MAX_NDIM) nest.loops[--at] = (copy_loop){1, view->item, view->item};
    nest.n = TIRBI_MAX_NDIM + 1 - at;
    memmove(nest.loops, nest.loops + at, (size_t)nest.n * sizeof(nest.loops[0]));
    return nest;
}

/* The loop with the shortest step in the view's memory becomes the second innermost, so that the two innermost can run
 * in tiles that use whole cache lines on both sides. */
static void bring_near_loop_inside(copy_nest *nest, bool to_view) {
    int near = nest->n - 1;
    for (int i = 0; i < nest->n; i++) {
        uint64_t step = tirbi_magnitude(to_view ? nest->loops[i].to : nest->loops[i].from);
        uint64_t best = tirbi_magnitude(to_view ? nest->loops[near].to : nest->loops[near].from);
        if (step && (step < best || best == 0)) near = i;
    }
    if (near >= nest->n - 2) return;
    copy_loop loop = nest->loops[near];
    memmove(&nest->loops[near], &nest->loops[near + 1], (size_t)(nest->n - 2 - near) * sizeof(loop));
    nest->loops[nest->n - 2] = loop;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct copy_state {
    const atomic_uint *stop;
    int64_t since_poll;
    uint32_t item;
} copy_state;

static bool keep_on(copy_state *state, int64_t elements) {
    state->since_poll += elements;
    if (state->since_poll < POLL_ELEMENTS) return true;
    state->since_poll = 0;
    return atomic_load_explicit(state->stop, memory_order_relaxed) == 0;
}

static bool copy_row(copy_state *state, uint8_t *to, const uint8_t *from, copy_loop loop) {
    for (int64_t i = 0; i < loop.extent; i += POLL_ELEMENTS) {
        int64_t n = least(POLL_ELEMENTS, loop.extent - i);
        copy_line(to + i * loop.to, loop.to, from + i * loop.from, loop.from, n, state->item);
        if (!keep_on(state, n)) return false;
    }
    return true;
}

static bool copy_plane(copy_state *state, uint8_t *to, const uint8_t *from, copy_loop outer, copy_loop inner) {
    bool rows = inner.to == (int64_t)state->item && inner.from == (int64_t)state->item;
    if (rows) {
        for (int64_t i = 0; i < outer.extent; i++) {
            if (!copy_row(state, to + i * outer.to, from + i * outer.from, inner)) return false;
        }
        return true;
    }
    for (int64_t i = 0; i < outer.extent; i += TILE) {
        for (int64_t j = 0; j < inner.extent; j += TILE) {
            int64_t width = least(TILE, inner.extent - j), height = least(TILE, outer.extent - i);
            for (int64_t k = i; k < i + height; k++) {
                copy_line(to + k * outer.to + j * inner.to, inner.to, from + k * outer.from + j * inner.from,
                          inner.from, width, state->item);
            }
            if (!keep_on(state, width * height)) return false;
        }
    }
    return true;
}

static bool copy(const copy_nest *nest, uint8_t *to, const uint8_t *from, const atomic_uint *stop) {
    copy_state state = {.stop = stop, .item = nest->item};
    if (nest->n == 1) return copy_row(&state, to, from, nest->loops[0]);
    int outer = nest->n - 2;
    int64_t index[TIRBI_MAX_NDIM + 1] = {0};
    for (;;) {
        if (!copy_plane(&state, to, from, nest->loops[outer], nest->loops[outer + 1])) return false;
        int i = outer - 1;
        for (; i >= 0; i--) {
            to += nest->loops[i].to;
            from += nest->loops[i].from;
            if (++index[i] < nest->loops[i].extent) break;
            to -= nest->loops[i].to * nest->loops[i].extent;
            from -= nest->loops[i].from * nest->loops[i].extent;
            index[i] = 0;
        }
        if (i < 0) return true;
    }
}

bool tirbi_view_pack(const tirbi_view *view, uint8_t *compact, const atomic_uint *stop) {
    if (view->count == 0) return true;
    copy_nest nest = make_nest(view, false);
    bring_near_loop_inside(&nest, false);
    return copy(&nest, compact, view->base, stop);
}

bool tirbi_view_unpack(const tirbi_view *view, const uint8_t *compact, const atomic_uint *stop) {
    if (view->count == 0) return true;
    copy_nest nest = make_nest(view, true);
    bring_near_loop_inside(&nest, true);
    return copy(&nest, view->base, compact, stop);
}
