/* A nest as the dependence graph asks about it: its loops and their bounds, its accesses in program order, what each
 * subscript is as a polynomial of the loops' variables and of sizes, and what the conditions around it say. */
#ifndef TIRB_COMPILER_OPTIMIZE_ANALYSIS_DEPEND_NEST_H
#define TIRB_COMPILER_OPTIMIZE_ANALYSIS_DEPEND_NEST_H

#include "compiler/optimize/analysis/depend.h"

enum { MAX_ACCESSES = 64, MAX_FORMS = 9, MAX_LETS = 16, MAX_AROUND = 8, MAX_GIVEN = 4 };

/* Bits of a number that is exact: no two values of it are the same modulo any power. */
enum { WHOLE = 65 };

/* A symbol that may have another value whenever it is come to. */
#define ALWAYS UINT32_MAX

/* A loop of the nest: the symbols of its variable and of the distance between two of its iterations, and its first and
 * last values, where these are polynomials. */
typedef struct nest_loop {
    tirbi_lvar *var;
    uint32_t symbol, distance;
    bool begins, bounded; /* the first one is known; both are */
    tirbi_poly first, last;
} nest_loop;

/* What a subscript is, modulo 2^bits. */
typedef struct form {
    bool read;
    unsigned bits;
    tirbi_poly is;
} form;

/* Conditions that hold where an access is come to; or do not. */
typedef struct given {
    const tirbi_lx *condition[MAX_GIVEN];
    bool holds[MAX_GIVEN];
    uint32_t n;
} given;

typedef struct access_forms {
    form *item; /* the element's number, then its subscripts; NULL: they have not been read yet */
    uint32_t n, n_more; /* n: 0: it has none that can be compared */
    given given;
    tirbi_poly *more; /* what these say: none of them is negative */
} access_forms;

typedef struct let {
    const tirbi_lvar *var;
    const tirbi_lx *value; /* NULL: it is not pure */
    uint32_t loops;        /* around it, by bits */
} let;

typedef struct builder {
    tirbi_lx_pool *pool;
    const tirbi_asked *asked;
    tirbi_dependences *g;
    tirbi_facts *facts;
    nest_loop loop[TIRBI_NEST_LOOPS];
    nest_loop around[MAX_AROUND]; /* the nest; outer ones first */
    uint32_t n_around;
    uint8_t path[TIRBI_NEST_DEPTH];
    uint32_t n_path;
    uint32_t linked[32]; /* parts that an edge leads to from one, by bits, where nothing else is asked for */
    uint32_t n_choices; /* conditions, and loops that may not run, around what is listed */
    given given;
    const tirbi_roots *stored; /* what is loaded from elsewhere is not listed; NULL: all is */
    uint16_t part;
    let lets[MAX_LETS];
    uint32_t n_lets;
    tirbi_loop_set changed; /* variables of loops, and those that are set */
    access_forms forms[MAX_ACCESSES];
    bool substituted; /* a variable's value stands in what was read */
    struct {
        uint32_t loops; /* that it depends on, by bits; ALWAYS */
        uint16_t other; /* in another iteration; 0: it has no symbol yet */
        bool known;
    } symbol[TIRBI_MAX_SYMBOLS];
    tirbi_poly bound[TIRBI_NEST_LOOPS * 4]; /* of a test */
    uint32_t n_bound;
    tirbi_poly difference[MAX_FORMS]; /* of subscripts that are exact, in a test */
    uint32_t differ;                  /* which there are, by bits */
    uint32_t known; /* facts that hold outside of any test */
} builder;

/* Reads the loops and accesses of a nest, whose parts follow each other in the last of `loops`, and the bounds of all
 * loops. False: it is no nest of statements that can be compared, or has too much. */
bool tirbi_read_nest(builder *b, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *const *parts,
                     uint32_t n_parts);
/* Reads what is known of an access's element, inside the bounds of its loops, where it can be compared. False: out of
 * memory. */
bool tirbi_read_nest_access(builder *b, uint32_t at);

/* Forgets the bounds of the nest's loops; what is around it stays known. */
void tirbi_unbound_nest(builder *b);
/* The bounds of a loop hold from here on. */
void tirbi_bound_nest_loop(builder *b, const nest_loop *l);
/* The loops whose iteration a symbol's value depends on, by bits; or ALWAYS. */
uint32_t tirbi_loops_of_symbol(builder *b, uint32_t symbol);

#endif
