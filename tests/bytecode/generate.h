/* Random legal bytecode, as text for the assembler: straight code with jumps to and fro, around constants, scalars that
 * are read before they are written, and lane loops of all kinds between them. */
#ifndef TIRB_TESTS_BYTECODE_GENERATE_H
#define TIRB_TESTS_BYTECODE_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/isa/isa.h"
#include "tests/differential/random.h"

/* References: those that are only read, those that lane loops write, and one that scalar code writes. */
enum { BYTECODE_INPUTS = 4, BYTECODE_OUTPUTS = 3, BYTECODE_REFS = BYTECODE_INPUTS + BYTECODE_OUTPUTS + 1 };
enum { BYTECODE_SCALARS = 2, BYTECODE_CONSTANTS = 16 };

typedef struct bytecode {
    tirbi_text text;
    bool apart; /* no lane sees another one, nor how many there are: what lanes write is the same for any number */
    uint8_t types[BYTECODE_REFS];
    uint64_t constants[BYTECODE_CONSTANTS]; /* that its parameters are to be, see below */
} bytecode;

/* Function "f" has the scalar parameters a and b, one for each of the constants, n (of lanes) and m (the elements of
 * each tensor), and returns an i64. With `parameters`, moves of the constants' parameters stand for const
 * instructions: nothing is known of registers then, and everything must be as it was. */
void bytecode_generate(bytecode *to, uint64_t seed, bool parameters);

#endif
