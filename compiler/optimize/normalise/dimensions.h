/* Delinearisation: the dimensions of which an index counts the elements.
 *
 * What multiplies the loops' variables in all indices of a nest into one dimension of a buffer are its strides. They
 * are those of dimensions where each divides the next one: sizes are the quotients. A term of an index belongs to the
 * subscript of the largest stride that divides it. The subscripts stand for the index where all of them but the
 * outermost lie inside their size. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_DIMENSIONS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_DIMENSIONS_H

#include "compiler/loop/linear.h"

enum { TIRBI_MAX_STRIDES = 6 };

typedef struct tirbi_dimensions {
    struct {
        tirbi_monomial of;
        int64_t factor;
    } stride[TIRBI_MAX_STRIDES]; /* ascending, the first one is 1 */
    uint32_t n;
    tirbi_poly size[TIRBI_MAX_STRIDES]; /* in the same order */
    tirbi_poly extent;                  /* how many elements there are */
    bool apart; /* numbers are strides of their own, where there are no sizes: in memory whose rows are told apart */
    bool open;  /* the extent is no multiple of the largest stride: the last size is what the indices need */
    bool impossible;
} tirbi_dimensions;

/* Adds the strides of one index. */
void tirbi_add_strides(const tirbi_facts *facts, const tirbi_poly *index, tirbi_dimensions *out);
/* Puts the strides in order, and finds the sizes of a dimension that has so many elements. */
void tirbi_order_strides(tirbi_dimensions *dimensions, const tirbi_poly *extent);
/* Whether the dimensions are made of an index to which every iteration comes, or not, as well: false, and they are
 * impossible, where they are not. */
bool tirbi_fit_index(const tirbi_facts *facts, tirbi_dimensions *dimensions, const tirbi_poly *index, bool every);
/* The subscripts of an index, in the order of the strides, and under which conditions they stand for it; false: they do
 * not. */
bool tirbi_subscripts_of(const tirbi_facts *facts, const tirbi_dimensions *dimensions, const tirbi_poly *index,
                         tirbi_poly *subscripts, tirbi_conditions *conditions);

#endif
