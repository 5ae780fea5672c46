/* The operators of Relax, by the table operators.def: what reader, printer, inference and lowering know of each. */
#ifndef TIRB_COMPILER_RELAX_INFER_OPERATORS_H
#define TIRB_COMPILER_RELAX_INFER_OPERATORS_H

#include "compiler/ir/relax.h"

typedef enum tirb_relax_op {
#define TIRB_RELAX_OP(id, name, parameters, infer, prepare, flags) TIRB_RELAX_##id,
#include "compiler/relax/infer/operators.def"
    TIRB_N_RELAX_OPS
} tirb_relax_op;

enum { TIRBI_RELAX_IMPURE = 1, TIRBI_MAX_RELAX_PARAMETERS = 20 };

/* One parameter of an operator, as its row of the table says. */
typedef struct tirbi_relax_parameter {
    const char *name;
    uint8_t name_size;
    char kind;     /* the letter of operators.def */
    uint8_t count; /* the number behind it, or 0 */
    bool nullable; /* None is a value of it */
    bool printed_later;
    const char *initial; /* the text of the default, initial_size characters; NULL: it must be given */
    uint8_t initial_size;
} tirbi_relax_parameter;

typedef struct tirbi_relax_builder tirbi_relax_builder;

struct tirb_relax_operator {
    const char *name;       /* behind `R.` */
    const char *parameters; /* of the table */
    /* The type of a call whose arguments have types; NULL after reporting an error. */
    const tirb_relax_type *(*infer)(tirbi_relax_builder *b, const tirb_relax_expr *call);
    /* Completes a call from the types of its arguments before it is inferred; false after an error. NULL: nothing. */
    bool (*prepare)(tirbi_relax_builder *b, tirb_relax_expr *call);
    uint32_t flags;
};

extern const tirb_relax_operator tirb_relax_operators[TIRB_N_RELAX_OPS];

static inline tirb_relax_op tirb_relax_op_of(const tirb_relax_expr *call) {
    return (tirb_relax_op)(call->as.call.op - tirb_relax_operators);
}
/* Whether an expression is a call of this operator. */
static inline bool tirb_relax_is_call(const tirb_relax_expr *e, tirb_relax_op op) {
    return e->kind == TIRB_RELAX_CALL && e->as.call.op == &tirb_relax_operators[op];
}

/* By its name behind `R.`; NULL: there is none. */
const tirb_relax_operator *tirbi_relax_find_operator(const char *name);
/* Whether some operator's name begins with `name` and a point: nn, image, memory. */
bool tirbi_relax_is_space(const char *name);
/* Reads the parameters of a row; returns how many there are. */
uint32_t tirbi_relax_parameters(const tirb_relax_operator *op, tirbi_relax_parameter out[TIRBI_MAX_RELAX_PARAMETERS]);
static inline bool tirbi_relax_is_attr(const tirbi_relax_parameter *p) {
    return p->kind >= 'A' && p->kind <= 'Z' && p->kind != 'T';
}
/* The attribute of a call by its name, which the table has. */
const tirb_relax_attr *tirbi_relax_attr_of(const tirb_relax_expr *call, const char *name);

#endif
