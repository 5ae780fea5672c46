/* What a nest computes again and again, apart: an operand with axes of its own. Private to operands.c, operand_axes.c
 * and operand_use.c. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_OPERAND_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_OPERAND_H

#include "compiler/optimize/analysis/access.h"

enum { TIRBI_OPERAND_FORMS = 16 };

/* The nest: loops around straight-line code, or around inits, sums and other nests of this kind. */
typedef struct nest {
    tirbi_lx_pool *pool;
    tirbi_loop_set loops; /* around what is looked at */
    tirbi_roots stored;
    tirbi_loop_set own; /* variables that it sets */
    const tirbi_ls *stmt;
    bool fails_alike; /* the order of what may fail tells nothing */
    bool saves_work;  /* it runs as lanes either way: operands are for what takes long, and is repeated often */
} nest;

/* Values of sum c[i] * k_i + behind, where k_i counts the iterations of loop i: from 0 to extent - 1. */
typedef struct axis {
    int64_t c[TIRBI_MAX_AFFINE];
    uint32_t n_loops;
    const tirbi_lx *behind, *extent;
    const tirbi_lx *dense; /* unless this holds, some values between them are not taken; NULL: it does */
    tirbi_lvar *var;
} axis;

typedef struct operand {
    const nest *nest;
    const tirbi_lx *value;
    int64_t forms[TIRBI_OPERAND_FORMS][TIRBI_MAX_AFFINE];
    uint32_t n_forms;
    tirbi_loop_set loops; /* of the nest, around it */
    axis axes[TIRBI_MAX_NDIM];
    uint32_t n_axes;
    uint32_t rank; /* of the buffer that it loads with the most dimensions */
    tirbi_lbuf *buffer;
    const tirbi_ls *store; /* of an element, in the loops over the axes */
    const struct operand
        *leader;              /* the first one with the same axes, whose loops compute this one too; NULL: its own do */
    const tirbi_lx *in_place; /* the load that stands for it */
    const tirbi_lx *condition; /* under which all of this is right, or NULL */
} operand;

/* x as factor * (sum of out[i] * k_i) + start, as its type has it, without a common divisor, the first of them
 * positive; false: it is no such sum. */
bool tirbi_operand_form(const operand *o, const tirbi_lx *x, int64_t out[TIRBI_MAX_AFFINE], int64_t *factor,
                        const tirbi_lx **start);

/* Notes the forms by which a value depends on the loops: with `loads` those of indices alone, in their order. False:
 * it depends on them in another way. */
bool tirbi_operand_find_forms(operand *o, const tirbi_lx *x, bool loads);

/* Makes the axes of the forms that were found; false: there are none, or more than a buffer has dimensions. */
bool tirbi_operand_make_axes(operand *o);
bool tirbi_operand_has_axis(const operand *o, uint32_t loop);

/* Whether elements would be used often enough, and the buffer is not out of proportion. What sizes decide of that is
 * put into the operand's condition. */
bool tirbi_operand_pays(operand *o);

/* Whether the buffer takes memory in proportion to what the nest comes to: where a loop's iterations are more than
 * memory that it steps through has elements, the nest runs as it is, up to the index that is out of bounds. */
bool tirbi_operand_has_room(operand *o);

/* Both conditions, of which either may be NULL. */
static inline const tirbi_lx *tirbi_operand_both(const nest *n, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_both(n->pool, TIRB_OP_AND, a, b) : a ? a : b;
}

#endif
