/* References that have as many elements as a register says, wherever a function's code has come to: an index that is
 * less than such an extent is an element that is there, so that one check tells both. */
#ifndef TIRB_VM_TRANSLATE_SIZES_H
#define TIRB_VM_TRANSLATE_SIZES_H

#include "loader/bundle/program.h"
#include "vm/translate/flow.h"

enum { TIRBI_MAX_SIZED = 64 /* references: the first ones */ };

typedef struct tirbi_sizes {
    uint64_t rewritten; /* bit r: code makes the reference another one */
    uint8_t *written;   /* by scalar register, n_registers of them: code writes it */
    uint32_t n_registers;
    bool has_branched; /* what has not been noted yet may be left out */
    struct tirbi_sized {
        uint8_t by; /* tirbi_size_by */
        int64_t value;  /* the register, or the number of elements */
        uint32_t since; /* the code's byte offset from which on */
    } refs[TIRBI_MAX_SIZED]; /* of the function's, so many */
} tirbi_sizes;

typedef enum tirbi_size_by { TIRBI_SIZE_UNKNOWN, TIRBI_SIZE_NUMBER, TIRBI_SIZE_REGISTER } tirbi_size_by;

/* By the parameters, whose shapes a call from outside has checked; not so a call from other code. */
void tirbi_sizes_begin(tirbi_sizes *sizes, const tirbi_function *f, uint8_t *written, uint32_t n_registers,
                       bool is_called);
/* Code writes a register. */
static inline void tirbi_sizes_write(tirbi_sizes *sizes, int64_t reg) {
    if (reg < sizes->n_registers) sizes->written[reg] = 1;
}
/* Notes the function's instructions, one after the other, but for rows, of which scalar ones write a register. */
void tirbi_sizes_note(tirbi_sizes *sizes, const tirbi_instr *in);
/* Whether the reference has as many elements as the extent says at byte offset `at`, which the code has been gone
 * through to; `flow` tells constants, or is NULL. */
bool tirbi_sizes_tell(const tirbi_sizes *sizes, const tirbi_flow *flow, int64_t ref, uint16_t extent, uint32_t at);

#endif
