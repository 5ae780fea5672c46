/* Translation of verified programs, for one instruction set each, into the words that the machine runs: 8 bytes an
 * instruction (handler index and three operands), with forms for instructions that often follow each other. */
#ifndef TIRB_VM_TRANSLATE_TRANSLATE_H
#define TIRB_VM_TRANSLATE_TRANSLATE_H

#include "loader/bundle/program.h"
#include "vm/machine/run.h"

/* Translates every function of a verified program, with a probe at each entry of the line tables if it is to be
 * profiled. The program must outlive the code. Errors: NO_MEMORY, MEMORY_LIMIT. */
tirb_status tirbi_code_create(const tirbi_program *program, tirb_isa isa, bool profiled, tirbi_heap *heap,
                              tirbi_code **out, tirb_error *error);
void tirbi_code_destroy(tirbi_code *code);

#endif
