/* The code of one function: instructions, control flow, scalar and reference operands, calls, the source map. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader/base/bytes.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/isa/semirings.h"
#include "loader/verify/checker.h"

/* Bytes of an instruction: lists and headers are long. */
enum { CHECKED_AT_ONCE = 8 };

/* ---- Operands that name something ----------------------------------------------------------------------------- */

static tirb_status check_below(checker *c, int64_t number, uint64_t limit, const char *what) {
    if ((uint64_t)number < limit) return TIRB_OK;
    return tirbi_verify_fail(c, "%s %" PRId64 " >= %" PRIu64, what, number, limit);
}

tirb_status tirbi_verify_x(checker *c, uint16_t x) {
    if (tirbi_x_is_small(x)) return TIRB_OK;
    return check_below(c, x, c->function->n_sregs, "scalar register");
}

static tirb_status check_lists(checker *c, int64_t n_scalars, int64_t n_refs) {
    const tirbi_instr *instr = c->instr;
    for (int64_t i = 0; i < n_scalars; i++) {
        TIRBI_TRY(check_below(c, instr->scalars[i], c->function->n_sregs, "scalar register"));
    }
    for (int64_t i = 0; i < n_refs; i++) {
        TIRBI_TRY(check_below(c, instr->refs[i], c->function->n_refs, "reference register"));
    }
    return TIRB_OK;
}

/* What the letters of operands name. */
static const char *const named[CHECKER_LETTERS] = {
    ['D'] = "scalar register",    ['S'] = "scalar register",    ['x'] = "scalar register", ['W'] = "reference register",
    ['R'] = "reference register", ['V'] = "lane register",      ['U'] = "lane register",   ['Q'] = "reduction state",
    ['C'] = "cursor",             ['L'] = "inner loop",         ['F'] = "function",        ['G'] = "import",
    ['K'] = "constant",
    ['Z'] = "string"};

/* Outside of a lane loop there is no cursor and no inner loop. */
static void set_limits(checker *c) {
    const tirbi_function *f = c->function;
    c->limits['D'] = c->limits['S'] = c->limits['x'] = f->n_sregs;
    c->limits['W'] = c->limits['R'] = f->n_refs;
    c->limits['V'] = c->limits['U'] = f->n_lane_regs;
    c->limits['Q'] = f->n_reds;
    c->limits['C'] = c->limits['L'] = 0;
    c->limits['F'] = c->program->n_functions;
    c->limits['G'] = c->program->n_imports;
    c->limits['K'] = c->program->n_constants;
    c->limits['Z'] = c->program->n_strings;
}

/* Letters that name nothing have no limit. */
static tirb_status check_operands(checker *c) {
    const char *letters = tirbi_ops[c->instr->op].operands;
    for (unsigned i = 0; letters[i]; i++) {
        const unsigned letter = (unsigned char)letters[i];
        const int64_t value = c->instr->operand[i];
        if ((uint64_t)value < c->limits[letter] || !named[letter]) continue;
        if (letter == 'x' && tirbi_x_is_small((uint16_t)value)) continue;
        return check_below(c, value, c->limits[letter], named[letter]);
    }
    return TIRB_OK;
}

/* ---- Control flow --------------------------------------------------------------------------------------------- */

/* Backward targets are behind us and known; forward ones are noted, and looked at when the whole code has been seen. */
static tirb_status check_jump(checker *c, bool backwards, int64_t target) {
    const tirbi_instr *instr = c->instr;
    if (target >= c->function->code_size) {
        return tirbi_verify_fail(c, "jump to 0x%" PRIx64 ", the code ends at 0x%" PRIx32, target,
                                 c->function->code_size);
    }
    if (backwards) {
        if (target >= instr->offset) {
            return tirbi_verify_fail(c, "jump to 0x%" PRIx64 " does not go backwards", target);
        }
        if (!checker_bit(c->starts, (uint32_t)target)) {
            return tirbi_verify_fail(c, "jump to 0x%" PRIx64 ", where no instruction outside of lane loops starts",
                                     target);
        }
        return TIRB_OK;
    }
    if (target <= instr->offset) {
        return tirbi_verify_fail(c, "jump to 0x%" PRIx64 " does not go forwards", target);
    }
    checker_set_bit(c->targets, (uint32_t)target);
    return TIRB_OK;
}

/* Finds the jump to a bad target, for the message, in code that has been decoded once. */
static tirb_status report_target(checker *c, uint32_t target, tirbi_instr *instr) {
    const tirbi_function *f = c->function;
    for (uint32_t at = 0; tirbi_decode(f->code, f->code_size, at, instr, NULL) == TIRB_OK; at += instr->size) {
        const char *jump = strchr(tirbi_ops[instr->op].operands, 'j');
        if (jump && instr->operand[jump - tirbi_ops[instr->op].operands] == target) break;
    }
    c->instr = instr;
    return tirbi_verify_fail(c, "jump to 0x%" PRIx32 ", where no instruction outside of lane loops starts", target);
}

/* Of 64 bytes of code at once. */
static tirb_status check_targets(checker *c, tirbi_instr *instr) {
    const size_t bytes = checker_bytes_of_bits(c->function->code_size);
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        const uint64_t bad = tirbi_load_u64(c->targets + i) & ~tirbi_load_u64(c->starts + i);
        if (bad) return report_target(c, (uint32_t)(8 * i) + (uint32_t)__builtin_ctzll(bad), instr);
    }
    return TIRB_OK;
}

static tirb_status check_return(checker *c) {
    const tirbi_function *f = c->function;
    if (c->instr->op == TIRB_OP_RETVOID) {
        if (f->returns) return tirbi_verify_fail(c, "the function returns a %s", tirbi_dtypes[f->return_type].name);
        return TIRB_OK;
    }
    if (!f->returns) return tirbi_verify_fail(c, "the function returns nothing");
    if (f->return_type != c->instr->type) {
        return tirbi_verify_fail(c, "the function returns a %s", tirbi_dtypes[f->return_type].name);
    }
    return TIRB_OK;
}

/* ---- Calls ---------------------------------------------------------------------------------------------------- */

static tirb_status check_call(checker *c) {
    const tirbi_instr *instr = c->instr;
    TIRBI_TRY(check_lists(c, instr->operand[2], instr->operand[3]));
    uint32_t callee_index = (uint32_t)instr->operand[0];
    const tirbi_function *callee = &c->program->functions[callee_index];
    const checker_arity *arity = &c->arities[callee_index];
    if (callee->is_region) return tirbi_verify_fail(c, "function %u is a region: only fork runs it", callee_index);
    if (c->program->are_called) c->program->are_called[callee_index] = true;
    if (instr->operand[2] != arity->n_scalars) {
        return tirbi_verify_fail(c, "function %u takes %u scalars, not %" PRId64, callee_index, arity->n_scalars,
                                 instr->operand[2]);
    }
    if (instr->operand[3] != arity->n_tensors) {
        return tirbi_verify_fail(c, "function %u takes %u tensors, not %" PRId64, callee_index, arity->n_tensors,
                                 instr->operand[3]);
    }
    unsigned argument = 0;
    for (unsigned i = 0; i < callee->n_params; i++) {
        const tirbi_param *param = &callee->params[i];
        if (param->kind != TIRB_PARAM_TENSOR) continue;
        if (param->is_open)
            return tirbi_verify_fail(c, "function %u has an open result: only a caller outside makes it", callee_index);
        uint16_t reg = instr->refs[argument++];
        const tirbi_ref_type *ref = &c->function->refs[reg];
        if (ref->dtype != param->dtype) {
            return tirbi_verify_fail(c, "parameter %u of function %u is %s, r%u is %s", i, callee_index,
                                     tirbi_dtypes[param->dtype].name, reg, tirbi_dtypes[ref->dtype].name);
        }
        if ((param->access & TIRBI_WRITE) && !ref->writable) {
            return tirbi_verify_fail(c, "function %u writes parameter %u, r%u may not be written", callee_index, i,
                                     reg);
        }
    }
    return TIRB_OK;
}

/* What the host is handed has the types that the import says, and is only written where the program may write. */
static tirb_status check_callx(checker *c) {
    const tirbi_instr *instr = c->instr;
    TIRBI_TRY(check_lists(c, instr->operand[2], instr->operand[3]));
    uint32_t index = (uint32_t)instr->operand[0];
    const tirbi_import *import = &c->program->imports[index];
    uint32_t n_views = 0;
    for (unsigned i = 0; i < import->n_params; i++) n_views += import->params[i].access != 0;
    uint32_t n_scalars = import->n_params - n_views;
    if (instr->operand[2] != n_scalars || instr->operand[3] != n_views) {
        return tirbi_verify_fail(c, "import %u takes %u scalars and %u views, not %" PRId64 " and %" PRId64, index,
                                 n_scalars, n_views, instr->operand[2], instr->operand[3]);
    }
    unsigned argument = 0;
    for (unsigned i = 0; i < import->n_params; i++) {
        const tirbi_import_param *param = &import->params[i];
        if (param->access == 0) continue;
        uint16_t reg = instr->refs[argument++];
        const tirbi_ref_type *ref = &c->function->refs[reg];
        if (ref->dtype != param->dtype) {
            return tirbi_verify_fail(c, "parameter %u of import %u is %s, r%u is %s", i, index,
                                     tirbi_dtypes[param->dtype].name, reg, tirbi_dtypes[ref->dtype].name);
        }
        if ((param->access & TIRBI_WRITE) && !ref->writable) {
            return tirbi_verify_fail(c, "import %u writes parameter %u, r%u may not be written", index, i, reg);
        }
    }
    return TIRB_OK;
}

static tirb_status check_result(checker *c) {
    const tirbi_instr *instr = c->instr;
    TIRBI_TRY(check_lists(c, instr->operand[2], 0));
    const unsigned index = (unsigned)instr->operand[0];
    const tirbi_param *param = index < c->function->n_params ? &c->function->params[index] : NULL;
    if (!param || !param->is_open) return tirbi_verify_fail(c, "parameter %u is no open result", index);
    if (instr->operand[2] != param->ndim) {
        return tirbi_verify_fail(c, "parameter %u has %u dimensions, not %" PRId64, index, param->ndim,
                                 instr->operand[2]);
    }
    const uint8_t found = c->function->refs[instr->operand[1]].dtype;
    if (found == param->dtype) return TIRB_OK;
    return tirbi_verify_fail(c, "parameter %u is %s, r%" PRId64 " is %s", index, tirbi_dtypes[param->dtype].name,
                             instr->operand[1], tirbi_dtypes[found].name);
}

/* A region's scalar parameters are the chunk's begin and end and then the fork's scalars; it has no shape variables. */
static tirb_status check_fork(checker *c) {
    const tirbi_instr *instr = c->instr;
    TIRBI_TRY(check_lists(c, instr->operand[3], instr->operand[4]));
    uint32_t region_index = (uint32_t)instr->operand[0];
    const tirbi_function *region = &c->program->functions[region_index];
    const checker_arity *arity = &c->arities[region_index];
    if (!region->is_region) return tirbi_verify_fail(c, "function %u is not a region", region_index);
    if (instr->operand[3] + 2 != arity->n_scalars) {
        return tirbi_verify_fail(c, "region %u takes %u scalars after begin and end, not %" PRId64, region_index,
                                 arity->n_scalars - 2, instr->operand[3]);
    }
    if (instr->operand[4] != arity->n_tensors) {
        return tirbi_verify_fail(c, "region %u takes %u references, not %" PRId64, region_index, arity->n_tensors,
                                 instr->operand[4]);
    }
    unsigned argument = 0;
    for (unsigned i = 0; i < region->n_params; i++) {
        const tirbi_param *param = &region->params[i];
        if (param->kind != TIRB_PARAM_TENSOR) continue;
        const tirbi_part *part = &instr->parts[argument];
        uint16_t reg = instr->refs[argument++];
        const tirbi_ref_type *ref = &c->function->refs[reg];
        if (part->partitioned) {
            TIRBI_TRY(tirbi_verify_x(c, part->base));
            TIRBI_TRY(tirbi_verify_x(c, part->stride));
            TIRBI_TRY(tirbi_verify_x(c, part->extent));
        }
        if (ref->dtype != param->dtype) {
            return tirbi_verify_fail(c, "parameter %u of region %u is %s, r%u is %s", i, region_index,
                                     tirbi_dtypes[param->dtype].name, reg, tirbi_dtypes[ref->dtype].name);
        }
        if (!(param->access & TIRBI_WRITE)) continue;
        if (!ref->writable) {
            return tirbi_verify_fail(c, "region %u writes parameter %u, r%u may not be written", region_index, i, reg);
        }
        if (!part->partitioned) {
            return tirbi_verify_fail(c, "region %u writes parameter %u, but r%u is passed whole, not a part of it",
                                     region_index, i, reg);
        }
    }
    return TIRB_OK;
}

/* ---- Contractions --------------------------------------------------------------------------------------------- */

static tirb_status check_box(checker *c) {
    const tirbi_instr *instr = c->instr;
    const tirbi_contract_box *box = &instr->box;
    for (unsigned i = 0; i < box->n_loops; i++) TIRBI_TRY(tirbi_verify_x(c, box->extents[i]));
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        char name = "CAB"[o];
        uint16_t reg = box->operands[o].ref;
        TIRBI_TRY(check_below(c, reg, c->function->n_refs, "reference register"));
        const tirbi_ref_type *ref = &c->function->refs[reg];
        uint8_t type = box->operands[o].type;
        if (tirbi_dtypes[ref->dtype].size != tirbi_dtypes[type].size) {
            return tirbi_verify_fail(c, "%c is %s, r%u has elements of %u bytes", name, tirbi_dtypes[type].name, reg,
                                     tirbi_dtypes[ref->dtype].size);
        }
        if (o == TIRBI_CONTRACT_C && type != instr->type) {
            return tirbi_verify_fail(c, "C is %s, not %s", tirbi_dtypes[type].name, tirbi_dtypes[instr->type].name);
        }
        if (o == TIRBI_CONTRACT_C && !ref->writable) return tirbi_verify_fail(c, "C: r%u may not be written", reg);
        TIRBI_TRY(tirbi_verify_x(c, box->operands[o].start));
        for (unsigned i = 0; i < box->n_loops; i++) TIRBI_TRY(tirbi_verify_x(c, box->operands[o].steps[i]));
    }
    return TIRB_OK;
}

/* Squares of floats are added with one rounding, and nothing else is. */
static tirb_status check_semiring(checker *c, uint8_t flags) {
    const unsigned semiring = tirbi_semiring_of(flags);
    const uint8_t type = c->instr->type;
    if (!tirbi_semiring_has(semiring, type))
        return tirbi_verify_fail(c, "elements of %s have no semiring %u", tirbi_dtypes[type].name, semiring);
    const bool fuses = semiring == TIRBI_SQUARES && tirbi_dtype_is_float((tirbi_dtype)type);
    if ((flags & (TIRBI_CONTRACT_FUSED | TIRBI_CONTRACT_SUBTRACT)) != (fuses ? TIRBI_CONTRACT_FUSED : 0))
        return tirbi_verify_fail(c, "semiring %u has no roundings or signs %d", semiring, flags & TIRBI_CONTRACT_FLAGS);
    return TIRB_OK;
}

static tirb_status check_contract(checker *c) {
    const tirbi_instr *instr = c->instr;
    int64_t flags = instr->operand[0];
    if (flags & ~(int64_t)(TIRBI_CONTRACT_FLAGS | TIRBI_SEMIRING_FLAGS))
        return tirbi_verify_fail(c, "there are no flags %" PRId64, flags);
    if (tirbi_semiring_of((uint8_t)flags) != TIRBI_PRODUCTS) TIRBI_TRY(check_semiring(c, (uint8_t)flags));
    if ((flags & TIRBI_CONTRACT_FUSED) && !tirbi_dtype_is_float((tirbi_dtype)instr->type)) {
        return tirbi_verify_fail(c, "products of %s are not fused", tirbi_dtypes[instr->type].name);
    }
    for (unsigned o = TIRBI_CONTRACT_A; tirbi_dtypes[instr->type].size == 2 && o <= TIRBI_CONTRACT_B; o++) {
        uint8_t type = instr->box.operands[o].type;
        if (type == instr->type) continue;
        return tirbi_verify_fail(c, "%c is %s, not %s", "CAB"[o], tirbi_dtypes[type].name,
                                 tirbi_dtypes[instr->type].name);
    }
    return check_box(c);
}

static tirb_status check_fold(checker *c) {
    const tirbi_instr *instr = c->instr;
    const tirbi_contract_box *box = &instr->box;
    int64_t flags = instr->operand[0];
    if (flags & ~TIRBI_FOLD_FLAGS) return tirbi_verify_fail(c, "there are no flags %" PRId64, flags);
    const bool is_float = tirbi_dtype_is_float((tirbi_dtype)instr->type), bits = (flags & TIRBI_FOLD_BITS) != 0;
    if ((flags & TIRBI_FOLD_PRODUCTS) && ((flags & TIRBI_FOLD_OP) != TIRBI_RED_ADD || bits)) {
        return tirbi_verify_fail(c, "products are added, there is no operation %" PRId64 " of them",
                                 flags & TIRBI_FOLD_OP);
    }
    if (bits && (is_float || (flags & TIRBI_FOLD_OP) > TIRBI_FOLD_XOR)) {
        return tirbi_verify_fail(c, "bits of %s have no operation %" PRId64, tirbi_dtypes[instr->type].name,
                                 flags & TIRBI_FOLD_OP);
    }
    if (box->n_loops == 0) return tirbi_verify_fail(c, "there is no loop over a row");
    if (box->operands[TIRBI_CONTRACT_C].steps[box->n_loops - 1] != tirbi_x_from_small(0)) {
        return tirbi_verify_fail(c, "C steps along a row");
    }
    for (unsigned o = TIRBI_CONTRACT_A; o <= TIRBI_CONTRACT_B; o++) {
        uint8_t type = box->operands[o].type;
        if (type == instr->type || (!is_float && tirbi_dtype_is_int((tirbi_dtype)type))) continue;
        return tirbi_verify_fail(c, "%c is %s, not %s", "CAB"[o], tirbi_dtypes[type].name,
                                 tirbi_dtypes[instr->type].name);
    }
    return check_box(c);
}

/* ---- Memory, constants, reductions ---------------------------------------------------------------------------- */

static uint8_t size_of(uint8_t type) { return tirbi_dtypes[type].size; }

static tirb_status check_ref_const(checker *c) {
    const int64_t reg = c->instr->operand[0], number = c->instr->operand[1];
    const tirbi_ref_type *ref = &c->function->refs[reg];
    const uint8_t type = c->program->constants[number].dtype;
    if (ref->writable) return tirbi_verify_fail(c, "r%" PRId64 " may be written, a constant may not", reg);
    if (ref->dtype == type) return TIRB_OK;
    return tirbi_verify_fail(c, "r%" PRId64 " is %s, constant %" PRId64 " is %s", reg, tirbi_dtypes[ref->dtype].name,
                             number, tirbi_dtypes[type].name);
}

static tirb_status check_access(checker *c, int64_t reg, bool written) {
    const tirbi_ref_type *ref = &c->function->refs[reg];
    if (size_of(ref->dtype) != size_of(c->instr->type)) {
        return tirbi_verify_fail(c, "r%" PRId64 " has elements of %u bytes (%s)", reg, size_of(ref->dtype),
                                 tirbi_dtypes[ref->dtype].name);
    }
    if (written && !ref->writable) return tirbi_verify_fail(c, "r%" PRId64 " may not be written", reg);
    return TIRB_OK;
}

static tirb_status check_slice(checker *c) {
    const tirbi_ref_type *to = &c->function->refs[c->instr->operand[0]];
    const tirbi_ref_type *from = &c->function->refs[c->instr->operand[1]];
    if (size_of(to->dtype) != size_of(from->dtype)) {
        return tirbi_verify_fail(c, "elements of %u bytes as elements of %u", size_of(from->dtype), size_of(to->dtype));
    }
    if (to->writable && !from->writable) {
        return tirbi_verify_fail(c, "r%" PRId64 " is writable, r%" PRId64 " is not", c->instr->operand[0],
                                 c->instr->operand[1]);
    }
    return TIRB_OK;
}

static tirb_status check_const(checker *c) {
    int64_t value = c->instr->operand[1]; /* sign-extended */
    const tirbi_dtype_info *info = &tirbi_dtypes[c->instr->type];
    if (info->bits >= 32) return TIRB_OK;
    int64_t low = info->class == 'I' ? -(INT64_C(1) << (info->bits - 1)) : 0;
    int64_t high = info->class == 'B' ? 1 : low + (INT64_C(1) << info->bits) - 1;
    if (value >= low && value <= high) return TIRB_OK;
    return tirbi_verify_fail(c, "%" PRId64 " is not in %" PRId64 " .. %" PRId64, value, low, high);
}

static tirb_status check_reduction(checker *c, unsigned state_operand, bool fused) {
    int64_t state = c->instr->operand[state_operand];
    const tirbi_red_type *red = &c->function->reds[state];
    if (red->dtype != c->instr->type) {
        return tirbi_verify_fail(c, "reduction state %" PRId64 " is %s", state, tirbi_dtypes[red->dtype].name);
    }
    if (fused && red->op != TIRBI_RED_ADD) {
        return tirbi_verify_fail(c, "reduction state %" PRId64 " does not add", state);
    }
    return TIRB_OK;
}

static tirb_status check_trap(checker *c) {
    switch (c->instr->operand[0]) {
    case TIRB_UNSUPPORTED:
    case TIRB_ARGUMENT:
    case TIRB_SHAPE:
    case TIRB_BOUNDS:
    case TIRB_DIVIDE:
    case TIRB_ASSERT:
    case TIRB_OVERLAP:
    case TIRB_VALUE:
        return TIRB_OK;
    default:
        return tirbi_verify_fail(c, "a program cannot end with status %" PRId64, c->instr->operand[0]);
    }
}

static tirb_status check_bits(checker *c) {
    uint8_t from = (uint8_t)c->instr->operand[2];
    if (size_of(from) == size_of(c->instr->type)) return TIRB_OK;
    return tirbi_verify_fail(c, "%s has %u bytes", tirbi_dtypes[from].name, size_of(from));
}

/* What the operands' letters do not say. */
static tirb_status check_meaning(checker *c) {
    const tirbi_instr *instr = c->instr;
    switch ((unsigned)instr->op) {
    case TIRB_OP_JMP:
        return check_jump(c, false, instr->operand[0]);
    case TIRB_OP_BRIF:
    case TIRB_OP_BRNOT:
        return check_jump(c, false, instr->operand[1]);
    case TIRB_OP_BACK:
        return check_jump(c, true, instr->operand[0]);
    case TIRB_OP_LOOP:
        return check_jump(c, true, instr->operand[2]);
    case TIRB_OP_CALL:
        return check_call(c);
    case TIRB_OP_CALLX:
        return check_callx(c);
    case TIRB_OP_RESULT:
        return check_result(c);
    case TIRB_OP_FORK:
        return check_fork(c);
    case TIRB_OP_RET:
    case TIRB_OP_RETVOID:
        return check_return(c);
    case TIRB_OP_TRAP:
        return check_trap(c);
    case TIRB_OP_CONST:
        return check_const(c);
    case TIRB_OP_LOAD:
        return check_access(c, instr->operand[1], false);
    case TIRB_OP_STORE:
    case TIRB_OP_ALLOC:
        return check_access(c, instr->operand[0], true);
    case TIRB_OP_SLICE:
        return check_slice(c);
    case TIRB_OP_REF_CONST:
        return check_ref_const(c);
    case TIRB_OP_RED_BEGIN:
    case TIRB_OP_RED_PUSH:
    case TIRB_OP_VRED:
        return check_reduction(c, 0, false);
    case TIRB_OP_RED_PUSHMA:
    case TIRB_OP_VREDMA:
        return check_reduction(c, 0, true);
    case TIRB_OP_RED_END:
        return check_reduction(c, 1, false);
    case TIRB_OP_BITS:
    case TIRB_OP_VBITS:
        return check_bits(c);
    case TIRB_OP_CONTRACT:
        return check_contract(c);
    case TIRB_OP_FOLD:
        return check_fold(c);
    case TIRB_OP_LANE:
        return tirbi_verify_lane_begin(c);
    default:
        return TIRB_OK;
    }
}

/* ---- What most code outside of lane loops is made of ------------------------------------------------------------ */

/* As in lane.c: each goes by an instruction that nothing is wrong with, and returns its bytes; 0: it is another, or
 * something is wrong with it, and nothing is changed. Where operands begin, and how many bytes each has at most: */
enum { OPERANDS = 2, LONGEST = OPERANDS + 8 };

/* Whether a jump may lead forwards to a place, which is noted. */
static inline bool leads_forwards(checker *c, uint32_t at, uint32_t target) {
    if (target <= at || target >= c->function->code_size) return false;
    checker_set_bit(c->targets, target);
    return true;
}

static inline uint32_t pass_branch(checker *c, const uint8_t *code, uint32_t at) {
    enum { SIZE = OPERANDS + 6 };
    if (code[1] != TIRB_TYPE_NONE || tirbi_load_u16(code + OPERANDS) >= c->function->n_sregs) return 0;
    return leads_forwards(c, at, tirbi_load_u32(code + OPERANDS + 2)) ? SIZE : 0;
}

static inline uint32_t pass_jump(checker *c, const uint8_t *code, uint32_t at) {
    enum { SIZE = OPERANDS + 4 };
    if (code[1] != TIRB_TYPE_NONE) return 0;
    return leads_forwards(c, at, tirbi_load_u32(code + OPERANDS)) ? SIZE : 0;
}

/* Starts are noted for 64 bytes of code at once, before others come and something looks at them. */
enum { STARTS_AT_ONCE = 64 };
typedef struct latest_starts {
    uint32_t number; /* of those bytes */
    uint64_t begun;
} latest_starts;

static inline void note_starts(const checker *c, latest_starts *latest) {
    checker_set_bits(c->starts, latest->number, latest->begun);
    latest->begun = 0;
}

static inline uint32_t pass_back(const checker *c, const uint8_t *code, uint32_t at, latest_starts *latest) {
    enum { SIZE = OPERANDS + 4 };
    const uint32_t target = tirbi_load_u32(code + OPERANDS);
    note_starts(c, latest);
    if (code[1] != TIRB_TYPE_NONE) return 0;
    if (target >= at || !checker_bit(c->starts, target)) return 0;
    return SIZE;
}

static inline uint32_t pass_loop(const checker *c, const uint8_t *code, uint32_t at, latest_starts *latest) {
    enum { SIZE = OPERANDS + 8 };
    const uint32_t target = tirbi_load_u32(code + OPERANDS + 4);
    note_starts(c, latest);
    if (code[1] != TIRB_TYPE_NONE || tirbi_load_u16(code + OPERANDS) >= c->function->n_sregs ||
        tirbi_load_u16(code + OPERANDS + 2) >= c->function->n_sregs)
        return 0;
    if (target >= at || !checker_bit(c->starts, target)) return 0;
    return SIZE;
}

/* Of a row of so many operands: a number that the compiler knows, so that where the next instruction begins waits for
 * no look at a table. */
static inline __attribute__((always_inline)) uint32_t pass_row(const checker *c, const uint8_t *code, unsigned arity) {
    uint32_t highest = tirbi_load_u16(code + OPERANDS);
    for (unsigned i = 1; i <= arity; i++) {
        const uint32_t reg = tirbi_load_u16(code + OPERANDS + 2 * i);
        highest = reg > highest ? reg : highest;
    }
    return highest < c->function->n_sregs ? OPERANDS + 2 * (arity + 1) : 0;
}

static inline uint32_t pass_elementwise(const checker *c, const uint8_t *code, const tirbi_op_info *info) {
    if (code[1] >= TIRB_N_DTYPES || !(info->types >> code[1] & 1)) return 0;
    switch (info->arity) {
    case 1: return pass_row(c, code, 1);
    case 2: return pass_row(c, code, 2);
    default: return pass_row(c, code, 3);
    }
}

/* The bytes of an element; 0: there is no such type. */
static inline unsigned size_of_type(uint8_t type) { return type < TIRB_N_DTYPES ? tirbi_dtypes[type].size : 0; }

/* Constants of 32 bits and more, which may be any: there are some of each type. */
static inline uint32_t pass_const(const checker *c, const uint8_t *code) {
    enum { SIZE = OPERANDS + 6 };
    if (size_of_type(code[1]) < sizeof(uint32_t) || tirbi_load_u16(code + OPERANDS) >= c->function->n_sregs) return 0;
    return SIZE;
}

/* Between any two types. */
static inline uint32_t pass_cast(const checker *c, const uint8_t *code) {
    enum { SIZE = OPERANDS + 5 };
    if (code[1] >= TIRB_N_DTYPES || code[OPERANDS + 4] >= TIRB_N_DTYPES) return 0;
    for (unsigned i = 0; i < 2; i++)
        if (tirbi_load_u16(code + OPERANDS + 2 * i) >= c->function->n_sregs) return 0;
    return SIZE;
}

static inline uint32_t pass_index(const checker *c, const uint8_t *code) {
    enum { SIZE = OPERANDS + 7 };
    if (code[1] != TIRB_TYPE_NONE || tirbi_load_u16(code + OPERANDS) >= c->function->n_sregs) return 0;
    if (tirbi_load_u16(code + OPERANDS + 2) >= c->function->n_sregs) return 0;
    if (tirbi_load_u16(code + OPERANDS + 5) >= c->program->n_strings) return 0;
    return SIZE;
}

/* Of operands D, R and x, or R, x and S. */
static inline uint32_t pass_access(const checker *c, const uint8_t *code, unsigned ref_at, unsigned x_at,
                                   unsigned reg_at, bool writes) {
    enum { SIZE = OPERANDS + 6 };
    const tirbi_function *f = c->function;
    const uint16_t ref = tirbi_load_u16(code + ref_at), x = tirbi_load_u16(code + x_at);
    if (ref >= f->n_refs || tirbi_load_u16(code + reg_at) >= f->n_sregs) return 0;
    if (!tirbi_x_is_small(x) && x >= f->n_sregs) return 0;
    if (tirbi_dtypes[f->refs[ref].dtype].size != size_of_type(code[1])) return 0;
    if (writes && !f->refs[ref].writable) return 0;
    return SIZE;
}

static inline __attribute__((always_inline)) uint32_t pass_one(checker *c, const uint8_t *code, uint32_t at,
                                                               latest_starts *latest) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    const tirbi_op_info *const info = &tirbi_ops[code[0]];
    switch (code[0]) {
    case TIRB_OP_NOP:
        return code[1] == TIRB_TYPE_NONE ? OPERANDS : 0;
    case TIRB_OP_BRIF:
    case TIRB_OP_BRNOT:
        return pass_branch(c, code, at);
    case TIRB_OP_LOOP:
        return pass_loop(c, code, at, latest);
    case TIRB_OP_JMP:
        return pass_jump(c, code, at);
    case TIRB_OP_BACK:
        return pass_back(c, code, at, latest);
    case TIRB_OP_CONST:
        return pass_const(c, code);
    case TIRB_OP_INDEX:
        return pass_index(c, code);
    case TIRB_OP_LOAD:
        return pass_access(c, code, OPERANDS + 2, OPERANDS + 4, OPERANDS, false);
    case TIRB_OP_STORE:
        return pass_access(c, code, OPERANDS, OPERANDS + 2, OPERANDS + 4, true);
    case TIRB_OP_CAST:
        return pass_cast(c, code);
    case TIRB_OP_BITS:
        return 0;
    default:
        return (info->flags & LANE_ROW) == TIRBI_FLAG_ELEMENTWISE ? pass_elementwise(c, code, info) : 0;
    }
}

/* As long as there is work left, and never by the last instruction: the offset of what is next. */
static uint32_t pass_scalars(checker *c, uint32_t at) {
    const uint8_t *const code = c->function->code;
    const uint32_t code_size = c->function->code_size;
    tirbi_heap *const heap = c->scratch;
    const uint64_t most = heap->max_work;
    uint64_t work = heap->work;
    latest_starts latest = {at / STARTS_AT_ONCE, 0};
    uint32_t size;
    while (code_size - at > LONGEST && work < most) {
        if ((size = pass_one(c, code + at, at, &latest)) == 0) break;
        if (at / STARTS_AT_ONCE != latest.number) {
            note_starts(c, &latest);
            latest.number = at / STARTS_AT_ONCE;
        }
        work += 1 + size / CHECKED_AT_ONCE;
        checker_begin(c, at);
        latest.begun |= UINT64_C(1) << at % STARTS_AT_ONCE;
        at += size;
    }
    note_starts(c, &latest);
    heap->work = work;
    return at;
}

/* ---- The function --------------------------------------------------------------------------------------------- */

static tirb_status check_instr(checker *c) {
    bool lane_code = tirbi_ops[c->instr->op].flags & TIRBI_FLAG_LANE;
    if (lane_code != c->lane.inside) {
        return tirbi_verify_fail(c, c->lane.inside ? "not allowed in a lane loop" : "only allowed in a lane loop");
    }
    if (!lane_code) checker_set_bit(c->starts, c->instr->offset);
    TIRBI_TRY(check_operands(c));
    TIRBI_TRY(check_meaning(c));
    return lane_code ? tirbi_verify_lane_instr(c) : TIRB_OK;
}

static tirb_status decode_fail(checker *c, const tirbi_instr *instr) {
    tirb_error reason = TIRB_ERROR_INIT;
    tirbi_instr ignored;
    tirbi_decode(c->function->code, c->function->code_size, instr->offset, &ignored, &reason);
    c->instr = instr;
    return tirbi_verify_fail(c, "%s", reason.message);
}

static tirb_status check_code(checker *c, tirbi_instr *instr) {
    const tirbi_function *f = c->function;
    if (f->code_size == 0) return tirbi_verify_fail(c, "it has no code");
    c->next_line = 0;
    c->line_at = f->n_lines > 0 ? f->lines[0].offset : UINT32_MAX;
    for (uint32_t at = 0; at < f->code_size; at += instr->size) {
        if (c->lane.inside) at = tirbi_verify_lane_pass(c, at);
        if (!c->lane.inside) at = pass_scalars(c, at);
        if (at == f->code_size) break;
        if (tirbi_decode(f->code, f->code_size, at, instr, NULL) != TIRB_OK) return decode_fail(c, instr);
        c->instr = instr;
        TIRBI_TRY(tirbi_work(c->scratch, 1 + instr->size / CHECKED_AT_ONCE, c->error));
        checker_begin(c, at);
        TIRBI_TRY(check_instr(c));
    }
    if (c->lane.inside) {
        c->instr = NULL; /* no instruction is to blame */
        return tirbi_verify_fail(c, "the code ends inside a lane loop");
    }
    if (!(tirbi_ops[instr->op].flags & TIRBI_FLAG_END)) return tirbi_verify_fail(c, "control runs off the code's end");
    if (c->next_line < f->n_lines) {
        return tirbi_verify_fail(c,
                                 "entry %" PRIu32 " of the source map is at 0x%" PRIx32
                                 ", where no instruction after the last entry's starts",
                                 c->next_line, f->lines[c->next_line].offset);
    }
    return check_targets(c, instr);
}

tirb_status tirbi_verify_code(checker *c) {
    tirbi_instr instr;
    const size_t bytes = checker_bytes_of_bits(c->function->code_size);
    memset(c->starts, 0, bytes);
    memset(c->targets, 0, bytes);
    c->lane.inside = false;
    set_limits(c);
    tirb_status status = check_code(c, &instr);
    c->instr = NULL;
    return status;
}
