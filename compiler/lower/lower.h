/* Shared state of the lowering of one module; private to compiler/lower. */
#ifndef TIRB_COMPILER_LOWER_LOWER_H
#define TIRB_COMPILER_LOWER_LOWER_H

#include "compiler/loop/loop.h"
#include "compiler/lower/module.h"

/* TIRBI_STACK_ANY: cells of a type index and a value, two words each; TIRBI_STACK_WORDS: all other memory for calls. */
typedef enum tirbi_stack_kind { TIRBI_STACK_NONE, TIRBI_STACK_WORDS, TIRBI_STACK_ANY } tirbi_stack_kind;

/* Where a pointer points: an element of a buffer's memory. */
typedef struct tirbi_pointer {
    tirbi_lbuf *memory;     /* a root */
    const tirbi_lx *offset; /* int64, in elements of the memory */
    const tirbi_lx *count;  /* elements that may be reached from there; NULL: all */
    tirbi_stack_kind stack; /* of what tvm_stack_alloca made */
} tirbi_pointer;

/* Of a view whose elements have another size than the memory's. */
typedef struct tirbi_resized {
    tirbi_lbuf words;      /* the memory as integers of its element's size */
    const tirbi_lx *first; /* the word that the view begins at */
} tirbi_resized;

/* What an AST variable stands for: an expression, the buffer that holds the lanes of a vector, an expression to be
 * evaluated for each lane, or a pointer. */
typedef struct tirbi_binding {
    const tirbi_lx *value;
    tirbi_lbuf *lanes;
    const tirb_expr *vector;
    const tirbi_pointer *pointer;
} tirbi_binding;

/* What was written last into a field of a stack's cell; value NULL: something unknown, also in all cells with index
 * -1. A pointer among the values means what it pointed to when it was written. */
typedef struct tirbi_cell {
    const tirb_expr *stack;
    int64_t index, field;
    const tirb_expr *value;
    const tirb_expr *pointer; /* where it is null the value is 0, the type of nothing; NULL: no matter */
    const struct tirbi_cell *next;
} tirbi_cell;

/* A call in a vector that has been made in front of its statement, once for all lanes. */
typedef struct tirbi_early {
    const tirb_expr *call;
    const tirbi_lx *value;
    const struct tirbi_early *next;
} tirbi_early;

typedef struct tirbi_ls_list {
    const tirbi_ls **items;
    uint32_t n, capacity;
} tirbi_ls_list;

/* A nest of For nodes that is a tree reduction (tests/reference/RULES.md, R3 and R4). */
typedef struct tirbi_tree {
    const tirb_stmt *outermost; /* its outermost reduction loop */
    const tirb_stmt *inner[32]; /* outermost and the loops inside it, outermost first */
    bool reduces[32];           /* whether inner[i] is a reduction loop */
    uint32_t n_inner;
    uint32_t order[32]; /* reduction loops as indices into inner, slowest first */
    uint32_t n_order;
    const tirb_stmt *realize; /* the block, or NULL for plain loops */
    const tirb_stmt *body;    /* what holds the updates */
} tirbi_tree;

typedef struct tirbi_lowerer {
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirb_fp_mode fp;
    uint32_t disabled; /* a set of TIRB_PASS_* */
    tirbi_lx_pool *pool;
    tirbi_lmodule *module;
    tirbi_lfunc *function;
    tirbi_binding *bindings; /* by variable id */
    tirbi_lbuf **buffers;    /* by buffer id */
    const bool *acts;        /* by function of the module: it does something beside returning a value */
    const bool *called;      /* by function: another of the module, or it itself, calls it */
    uint32_t n_required;     /* assertions that follow and are left out, for calls from outside check them */
    uint8_t *pinned;         /* by buffer id: must be memory, not a register */
    uint8_t *stores;         /* by buffer id: statements that store to it; 2: several */
    int32_t *returned;       /* by function: the parameter that it returns a pointer into; see returned.c */
    const tirb_expr *
        *pointer_values;     /* by variable id: what a variable is bound to in functions that return pointers */
    uint32_t n_returning;    /* functions that are being looked at for that */
    tirbi_lbuf **fetched;    /* by variable id: what its handle leads to */
    uint32_t n_vars, n_buffers;
    uint32_t var_capacity; /* of what is by variable id */
    bool synchronises;  /* the function has a sync */
    bool moves_results; /* from cells of stacks into registers: calls return all 64 bits */
    tirbi_ls_list *out;
    uint32_t depth;
    uint32_t again; /* > 0: what is lowered may run at another time than the statements in front of it */
    uint32_t in_lanes; /* > 0: what is lowered runs once for each lane of a vector */
    const tirbi_cell *cells;  /* of stacks for calls, at the statement that is lowered, newest first */
    const tirbi_early *early; /* of the statement that is lowered */
    uint32_t n_settled; /* calls with effects that have been put in front of the statement that they are written in */
    const tirb_stmt *chain[32];  /* the perfect nest of loops that is being entered, outermost first */
    uint32_t n_chain;
    tirbi_tree tree; /* of the nest that is being entered; outermost NULL: none */
    tirbi_ls lost;   /* written to and never read once memory has run out */
} tirbi_lowerer;

/* lower.c */
void tirbi_lower_stmt(tirbi_lowerer *l, const tirb_stmt *stmt);
/* Stores into memory, or sets the register that the buffer became. */
void tirbi_store_place(tirbi_lowerer *l, const tirbi_place *place, const tirbi_lx *value, tirbi_span span);
/* Lowers into a list of its own. */
const tirbi_ls *tirbi_lower_body(tirbi_lowerer *l, const tirb_stmt *stmt);
tirbi_ls *tirbi_append(tirbi_lowerer *l, tirbi_ls_kind kind, tirbi_span span);
/* A list as one statement. */
const tirbi_ls *tirbi_finish_list(tirbi_lowerer *l, const tirbi_ls_list *list, tirbi_span span);
/* The counter of a loop, bound to the AST's variable. */
tirbi_lvar *tirbi_lower_loop_var(tirbi_lowerer *l, const tirb_expr *var, const tirbi_lx *min, const tirbi_lx *extent);
/* The same for a loop with a step, or NULL: it is a loop over iterations, and the variable is min + iteration * stride,
 * which counts down where the step is a constant below 0. */
tirbi_lvar *tirbi_lower_steps(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *step, const tirbi_lx *min,
                              const tirbi_lx *extent, const tirbi_lx *stride);
tirbi_lvar *tirbi_new_var(tirbi_lowerer *l, const char *name, tirbi_lvar_kind kind, tirbi_dtype type);
tirbi_lbuf *tirbi_new_temporary(tirbi_lowerer *l, const char *name, tirbi_dtype type, uint32_t lanes, tirbi_span span);
/* Reports that a construct is not supported and goes on. */
void tirbi_unsupported(tirbi_lowerer *l, tirbi_span span, const char *what);

/* foreign.c: the body of a function that calls what no CPU has; false: this one calls nothing of the kind. */
bool tirbi_lower_foreign_body(tirbi_lowerer *l, const tirb_primfunc *f);

/* returned.c: the parameter that a function always returns a pointer into, or -1. */
int32_t tirbi_returned_param(tirbi_lowerer *l, const tirb_primfunc *f);
bool tirbi_start_returned(tirbi_lowerer *l, uint32_t n_functions);
/* The number that stands for the pointer that is returned: bytes from that parameter's pointer on. */
const tirbi_lx *tirbi_lower_returned_pointer(tirbi_lowerer *l, const tirb_expr *value, tirbi_span span);
/* Makes the call: what it returns is `*bytes` behind the pointer `*base`. False after an error. */
bool tirbi_pointer_from_call(tirbi_lowerer *l, const tirb_expr *call, tirbi_span span, const tirb_expr **base,
                             const tirbi_lx **bytes);

/* buffers.c: zeroed memory for `count` elements. */
tirbi_lbuf *tirbi_allocate_memory(tirbi_lowerer *l, const char *name, tirbi_dtype type, const tirbi_lx *count,
                                  tirbi_span span);

/* packed.c: the module with the type codes of functions of TVM 0.27's packed convention; NULL: out of memory. */
const tirb_irmodule *tirbi_with_type_codes(const tirb_irmodule *module, tirbi_arena *arena);
/* The codes that lie beside the values of such a function's parameter; NULL: it has none. */
const tirb_expr *tirbi_codes_of(const tirb_primfunc *f, const tirb_expr *values);
const tirbi_lx *tirbi_index_of_code(tirbi_lx_pool *pool, const tirbi_lx *code);
const tirbi_lx *tirbi_code_of_index(tirbi_lx_pool *pool, const tirbi_lx *index);

/* handles.c: pointers that are no buffer's data */
/* The pointer that a declared buffer has: where it is a handle as a value, a variable that is bound to it. */
const tirb_expr *tirbi_declared_pointer(tirbi_lowerer *l, const tirb_stmt *decl);
/* The pointers among a packed function's parameters; true when its signature is wrong. */
bool tirbi_lower_packed_params(tirbi_lowerer *l, const tirb_primfunc *f);
/* A handle as int64. `inside` is the expression that mentions it. */
const tirbi_lx *tirbi_lower_handle(tirbi_lowerer *l, const tirb_expr *e, const tirb_expr *inside);
/* The number that a handle is: a constant, or a parameter that leads nowhere; NULL: it is another handle. */
const tirbi_lx *tirbi_handle_number(tirbi_lowerer *l, const tirb_expr *e);
/* Whether an expression is a handle as a value, and no place in memory that the function knows. */
bool tirbi_is_handle_value(const tirbi_lowerer *l, const tirb_expr *e);
const tirbi_lx *tirbi_lower_null_test(tirbi_lowerer *l, const tirb_expr *e);
const tirbi_lx *tirbi_lower_struct_get(tirbi_lowerer *l, const tirb_expr *e);
/* Each is false where it does not know the value, or the call. */
bool tirbi_lower_handle_let(tirbi_lowerer *l, const tirb_stmt *s);
bool tirbi_lower_packed_statement(tirbi_lowerer *l, const tirb_expr *e);
/* If the pointer is a handle: the memory behind it as elements of `type`, which the pointer is then known to mean. */
void tirbi_fetch_memory(tirbi_lowerer *l, const tirb_expr *pointer, tirbi_dtype type, tirbi_span span);

/* A type index and a value into a cell of a stack of such. */
void tirbi_store_any(tirbi_lowerer *l, const tirb_expr *stack, int64_t index, const tirbi_lx *type,
                     const tirbi_lx *value, tirbi_span span);

/* cells.c: what the program writes into stacks, field by field or as a store to a buffer of type codes */
void tirbi_know_cell(tirbi_lowerer *l, const tirb_expr *stack, const tirb_expr *index, int64_t field,
                     const tirb_expr *value);
void tirbi_know_code(tirbi_lowerer *l, const tirb_stmt *store);
/* Of what a statement writes that runs any number of times. */
void tirbi_forget_cells(tirbi_lowerer *l, const tirb_stmt *body);
/* A pointer that does not change any more, whatever the program stores to what it is computed from. */
const tirb_expr *tirbi_settle_pointer(tirbi_lowerer *l, const tirb_expr *pointer);
/* After what runs only where a condition holds, which found `before`. */
void tirbi_leave_cells(tirbi_lowerer *l, const tirb_expr *condition, const tirbi_cell *before);
/* After the two branches of an if: the first left `then_cells`, the second those that are known now. */
void tirbi_merge_cells(tirbi_lowerer *l, const tirb_expr *condition, const tirbi_cell *before,
                       const tirbi_cell *then_cells);
/* A call of the host's function with the arguments that the cells hold. */
const tirbi_lx *tirbi_lower_lowered_call(tirbi_lowerer *l, const tirb_expr *e);

/* scalar.c: expressions. `lane` chooses the element of a vector; NULL for scalars. */
const tirbi_lx *tirbi_lower_expr(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane);
/* An integer expression as int64. */
const tirbi_lx *tirbi_lower_index(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane);
/* The extent of a loop as int64: of more iterations than that holds, no call comes to the last one. */
const tirbi_lx *tirbi_lower_extent(tirbi_lowerer *l, const tirb_expr *e);
const tirbi_place *tirbi_lower_place(tirbi_lowerer *l, const tirb_buffer *buffer, const tirb_expr *const *indices,
                                     uint32_t n, const tirbi_lx *lane, tirbi_span span);
/* The indices of a place in the buffer that is returned, one for each of its dimensions. */
tirbi_lbuf *tirbi_lower_indices(tirbi_lowerer *l, const tirb_buffer *buffer, const tirb_expr *const *indices,
                                uint32_t n, const tirbi_lx *lane, tirbi_span span,
                                const tirbi_lx *lowered[TIRBI_MAX_NDIM]);
const tirbi_place *tirbi_place_at(tirbi_lowerer *l, tirbi_lbuf *buffer, const tirbi_lx *const *indices,
                                  tirbi_span span);
/* Loads, or reads the register that the buffer became. */
const tirbi_lx *tirbi_read_place(tirbi_lowerer *l, const tirbi_place *place);
void tirbi_lower_bind(tirbi_lowerer *l, const tirb_expr *var, const tirbi_lx *value);
/* The machine type of a scalar or of a vector's elements; reports and returns false for what has none. */
bool tirbi_machine_type(tirbi_lowerer *l, tirb_datatype type, tirbi_span span, tirbi_dtype *out);

/* buffers.c */
tirbi_lbuf *tirbi_declare_buffer(tirbi_lowerer *l, const tirb_buffer *buffer, int32_t param);
/* A buffer that holds these elements, as a bundle has them, from the start. */
void tirbi_constant_buffer(tirbi_lowerer *l, const tirb_buffer *buffer, const uint8_t *bytes, uint64_t size);
void tirbi_allocate_buffer(tirbi_lowerer *l, const tirb_buffer *buffer);
/* Memory for the region that a BufferRealize names, if its buffer has none. */
void tirbi_realize_buffer(tirbi_lowerer *l, const tirb_stmt *realize);
/* Memory for `parts` of the buffer; then the buffer as part `number` of it. */
tirbi_lbuf *tirbi_allocate_parts(tirbi_lowerer *l, const tirb_buffer *buffer, const tirbi_lx *parts);
void tirbi_use_part(tirbi_lowerer *l, const tirb_buffer *buffer, tirbi_lbuf *memory, const tirbi_lx *number);
void tirbi_match_region(tirbi_lowerer *l, const tirb_match_buffer *match, tirbi_span span);
void tirbi_declare_view(tirbi_lowerer *l, const tirb_stmt *decl);
tirbi_lbuf *tirbi_buffer_of(tirbi_lowerer *l, const tirb_buffer *buffer, tirbi_span span);
/* Marks the buffers of a function that cannot live in a register. */
void tirbi_find_pinned(tirbi_lowerer *l, const tirb_primfunc *function);

/* pointers.c */
/* Where an expression of handle type points; reports what cannot be known. */
bool tirbi_lower_pointer(tirbi_lowerer *l, const tirb_expr *e, tirbi_span span, tirbi_pointer *out);
void tirbi_bind_pointer(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *value, tirbi_span span);
/* The value itself where it can be computed again; else a new variable that is set to it here. */
const tirbi_lx *tirbi_hold(tirbi_lowerer *l, const char *name, const tirbi_lx *value, tirbi_span span);

/* threads.c */
bool tirbi_synchronises(const tirb_stmt *s);
/* A thread loop, FOR or ATTR, with a sync in it. */
void tirbi_lower_threads(tirbi_lowerer *l, const tirb_stmt *s);

/* reduce.c */
const tirbi_lx *tirbi_lower_reduce(tirbi_lowerer *l, const tirb_expr *e);

/* blocks.c */
void tirbi_lower_block(tirbi_lowerer *l, const tirb_stmt *realize);
/* A block's init under its condition; the axes are bound. */
void tirbi_lower_init(tirbi_lowerer *l, const tirb_stmt *realize);
void tirbi_lower_tree(tirbi_lowerer *l);
void tirbi_bind_axis(tirbi_lowerer *l, const tirb_stmt *realize, uint32_t axis);
void tirbi_bind_axes(tirbi_lowerer *l, const tirb_stmt *realize);

/* tree.c: whether the perfect nest that starts with For `outermost` and ends at `chain[n - 1]` is a tree reduction. */
bool tirbi_find_tree(tirbi_lowerer *l, const tirb_stmt *const *chain, uint32_t n, tirbi_tree *out);
/* The update that a store makes, for a nest that is a tree: its operation and term. */
bool tirbi_tree_update(const tirbi_tree *tree, const tirb_stmt *store, tirbi_red_op *op, const tirb_expr **term);

/* resized.c */
/* Makes a buffer a view from a pointer on. */
bool tirbi_resize_view(tirbi_lowerer *l, tirbi_lbuf *view, const tirbi_pointer *memory);
const tirbi_lx *tirbi_read_resized(tirbi_lowerer *l, const tirbi_place *place);
void tirbi_store_resized(tirbi_lowerer *l, const tirbi_place *place, const tirbi_lx *value, tirbi_span span);
/* The same bits as a value of a type of the same size. */
const tirbi_lx *tirbi_as_bits(tirbi_lowerer *l, tirbi_dtype to, const tirbi_lx *x);
/* Part number `part` of a larger value's bits, the least significant first. */
const tirbi_lx *tirbi_part_of(tirbi_lowerer *l, tirbi_dtype to, const tirbi_lx *whole, const tirbi_lx *part);
/* An unsigned value whose parts below `number` are those of `lower`, and this one is x. */
const tirbi_lx *tirbi_with_part(tirbi_lowerer *l, tirbi_dtype type, const tirbi_lx *lower, const tirbi_lx *x,
                                uint32_t number);

/* calls.c */
const tirbi_lx *tirbi_lower_call(tirbi_lowerer *l, const tirb_expr *call);
/* A value of a type whose evaluation ends the call. */
const tirbi_lx *tirbi_lower_trap(tirbi_lowerer *l, tirb_status status, const char *message, tirbi_dtype type);
bool tirbi_is_row_major(tirbi_lowerer *l, const tirbi_lbuf *buffer);

/* imports.c: call_extern, call_pure_extern, call_packed and call_cpacked, which become calls of imports */
const tirbi_lx *tirbi_lower_import(tirbi_lowerer *l, const tirb_expr *call);

/* effects.c */
/* A value with effects, which happen here: in front of the statement that it is part of. NULL, with an error that says
 * what it is, where they cannot. */
const tirbi_lx *tirbi_settle(tirbi_lowerer *l, const tirbi_lx *x, const char *what, tirbi_span span);
/* What a later operand put in front of the statement must not happen before an earlier one is evaluated. Take the mark
 * between the two; then tirbi_keep_order gives the earlier one as it was there. */
typedef struct tirbi_mark {
    uint32_t n, n_settled;
} tirbi_mark;
static inline tirbi_mark tirbi_mark_here(const tirbi_lowerer *l) {
    return (tirbi_mark){l->out ? l->out->n : 0, l->n_settled};
}
const tirbi_lx *tirbi_keep_order(tirbi_lowerer *l, tirbi_mark mark, const tirbi_lx *earlier, tirbi_span span);
/* Finds the functions that do something beside returning a value: l->acts. */
bool tirbi_find_effects(tirbi_lowerer *l, const tirb_irmodule *module);
bool tirbi_builtin_acts(tirb_builtin builtin);
bool tirbi_expr_acts(const tirbi_lowerer *l, const tirb_expr *e);
/* Or is computed by statements, which stand in front of the one that it is in. */
bool tirbi_needs_statements(const tirbi_lowerer *l, const tirb_expr *e);
/* Makes the calls with effects that a vector, and the indices of the store that takes it (NULL: none), have in them:
 * here, in the order of the text, each once; l->early has their values. Reports those that have to wait: false. */
bool tirbi_settle_vector(tirbi_lowerer *l, const tirb_expr *value, const tirb_stmt *store);

#endif
