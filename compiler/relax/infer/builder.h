/* The builder of Relax: puts expressions into A-normal form with inferred types, as TVM's does.
 *
 * An expression under way is a tree whose types are not known (tirbi_relax_make_...). Emitting it binds what is no leaf
 * from left to right, inner first, to variables lv, lv1, ... in dataflow blocks and gv, gv1, ... outside, which one
 * count per function numbers; the value's own binding takes the next number also when it is then named. */
#ifndef TIRB_COMPILER_RELAX_INFER_BUILDER_H
#define TIRB_COMPILER_RELAX_INFER_BUILDER_H

#include "compiler/ir/builder.h"
#include "compiler/ir/relax.h"
#include "compiler/relax/infer/dims.h"

typedef struct tirbi_relax_builder tirbi_relax_builder;

typedef struct tirbi_relax_seq_frame {
    tirbi_list blocks;    /* of tirb_relax_block */
    tirbi_list bindings;  /* of tirb_relax_binding: of the block under way */
    bool dataflow;        /* the block under way is one */
    bool is_function;     /* else a branch */
    uint32_t first_known; /* of the builder's `known` */
    uint32_t first_var;   /* variables from this id on are its own */
    uint32_t number;      /* of frames that were opened, from 1 */
} tirbi_relax_seq_frame;

typedef struct tirbi_relax_counters {
    uint32_t lv, gv;
} tirbi_relax_counters;

struct tirbi_relax_builder {
    tirbi_builder *base;
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_dims dims;
    tirbi_list frames; /* of tirbi_relax_seq_frame */
    tirbi_list known;  /* of const tirb_expr *: TIR variables in scope, which shapes may mention */
    tirbi_relax_counters counters;
    uint32_t n_vars;
    uint32_t n_opened;  /* frames, as yet */
    tirbi_span at;      /* the statement under way */
    bool assumes;       /* sizes that must be equal are, if nothing says that they are not */
    tirbi_list assumed; /* of const tirb_expr *, in pairs: those of which that is so, for the call to compare */
};

void tirbi_relax_builder_init(tirbi_relax_builder *b, tirbi_builder *base);

/* Whether two sizes that must be equal are so, as far as that is known, or assumed. */
bool tirbi_relax_assume(tirbi_relax_builder *b, const tirb_expr *x, const tirb_expr *y);
/* Whether two sizes that must be equal are known to differ; where nothing says so it is assumed that they do not. */
bool tirbi_relax_differ(tirbi_relax_builder *b, const tirb_expr *x, const tirb_expr *y);

/* ---- Types ------------------------------------------------------------------------------------------------------- */

const tirb_relax_type *tirbi_relax_any(tirbi_relax_builder *b);
const tirb_relax_type *tirbi_relax_text_type(tirbi_relax_builder *b); /* of what R.str makes */
const tirb_relax_type *tirbi_relax_prim(tirbi_relax_builder *b, tirb_datatype dtype);
const tirb_relax_type *tirbi_relax_shape(tirbi_relax_builder *b, const tirb_expr *const *values, uint32_t n);
const tirb_relax_type *tirbi_relax_shape_of_rank(tirbi_relax_builder *b, int32_t ndim);
const tirb_relax_type *tirbi_relax_tuple(tirbi_relax_builder *b, const tirb_relax_type *const *fields, uint32_t n);
const tirb_relax_type *tirbi_relax_function_type(tirbi_relax_builder *b, const tirb_relax_type *const *params,
                                                 uint32_t n, const tirb_relax_type *ret, bool pure);
const tirb_relax_type *tirbi_relax_opaque_function(tirbi_relax_builder *b, const tirb_relax_type *ret, bool pure);
/* A tensor type of dimensions that are known, or of a rank alone, or of nothing (-1). */
const tirb_relax_type *tirbi_relax_tensor(tirbi_relax_builder *b, const tirb_expr *const *dims, uint32_t n,
                                          tirb_datatype dtype);
const tirb_relax_type *tirbi_relax_tensor_of_rank(tirbi_relax_builder *b, int32_t ndim, tirb_datatype dtype);
static inline bool tirbi_relax_is_void(const tirb_relax_type *t) {
    return t->kind == TIRB_RELAX_TYPE_TUPLE && t->n_fields == 0;
}

/* ---- Expressions under way: every constructor gives NULL when an operand is NULL or memory has run out ----------- */

tirb_relax_expr *tirbi_relax_make(tirbi_relax_builder *b, tirbi_span span, tirb_relax_expr_kind kind);
const tirb_relax_expr *tirbi_relax_make_var(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_var *var);
const tirb_relax_expr *tirbi_relax_make_prim(tirbi_relax_builder *b, tirbi_span span, const tirb_expr *value);
const tirb_relax_expr *tirbi_relax_make_tuple(tirbi_relax_builder *b, tirbi_span span,
                                              const tirb_relax_expr *const *items, uint32_t n);
const tirb_relax_expr *tirbi_relax_make_shape(tirbi_relax_builder *b, tirbi_span span, const tirb_expr *const *values,
                                              uint32_t n);
const tirb_relax_expr *tirbi_relax_make_get(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_expr *tuple,
                                            uint32_t index);
/* Of an operator; arguments and attributes as its row of the table says. */
const tirb_relax_expr *tirbi_relax_make_call(tirbi_relax_builder *b, tirbi_span span, const tirb_relax_operator *op,
                                             const tirb_relax_expr *const *args, uint32_t n_args,
                                             const tirb_relax_attr *attrs, const tirb_relax_type *const *types,
                                             uint32_t n_types);
/* Of a function. */
const tirb_relax_expr *tirbi_relax_make_function_call(tirbi_relax_builder *b, tirbi_span span,
                                                      const tirb_relax_expr *callee, const tirb_relax_expr *const *args,
                                                      uint32_t n_args, const tirb_relax_type *const *types,
                                                      uint32_t n_types);
static inline bool tirbi_relax_is_leaf(const tirb_relax_expr *e) {
    return e->kind != TIRB_RELAX_CALL && e->kind != TIRB_RELAX_TUPLE_GET && e->kind != TIRB_RELAX_IF &&
           e->kind != TIRB_RELAX_FUNCTION;
}

/* ---- Functions and bindings -------------------------------------------------------------------------------------- */

/* A variable; of PRIM type it has a TIR variable. */
const tirb_relax_var *tirbi_relax_new_var(tirbi_relax_builder *b, tirbi_span span, const char *name,
                                          const tirb_relax_type *type);
/* Opens the body of a function or a branch. NULL: memory ran out, or it is nested too deeply (reported). */
tirbi_relax_seq_frame *tirbi_relax_open(tirbi_relax_builder *b, bool is_function);
/* Closes it, with its value, a leaf. */
const tirb_relax_seq *tirbi_relax_close(tirbi_relax_builder *b, const tirb_relax_expr *body);
tirbi_relax_seq_frame *tirbi_relax_top(const tirbi_relax_builder *b);
/* Ends the block under way and begins one of the kind; blocks of one kind that follow one another become one. */
void tirbi_relax_begin_block(tirbi_relax_builder *b, bool dataflow);
/* At the end of a dataflow block whose outputs are known: what uses them gets the type that TVM's gives it then. */
void tirbi_relax_end_dataflow(tirbi_relax_builder *b);
/* The value as a leaf with a type: what is none is bound. NULL after an error. */
const tirb_relax_expr *tirbi_relax_normalise(tirbi_relax_builder *b, const tirb_relax_expr *e);
/* The value with operands that are leaves, and a type; it is itself not bound. */
const tirb_relax_expr *tirbi_relax_normalise_value(tirbi_relax_builder *b, const tirb_relax_expr *e);
/* Binds a value: to the next temporary's variable, or one called `name`. `annotation` (or NULL) replaces the type of a
 * call, and is checked against that of others. NULL after an error. */
const tirb_relax_var *tirbi_relax_emit(tirbi_relax_builder *b, const tirb_relax_expr *value, const char *name,
                                       const tirb_relax_type *annotation);
const tirb_relax_var *tirbi_relax_emit_cast(tirbi_relax_builder *b, const tirb_relax_expr *value, const char *name,
                                            const tirb_relax_type *type);
/* Binds a normalised value to a variable that exists. */
void tirbi_relax_bind(tirbi_relax_builder *b, const tirb_relax_var *var, const tirb_relax_expr *value);
/* The TIR variables that a type may define, its bare dimensions, become known and natural. */
void tirbi_relax_define_dims(tirbi_relax_builder *b, const tirb_relax_type *type);
bool tirbi_relax_knows(const tirbi_relax_builder *b, const tirb_expr *var);

/* ---- The algebra of types (algebra.c) ---------------------------------------------------------------------------- */

typedef enum tirbi_relax_check {
    TIRBI_RELAX_IMPOSSIBLE, /* no value of the base type is one of the other */
    TIRBI_RELAX_CASTABLE,   /* it may be one, as a cast finds out */
    TIRBI_RELAX_UNPROVED,   /* nothing but the shape is open */
    TIRBI_RELAX_SUBTYPE
} tirbi_relax_check;

tirbi_relax_check tirbi_relax_base_check(tirbi_relax_builder *b, const tirb_relax_type *base,
                                         const tirb_relax_type *derived);
static inline bool tirbi_relax_is_base_of(tirbi_relax_builder *b, const tirb_relax_type *base,
                                          const tirb_relax_type *derived) {
    return tirbi_relax_base_check(b, base, derived) == TIRBI_RELAX_SUBTYPE;
}
/* The least type that both are of. */
const tirb_relax_type *tirbi_relax_join(tirbi_relax_builder *b, const tirb_relax_type *x, const tirb_relax_type *y);
/* The type without the shapes that mention variables not in scope: TIR's are those of `known`, others those with ids
 * below `first_var`. */
const tirb_relax_type *tirbi_relax_erase(tirbi_relax_builder *b, const tirb_relax_type *t, const tirbi_list *known,
                                         uint32_t first_var);
/* The type of a call of a function type; NULL after reporting what does not agree. */
const tirb_relax_type *tirbi_relax_call_type(tirbi_relax_builder *b, const tirb_relax_expr *call,
                                             const tirb_relax_type *function);
/* The type with TIR variables replaced, dimensions simplified. */
const tirb_relax_type *tirbi_relax_replace(tirbi_relax_builder *b, const tirb_relax_type *t,
                                           const tirb_expr *const *vars, const tirb_expr *const *values, uint32_t n);
/* The text of a type, as in an annotation (for messages). */
const char *tirbi_relax_type_text(tirbi_relax_builder *b, const tirb_relax_type *t);

#endif
