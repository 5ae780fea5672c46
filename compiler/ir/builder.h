/* The one builder of the typed AST: a stack of frames, used by the parsers and behind the C API.
 *
 * What the rest of the compiler may rely on:
 * - Every node is in the arena and has a span. Expressions are at most TIRBI_MAX_EXPR_DEPTH deep; statements are nested
 *   at most TIRBI_MAX_SCOPES deep, the bodies of LET, ALLOCATE and the like counted.
 * - A parameter `A: T.Buffer(...)`: params[i] is a VAR of pointer type with the buffer's name and buffers[i] the
 * buffer. A `T.handle` with match_buffer: params[i] is the handle's VAR and buffers[i] the matched buffer. In both
 * cases buffers[i]->data is a VAR of its own with `data_of` set, and is what the body mentions.
 * - shape_vars are the VARs, other than parameters, that shapes, strides and elem_offset of parameters mention. A
 *   variable in a strides or elem_offset position is bound by the argument; one in a shape also.
 * - Flat statements are scoped: the rest of the block is the body of LET, ALLOCATE, DECL_BUFFER, ASSERT and ATTR.
 * - Block-level allocations are in block->allocs of the innermost block; where a function has such allocations outside
 *   every block, or its body contains blocks and is not one without iters, the body is in an implicit BLOCK_REALIZE
 * named "root" with no iters, no values and predicate NULL.
 * - Buffer allocations that are statements (tirx alloc_buffer, alloc_local, alloc_shared, T.allocate, assigned
 * variables) are ALLOCATE. An assigned variable is a buffer of shape (1,) with `scalar` set; its uses are loads and
 * stores at [0].
 * - DECL_BUFFER: a view whose buffer->data is the VAR of the memory it views (source NULL), or a VAR of its own bound
 * to the pointer expression `source`.
 * - Index expressions keep the integer type that the text gives them. A slice is a RAMP in the last index; a 0-d buffer
 *   is accessed with n_indices 0. A region used as a value is a LOAD with a RAMP.
 * - A FOR covers min .. min+extent with the given step (NULL: 1); its min and extent have the loop variable's type.
 * - break and continue are BREAK and CONTINUE; `return` and T.ret are RETURN. An empty body is EVALUATE(0).
 * - A call of a PrimFunc has call.function set, also inside expressions, where its type is the declared return type. A
 *   buffer as argument is the buffer's `data` VAR, a region of one ADDRESS_OF(LOAD of its first element), and
 *   call.passed names it: without that, the argument is a pointer, of no shape.
 * - Expressions are as written, apart from the folding that TVM's own parser does (fold.c). FLOAT_IMM holds the number
 * as written; who uses it rounds to its type. */
#ifndef TIRB_COMPILER_IR_BUILDER_H
#define TIRB_COMPILER_IR_BUILDER_H

#include "compiler/ir/ir.h"

enum { TIRBI_MAX_SCOPES = 1000 };

typedef enum tirbi_frame_kind {
    TIRBI_FRAME_FUNCTION,
    TIRBI_FRAME_BLOCK,
    TIRBI_FRAME_INIT,
    TIRBI_FRAME_FOR,
    TIRBI_FRAME_WHILE,
    TIRBI_FRAME_THEN,
    TIRBI_FRAME_ELSE,
    TIRBI_FRAME_SCOPE /* the body of one LET, ATTR, ALLOCATE, DECL_BUFFER or ASSERT */
} tirbi_frame_kind;

/* A growing array in the arena; old copies stay behind in it. */
typedef struct tirbi_list {
    void *items;
    uint32_t n, capacity;
} tirbi_list;

typedef struct tirbi_frame {
    tirbi_frame_kind kind;
    tirbi_span span;
    tirb_stmt *stmt;          /* the statement whose body this is; NULL for FUNCTION and INIT */
    tirbi_list items;         /* of tirb_stmt *; one that waits for its body takes all that follow */
    uint32_t n_open;          /* how many of them wait */
    tirb_block *block;        /* BLOCK */
    tirbi_list iters;         /* of tirb_itervar */
    tirbi_list values;        /* of const tirb_expr * */
    tirbi_list reads, writes; /* of tirb_buffer_region */
    tirbi_list allocs;        /* of const tirb_buffer *; FUNCTION: those of the implicit root block */
    tirbi_list matches;       /* of tirb_match_buffer */
    tirbi_list annotations;   /* of tirb_attr */
    const tirb_expr *predicate; /* NULL: it always holds */
    bool has_predicate;         /* one was given */
} tirbi_frame;

typedef struct tirbi_builder {
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_list frames; /* of tirbi_frame */
    tirbi_list blocks; /* of tirb_block *: those of the function that are complete */
    uint32_t n_scopes; /* frames and waiting statements */
    uint32_t n_vars, n_buffers;
    uint32_t n_emitted; /* statements that were added to frames */
    bool too_deep; /* reported once per function */
    tirbi_span at; /* what is being read: the place of messages about a variable, whose node is at its declaration */
} tirbi_builder;

static inline tirbi_span tirbi_place(const tirbi_builder *b, const tirb_expr *e) {
    return e->kind == TIRB_EXPR_VAR ? b->at : e->span;
}

void tirbi_builder_init(tirbi_builder *b, tirbi_arena *arena, tirbi_diagnostics *diagnostics);
/* A zeroed new item at the list's end; NULL when out of memory. */
void *tirbi_list_add(tirbi_arena *arena, tirbi_list *list, size_t item_size);
#define TIRBI_LIST_ADD(arena, list, type) ((type *)tirbi_list_add((arena), (list), sizeof(type)))

/* ---- Expressions ------------------------------------------------------------------------------------------------
 * Every constructor returns NULL after reporting an error, or when an operand is NULL or memory has run out. */

static const tirb_datatype tirbi_type_void = {TIRB_CODE_HANDLE, 0, 1, false};
static const tirb_datatype tirbi_type_handle = {TIRB_CODE_HANDLE, 64, 1, false};
static const tirb_datatype tirbi_type_bool = {TIRB_CODE_BOOL, 8, 1, false};
static const tirb_datatype tirbi_type_i32 = {TIRB_CODE_INT, 32, 1, false};
static const tirb_datatype tirbi_type_i64 = {TIRB_CODE_INT, 64, 1, false};
static const tirb_datatype tirbi_type_f32 = {TIRB_CODE_FLOAT, 32, 1, false};

static inline bool tirbi_type_is_int(tirb_datatype t) { return t.code == TIRB_CODE_INT || t.code == TIRB_CODE_UINT; }
static inline bool tirbi_type_is_float(tirb_datatype t) {
    return t.code == TIRB_CODE_FLOAT || t.code == TIRB_CODE_BFLOAT || tirb_datatype_is_narrow_float(t);
}
static inline bool tirbi_type_is_bool(tirb_datatype t) { return t.code == TIRB_CODE_BOOL; }
static inline bool tirbi_type_is_handle(tirb_datatype t) { return t.code == TIRB_CODE_HANDLE; }
bool tirbi_is_const_int(const tirb_expr *e, int64_t value);

tirb_expr *tirbi_make_var(tirbi_builder *b, tirbi_span span, const char *name, tirb_type type);
tirb_type tirbi_prim_type(tirb_datatype dtype);
tirb_type tirbi_pointer_type(tirb_datatype element, const char *scope);
/* What an expression of handle type points to, as TVM types it; void where it does not say. */
tirb_type tirbi_pointer_type_of(const tirb_expr *e);
/* The call as one that returns a pointer of this type; other expressions as they are. */
const tirb_expr *tirbi_with_pointer(tirbi_builder *b, const tirb_expr *call, tirb_type type);
/* Constants. The value must be one of the type. For unsigned 64-bit, `value` is by its bits. */
const tirb_expr *tirbi_make_int(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, int64_t value);
const tirb_expr *tirbi_make_float(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, double value);
const tirb_expr *tirbi_make_bool(tirbi_builder *b, tirbi_span span, bool value);
const tirb_expr *tirbi_make_string(tirbi_builder *b, tirbi_span span, const char *text, uint32_t size);
/* A number of any scalar type but handle, folded to it. */
const tirb_expr *tirbi_make_number(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, double value);

/* The conversion of TVM's parser: nothing when the type is the same, folds literals, goes into Broadcast and Ramp, and
 * broadcasts a scalar to a vector type. */
const tirb_expr *tirbi_make_cast(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, const tirb_expr *value);
const tirb_expr *tirbi_make_raw_cast(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, const tirb_expr *value);
/* ADD .. MAX: promotes the operands to one type and folds. */
const tirb_expr *tirbi_make_binary(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                   const tirb_expr *y);
/* ADD .. OR without promotion or folding; the types must agree. */
const tirb_expr *tirbi_make_raw_binary(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                       const tirb_expr *y);
/* EQ .. GE: only a scalar against a vector is adapted. */
const tirb_expr *tirbi_make_compare(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                    const tirb_expr *y);
const tirb_expr *tirbi_make_not(tirbi_builder *b, tirbi_span span, const tirb_expr *x);
/* Promotes both to one type as tirbi_make_binary does; false after an error. */
bool tirbi_match_types(tirbi_builder *b, tirbi_span span, const tirb_expr **x, const tirb_expr **y);
/* BITWISE_AND .. SHIFT_RIGHT, promoted and folded. */
const tirb_expr *tirbi_make_bitwise(tirbi_builder *b, tirbi_span span, tirb_builtin builtin, const tirb_expr *x,
                                    const tirb_expr *y);
const tirb_expr *tirbi_make_select(tirbi_builder *b, tirbi_span span, const tirb_expr *condition,
                                   const tirb_expr *true_value, const tirb_expr *false_value);
const tirb_expr *tirbi_make_if_then_else(tirbi_builder *b, tirbi_span span, const tirb_expr *condition,
                                         const tirb_expr *true_value, const tirb_expr *false_value);
const tirb_expr *tirbi_make_ramp(tirbi_builder *b, tirbi_span span, const tirb_expr *base, const tirb_expr *stride,
                                 tirbi_lanes lanes);
const tirb_expr *tirbi_make_broadcast(tirbi_builder *b, tirbi_span span, const tirb_expr *value, tirbi_lanes lanes);
/* A number of lanes as an expression of an integer type: `n`, or `T.vscale() * n`. */
const tirb_expr *tirbi_make_lanes(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirbi_lanes lanes);
/* Takes a reduction whose parts are made; `reduce` stays. */
const tirb_expr *tirbi_make_reduce(tirbi_builder *b, tirbi_span span, const tirb_reduce *reduce);
const tirb_expr *tirbi_make_shuffle(tirbi_builder *b, tirbi_span span, const tirb_expr *const *vectors,
                                    uint32_t n_vectors, const tirb_expr *const *indices, uint32_t n_indices);
const tirb_expr *tirbi_make_let(tirbi_builder *b, tirbi_span span, const tirb_expr *var, const tirb_expr *value,
                                const tirb_expr *body);
/* The type of an access; false after an error. */
bool tirbi_access_type(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *const *indices,
                       uint32_t n_indices, tirb_datatype *out);
const tirb_expr *tirbi_make_load(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer,
                                 const tirb_expr *const *indices, uint32_t n_indices, const tirb_expr *predicate);
const tirb_expr *tirbi_make_call(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, tirb_builtin builtin,
                                 const tirb_expr *const *args, uint32_t n_args);
/* `passed`: see tirb_expr; it may be NULL. */
const tirb_expr *tirbi_make_passing_call(tirbi_builder *b, tirbi_span span, tirb_datatype dtype, tirb_builtin builtin,
                                         const tirb_expr *const *args, const tirb_buffer_region *passed,
                                         uint32_t n_args);
/* The buffer's data: the variable, or for a view, which has none of its own, a BUFFER_DATA of it that names the
 * view. */
const tirb_expr *tirbi_make_data(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer);
/* The view that such a BUFFER_DATA names, or NULL. */
const tirb_buffer *tirbi_data_view(const tirb_expr *e);
const tirb_expr *tirbi_make_function_call(tirbi_builder *b, tirbi_span span, const tirb_primfunc *function,
                                          const tirb_expr *const *args, const tirb_buffer_region *passed,
                                          uint32_t n_args);
/* Of a global that is no PrimFunc. */
const tirb_expr *tirbi_make_extern_call(tirbi_builder *b, tirbi_span span, const char *name,
                                        const tirb_expr *const *args, const tirb_buffer_region *passed,
                                        uint32_t n_args);
/* stop - start as TVM has it for the axes of blocks: as it is written, unless it is a number or stop is written start +
 * extent. */
const tirb_expr *tirbi_make_domain(tirbi_builder *b, tirbi_span span, const tirb_expr *stop, const tirb_expr *start);
/* stop - start with equal terms of both cancelled. */
const tirb_expr *tirbi_make_difference(tirbi_builder *b, tirbi_span span, const tirb_expr *stop,
                                       const tirb_expr *start);
/* The number of steps from start to stop, which a constant step below 0 counts down. */
const tirb_expr *tirbi_make_steps(tirbi_builder *b, tirbi_span span, const tirb_expr *start, const tirb_expr *stop,
                                  const tirb_expr *step);

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

/* A buffer with a data variable of its own, global scope and the default alignment of 64. Fields may be changed until
 * it is used. */
tirb_buffer *tirbi_make_buffer(tirbi_builder *b, tirbi_span span, const char *name, tirb_datatype dtype,
                               const tirb_expr *const *shape, uint32_t ndim, const char *scope);

/* ---- Statements ------------------------------------------------------------------------------------------------- */

tirb_stmt *tirbi_make_stmt(tirbi_builder *b, tirbi_span span, tirb_stmt_kind kind);
/* Adds a statement to the innermost frame. */
void tirbi_emit(tirbi_builder *b, tirb_stmt *stmt);
/* Adds a LET, ATTR, ALLOCATE, DECL_BUFFER or ASSERT whose body is the rest of the innermost frame. */
void tirbi_emit_scope(tirbi_builder *b, tirb_stmt *stmt);
/* The same in frame `index`, before the statement that is being made in it. */
void tirbi_emit_scope_in(tirbi_builder *b, uint32_t index, tirb_stmt *stmt);
/* The statements of the innermost frame from number `first` on, of which those that wait for a body take what follows
 * them as all of it: what is emitted from here on is behind them. */
void tirbi_close_scopes(tirbi_builder *b, uint32_t first);
void tirbi_emit_evaluate(tirbi_builder *b, tirbi_span span, const tirb_expr *value);
/* Casts the value to the buffer's type and broadcasts it to the lanes of the indices. */
void tirbi_emit_store(tirbi_builder *b, tirbi_span span, const tirb_buffer *buffer, const tirb_expr *value,
                      const tirb_expr *const *indices, uint32_t n_indices, const tirb_expr *predicate);

/* Opens a frame; `stmt` is the FOR, WHILE, IF, BLOCK_REALIZE or scoped statement whose body it becomes. NULL when out
 * of memory or nested too deeply (reported). */
tirbi_frame *tirbi_frame_push(tirbi_builder *b, tirbi_frame_kind kind, tirb_stmt *stmt, tirbi_span span);
/* Closes the innermost frame: its statement gets its body and is added to the frame around it. A THEN frame keeps its
 * IF for a following ELSE frame. */
void tirbi_frame_pop(tirbi_builder *b);
tirbi_frame *tirbi_frame_top(const tirbi_builder *b);
/* The innermost BLOCK frame, or NULL when INIT or FUNCTION come before one; `through_init` looks past INIT. */
tirbi_frame *tirbi_frame_block(const tirbi_builder *b);
/* The frame whose `allocs` a block-level allocation goes to: the innermost BLOCK or the FUNCTION. */
tirbi_frame *tirbi_frame_allocs(const tirbi_builder *b);
/* The FOR statement of an enclosing loop over `var`, or NULL. */
const tirb_stmt *tirbi_frame_loop(const tirbi_builder *b, const tirb_expr *var);
/* Gives a function the pairs of buffer parameters that may share memory, in any order; keeps and sorts the array. */
void tirbi_function_set_aliases(tirb_primfunc *function, tirb_param_pair *pairs, uint32_t n);
/* Closes the FUNCTION frame: fills in body, implicit root block and shape_vars. */
void tirbi_function_finish(tirbi_builder *b, tirb_primfunc *function);

#endif
