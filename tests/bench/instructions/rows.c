/* The rows: all lane instructions of the opcode table in all their types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/instructions/instructions.h"

/* ---- What is left out, and what may be slow --------------------------------------------------------------------- */

#define ALL_TYPES UINT32_MAX
#define HALVES    (1u << TIRB_F16 | 1u << TIRB_BF16)

static const struct {
    uint8_t op;
    uint32_t types;
    const char *reason;
} without_loops[] = {
    {TIRB_OP_LANE_END, ALL_TYPES, "computes nothing: every row has one"},
    {TIRB_OP_INNER, ALL_TYPES, "computes nothing: a loop in a lane"},
    {TIRB_OP_INNER_END, ALL_TYPES, "computes nothing: a loop in a lane"},
    {TIRB_OP_VSTORE, ALL_TYPES, "every row has one; vload's has nothing else"},
    {TIRB_OP_VLOOP, ALL_TYPES, "computes nothing: mandelbrot and spmv of the bench have loops of a lane's own"},
    {TIRB_OP_VWHILE, ALL_TYPES, "computes nothing: mandelbrot and spmv of the bench have loops of a lane's own"},
    {TIRB_OP_VAGAIN, ALL_TYPES, "computes nothing: mandelbrot and spmv of the bench have loops of a lane's own"},
    {TIRB_OP_SEEK, ALL_TYPES, "computes nothing: gather_rows of the bench has it"},
    {TIRB_OP_VADVANCE, ALL_TYPES, "a loop over ranges: C has two loops for it, and spmv of the bench has it"},
    {TIRB_OP_VSTEP, ALL_TYPES, "a part of a scan: the class scans of the bench has it"},
    {TIRB_OP_VSTEPMA, ALL_TYPES, "a part of a scan: the class scans of the bench has it"},
    {TIRB_OP_VNEXTAFTER, HALVES, "C has none"},
    {TIRB_OP_VERFINV, ALL_TYPES, "C has none"},
    {TIRB_OP_VERFCINV, ALL_TYPES, "C has none"},
    {TIRB_OP_VI0, ALL_TYPES, "C has none"},
    {TIRB_OP_VI1, ALL_TYPES, "C has none"},
};

const char *left_out(instruction of) {
    for (size_t i = 0; i < sizeof without_loops / sizeof *without_loops; i++) {
        const uint32_t type = of.type == TIRB_TYPE_NONE ? ALL_TYPES : 1u << of.type;
        if (without_loops[i].op == of.op && (without_loops[i].types & type) != 0) return without_loops[i].reason;
    }
    return NULL;
}

static const char *division(instruction of) {
    const bool divides =
        of.op == TIRB_OP_VDIV || of.op == TIRB_OP_VMOD || of.op == TIRB_OP_VFLOORDIV || of.op == TIRB_OP_VFLOORMOD;
    return divides && tirbi_dtype_is_int((tirbi_dtype)of.type) ? "division of integers, checked" : NULL;
}

/* A product and a sum take gcc two instructions there, and are rounded twice. */
static const char *fused(instruction of, tirb_isa isa) {
    if (isa == TIRB_ISA_AVX2 || isa == TIRB_ISA_AVX512 || isa == TIRB_ISA_NEON) return NULL;
    switch (of.op) {
    case TIRB_OP_VFMA:
    case TIRB_OP_VFMS:
    case TIRB_OP_VFNMA:
    case TIRB_OP_VREDMA:
    case TIRB_OP_VSCANMA:
    case TIRB_OP_VUPDATEMA:
        return "one rounding without an instruction for it";
    default:
        return NULL;
    }
}

const char *allowed(instruction of, tirb_isa isa) {
    const char *reason = division(of);
    return reason != NULL ? reason : fused(of, isa);
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static const char *const scan_names[] = {"add", "mul", "min", "max", "and", "or", "xor", "sub", "div"};

/* Whether the instruction has the detail: a type that is read, or an operation. */
static bool has_detail(uint8_t op, tirbi_dtype type, unsigned detail) {
    const bool is_float = tirbi_dtype_is_float(type);
    switch (op) {
    case TIRB_OP_VCAST:
        return detail < TIRB_N_DTYPES;
    case TIRB_OP_VBITS:
        return detail < TIRB_N_DTYPES && tirbi_dtypes[detail].size == tirbi_dtypes[type].size;
    case TIRB_OP_VRED:
        return detail <= TIRBI_SCAN_MAX;
    case TIRB_OP_VSCAN:
        if (detail == TIRBI_SCAN_DIV) return is_float;
        return detail < TIRBI_N_SCAN_OPS && !(is_float && detail >= TIRBI_SCAN_AND && detail <= TIRBI_SCAN_XOR);
    case TIRB_OP_VSCANMA:
        return detail == TIRBI_SCAN_FMA || detail == (TIRBI_SCAN_FMA | TIRBI_SCAN_SWAPPED);
    default:
        return detail == TIRB_TYPE_NONE;
    }
}

instruction *all_instructions(size_t *n) {
    enum { MOST = TIRB_N_OPS * TIRB_N_DTYPES * TIRB_N_DTYPES };
    instruction *rows = malloc(MOST * sizeof *rows);
    *n = 0;
    for (unsigned op = 0; op < TIRB_N_OPS && rows != NULL; op++) {
        const tirbi_op_info *info = &tirbi_ops[op];
        const bool is_lane = (info->flags & TIRBI_FLAG_LANE) != 0 ||
                             ((info->flags & TIRBI_FLAG_ELEMENTWISE) != 0 && op >= TIRB_OP_LANE_FORM);
        if (info->mnemonic == NULL || !is_lane) continue;
        if (info->types == 0) rows[(*n)++] = (instruction){(uint8_t)op, TIRB_TYPE_NONE, TIRB_TYPE_NONE};
        for (unsigned t = 0; t < TIRB_N_DTYPES; t++)
            for (unsigned detail = 0; detail <= TIRB_TYPE_NONE && (info->types >> t & 1) != 0; detail++)
                if (has_detail((uint8_t)op, (tirbi_dtype)t, detail))
                    rows[(*n)++] = (instruction){(uint8_t)op, (uint8_t)t, (uint8_t)detail};
    }
    return rows;
}

void name_instruction(instruction of, char *out, size_t size) {
    const char *type = of.type == TIRB_TYPE_NONE ? "" : tirbi_dtypes[of.type].name;
    int length = snprintf(out, size, "%s%s%s", tirbi_ops[of.op].mnemonic, type[0] != 0 ? "." : "", type);
    out += length, size -= (size_t)length;
    if (of.op == TIRB_OP_VCAST || of.op == TIRB_OP_VBITS) snprintf(out, size, " from %s", tirbi_dtypes[of.detail].name);
    if (of.op == TIRB_OP_VRED || of.op == TIRB_OP_VSCAN) snprintf(out, size, " %s", scan_names[of.detail]);
    if (of.op == TIRB_OP_VSCANMA && of.detail != TIRBI_SCAN_FMA) snprintf(out, size, " linear");
}

const c_loops *find_loops(const level *in, instruction of) {
    for (size_t i = 0; i < in->n; i++)
        if (memcmp(&in->loops[i].of, &of, sizeof of) == 0) return &in->loops[i];
    return NULL;
}
