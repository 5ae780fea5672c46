/* The loop IR: what a PrimFunc becomes once blocks, vectors, match_buffers and region views are gone.
 *
 * Expressions are scalars of a machine type. Pure ones (constants, immutable variables, elementwise operations on pure
 * operands) are interned: equal expressions are one node, so that comparing is by address and common subexpressions are
 * found for free. Statements are a tree. Which roundings happen is already decided here: fused multiply-adds are nodes,
 * tree reductions are statements; nothing later may change either. */
#ifndef TIRB_COMPILER_LOOP_LOOP_H
#define TIRB_COMPILER_LOOP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/ir.h"
#include "compiler/source/index.h"
#include "compiler/source/source.h"
#include "loader/bundle/program.h"
#include "loader/isa/isa.h"

typedef struct tirbi_lx tirbi_lx;
typedef struct tirbi_ls tirbi_ls;
typedef struct tirbi_lvar tirbi_lvar;
typedef struct tirbi_lbuf tirbi_lbuf;
typedef struct tirbi_lfunc tirbi_lfunc;

/* ---- Variables and buffers ------------------------------------------------------------------------------------ */

typedef enum tirbi_lvar_kind {
    TIRBI_LVAR_PARAM, /* scalar parameter or shape variable: lives in its register from the start */
    TIRBI_LVAR_LOOP,
    TIRBI_LVAR_LET,
    TIRBI_LVAR_LOCAL, /* assigned more than once: a one-element buffer kept in a register */
    TIRBI_LVAR_NUMBER /* of the row that a lane loop is at: in no register, only in indices of its cursors */
} tirbi_lvar_kind;

struct tirbi_lvar {
    const char *name;
    tirbi_lvar_kind kind;
    tirbi_dtype type;
    int64_t lo, hi;        /* integers: every value lies in lo .. hi */
    const tirbi_lx *min;   /* LOOP: first value and number of values, as int64 expressions */
    const tirbi_lx *extent;
    const tirbi_lx *below; /* LOOP: every value is below this, beside what min and extent say; NULL: nothing known */
    bool apart;            /* LOOP: no iteration reaches what another one stores to; or, */
    bool forwards;         /* if one does, the earlier one does so earlier in the body */
    const tirbi_lvar *as;  /* PARAM: the parameter itself, where a test of sizes has told more of its values; or NULL */
    uint16_t level;        /* LOOP: how many loops of the program it is in, itself among them; 0: it was made since */
    uint32_t id;           /* its number in the function, for who keeps something of variables: tirbi_lvar_id */
    tirbi_span span;       /* LOOP: where it stands in the source */
};

/* What may be assumed, where code is being emitted, of the parameters that tirb.may_alias names. */
typedef enum tirbi_alias_mode {
    TIRBI_ALIAS_ANY,    /* nothing */
    TIRBI_ALIAS_APART,  /* no two share memory */
    TIRBI_ALIAS_MET,    /* some do: versions for none that do are not worth having */
    TIRBI_ALIAS_CROSSED /* some do and begin at different bytes */
} tirbi_alias_mode;

typedef struct tirbi_aliases {
    const tirb_primfunc *function;
    tirbi_alias_mode mode;
} tirbi_aliases;

struct tirbi_lbuf {
    const char *name;
    tirbi_dtype type;
    uint32_t ndim;
    const tirbi_lx *const *shape;   /* int64 */
    const tirbi_lx *const *strides; /* in elements, int64 */
    const tirbi_lx *offset;         /* added to every element index; NULL: 0 */
    tirbi_lbuf *root;               /* the buffer whose memory this is; itself for parameters and allocations */
    tirbi_lbuf *source;             /* of a matched region: the buffer that it is a part of, from these indices on */
    const tirbi_lx *const *source_mins;
    bool fetched;                   /* what a handle leads to: it may be written only where something writes it */
    const uint8_t *constant;        /* root: its elements, which nothing writes, as a bundle has them; or NULL */
    uint64_t constant_size;
    bool broadcasts;                /* a dimension of extent 1 has one element, whatever the index */
    struct tirbi_resized
        *resized; /* a view whose elements have another size than the memory's, else NULL; lowering only */
    bool covers;                    /* a view in other dimensions, that begins where its memory does: who is inside of
                                       the one is inside of the other */
    struct tirbi_facts *known;      /* in a version for some sizes: what is known of them; else NULL */
    bool overlaps;                  /* a view whose strides may give two indices the same element */
    tirbi_lbuf *elsewhere;          /* the same view, where the loops that it moves with are others; then the next */
    const tirbi_lx *length;         /* allocations: elements that there are; NULL: all of the shape */
    int32_t param;                  /* its parameter, or -1 */
    const tirbi_aliases *aliases; /* root: of the function, if it may share memory with another parameter, else NULL */
    tirbi_lvar *local;              /* the register that it became, or NULL */
    const tirbi_lx *settled;        /* its value, where it was stored once for good, or NULL; lowering only */
    uint32_t id;                    /* its number in the function: tirbi_lbuf_id */
    bool written;                   /* root: some store, or a call that stores, reaches it */
    bool in_part; /* root: what is being planned is a chunk, which has but the part of the memory that it writes */
    const tirbi_lx *holds;          /* memory of the compiler's own: values that this one may have; NULL: any */
    bool read;                      /* root: its first access in program order reads what was there before */
};

/* Whether a buffer's extents are those of its memory: an index inside of them is an element that is there. */
static inline bool tirbi_has_whole_extents(const tirbi_lbuf *b) { return b->root == b || b->covers; }

/* Whether two roots may be the same memory, in part or as a whole. What compares roots to know that two accesses cannot
 * meet has to ask this. */
static inline bool tirbi_may_meet(const tirbi_lbuf *a, const tirbi_lbuf *b) {
    return a == b || (a->aliases && b->aliases && a->aliases->mode != TIRBI_ALIAS_APART &&
                      tirbi_may_alias(a->aliases->function, (uint32_t)a->param, (uint32_t)b->param));
}

/* One place in memory: an element of a buffer by its indices. */
typedef struct tirbi_place {
    tirbi_lbuf *buffer;
    uint32_t ndim;
    const tirbi_lx *const *indices; /* int64 */
    const tirbi_lx *flat;           /* the element's number in the buffer's memory */
    const struct tirbi_place *view; /* the place of the matched buffer as written, checked too; NULL: none */
    bool strays;    /* it is another element in iterations that do not ask for it: see lanes/guard.h */
    uint16_t guard; /* iterations of so many loops, the outermost ones, may not come to it: see facts/guarded.h */
    tirbi_span span;
} tirbi_place;

/* Whether the element's number is another expression than the only index. Whoever looks into both, where they are one,
 * does so twice as often at each level of indices in indices. */
static inline bool tirbi_has_own_number(const tirbi_place *place) {
    return place->ndim != 1 || place->flat != place->indices[0];
}

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

typedef enum tirbi_lx_kind {
    TIRBI_LX_CONST,
    TIRBI_LX_VAR,
    TIRBI_LX_OP,   /* an elementwise instruction of the table */
    TIRBI_LX_LOAD,
    TIRBI_LX_COND, /* args: condition, then, else; only the chosen one is evaluated */
    TIRBI_LX_AND,  /* short-circuit */
    TIRBI_LX_OR,
    TIRBI_LX_CALL
} tirbi_lx_kind;

typedef struct tirbi_lcall {
    uint8_t op; /* in place of a call an instruction on the one reference, REF_PUT, LENGTH or RESULT, or a TRAP; 0: a
                   call */
    uint8_t status;      /* TRAP: how the call ends, with `message` */
    const char *message;
    bool imported;     /* the host's function: no checks */
    bool acts;         /* it does something beside returning a value */
    uint32_t function; /* index in the module, of its functions or of its imports; RESULT: the parameter */
    const tirbi_lx *const *scalars; /* the callee's scalar parameters, then its shape variables */
    uint32_t n_scalars;
    const struct tirbi_lcall_ref *refs;
    uint32_t n_refs;
    const struct tirbi_lcall_check *checks;
    uint32_t n_checks;
} tirbi_lcall;

/* A buffer argument: the whole buffer, or `count` elements from `start` of it. */
typedef struct tirbi_lcall_ref {
    tirbi_lbuf *buffer;
    const tirbi_place *start; /* NULL: whole */
    const tirbi_lx *count;     /* with start */
} tirbi_lcall_ref;

/* An extent that the caller's buffer must have: trap SHAPE with both, of what the message says, unless they agree. */
typedef struct tirbi_lcall_check {
    const tirbi_lx *actual, *expected;
    const char *message;
} tirbi_lcall_check;

struct tirbi_lx {
    uint8_t kind;   /* tirbi_lx_kind */
    uint8_t type;   /* of the value */
    uint8_t op;     /* OP: scalar opcode */
    uint8_t optype; /* OP: the instruction's type byte */
    uint8_t source; /* OP: T operand of cast and bits, else TIRB_TYPE_NONE */
    uint8_t n_args;
    bool shared;    /* no memory, no call: interned */
    bool pure;      /* shared, and no variable that is assigned more than once */
    bool addend_first; /* fused: the last operand was written first, which shows where a call is among them */
    bool traps;     /* evaluating it may end the call (unproven index, division) */
    int64_t value;  /* CONST: integers sign-extended, floats by their bits */
    int64_t lo, hi; /* integer results lie in lo .. hi */
    tirbi_lvar *var;
    const tirbi_lx *args[3];
    const tirbi_place *access;
    const tirbi_lcall *call;
    tirbi_lx *next_interned;
    uint32_t hash;
    uint32_t size; /* nodes of the tree that it stands for, shared ones counted each time, or UINT32_MAX */
    uint32_t id;   /* its number in the function: tirbi_lx_id */
};

/* Whether an index, which has 64 bits and a sign here, is written as one without: TIRBI_INDEX_UNSIGNED says so. */
static inline bool tirbi_index_is_unsigned(const tirbi_lx *index) {
    return index->kind == TIRBI_LX_OP && index->op == TIRB_OP_CAST && index->source == TIRB_U64;
}

/* Expressions are walked as trees: what would be larger than this is kept in a variable. One that is written out may
 * have more nodes than the largest tree, up to so many for each node of the program's own expression. */
enum { TIRBI_MAX_SHARED_SIZE = 64, TIRBI_MAX_INDEX_SIZE = 256, TIRBI_MAX_TREE_SIZE = 20000, TIRBI_MAX_GROWTH = 8 };

/* ---- Statements ----------------------------------------------------------------------------------------------- */

typedef enum tirbi_ls_kind {
    TIRBI_LS_SEQ,
    TIRBI_LS_LOOP,
    TIRBI_LS_IF,
    TIRBI_LS_WHILE,
    TIRBI_LS_SEARCH, /* found = how many iterations come before the first where the condition holds */
    TIRBI_LS_STORE,
    TIRBI_LS_SET, /* var = value, for LET (once) and LOCAL */
    TIRBI_LS_ALLOC,
    TIRBI_LS_FETCH, /* the buffer is what the handle leads to from here on */
    TIRBI_LS_EVAL,
    TIRBI_LS_ASSERT,
    TIRBI_LS_RETURN,
    TIRBI_LS_BREAK,
    TIRBI_LS_CONTINUE,
    TIRBI_LS_TREE
} tirbi_ls_kind;

/* One update O = op(O, e) of a tree reduction; with `factor`, e is value * factor and the add is fused. */
typedef struct tirbi_update {
    const tirbi_place *target;
    tirbi_red_op op;
    const tirbi_lx *value, *factor;
} tirbi_update;

/* Loops that are rows together. */
enum { TIRBI_MAX_ROW_LOOPS = 4 };

struct tirbi_ls {
    uint8_t kind;
    tirbi_span span;
    union {
        struct {
            const tirbi_ls **items;
            uint32_t n;
        } seq;
        struct {
            tirbi_lvar *var; /* runs from var->min, var->extent times */
            const tirbi_lx *step; /* NULL: 1; else a positive int64 expression, and extent counts in units of 1 */
            bool parallel;        /* the program says so: T.parallel or a thread binding */
            bool blocks;          /* its iterations are blocks of rows: see optimize/rows/rows.h */
            uint8_t rows; /* this loop and those in it, together so many, are rows: statement by statement of what
                             is inside them, any number of rows may be done before the next statement */
            const tirbi_ls *body;
        } loop;
        struct {
            const tirbi_lx *condition;
            const tirbi_ls *then_case, *else_case;
            tirbi_lvar *const *first_of; /* the condition says that these loops are at their first value */
            uint32_t n_first_of;
            bool sizes; /* it tests the sizes that the function is called with: the else case is the plain schedule */
            tirbi_lvar *const *narrow; /* parameters that the other one names in its own way: lvar.as */
            uint32_t n_narrow;
        } if_;
        struct {
            const tirbi_lx *condition;
            const tirbi_ls *body;
            bool made; /* of a loop of the program */
        } while_;
        struct {
            tirbi_lvar *var; /* as of a loop */
            const tirbi_lx *condition;
            tirbi_lvar *found; /* begins here */
        } search;
        struct {
            const tirbi_place *access;
            const tirbi_lx *value;
        } store;
        struct {
            tirbi_lvar *var;
            const tirbi_lx *value;
            bool declares; /* the variable begins here */
        } set;
        struct {
            tirbi_lbuf *buffer;
        } alloc;
        struct {
            tirbi_lbuf *buffer;
            const tirbi_lx *handle;
        } fetch;
        struct {
            const tirbi_lx *value; /* EVAL, RETURN (NULL: nothing) */
        } eval;
        struct {
            const tirbi_lx *condition;
            const char *error_kind, *message;
        } assert_;
        struct {
            /* Reduce loops in the order of their axes, last fastest. Nothing happens when one is empty; else init, then
             * every update from what its location holds. */
            tirbi_lvar *const *loops;
            uint32_t n_loops;
            const tirbi_ls *init;
            const tirbi_update *updates;
            uint32_t n_updates;
            const tirbi_lx *const
                *lets; /* values of the body's lets that can trap: computed even if nothing uses them */
            uint32_t n_lets;
        } tree;
    } as;
};

/* ---- Functions ------------------------------------------------------------------------------------------------ */

struct tirbi_lfunc {
    const tirb_primfunc *ast;
    const tirbi_ls *body;
    tirbi_lbuf **param_buffers; /* per parameter, or NULL */
    tirbi_lvar **param_vars;    /* per parameter, or NULL */
    tirbi_lvar **shape_vars;    /* per ast->shape_vars */
    tirbi_lbuf **constants;     /* there from the start */
    uint32_t n_constants, constant_capacity;
    tirbi_aliases aliases;
    struct tirbi_lx_pool *pool; /* nodes of one function are not shared with another */
    bool returns;
    bool packed; /* calling_conv 1 */
    tirbi_dtype return_type;
};

/* A function that the host provides. Calls with the same name and types share one. */
typedef struct tirbi_limport {
    const char *name;
    bool returns;
    tirbi_dtype return_type;
    uint32_t n_params; /* at most TIRBI_MAX_CALL_ARGS */
    const tirbi_import_param *params;
} tirbi_limport;

typedef struct tirbi_lmodule {
    const tirb_irmodule *ast;
    tirbi_lfunc *functions;
    uint32_t n_functions;
    tirbi_limport *imports;
    uint32_t n_imports, import_capacity;
    tirbi_index import_index; /* by name */
} tirbi_lmodule;

/* ---- Making expressions (make.c) -------------------------------------------------------------------------------- */

/* Extents of buffers. */
enum { TIRBI_MAX_EXTENTS = 8 };
typedef struct tirbi_extents {
    const tirbi_lx *item[TIRBI_MAX_EXTENTS];
    uint32_t n;
} tirbi_extents;

typedef struct tirbi_lx_pool {
    tirbi_arena *arena;
    const tirbi_extents *positive; /* those that are 1 at least where code is being planned, or NULL: nothing known */
    struct tirbi_live *live;   /* variables that have values there (optimize/facts/live.h), or NULL: none is known to */
    struct tirbi_asked *asked; /* what is being asked of loops inside lanes (optimize/lanes/scatters.c), or NULL */
    bool rows_apart;           /* lanes may read by number from rows of memory that they store to elsewhere */
    tirbi_lx **buckets; /* made with the first node, and larger ones as nodes become many */
    uint32_t n_buckets; /* a power of two, or 0 */
    uint32_t n_interned;
    uint32_t n_nodes, n_vars, n_buffers; /* that have numbers */
} tirbi_lx_pool;

/* The number of an expression, a variable or a buffer in its function, from 1 on: given when it is first asked for. A
 * copy begins without one. */
static inline uint32_t tirbi_lx_id(tirbi_lx_pool *pool, const tirbi_lx *x) {
    if (x->id == 0) ((tirbi_lx *)(uintptr_t)x)->id = ++pool->n_nodes;
    return x->id;
}
static inline uint32_t tirbi_lvar_id(tirbi_lx_pool *pool, tirbi_lvar *var) {
    if (var->id == 0) var->id = ++pool->n_vars;
    return var->id;
}
static inline uint32_t tirbi_lbuf_id(tirbi_lx_pool *pool, tirbi_lbuf *buffer) {
    if (buffer->id == 0) buffer->id = ++pool->n_buffers;
    return buffer->id;
}

/* The least and the greatest value of an integer type, as far as int64 has them; all of int64 for floats. */
void tirbi_type_range(tirbi_dtype type, int64_t *lo, int64_t *hi);

/* Makers of expressions. Each gives NULL when memory ran out, or where an operand, variable or place is NULL: who makes
 * several, one of another, asks once, at the end. */
const tirbi_lx *tirbi_lx_int(tirbi_lx_pool *pool, tirbi_dtype type, int64_t value);
const tirbi_lx *tirbi_lx_bits(tirbi_lx_pool *pool, tirbi_dtype type, uint64_t bits);
const tirbi_lx *tirbi_lx_var(tirbi_lx_pool *pool, tirbi_lvar *var);
/* An elementwise operation; integer constants fold where folding cannot trap. `source` only for cast and bits. */
const tirbi_lx *tirbi_lx_op(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype optype, tirbi_dtype source, const tirbi_lx *a,
                            const tirbi_lx *b, const tirbi_lx *c);
/* One of two operands of a type. */
const tirbi_lx *tirbi_lx_binary(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype type, const tirbi_lx *a,
                                const tirbi_lx *b);
const tirbi_lx *tirbi_lx_cast(tirbi_lx_pool *pool, tirbi_dtype to, const tirbi_lx *value);
/* x as linear forms read it, where it counts elements: shifts of what is loaded are products and bits that nothing
   shares are sums, as they are everywhere for what is pure. Elsewhere shifts stay: lanes have cheaper ones. */
const tirbi_lx *tirbi_lx_subscript(tirbi_lx_pool *pool, const tirbi_lx *x);
/* FMA, FMS, FNMA of a * b and an addend, which stood before the product or behind it. */
const tirbi_lx *tirbi_lx_fused(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b,
                               const tirbi_lx *addend, bool addend_first);
const tirbi_lx *tirbi_lx_load(tirbi_lx_pool *pool, const tirbi_place *access);
/* The load of an element that is there for certain. */
const tirbi_lx *tirbi_lx_inside(tirbi_lx_pool *pool, const tirbi_lx *load);
/* The same value where it is known to lie in lo .. hi. */
const tirbi_lx *tirbi_lx_within(tirbi_lx_pool *pool, const tirbi_lx *x, int64_t lo, int64_t hi);
const tirbi_lx *tirbi_lx_lazy(tirbi_lx_pool *pool, tirbi_lx_kind kind, const tirbi_lx *a, const tirbi_lx *b,
                              const tirbi_lx *c);
/* One more condition of several; `all`: those before it, or NULL where it is the first. */
const tirbi_lx *tirbi_lx_and(tirbi_lx_pool *pool, const tirbi_lx *all, const tirbi_lx *x);
const tirbi_lx *tirbi_lx_call(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lcall *call);
/* int64 arithmetic for extents and addresses */
const tirbi_lx *tirbi_lx_number(tirbi_lx_pool *pool, int64_t value);
const tirbi_lx *tirbi_lx_wide(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b);
const tirbi_lx *tirbi_lx_with(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, int64_t b);
const tirbi_lx *tirbi_lx_add(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b);
const tirbi_lx *tirbi_lx_sub(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b);
const tirbi_lx *tirbi_lx_mul(tirbi_lx_pool *pool, const tirbi_lx *a, const tirbi_lx *b);
/* Of bool. */
const tirbi_lx *tirbi_lx_both(tirbi_lx_pool *pool, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b);
const tirbi_lx *tirbi_lx_not(tirbi_lx_pool *pool, const tirbi_lx *x);
/* What a comparison is where it does not hold; TIRB_OP_NOP: it is none. */
tirbi_op tirbi_opposite(unsigned op);
/* The same as `not`, by comparisons that hold where those of `x` do not: not (a or i < j) is not a and i >= j. */
const tirbi_lx *tirbi_lx_opposite(tirbi_lx_pool *pool, const tirbi_lx *x);

/* Whether an extent is 1 at least; `known`: which ones are, or NULL. */
static inline bool tirbi_is_positive(const tirbi_extents *known, const tirbi_lx *extent) {
    for (uint32_t i = 0; known && i < known->n; i++) {
        if (known->item[i] == extent) return true;
    }
    return extent->lo >= 1;
}

/* Whether a variable is one of a list. */
static inline bool tirbi_is_listed(const tirbi_lvar *var, tirbi_lvar *const *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == var) return true;
    return false;
}

static inline bool tirbi_lx_is_int(const tirbi_lx *x, int64_t value) {
    return x->kind == TIRBI_LX_CONST && !tirbi_dtype_is_float((tirbi_dtype)x->type) && x->value == value;
}
/* The int32 that an int64 was cast from, where it was. */
static inline const tirbi_lx *tirbi_lx_before_cast(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->source == TIRB_I32 && x->type == TIRB_I64)
        x = x->args[0];
    return x;
}
/* .. and where it was any number that became an int64. */
static inline const tirbi_lx *tirbi_lx_before_casts(const tirbi_lx *x) {
    while (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && x->type == TIRB_I64) x = x->args[0];
    return x;
}
/* Whether an expression names a variable: outside of what loads are indexed by, */
bool tirbi_lx_mentions(const tirbi_lx *x, const tirbi_lvar *var);
/* and anywhere, so that its value may be another one where the variable's is; calls may be anything. */
bool tirbi_lx_depends_on(const tirbi_lx *x, const tirbi_lvar *var);
bool tirbi_place_depends_on(const tirbi_place *place, const tirbi_lvar *var);
/* Whether an expression has a call that does something: it must happen exactly as often as it is written. NULL: no. */
bool tirbi_lx_acts(const tirbi_lx *x);
/* Whether an expression is a division whose own divisor may be 0. */
bool tirbi_lx_may_divide_by_zero(const tirbi_lx *x);
/* Whether two places are the same element of the same buffer, by the same expressions. */
bool tirbi_same_place(const tirbi_place *a, const tirbi_place *b);
/* Whether every value of index `i` is proven to lie in 0 .. extent - 1. */
bool tirbi_index_proven(const tirbi_lx *index, const tirbi_lx *extent);
/* The same of dimension d of a place, with what is known of its extent and of sums of loop variables (proven.c). */
bool tirbi_dim_proven(const tirbi_place *place, uint32_t d);

#endif
