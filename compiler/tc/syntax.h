/* A Tensor Comprehensions program as its text has it, and what its names mean once they are checked.
 *
 * The parser makes the nodes (compiler/tc/parser.c), the checker fills in symbols, types and the lists of indices
 * (compiler/tc/check.c); then nothing changes any more. All of it lives in the arena of one compilation. */
#ifndef TIRB_COMPILER_TC_SYNTAX_H
#define TIRB_COMPILER_TC_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

enum { TIRBI_TC_MAX_DEPTH = 200, TIRBI_TC_MAX_RANK = 16, TIRBI_TC_MAX_INDICES = 32 };

typedef struct tirbi_tc_def tirbi_tc_def;
typedef struct tirbi_tc_expr tirbi_tc_expr;

/* ---- Names ---------------------------------------------------------------------------------------------------- */

typedef enum tirbi_tc_symbol_kind {
    TIRBI_TC_SIZE,   /* a size variable: int32, bound by the shapes of parameters */
    TIRBI_TC_TENSOR, /* a parameter, an output or a temporary; of rank 0 a scalar */
    TIRBI_TC_INDEX,  /* of one statement, int32 */
    TIRBI_TC_LET     /* `id = exp` of a where clause: its expression stands for it */
} tirbi_tc_symbol_kind;

/* A name of a def: size variables and tensors belong to the def, indices and lets to one statement. */
typedef struct tirbi_tc_symbol {
    tirbi_tc_symbol_kind kind;
    const char *name;
    tirbi_span span;                       /* where it is first written */
    uint32_t number;                       /* in its def, over all kinds: for tables beside the nodes */
    tirb_datatype dtype;                   /* SIZE and INDEX: int32 */
    uint32_t ndim;                         /* TENSOR */
    bool is_param;                         /* TENSOR: an input, never assigned */
    bool is_returned;                      /* TENSOR: in the list of results; neither: a temporary */
    bool is_reduction;                     /* INDEX: not on the left */
    const struct tirbi_tc_param *declared; /* TENSOR: the parameter, or the annotated result; NULL: neither */
    const tirbi_tc_expr *value;            /* LET */
} tirbi_tc_symbol;

/* ---- Expressions ---------------------------------------------------------------------------------------------- */

typedef enum tirbi_tc_expr_kind {
    TIRBI_TC_INT,     /* int_value; int32, or int64 where that is too narrow; or as it is assigned to */
    TIRBI_TC_FLOAT,   /* float_value as written, not yet rounded; float32 until it meets a float64 */
    TIRBI_TC_BOOL,    /* int_value */
    TIRBI_TC_NAME,    /* a size, an index, a let, or a tensor of rank 0 */
    TIRBI_TC_READ,    /* an element of the tensor `symbol` */
    TIRBI_TC_BUILTIN, /* a call of the function `builtin` */
    TIRBI_TC_DIM,     /* T.n: extent `int_value` of the tensor `symbol` */
    TIRBI_TC_CAST,    /* type(exp): args[0] to dtype */
    TIRBI_TC_NEG,
    TIRBI_TC_NOT,
    TIRBI_TC_ADD,
    TIRBI_TC_SUB,
    TIRBI_TC_MUL,
    TIRBI_TC_DIV, /* of integers: floor */
    TIRBI_TC_MOD, /* of integers: floor; of floats: fmod */
    TIRBI_TC_MIN,
    TIRBI_TC_MAX,
    TIRBI_TC_EQ,
    TIRBI_TC_NE,
    TIRBI_TC_LT,
    TIRBI_TC_LE,
    TIRBI_TC_GT,
    TIRBI_TC_GE,
    TIRBI_TC_AND, /* lazy, as OR and CHOICE */
    TIRBI_TC_OR,
    TIRBI_TC_CHOICE, /* args[0] ? args[1] : args[2] */
    TIRBI_TC_PAD,    /* pad(args[0], args[1]): the second where a read in the first would be out of bounds */
    TIRBI_TC_PACK    /* args[0]...: once for each of what the packs in it have; in operators alone */
} tirbi_tc_expr_kind;

struct tirbi_tc_expr {
    tirbi_tc_expr_kind kind;
    uint16_t depth; /* levels of nodes below and including this one; at most TIRBI_TC_MAX_DEPTH */
    uint32_t n_args;
    tirb_datatype dtype; /* the checker's, but for CAST */
    tirbi_span span;
    tirbi_span name_span;          /* of the name alone: NAME, READ, BUILTIN, DIM */
    const char *name;              /* as written, the same kinds */
    const tirbi_tc_symbol *symbol; /* the checker's: NAME, READ, DIM */
    const struct tirbi_tc_builtin *builtin;
    int64_t int_value;
    double float_value;
    const tirbi_tc_expr **args; /* READ: the subscripts */
};

/* A function of the language: compiler/tc/builtins.def. */
typedef struct tirbi_tc_builtin {
    const char *name;
    uint8_t arity;
    tirb_builtin builtin; /* what it is lowered to */
} tirbi_tc_builtin;

/* ---- Statements ----------------------------------------------------------------------------------------------- */

typedef enum tirbi_tc_assign {
    TIRBI_TC_SET, /* = */
    TIRBI_TC_SUM, /* += */
    TIRBI_TC_PRODUCT,
    TIRBI_TC_LEAST, /* min= */
    TIRBI_TC_GREATEST
} tirbi_tc_assign;

typedef enum tirbi_tc_clause_kind {
    TIRBI_TC_IN,    /* symbol in low : high */
    TIRBI_TC_IS,    /* symbol = low */
    TIRBI_TC_EXISTS /* exists low */
} tirbi_tc_clause_kind;

typedef struct tirbi_tc_clause {
    tirbi_tc_clause_kind kind;
    tirbi_span span, name_span;
    const char *name;
    tirbi_tc_symbol *symbol;
    const tirbi_tc_expr *low, *high;
} tirbi_tc_clause;

/* A comprehension, or a call `a, b = f(x, y)` of another def of the program, which has `callee` and no `value`. */
typedef struct tirbi_tc_stmt {
    tirbi_span span;
    const char *name; /* of the target */
    tirbi_span name_span;
    tirbi_tc_symbol *target;
    const tirbi_tc_expr **subscripts; /* on the left: NAMEs of indices, or any expressions (a scatter) */
    uint32_t n_subscripts;
    bool has_list;   /* `C() = ..`: it is printed as it is written */
    bool is_scatter; /* a subscript is no bare index, or one stands twice */
    bool defines;    /* the first statement of its target: its ranges are the target's */
    tirbi_tc_assign assign;
    bool starts_over; /* with ! */
    const tirbi_tc_expr *value;
    const tirbi_tc_clause *clauses;
    uint32_t n_clauses;
    tirbi_tc_symbol *const *indices; /* those on the left in the order of the subscripts, then those of reductions in
                                        the order in which they appear in the value, then in the clauses */
    uint32_t n_indices, n_left;
    const char *library; /* `<=> name(..)`: kept for printing alone */
    const tirbi_tc_expr **library_args;
    uint32_t n_library_args;
    /* Of a call. */
    const tirbi_tc_def *callee;
    const char *callee_name;
    tirbi_span callee_span;
    struct tirbi_tc_name *targets;
    uint32_t n_targets;
    const tirbi_tc_expr **call_args; /* NAMEs of whole tensors */
    uint32_t n_call_args;
} tirbi_tc_stmt;

/* A name on its own: a target of a call. */
typedef struct tirbi_tc_name {
    const char *name;
    tirbi_span span;
    tirbi_tc_symbol *symbol;
} tirbi_tc_name;

/* ---- Defs ----------------------------------------------------------------------------------------------------- */

/* A dimension in a type: a size variable or a number. */
typedef struct tirbi_tc_size {
    const char *name; /* NULL: the number */
    tirbi_span span;
    tirbi_tc_symbol *symbol;
    int64_t value;
    bool is_pack; /* `n...`: any number of dimensions; in operators alone */
} tirbi_tc_size;

/* A parameter, or a result, which may have no type. */
typedef struct tirbi_tc_param {
    const char *name;
    tirbi_span span, name_span;
    bool has_type;
    tirb_datatype dtype;   /* without bits: `type_name` names it, in operators alone */
    const char *type_name; /* as written: `float`, `int` */
    const tirbi_tc_size *sizes;
    uint32_t ndim;
    bool has_sizes; /* `float(A, B)`; else `float`, of rank 0 */
    tirbi_tc_symbol *symbol;
} tirbi_tc_param;

struct tirbi_tc_def {
    const char *name;
    tirbi_span span, name_span;
    tirbi_tc_param *params, *returns;
    uint32_t n_params, n_returns;
    bool bare_return; /* `-> id` */
    uint32_t body;    /* the offset behind its { */
    tirbi_tc_stmt *stmts;
    uint32_t n_stmts;
    tirbi_tc_symbol *const *symbols; /* by number */
    uint32_t n_symbols;
    bool is_called; /* by another def */
};

/* From its # to the end of its line. */
typedef struct tirbi_tc_comment {
    tirbi_span span;
    bool is_alone; /* nothing stands before it on its line */
} tirbi_tc_comment;

typedef struct tirbi_tc_program {
    tirbi_tc_def *const *defs; /* a def stands behind those that it calls after checking: `order` */
    uint32_t n_defs;
    const tirbi_tc_def *const *order;
    const tirbi_tc_comment *comments; /* in the order of the text */
    uint32_t n_comments;
} tirbi_tc_program;

#endif
