/* A program in memory: what the compiler emits, the bundle writer stores, the reader restores, the verifier checks and
 * the VM translates. Plain data; every array belongs to one arena and is never changed once verified. */
#ifndef TIRB_LOADER_BUNDLE_PROGRAM_H
#define TIRB_LOADER_BUNDLE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"

/* Conditions are checked by each call that differs from the one before, whose deadline is looked at afterwards. */
enum { TIRBI_MAX_NDIM = 16, TIRBI_MAX_DIM_TERMS = 64, TIRBI_MAX_CONDITIONS = 4096, TIRBI_NO_STRING = 0xFFFF };

/* Extents, strides and offsets of parameters are small postfix programs over the function's shape variables. A single
 * CONST or VAR is by far the most common. Arithmetic is 64-bit and checked. */
typedef enum tirbi_dim_op {
    TIRBI_DIM_CONST = 0, /* value */
    TIRBI_DIM_VAR = 1,   /* value: the number of a shape variable */
    TIRBI_DIM_ADD = 2,
    TIRBI_DIM_SUB = 3,
    TIRBI_DIM_MUL = 4,
    TIRBI_DIM_FLOORDIV = 5,
    TIRBI_DIM_FLOORMOD = 6,
    TIRBI_DIM_TRUNCDIV = 7,
    TIRBI_DIM_TRUNCMOD = 8,
    TIRBI_DIM_MIN = 9,
    TIRBI_DIM_MAX = 10
} tirbi_dim_op;

typedef struct tirbi_dim_term {
    uint8_t op;
    int64_t value;
} tirbi_dim_term;

typedef struct tirbi_dim {
    uint16_t n_terms;
    const tirbi_dim_term *terms;
} tirbi_dim;

/* What two sizes are to each other; the numbers of the format. */
typedef enum tirbi_relation {
    TIRBI_LESS = 0,
    TIRBI_LESS_OR_EQUAL = 1,
    TIRBI_GREATER = 2,
    TIRBI_GREATER_OR_EQUAL = 3,
    TIRBI_EQUAL = 4,
    TIRBI_NOT_EQUAL = 5,
    TIRBI_N_RELATIONS = 6
} tirbi_relation;

/* "<", "<=", ..., by number; NULL behind the last. */
extern const char *const tirbi_relations[TIRBI_N_RELATIONS + 1];

/* What the arguments of a call must meet: `left` stands in the relation to `right`. */
typedef struct tirbi_condition {
    uint8_t relation; /* tirbi_relation */
    tirbi_dim left, right;
} tirbi_condition;

/* A shape variable: bound at a call from a tensor's shape, strides or byte offset, or from the scalar parameter
 * `param`, into scalar register `reg`. */
typedef struct tirbi_var {
    uint16_t name; /* string */
    uint8_t dtype; /* an integer type; a value that does not fit is a SHAPE error */
    uint16_t reg;
    uint16_t param; /* the scalar parameter that this is, or TIRBI_NO_REG */
} tirbi_var;

typedef struct tirbi_param {
    uint16_t name; /* string */
    uint8_t kind;  /* tirb_param_kind */
    uint8_t dtype;
    uint8_t access; /* tirbi_access bits; tensors only */
    uint16_t reg;   /* tensors: reference register; scalars: scalar register */
    uint8_t ndim;
    bool has_strides;     /* else the function sees the tensor compact, row-major */
    bool is_result;       /* what the caller's memory holds before the call counts for nothing; results stand last */
    bool is_open;         /* a result whose extents the function decides: see `result` */
    bool has_elem_offset; /* then elem_offset is bound or checked against byte_offset / element size; either way the
                             reference begins at the tensor's first element, behind byte_offset */
    const tirbi_dim *shape;
    const tirbi_dim *strides; /* in elements; ndim of them if has_strides */
    tirbi_dim elem_offset;
    const tirbi_dim *minima; /* ndim of them: the index that the program's text has for the first element, which is a
                                record and no part of what is computed; NULL: 0 in each dimension */
} tirbi_param;

typedef struct tirbi_ref_type {
    uint8_t dtype;
    bool writable;
} tirbi_ref_type;

typedef enum tirbi_red_op { TIRBI_RED_ADD = 0, TIRBI_RED_MUL = 1, TIRBI_RED_MIN = 2, TIRBI_RED_MAX = 3 } tirbi_red_op;

typedef struct tirbi_red_type {
    uint8_t dtype; /* TIRB_F32 or TIRB_F64 */
    uint8_t op;    /* tirbi_red_op */
} tirbi_red_type;

/* Two tensor parameters by number, the first one smaller, whose arguments may share memory although one is written. */
typedef struct tirbi_alias {
    uint16_t first, second;
} tirbi_alias;

/* From code offset `offset` on (to the next entry), instructions come from this place of the source. */
typedef struct tirbi_line {
    uint32_t offset;
    uint32_t line;
    uint32_t column;
} tirbi_line;

/* Parameters arrive in the registers that they name; `call` passes the scalar parameters in order, then the shape
 * variables that are not scalar parameters in order, and the tensor parameters' references in order. */
typedef struct tirbi_function {
    uint16_t name; /* string */
    bool is_public;
    bool is_packed; /* takes any arguments, which the VM packs: its parameters are those of TVM's packed functions */
    bool is_region; /* called by forks only: begin and end of a chunk are its first scalar parameters */
    bool returns;
    uint8_t return_type;
    uint16_t n_params;
    uint16_t n_vars;
    uint16_t n_aliases;
    uint16_t n_conditions;
    uint16_t n_sregs;
    uint16_t n_refs;
    uint8_t n_lane_regs;
    uint8_t n_reds;
    const tirbi_param *params;
    const tirbi_var *vars;
    const tirbi_alias *aliases; /* ascending */
    const tirbi_condition *conditions; /* of calls from outside; in the order of checking */
    const tirbi_ref_type *refs;
    const tirbi_red_type *reds;
    const uint8_t *code;
    uint32_t code_size;
    const tirbi_line *lines; /* sorted by offset; may be empty */
    uint32_t n_lines;
} tirbi_function;

/* A parameter of an import: a scalar (access 0) or a view of elements. */
typedef struct tirbi_import_param {
    uint8_t dtype;
    uint8_t access; /* tirbi_access bits: what the host may do to the elements */
} tirbi_import_param;

/* A function that the host provides when the program runs. Two imports may share a name: they differ in their types. */
typedef struct tirbi_import {
    uint16_t name; /* string */
    bool returns;
    uint8_t return_type;
    uint8_t n_params; /* at most TIRBI_MAX_CALL_ARGS */
    const tirbi_import_param *params;
} tirbi_import;

/* Elements that references may lead to and nobody writes, as they are in a bundle: little-endian. */
typedef struct tirbi_constant {
    uint8_t dtype;
    const uint8_t *bytes;
    uint64_t size; /* in bytes */
} tirbi_constant;

typedef struct tirbi_string {
    const char *text; /* terminated; no NUL inside; UTF-8 */
    uint32_t size;
} tirbi_string;

typedef struct tirbi_program {
    uint16_t n_functions;
    uint16_t n_strings;
    uint16_t n_imports;
    uint16_t n_constants;
    const tirbi_function *functions;
    bool *are_called; /* by function, which the verifier sets: other code calls it; NULL: any may be called */
    const tirbi_string *strings;
    const tirbi_import *imports;
    const tirbi_constant *constants;
    uint8_t fp_mode;      /* tirb_fp_mode, for the record */
    uint16_t source_file; /* string, or TIRBI_NO_STRING */
    uint64_t n_bytes;        /* that its sections and its code unpacked to; of what was read */
    uint64_t n_instructions; /* the same */
} tirbi_program;

/* Whether parameters a and b may share memory. */
bool tirbi_function_may_alias(const tirbi_function *function, uint32_t a, uint32_t b);

/* How many of its last parameters are results. */
uint16_t tirbi_function_results(const tirbi_function *function);

/* How many bytes the longest text of an import's types has: parameters, their commas and the returned type. */
enum { TIRBI_MAX_IMPORT_TEXT = 20 * UINT8_MAX + 32 };

/* Writes the types of an import: "(float32, const float32[]) -> float32". A view that the host may not write is
 * const. */
void tirbi_import_format(const tirbi_import *import, char out[TIRBI_MAX_IMPORT_TEXT]);

/* The number of functions that are no regions. The program is verified. */
uint16_t tirbi_program_callable(const tirbi_program *program);

/* Evaluates an extent. `values[i]` is shape variable i and `bound[i]` says whether it is known. Returns SHAPE when a
 * variable is not bound or the arithmetic overflows or divides by zero; `error` may be NULL. The terms must be
 * verified. */
tirb_status tirbi_dim_eval(const tirbi_dim *dim, const int64_t *values, const bool *bound, int64_t *out,
                           tirb_error *error);

/* Whether the two stand in the relation, which is verified. */
bool tirbi_relation_holds(uint8_t relation, int64_t left, int64_t right);

#endif
