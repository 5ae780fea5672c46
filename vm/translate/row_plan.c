#include "vm/translate/row_plan.h"

#include <stddef.h>
#include <string.h>

#include "loader/base/error.h"
#include "vm/machine/handlers.h"
#include "vm/translate/conditions.h"
#include "vm/translate/constants.h"

enum { MAX_DEFINED = 48, MAX_BODY = 96, MAX_JOINS = 8 };

/* By opcode and type: the step that computes it, or 0. */
static const uint16_t forms[TIRB_OP_LANE_FORM][TIRB_N_DTYPES] = {
#define FORM_OF(OP, op, TYPE, type) [TIRB_OP_##OP][TIRB_##TYPE] = TIRBI_ROW_##OP##_##TYPE,
#define UNARY FORM_OF
#define BINARY FORM_OF
#define TERNARY FORM_OF
#define COMPARE FORM_OF
#include "vm/machine/forms.def"
};

typedef enum { BY_LINE, BY_CONDITION, IN_SLOT, UNKNOWN } meaning;

/* What a register holds from an instruction of the loop on. */
typedef struct defined {
    uint16_t reg;
    uint8_t meaning;
    uint8_t line; /* or the test */
    uint8_t step; /* of a line: the one that would set it */
    bool is_line; /* it was one, whatever is known of it now */
    bool before_lanes;
} defined;

typedef struct finder {
    tirbi_code *code;
    const tirbi_function *function;
    tirbi_constants *constants;
    const tirbi_lane_loop *loop;
    tirbi_instr *in;
    unsigned n_values, n_steps, n_tests, n_left, n_defined, n_written, n_carried, n_in_lanes, n_joins;
    unsigned lanes_at;
    uint32_t end; /* the loop instruction */
    uint16_t counter;
    uint8_t n, first[TIRBI_MAX_CURSORS], last[TIRBI_MAX_CURSORS], step[TIRBI_MAX_CURSORS];
    bool has_lanes, fits;
    bool needed[TIRBI_MAX_ROW_STEPS]; /* of those that set a line: something reads the register */
    /* What follows is set as there are such, and not cleared before. */
    tirbi_row_value values[TIRBI_MAX_ROW_VALUES];
    tirbi_row_step steps[TIRBI_MAX_ROW_STEPS];
    tirbi_row_left left[TIRBI_MAX_ROW_STEPS];
    tirbi_row_test tests[TIRBI_MAX_ROW_TESTS];
    defined defined[MAX_DEFINED];
    uint16_t written[MAX_DEFINED]; /* registers that the loop writes anywhere */
    uint16_t carried[MAX_DEFINED]; /* of these, those that are read before */
    uint16_t in_lanes[MAX_DEFINED]; /* registers that the lane loop's body reads */
    struct {
        uint32_t at; /* where code goes on that skips go to */
        uint8_t step, from; /* the skip, and the first of what may be left out */
    } joins[MAX_JOINS];
} finder;

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static uint8_t add_value(finder *f, tirbi_row_value value) {
    for (unsigned i = 0; i < f->n_values; i++) {
        const tirbi_row_value *v = &f->values[i];
        if (v->kind == value.kind && v->type == value.type && v->a == value.a && v->b == value.b &&
            v->number == value.number)
            return (uint8_t)i;
    }
    if (f->n_values == TIRBI_MAX_ROW_VALUES) {
        f->fits = false;
        return 0;
    }
    f->values[f->n_values] = value;
    return (uint8_t)f->n_values++;
}

static uint8_t make_line(finder *f, tirbi_row_value_kind kind, uint8_t type, unsigned a, unsigned b) {
    return add_value(f, (tirbi_row_value){.kind = (uint8_t)kind, .type = type, .a = (uint16_t)a, .b = (uint16_t)b});
}

static uint8_t line_of_number(finder *f, int64_t number) {
    return add_value(f, (tirbi_row_value){.kind = TIRBI_ROW_NUMBER, .type = TIRB_I64, .number = number});
}

static const defined *find_defined(const finder *f, uint16_t slot) {
    for (unsigned i = f->n_defined; i-- > 0;)
        if (f->defined[i].reg == slot) return &f->defined[i];
    return NULL;
}

static bool has(const uint16_t *list, unsigned n, uint16_t slot) {
    for (unsigned i = 0; i < n; i++)
        if (list[i] == slot) return true;
    return false;
}

/* The line that a slot holds; TIRBI_NO_ROW_LINE: it holds none. */
static uint8_t line_of(finder *f, uint16_t slot) {
    if (slot == f->counter) return 0;
    const defined *d = find_defined(f, slot);
    if (d) {
        f->fits = f->fits && d->meaning != UNKNOWN;
        return d->meaning == BY_LINE ? d->line : TIRBI_NO_ROW_LINE;
    }
    if (!has(f->written, f->n_written, slot)) return make_line(f, TIRBI_ROW_SLOT, TIRB_I64, slot, 0);
    if (!has(f->carried, f->n_carried, slot)) f->carried[f->n_carried++] = slot;
    return TIRBI_NO_ROW_LINE;
}

/* A step reads the register itself. */
static uint16_t read_slot(finder *f, uint16_t slot) {
    const defined *d = slot == f->counter ? NULL : find_defined(f, slot);
    f->fits = f->fits && !(d && (d->meaning == UNKNOWN || d->meaning == BY_CONDITION));
    if (d && d->meaning == BY_LINE) f->needed[d->step] = true;
    if (!d && slot != f->counter) (void)line_of(f, slot);
    return slot;
}

/* ---- Instructions ----------------------------------------------------------------------------------------------- */

static tirbi_row_step *add_step(finder *f, tirbi_row_step step) {
    if (f->n_steps == TIRBI_MAX_ROW_STEPS) {
        f->fits = false;
        return &f->steps[0];
    }
    f->steps[f->n_steps] = step;
    return &f->steps[f->n_steps++];
}

static void define(finder *f, uint16_t reg, meaning as, uint8_t line) {
    uint8_t step = 0;
    if (as == BY_LINE) {
        step = (uint8_t)f->n_steps;
        add_step(f, (tirbi_row_step){.kind = TIRBI_ROW_SET, .line = line, .a = reg});
    }
    f->defined[f->n_defined++] = (defined){reg, (uint8_t)as, line, step, as == BY_LINE, !f->has_lanes};
}

static void add_test(finder *f, tirbi_row_test test) {
    if (f->n_tests == TIRBI_MAX_ROW_TESTS) f->fits = false;
    else f->tests[f->n_tests++] = test;
}

/* Elements are below their reference's end by what the run looks at. */
static void read_memory(finder *f, bool stores) {
    const int64_t *o = f->in->operand;
    const uint16_t index = tirbi_slot_of_x(f->constants, (uint16_t)o[stores ? 1 : 2]);
    const uint8_t line = line_of(f, index);
    f->fits = f->fits && line != TIRBI_NO_ROW_LINE;
    const uint8_t type = f->in->type, size = tirbi_dtypes[type].size;
    tirbi_row_step_kind kind = stores ? TIRBI_ROW_STORE : TIRBI_ROW_LOAD;
    if (size == 8) kind = stores ? TIRBI_ROW_STORE8 : TIRBI_ROW_LOAD8;
    else if (size == 4) kind = stores ? TIRBI_ROW_STORE4 : type == TIRB_I32 ? TIRBI_ROW_LOAD_SIGNED4 : TIRBI_ROW_LOAD4;
    tirbi_row_step step = {.kind = (uint16_t)kind, .type = type, .line = line,
                           .a = (uint16_t)o[0], .b = stores ? read_slot(f, (uint16_t)o[2]) : (uint16_t)o[1]};
    add_step(f, step);
    if (!stores) define(f, (uint16_t)o[0], IN_SLOT, 0);
}

static bool is_line_type(unsigned type) { return type == TIRB_I32 || type == TIRB_I64; }

static tirbi_row_value_kind line_kind(uint8_t op) {
    switch (op) {
    case TIRB_OP_ADD: return TIRBI_ROW_ADD;
    case TIRB_OP_SUB: return TIRBI_ROW_SUB;
    case TIRB_OP_MUL: return TIRBI_ROW_MUL;
    case TIRB_OP_MIN: return TIRBI_ROW_MIN;
    case TIRB_OP_MAX: return TIRBI_ROW_MAX;
    default: return TIRBI_ROW_COUNTER;
    }
}

/* Whether the instruction gives a line, or a condition of two. */
static bool read_line(finder *f) {
    const tirbi_instr *in = f->in;
    const int64_t *o = in->operand;
    if (!is_line_type(in->type)) return false;
    if (in->op == TIRB_OP_MOV || (in->op == TIRB_OP_CAST && is_line_type((unsigned)o[2]))) {
        uint8_t a = line_of(f, (uint16_t)o[1]);
        if (a == TIRBI_NO_ROW_LINE) return false;
        /* Of a register that holds more, a cast takes what the type that it reads has. */
        if (in->op == TIRB_OP_CAST) a = make_line(f, TIRBI_ROW_SAME, (uint8_t)o[2], a, 0);
        define(f, (uint16_t)o[0], BY_LINE, make_line(f, TIRBI_ROW_SAME, in->type, a, 0));
        return true;
    }
    const tirbi_row_value_kind kind = line_kind(in->op);
    if (kind == TIRBI_ROW_COUNTER && !tirbi_is_comparison(in->op)) return false;
    const uint8_t a = line_of(f, (uint16_t)o[1]), b = line_of(f, (uint16_t)o[2]);
    if (a == TIRBI_NO_ROW_LINE || b == TIRBI_NO_ROW_LINE) return false;
    if (kind != TIRBI_ROW_COUNTER) {
        define(f, (uint16_t)o[0], BY_LINE, make_line(f, kind, in->type, a, b));
        return true;
    }
    const uint8_t x = make_line(f, TIRBI_ROW_SAME, in->type, a, 0), y = make_line(f, TIRBI_ROW_SAME, in->type, b, 0);
    define(f, (uint16_t)o[0], BY_CONDITION, (uint8_t)f->n_tests);
    add_test(f, (tirbi_row_test){.op = in->op, .a = x, .b = y, .slot = (uint16_t)o[0], .has_slot = true});
    return true;
}

static void read_elementwise(finder *f) {
    const tirbi_instr *in = f->in;
    const int64_t *o = in->operand;
    if (read_line(f)) return;
    const unsigned arity = tirbi_ops[in->op].arity;
    tirbi_row_step step = {.kind = forms[in->op][in->type], .type = in->type, .a = (uint16_t)o[0],
                           .b = read_slot(f, (uint16_t)o[1])};
    if (in->op == TIRB_OP_CAST || in->op == TIRB_OP_BITS || in->op == TIRB_OP_SELECT) f->fits = false;
    if (in->op == TIRB_OP_MOV) step.kind = TIRBI_ROW_MOVE;
    if (arity > 1) step.c = read_slot(f, (uint16_t)o[2]);
    if (arity > 2) step.d = read_slot(f, (uint16_t)o[3]);
    if (f->fits && step.kind == 0) {
        step.kind = TIRBI_ROW_CALL;
        step.call = tirbi_scalar_of(f->code->kernels, in->op - TIRBI_FIRST_ELEMENTWISE, in->type);
        f->fits = step.call != NULL && !(tirbi_ops[in->op].flags & TIRBI_FLAG_TRAP);
    }
    add_step(f, step);
    define(f, (uint16_t)o[0], IN_SLOT, 0);
}

/* A branch forwards: of lines it is not taken; else it leaves out steps, but leads to no place behind the loop. */
static void read_branch(finder *f) {
    const int64_t *o = f->in->operand;
    const bool when = f->in->op == TIRB_OP_BRIF;
    const defined *d = find_defined(f, (uint16_t)o[0]);
    if (d && d->meaning == BY_CONDITION) {
        tirbi_row_test *test = &f->tests[d->line];
        const bool is_decided = test->is_used;
        f->fits = f->fits && (!is_decided || test->holds == !when);
        test->is_used = true;
        test->holds = !when;
        return;
    }
    const bool is_inside = o[1] <= f->end;
    if (!is_inside || f->n_joins == MAX_JOINS || line_of(f, (uint16_t)o[0]) != TIRBI_NO_ROW_LINE) {
        f->fits = false;
        return;
    }
    f->joins[f->n_joins].at = (uint32_t)o[1];
    f->joins[f->n_joins].step = (uint8_t)f->n_steps;
    f->joins[f->n_joins++].from = (uint8_t)f->n_defined;
    add_step(f, (tirbi_row_step){.kind = TIRBI_ROW_SKIP, .type = when, .a = read_slot(f, (uint16_t)o[0])});
}

/* Skips that come here: lines that they have left out are not known. */
static void arrive(finder *f, uint32_t at) {
    for (unsigned i = 0; i < f->n_joins; i++) {
        if (f->joins[i].at != at) continue;
        f->steps[f->joins[i].step].d = (uint16_t)f->n_steps;
        for (unsigned k = f->joins[i].from; k < f->n_defined; k++)
            if (f->defined[k].meaning != IN_SLOT) f->defined[k].meaning = UNKNOWN;
    }
}

/* ---- The lane loop ---------------------------------------------------------------------------------------------- */

static void read_cursor(finder *f, unsigned c) {
    const tirbi_lane_cursor *cursor = &f->loop->cursors[c];
    const uint8_t first = line_of(f, cursor->start);
    const uint8_t step = cursor->is_unit ? line_of_number(f, 1) : line_of(f, cursor->step);
    if (first == TIRBI_NO_ROW_LINE || step == TIRBI_NO_ROW_LINE || cursor->indexed || cursor->seek) {
        f->fits = false;
        return;
    }
    uint8_t last = first;
    if (f->n != TIRBI_NO_ROW_LINE) {
        const uint8_t more = make_line(f, TIRBI_ROW_SUB, TIRB_I64, f->n, line_of_number(f, 1));
        last = make_line(f, TIRBI_ROW_ADD, TIRB_I64, first, make_line(f, TIRBI_ROW_MUL, TIRB_I64, more, step));
    } else if (!cursor->is_unit) {
        f->fits = false;
    }
    f->first[c] = first;
    f->last[c] = last;
    f->step[c] = step;
}

static void read_lanes(finder *f) {
    const tirbi_lane_loop *loop = f->loop;
    f->fits = f->fits && !f->has_lanes;
    f->has_lanes = true;
    f->n = line_of(f, loop->n);
    if (f->n == TIRBI_NO_ROW_LINE) {
        (void)read_slot(f, loop->n);
    }
    for (unsigned c = 0; c < loop->n_cursors && f->fits; c++) read_cursor(f, c);
    for (unsigned i = 0; i < f->n_in_lanes; i++) (void)read_slot(f, f->in_lanes[i]);
    if (loop->ending)
        for (unsigned i = 0; i < 2; i++)
            if (loop->ending->terms[i].is_scalar) (void)read_slot(f, loop->ending->terms[i].slot);
    for (unsigned i = 0; i < loop->n_scans; i++) {
        (void)read_slot(f, loop->scans[i].slot);
        f->fits = f->fits && !loop->scans[i].counts;
    }
    f->lanes_at = f->n_steps;
    add_step(f, (tirbi_row_step){.kind = loop->ending ? TIRBI_ROW_ENDING : TIRBI_ROW_LANES});
    for (unsigned i = 0; i < loop->n_scans; i++) define(f, loop->scans[i].slot, IN_SLOT, 0);
}

/* ---- The loop --------------------------------------------------------------------------------------------------- */

static void read_instruction(finder *f) {
    const tirbi_instr *in = f->in;
    const int64_t *o = in->operand;
    /* As many as one instruction may add. */
    if (f->n_defined + TIRBI_MAX_SCANS >= MAX_DEFINED || f->n_carried == MAX_DEFINED) f->fits = false;
    if (!f->fits) return;
    if (tirbi_ops[in->op].flags & TIRBI_FLAG_ELEMENTWISE) {
        read_elementwise(f);
        return;
    }
    switch (in->op) {
    case TIRB_OP_NOP:
    case TIRB_OP_LANE_END: break;
    case TIRB_OP_CONST:
    case TIRB_OP_CONST64: {
        const uint64_t bits = in->op == TIRB_OP_CONST ? tirbi_value_of_const(in) : (uint64_t)o[1];
        define(f, (uint16_t)o[0], BY_LINE, line_of_number(f, (int64_t)bits));
        break;
    }
    case TIRB_OP_LOAD: read_memory(f, false); break;
    case TIRB_OP_STORE: read_memory(f, true); break;
    case TIRB_OP_BRIF:
    case TIRB_OP_BRNOT: read_branch(f); break;
    case TIRB_OP_INDEX: {
        const uint8_t index = line_of(f, (uint16_t)o[0]), extent = line_of(f, (uint16_t)o[1]);
        f->fits = f->fits && index != TIRBI_NO_ROW_LINE && extent != TIRBI_NO_ROW_LINE;
        if (!f->fits) break;
        const uint8_t at = make_line(f, TIRBI_ROW_SAME, TIRB_I64, index, 0),
                      behind = make_line(f, TIRBI_ROW_SAME, TIRB_I64, extent, 0);
        add_test(f, (tirbi_row_test){.op = TIRB_OP_GE, .is_used = true, .holds = true, .a = at,
                                     .b = line_of_number(f, 0)});
        add_test(f, (tirbi_row_test){.op = TIRB_OP_LT, .is_used = true, .holds = true, .a = at, .b = behind});
        break;
    }
    case TIRB_OP_LANE: read_lanes(f); break;
    default: f->fits = false; break;
    }
}

static void note(finder *f, uint16_t *list, unsigned *n, uint16_t reg) {
    if (has(list, *n, reg)) return;
    if (*n == MAX_DEFINED) f->fits = false;
    else list[(*n)++] = reg;
}

/* Notes the registers that the code writes, and those that lanes read, and whether it is of instructions that may be:
 * an instruction of the lane loop's body that traps would name registers. */
static tirb_status survey(finder *f, uint32_t begin, uint32_t end, tirb_error *error) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    unsigned n = 0;
    for (uint32_t at = begin; at < end && f->fits; at += f->in->size) {
        const tirbi_instr *in = f->in;
        TIRBI_TRY(tirbi_decode_verified(f->function->code, f->function->code_size, at, f->in, error));
        const unsigned flags = tirbi_ops[in->op].flags;
        if (++n > MAX_BODY || ((flags & TIRBI_FLAG_LANE) && (flags & TIRBI_FLAG_TRAP))) f->fits = false;
        if (in->op == TIRB_OP_VRED || in->op == TIRB_OP_VREDMA) f->fits = false;
        if ((flags & LANE_ROW) == TIRBI_FLAG_ELEMENTWISE) {
            note(f, f->written, &f->n_written, (uint16_t)in->operand[0]);
            continue;
        }
        const char *letters = tirbi_ops[in->op].operands;
        for (unsigned i = 0; letters[i] != '\0'; i++) {
            const uint16_t reg = (uint16_t)in->operand[i];
            const bool is_read = letters[i] == 'S' || (letters[i] == 'x' && !tirbi_x_is_small(reg));
            if (letters[i] == 'D') note(f, f->written, &f->n_written, reg);
            else if ((flags & TIRBI_FLAG_LANE) && is_read) note(f, f->in_lanes, &f->n_in_lanes, reg);
        }
    }
    return TIRB_OK;
}

static tirb_status read_code(finder *f, uint32_t begin, uint32_t end, tirb_error *error) {
    for (uint32_t at = begin; at < end && f->fits;) {
        TIRBI_TRY(tirbi_decode_verified(f->function->code, f->function->code_size, at, f->in, error));
        arrive(f, at);
        read_instruction(f);
        at = f->in->op == TIRB_OP_LANE ? f->in->lane.end : at + f->in->size;
    }
    if (f->fits) arrive(f, end);
    return TIRB_OK;
}

/* A line that no step sets is set where the scalar machine goes on. */
static void leave_line(finder *f, unsigned number, bool is_last) {
    const defined *d = &f->defined[number];
    tirbi_row_left left = {.slot = d->reg, .line = d->line, .is_behind = is_last};
    const bool is_before = d->step < f->lanes_at;
    bool is_there = is_before || is_last;
    for (unsigned k = is_before ? number + 1 : 0; k < f->n_defined; k++) {
        const defined *other = &f->defined[k];
        /* Others of the register before the lane loop; those of scans are behind it. */
        if (k != number && other->reg == d->reg && other->before_lanes) is_there = false;
    }
    left.at_lanes = (int8_t)(is_there ? (is_before ? 1 : -1) : 0);
    f->left[f->n_left++] = left;
}

/* What registers hold behind a row, and at its lane loop. */
static void settle(finder *f) {
    bool is_set[TIRBI_MAX_ROW_STEPS] = {false};
    for (unsigned i = 0; i < f->n_defined && f->fits; i++) {
        const defined *d = &f->defined[i];
        const bool is_carried = has(f->carried, f->n_carried, d->reg);
        bool is_last = true, is_only = true;
        for (unsigned k = 0; k < f->n_defined; k++) {
            if (k == i || f->defined[k].reg != d->reg) continue;
            is_only = false;
            is_last = is_last && k < i;
        }
        /* Conditions that skips leave out may be anything behind them, and at the lane loop no step sets them. */
        if (d->meaning == BY_CONDITION)
            f->fits = f->tests[d->line].is_used && is_only && !is_carried && f->n_joins == 0;
        if (!d->is_line) continue;
        /* Where skips leave out another write, what reads that finds this one, of this row or of the one before. */
        is_set[d->step] = f->needed[d->step] || is_carried || d->meaning == UNKNOWN || (!is_only && f->n_joins > 0);
        if (!is_set[d->step]) leave_line(f, i, is_last);
    }
    for (unsigned i = 0; i < f->n_tests; i++)
        f->fits = f->fits && (!f->tests[i].has_slot || (f->tests[i].is_used && f->n_joins == 0));
    /* Without the steps that set nothing. */
    uint16_t moved[TIRBI_MAX_ROW_STEPS + 1];
    unsigned n = 0;
    for (unsigned i = 0; i < f->n_steps; i++) {
        moved[i] = (uint16_t)n;
        if (f->steps[i].kind == TIRBI_ROW_SET && !is_set[i]) continue;
        f->steps[n++] = f->steps[i];
    }
    moved[f->n_steps] = (uint16_t)n;
    for (unsigned i = 0; i < n; i++)
        if (f->steps[i].kind == TIRBI_ROW_SKIP) f->steps[i].d = (uint16_t)(moved[f->steps[i].d] - i);
    f->n_steps = n;
    add_step(f, (tirbi_row_step){.kind = TIRBI_ROW_END});
}

static bool keep(finder *f, uint16_t end, tirbi_lane_inputs *inputs) {
    tirbi_arena *arena = &f->code->arena;
    tirbi_row_loop *kept = TIRBI_NEW(arena, tirbi_row_loop);
    tirbi_row_value *values = TIRBI_NEW_ARRAY(arena, tirbi_row_value, f->n_values);
    tirbi_row_step *steps = TIRBI_NEW_ARRAY(arena, tirbi_row_step, f->n_steps);
    tirbi_row_test *tests = TIRBI_NEW_ARRAY(arena, tirbi_row_test, f->n_tests + 1);
    tirbi_row_left *left = TIRBI_NEW_ARRAY(arena, tirbi_row_left, f->n_left + 1);
    const unsigned n = f->loop->n_cursors;
    uint8_t *lines = TIRBI_NEW_ARRAY(arena, uint8_t, 3 * n + 1);
    if (!kept || !values || !steps || !tests || !left || !lines) return false;
    memcpy(values, f->values, f->n_values * sizeof *values);
    memcpy(steps, f->steps, f->n_steps * sizeof *steps);
    memcpy(tests, f->tests, f->n_tests * sizeof *tests);
    memcpy(left, f->left, f->n_left * sizeof *left);
    memcpy(lines, f->first, n);
    memcpy(lines + n, f->last, n);
    memcpy(lines + 2 * n, f->step, n);
    *kept = (tirbi_row_loop){.loop = f->loop, .inputs = inputs, .counter = f->counter, .end = end,
                             .n_values = (uint8_t)f->n_values, .n_steps = (uint8_t)f->n_steps,
                             .n_tests = (uint8_t)f->n_tests, .n = f->n, .values = values, .steps = steps,
                             .tests = tests, .left = left, .n_left = (uint8_t)f->n_left,
                             .first = lines, .last = lines + n, .step = lines + 2 * n};
    inputs->rows = kept;
    return true;
}

static bool may_be_in_rows(const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs) {
    return inputs->are_kept && loop->n_inner == 0 && loop->n_seeks == 0 && loop->n_copies == 0 && !loop->finds &&
           loop->own_depth == 0 && loop->n_tiles == 0;
}

tirb_status tirbi_row_loop_find(tirbi_code *code, const tirbi_function *function, const tirbi_instr *back,
                                tirbi_instr *in, tirbi_constants *constants, const tirbi_lane_loop *loop,
                                tirbi_lane_inputs *inputs, tirb_error *error) {
    const uint32_t begin = (uint32_t)back->operand[2];
    const uint16_t end = (uint16_t)back->operand[1];
    if (!may_be_in_rows(loop, inputs)) return TIRB_OK;
    finder *f = tirbi_heap_alloc(code->heap, sizeof *f);
    if (!f) return tirbi_heap_status(code->heap);
    memset(f, 0, offsetof(finder, values));
    f->code = code;
    f->function = function;
    f->constants = constants;
    f->loop = loop;
    f->in = in;
    f->counter = (uint16_t)back->operand[0];
    f->end = back->offset;
    f->fits = true;
    (void)make_line(f, TIRBI_ROW_COUNTER, TIRB_I64, 0, 0);
    tirb_status status = survey(f, begin, back->offset, error);
    f->fits = f->fits && !has(f->written, f->n_written, f->counter) && !has(f->written, f->n_written, end);
    if (status == TIRB_OK) status = read_code(f, begin, back->offset, error);
    if (status == TIRB_OK && f->fits && f->has_lanes) {
        settle(f);
        if (f->fits && !keep(f, end, inputs)) status = tirbi_heap_status(code->heap);
    }
    code->heap->work += f->n_steps + f->n_values;
    tirbi_heap_free(code->heap, f, sizeof *f);
    return status;
}
