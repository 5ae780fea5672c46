/* tirb/builder.h - build a module of PrimFuncs from C instead of text (libtirbc).
 *
 * A builder is a stack of frames: functions, loops, blocks, branches. What opens a frame is ended by tirb_builder_end;
 * statements go into the innermost frame. Expressions and buffers are handles that the builder owns. Operators promote
 * and fold as TVMScript's do, and everything is checked as if it had been read from text.
 *
 * Nothing here fails on the spot: a mistake is kept as a diagnostic, gives a NULL handle, and NULL handles are passed
 * over silently (a NULL builder too), so that a program can be built in one go and looked at in the end. A builder is
 * used by one thread at a time. Types are given by name ("float32", "int32x4", "bool", "handle"); strings and arrays
 * are copied. What each function makes is named as the TIR specification calls it. */
#ifndef TIRB_BUILDER_H
#define TIRB_BUILDER_H

#include <tirb/compiler.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tirb_builder tirb_builder;
typedef struct tirb_expr tirb_expr;
typedef struct tirb_buffer tirb_buffer;

/* Makes a builder; `allocator` may be NULL (the C library's), and `max_memory` is in bytes, 0 for 1 GiB. The caller
 * owns *out_builder and destroys it. Errors: NO_MEMORY, MEMORY_LIMIT, MISUSE. */
TIRB_API tirb_status tirb_builder_create(const tirb_allocator *allocator, uint64_t max_memory,
                                         tirb_builder **out_builder, tirb_error *error);
/* Destroys a builder with all its handles; NULL is allowed. Results of tirb_builder_compile stay valid. */
TIRB_API void tirb_builder_destroy(tirb_builder *builder);
/* What went wrong so far. The first error is also put into `error`. OK, or the first error's status, or
 * NO_MEMORY, MEMORY_LIMIT, MISUSE. */
TIRB_API tirb_status tirb_builder_status(const tirb_builder *builder, tirb_error *error);
/* How many diagnostics there are so far; 0 for NULL. */
TIRB_API uint32_t tirb_builder_diagnostic_count(const tirb_builder *builder);
/* Diagnostic `index`, owned by the builder and valid until its next call; NULL when there is no such one. */
TIRB_API const tirb_diagnostic *tirb_builder_diagnostic(const tirb_builder *builder, uint32_t index);

/* ---- Functions ---------------------------------------------------------------------------------------------- */

/* PrimFunc: opens a function. Its parameters come next, in order. `return_type` NULL: it returns nothing. A private
 * function can only be called by others of the module. */
TIRB_API void tirb_builder_function(tirb_builder *builder, const char *name, const char *return_type, int is_private);
/* A scalar parameter; the result is its variable. */
TIRB_API const tirb_expr *tirb_builder_scalar_param(tirb_builder *builder, const char *name, const char *type);
/* An int32 or int64 variable that shapes of parameters may mention: its value comes from the arguments. */
TIRB_API const tirb_expr *tirb_builder_shape_var(tirb_builder *builder, const char *name, const char *type);
/* A buffer parameter of `ndim` extents in elements, numbers or sums of shape variables, without strides. */
TIRB_API const tirb_buffer *tirb_builder_buffer_param(tirb_builder *builder, const char *name, const char *type,
                                                      const tirb_expr *const *shape, uint32_t ndim);
/* Lets a call pass the same memory for two buffer parameters although the function writes one of them: the attribute
 * tirb.may_alias. */
TIRB_API void tirb_builder_may_alias(tirb_builder *builder, const tirb_buffer *x, const tirb_buffer *y);
/* Closes the innermost frame: a function, loop, branch, block or block's init. */
TIRB_API void tirb_builder_end(tirb_builder *builder);

/* ---- Expressions -------------------------------------------------------------------------------------------- */

/* IntImm and FloatImm: constants of a type; integers of a float type are FloatImm. */
TIRB_API const tirb_expr *tirb_builder_int(tirb_builder *builder, const char *type, int64_t value);
TIRB_API const tirb_expr *tirb_builder_float(tirb_builder *builder, const char *type, double value);
/* op: + - * / // % min max, == != < <= > >=, and or, & | ^ << >>. "/" of integers divides towards zero. */
TIRB_API const tirb_expr *tirb_builder_binary(tirb_builder *builder, const char *op, const tirb_expr *x,
                                              const tirb_expr *y);
/* Not: of a bool. */
TIRB_API const tirb_expr *tirb_builder_not(tirb_builder *builder, const tirb_expr *x);
/* Cast: integers keep their low bits, floats are truncated to integers and saturate, NaN to 0; what becomes a float is
 * rounded to nearest even. */
TIRB_API const tirb_expr *tirb_builder_cast(tirb_builder *builder, const char *type, const tirb_expr *x);
/* if_then_else: evaluates only the arm that is chosen. */
TIRB_API const tirb_expr *tirb_builder_if_then_else(tirb_builder *builder, const tirb_expr *condition,
                                                    const tirb_expr *x, const tirb_expr *y);
/* BufferLoad: the element with these `n` indices, one for each dimension, each checked against its own extent. */
TIRB_API const tirb_expr *tirb_builder_load(tirb_builder *builder, const tirb_buffer *buffer,
                                            const tirb_expr *const *indices, uint32_t n);
/* Ramp: `lanes` numbers from `base` on, `stride` apart: as last index of a load or store it makes that a vector
 * access. */
TIRB_API const tirb_expr *tirb_builder_ramp(tirb_builder *builder, const tirb_expr *base, const tirb_expr *stride,
                                            uint32_t lanes);
/* A mathematical function by name ("exp", "pow", "fma", "lgamma"): its type is that of the first argument. */
TIRB_API const tirb_expr *tirb_builder_math(tirb_builder *builder, const char *name, const tirb_expr *const *args,
                                            uint32_t n);
/* The buffer as argument of a call. */
TIRB_API const tirb_expr *tirb_builder_data(tirb_builder *builder, const tirb_buffer *buffer);
/* A call of a function that was opened before, the one being built included. */
TIRB_API const tirb_expr *tirb_builder_call(tirb_builder *builder, const char *function, const tirb_expr *const *args,
                                            uint32_t n);

/* ---- Statements --------------------------------------------------------------------------------------------- */

typedef enum tirb_loop_kind {
    TIRB_LOOP_SERIAL = 0,
    TIRB_LOOP_PARALLEL = 1,
    TIRB_LOOP_VECTORIZED = 2,
    TIRB_LOOP_UNROLLED = 3
} tirb_loop_kind;

/* For: opens a loop over min .. min+extent; the result is its variable. */
TIRB_API const tirb_expr *tirb_builder_for(tirb_builder *builder, tirb_loop_kind kind, const char *name,
                                           const tirb_expr *min, const tirb_expr *extent);
/* While: opens a loop that goes on as long as the condition holds before a round. */
TIRB_API void tirb_builder_while(tirb_builder *builder, const tirb_expr *condition);
/* IfThenElse: opens a branch; after its end, tirb_builder_else may open the other. */
TIRB_API void tirb_builder_if(tirb_builder *builder, const tirb_expr *condition);
TIRB_API void tirb_builder_else(tirb_builder *builder);
/* Block: opens one; its axes come first. */
TIRB_API void tirb_builder_block(tirb_builder *builder, const char *name);
/* IterVar: an axis over 0 .. extent with the given value; the result is its variable. */
TIRB_API const tirb_expr *tirb_builder_axis(tirb_builder *builder, const char *name, int is_reduction,
                                            const tirb_expr *extent, const tirb_expr *value);
/* Runs the block only where the condition holds. */
TIRB_API void tirb_builder_where(tirb_builder *builder, const tirb_expr *condition);
/* Opens the block's init, which runs when every reduction axis is at its beginning. */
TIRB_API void tirb_builder_init(tirb_builder *builder);
/* BufferStore: to the element with these `n` indices; the value is cast to the buffer's type. */
TIRB_API void tirb_builder_store(tirb_builder *builder, const tirb_buffer *buffer, const tirb_expr *value,
                                 const tirb_expr *const *indices, uint32_t n);
/* LetStmt: a variable that is bound once, for the rest of the frame. */
TIRB_API const tirb_expr *tirb_builder_let(tirb_builder *builder, const char *name, const tirb_expr *value);
/* Allocate: a new buffer of zeroes, for the rest of the frame, or with `in_block` of the innermost block. */
TIRB_API const tirb_buffer *tirb_builder_allocate(tirb_builder *builder, const char *name, const char *type,
                                                  const tirb_expr *const *shape, uint32_t ndim, int in_block);
/* AssertStmt: where the condition does not hold the call ends with ASSERT and the message. */
TIRB_API void tirb_builder_assert(tirb_builder *builder, const tirb_expr *condition, const char *message);
/* The same for what arguments must meet, in front of all other statements of a function: the attribute tirb.requires. A
 * call from outside checks the condition, comparisons of integers that are made of shape variables, integer parameters
 * and constants, before it runs anything, and ends with SHAPE. */
TIRB_API void tirb_builder_require(tirb_builder *builder, const tirb_expr *condition, const char *message);
/* Evaluate: a call for what it does. */
TIRB_API void tirb_builder_evaluate(tirb_builder *builder, const tirb_expr *value);
/* ret: ends the function with a value, or where that is NULL with none. */
TIRB_API void tirb_builder_return(tirb_builder *builder, const tirb_expr *value);
/* Leave the innermost loop, and go on with its next iteration. */
TIRB_API void tirb_builder_break(tirb_builder *builder);
TIRB_API void tirb_builder_continue(tirb_builder *builder);

/* Compiles what was built, as tirb_compile does text, with its options and result. The builder must have no open frame
 * and no errors; it stays the caller's and can be compiled again. The bundle has no source map. Errors: those of
 * tirb_builder_status; MISUSE while a frame is open; those of tirb_compile. */
TIRB_API tirb_status tirb_builder_compile(tirb_builder *builder, const tirb_compile_options *options,
                                          tirb_compile_result **out_result, tirb_error *error);

#ifdef __cplusplus
}
#endif
#endif
