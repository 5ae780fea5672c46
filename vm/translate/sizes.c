#include "vm/translate/sizes.h"

#include <stddef.h>
#include <string.h>

#include "loader/isa/isa.h"

static void set_size(tirbi_sizes *sizes, int64_t ref, tirbi_size_by by, int64_t value) {
    sizes->refs[ref].by = (uint8_t)by;
    sizes->refs[ref].value = value;
}

void tirbi_sizes_begin(tirbi_sizes *sizes, const tirbi_function *f, uint8_t *written, uint32_t n_registers,
                       bool is_called) {
    const uint32_t n = f->n_refs < TIRBI_MAX_SIZED ? f->n_refs : TIRBI_MAX_SIZED;
    memset(sizes, 0, offsetof(tirbi_sizes, refs) + n * sizeof *sizes->refs);
    sizes->written = written;
    sizes->n_registers = n_registers;
    for (uint32_t i = 0; i < f->n_params && !is_called && !f->is_region && !f->is_packed; i++) {
        const tirbi_param *const p = &f->params[i];
        if (p->kind != TIRB_PARAM_TENSOR || p->reg >= TIRBI_MAX_SIZED || p->ndim != 1 || p->has_strides || p->is_open ||
            p->shape[0].n_terms != 1)
            continue;
        const tirbi_dim_term *const extent = &p->shape[0].terms[0];
        if (extent->op == TIRBI_DIM_CONST) set_size(sizes, p->reg, TIRBI_SIZE_NUMBER, extent->value);
        else if (extent->op == TIRBI_DIM_VAR)
            set_size(sizes, p->reg, TIRBI_SIZE_REGISTER, f->vars[extent->value].reg);
    }
}

static void note_ref(tirbi_sizes *sizes, const tirbi_instr *in, int64_t ref) {
    if (ref >= TIRBI_MAX_SIZED) return;
    const uint64_t bit = UINT64_C(1) << ref;
    const bool is_first = sizes->refs[ref].by == TIRBI_SIZE_UNKNOWN && !(sizes->rewritten & bit);
    if (in->op != TIRB_OP_ALLOC || !is_first || sizes->has_branched) sizes->rewritten |= bit;
    set_size(sizes, ref, TIRBI_SIZE_REGISTER, in->operand[1]);
    sizes->refs[ref].since = in->offset;
}

void tirbi_sizes_note(tirbi_sizes *sizes, const tirbi_instr *in) {
    const char *const letters = tirbi_ops[in->op].operands;
    for (unsigned i = 0; letters[i] != '\0'; i++) {
        if (letters[i] == 'D') tirbi_sizes_write(sizes, in->operand[i]);
        else if (letters[i] == 'W') note_ref(sizes, in, in->operand[i]);
    }
    for (unsigned k = 0; in->op == TIRB_OP_LANE && k < in->lane.n_inner; k++)
        if (in->lane.inner[k].index != TIRBI_NO_REG) tirbi_sizes_write(sizes, in->lane.inner[k].index);
    sizes->has_branched |= tirbi_ops[in->op].flags & TIRBI_FLAG_JUMP;
}

bool tirbi_sizes_tell(const tirbi_sizes *sizes, const tirbi_flow *flow, int64_t ref, uint16_t extent, uint32_t at) {
    if (ref >= TIRBI_MAX_SIZED || (sizes->rewritten >> ref & 1)) return false;
    const struct tirbi_sized *const size = &sizes->refs[ref];
    uint64_t bits;
    if (size->by == TIRBI_SIZE_REGISTER)
        return size->value == extent && extent < sizes->n_registers && !sizes->written[extent] && at >= size->since;
    return size->by == TIRBI_SIZE_NUMBER && flow && tirbi_flow_holds(flow, extent, &bits) &&
           (int64_t)bits == size->value;
}
