/* The register machine: expressions whose values stay in SIMD registers.
 *
 * Where there are 32 of these, they make seven banks of four, A to G, and every instruction puts its result into A from
 * any of them. A body of loads, arithmetic and stores of whole blocks is done by it many values at a time, where the
 * lane machine, with two banks, reads most operands from memory again. */
#ifndef TIRB_VM_LANES_REGISTERS_H
#define TIRB_VM_LANES_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "vm/lanes/isas.h"
#include "vm/lanes/word.h"

enum { TIRBI_HELD_BANKS = 7, TIRBI_HELD_REGISTERS = 4 };

/* clang takes minutes over thousands of handlers that share seven banks, as gcc does where sanitizers check accesses:
 * these make none. */
#if TIRBI_LANES_AVX512 && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TIRBI_REGISTERS_AVX512 1
#else
#define TIRBI_REGISTERS_AVX512 0
#endif

/* Runs the words from `program` on for blocks of four vectors until they have gone through `bytes` bytes of elements of
 * the main size, a multiple of that. No pointer of the table moves. */
void tirbi_registers_avx512(const tirbi_word *program, uint8_t *const *pointers, size_t bytes);

#endif
