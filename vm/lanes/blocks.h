/* How many elements a block has: one table for the lane machines and the strip kernels that go with them. */
#ifndef TIRB_VM_LANES_BLOCKS_H
#define TIRB_VM_LANES_BLOCKS_H

#include "vm/lanes/isas.h"

/* X(instruction set, bytes of a vector, registers of a bank, elements of the blocks of kernels, ..).
 *
 * Kernels: of types of up to 4 bytes, with one of 8, and where vectors hold more than that. Those of mathematical
 * functions: of float32, of float64, and of those of float32 that go by several vectors side by side.
 *
 * Plain C has small banks where the architecture has vectors: it is what these are compared with there. */
#if TIRBI_LANES_SSE2 || TIRBI_LANES_NEON
#define TIRBI_GENERIC_BLOCKS(X) X(GENERIC, 16, 2, 4, 4, 16, 4, 4, 64)
#else
#define TIRBI_GENERIC_BLOCKS(X) X(GENERIC, 16, 6, 8, 4, 16, 8, 4, 64)
#endif
#define TIRBI_BLOCKS(X)                      \
    TIRBI_GENERIC_BLOCKS(X)                  \
    X(SSE2, 16, 6, 8, 4, 16, 8, 4, 64)       \
    X(AVX2, 32, 6, 16, 8, 64, 16, 8, 48)     \
    X(AVX512, 64, 8, 32, 32, 64, 32, 32, 64) \
    X(NEON, 16, 8, 16, 8, 64, 16, 8, 32)

/* Loops without banks, whose blocks are the same on all machines, have a multiple of so many lanes, and strips have
 * room for one. */
enum { TIRBI_STRIP_LANES = 64 };

#define X(isa, vector, registers, block, block_8, large, math, math_8, wide_math)                                   \
    enum {                                                                                                          \
        TIRBI_VECTOR_##isa = vector,                                                                                \
        TIRBI_BANK_BYTES_##isa = (vector) * (registers),                                                            \
        TIRBI_KERNEL_BLOCK_##isa = block,                                                                           \
        TIRBI_KERNEL_BLOCK_8_##isa = block_8,                                                                       \
        TIRBI_LARGE_BLOCK_##isa = large,                                                                            \
        TIRBI_MATH_BLOCK_##isa = math,                                                                              \
        TIRBI_MATH_BLOCK_8_##isa = math_8,                                                                          \
        TIRBI_WIDE_MATH_BLOCK_##isa = wide_math                                                                     \
    };                                                                                                              \
    _Static_assert(TIRBI_BANK_BYTES_##isa / 4 % (block) == 0 && TIRBI_BANK_BYTES_##isa / 4 % (math) == 0 &&         \
                       TIRBI_BANK_BYTES_##isa / 8 % (block_8) == 0 && TIRBI_BANK_BYTES_##isa / 8 % (math_8) == 0 && \
                       (wide_math) % (math) == 0,                                                                   \
                   "the lanes of a bank are whole blocks of kernels of their size");                                \
    _Static_assert(TIRBI_BANK_BYTES_##isa / 8 >= (block) && TIRBI_BANK_BYTES_##isa / 8 >= (math),                   \
                   "a bank has no fewer lanes than a kernel of another size has in a block: none is copied");       \
    _Static_assert(TIRBI_STRIP_LANES % (block) == 0 && TIRBI_STRIP_LANES % (math) == 0 &&                           \
                       TIRBI_STRIP_LANES >= (large),                                                                \
                   "nor have loops without banks");
TIRBI_BLOCKS(X)
#undef X

#endif
