/* Operators as text: an operator's formula (OPERATORS.md) and the types, shapes and numbers of one use of it make a
 * PrimFunc. Nothing here knows an operator. */
#ifndef TIRB_COMPILER_RELAX_EXPAND_EXPAND_H
#define TIRB_COMPILER_RELAX_EXPAND_EXPAND_H

#include "compiler/ir/builder.h"
#include "compiler/tc/syntax.h"

/* What a name of the text stands for beside parameters, results and indices. */
typedef enum tirbi_relax_given_kind {
    TIRBI_RELAX_GIVEN_INTEGER, /* a literal, as if it stood in the text */
    TIRBI_RELAX_GIVEN_REAL,
    TIRBI_RELAX_GIVEN_TYPE,
    TIRBI_RELAX_GIVEN_TEXT,  /* `mode_clip` is whether `mode` is "clip" */
    TIRBI_RELAX_GIVEN_LIST,  /* of integers: a pack of literals, and a choice of operands */
    TIRBI_RELAX_GIVEN_REALS, /* the same of floats */
    TIRBI_RELAX_GIVEN_SIZES, /* a pack of dimensions, of whoever asks */
    TIRBI_RELAX_GIVEN_SIZE   /* one of them, by itself */
} tirbi_relax_given_kind;

typedef struct tirbi_relax_given {
    const char *name;
    tirbi_relax_given_kind kind;
    union {
        int64_t integer;
        double real;
        tirb_datatype type;
        const char *text;
        struct {
            const int64_t *items;
            uint32_t n;
        } list;
        struct {
            const double *items;
            uint32_t n;
        } reals;
        struct {
            const tirb_expr *const *items;
            uint32_t n;
        } sizes;
    } as;
} tirbi_relax_given;

/* A parameter or a result of the function. */
typedef struct tirbi_relax_operand {
    bool is_absent; /* an optional one that the use does not have: nothing that is computed reads it */
    bool is_scalar; /* handed over as a value, without memory */
    tirb_datatype dtype;
    uint32_t ndim;
    const tirb_expr *const *shape; /* over variables of whoever asks: the function has its own for what is no number */
    const tirb_buffer *buffer;     /* for tirbi_relax_expand_into: what it is */
} tirbi_relax_operand;

typedef struct tirbi_relax_use {
    const tirbi_tc_def *def;
    const char *name;                            /* of the function */
    tirbi_span span;                             /* of the call: every node has it */
    const tirbi_relax_operand *inputs, *outputs; /* as many as the def has */
    const tirbi_relax_given *given;
    uint32_t n_given;
    /* Emits what the text does not say, behind its statements; NULL: nothing. False after an error. */
    bool (*body)(const void *context, tirbi_builder *b, const tirb_primfunc *f);
    const void *context;
    const char **reason; /* gets why the text is not made for this use, a message, instead of a report; or NULL */
} tirbi_relax_use;

/* Makes the function, whose parameters are the inputs that are there, then the outputs. NULL after reporting an error,
 * or when memory ran out. */
tirb_primfunc *tirbi_relax_expand(const tirbi_relax_use *use, tirbi_builder *b);

/* Adds the statements to the function that is open in the builder: its operands are buffers there, and sizes variables
 * of it. False after reporting an error, or when memory ran out. */
bool tirbi_relax_expand_into(const tirbi_relax_use *use, tirbi_builder *b);

/* The def of this name among the texts that are built in (ops/); NULL: there is none. */
const tirbi_tc_def *tirbi_relax_find_def(const tirbi_tc_program *texts, const char *name);
/* All of those texts, read once for a compilation; NULL when memory ran out or one is wrong (reported). */
const tirbi_tc_program *tirbi_relax_read_texts(tirbi_arena *arena, tirbi_diagnostics *diagnostics);

#endif
