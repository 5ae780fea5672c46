/* Operands chosen at random by their letters, mostly such that the verifier takes them. */
#ifndef TIRB_FUZZ_OPERANDS_H
#define TIRB_FUZZ_OPERANDS_H

#include "fuzz/edit.h"

typedef struct edit_place {
    edit_program *e;
    edit_function *f;
    uint32_t at; /* the node that is changed, or before which another will stand */
    fuzz_random *random;
} edit_place;

/* Whether what stands before a node belongs to the body of a lane loop. */
bool fuzz_inside_lane(const edit_place *p);
/* A type that the opcode has; one in use nearby, if it is among them. */
uint8_t fuzz_pick_type(const edit_place *p, const tirbi_op_info *info);
/* Operand `index` anew. */
void fuzz_pick_operand(const edit_place *p, tirbi_instr *instr, unsigned index);
/* All operands anew; the instruction has an opcode and a type. */
void fuzz_pick_operands(const edit_place *p, tirbi_instr *instr);
/* One field of a lane loop's header anew. */
void fuzz_change_header(const edit_place *p, tirbi_lane_header *lane);

/* How far the names in an instruction move: registers, strings and imports behind those that are there. */
typedef struct fuzz_shift {
    uint16_t scalars, refs, strings, imports, constants;
    uint8_t reds;
    uint32_t n_functions;
    const uint16_t *functions; /* by function: its new number; NULL: the same */
} fuzz_shift;

void fuzz_shift_operands(tirbi_instr *instr, const fuzz_shift *by);

/* Goes through every opcode's letters, and fails at one that the functions above do not know. Returns how many there
 * are. */
uint32_t fuzz_check_letters(void);
/* A dimension: a constant, a variable, or a few terms that leave one value. */
tirbi_dim fuzz_pick_dim(const edit_place *p);

#endif
