/* What the halves of the expander share: names and packs (names.c), values (expr.c), loops (expand.c). */
#ifndef TIRB_COMPILER_RELAX_EXPAND_EXPANDING_H
#define TIRB_COMPILER_RELAX_EXPAND_EXPANDING_H

#include "compiler/relax/expand/expand.h"

enum { TIRBI_RELAX_NO_ELEMENT = -1, TIRBI_RELAX_ZERO_ELEMENT = -2 };

/* A tensor of the def: a parameter, a result or a temporary. */
typedef struct tirbi_relax_tensor {
    const char *name;
    tirb_datatype dtype;
    uint32_t ndim;
    bool has_shape;
    bool is_absent;
    const tirb_expr *const *shape;
    const tirb_expr *scalar; /* of a parameter that is a value */
    const tirb_buffer *buffer;
    const int32_t *parts; /* how its dimensions are written: NO_ELEMENT for one, or how many a pack is */
    uint32_t n_parts;
} tirbi_relax_tensor;

/* A size, or a pack of sizes or given numbers. */
typedef struct tirbi_relax_pack {
    const char *name;
    bool is_pack;
    bool is_literal; /* its items are as if they stood in the text */
    const tirb_expr *const *items;
    uint32_t n;
} tirbi_relax_pack;

/* An index of the statement, or one of a pack of indices. */
typedef struct tirbi_relax_index {
    const char *name;
    int32_t element;         /* NO_ELEMENT: it is no pack */
    const tirb_expr *extent; /* it runs from 0; NULL: not known yet */
    const tirb_expr *value;  /* where it is, inside of the loops */
    bool is_left;
    bool is_broadcast; /* its extent is a 1 that others may exceed */
} tirbi_relax_index;

/* How many indices a name of the statement stands for, once that is known. */
typedef struct tirbi_relax_length {
    const char *name;
    uint32_t n;
} tirbi_relax_length;

typedef struct tirbi_relax_expansion {
    const tirbi_relax_use *use;
    tirbi_arena *arena;
    tirbi_builder *b;
    tirbi_list tensors; /* of tirbi_relax_tensor * */
    bool is_inside;     /* of a function that has others in it: see tirbi_relax_expand_into */
    tirbi_list packs;   /* of tirbi_relax_pack */
    tirbi_list dims;    /* of dim_name: the function's variable for a dimension of the caller's */
    const tirbi_tc_stmt *stmt;
    tirbi_list indices; /* of tirbi_relax_index: of the statement */
    tirbi_list lengths; /* of tirbi_relax_length: of its packs */
} tirbi_relax_expansion;

/* One operand of a list, `e` at an element of the packs in it; ZERO_ELEMENT: the number 0. */
typedef struct tirbi_relax_slot {
    const tirbi_tc_expr *e;
    int32_t element;
    bool is_spread; /* it comes from a pack of bare indices, which broadcasts */
} tirbi_relax_slot;

/* Reports what is wrong with the text, at the use. */
bool tirbi_relax_refuse(tirbi_relax_expansion *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- Names (names.c) -------------------------------------------------------------------------------------------- */

tirbi_relax_tensor *tirbi_relax_tensor_of(const tirbi_relax_expansion *x, const char *name);
const tirbi_relax_pack *tirbi_relax_pack_of(const tirbi_relax_expansion *x, const char *name);
const tirbi_relax_given *tirbi_relax_given_of(const tirbi_relax_expansion *x, const char *name);
/* The value that a where clause of the statement names; NULL: none. */
const tirbi_tc_expr *tirbi_relax_let_of(const tirbi_relax_expansion *x, const char *name);
/* The index, which is added if it is not there; NULL: the name is none of an index, or memory ran out. */
tirbi_relax_index *tirbi_relax_index_of(tirbi_relax_expansion *x, const tirbi_relax_slot *slot);
/* The type that a name says: the language's own, a given one, or that of the first operand declared with it. */
bool tirbi_relax_type_of(const tirbi_relax_expansion *x, const char *name, tirb_datatype *out);
/* An integer that the text and what is given fix; false: it is none. */
bool tirbi_relax_fixed(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element, int64_t *out);
/* The operands of a list one by one, packs spread and choices made. Adds tirbi_relax_slot to `out`; false after an
 * error. */
bool tirbi_relax_spread(tirbi_relax_expansion *x, const tirbi_tc_expr *const *args, uint32_t n, int32_t element,
                        tirbi_list *out);
/* The subscripts of a tensor: as many as it has dimensions, leading ones of a pack left out, and 0 where a dimension of
 * 1 is spread. */
bool tirbi_relax_subscripts(tirbi_relax_expansion *x, const tirbi_relax_tensor *t, const tirbi_tc_expr *const *args,
                            uint32_t n, int32_t element, tirbi_list *out);
/* Finds what the indices of the statement are and how far they run. */
bool tirbi_relax_find_indices(tirbi_relax_expansion *x);

/* ---- Values (expr.c) -------------------------------------------------------------------------------------------- */

/* A value; a literal takes the type of what it meets. */
typedef struct tirbi_relax_value {
    const tirb_expr *e;
    bool is_literal;
} tirbi_relax_value;

tirbi_relax_value tirbi_relax_evaluate(tirbi_relax_expansion *x, const tirbi_tc_expr *e, int32_t element);
/* As another type. */
const tirb_expr *tirbi_relax_as(tirbi_relax_expansion *x, tirbi_relax_value v, tirb_datatype type);
/* The type that the value of a statement has. */
tirb_datatype tirbi_relax_value_type(tirbi_relax_value v);
const tirb_expr *const *tirbi_relax_evaluate_slots(tirbi_relax_expansion *x, const tirbi_list *slots);
const tirb_expr *tirbi_relax_combine(tirbi_relax_expansion *x, tirbi_tc_expr_kind kind, const tirb_expr *a,
                                     const tirb_expr *b);
static inline tirbi_span tirbi_relax_span(const tirbi_relax_expansion *x) { return x->use->span; }

#endif
