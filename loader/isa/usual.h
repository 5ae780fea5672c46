/* Decoding code that has been verified: a shorter way for the instructions that most scalar code is made of. */
#ifndef TIRB_LOADER_ISA_USUAL_H
#define TIRB_LOADER_ISA_USUAL_H

#include "loader/isa/isa.h"

/* As tirbi_decode, of verified code, where the instruction is a usual one: all of its operands are as wide each time.
 * False: it is another, and nothing is said of it. */
bool tirbi_decode_usual(const uint8_t *code, uint32_t offset, tirbi_instr *out);

#endif
