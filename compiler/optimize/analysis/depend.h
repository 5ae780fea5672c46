/* The dependence graph of a nest: which accesses reach the same element, or variable, in which iterations, one of them
 * at least writing there.
 *
 * An edge leads from the access that comes first in program order. An edge that is not there is proven: the subscripts
 * of both accesses are polynomials of loop variables and sizes, whose difference is never 0. It is tested as usual (U.
 * Banerjee, Dependence analysis, 1997; G. Goff, K. Kennedy, C.-W. Tseng, Practical dependence testing, 1991): where no
 * loop changes it it is a constant (ZIV); where one loop does, in the same way for both, it has one distance (strong
 * SIV), which goes into the other dimensions (delta test); a divisor of all coefficients has to divide the constant
 * (GCD); and its least or greatest value by bounds of loops, which may be sizes, is above or below 0 (Banerjee). Of two
 * differences that one variable changes, what is left without it is tested as well: `A[i, j]` meets the `A[j, i]` of
 * another j nowhere. */
#ifndef TIRB_COMPILER_OPTIMIZE_ANALYSIS_DEPEND_H
#define TIRB_COMPILER_OPTIMIZE_ANALYSIS_DEPEND_H

#include "compiler/loop/facts.h"
#include "compiler/optimize/analysis/access.h"

enum { TIRBI_NEST_DEPTH = 8, TIRBI_NEST_LOOPS = 16 };

typedef enum tirbi_edge_kind {
    TIRBI_FLOW,   /* a read of what was written */
    TIRBI_ANTI,   /* a write of what was read */
    TIRBI_OUTPUT, /* a write of what was written */
    TIRBI_SCALAR  /* any of these, of a variable */
} tirbi_edge_kind;

/* How the later iteration of a loop lies to the earlier one; sets of these by bits. */
enum { TIRBI_LT = 1, TIRBI_EQ = 2, TIRBI_GT = 4, TIRBI_ANY_WAY = 7 };

/* In which iterations of the loop that carries an edge its ends meet; of the outermost one, where none does. */
typedef enum tirbi_meets {
    TIRBI_MEETS_ANYWHERE, /* nothing is known of it */
    TIRBI_MEETS_EVERY,    /* so many iterations apart: the distance */
    TIRBI_MEETS_AT,       /* one of the two is in the iteration whose variable has that value */
    TIRBI_MEETS_CROSSING  /* the variable's two values sum up to that */
} tirbi_meets;

typedef struct tirbi_edge {
    uint16_t from, to;                            /* accesses */
    uint8_t kind;                                 /* tirbi_edge_kind */
    uint8_t n_common;                             /* loops that are around both */
    uint8_t carrier;                              /* the outermost of these whose iteration differs; n_common: none */
    uint8_t meets;                                /* tirbi_meets */
    uint8_t direction[TIRBI_NEST_DEPTH];          /* by common loop */
    const tirbi_poly *distance[TIRBI_NEST_DEPTH]; /* in iterations; NULL: it is not one number */
    const tirbi_poly *at;                         /* of `meets` */
    /* Where one of these is not negative, nor what is provided for it, the edge is not there; NULL: no condition. */
    const tirbi_poly *unless[2], *provided[2];
} tirbi_edge;

/* An access in its nest; of a variable, if it has no place. */
typedef struct tirbi_nest_access {
    tirbi_reached at;
    const tirbi_lvar *var;
    uint8_t n_loops;
    uint8_t loop[TIRBI_NEST_DEPTH]; /* around it, outermost first, as indices */
} tirbi_nest_access;

typedef struct tirbi_dependences {
    const tirbi_ls *loop[TIRBI_NEST_LOOPS]; /* in program order: the nest's own is the first */
    /* The least and greatest values of their variables; NULL where these are not the same always. */
    const tirbi_poly *first[TIRBI_NEST_LOOPS], *last[TIRBI_NEST_LOOPS];
    uint32_t n_loops;
    tirbi_nest_access *access; /* in program order */
    uint32_t n_accesses;
    tirbi_edge *edge;
    uint32_t n_edges;
    tirbi_facts *facts; /* has the symbols of the polynomials */
} tirbi_dependences;

/* Which edges are asked for. */
typedef struct tirbi_asked {
    uint32_t carriers;                   /* those that loops carry, by bits: 1 the outermost one */
    bool alike;                          /* those that none carries */
    bool parts;                          /* one alone from a part to another, and nothing else of it */
    bool (*leaves)(const tirbi_edge *e); /* whether, with such an edge, there is something left to ask; NULL: yes */
} tirbi_asked;

/* The graph of a plain loop whose body is these statements, in this order; each is a part of what it reaches. `asked`:
 * NULL for all edges. NULL: it is of code that cannot be told, or too large, or memory ran out, or nothing is left to
 * ask. */
tirbi_dependences *tirbi_find_dependences(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *const *parts,
                                          uint32_t n_parts, const tirbi_asked *asked);
/* The same of several loops, each of which but the first is all of the body of the one before: the parts are in the
 * innermost. */
tirbi_dependences *tirbi_find_nest_dependences(tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n_loops,
                                               const tirbi_ls *const *parts, uint32_t n_parts,
                                               const tirbi_asked *asked);
/* Whether a plain loop carries no edge: its iterations may be in any order. */
bool tirbi_is_parallel(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* Nothing refers to the graph any more. */
void tirbi_forget_dependences(tirbi_lx_pool *pool, tirbi_dependences *graph);

#endif
