/* Expressions of sizes: what the bounds of ranges, the extents of tensors and the preconditions of a def are made of.
 *
 * A sum is a constant and a list of atoms times constant factors; an atom is a variable, a product of atoms, or a
 * quotient, remainder, minimum or maximum of sums. Both are made once (equal ones are the same pointer) and are kept in
 * one form: like terms are added, constants folded, multiples of a divisor taken out of a quotient, what another
 * argument surely bounds left out of a minimum or maximum. Quotients and remainders floor.
 *
 * Every maker returns NULL when an operand is NULL, memory has run out, or the result is too large (`failure` says
 * so). */
#ifndef TIRB_COMPILER_TC_SIZE_H
#define TIRB_COMPILER_TC_SIZE_H

#include "compiler/ir/builder.h"
#include "compiler/source/index.h"

enum {
    TIRBI_TC_MAX_TERMS = 32,    /* of a sum, and arguments of an atom */
    TIRBI_TC_MAX_SUMS = 100000, /* in one def */
    TIRBI_TC_MAX_DIM_TERMS = 64 /* that a bundle's expression may have: TIRBI_MAX_DIM_TERMS */
};

typedef enum tirbi_tc_atom_kind {
    TIRBI_TC_ATOM_VAR,
    TIRBI_TC_ATOM_PRODUCT, /* of atoms */
    TIRBI_TC_ATOM_DIV,     /* of sums, two */
    TIRBI_TC_ATOM_MOD,
    TIRBI_TC_ATOM_MIN, /* of sums, two or more */
    TIRBI_TC_ATOM_MAX
} tirbi_tc_atom_kind;

typedef struct tirbi_tc_sum tirbi_tc_sum;

typedef struct tirbi_tc_atom {
    tirbi_tc_atom_kind kind;
    uint32_t id;          /* in order of creation */
    uint32_t depth;       /* levels of atoms in atoms */
    bool is_size;         /* VAR: at least 0 */
    bool fits_int32;      /* it, and all that it is computed from */
    int64_t low, high;    /* what it surely is at least and at most; INT64_MIN and INT64_MAX: not known */
    const tirb_expr *var; /* VAR */
    union {
        const struct tirbi_tc_atom *const *factors; /* PRODUCT, by id */
        const tirbi_tc_sum *const *args;
    } as;
    uint32_t n;
} tirbi_tc_atom;

typedef struct tirbi_tc_term {
    const tirbi_tc_atom *atom;
    int64_t factor;
} tirbi_tc_term;

struct tirbi_tc_sum {
    int64_t constant;
    uint32_t n;
    const tirbi_tc_term *terms; /* by id, no factor 0 */
};

typedef struct tirbi_tc_sizes {
    tirbi_arena *arena;
    tirbi_index sum_index, atom_index;
    tirbi_list sums, atoms; /* of pointers */
    tirbi_list facts;       /* of const tirbi_tc_sum *: what is at least 0, for it is required */
    uint32_t n_left;        /* steps of the proof that is being tried */
    const char *failure;    /* "divides by zero", "is too large"; NULL: none yet */
} tirbi_tc_sizes;

void tirbi_tc_sizes_init(tirbi_tc_sizes *z, tirbi_arena *arena);
const tirbi_tc_sum *tirbi_tc_constant(tirbi_tc_sizes *z, int64_t value);
/* Of a size variable or an integer parameter; the same one for the same variable. */
const tirbi_tc_sum *tirbi_tc_variable(tirbi_tc_sizes *z, const tirb_expr *var, bool is_size);
const tirbi_tc_sum *tirbi_tc_add(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b);
const tirbi_tc_sum *tirbi_tc_sub(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b);
const tirbi_tc_sum *tirbi_tc_add_constant(tirbi_tc_sizes *z, const tirbi_tc_sum *a, int64_t value);
const tirbi_tc_sum *tirbi_tc_scale(tirbi_tc_sizes *z, const tirbi_tc_sum *a, int64_t factor);
const tirbi_tc_sum *tirbi_tc_mul(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b);
const tirbi_tc_sum *tirbi_tc_floordiv(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b);
const tirbi_tc_sum *tirbi_tc_ceildiv(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b);
const tirbi_tc_sum *tirbi_tc_floormod(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b);
/* The sum without its term number `at`. */
const tirbi_tc_sum *tirbi_tc_without(tirbi_tc_sizes *z, const tirbi_tc_sum *a, uint32_t at);
/* MIN or MAX. */
const tirbi_tc_sum *tirbi_tc_extreme(tirbi_tc_sizes *z, tirbi_tc_atom_kind kind, const tirbi_tc_sum *a,
                                     const tirbi_tc_sum *b);

static inline bool tirbi_tc_is_constant(const tirbi_tc_sum *a) { return a && a->n == 0; }
static inline bool tirbi_tc_is(const tirbi_tc_sum *a, int64_t value) { return a && a->n == 0 && a->constant == value; }
/* Whether it is at least 0 for all sizes and values of parameters that meet the facts. False: that is not known. */
bool tirbi_tc_is_never_negative(tirbi_tc_sizes *z, const tirbi_tc_sum *a);
/* Whether it is below 0 for all of them. */
bool tirbi_tc_is_negative(tirbi_tc_sizes *z, const tirbi_tc_sum *a);
/* Whether it and all that it is computed from stay within int32 (but for small constants). */
bool tirbi_tc_fits_int32(const tirbi_tc_sum *a);

/* As an expression of the type, int32 or int64: positive terms first, then negative ones, then the constant. `n_nodes`
 * gets the number of its nodes added. NULL after an error. */
const tirb_expr *tirbi_tc_sum_expr(tirbi_builder *b, tirbi_span span, tirb_datatype type, const tirbi_tc_sum *a,
                                   uint32_t *n_nodes);
/* Such an expression as text. */
const char *tirbi_tc_size_text(tirbi_arena *arena, const tirb_expr *e);

#endif
