/* Strided views of host memory: what they cover, whether two of them can meet, and copies to and from compact form. */
#ifndef TIRB_VM_CALL_STRIDED_H
#define TIRB_VM_CALL_STRIDED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* No view reaches farther from its base than this many bytes, so that sums of a few steps cannot overflow. */
#define TIRBI_VIEW_FARTHEST (INT64_MAX / 4)

/* Element (i0, i1, ..) is the `item` bytes at base + sum of i * stride * item. A view is made by tirbi_view_measure. */
typedef struct tirbi_view {
    uint8_t *base;
    uint32_t item;
    int32_t ndim;
    const int64_t *shape;
    const int64_t *strides; /* in elements, or NULL: compact, row-major */
    uint64_t count;         /* elements */
    uintptr_t low, high;    /* the bytes that elements lie in, [low, high); equal when there are none */
    bool compact;           /* row-major without gaps; strides of dimensions of extent 1 do not count */
} tirbi_view;

/* Fills count, low, high and compact. False: the element count, their size or an address overflows. */
bool tirbi_view_measure(tirbi_view *view);

/* Whether views share elements (vm/call/overlap.c). Exact; only where dimensions interleave in ways that a search of
 * 20,000 steps does not settle is it undecided. */
typedef enum tirbi_overlap { TIRBI_APART, TIRBI_SHARED, TIRBI_UNDECIDED } tirbi_overlap;

/* Whether two views share a byte. */
tirbi_overlap tirbi_views_overlap(const tirbi_view *a, const tirbi_view *b);
/* Whether two index tuples mean the same element. */
tirbi_overlap tirbi_view_overlaps_itself(const tirbi_view *view);

/* Copies the elements of a view with strides to `compact` in row-major order, or back. Stops early, with false, when
 * *stop becomes non-zero. */
bool tirbi_view_pack(const tirbi_view *view, uint8_t *compact, const atomic_uint *stop);
bool tirbi_view_unpack(const tirbi_view *view, const uint8_t *compact, const atomic_uint *stop);

#endif
