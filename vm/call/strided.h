/* Strided views of host memory: what they cover, whether two of them can meet, and copies to and from compact form. */
#ifndef TIRB_VM_CALL_STRIDED_H
#define TIRB_VM_CALL_STRIDED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* True when no two index tuples mean the same bytes. Decided by nesting: each dimension, taken by growing |stride|,
 * must step over everything below it. That is exact for views made by slicing, transposing and broadcasting; a view
 * whose dimensions interleave otherwise counts as overlapping itself. */
bool tirbi_view_is_injective(const tirbi_view *view);

/* True when the two views share no byte. Exact for compact views. Two strided views whose ranges meet are disjoint if
 * their elements, or whole inner blocks of them, fall on separate residues of a common divisor of their outer strides
 * (column blocks of one matrix, even and odd elements); where that does not prove it they count as overlapping. */
bool tirbi_view_disjoint(const tirbi_view *a, const tirbi_view *b);

/* Copies the elements of a view with strides to `compact` in row-major order, or back. Stops early, with false, when
 * *stop becomes non-zero. */
bool tirbi_view_pack(const tirbi_view *view, uint8_t *compact, const atomic_uint *stop);
bool tirbi_view_unpack(const tirbi_view *view, const uint8_t *compact, const atomic_uint *stop);

#endif
