/* A write is certain behind it as long as no jump from before it has landed: then each way has gone through it. That
 * holds where loops are entered at their heads alone; functions with others have no certain writes. */
#include "vm/exec/flow.h"

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "vm/exec/constants.h"

#define NEVER UINT32_MAX
enum { SMALLEST = 2 }; /* bytes of an instruction: the opcode and the type */

typedef struct held {
    uint64_t bits;  /* of the one constant that is ever written to it; 0 where none is */
    uint32_t since; /* the first of the writes that are certain, or NEVER */
    bool written;
    bool varies; /* something else is written to it, or may be */
} held;

/* What lies between has been left out on some way. */
typedef struct span {
    uint32_t from, to;
} span;

struct tirbi_flow {
    const tirbi_function *function;
    uint32_t at;  /* the next instruction */
    bool tangled; /* a loop is entered behind its head */
    held *registers;
    uint32_t n_registers; /* of these: a function may have far more than its code has bytes, and they are not known */
    uint32_t *first_jump; /* one more than the first of the places that jump forwards to an instruction; 0: none does.
                             By half of its offset: no other instruction has the same */
    span *left_out;       /* in order, apart from each other */
    uint32_t n_left_out, left_out_capacity;
    bool failed; /* no memory for these */
    size_t size; /* of all but these, in one block */
    tirbi_instr instr;
};

/* ---- Ways ------------------------------------------------------------------------------------------------------- */

/* Code goes on at an offset: what lies between it and the first jump that lands there may have been left out. */
static void arrive(tirbi_flow *flow, tirbi_heap *heap, uint32_t at) {
    const uint32_t jump = flow->first_jump[at / SMALLEST];
    if (jump == 0) return;
    span more = {jump - 1, at};
    while (flow->n_left_out > 0 && flow->left_out[flow->n_left_out - 1].to > more.from) {
        const span last = flow->left_out[--flow->n_left_out];
        if (last.from < more.from) more.from = last.from;
    }
    if (flow->n_left_out == flow->left_out_capacity) {
        const uint32_t capacity = flow->left_out_capacity ? 2 * flow->left_out_capacity : 16;
        span *const grown = tirbi_heap_resize(heap, flow->left_out, flow->left_out_capacity * sizeof *grown,
                                              capacity * sizeof *grown);
        flow->failed = flow->failed || !grown;
        if (!grown) return;
        flow->left_out = grown;
        flow->left_out_capacity = capacity;
    }
    flow->left_out[flow->n_left_out++] = more;
}

static bool is_left_out(const tirbi_flow *flow, uint32_t at) {
    uint32_t low = 0, high = flow->n_left_out; /* the first span that ends behind `at` is one of these */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (flow->left_out[middle].to > at) high = middle;
        else low = middle + 1;
    }
    return low < flow->n_left_out && flow->left_out[low].from < at;
}

static void note_jump(tirbi_flow *flow, const tirbi_instr *in) {
    if (!(tirbi_ops[in->op].flags & TIRBI_FLAG_JUMP)) return;
    const char *letters = tirbi_ops[in->op].operands;
    const uint32_t target = (uint32_t)in->operand[strchr(letters, 'j') - letters];
    if (tirbi_ops[in->op].flags & TIRBI_FLAG_BACK)
        flow->tangled = flow->tangled || is_left_out(flow, target);
    else if (flow->first_jump[target / SMALLEST] == 0)
        flow->first_jump[target / SMALLEST] = in->offset + 1;
}

/* ---- Writes ----------------------------------------------------------------------------------------------------- */

static bool is_constant(const tirbi_instr *in) { return in->op == TIRB_OP_CONST || in->op == TIRB_OP_CONST64; }

static void note_write(tirbi_flow *flow, int64_t number, bool constant, uint64_t bits) {
    if (number >= flow->n_registers) return;
    held *reg = &flow->registers[number];
    if (!constant || (reg->written && reg->bits != bits)) reg->varies = true;
    reg->written = true;
    reg->bits = bits;
}

static void note_writes(tirbi_flow *flow, const tirbi_instr *in) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    if ((tirbi_ops[in->op].flags & LANE_ROW) == TIRBI_FLAG_ELEMENTWISE) {
        note_write(flow, in->operand[0], false, 0);
        return;
    }
    const char *letters = tirbi_ops[in->op].operands;
    const bool constant = is_constant(in);
    for (unsigned i = 0; letters[i] != '\0'; i++)
        if (letters[i] == 'D')
            note_write(flow, in->operand[i], constant, constant ? tirbi_value_of_const(in) : 0);
    for (unsigned k = 0; in->op == TIRB_OP_LANE && k < in->lane.n_inner; k++)
        if (in->lane.inner[k].index != TIRBI_NO_REG) note_write(flow, in->lane.inner[k].index, false, 0);
}

/* ---- The function ----------------------------------------------------------------------------------------------- */

/* Everything that jumps and writes anywhere: loops bring what is behind a place back to it. */
static tirb_status survey(tirbi_flow *flow, tirbi_heap *heap, tirb_error *error) {
    const tirbi_function *f = flow->function;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].kind == TIRB_PARAM_SCALAR) note_write(flow, f->params[i].reg, false, 0);
    for (uint32_t i = 0; i < f->n_vars; i++) note_write(flow, f->vars[i].reg, false, 0);
    uint32_t lanes_end = 0;
    for (uint32_t at = 0; at < f->code_size; at += flow->instr.size) {
        for (uint32_t size; at < lanes_end && heap->work < heap->max_work; at += size, heap->work++)
            if ((size = tirbi_lane_instr_size(f->code + at)) == 0) break;
        TIRBI_TRY(tirbi_decode_verified(f->code, f->code_size, at, &flow->instr, error));
        TIRBI_TRY(tirbi_work(heap, 1, error));
        arrive(flow, heap, at);
        if (flow->failed) return tirbi_heap_status(heap);
        note_jump(flow, &flow->instr);
        note_writes(flow, &flow->instr);
        if (flow->instr.op == TIRB_OP_LANE) lanes_end = flow->instr.lane.end;
    }
    flow->n_left_out = 0;
    return TIRB_OK;
}

static tirbi_flow *make(tirbi_heap *heap, const tirbi_function *f) {
    const size_t n_offsets = (size_t)f->code_size / SMALLEST + 1;
    const uint32_t n_registers = f->n_sregs < f->code_size ? f->n_sregs : f->code_size;
    size_t registers, jumps, size;
    if (!tirbi_mul_size(n_registers, sizeof(held), &registers) ||
        !tirbi_mul_size(n_offsets, sizeof(uint32_t), &jumps) || !tirbi_add_size(registers, jumps, &size) ||
        !tirbi_add_size(size, sizeof(tirbi_flow), &size))
        return NULL;
    tirbi_flow *flow = tirbi_heap_calloc(heap, 1, size);
    if (!flow) return NULL;
    flow->size = size;
    flow->function = f;
    flow->n_registers = n_registers;
    flow->registers = (held *)(void *)(flow + 1);
    flow->first_jump = (uint32_t *)(void *)(flow->registers + n_registers);
    for (uint32_t i = 0; i < n_registers; i++) flow->registers[i].since = NEVER;
    return flow;
}

tirb_status tirbi_flow_to(tirbi_flow **out, tirbi_heap *heap, const tirbi_function *function, uint32_t place,
                          tirb_error *error) {
    if (!*out) {
        *out = make(heap, function);
        if (!*out) return tirbi_heap_status(heap);
        TIRBI_TRY(survey(*out, heap, error));
    }
    tirbi_flow *const flow = *out;
    while (flow->at < place) {
        const tirbi_instr *in = &flow->instr;
        TIRBI_TRY(tirbi_decode_verified(function->code, function->code_size, flow->at, &flow->instr, error));
        arrive(flow, heap, flow->at);
        flow->at += in->size;
        if (in->op == TIRB_OP_LANE) flow->at = in->lane.end; /* nothing in its body jumps, or writes a constant */
        if (!is_constant(in) || in->operand[0] >= flow->n_registers) continue;
        held *reg = &flow->registers[in->operand[0]];
        if (reg->since == NEVER || is_left_out(flow, reg->since)) reg->since = in->offset;
    }
    arrive(flow, heap, place);
    return flow->failed ? tirbi_heap_status(heap) : TIRB_OK;
}

bool tirbi_flow_holds(const tirbi_flow *flow, uint16_t reg, uint64_t *bits) {
    if (reg >= flow->n_registers) return false;
    const held *r = &flow->registers[reg];
    *bits = r->bits;
    if (r->varies) return false;
    if (r->bits == 0) return true; /* as it was before */
    return !flow->tangled && r->since != NEVER && !is_left_out(flow, r->since);
}

void tirbi_flow_release(tirbi_flow *flow, tirbi_heap *heap) {
    if (!flow) return;
    tirbi_heap_free(heap, flow->left_out, flow->left_out_capacity * sizeof *flow->left_out);
    tirbi_heap_free(heap, flow, flow->size);
}
