/* The typed AST: the grammar of the TIR specification, whole.
 *
 * Nodes are made by the builder (compiler/ir/builder.h), live in the arena of one compilation, carry the span of the
 * source that they come from, and are not changed once built. Variables and buffers are compared by address. */
#ifndef TIRB_COMPILER_IR_IR_H
#define TIRB_COMPILER_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/ir/types.h"
#include "compiler/source/source.h"

typedef struct tirb_expr tirb_expr;
typedef struct tirb_stmt tirb_stmt;
typedef struct tirb_buffer tirb_buffer;
typedef struct tirb_primfunc tirb_primfunc;

/* ---- Types ---------------------------------------------------------------------------------------------------- */

/* The finer-grained type of a variable. */
typedef enum tirb_type_kind { TIRB_TYPE_PRIM, TIRB_TYPE_POINTER, TIRB_TYPE_TUPLE } tirb_type_kind;

typedef struct tirb_type {
    tirb_type_kind kind;
    tirb_datatype dtype; /* PRIM: the type; POINTER: of the element (void if unknown) */
    const char *scope;   /* POINTER: storage scope, "" or "global" for ordinary memory */
} tirb_type;

enum { TIRBI_MAX_EXPR_DEPTH = 1000, TIRBI_MAX_EXPR_SIZE = 1000000, TIRBI_MAX_LANES = 4096 };

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

typedef enum tirb_expr_kind {
    TIRB_EXPR_VAR,
    TIRB_EXPR_INT_IMM,
    TIRB_EXPR_FLOAT_IMM,
    TIRB_EXPR_STRING_IMM,
    TIRB_EXPR_CAST,
    TIRB_EXPR_ADD,
    TIRB_EXPR_SUB,
    TIRB_EXPR_MUL,
    TIRB_EXPR_DIV,
    TIRB_EXPR_MOD,
    TIRB_EXPR_FLOORDIV,
    TIRB_EXPR_FLOORMOD,
    TIRB_EXPR_MIN,
    TIRB_EXPR_MAX,
    TIRB_EXPR_EQ,
    TIRB_EXPR_NE,
    TIRB_EXPR_LT,
    TIRB_EXPR_LE,
    TIRB_EXPR_GT,
    TIRB_EXPR_GE,
    TIRB_EXPR_AND,
    TIRB_EXPR_OR,
    TIRB_EXPR_NOT,
    TIRB_EXPR_SELECT,
    TIRB_EXPR_LOAD,
    TIRB_EXPR_RAMP,
    TIRB_EXPR_BROADCAST,
    TIRB_EXPR_LET,
    TIRB_EXPR_CALL,
    TIRB_EXPR_SHUFFLE,
    TIRB_EXPR_REDUCE
} tirb_expr_kind;

/* A variable is its own declaration; every use is the same node. A buffer's `data` is a variable of pointer type. */
typedef struct tirb_var {
    const char *name;
    tirb_type type;
    uint32_t id;          /* unique in its module, in order of creation */
    tirb_buffer *data_of; /* the buffer whose data pointer this is, or NULL */
} tirb_var;

/* The builtins that a Call may name: see builtin.def. */
typedef enum tirb_builtin {
#define TIRB_BUILTIN(name, text, arity, effect, op) TIRB_BUILTIN_##name,
#include "compiler/ir/builtin.def"
#undef TIRB_BUILTIN
    TIRB_N_BUILTINS
} tirb_builtin;

typedef enum tirb_effect {
    TIRB_EFFECT_ANNOTATION,
    TIRB_EFFECT_PURE,
    TIRB_EFFECT_READ,
    TIRB_EFFECT_UPDATE,
    TIRB_EFFECT_OPAQUE,
    TIRB_EFFECT_SPECIAL,
    TIRB_EFFECT_EMBED,
    TIRB_EFFECT_JUMP
} tirb_effect;

typedef struct tirb_builtin_info {
    const char *name; /* "exp", as in T.exp and tirx.exp */
    int8_t arity;     /* -1: any number */
    uint8_t effect;   /* tirb_effect */
    uint16_t op;      /* the elementwise instruction that it is, TIRB_COMPOSED where several are, or 0 */
} tirb_builtin_info;

enum { TIRB_COMPOSED = 0xFFFF };

extern const tirb_builtin_info tirb_builtins[TIRB_N_BUILTINS];

typedef struct tirb_range {
    const tirb_expr *min, *extent;
} tirb_range;

typedef struct tirb_buffer_region {
    const tirb_buffer *buffer;
    const tirb_range *region; /* buffer->ndim of them */
} tirb_buffer_region;

/* The builder gives a node the memory that its kind needs: a whole one is only copied where it is a call. */
struct tirb_expr {
    tirb_expr_kind kind;
    tirb_datatype dtype;
    uint16_t depth; /* levels of nodes below and including this one; the builder keeps it <= TIRBI_MAX_EXPR_DEPTH */
    tirbi_span span;
    uint32_t size; /* nodes, shared ones counted at each use; the builder keeps it <= TIRBI_MAX_EXPR_SIZE */
    union {
        tirb_var var;
        int64_t int_value;  /* INT_IMM; unsigned 64-bit by its bits; bool 0 or 1 */
        double float_value; /* as written, not yet rounded to dtype */
        struct {
            const char *text;
            uint32_t size;
        } string;
        struct {
            const tirb_expr *value;
        } cast; /* CAST and NOT */
        struct {
            const tirb_expr *a, *b;
        } binary; /* ADD .. MAX, EQ .. GE, AND, OR */
        struct {
            const tirb_expr *condition, *true_value, *false_value;
        } select;
        struct {
            const tirb_buffer *buffer;
            const tirb_expr *const *indices;
            uint32_t n_indices;
            const tirb_expr *predicate; /* NULL: none */
        } load;
        struct {
            const tirb_expr *base, *stride; /* lanes: tirbi_lanes_of(dtype) */
        } ramp;
        struct {
            const tirb_expr *value;
        } broadcast;
        struct {
            const tirb_expr *var, *value, *body;
        } let;
        struct {
            const tirb_primfunc *function; /* a call of this function when not NULL, else of the builtin */
            const char *function_name;     /* of a global that is called by name and may be no PrimFunc */
            tirb_builtin builtin;
            const tirb_expr *const
                *args; /* a buffer as argument is its `data` variable, a region the address of its first element */
            uint32_t n_args;
            const tirb_buffer_region *passed; /* per argument: the buffer that it is, and of a part the region; of
                                                 BUFFER_DATA the view whose data it is; NULL: none */
            const char *symbol;               /* of a builtin that was written as a call of this C function, or NULL */
            tirb_builtin written_as;          /* then CALL_EXTERN or CALL_PURE_EXTERN */
            const tirb_type *pointer;         /* of a builtin that is said to return a pointer to this, or NULL */
        } call;
        struct {
            const tirb_expr *const *vectors;
            const tirb_expr *const *indices;
            uint32_t n_vectors, n_indices;
        } shuffle;
        const struct tirb_reduce *reduce;
    } as;
};

/* ---- Buffers and regions -------------------------------------------------------------------------------------- */

struct tirb_buffer {
    const char *name;
    const tirb_expr *data; /* VAR of pointer type */
    const tirb_buffer
        *over; /* the view by whose name `data` is given; NULL: it is the variable's buffer or a pointer */
    tirb_datatype dtype;
    const tirb_expr *const *shape;
    uint32_t ndim;
    const tirb_expr *const *strides;     /* NULL: compact, row-major */
    const tirb_expr *const *odd_strides; /* of another number than dimensions: they are printed, nothing runs */
    uint32_t n_odd_strides;
    const tirb_expr *elem_offset; /* NULL: 0 */
    const char *scope;
    int32_t data_alignment;
    int32_t offset_factor;
    bool auto_broadcast;
    const char *layout; /* as it is written, "None" too; NULL: what TVM takes where nothing is said */
    bool is_implied;    /* of a parameter that is a pointer: all that the argument has, as the text does not say */
    tirbi_span span;
    uint32_t id;
};

/* A node like this one, with room for every kind, to be changed by whoever asks. Assignment copies no expressions: a
 * node has the memory that its kind needs. NULL when memory ran out. */
tirb_expr *tirbi_copy_expr(tirbi_arena *arena, const tirb_expr *e);

/* T.vscale(). */
bool tirbi_is_vscale(const tirb_expr *e);
/* The number of lanes that an expression is: a constant, T.vscale(), or a product of the two. */
bool tirbi_lanes_of_expr(const tirb_expr *e, tirbi_lanes *out);
/* The elements that an access reads or writes: those of its last index, each of a buffer's element. */
tirbi_lanes tirbi_access_lanes(const tirb_buffer *buffer, const tirb_expr *const *indices, uint32_t n_indices);

/* The type of a buffer's element offset where it is not written: then it is 0 of this type. */
tirb_datatype tirbi_offset_type(const tirb_buffer *buffer);

/* The elements that a bare pointer leads to, as many as there are: a view of one dimension and this extent, without
 * strides or offset, over data that is not its own. */
#define TIRBI_POINTEE_EXTENT INT64_MAX
bool tirbi_is_pointee(const tirb_buffer *buffer);
/* Whether a function has TVM's packed calling convention: the attribute calling_conv with the value 1. */
bool tirbi_is_packed(const tirb_primfunc *f);

typedef struct tirb_match_buffer {
    const tirb_buffer *buffer;
    tirb_buffer_region source;
} tirb_match_buffer;

typedef enum tirb_itervar_type {
    TIRB_ITER_DATA_PAR,
    TIRB_ITER_THREAD_INDEX,
    TIRB_ITER_COMM_REDUCE,
    TIRB_ITER_ORDERED,
    TIRB_ITER_OPAQUE,
    TIRB_ITER_UNROLLED,
    TIRB_ITER_VECTORIZED,
    TIRB_ITER_PARALLELIZED,
    TIRB_ITER_TENSORIZED
} tirb_itervar_type;

typedef struct tirb_itervar {
    tirb_range dom;
    const tirb_expr *var;
    tirb_itervar_type type;
    const char *thread_tag;
} tirb_itervar;

typedef struct tirb_reduce {
    const tirb_expr *const *lhs, *const *rhs, *const *result, *const *identity; /* the CommReducer, n_values of each */
    const tirb_expr *const *source;
    const tirb_expr *const *init; /* NULL: none */
    uint32_t n_values;
    const tirb_itervar *axis;
    uint32_t n_axis;
    uint32_t value_index;
    const tirb_expr *condition;
} tirb_reduce;

/* Attribute and annotation values are constants of the language; others are kept as their source text. */
typedef struct tirb_attr {
    const char *key;
    const tirb_expr *value; /* NULL: a value that is no expression, see text */
    const char *text;
    bool bare; /* value is a number of Python, which has no type of the program */
} tirb_attr;

/* ---- Statements ----------------------------------------------------------------------------------------------- */

typedef enum tirb_stmt_kind {
    TIRB_STMT_LET,
    TIRB_STMT_ATTR,
    TIRB_STMT_ASSERT,
    TIRB_STMT_STORE,
    TIRB_STMT_BUFFER_REALIZE,
    TIRB_STMT_ALLOCATE, /* of a buffer: its data variable and the buffer itself are bound for the body */
    TIRB_STMT_ALLOCATE_CONST,
    TIRB_STMT_DECL_BUFFER,
    TIRB_STMT_SEQ,
    TIRB_STMT_IF,
    TIRB_STMT_EVALUATE,
    TIRB_STMT_FOR,
    TIRB_STMT_WHILE,
    TIRB_STMT_BLOCK_REALIZE, /* with its block */
    TIRB_STMT_RETURN,
    TIRB_STMT_BREAK,
    TIRB_STMT_CONTINUE,
    TIRB_STMT_PREFETCH
} tirb_stmt_kind;

typedef enum tirb_for_kind {
    TIRB_FOR_SERIAL,
    TIRB_FOR_PARALLEL,
    TIRB_FOR_VECTORIZED,
    TIRB_FOR_UNROLLED,
    TIRB_FOR_THREAD_BINDING
} tirb_for_kind;

typedef struct tirb_block {
    const char *name;
    const tirb_itervar *iters;
    uint32_t n_iters;
    const tirb_buffer_region *reads, *writes;
    uint32_t n_reads, n_writes;
    bool has_reads, has_writes; /* written in the text; else they would be detected */
    const tirb_buffer *const *allocs;
    uint32_t n_allocs;
    const tirb_match_buffer *matches;
    uint32_t n_matches;
    const tirb_attr *annotations;
    uint32_t n_annotations;
    const tirb_stmt *init; /* NULL: none */
    const tirb_stmt *body;
    bool no_realize;
} tirb_block;

struct tirb_stmt {
    tirb_stmt_kind kind;
    tirbi_span span;
    union {
        struct {
            const tirb_expr *var, *value;
            const tirb_stmt *body;
        } let;
        struct {
            const tirb_expr *node_expr; /* the node when it is an expression, else NULL */
            const tirb_buffer *node_buffer; /* written as this buffer, whose data node_expr is; or NULL */
            const char *node_text;      /* else the text that it was written as, or NULL */
            const char *key;
            const tirb_expr *value;
            const tirb_stmt *body;
            const tirb_itervar *thread; /* thread_extent, virtual_thread */
            const tirb_reduce *reducer; /* reduce_scope: how values combine, and the identity; node_text has its text */
        } attr;
        struct {
            const tirb_expr *condition;
            const char *error_kind;   /* "RuntimeError" */
            const tirb_expr *message; /* STRING_IMM or int32 */
            const char *const *parts; /* of the message, as its text divides it; none: it is one */
            uint32_t n_parts;
            const tirb_stmt *body;
        } assert_;
        struct {
            const tirb_buffer *buffer;
            const tirb_expr *value;
            const tirb_expr *const *indices;
            uint32_t n_indices;
            const tirb_expr *predicate;
        } store;
        struct {
            const tirb_buffer *buffer;
            const tirb_range *bounds;
            const tirb_expr *condition;
            const tirb_stmt *body;
        } realize;
        struct {
            const tirb_buffer *buffer;
            const tirb_expr *condition; /* NULL: always */
            const tirb_attr *annotations;
            uint32_t n_annotations;
            const tirb_expr *const *elements; /* ALLOCATE_CONST: constants, in row-major order */
            uint32_t n_elements;
            const uint8_t *bytes; /* the same: the elements as a bundle has them, in place of `elements`; or NULL */
            uint64_t n_bytes;
            const tirb_stmt *body;
            bool scalar; /* made for an assigned variable: printed as its bare name */
        } allocate;
        struct {
            const tirb_buffer *buffer; /* a view of the memory that buffer->data points to */
            const tirb_expr *source;   /* pointer expression it is declared over, or NULL */
            const tirb_stmt *body;
        } decl;
        struct {
            const tirb_stmt *const *items;
            uint32_t n;
        } seq;
        struct {
            const tirb_expr *condition;
            const tirb_stmt *then_case, *else_case; /* else_case NULL: none */
        } if_;
        struct {
            const tirb_expr *value;
        } evaluate; /* EVALUATE, RETURN (value NULL: none) */
        struct {
            bool is_statement; /* T.Break(), T.Continue(): TVM has them beside the calls that `break` and `continue` are
                                */
        } jump;                /* BREAK, CONTINUE */
        struct {
            const tirb_expr *var, *min, *extent;
            const tirb_expr *step; /* NULL: 1 */
            tirb_for_kind kind;
            const char *thread_tag;
            const tirb_attr *annotations;
            uint32_t n_annotations;
            const tirb_stmt *body;
        } for_;
        struct {
            const tirb_expr *condition;
            const tirb_stmt *body;
        } while_;
        struct {
            const tirb_block *block;
            const tirb_expr *const *values; /* block->n_iters of them */
            const tirb_expr *predicate;     /* NULL: always */
        } block;
        struct {
            const tirb_buffer *buffer;
            const tirb_range *bounds;
            const tirb_stmt *body;
        } prefetch;
    } as;
};

/* ---- Functions and modules ------------------------------------------------------------------------------------ */

/* What call_extern calls to hand out a result: its number among the results, its extents, its elements. */
#define TIRBI_RESULT_NAME "tirb.result"
/* What it calls to call a function of the host: that one's name, how many of the arguments behind it are only read, and
 * those and the others. */
#define TIRBI_HOST_NAME "tirb.host"

/* Two parameters by number, the first one smaller. */
typedef struct tirb_param_pair {
    uint32_t first, second;
} tirb_param_pair;

struct tirb_primfunc {
    const char *name;          /* in its module */
    const char *global_symbol; /* NULL: private */
    bool is_private;
    bool is_entry;   /* private, but a Relax function of the module calls it: it can be called from outside */
    bool s_tir;      /* schedulable text, or classic spelling */
    bool any_packed; /* its packed convention is TVM 0.27's, with places for type codes (compiler/lower/packed.c) */
    bool classic;    /* written as `tir`: a plain assignment is a let */
    bool hybrid;     /* written as Hybrid Script of 2020 */
    const tirb_expr *const *params;    /* VARs: scalars, pointers, or the handle of a buffer in buffer_map */
    const tirb_buffer *const *buffers; /* per parameter: the buffer that it is bound to, or NULL */
    uint32_t n_params;
    const char *const *param_names; /* per parameter: what callers call it, or NULL: by its own name; NULL: all so */
    uint32_t n_results;             /* the last so many parameters are what a Relax function returns */
    const bool *is_open;            /* per result: the function decides its extents (TIRBI_RESULT_NAME); NULL: none */
    const tirb_expr *const *shape_vars; /* variables that shapes, strides and offsets of parameters bind */
    uint32_t n_shape_vars;
    tirb_type ret_type;     /* TUPLE: returns nothing */
    bool says_void;         /* of that its text says `-> T.void` */
    const tirb_attr *attrs; /* but for tirb.may_alias and tirb.requires */
    uint32_t n_attrs;
    const tirb_param_pair *may_alias; /* buffers that may share memory: ascending, each pair once */
    uint32_t n_may_alias;
    uint32_t n_required; /* assertions that the body begins with and arguments must meet: attribute tirb.requires */
    const tirb_expr *const *const *minima; /* per parameter: of a comprehension's result, the index of the first element
                                              in each dimension, or NULL: 0; NULL: 0 for all */
    const tirb_stmt *body;                 /* NULL only while it is being declared */
    tirbi_span span;
    uint32_t index; /* in its module */
};

/* Whether it is called from outside. */
static inline bool tirbi_is_public(const tirb_primfunc *f) { return !f->is_private || f->is_entry; }

/* The first of the assertions that tirb.requires counts: what the body, or that of the root block around it, begins
 * with. The next ones are the bodies. The module is checked, or it may be something else, or NULL. */
static inline const tirb_stmt *tirbi_first_required(const tirb_primfunc *f) {
    const tirb_stmt *s = f->body;
    bool root = s && s->kind == TIRB_STMT_BLOCK_REALIZE && s->as.block.block->n_iters == 0 && !s->as.block.predicate;
    return root ? s->as.block.block->body : s;
}

/* Whether tirb.may_alias names the two parameters, in either order. */
static inline bool tirbi_may_alias(const tirb_primfunc *f, uint32_t a, uint32_t b) {
    tirb_param_pair wanted = {a < b ? a : b, a < b ? b : a};
    uint32_t low = 0, high = f->n_may_alias;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const tirb_param_pair *p = &f->may_alias[middle];
        if (p->first == wanted.first && p->second == wanted.second) return true;
        if (p->first < wanted.first || (p->first == wanted.first && p->second < wanted.second))
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* A global that is no PrimFunc: a program may name it, and ends where it calls it. */
typedef struct tirb_extern {
    const char *name;
    const char *symbol; /* R.ExternFunc("symbol") */
    tirbi_span span;
} tirb_extern;

typedef struct tirb_irmodule {
    const char *name; /* of the class; NULL: a function by itself */
    tirb_primfunc *const *functions;
    uint32_t n_functions;
    uint32_t n_library; /* the last of them: not the program's, but tirb's own (compiler/lower/library.h) */
    const tirb_extern *externs;
    uint32_t n_externs;
    const tirb_attr *attrs;
    uint32_t n_attrs;
    uint32_t n_vars, n_buffers;           /* ids in use */
    const struct tirb_global_info *infos; /* of I.module_global_infos, by their keys (compiler/ir/relax.h) */
    uint32_t n_infos;
    const char *meta;     /* the text of Hybrid Script's __tvm_meta__, or NULL */
    const char *metadata; /* the text of the value of `metadata`, which functions mention, or NULL */
    bool omits_metadata;  /* they do, and the text does not have it */
    const struct tirb_relax_function *const *relax; /* Relax functions (compiler/ir/relax.h) */
    uint32_t n_relax, n_relax_vars;
} tirb_irmodule;

/* The name, by address, of a variable that was made without one. */
extern const char tirbi_unnamed[];

#endif
