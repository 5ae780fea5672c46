/* A call of an operator on its way to calls of PrimFuncs (legalise.c): what its rule knows of it, and gives its text.
 */
#ifndef TIRB_COMPILER_RELAX_LOWER_LEGAL_H
#define TIRB_COMPILER_RELAX_LOWER_LEGAL_H

#include "compiler/relax/lower/lowering.h"

enum { TIRBI_LEGAL_OPERANDS = 8, TIRBI_LEGAL_RANK = 64 };

typedef struct tirbi_legal {
    tirbi_relax_lowering *l;
    const tirb_relax_expr *call;
    tirbi_span span;
    const char *def;                                      /* which text */
    const tirbi_relax_held *inputs[TIRBI_LEGAL_OPERANDS]; /* NULL: not given */
    uint32_t n_inputs;
    const tirbi_relax_held *outputs[TIRBI_LEGAL_OPERANDS];
    uint32_t n_outputs;
    tirbi_list given;                                                            /* of tirbi_relax_given */
    tirbi_list computed;                                                         /* of tirbi_legal_computed */
    const struct sorting *sorting;                                               /* what `body` sorts, where it does */
    bool (*body)(const void *context, tirbi_builder *b, const tirb_primfunc *f); /* see tirbi_relax_use */
} tirbi_legal;

/* A number that is computed: the operand of this name, where the text has one. */
typedef struct tirbi_legal_computed {
    const char *name;
    const tirbi_relax_held *value;
} tirbi_legal_computed;

/* What an operator's attributes say to its text. An operator without a rule has the text of its name, its attributes by
 * their names, and its axis counted from the front. */
typedef struct tirbi_legal_rule {
    tirb_relax_op op; /* TIRB_N_RELAX_OPS ends a table */
    bool (*apply)(tirbi_legal *g);
    const char *def; /* NULL: by the operator's name */
} tirbi_legal_rule;

extern const tirbi_legal_rule tirbi_legal_rules[];             /* rules.c */
extern const tirbi_legal_rule tirbi_legal_rules_of_networks[]; /* rules_nn.c */

/* ---- What rules ask --------------------------------------------------------------------------------------------- */

static inline const tirb_relax_attr *tirbi_legal_attr(const tirbi_legal *g, const char *name) {
    return tirbi_relax_attr_of(g->call, name);
}
static inline bool tirbi_legal_is_true(const tirbi_legal *g, const char *name) {
    return tirbi_legal_attr(g, name)->as.boolean;
}
static inline uint32_t tirbi_legal_rank_of(const tirbi_legal *g, uint32_t input) {
    return g->inputs[input]->buffer->ndim;
}
static inline const tirb_buffer *tirbi_legal_tensor(const tirbi_legal *g, uint32_t input) {
    return g->inputs[input]->buffer;
}
static inline const tirb_buffer *tirbi_legal_result(const tirbi_legal *g, uint32_t output) {
    return g->outputs[output]->buffer;
}

/* ---- What they give, and make ------------------------------------------------------------------------------------ */

const char *tirbi_legal_text_of(tirbi_legal *g, const char *name, size_t size);
bool tirbi_legal_give_integer(tirbi_legal *g, const char *name, int64_t value);
bool tirbi_legal_give_real(tirbi_legal *g, const char *name, double value);
bool tirbi_legal_give_type(tirbi_legal *g, const char *name, tirb_datatype type);
bool tirbi_legal_give_list(tirbi_legal *g, const char *name, const int64_t *items, uint32_t n);
bool tirbi_legal_give_sizes(tirbi_legal *g, const char *name, const tirb_expr *const *items, uint32_t n);
bool tirbi_legal_give_size(tirbi_legal *g, const char *name, const tirb_expr *size);
/* A number of the program: given where it is written as one, and else an operand, which texts may do without. */
bool tirbi_legal_give_number(tirbi_legal *g, const char *name, const tirb_expr *e);
bool tirbi_legal_give_attr(tirbi_legal *g, const char *name, const tirb_relax_attr *a);
bool tirbi_legal_refuse(tirbi_legal *g, const char *what);
/* The integers of a list, negative ones counted from `rank`. */
uint32_t tirbi_legal_axes_of(const tirb_relax_attr *a, uint32_t rank, int64_t out[TIRBI_LEGAL_RANK]);
/* The tensor with another shape of as many elements. */
const tirbi_relax_held *tirbi_legal_reshaped(tirbi_legal *g, const tirbi_relax_held *h, const tirb_expr *const *shape,
                                             uint32_t n);
const tirb_expr *tirbi_legal_number(tirbi_legal *g, int64_t value);
const tirb_expr *tirbi_legal_count_of(tirbi_legal *g, const tirb_buffer *b);
/* Input `i` as a row, for what has no axis. */
bool tirbi_legal_flatten_input(tirbi_legal *g, uint32_t i);
/* `kept` and `reduced`: which dimensions of the operand the result has. */
bool tirbi_legal_give_reduced(tirbi_legal *g, const int64_t *axes, uint32_t n_axes, uint32_t rank, bool keepdims);
/* A number that the text has for an operand: what is no size of a tensor is none of its function's. */
const tirbi_relax_held *tirbi_legal_scalar(tirbi_legal *g, const tirb_expr *value);
/* A tensor that the operator needs on its way. */
const tirbi_relax_held *tirbi_legal_scratch(tirbi_legal *g, tirb_datatype dtype, const tirb_expr *const *shape,
                                            uint32_t n);
bool tirbi_legal_give_text(tirbi_legal *g, const char *name, const char *text);

/* Makes the function of a text and calls it. */
bool tirbi_legal_emit(tirbi_legal *g);
/* One text of several that an operator has: `inputs` and `outputs` end with NULL. */
bool tirbi_legal_step(const tirbi_legal *g, const char *def, const tirbi_relax_held *const *inputs,
                      const tirbi_relax_held *const *outputs);
#define TIRBI_LEGAL_ALL(...) \
    (const tirbi_relax_held *const[]) { __VA_ARGS__, NULL }
#define TIRBI_LEGAL_STEP(g, def, inputs, outputs) \
    tirbi_legal_step(g, def, TIRBI_LEGAL_ALL inputs, TIRBI_LEGAL_ALL outputs)
/* The numbers of the elements along an axis, sorted; equal ones keep their order. */
bool tirbi_legal_argsort(tirbi_legal *g, const tirbi_relax_held *x, const tirbi_relax_held *order, int64_t axis,
                         bool ascends);

/* Whether it is an operator whose result is as large as the data say (sized.c); *value: that, or NULL after an
 * error. */
bool tirbi_legal_sized(tirbi_legal *g, const tirbi_relax_held **value);

/* Whether the numbers that a strided_slice begins at are known (rules.c). */
bool tirbi_legal_slice_is_known(const tirbi_legal *g);

/* Whether an operator is a window over each channel by itself whose result has short rows: it is done with channels
 * last, in several functions that no others join (rules_nn.c). */
bool tirbi_legal_goes_by_channels(const tirb_relax_expr *call);

bool tirbi_legal_is_convolution(const tirb_relax_expr *call);

/* Along one dimension: `result` windows of a kernel of `size` places, `stride` and `apart` from each other, over
 * `extent` elements with `before` of padding in front. */
typedef struct tirbi_legal_places {
    int64_t extent, result, stride, apart, before, size;
} tirbi_legal_places;

/* Which of the places meet an element in any window: from *first to *end. False where numbers are too large to say. */
bool tirbi_legal_places_that_meet(const tirbi_legal_places *w, int64_t *first, int64_t *end);

/* Operators whose tensors are in a tuple (rules.c): they emit all of their calls. */
bool tirbi_legal_einsum(tirbi_legal *g, const tirbi_relax_held *tuple);
bool tirbi_legal_indexed(tirbi_legal *g, const tirbi_relax_held *tuple);

#endif
