/* Operands, and whether two results are the same. */
#include <math.h>
#include <string.h>

#include "tests/bench/instructions/instructions.h"
#include "vm/math/half.h"

/* ---- Elements --------------------------------------------------------------------------------------------------- */

static void put(void *data, tirbi_dtype type, int i, double value) {
    switch ((unsigned)type) {
    case TIRB_F16:
        ((uint16_t *)data)[i] = tirbi_f32_to_f16((float)value);
        return;
    case TIRB_BF16:
        ((uint16_t *)data)[i] = tirbi_f32_to_bf16((float)value);
        return;
    case TIRB_F32:
        ((float *)data)[i] = (float)value;
        return;
    case TIRB_F64:
        ((double *)data)[i] = value;
        return;
    default: {
        const int64_t whole = (int64_t)value;
        memcpy((char *)data + (size_t)i * tirbi_dtypes[type].size, &whole, tirbi_dtypes[type].size);
    }
    }
}

static double get(const void *data, tirbi_dtype type, int i) {
    switch ((unsigned)type) {
    case TIRB_F16:
        return (double)tirbi_f16_to_f32(((const uint16_t *)data)[i]);
    case TIRB_BF16:
        return (double)tirbi_bf16_to_f32(((const uint16_t *)data)[i]);
    case TIRB_F32:
        return (double)((const float *)data)[i];
    case TIRB_F64:
        return ((const double *)data)[i];
    default: {
        int64_t whole = 0;
        memcpy(&whole, (const char *)data + (size_t)i * tirbi_dtypes[type].size, tirbi_dtypes[type].size);
        return (double)whole;
    }
    }
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

/* The floats that an operand lies between, where not between -2 and 2. */
static const struct {
    uint8_t op, operand;
    double least, most;
} ranges[] = {
    {TIRB_OP_VDIV, 1, 0.5, 2},     {TIRB_OP_VSQRT, 0, 0.1, 10},      {TIRB_OP_VRSQRT, 0, 0.1, 10},
    {TIRB_OP_VEXP, 0, -4, 4},      {TIRB_OP_VLOG, 0, 0.1, 10},       {TIRB_OP_VLOG2, 0, 0.1, 10},
    {TIRB_OP_VLOG10, 0, 0.1, 10},  {TIRB_OP_VLOG1P, 0, -0.5, 5},     {TIRB_OP_VSIN, 0, -9, 9},
    {TIRB_OP_VCOS, 0, -9, 9},      {TIRB_OP_VTAN, 0, -1, 1},         {TIRB_OP_VASIN, 0, -0.9, 0.9},
    {TIRB_OP_VACOS, 0, -0.9, 0.9}, {TIRB_OP_VATANH, 0, -0.9, 0.9},   {TIRB_OP_VACOSH, 0, 1.1, 9},
    {TIRB_OP_VSIGMOID, 0, -8, 8},  {TIRB_OP_VPOW, 0, 0.1, 4},        {TIRB_OP_VFMOD, 0, -90, 90},
    {TIRB_OP_VFMOD, 1, 0.5, 4},    {TIRB_OP_VREMAINDER, 0, -90, 90}, {TIRB_OP_VREMAINDER, 1, 0.5, 4},
    {TIRB_OP_VLOGB, 0, 0.1, 90},   {TIRB_OP_VTGAMMA, 0, 0.5, 5},     {TIRB_OP_VLGAMMA, 0, 0.5, 9},
    {TIRB_OP_VJ0, 0, -9, 9},       {TIRB_OP_VJ1, 0, -9, 9},          {TIRB_OP_VY0, 0, 0.5, 9},
    {TIRB_OP_VY1, 0, 0.5, 9},      {TIRB_OP_VFLOOR, 0, -90, 90},     {TIRB_OP_VCEIL, 0, -90, 90},
    {TIRB_OP_VTRUNC, 0, -90, 90},  {TIRB_OP_VROUND, 0, -90, 90},     {TIRB_OP_VRHYPOT, 0, 0.5, 2},
    {TIRB_OP_VCAST, 0, -300, 300},
};

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 20;
}

static double between(uint64_t *state, double least, double most) {
    return least + (most - least) * (double)(next_random(state) & 0xFFFFFF) / (double)0x1000000;
}

static double float_operand(instruction of, unsigned array, uint64_t *state) {
    const bool product = (of.op == TIRB_OP_VRED || of.op == TIRB_OP_VSCAN) &&
                         (of.detail == TIRBI_SCAN_MUL || of.detail == TIRBI_SCAN_DIV);
    if (product) return between(state, 0.9, 1.1);
    if (of.op == TIRB_OP_VSCANMA && array == 0) return between(state, 0.5, 0.9);
    if (of.op == TIRB_OP_VLDEXP && array == 1) return (double)(next_random(state) % 17) - 8;
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].op == of.op && ranges[i].operand == array) return between(state, ranges[i].least, ranges[i].most);
    return between(state, -2, 2);
}

static bool divides(instruction of) {
    return of.op == TIRB_OP_VDIV || of.op == TIRB_OP_VMOD || of.op == TIRB_OP_VFLOORDIV || of.op == TIRB_OP_VFLOORMOD;
}

/* Not 0, and not -1, by which the least number cannot be divided. */
static double divisor(tirbi_dtype type, uint64_t *state) {
    const double magnitude = 2 + (double)(next_random(state) % 99);
    return tirbi_dtype_is_signed(type) && next_random(state) % 2 == 0 ? -magnitude : magnitude;
}

/* All places once, in no order. */
static void fill_places(int32_t *data, int n, uint64_t *state) {
    for (int i = 0; i < n; i++) data[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)(next_random(state) % (uint64_t)(i + 1));
        const int32_t kept = data[i];
        data[i] = data[k];
        data[k] = kept;
    }
}

/* Integers of all magnitudes, down to the single bit. */
static void fill_words(tirbi_dtype type, void *data, int n, uint64_t *state) {
    for (int i = 0; i < n; i++) {
        const uint64_t word = (next_random(state) << 32 ^ next_random(state)) >> next_random(state) % 8;
        memcpy((char *)data + (size_t)i * tirbi_dtypes[type].size, &word, tirbi_dtypes[type].size);
    }
}

/* Of two operands every eighth pair is equal. */
static bool compares(instruction of) {
    return (tirbi_ops[of.op].flags & TIRBI_FLAG_ELEMENTWISE) != 0 && tirbi_ops[of.op].arity == 2 &&
           tirbi_op_result_type(of.op, TIRB_I32) == TIRB_BOOL;
}

static void fill_ints(instruction of, const layout *l, unsigned array, void *data, int n, uint64_t *state) {
    const tirbi_dtype type = l->in[array];
    const bool extra = array >= l->n_operands;
    const bool float_bits = of.op == TIRB_OP_VBITS && tirbi_dtype_is_float(l->out); /* which are to be no NaN */
    const bool small = of.op == TIRB_OP_VINDEX || float_bits || (divides(of) && array == 1);
    if (!small) {
        fill_words(type, data, n, state);
        for (int i = 0; i < n && compares(of) && !extra; i += 8) put(data, type, i, i);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (float_bits)
            put(data, extra ? type : l->out, i, extra ? 1 : 1.5);
        else
            put(data, type, i, divides(of) ? divisor(type, state) : (double)(next_random(state) % INDEX_LIMIT));
    }
}

void fill(instruction of, const layout *l, unsigned array, void *data, int n) {
    uint64_t state = 12345 + array;
    const tirbi_dtype type = l->in[array];
    const bool extra = array >= l->n_operands;
    if (l->index && array == 0) {
        fill_places(data, n, &state);
    } else if (of.op == TIRB_OP_VFIND) {
        memset(data, 0, (size_t)n);
        if (array == 0) ((uint8_t *)data)[n - 1] = 1;
    } else if (tirbi_dtype_is_int(type)) {
        fill_ints(of, l, array, data, n, &state);
    } else {
        for (int i = 0; i < n; i++) {
            const double value = type == TIRB_BOOL ? (double)(next_random(&state) & 1)
                                 : extra           ? between(&state, -0.03, 0.03)
                                                   : float_operand(of, array, &state);
            put(data, type, i, i % 8 == 0 && compares(of) && !extra ? 1 : value);
        }
    }
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

static double tolerance(instruction of, tirbi_dtype type) {
    const bool sums =
        of.op == TIRB_OP_VRED || of.op == TIRB_OP_VREDMA || of.op == TIRB_OP_VSCAN || of.op == TIRB_OP_VSCANMA;
    switch ((unsigned)type) {
    case TIRB_F16:
        return 4e-3;
    case TIRB_BF16:
        return 3e-2;
    case TIRB_F32:
        return sums ? 1e-3 : 1e-5;
    case TIRB_F64:
        return sums ? 1e-10 : 1e-13;
    default:
        return 0;
    }
}

bool same_results(instruction of, tirbi_dtype type, const void *a, const void *b, int n, int *at, double values[2]) {
    const size_t size = tirbi_dtypes[type].size;
    /* What C computes of halves it may round less often, so that the other side of a border is reached. */
    const bool rounds = of.type == TIRB_F16 || (of.op == TIRB_OP_VCAST && of.detail == TIRB_F16);
    int different = 0;
    for (int i = 0; i < n; i++) {
        if (memcmp((const char *)a + (size_t)i * size, (const char *)b + (size_t)i * size, size) == 0) continue;
        const double x = get(a, type, i), y = get(b, type, i);
        if (tirbi_dtype_is_float(type) && ((isnan(x) && isnan(y)) || x == y)) continue;
        if (fabs(x - y) <= tolerance(of, type) * (1 + fabs(y)) && tirbi_dtype_is_float(type)) continue;
        if (rounds && ++different <= n / 50) continue;
        *at = i;
        values[0] = x;
        values[1] = y;
        return false;
    }
    return true;
}
