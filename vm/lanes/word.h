/* The unit of translated code: 8 bytes. */
#ifndef TIRB_VM_LANES_WORD_H
#define TIRB_VM_LANES_WORD_H

#include <stddef.h>
#include <stdint.h>

#include "vm/lanes/kernels.h"

/* An instruction is one word {op, a, c, b} or {op, a, jump}, followed by as many words of operands as its form has.
 * Jumps count words from the instruction's own first word. */
typedef union tirbi_word {
    struct {
        uint16_t op;
        uint16_t a;
        union {
            struct {
                uint16_t c;
                uint16_t b;
            };
            int32_t jump;
        };
    };
    struct {
        int32_t far_jump; /* of a form whose first word has no room */
        uint32_t cost;    /* fuel */
    };
    uint16_t list[4];
    uint64_t bits;
    tirbi_kernel kernel; /* of a lane loop */
    tirbi_scalar scalar;
    tirbi_sequence sequence;
} tirbi_word;

_Static_assert(sizeof(tirbi_word) == 8, "a word is 8 bytes");

/* The parts of a word whose bits are in a register. The lane machine's handlers read little but memory, of which
 * processors read two pieces at a time: four loads for a word's parts took as long as those of two vectors. b, which
 * most handlers have, is where one shift gets it. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static inline size_t tirbi_word_op(uint64_t bits) { return (size_t)(bits >> 48); }
static inline size_t tirbi_word_a(uint64_t bits) { return (uint16_t)(bits >> 32); }
static inline size_t tirbi_word_b(uint64_t bits) { return (uint16_t)bits; }
static inline size_t tirbi_word_c(uint64_t bits) { return (uint16_t)(bits >> 16); }
#else
static inline size_t tirbi_word_op(uint64_t bits) { return (uint16_t)bits; }
static inline size_t tirbi_word_a(uint64_t bits) { return (uint32_t)bits >> 16; }
static inline size_t tirbi_word_b(uint64_t bits) { return (size_t)(bits >> 48); }
static inline size_t tirbi_word_c(uint64_t bits) { return (uint16_t)(bits >> 32); }
#endif

#endif
