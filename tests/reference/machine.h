/* The inside of the oracle: what its files share.
 *
 * A frame holds the values of one call's variables and the views of its buffers, indexed by the ids that the module
 * gives them. A view says which memory a buffer's name means and how; memory is bytes with a size that every access is
 * checked against. Everything short-lived (vector lanes, index lists, views) is on a stack of its own that statements
 * unwind. */
#ifndef TIRB_TESTS_REFERENCE_MACHINE_H
#define TIRB_TESTS_REFERENCE_MACHINE_H

#include "compiler/ir/ir.h"
#include "tests/reference/reference.h"
#include "tests/reference/tree.h"

struct tirbi_ref_value;

typedef struct tirbi_ref_memory {
    uint8_t *bytes;
    uint64_t size;
    struct tirbi_ref_value *cells; /* of a struct, which has no bytes */
    uint64_t n_cells;
} tirbi_ref_memory;

typedef struct tirbi_ref_value {
    tirb_datatype type;       /* lanes 0: nothing is bound */
    uint64_t one;             /* a scalar; of a handle the byte offset into its memory, or what is no handle at all */
    const uint64_t *many;     /* the lanes of a vector */
    tirbi_ref_memory *memory; /* of a handle; NULL is the null pointer */
    const char *text;         /* of a string */
} tirbi_ref_value;

typedef struct tirbi_ref_view {
    const tirb_buffer *buffer; /* NULL: an argument from outside, whose buffer is the callee's */
    tirbi_ref_memory *memory;
    int64_t base; /* byte offset of the element whose indices are all 0 */
    uint32_t ndim;
    int64_t *shape;
    int64_t *strides;                     /* in elements */
    const struct tirbi_ref_view *source;  /* the view that a match_buffer is a region of, or NULL */
    const int64_t *mins;                  /* where in the source, per dimension of the source */
} tirbi_ref_view;

typedef struct tirbi_ref_frame {
    const tirb_primfunc *function;
    tirbi_ref_value *vars;
    const tirbi_ref_view **views;
} tirbi_ref_frame;

typedef enum tirbi_ref_flow {
    TIRBI_REF_NEXT,
    TIRBI_REF_BREAK,
    TIRBI_REF_CONTINUE,
    TIRBI_REF_RETURN,
    TIRBI_REF_FAILED
} tirbi_ref_flow;

typedef struct tirbi_ref_gang tirbi_ref_gang;
typedef struct tirbi_ref_chunk tirbi_ref_chunk;
typedef struct tirbi_ref_mark {
    tirbi_ref_chunk *chunk;
    size_t used;
} tirbi_ref_mark;

typedef struct tirbi_ref_machine {
    const tirb_irmodule *module;
    tirbi_arena *arena; /* of the call, for statements that stand for others */
    tirb_reference_options options;
    const tirbi_ref_trees *trees;
    const bool *written; /* by variable, see writes.h */
    const tirb_reduce *reducer; /* of the attribute around */
    bool in_argument;    /* an address that is an argument names an element; others may stand one past the end */
    tirb_status status;
    tirb_error *error;
    uint64_t steps;
    uint32_t depth;
    uint64_t allocated; /* bytes of live buffers */
    tirbi_ref_frame *frame;
    tirbi_ref_value returned;
    tirbi_ref_chunk *scratch;
    tirbi_ref_gang *gang; /* threads that meet at syncs, see threads.h; NULL outside of them */
} tirbi_ref_machine;

/* Records an error; always false. */
bool tirbi_ref_fail(tirbi_ref_machine *m, tirb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Counts one step against the limit. */
bool tirbi_ref_step(tirbi_ref_machine *m);

/* ---- The stack of short-lived objects (memory.c) ---- */
void *tirbi_ref_scratch(tirbi_ref_machine *m, size_t n, size_t size); /* zeroed; NULL after recording NO_MEMORY */
tirbi_ref_mark tirbi_ref_scratch_mark(const tirbi_ref_machine *m);
void tirbi_ref_scratch_release(tirbi_ref_machine *m, tirbi_ref_mark mark);
void tirbi_ref_scratch_destroy(tirbi_ref_machine *m);

/* ---- Memory and views (memory.c) ---- */
/* Zeroed memory for a buffer of this shape; the data variable and the buffer are bound. */
bool tirbi_ref_allocate(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_memory **out);
void tirbi_ref_free(tirbi_ref_machine *m, tirbi_ref_memory *memory);
/* Zeroed memory for the region of a BufferRealize, of which the buffer becomes a view. */
bool tirbi_ref_realize(tirbi_ref_machine *m, const tirb_stmt *realize, tirbi_ref_memory **out);
/* Binds a buffer to the memory that a pointer means, by the buffer's own shape, strides and offset. */
bool tirbi_ref_declare(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_value pointer);
/* Binds the buffer of a match_buffer to a region of its source. */
bool tirbi_ref_match(tirbi_ref_machine *m, const tirb_match_buffer *match);
const tirbi_ref_view *tirbi_ref_view_of(tirbi_ref_machine *m, const tirb_buffer *buffer);
/* Whether the elements of a view lie one after another in row-major order. */
bool tirbi_ref_compact(const tirbi_ref_view *view);
/* Of an access along rows by a vector of more lanes than a row has: a place behind the end of a row is in the next
 * one. */
void tirbi_ref_next_rows(const tirb_buffer *buffer, const tirb_expr *const *indices, uint32_t n, int64_t *at);
/* The byte offset of the element at `indices`, each of which is checked against its dimension. They are the values of
 * those that are `written`; NULL: of no expressions. */
bool tirbi_ref_address(tirbi_ref_machine *m, const tirbi_ref_view *view, const tirb_expr *const *written,
                       const int64_t *indices, uint64_t *out);
/* An index of dimension d, the value of the one that is `written` (or NULL), is out of bounds; always false. */
bool tirbi_ref_bad_index(tirbi_ref_machine *m, const tirbi_ref_view *view, uint32_t d, const tirb_expr *written,
                         int64_t index);
/* The elements (one per lane of the buffer's type) at a byte offset. */
bool tirbi_ref_read(tirbi_ref_machine *m, const tirbi_ref_view *view, uint64_t offset, uint64_t *lanes);
bool tirbi_ref_write(tirbi_ref_machine *m, const tirbi_ref_view *view, uint64_t offset, const uint64_t *lanes);

/* ---- Expressions (expr.c) ---- */
static inline uint64_t tirbi_ref_lane(const tirbi_ref_value *v, uint32_t lane) {
    return v->many != NULL ? v->many[lane] : v->one;
}
/* Evaluates. Of a vector only the lanes with a nonzero mask byte are evaluated; a NULL mask is all lanes. */
bool tirbi_ref_eval(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out);
/* Of a call: an address must be that of an element. */
bool tirbi_ref_eval_argument(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out);
/* An integer scalar as int64. */
bool tirbi_ref_eval_int(tirbi_ref_machine *m, const tirb_expr *e, int64_t *out);
bool tirbi_ref_eval_bool(tirbi_ref_machine *m, const tirb_expr *e, bool *out);
void tirbi_ref_bind(tirbi_ref_machine *m, const tirb_expr *var, tirbi_ref_value value);
void tirbi_ref_bind_int(tirbi_ref_machine *m, const tirb_expr *var, int64_t value);
/* The indices of a load or store as values, evaluated in order. */
bool tirbi_ref_eval_indices(tirbi_ref_machine *m, const tirb_expr *const *indices, uint32_t n, const uint8_t *mask,
                            tirbi_ref_value **out);
/* The machine type of a scalar or of a vector's elements. */
bool tirbi_ref_element_type(tirbi_ref_machine *m, tirb_datatype type, tirbi_dtype *out);

/* ---- Statements (stmt.c, reduce.c) ---- */
tirbi_ref_flow tirbi_ref_run(tirbi_ref_machine *m, const tirb_stmt *s);
/* Runs the loops from the outermost reduction loop of a tree inwards. */
tirbi_ref_flow tirbi_ref_run_tree(tirbi_ref_machine *m, const tirbi_ref_tree *tree);

/* ---- Calls (call.c) ---- */
bool tirbi_ref_call(tirbi_ref_machine *m, const tirb_expr *call, tirbi_ref_value *out);

#endif
