/* The version of a function's body for sane sizes, while it is being made (sizes.c, versions.c). */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_VERSIONS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_VERSIONS_H

#include "compiler/optimize/normalise/dimensions.h"
#include "compiler/optimize/normalise/products.h"

/* No size of int64 is larger in a sane call, and none that is multiplied is larger than INT32_MAX. */
#define TIRBI_SANE_SIZE (INT64_C(1) << 48)

/* A body is walked so many times; only the last time a copy is made of it. */
typedef enum tirbi_phase {
    TIRBI_PHASE_ROLES,   /* which parameters are sizes */
    TIRBI_PHASE_STRIDES, /* which strides indices have */
    TIRBI_PHASE_FIT,     /* whether all indices are inside the dimensions that these make */
    TIRBI_PHASE_BUILD
} tirbi_phase;

/* A dimension of a buffer, in one nest. */
typedef struct tirbi_dimension {
    const tirbi_lbuf *buffer;
    uint32_t d, nest;
    tirbi_dimensions in;
} tirbi_dimension;

typedef struct tirbi_versions {
    tirbi_lx_pool *pool;
    tirbi_phase phase;
    tirbi_facts facts;
    tirbi_lvar *narrow[TIRBI_MAX_SYMBOLS]; /* parameters of which it is known more in the version */
    uint32_t n_narrow;
    tirbi_split_sizes split;        /* of loops that are nests in the version */
    tirbi_facts *known;             /* of the version: its conditions, over its own parameters */
    tirbi_conditions conditions[8]; /* of all that was changed: lists, one after the other */
    uint32_t n_lists;
    struct {
        const tirbi_lvar *from;
        tirbi_lvar *to;
        const tirbi_lx *value; /* of one that is set once, from symbols that do not change while it is there */
    } * vars;
    uint32_t n_vars, var_capacity;
    struct {
        const tirbi_lbuf *from;
        tirbi_lbuf *to;
        uint32_t nest; /* for which its dimensions are, or 0 */
    } * buffers;
    uint32_t n_buffers, buffer_capacity;
    tirbi_dimension *dimensions;
    uint32_t n_dimensions, dimension_capacity;
    uint32_t nest, depth; /* number of the outermost loop around, or 0; how many loops there are around */
    uint32_t gains;       /* what the version is for */
    bool meets;           /* and whether it is for iterations that may meet */
    bool refused;         /* the body has what no version is made of */
    bool assumes;         /* of indices that nothing proves to be inside: that they are, if they may be */
} tirbi_versions;

/* A body as the phase makes it, NULL: nothing was made. */
const tirbi_ls *tirbi_version_of(tirbi_versions *v, const tirbi_ls *s);
const tirbi_lx *tirbi_version_of_value(tirbi_versions *v, const tirbi_lx *x);
/* Whether an operation computes in both types of integers: an int64 that is cast to int32, or a sum or product of
 * int64 with int32 arithmetic in it that may wrap. */
bool tirbi_version_mixes(const tirbi_lx *x);
/* Whether it compares counters of int64 that 32 bits may not hold, or clamps sums of them, which may wrap then: twice
 * as many lanes compare those that they do. */
bool tirbi_version_compares(const tirbi_lx *x);
/* Whether it goes around a parameter, A[(i + 1) % n], from a sum that may wrap: which one that does not is a choice. */
bool tirbi_version_goes_around(const tirbi_lx *x);
/* Whether it divides by a parameter that may be 0: one that is not may be computed anywhere. */
bool tirbi_version_divides(const tirbi_lx *x);
/* The polynomial of an integer expression, exact under conditions that are added. */
bool tirbi_version_linear(tirbi_versions *v, const tirbi_lx *x, tirbi_poly *out, tirbi_conditions *conditions);
/* Takes as conditions that loops which were split count the same; false: no version can say so. */
bool tirbi_version_split(tirbi_versions *v);
/* From here on one variable stands for another one; false: memory ran out. */
bool tirbi_version_rename(tirbi_versions *v, const tirbi_lvar *from, tirbi_lvar *to);
/* Takes conditions as those of the version; false: there is no room for them. */
bool tirbi_version_assume(tirbi_versions *v, const tirbi_conditions *conditions);

#endif
