/* A program in a form that can be changed: instructions are nodes that jumps name by number, so that any may come and
 * go. Everything is in one arena; instructions are never changed in place, so a copy of a function's struct and arrays
 * is a way back. */
#ifndef TIRB_FUZZ_EDIT_H
#define TIRB_FUZZ_EDIT_H

#include "fuzz/fuzz.h"
#include "loader/base/bytes.h"
#include "loader/bundle/program.h"

enum { EDIT_MAX_FUNCTIONS = 32, EDIT_MAX_NODES = 3000 };

typedef struct edit_node {
    const tirbi_instr *instr; /* its jump targets are ids of nodes */
    uint32_t id;
    bool has_line;
    uint32_t line, column;
} edit_node;

typedef struct edit_function {
    tirbi_function head; /* its arrays are those below */
    tirbi_param *params;
    tirbi_var *vars;
    tirbi_ref_type *refs;
    tirbi_red_type *reds;
    edit_node *nodes;
    uint32_t n_nodes;
    uint32_t next_id;
} edit_function;

typedef struct edit_program {
    tirbi_arena *arena;
    tirbi_program head; /* without functions */
    edit_function functions[EDIT_MAX_FUNCTIONS];
    uint32_t n_functions;
} edit_program;

/* False: the bytes are no bundle, its code does not decode, or it is too large. */
bool edit_open(edit_program *e, const uint8_t *bytes, size_t size, tirbi_arena *arena);
/* Lays the nodes of one function out again: its code and source map. False: no memory. */
bool edit_encode(edit_program *e, edit_function *f);
/* The program as it is now; NULL: no memory. */
tirbi_program *edit_program_of(edit_program *e);

/* A function with arrays of its own that hold the same. */
bool edit_copy(edit_program *e, const edit_function *from, edit_function *to);
/* Room for `count` nodes before node `at`; false: no memory or too many. New nodes have ids. */
bool edit_insert(edit_program *e, edit_function *f, uint32_t at, uint32_t count);
/* Takes nodes away; jumps to them go to what followed. */
void edit_erase(edit_program *e, edit_function *f, uint32_t at, uint32_t count);
/* An instruction of its own in the place of a node's, for changing; NULL: no memory. */
tirbi_instr *edit_own(edit_program *e, edit_node *node);
/* The number of nodes of the unit that begins at a node: a lane loop or an inner loop as a whole, else 1. */
uint32_t edit_unit(const edit_function *f, uint32_t at);
/* The node with this id; n_nodes: none. */
uint32_t edit_find(const edit_function *f, uint32_t id);

/* The jump targets of an instruction, one after another: where they stand. NULL behind the last one. */
typedef struct edit_target {
    int64_t *operand; /* j */
    uint32_t *end;    /* of a header; one of the two is not NULL */
} edit_target;
bool edit_target_at(tirbi_instr *instr, unsigned index, edit_target *out);
uint32_t edit_target_get(const edit_target *t);
void edit_target_set(const edit_target *t, uint32_t value);

#endif
