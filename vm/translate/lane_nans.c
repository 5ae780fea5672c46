/* Which values of a lane loop hold no NaN that a store would have to make canonical. Provable from the body alone: what
 * kernels give, casts of integers, constants, and what is made of them. */
#include <math.h>

#include "vm/math/core.h"
#include "vm/translate/constants.h"
#include "vm/translate/lane_body.h"

enum { NAN_ANY, NAN_CANONICAL, NAN_NEVER };

/* What is known of a lane register of a float type. */
typedef struct fact {
    uint8_t nan;
    bool bounded; /* |value| <= 2^exponent, and never NaN */
    int16_t exponent;
} fact;

enum { LEAST_EXPONENT = -1100 }; /* below the exponents of all types */

static const fact unknown = {.nan = NAN_ANY};

/* The largest power of two of a float type. */
static int largest_exponent(uint8_t type) { return type == TIRB_F64 ? 1023 : type == TIRB_F16 ? 15 : 127; }

static fact bounded_by(int exponent, uint8_t type) {
    if (exponent > largest_exponent(type)) return (fact){.nan = NAN_NEVER};
    return (fact){NAN_NEVER, true, (int16_t)(exponent < LEAST_EXPONENT ? LEAST_EXPONENT : exponent)};
}

static int larger(int a, int b) { return a > b ? a : b; }

static fact fact_of_constant(uint64_t bits, uint8_t type) {
    double value = type == TIRB_F32 ? (double)tirbi_f32_from_bits((uint32_t)bits) : tirbi_f64_from_bits(bits);
    int exponent = LEAST_EXPONENT;
    if (isnan(value)) return unknown;
    if (isinf(value)) return (fact){.nan = NAN_NEVER};
    if (value != 0) frexp(value, &exponent);
    return bounded_by(exponent, type);
}

static fact fact_of_cast(const lane_ins *ins, fact from) {
    if (!tirbi_dtype_is_float((tirbi_dtype)ins->source)) return bounded_by(tirbi_dtypes[ins->source].bits, ins->type);
    if (from.bounded) return bounded_by(from.exponent, ins->type);
    return (fact){.nan = from.nan == NAN_NEVER ? NAN_NEVER : NAN_ANY};
}

/* Sums and products of finite values are never NaN, for they are not rounded to infinity before they are added up. */
static fact fact_of_arithmetic(const lane_ins *ins, const fact *of) {
    for (unsigned i = 0; i < ins->n_reads; i++)
        if (!of[i].bounded) return unknown;
    switch (ins->op) {
    case TIRB_OP_VADD:
    case TIRB_OP_VSUB: return bounded_by(larger(of[0].exponent, of[1].exponent) + 1, ins->type);
    case TIRB_OP_VMUL: return bounded_by(of[0].exponent + of[1].exponent, ins->type);
    case TIRB_OP_VFMA:
    case TIRB_OP_VFMS:
    case TIRB_OP_VFNMA:
        return bounded_by(larger(of[0].exponent + of[1].exponent, of[2].exponent) + 1, ins->type);
    default: return unknown;
    }
}

/* Where an operand is NaN the comparison is false, and the second one is the result. */
static fact fact_of_choice(const fact *of, uint8_t type) {
    if (of[0].bounded && of[1].bounded) return bounded_by(larger(of[0].exponent, of[1].exponent), type);
    return (fact){.nan = of[1].nan};
}

static fact fact_of_select(const fact *of, uint8_t type) {
    if (of[1].bounded && of[2].bounded) return bounded_by(larger(of[1].exponent, of[2].exponent), type);
    return (fact){.nan = of[1].nan < of[2].nan ? of[1].nan : of[2].nan};
}

/* What memory, scalars and the bits of other types hold may be any. */
static fact fact_of_copy(const lane_ins *ins, const fact *of) {
    switch (ins->op) {
    case TIRB_OP_VMOV: return of[0];
    case TIRB_OP_VSELECT: return fact_of_select(of, ins->type);
    default: return unknown;
    }
}

static fact fact_of_ins(const lane_ins *ins, const fact *of) {
    fact is = unknown;
    if (tirbi_op_copies(ins->op)) return fact_of_copy(ins, of);
    switch (ins->op) {
    case TIRB_OP_VSCAN:
    case TIRB_OP_VSCANMA: {
        bool chooses = ins->op == TIRB_OP_VSCAN && (ins->fold & TIRBI_SCAN_OP) == TIRBI_SCAN_WHERE;
        return (fact){.nan = chooses || ins->fold & TIRBI_SCAN_BEFORE ? NAN_ANY : NAN_CANONICAL};
    }
    case TIRB_OP_VCAST: is = fact_of_cast(ins, of[0]); break;
    case TIRB_OP_VMIN:
    case TIRB_OP_VMAX: is = fact_of_choice(of, ins->type); break;
    case TIRB_OP_VABS: is = of[0]; break;
    case TIRB_OP_VNEG: is = of[0].nan == NAN_NEVER ? of[0] : unknown; break;
    default: is = fact_of_arithmetic(ins, of); break;
    }
    /* Kernels see to their NaNs. */
    if (ins->kind == 0 && is.nan == NAN_ANY) is.nan = NAN_CANONICAL;
    return is;
}

/* What a loop writes is not known at its head, nor behind it, for it may run never, or again. */
static void forget_written(fact *facts, uint64_t written) {
    for (; written != 0; written &= written - 1) facts[__builtin_ctzll(written)] = unknown;
}

void tirbi_lane_body_find_nans(lane_body *body, const tirbi_constants *constants) {
    fact facts[TIRBI_MAX_LANE_REGS] = {{NAN_ANY, false, 0}};
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        lane_ins *ins = &body->ins[i];
        if (tirbi_lane_loop_starts(ins->op)) forget_written(facts, body->written[ins->cursor]);
        if (ins->op == TIRB_OP_VSTORE) ins->settled = facts[ins->reads[0]].nan != NAN_ANY;
        if (tirbi_lane_loop_ends(ins->op)) forget_written(facts, body->written[ins->cursor]);
        if (ins->dest == NO_LANE_REG) continue;
        if (ins->op == TIRB_OP_VLOAD || !tirbi_dtype_is_float((tirbi_dtype)ins->type)) {
            facts[ins->dest] = unknown;
            continue;
        }
        fact of[3] = {unknown, unknown, unknown};
        for (unsigned k = 0; k < ins->n_reads; k++) of[k] = facts[ins->reads[k]];
        facts[ins->dest] = fact_of_ins(ins, of);
        uint64_t bits;
        const bool is_real = ins->type == TIRB_F32 || ins->type == TIRB_F64;
        if (is_real && tirbi_lane_splats_constant(ins, constants, &bits))
            facts[ins->dest] = fact_of_constant(bits, ins->type);
    }
}
