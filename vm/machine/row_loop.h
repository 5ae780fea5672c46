/* Loops of scalar code around one lane loop, whose rows are of different lengths, as those of triangles, of bands and
 * of what is padded are.
 *
 * Such a loop computes where each row begins and how long it is by scalar instructions, and then enters a lane loop,
 * which takes longer than a short row does. What it computes is mostly a line over the counter: a start and a step.
 * While the lines last (a minimum takes one of its operands, nothing wraps, a branch goes one way), what would be
 * checked for each row holds if it does for the first and the last one. So the loop's end looks how many rows there are
 * of which that is so, and does all of them but for scalar values that are no lines, which are computed as ever. Memory
 * and registers are at each instruction what they would be, but registers that hold lines and are set again before
 * anything reads them: the last row of a loop is never done so. Where something comes up, the scalar machine goes on at
 * the lane loop or at the loop's end. */
#ifndef TIRB_VM_MACHINE_ROW_LOOP_H
#define TIRB_VM_MACHINE_ROW_LOOP_H

#include "vm/machine/code.h"

enum { TIRBI_MAX_ROW_VALUES = 96, TIRBI_MAX_ROW_STEPS = 32, TIRBI_MAX_ROW_TESTS = 24, TIRBI_NO_ROW_LINE = 0xFF };

typedef enum tirbi_row_value_kind {
    TIRBI_ROW_COUNTER, /* always the first value */
    TIRBI_ROW_SLOT,    /* which the loop leaves as it is: a */
    TIRBI_ROW_NUMBER,  /* bits */
    TIRBI_ROW_SAME,    /* a, as a value of the type */
    TIRBI_ROW_ADD,
    TIRBI_ROW_SUB,
    TIRBI_ROW_MUL,
    TIRBI_ROW_MIN,
    TIRBI_ROW_MAX
} tirbi_row_value_kind;

/* A line over the counter: of lines before it. */
typedef struct tirbi_row_value {
    uint8_t kind, type; /* I32 or I64 */
    uint16_t a, b;
    int64_t number;
} tirbi_row_value;

/* What has to hold in all rows: the comparison `op` of two lines, or not. */
typedef struct tirbi_row_test {
    uint8_t op;
    bool is_used, holds;
    uint8_t a, b;
    uint16_t slot; /* of the result, where there is one: has_slot */
    bool has_slot;
} tirbi_row_test;

/* Steps that are no lines. Those of memory are by the size of the element, where it is common. */
typedef enum tirbi_row_step_kind {
    TIRBI_ROW_SET,   /* slot a = the line */
    TIRBI_ROW_LOAD,  /* slot a = the element of ref b that the line numbers */
    TIRBI_ROW_LOAD4, /* of a type that zeros extend, and of integers with a sign */
    TIRBI_ROW_LOAD_SIGNED4,
    TIRBI_ROW_LOAD8,
    TIRBI_ROW_STORE, /* that of ref a = slot b */
    TIRBI_ROW_STORE4,
    TIRBI_ROW_STORE8,
    TIRBI_ROW_MOVE, /* slot a = slot b, as a value of the type */
    TIRBI_ROW_CALL, /* slot a = the function of slots b, c and d */
    TIRBI_ROW_SKIP, /* goes `d` steps on where slot a is as `type` says */
    TIRBI_ROW_LANES,
    TIRBI_ROW_ENDING, /* the same, of a loop with an ending */
    TIRBI_ROW_END,
#define UNARY(OP, op, TYPE, type) TIRBI_ROW_##OP##_##TYPE,
#define BINARY(OP, op, TYPE, type) TIRBI_ROW_##OP##_##TYPE,
#define TERNARY(OP, op, TYPE, type) TIRBI_ROW_##OP##_##TYPE,
#define COMPARE(OP, op, TYPE, type) TIRBI_ROW_##OP##_##TYPE,
#include "vm/machine/forms.def"
    TIRBI_N_ROW_STEPS
} tirbi_row_step_kind;

typedef struct tirbi_row_step {
    uint16_t kind;
    uint8_t type, line;
    uint16_t a, b, c, d;
    tirbi_scalar call;
} tirbi_row_step;

/* A register that holds a line, which no step sets for nothing reads it: it is set where the scalar machine goes on. */
typedef struct tirbi_row_left {
    uint16_t slot;
    uint8_t line;
    bool is_behind; /* it holds it behind the row, */
    int8_t at_lanes; /* and at the lane loop: 1, that of the row, -1, of the row before, or 0 */
} tirbi_row_left;

typedef struct tirbi_row_loop {
    const tirbi_lane_loop *loop;
    const tirbi_lane_inputs *inputs;
    uint16_t counter, end; /* slots */
    uint8_t n_values, n_steps, n_tests, n_left;
    uint8_t n; /* the line of the lanes; TIRBI_NO_ROW_LINE: the slot has them */
    const tirbi_row_value *values;
    const tirbi_row_step *steps;
    const tirbi_row_test *tests;
    const tirbi_row_left *left;
    /* By cursor: lines of the first element of a row, of the last one (of `n`), and of the step, which is level. */
    const uint8_t *first, *last, *step;
} tirbi_row_loop;

#endif
