/* The instruction bench: each lane instruction in each of its types, beside the same loop in C. */
#ifndef TIRB_TESTS_BENCH_INSTRUCTIONS_INSTRUCTIONS_H
#define TIRB_TESTS_BENCH_INSTRUCTIONS_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"

enum { MAX_OPERANDS = 3, MAX_ARRAYS = MAX_OPERANDS + 1 };

/* Alone: operands from memory, the instruction, its result to memory. In company: twice, once on an operand that is
 * computed, and what both give put together, so that values stay in registers. */
typedef enum form { ALONE, IN_COMPANY, N_FORMS } form;

/* One row: an instruction of the opcode table in one of its types. `detail` is what else its operands choose: the type
 * that cast and bits read, the operation of a reduction or a scan; TIRB_TYPE_NONE where there is nothing. */
typedef struct instruction {
    uint8_t op, type, detail;
} instruction;

/* What a loop in C is given. The program in bytecode has the same arrays in the same order, then `out`. */
typedef struct loop_args {
    const void *in[MAX_ARRAYS];
    void *out;
    int n;
} loop_args;

/* Indices that are checked are below this. */
enum { INDEX_LIMIT = 100 };

typedef void loop(const loop_args *args);

/* What stands beside a row: the loops, or the reason why there are none. */
typedef struct c_loops {
    instruction of;
    loop *forms[N_FORMS]; /* NULL: there is nothing to compute before it */
} c_loops;

typedef struct level {
    const char *name;
    const c_loops *loops;
    size_t n;
} level;

/* The loops compiled for what `isa` has; NULL where this CPU or this build lacks it. */
const level *level_of(tirb_isa isa);
/* Those beside one row, NULL: there are none. */
const c_loops *find_loops(const level *in, instruction of);

/* ---- The rows (rows.c) ------------------------------------------------------------------------------------------ */

/* All lane instructions in all types; their number goes to `n`. The caller frees them. */
instruction *all_instructions(size_t *n);
/* "vcast.i32 from u8". */
void name_instruction(instruction of, char *out, size_t size);
/* Why there is no row for an instruction; NULL: there is one. */
const char *left_out(instruction of);
/* Why a row may take more than three times as long as C; NULL: it may not. */
const char *allowed(instruction of, tirb_isa isa);

/* ---- Programs (programs.c) -------------------------------------------------------------------------------------- */

/* What a row's program and loop work on: the operands and, in company, what is added to one. */
typedef struct layout {
    unsigned n_in, n_operands;
    tirbi_dtype in[MAX_ARRAYS], out;
    bool index;      /* the first array holds all places of the others, in no order */
    bool one_result; /* `out` has one element only */
} layout;

layout layout_of(instruction of, form f);
/* A bundle that runs the row's loop "times" times; NULL with a message. The caller frees it. */
uint8_t *make_bundle(instruction of, form f, size_t *size);

/* ---- Values (values.c) ------------------------------------------------------------------------------------------ */

/* Fills an array with operands that the instruction has results for, the same in every run. */
void fill(instruction of, const layout *l, unsigned array, void *data, int n);
/* Whether two results are the same: integers exactly, floats but for what C may round otherwise. Else `*at` and both
 * values. */
bool same_results(instruction of, tirbi_dtype type, const void *a, const void *b, int n, int *at, double values[2]);

#endif
