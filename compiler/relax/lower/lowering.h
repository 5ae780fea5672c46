/* The state of lowering the Relax functions of a module: values and functions (lower.c), operators (legalise.c). */
#ifndef TIRB_COMPILER_RELAX_LOWER_LOWERING_H
#define TIRB_COMPILER_RELAX_LOWER_LOWERING_H

#include "compiler/relax/expand/expand.h"
#include "compiler/relax/infer/operators.h"
#include "compiler/relax/lower/explain.h"
#include "compiler/relax/lower/fuse.h"
#include "compiler/relax/lower/joins.h"
#include "compiler/relax/lower/lower.h"
#include "compiler/relax/lower/memory.h"
#include "compiler/relax/lower/weights.h"
#include "compiler/source/index.h"

typedef enum tirbi_relax_held_kind {
    TIRBI_RELAX_HELD_NOTHING, /* what has no value of its own: a text, a type */
    TIRBI_RELAX_HELD_TENSOR,
    TIRBI_RELAX_HELD_SCALAR,
    TIRBI_RELAX_HELD_SHAPE,
    TIRBI_RELAX_HELD_TUPLE,
    TIRBI_RELAX_HELD_FUNCTION /* a local one, whose body stands where it was called: see inline.h */
} tirbi_relax_held_kind;

/* What a Relax value is in the PrimFunc. */
typedef struct tirbi_relax_held {
    tirbi_relax_held_kind kind;
    const tirb_buffer *buffer;                    /* TENSOR */
    const tirb_expr *scalar;                      /* SCALAR; TENSOR: a constant of rank 0 */
    const tirb_expr *const *dims;                 /* SHAPE, n of them */
    const tirb_expr *const *given;                /* SHAPE that is a parameter: what a caller gives for them */
    const struct tirbi_relax_held *const *fields; /* TUPLE, n of them */
    uint32_t n;
    const tirb_relax_function *function; /* FUNCTION */
    uint32_t open; /* TENSOR: a result whose sizes the function decides: its number, from 1 on; else 0 */
} tirbi_relax_held;

/* A statement that waits for its body. */
typedef struct tirbi_relax_scope {
    const tirb_buffer *buffer; /* what it declares; NULL: sizes or memory, which lasts */
    bool is_constant;
    uint32_t item; /* its number in its frame */
    uint32_t last; /* the binding behind which nothing uses the buffer */
} tirbi_relax_scope;

/* Terms that a bundle's expression of a size may have: TIRBI_MAX_DIM_TERMS. */
enum { TIRBI_RELAX_MAX_TERMS = 64 };

/* A size that would have more, and the variable that has its value. */
typedef struct tirbi_relax_size {
    const tirb_expr *value, *var;
} tirbi_relax_size;

/* A name that is taken, and the number that was tried last behind it. */
typedef struct tirbi_relax_name {
    const char *text;
    uint32_t last;
} tirbi_relax_name;

typedef struct tirbi_relax_lowering {
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    const tirb_irmodule *module;
    tirbi_builder b;
    const tirbi_tc_program *texts;
    tirbi_list functions; /* of tirb_primfunc *: of the module that is made */
    tirbi_list operators; /* those of them that are operators: see legalise.c */
    tirbi_index operator_index;
    tirbi_list names; /* of tirbi_relax_name: of the functions of both modules */
    tirbi_list result_names; /* of const char *: as an attribute of the function gives them; none where it has none */
    tirbi_index name_index;
    tirb_primfunc **lowered; /* by the number of the Relax function */
    bool *is_left_out;       /* the same: it is not lowered, and that is reported */
    /* Of the function under way. */
    const tirb_relax_function *function;
    tirbi_list cast_vars, cast_dims; /* of const tirb_expr *: sizes that casts of parameters name, and what those are */
    const tirbi_relax_held **held;   /* by the number of a Relax variable */
    const tirbi_relax_held **destinations; /* the same: where a variable's value is to be; NULL: anywhere */
    tirbi_relax_joined *joined;            /* the same: the concatenations that it is a part of, and is */
    uint32_t *last_use;                    /* the same: the binding that last uses it */
    const tirbi_relax_group **groups;      /* the same: the group that computes it; NULL: its binding by itself */
    tirbi_relax_memory memory;
    tirbi_list constants;           /* of constant_buffer */
    tirbi_list scopes;              /* of tirbi_relax_scope: those that are open */
    uint32_t n_outer_scopes;        /* of them in frames around this one */
    const tirbi_relax_group *group; /* whose function is being made, in `b`; NULL: none */
    tirbi_list group_dims;          /* of const tirb_expr *, in pairs: a size outside of it, and inside */
    bool fuses;
    bool has_copies;     /* the function under way: parts of tensors are copies */
    tirbi_list *notes;   /* of tirb_loop_note: what became of operators; NULL: nobody asks */
    tirbi_list outcomes; /* of tirbi_relax_outcome: of the function under way */
    const char *called;  /* the function that was called last */
    uint32_t n_calls;
    uint32_t n_ways;                      /* branches behind which the rest of the function stands twice */
    uint32_t *node_of;                    /* by the number of a Relax variable: for fuse.c */
    bool *is_trimmed;                     /* the same: see tirbi_relax_is_trimmed */
    const tirb_relax_type **types;        /* the same: its type, where its own says less; NULL: that is all */
    const tirb_relax_type **result_types; /* by the number of the Relax function, alike: see tirbi_relax_result_type */
    uint32_t n_relax_vars, n_table;       /* variables, and how many the tables by their numbers have room for */
    tirbi_list known;                     /* of const tirb_expr *: sizes that casts around this place have named */
    tirbi_list sizes;                     /* of tirbi_relax_size: those that are computed around this place */
    tirbi_relax_weights weights;
    tirbi_list printed;                   /* of tirbi_span: calls of R.print that were told to be left out */
    uint32_t now;                         /* the number of the binding under way */
    const char *reason;                   /* why it is not lowered, and where; NULL: nothing is against it yet */
    tirbi_span place;
} tirbi_relax_lowering;

/* Notes why the function under way is not lowered: false. */
bool tirbi_relax_refuse_here(tirbi_relax_lowering *l, tirbi_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
tirbi_relax_held *tirbi_relax_hold(tirbi_relax_lowering *l, tirbi_relax_held_kind kind);
/* What a leaf is. NULL after an error. */
const tirbi_relax_held *tirbi_relax_held_of(tirbi_relax_lowering *l, const tirb_relax_expr *e);
/* What a constant is in the function under way. */
bool tirbi_relax_know_constant(tirbi_relax_lowering *l, const tirb_relax_tensor *t, const tirbi_relax_held *held);
/* The type with its dimensions, where a variable that is known says them. NULL when out of memory. */
const tirb_relax_type *tirbi_relax_shaped(tirbi_relax_lowering *l, const tirb_relax_type *type);
/* Memory for a value of the type: `destination`, or what is allocated. NULL after an error. */
const tirbi_relax_held *tirbi_relax_make_room(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *type,
                                              const tirbi_relax_held *destination);
/* Room for a result: that of an argument that is written in its place (`given`, else NULL), or of a copy of it, which
 * then is the argument. NULL after an error. */
const tirbi_relax_held *tirbi_relax_room_of_result(tirbi_relax_lowering *l, tirbi_span span,
                                                   const tirb_relax_type *type, const tirbi_relax_held **given,
                                                   const tirbi_relax_held *wanted);
/* The same memory under another shape of as many elements. */
const tirb_buffer *tirbi_relax_view(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *buffer,
                                    tirb_datatype dtype, const tirb_expr *const *shape, uint32_t ndim);
/* A statement whose body is what follows; `buffer`: what it declares, until nothing uses it any more, or NULL. */
void tirbi_relax_emit_scope(tirbi_relax_lowering *l, tirb_stmt *stmt, const tirb_buffer *buffer);
/* Whether the parameters say all of these sizes. */
bool tirbi_relax_known_at_entry(const tirbi_relax_lowering *l, const tirb_expr *const *shape, uint32_t ndim);
bool tirbi_relax_emit_call(tirbi_relax_lowering *l, tirbi_span span, const tirb_primfunc *f,
                           const tirbi_relax_held *const *args, uint32_t n);
/* Both numbers of sizes that differ end the call; `what` is the beginning of the message. */
bool tirbi_relax_assert_size(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *wanted, const tirb_expr *found,
                             const char *what);
/* A name that no function of the module has yet: `base`, `base1`, .. */
const char *tirbi_relax_new_name(tirbi_relax_lowering *l, const char *base);

/* Whether the type of a value may say larger sizes than it has; and finds the variables of which that is so: true where
 * there are more of them than before. */
bool tirbi_relax_is_trimmed(const tirbi_relax_lowering *l, const tirb_relax_expr *e);
bool tirbi_relax_find_trimmed(tirbi_relax_lowering *l, const tirb_relax_seq *seq);
/* Whether a dimension, or one of the type, is more than a bundle says of a parameter. */
bool tirbi_relax_is_long_dim(const tirb_expr *e);
bool tirbi_relax_is_long(const tirb_relax_type *t);
/* The type of a tensor with variables for such dimensions, each of which is computed once. NULL when out of memory. */
const tirb_relax_type *tirbi_relax_name_sizes(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *type);
/* A variable that has the value from here on. */
const tirb_expr *tirbi_relax_let(tirbi_relax_lowering *l, tirbi_span span, const char *name, const tirb_expr *value);
/* The call of an operator or function with the sizes in its types that its operands have. NULL after an error. */
const tirb_relax_expr *tirbi_relax_known_call(tirbi_relax_lowering *l, const tirb_relax_expr *call);

/* The type of a parameter, which a cast of it in the body may say. NULL when out of memory. */
const tirb_relax_type *tirbi_relax_parameter_type(tirbi_relax_lowering *l, const tirb_relax_function *f,
                                                  const tirb_relax_var *param);
/* The type of what a function gives, which its body may say where annotations do not. NULL after an error. */
const tirb_relax_type *tirbi_relax_result_type(tirbi_relax_lowering *l, const tirb_relax_function *f);

/* Reads what the function's attribute calls its results; compares the number of the names, if any, with that of the
 * results; the name of one, NULL where that cannot be its name. False after an error. */
bool tirbi_relax_read_names(tirbi_relax_lowering *l, const tirb_relax_function *f);
bool tirbi_relax_check_names(tirbi_relax_lowering *l, const tirb_relax_function *f, uint32_t n_results);
const char *tirbi_relax_given_name(const tirbi_relax_lowering *l, uint32_t number);
/* Whether the source spells the variable, which else the parser has made up. */
bool tirbi_relax_is_spelt(const tirbi_relax_lowering *l, const tirb_relax_var *v);

/* The function among those that are made that is the same as one made with `b`, over other variables; NULL: none. */
const tirb_primfunc *tirbi_relax_find_same(tirbi_relax_lowering *l, tirb_primfunc *f, const tirbi_builder *b);
/* Makes it one of them, by a name of its own. NULL when memory ran out. */
const tirb_primfunc *tirbi_relax_add_operator(tirbi_relax_lowering *l, tirb_primfunc *f);
/* A call of an operator: emits what computes it, and says where its value is. NULL after an error. */
const tirbi_relax_held *tirbi_relax_legalise(tirbi_relax_lowering *l, const tirb_relax_expr *call,
                                             const tirbi_relax_held *destination);
/* Copies a tensor. */
bool tirbi_relax_emit_copy(tirbi_relax_lowering *l, tirbi_span span, const tirbi_relax_held *from,
                           const tirbi_relax_held *to);

#endif
