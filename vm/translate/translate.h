/* Translation of verified programs, for one instruction set each, into the words that the machine runs: 8 bytes an
 * instruction (handler index and three operands), with forms for instructions that often follow each other.
 *
 * A function is translated when it is needed, together with all that it leads to: what runs needs nothing more. Who
 * translates is alone with the code, its heap included; others may run what was ready before. */
#ifndef TIRB_VM_TRANSLATE_TRANSLATE_H
#define TIRB_VM_TRANSLATE_TRANSLATE_H

#include <stdatomic.h>

#include "loader/bundle/program.h"
#include "vm/machine/run.h"

/* The code of a verified program, of which nothing is translated yet; with a probe at each entry of the line tables if
 * it is to be profiled. The program must outlive the code. Errors: NO_MEMORY, MEMORY_LIMIT, UNSUPPORTED. */
tirb_status tirbi_code_begin(const tirbi_program *program, tirb_isa isa, bool profiled, tirbi_heap *heap,
                             tirbi_code **out, tirb_error *error);
/* Makes `n` functions ready from number `first` on. When *stop becomes non-zero it ends with CANCELLED at once, and
 * what was made so far is for the next who asks; NULL: nothing stops it. Errors: NO_MEMORY, MEMORY_LIMIT, FUEL (the
 * heap's work), CANCELLED. */
tirb_status tirbi_code_need(tirbi_code *code, uint32_t first, uint32_t n, const atomic_uint *stop, tirb_error *error);
/* The steps that it has taken so far for functions that are whole. */
uint64_t tirbi_code_work(const tirbi_code *code);
/* In a child of a process one of whose threads was translating: that thread is not here. */
void tirbi_code_orphaned(tirbi_code *code);
/* Both: all functions are ready. */
tirb_status tirbi_code_create(const tirbi_program *program, tirb_isa isa, bool profiled, tirbi_heap *heap,
                              tirbi_code **out, tirb_error *error);
void tirbi_code_destroy(tirbi_code *code);

#endif
