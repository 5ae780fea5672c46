/* The unit of translated code: 8 bytes. */
#ifndef TIRB_VM_LANES_WORD_H
#define TIRB_VM_LANES_WORD_H

#include <stdint.h>

#include "vm/lanes/kernels.h"

/* An instruction is one word {op, a, b, c} or {op, a, jump}, followed by as many words of operands as its form has.
 * Jumps count words from the instruction's own first word. */
typedef union tirbi_word {
    struct {
        uint16_t op;
        uint16_t a;
        union {
            struct {
                uint16_t b;
                uint16_t c;
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

#endif
