/* What the operations of lane loops are, found out once for each that a program has. */
#include "vm/translate/lane_body.h"

static tirbi_kernel kernel_of(const tirbi_code *code, uint8_t op, uint8_t type, uint8_t source) {
    if (op == TIRB_OP_VCAST) return code->kernels->cast[type][source];
    if (op == TIRB_OP_VBITS) return code->kernels->bits[type][source];
    const unsigned row = op - TIRB_OP_LANE_FORM - TIRBI_FIRST_ELEMENTWISE;
    if (type == TIRB_F16 && code->halves && code->halves->op[row]) return code->halves->op[row];
    if (op == TIRB_OP_VPOPCOUNT && code->counts) return code->counts->popcount[type];
    return code->kernels->op[row][type];
}

/* Whether lanes of so many bytes are what an operation would choose: integers of fewer bits are rather kernels' work,
 * and truths go with what they are made of and what they choose. */
static bool wants_lanes(uint8_t op, uint8_t type, uint8_t source, unsigned size) {
    const unsigned own = tirbi_dtypes[type].size;
    const bool is_half = own == 2 && tirbi_dtype_is_float((tirbi_dtype)type);
    return size == 2 || own == size || (size == 4 && is_half) ||
           (op == TIRB_OP_VCAST && tirbi_dtypes[source].size == size);
}

static bool resizes(uint8_t op, uint8_t type, uint8_t source) {
    const bool integers = tirbi_dtype_is_int((tirbi_dtype)type) && tirbi_dtype_is_int((tirbi_dtype)source);
    return op == TIRB_OP_VCAST && integers && tirbi_dtypes[type].size + tirbi_dtypes[source].size == 3;
}

/* Other results of 16 bits are exact. */
static bool is_inexact(uint8_t op) {
    switch (op) {
    case TIRB_OP_VADD:
    case TIRB_OP_VSUB:
    case TIRB_OP_VMUL:
    case TIRB_OP_VDIV:
    case TIRB_OP_VSQRT:
    case TIRB_OP_VFMA:
    case TIRB_OP_VFMS:
    case TIRB_OP_VFNMA: return true;
    default: return false;
    }
}

void tirbi_lane_learn_operation(const lane_body *body, uint8_t op, uint8_t type, uint8_t source, uint16_t number) {
    lane_operation *const to = &body->operations[number];
    const unsigned own = tirbi_dtypes[type].size, other = tirbi_dtypes[source].size;
    *to = (lane_operation){.kernel = NULL};
    body->are_known[number] = true;
    to->weight = (uint16_t)tirbi_op_weight((tirbi_op)op, type, op == TIRB_OP_VCAST ? source : type);
    to->result = (uint8_t)tirbi_op_result_type((tirbi_op)op, (tirbi_dtype)type);
    to->size = tirbi_dtypes[to->result].size;
    to->widest = (uint8_t)(own > other ? own : other);
    to->computes = (tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) != 0;
    if (!to->computes) return;
    to->kernel = kernel_of(body->code, op, type, source);
    to->divides = (tirbi_ops[op].flags & TIRBI_FLAG_TRAP) != 0 && tirbi_dtype_is_int((tirbi_dtype)type);
    to->commutes = tirbi_lane_commutes(op, type);
    to->resizes = resizes(op, type, source);
    to->rounds = is_inexact(op) && (type == TIRB_F16 || type == TIRB_BF16);
    for (unsigned k = 0; k < 4; k++) {
        to->kinds[k] = tirbi_lane_kind(op, type, source, 1u << k, body->features);
        if (tirbi_lane_kind_renames(to->kinds[k])) to->renames |= (uint8_t)(1u << k);
        if (to->kinds[k] != 0 && wants_lanes(op, type, source, 1u << k)) to->wanted |= (uint8_t)(1u << k);
    }
}
