/* What the two halves of the checker share: names of a def (check.c) and expressions (check_expr.c). */
#ifndef TIRB_COMPILER_TC_CHECKER_H
#define TIRB_COMPILER_TC_CHECKER_H

#include "compiler/ir/builder.h"
#include "compiler/source/index.h"
#include "compiler/tc/check.h"

/* A symbol, and what the checker alone asks of it. */
typedef struct tirbi_tc_known {
    tirbi_tc_symbol symbol;
    bool is_wrong;         /* reported: nothing is known of it, and nothing more is said about it */
    bool is_defined;       /* TENSOR: it has a value from here on */
    bool is_read;          /* TENSOR */
    bool is_ranged;        /* INDEX: by a where clause */
    bool is_bounded;       /* INDEX: the extents of some tensor bound it; LET: it stands in a subscript */
    bool is_ordered;       /* INDEX, LET: seen by who lists the indices of the statement */
    bool is_left;          /* INDEX: in a subscript of the target */
    bool is_pointwise;     /* LET: its value is no size: it depends on indices or on what tensors hold */
    tirbi_span defined_by; /* TENSOR: the value of the statement that gave it its type */
    uint32_t depth;        /* LET: of its value with the lets in it in place, and how many nodes that has */
    uint64_t size;
} tirbi_tc_known;

/* Names and where they are found. */
typedef struct tirbi_tc_names {
    tirbi_index index;
    tirbi_list items; /* of tirbi_tc_known * */
} tirbi_tc_names;

typedef enum tirbi_tc_context {
    TIRBI_TC_IN_VALUE,  /* what is computed at each point; unknown names are indices */
    TIRBI_TC_IN_BOUND,  /* of a range: sizes alone */
    TIRBI_TC_IN_LIBRARY /* arguments behind <=>: tensors as a whole as well */
} tirbi_tc_context;

typedef struct tirbi_tc_checker {
    tirbi_tc_program *program;
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_index defs; /* by name */
    tirbi_tc_def *def;
    tirbi_tc_names *global; /* of the def */
    tirbi_tc_names local;   /* of the statement */
    tirbi_list symbols;     /* of tirbi_tc_symbol *: of the def, by number */
    tirbi_tc_context context;
    uint32_t n_indices;    /* of the statement */
    uint32_t n_subscripts; /* how many subscripts are around what is being checked */
    bool let_is_bounded;   /* some let of the statement is in a subscript */
} tirbi_tc_checker;

/* Checks an expression and all below it; its type says that something is wrong, and reported, by having no bits. */
tirb_datatype tirbi_tc_check_expr(tirbi_tc_checker *c, const tirbi_tc_expr *e);
static inline bool tirbi_tc_is_wrong(tirb_datatype type) { return type.bits == 0; }
bool tirbi_tc_is_integral(tirb_datatype type);
/* Literals that stand for themselves become a type: so they are rounded once. */
void tirbi_tc_adopt(const tirbi_tc_expr *e, tirb_datatype type);
/* Whether an integer literal stands for itself here and fits the type. */
bool tirbi_tc_literal_fits(const tirbi_tc_expr *e, tirb_datatype type);

tirbi_tc_known *tirbi_tc_find(const tirbi_tc_names *names, const char *name);
/* A new symbol of a def or a statement; NULL when memory ran out. */
tirbi_tc_known *tirbi_tc_declare(tirbi_tc_checker *c, tirbi_tc_names *names, tirbi_tc_symbol_kind kind,
                                 const char *name, tirbi_span span);
/* A new index of the statement; NULL: there are too many (reported), or memory ran out. */
tirbi_tc_known *tirbi_tc_declare_index(tirbi_tc_checker *c, const char *name, tirbi_span span);
tirbi_tc_def *tirbi_tc_find_def(const tirbi_tc_checker *c, const char *name);
/* "a size", "a tensor". */
const char *tirbi_tc_kind_text(tirbi_tc_symbol_kind kind);
/* What a noun ends with behind the number n. */
static inline const char *tirbi_tc_plural(uint32_t n) { return n == 1 ? "" : "s"; }

#endif
