/* Relax: whole models as functions over tensors, beside the PrimFuncs that they call.
 *
 * Scalars and dimensions are TIR expressions over int64 variables, so that there is one hierarchy of them: whatever
 * simplifies, compares or prints an expression serves here. Nodes live in the arena of one compilation and are not
 * changed once built. What the builder (compiler/relax/infer/builder.h) makes is in A-normal form: the operands of a
 * call, a tuple or a condition are leaves, which are variables, constants, scalars, shapes, names and tuples of such.
 *
 * - Every expression has its inferred type.
 * - A variable whose type is PRIM is the TIR variable `scalar`; its uses are PRIM expressions of that variable.
 * - The outputs of a dataflow block are its variables without `dataflow`.
 * - A function in the module has a name; one that stands in a body is local and has none of its own: its binding's
 *   variable names it. */
#ifndef TIRB_COMPILER_IR_RELAX_H
#define TIRB_COMPILER_IR_RELAX_H

#include "compiler/ir/ir.h"

typedef struct tirb_relax_type tirb_relax_type;
typedef struct tirb_relax_expr tirb_relax_expr;
typedef struct tirb_relax_var tirb_relax_var;
typedef struct tirb_relax_function tirb_relax_function;
typedef struct tirb_relax_operator tirb_relax_operator; /* compiler/relax/infer/operators.h */

enum { TIRBI_MAX_RELAX_DEPTH = 200, TIRBI_MAX_RELAX_RANK = 64, TIRBI_MAX_RELAX_TYPE = 20000 };

/* ---- Types ------------------------------------------------------------------------------------------------------- */

typedef enum tirb_relax_type_kind {
    TIRB_RELAX_TYPE_ANY,
    TIRB_RELAX_TYPE_PRIM,
    TIRB_RELAX_TYPE_SHAPE,
    TIRB_RELAX_TYPE_TENSOR,
    TIRB_RELAX_TYPE_TUPLE,
    TIRB_RELAX_TYPE_FUNCTION
} tirb_relax_type_kind;

/* A device of the module's global infos. */
typedef struct tirb_relax_vdevice {
    const char *target; /* the dictionary's text: {"keys": ["cpu"], "kind": "llvm", "tag": ""} */
    const char *kind;   /* "llvm" */
    int64_t id;
    const char *scope;
    uint32_t index; /* among those of its kind */
} tirb_relax_vdevice;

/* Devices, or what says nothing else, under one name. */
typedef struct tirb_global_info {
    const char *key;
    const tirb_relax_vdevice *const *items; /* NULL in it: I.dummy_global_info() */
    uint32_t n;
} tirb_global_info;

struct tirb_relax_type {
    tirb_relax_type_kind kind;
    tirb_datatype dtype;                  /* PRIM; TENSOR: void where it is not known */
    int32_t ndim;                         /* TENSOR, SHAPE: -1 where it is not known */
    bool has_shape;                       /* TENSOR, SHAPE: `shape` are the dimensions, ndim of them */
    const tirb_expr *const *shape;        /* of int64 */
    const tirb_relax_var *shape_var;      /* TENSOR: the variable of SHAPE type that is the shape, or NULL */
    const tirb_relax_vdevice *vdevice;    /* TENSOR: NULL where it is not known */
    const tirb_relax_type *const *fields; /* TUPLE; FUNCTION: of the parameters */
    uint32_t n_fields;
    const tirb_relax_type *ret; /* FUNCTION */
    bool pure;                  /* FUNCTION */
    bool opaque;                /* FUNCTION: its parameters are not known */
    bool is_text;               /* ANY: it is what R.str makes, I.StringType() */
    uint32_t size;              /* types in it, shared ones counted at each use: at most TIRBI_MAX_RELAX_TYPE */
};

static inline bool tirb_relax_knows_dtype(const tirb_relax_type *t) { return t->dtype.bits != 0; }

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

struct tirb_relax_var {
    const char *name;
    const tirb_relax_type *type;
    const tirb_expr *scalar; /* the TIR variable that it is, of PRIM type; else NULL */
    bool dataflow;           /* it is known inside of its dataflow block alone */
    uint32_t id;             /* unique in its module */
    tirbi_span span;
};

/* A constant: elements in row-major order, little-endian, each in whole bytes. */
typedef struct tirb_relax_tensor {
    tirb_datatype dtype;
    uint32_t ndim;
    const int64_t *shape;
    const uint8_t *bytes;
    uint64_t n_bytes;
    int32_t metadata; /* its number in the text's metadata; -1: it is none of them */
} tirb_relax_tensor;

typedef enum tirb_relax_attr_kind {
    TIRB_RELAX_ATTR_NONE,
    TIRB_RELAX_ATTR_BOOL,
    TIRB_RELAX_ATTR_INT,
    TIRB_RELAX_ATTR_FLOAT,
    TIRB_RELAX_ATTR_STRING,
    TIRB_RELAX_ATTR_DTYPE,
    TIRB_RELAX_ATTR_EXPR, /* a scalar of the program */
    TIRB_RELAX_ATTR_LIST,
    TIRB_RELAX_ATTR_MAP, /* of indices: T.index_map(lambda i, j: (j, i)) */
    TIRB_RELAX_ATTR_VDEVICE
} tirb_relax_attr_kind;

/* The value of an operator's attribute. */
typedef struct tirb_relax_attr {
    tirb_relax_attr_kind kind;
    union {
        bool boolean;
        int64_t integer;
        double real;
        const char *text;
        tirb_datatype dtype;
        const tirb_expr *expr;
        struct {
            const struct tirb_relax_attr *items;
            uint32_t n;
        } list;
        struct {
            const tirb_expr *const *vars, *const *indices;
            uint32_t n_vars, n_indices;
        } map;
        const tirb_relax_vdevice *vdevice;
    } as;
} tirb_relax_attr;

typedef enum tirb_relax_binding_kind { TIRB_RELAX_VAR_BINDING, TIRB_RELAX_MATCH_CAST } tirb_relax_binding_kind;

typedef struct tirb_relax_binding {
    tirb_relax_binding_kind kind;
    const tirb_relax_var *var;
    const tirb_relax_expr *value;
    const tirb_relax_type *cast; /* MATCH_CAST: what the value is said to be */
    bool is_argument;            /* MATCH_CAST: of a function whose body stands where it was called (lowering alone) */
    tirbi_span span;
} tirb_relax_binding;

typedef struct tirb_relax_block {
    bool dataflow;
    const tirb_relax_binding *bindings;
    uint32_t n_bindings;
} tirb_relax_block;

/* The body of a function or a branch: blocks, then a leaf, its value. */
typedef struct tirb_relax_seq {
    const tirb_relax_block *blocks;
    uint32_t n_blocks;
    const tirb_relax_expr *body;
} tirb_relax_seq;

typedef enum tirb_relax_expr_kind {
    TIRB_RELAX_VAR,
    TIRB_RELAX_PRIM,
    TIRB_RELAX_CONST,
    TIRB_RELAX_STRING,
    TIRB_RELAX_DTYPE,
    TIRB_RELAX_SHAPE,
    TIRB_RELAX_TUPLE,
    TIRB_RELAX_TUPLE_GET,
    TIRB_RELAX_CALL,
    TIRB_RELAX_GLOBAL, /* a function of the module, of either kind */
    TIRB_RELAX_EXTERN, /* a function of the host */
    TIRB_RELAX_FUNCTION,
    TIRB_RELAX_IF
} tirb_relax_expr_kind;

struct tirb_relax_expr {
    tirb_relax_expr_kind kind;
    tirbi_span span;
    const tirb_relax_type *type; /* NULL only before the builder has inferred it */
    uint16_t depth;              /* levels of nodes, this one counted: at most TIRBI_MAX_RELAX_DEPTH */
    uint32_t bound_in;           /* the number of the builder's frame in which it was bound to `bound`; 0: none */
    const tirb_relax_expr *bound;
    union {
        const tirb_relax_var *var;
        const tirb_expr *prim;
        const tirb_relax_tensor *constant;
        struct {
            const char *text;
            uint32_t size;
        } string;
        tirb_datatype dtype;
        struct {
            const tirb_expr *const *values;
            uint32_t n;
        } shape;
        struct {
            const tirb_relax_expr *const *items;
            uint32_t n;
        } tuple;
        struct {
            const tirb_relax_expr *tuple;
            uint32_t index;
        } get;
        struct {
            const tirb_relax_operator *op; /* NULL: of `callee` */
            const tirb_relax_expr *callee; /* GLOBAL, EXTERN, or VAR of FUNCTION type */
            const tirb_relax_expr *const *args;
            uint32_t n_args;
            uint32_t n_attrs;
            const tirb_relax_attr *attrs;        /* of an operator: as many as its table says, in its order */
            const tirb_relax_type *const *types; /* out_ty or ty_args */
            uint32_t n_types;
            const tirb_attr *named; /* further attributes of a packed call, and "attrs_type_key" */
            uint32_t n_named;
        } call;
        struct {
            const char *name;
            const tirb_primfunc *primfunc; /* one of the three */
            const tirb_relax_function *function;
            const tirb_extern *external;
        } global;
        const char *symbol; /* EXTERN */
        const tirb_relax_function *function;
        struct {
            const tirb_relax_expr *condition;
            const tirb_relax_seq *then_case, *else_case;
        } if_;
    } as;
};

/* ---- Functions --------------------------------------------------------------------------------------------------- */

struct tirb_relax_function {
    const char *name;          /* in its module; NULL: local */
    const char *global_symbol; /* NULL: private */
    bool pure;
    const tirb_relax_var *const *params;
    uint32_t n_params;
    const tirb_relax_type *ret;
    const tirb_relax_type *type; /* of FUNCTION kind */
    const tirb_attr *attrs;
    uint32_t n_attrs;
    const tirb_relax_seq *body; /* NULL only while it is being declared */
    tirbi_span span;
    uint32_t index; /* in its module */
};

/* ---- Equality (relax_equal.c) ------------------------------------------------------------------------------------ */

bool tirb_relax_same_vdevice(const tirb_relax_vdevice *a, const tirb_relax_vdevice *b);
/* Equal types over the same variables. */
bool tirb_relax_type_equal(const tirb_relax_type *a, const tirb_relax_type *b);
/* The same attribute, structurally. */
bool tirb_relax_attr_equal(const tirb_relax_attr *a, const tirb_relax_attr *b);
/* Whether two modules have equal Relax functions of the same names, up to the identity of variables, each of which that
 * one side binds stands for the other's. Names of variables and spans do not count. `arena` holds the correspondence.
 */
bool tirbi_relax_modules_equal(const tirb_irmodule *a, const tirb_irmodule *b, tirbi_arena *arena);

#endif
