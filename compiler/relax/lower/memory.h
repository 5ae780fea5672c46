/* The memory of temporaries in a function that Relax became: those whose sizes are numbers share blocks by a plan that
 * is made once all of them are known; one whose size the parameters say takes the place of an earlier one of the same
 * size. A view has the memory of what it is of. */
#ifndef TIRB_COMPILER_RELAX_LOWER_MEMORY_H
#define TIRB_COMPILER_RELAX_LOWER_MEMORY_H

#include "compiler/ir/builder.h"

struct tirbi_relax_lowering;
struct tirbi_relax_held;

enum { TIRBI_RELAX_BLOCKS = 4 }; /* one for elements of 1, 2, 4 and 8 bytes: memory has one element size */

/* An allocation, and for how long something is in it: from binding `first` to binding `last`. */
typedef struct tirbi_relax_temporary {
    const tirb_buffer *buffer;
    tirb_expr *offset; /* where in its block, which is known at the end; NULL: it has memory of its own */
    int64_t size;      /* in elements; of the block's */
    uint32_t block;
    uint32_t first, last;
    /* Of bindings whose operators are several calls: the call of binding `first` that it is first met by, 0 where that
     * is not known; and by which it is met last, of which binding. */
    uint32_t first_step, last_step, last_met;
} tirbi_relax_temporary;

/* A part: a view that begins `behind` elements behind the beginning of what it is of. */
typedef struct tirbi_relax_slice {
    const tirb_buffer *view;
    tirb_expr *offset;  /* NULL: it is known already, or is that of what it is of */
    uint32_t temporary; /* which it is of, from 1 on; 0: none */
    int64_t behind;
} tirbi_relax_slice;

typedef struct tirbi_relax_memory {
    tirbi_list temporaries; /* of tirbi_relax_temporary */
    tirbi_list owners;      /* of uint32_t: by the number of a buffer, from first_buffer on, the temporary it is of */
    tirbi_list slices;      /* of tirbi_relax_slice */
    uint32_t first_buffer;
    uint32_t step; /* of the binding under way, whose calls are counted from 1 on; 0: they are not */
    tirb_buffer *blocks[TIRBI_RELAX_BLOCKS];
    tirb_expr *sizes[TIRBI_RELAX_BLOCKS];
} tirbi_relax_memory;

/* Before the body of a function; and behind it, while its frame is open. False when memory ran out. */
void tirbi_relax_memory_begin(struct tirbi_relax_lowering *l);
bool tirbi_relax_memory_finish(struct tirbi_relax_lowering *l);
/* Memory for a temporary from the binding under way on. NULL when memory ran out. */
const tirb_buffer *tirbi_relax_allocate(struct tirbi_relax_lowering *l, tirbi_span span, tirb_datatype dtype,
                                        const tirb_expr *const *shape, uint32_t ndim);
/* The elements from `begin` on (NULL: the first) under another shape; all of them are in the buffer. */
const tirb_buffer *tirbi_relax_part(struct tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *buffer,
                                    tirb_datatype dtype, const tirb_expr *const *shape, uint32_t ndim,
                                    const tirb_expr *begin);
/* The same of a temporary that has a place in a block, as a temporary of its own there. */
const tirb_buffer *tirbi_relax_room_in(struct tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *temporary,
                                       const tirb_expr *const *shape, uint32_t ndim, const tirb_expr *begin);
/* The temporary that a buffer is, or is a view of; NULL: none. */
const tirbi_relax_temporary *tirbi_relax_temporary_of(const struct tirbi_relax_lowering *l, const tirb_buffer *buffer);
/* Whether two buffers are, or are views of, one. */
bool tirbi_relax_same_memory(const struct tirbi_relax_lowering *l, const tirb_buffer *a, const tirb_buffer *b);
/* Whether a buffer that is in the memory of another one begins so many elements behind that one's beginning. */
bool tirbi_relax_begins_at(const struct tirbi_relax_lowering *l, const tirb_buffer *buffer, const tirb_buffer *of,
                           int64_t behind);
/* Whether a part of the memory has a name of its own. */
bool tirbi_relax_has_parts(const struct tirbi_relax_lowering *l, const tirb_buffer *buffer);
/* What the buffer is in is in use up to binding `last`. */
void tirbi_relax_use_memory(struct tirbi_relax_lowering *l, const tirb_buffer *buffer, uint32_t last);
/* From here on each call of the binding under way is a step by itself: what one alone needs has no memory in others.
 * All that meets its operands, what it makes on the way and its result are calls that are noted, in order. */
void tirbi_relax_count_steps(struct tirbi_relax_lowering *l);
void tirbi_relax_note_step(struct tirbi_relax_lowering *l, const struct tirbi_relax_held *const *met, uint32_t n);
/* What the binding under way has begun to use stays its own in all of its branches. */
void tirbi_relax_hold_memory(struct tirbi_relax_lowering *l);
/* What a branch has allocated is gone behind it; `n_before`: how many temporaries there were before it. */
void tirbi_relax_leave_branch(struct tirbi_relax_lowering *l, uint32_t n_before);
/* The number of elements where all dimensions are numbers, else -1. */
int64_t tirbi_relax_count(const tirb_expr *const *shape, uint32_t n);

#endif
