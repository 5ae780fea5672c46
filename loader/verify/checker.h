/* The state of one verification, shared by its parts: names and signatures, scalar code, lane loops. */
#ifndef TIRB_LOADER_VERIFY_CHECKER_H
#define TIRB_LOADER_VERIFY_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/base/alloc.h"
#include "loader/base/bytes.h"
#include "loader/bundle/program.h"

/* What a call of a function must pass. */
typedef struct checker_arity {
    uint32_t n_scalars;
    uint32_t n_tensors;
} checker_arity;

/* A string. The chain is another thing: it begins with the number and 1 of the first of the strings that hash to this
 * place. */
typedef struct checker_name {
    uint32_t number; /* a part of its hash */
    uint32_t taken;  /* the function of which a parameter has it, or CHECKER_FUNCTIONS; of the first with this text */
    uint16_t first;  /* string with this text */
    uint16_t next;   /* in the chain; 0: none */
    uint16_t chain;
    uint8_t bad; /* a byte that no name has; 0: none */
} checker_name;

enum { CHECKER_NOBODY = UINT16_MAX + 1, CHECKER_FUNCTIONS };

/* Which registers hold parameters and variables, bit per register; all are 0 between functions. */
typedef struct checker_taken {
    uint8_t *scalars;
    uint8_t *refs;
    uint8_t *parameters; /* scalar parameters that are shape variables as well */
} checker_taken;

/* What is known of the lane registers on entry to the body of the lane loop or of an inner loop, and since. Sets are
 * bit per register. A register whose type is TIRB_TYPE_NONE is not defined. */
typedef struct checker_level {
    uint8_t loop; /* number of the inner loop, CHECKER_OWN of a vloop; unused at lane level */
    uint8_t entry_types[TIRBI_MAX_LANE_REGS];
    uint64_t written;    /* written in the body so far, outside of loops nested in it */
    uint64_t entry_read; /* read while they may still hold what they held on entry */
} checker_level;

enum { CHECKER_OWN = 0xFF, CHECKER_LETTERS = 128 };

typedef struct checker_lane {
    bool inside;
    const tirbi_lane_header *header; /* as it was decoded: nothing inside has one */
    uint8_t loops_seen; /* bit per inner loop */
    unsigned depth;     /* 0: lane level; the open inner loops are levels[1 .. depth] */
    bool begun;         /* something is in the body beside inner loops and seeks */
    unsigned kept;      /* all of the body is in the first so many of the open loops */
    uint32_t sought;    /* bit per cursor */
    uint32_t numbers;   /* bit per cursor: what seeks take numbers from */
    unsigned n_scans;
    unsigned n_steps;  /* of the scan that comes next */
    uint8_t step_type; /* theirs */
    uint32_t claimed; /* bit per cursor: an instruction writes where lanes say through it */
    uint32_t pushed;  /* bit per reduction state: an instruction pushes lanes into it */
    uint8_t types[TIRBI_MAX_LANE_REGS];
    unsigned n_own, own_depth; /* vloops: how many there were, how many are open */
    bool finds, acts; /* there was a vfind; something that must not be beside one */
    checker_level levels[TIRBI_MAX_INNER + TIRBI_MAX_OWN_DEPTH + 1];
} checker_lane;

typedef struct checker {
    const tirbi_program *program;
    tirb_error *error;
    const tirbi_function *function; /* NULL outside of functions */
    unsigned function_index;
    const tirbi_instr *instr; /* the instruction in hand, NULL outside of code */

    tirbi_heap *scratch;    /* which also counts the work */
    checker_arity *arities; /* of every function */
    checker_name *names;    /* of every string, and as many chains as name_mask says */
    uint32_t name_mask;
    checker_taken *taken;
    uint8_t *starts;            /* bit per code byte: an instruction outside of lane loops starts here */
    uint8_t *targets;           /* bit per code byte: a forward jump goes here */
    uint32_t next_line;         /* the entry of the source map that comes next, */
    uint32_t line_at;           /* and the offset where it is; the greatest number: there is none */
    uint64_t limits[CHECKER_LETTERS]; /* by operand letter: what its number must be below */
    checker_lane lane;
} checker;

/* Sets a VERIFY error that begins with the place, and returns it. */
tirb_status tirbi_verify_fail(checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Every string is UTF-8 without NUL, every function's name is unique, and every import has a name and types. */
tirb_status tirbi_verify_names(checker *c);
/* Whether the string may be the name of a function, a parameter or a shape variable, of the one with this index. */
tirb_status tirbi_verify_name(checker *c, uint16_t name, const char *what, unsigned index);
/* Whether the name is the first of its kind: among the parameters of a function, or CHECKER_FUNCTIONS. */
tirb_status tirbi_verify_unique(checker *c, uint16_t name, uint32_t among, const char *what);
/* Registers, parameters and shape variables of the function in hand; fills its arity. */
tirb_status tirbi_verify_signature(checker *c);
/* The code and the source map of the function in hand; all signatures are verified. */
tirb_status tirbi_verify_code(checker *c);

/* Whether scalar register or small constant x exists. */
tirb_status tirbi_verify_x(checker *c, uint16_t x);
/* A lane loop's header; the lane state is then inside. */
tirb_status tirbi_verify_lane_begin(checker *c);
/* Goes by instructions that most bodies of lane loops are made of, as long as nothing is wrong with them: the offset of
 * what is next. */
uint32_t tirbi_verify_lane_pass(checker *c, uint32_t at);
/* An instruction of a lane loop's body, whose register, cursor and loop numbers exist. */
tirb_status tirbi_verify_lane_instr(checker *c);

/* An instruction begins. The source map's entries go up and stand at instructions: one that does not is never
 * passed. */
static inline void checker_begin(checker *c, uint32_t at) {
    if (at != c->line_at) return;
    const tirbi_function *const f = c->function;
    c->line_at = ++c->next_line < f->n_lines ? f->lines[c->next_line].offset : UINT32_MAX;
}

/* For so many bits and one more, in whole words of 64. */
static inline size_t checker_bytes_of_bits(size_t n) { return (n / 64 + 1) * sizeof(uint64_t); }
static inline bool checker_bit(const uint8_t *bits, uint32_t i) { return bits[i / 8] >> (i % 8) & 1; }
static inline void checker_set_bit(uint8_t *bits, uint32_t i) { bits[i / 8] |= (uint8_t)(1u << (i % 8)); }
/* Of the i-th 64 of them. */
static inline void checker_set_bits(uint8_t *bits, uint32_t i, uint64_t set) {
    uint8_t *const at = bits + (size_t)i * sizeof(uint64_t);
    tirbi_store_u64(at, tirbi_load_u64(at) | set);
}

#endif
