/* Bodies of one operation or two, which one loop from memory to memory does: vm/lanes/streams.inc. */
#include "vm/translate/lane_stream.h"

#include "vm/lanes/forms.h"

const lane_ins *tirbi_lane_find_setter(const stream_body *b, const lane_ins *reader, unsigned i) {
    for (const lane_ins *ins = reader; ins-- > b->first;)
        if (ins->dest == reader->reads[i]) return ins;
    return NULL;
}

static stream_operand find_operand(const stream_body *b, const lane_ins *reader, unsigned i, uint8_t type) {
    const lane_planner *p = b->planner;
    const lane_ins *ins = tirbi_lane_find_setter(b, reader, i);
    const uint8_t size = tirbi_dtypes[type].size;
    if (!ins || ins->type != type) return (stream_operand){.is_there = false};
    if (ins->op == TIRB_OP_VLOAD && p->body->strides[ins->cursor] == STRIDE_ONE)
        return (stream_operand){true, false, pointer_of_cursor(ins->cursor), size};
    if (ins->op == TIRB_OP_VLOAD && p->body->strides[ins->cursor] == STRIDE_ZERO && b->by_rows)
        return (stream_operand){true, true, pointer_of_cursor(ins->cursor), size};
    for (uint32_t k = 0; ins->op == TIRB_OP_VSPLAT && k < p->n_splats; k++)
        if (p->splats[k].slot == ins->slot && p->splats[k].size == size)
            return (stream_operand){true, true, (uint16_t)(p->first_splat + k), size};
    if (b->values && tirbi_lane_computes(ins))
        return (stream_operand){true, false, b->values[ins - b->first].strip, size};
    return (stream_operand){.is_there = false};
}

static unsigned stream_op(uint8_t op) {
    switch (op) {
    case TIRB_OP_VADD: return TIRBI_STREAM_ADD;
    case TIRB_OP_VSUB: return TIRBI_STREAM_SUB;
    case TIRB_OP_VMUL: return TIRBI_STREAM_MUL;
    case TIRB_OP_VMIN: return TIRBI_STREAM_MIN;
    case TIRB_OP_VMAX: return TIRBI_STREAM_MAX;
    case TIRB_OP_VAND: return TIRBI_STREAM_AND;
    case TIRB_OP_VOR: return TIRBI_STREAM_OR;
    case TIRB_OP_VXOR: return TIRBI_STREAM_XOR;
    case TIRB_OP_VSHL: return TIRBI_STREAM_SHL;
    case TIRB_OP_VSHR: return TIRBI_STREAM_SHR;
    default: return TIRBI_N_STREAM_OPS;
    }
}

/* op(x, y) with x in memory, the operands exchanged where that is the same or has an operation of its own. */
static unsigned order_operands(const lane_ins *ins, uint8_t type, stream_operand *x, stream_operand *y) {
    const unsigned op = stream_op(ins->op);
    if (!x->is_scalar) return op;
    const stream_operand scalar = *x;
    *x = *y;
    *y = scalar;
    if (op == TIRBI_STREAM_SUB) return TIRBI_STREAM_FROM;
    return tirbi_lane_commutes(ins->op, type) ? op : (unsigned)TIRBI_N_STREAM_OPS;
}

/* The loop for one operation; its operands go to `o`. */
static tirbi_kernel find_one(const stream_body *b, const lane_ins *ins, stream_operand *o, unsigned *op) {
    if (ins->n_reads != 2) return NULL;
    o[0] = find_operand(b, ins, 0, ins->type);
    o[1] = find_operand(b, ins, 1, ins->type);
    *op = order_operands(ins, ins->type, &o[0], &o[1]);
    if (!o[0].is_there || !o[1].is_there || o[0].is_scalar || *op >= TIRBI_N_STREAM_OPS) return NULL;
    return b->planner->code->kernels->streams.one[ins->type][*op][o[1].is_scalar];
}

static tirbi_kernel find_fused(const stream_body *b, const lane_ins *ins, stream_operand *o) {
    const unsigned op = ins->op == TIRB_OP_VFMA ? 0 : ins->op == TIRB_OP_VFMS ? 1 : 2;
    for (unsigned i = 0; i < 3; i++) {
        o[i] = find_operand(b, ins, i, ins->type);
        if (!o[i].is_there) return NULL;
    }
    if (o[0].is_scalar) { /* products commute */
        const stream_operand scalar = o[0];
        o[0] = o[1];
        o[1] = scalar;
    }
    if (o[0].is_scalar) return NULL;
    return b->planner->code->kernels->streams.fused[ins->type][op][o[1].is_scalar][o[2].is_scalar];
}

/* Whether a result is computed where it is read. */
static bool may_be_inner(const stream_body *b, const lane_ins *ins) {
    if (!ins || stream_op(ins->op) >= TIRBI_STREAM_PAIRS) return false;
    return !b->values || (b->values[ins - b->first].strip == 0 && b->values[ins - b->first].reads == 1);
}

/* The loop for `ins` on what an operation gives. */
static tirbi_kernel find_two_by(const stream_body *b, const lane_ins *ins, unsigned other, stream_operand *o) {
    const lane_ins *inner = tirbi_lane_find_setter(b, ins, 1 - other);
    const unsigned then = stream_op(ins->op);
    unsigned op;
    if (!may_be_inner(b, inner) || inner->type != ins->type || then >= TIRBI_STREAM_PAIRS ||
        !find_one(b, inner, o, &op) || op >= TIRBI_STREAM_PAIRS)
        return NULL;
    if (tirbi_lane_find_setter(b, ins, other) == inner) {
        if (then != TIRBI_STREAM_MUL) return NULL;
        o[2] = o[0];
        return b->planner->code->kernels->streams.two[ins->type][op][o[1].is_scalar][TIRBI_STREAM_SQUARE][0];
    }
    o[2] = find_operand(b, ins, other, ins->type);
    if (!o[2].is_there) return NULL;
    return b->planner->code->kernels->streams.two[ins->type][op][o[1].is_scalar][then][o[2].is_scalar];
}

static tirbi_kernel find_two(const stream_body *b, const lane_ins *ins, stream_operand *o, const lane_ins **inner) {
    if (ins->n_reads != 2) return NULL;
    for (unsigned other = 2; other-- > 0;) {
        if (other == 0 && !tirbi_lane_commutes(ins->op, ins->type)) return NULL;
        const tirbi_kernel kernel = find_two_by(b, ins, other, o);
        *inner = tirbi_lane_find_setter(b, ins, 1 - other);
        if (kernel) return kernel;
    }
    return NULL;
}

static bool compares(const lane_ins *ins) {
    return ins->op >= TIRB_OP_VEQ && ins->op <= TIRB_OP_VGE && ins->type != TIRB_BOOL;
}

/* Elements in memory that are compared; the result is 0 or 1, as a bool or an integer of a byte. */
static tirbi_kernel find_comparison(const stream_body *b, const lane_ins *ins, stream_operand *o) {
    for (unsigned i = 0; i < 2; i++) {
        o[i] = find_operand(b, ins, i, ins->type);
        if (!o[i].is_there || o[i].is_scalar) return NULL;
    }
    const unsigned op = ins->op - TIRB_OP_LANE_FORM - TIRBI_FIRST_ELEMENTWISE;
    return b->planner->code->kernels->op[op][ins->type];
}

/* Elements in memory that are cast to others: integers, and floats to wider ones. What saturates is faster in
 * banks. */
static tirbi_kernel find_cast(const stream_body *b, const lane_ins *ins, stream_operand *o) {
    const tirbi_dtype to = (tirbi_dtype)ins->type, from = (tirbi_dtype)ins->source;
    const bool widens = from == TIRB_F32 && to == TIRB_F64;
    if (!widens && (!tirbi_dtype_is_int(from) || (!tirbi_dtype_is_int(to) && to != TIRB_F32 && to != TIRB_F64)))
        return NULL;
    o[0] = o[1] = find_operand(b, ins, 0, ins->source);
    return !o[0].is_there || o[0].is_scalar ? NULL : b->planner->code->kernels->cast[to][from];
}

/* The kernel that does all as fast as a loop of its own would. */
static tirbi_kernel find_kernel(const stream_body *b, const lane_ins *last, unsigned n_operations, stream_operand *o) {
    if (tirbi_dtype_is_float((tirbi_dtype)b->type) && !b->store->settled) return NULL;
    const bool from_bool = last->op == TIRB_OP_VCAST && last->source == TIRB_BOOL && tirbi_dtypes[b->type].size == 1;
    if (n_operations == 2 && from_bool && last->type == b->type) {
        const lane_ins *inner = tirbi_lane_find_setter(b, last, 0);
        return inner && compares(inner) ? find_comparison(b, inner, o) : NULL;
    }
    if (n_operations != 1) return NULL;
    if (last->op == TIRB_OP_VCAST) return last->type == b->type ? find_cast(b, last, o) : NULL;
    return b->type == TIRB_BOOL && compares(last) ? find_comparison(b, last, o) : NULL;
}

static bool is_fused(const lane_ins *ins) {
    return ins->op == TIRB_OP_VFMA || ins->op == TIRB_OP_VFMS || ins->op == TIRB_OP_VFNMA;
}

/* The loop for an operation on elements of the type that is stored, or two. */
static tirbi_kernel find_loop(const stream_body *b, const lane_ins *last, unsigned n_operations, stream_operand *o) {
    const lane_ins *inner;
    unsigned op;
    if (last->type != b->type) return NULL;
    if (n_operations == 2) return find_two(b, last, o, &inner);
    return is_fused(last) ? find_fused(b, last, o) : find_one(b, last, o, &op);
}

/* A kernel, whose operands are all elements, that does hardly more than a loop would. */
static tirbi_kernel find_light(const stream_body *b, const lane_ins *ins, stream_operand *o) {
    const lane_operation *operation = tirbi_lane_operation_of(b->planner->body, ins);
    const bool is_half = ins->type == TIRB_F16 || ins->type == TIRB_BF16;
    if (!tirbi_lane_is_light(ins) || is_half || operation->result != ins->type || ins->n_reads > 2) return NULL;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        o[i] = find_operand(b, ins, i, ins->type);
        if (!o[i].is_there || o[i].is_scalar) return NULL;
    }
    return operation->kernel;
}

stream_loop tirbi_lane_find_loop(const stream_body *b, const lane_ins *ins) {
    stream_loop loop = {.kernel = NULL};
    stream_operand *const o = loop.operands;
    unsigned op;
    if (ins->op == TIRB_OP_VCAST) {
        loop.kernel = find_cast(b, ins, o);
    } else if (is_fused(ins)) {
        loop.kernel = find_fused(b, ins, o);
    } else {
        loop.kernel = find_two(b, ins, o, &loop.inner);
        if (loop.kernel) return loop;
        loop.inner = NULL;
        o[2].is_there = false;
        loop.kernel = find_one(b, ins, o, &op);
        if (!loop.kernel) loop.kernel = find_light(b, ins, o);
    }
    return loop;
}

/* Of loads, splats and operations, the last of which gives what is stored; NULL: there is more. */
static const lane_ins *find_last_operation(const stream_body *b, unsigned *n_operations) {
    const lane_ins *last = NULL;
    *n_operations = 0;
    for (const lane_ins *ins = b->first; ins < b->store; ins++) {
        if (ins->dest == NO_LANE_REG) return NULL;
        if (ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT) continue;
        last = ins;
        ++*n_operations;
    }
    return last && tirbi_lane_find_setter(b, b->store, 0) == last ? last : NULL;
}

/* The loop that does all of the body. */
static tirbi_kernel find_stream(const stream_body *b, stream_operand *o) {
    unsigned n_operations;
    const lane_ins *last = find_last_operation(b, &n_operations);
    if (!last || n_operations > 2) return NULL;
    tirbi_kernel kernel = NULL;
    if (tirbi_dtypes[b->type].size == b->planner->body->main_size) kernel = find_loop(b, last, n_operations, o);
    if (!kernel) kernel = find_kernel(b, last, n_operations, o);
    if (!o[2].is_there) o[2] = o[0];
    return kernel;
}

static bool keep_rows(lane_planner *p, const tirbi_lane_row_stream *rows) {
    tirbi_lane_row_stream *kept = TIRBI_NEW(&p->code->arena, tirbi_lane_row_stream);
    if (kept) *kept = *rows;
    else p->emitter->failed = true;
    p->bodies.rows = kept;
    return kept != NULL;
}

void tirbi_lane_make_stream(lane_planner *p) {
    enum { MOST = 8 };
    const lane_body *body = p->body;
    const uint32_t n = body->n - 2 * (uint32_t)p->loop->n_outer;
    if (p->emitter->failed || n < 2 || n > MOST || !p->loop->only_banks) return;
    stream_body b = {.planner = p, .first = body->ins + p->loop->n_outer};
    b.store = b.first + n - 1;
    b.type = b.store->type;
    if (b.store->op != TIRB_OP_VSTORE || body->strides[b.store->cursor] != STRIDE_ONE) return;
    const uint16_t to = pointer_of_cursor(b.store->cursor);
    stream_operand o[3] = {{.is_there = false}}, of_row[3] = {{.is_there = false}};
    tirbi_kernel kernel = NULL;
    b.by_rows = p->loop->n_inner > 0 && p->loop->n_inner == p->loop->n_outer;
    if (b.by_rows) kernel = find_stream(&b, of_row);
    if (kernel && !keep_rows(p, &(const tirbi_lane_row_stream){
                       kernel, to, {of_row[0].pointer, of_row[1].pointer, of_row[2].pointer}}))
        return;
    b.by_rows = false;
    kernel = find_stream(&b, o);
    if (!kernel) return;
    p->loop->one_row = p->emitter->all.n;
    emit(p, TIRBI_L_STREAM, to, o[0].pointer, o[1].pointer);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {o[2].pointer, 0, 0, 0}});
    tirbi_translate_word(p->emitter, (tirbi_word){.kernel = kernel});
    emit(p, TIRBI_L_NEXT_BLOCK, 0, 0, 0);
    emit(p, TIRBI_L_FINISH, 0, 0, 0);
}
