#include <math.h>
#include <string.h>

#include "compiler/ir/llvm.h"
#include "tests/reference/imports.h"
#include "tests/reference/machine.h"
#include "tests/reference/mathematics.h"
#include "tests/reference/narrow.h"
#include "tests/reference/packed.h"
#include "tests/reference/value.h"

/* ---- Small helpers -------------------------------------------------------------------------------------------- */

bool tirbi_ref_element_type(tirbi_ref_machine *m, tirb_datatype type, tirbi_dtype *out) {
    char text[32];
    tirb_datatype element = {type.code, type.bits, 1, false};
    if (tirb_datatype_machine(element, out)) return true;
    if (tirbi_ref_is_narrow(element)) {
        *out = type.code == TIRB_CODE_INT ? TIRB_I8 : TIRB_U8;
        return true;
    }
    return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "values of type %s are not supported", tirb_datatype_text(type, text));
}

void tirbi_ref_bind(tirbi_ref_machine *m, const tirb_expr *var, tirbi_ref_value value) {
    m->frame->vars[var->as.var.id] = value;
}

void tirbi_ref_bind_int(tirbi_ref_machine *m, const tirb_expr *var, int64_t value) {
    tirbi_dtype type = TIRB_I64;
    tirbi_ref_element_type(m, var->dtype, &type);
    tirbi_ref_bind(m, var,
                   (tirbi_ref_value){.type = var->dtype, .one = tirbi_ref_extend(type, (uint64_t)value)});
}

bool tirbi_ref_eval_int(tirbi_ref_machine *m, const tirb_expr *e, int64_t *out) {
    tirbi_ref_value value;
    if (!tirbi_ref_eval(m, e, NULL, &value)) return false;
    *out = (int64_t)value.one;
    return true;
}

bool tirbi_ref_eval_bool(tirbi_ref_machine *m, const tirb_expr *e, bool *out) {
    tirbi_ref_value value;
    if (!tirbi_ref_eval(m, e, NULL, &value)) return false;
    *out = value.one != 0;
    return true;
}

static bool active(const uint8_t *mask, uint32_t lane) { return mask == NULL || mask[lane] != 0; }

/* The lanes of a result: the value itself for a scalar, scratch memory for a vector. */
static uint64_t *result_lanes(tirbi_ref_machine *m, tirb_datatype type, tirbi_ref_value *out) {
    *out = (tirbi_ref_value){.type = type};
    if (type.lanes == 1) return &out->one;
    uint64_t *lanes = tirbi_ref_scratch(m, type.lanes, sizeof *lanes);
    out->many = lanes;
    return lanes;
}

static bool unsupported(tirbi_ref_machine *m, const char *node) {
    return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "%s is not supported", node);
}

/* ---- Elementwise operations ----------------------------------------------------------------------------------- */

static bool is_float(tirb_datatype type) {
    return type.code == TIRB_CODE_FLOAT || type.code == TIRB_CODE_BFLOAT || tirb_datatype_is_narrow_float(type);
}

/* Of floats, Mod is the remainder of the truncated quotient, as fmod is. */
static tirbi_op op_of(const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_ADD: return TIRB_OP_ADD;
    case TIRB_EXPR_SUB: return TIRB_OP_SUB;
    case TIRB_EXPR_MUL: return TIRB_OP_MUL;
    case TIRB_EXPR_DIV: return TIRB_OP_DIV;
    case TIRB_EXPR_MOD: return is_float(e->dtype) ? TIRB_OP_FMOD : TIRB_OP_MOD;
    case TIRB_EXPR_FLOORDIV: return TIRB_OP_FLOORDIV;
    case TIRB_EXPR_FLOORMOD: return TIRB_OP_FLOORMOD;
    case TIRB_EXPR_MIN: return TIRB_OP_MIN;
    case TIRB_EXPR_MAX: return TIRB_OP_MAX;
    case TIRB_EXPR_EQ: return TIRB_OP_EQ;
    case TIRB_EXPR_NE: return TIRB_OP_NE;
    case TIRB_EXPR_LT: return TIRB_OP_LT;
    case TIRB_EXPR_LE: return TIRB_OP_LE;
    case TIRB_EXPR_GT: return TIRB_OP_GT;
    case TIRB_EXPR_GE: return TIRB_OP_GE;
    case TIRB_EXPR_AND: return TIRB_OP_AND;
    default: return TIRB_OP_OR;
    }
}

static bool apply2(tirbi_ref_machine *m, tirbi_op op, tirb_datatype type, const tirbi_ref_value *a,
                   const tirbi_ref_value *b, const uint8_t *mask, tirbi_ref_value *out) {
    tirbi_dtype element;
    if (!tirbi_ref_element_type(m, a->type, &element)) return false;
    uint64_t *lanes = result_lanes(m, type, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < type.lanes; i++) {
        bool known;
        if (!active(mask, i)) continue;
        if (tirbi_ref_binary(op, element, tirbi_ref_lane(a, i), tirbi_ref_lane(b, i), &lanes[i], &known)) continue;
        if (!known) {
            return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "%s on %s is not supported", tirbi_ops[op].mnemonic,
                                  tirbi_dtypes[element].tvm_name);
        }
        return tirbi_ref_fail(m, TIRB_DIVIDE, "division by zero");
    }
    return true;
}

static bool apply1(tirbi_ref_machine *m, tirbi_op op, tirb_datatype type, const tirbi_ref_value *a,
                   tirbi_ref_value *out) {
    tirbi_dtype element;
    if (!tirbi_ref_element_type(m, a->type, &element)) return false;
    uint64_t *lanes = result_lanes(m, type, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < type.lanes; i++) {
        if (!tirbi_ref_unary(op, element, tirbi_ref_lane(a, i), &lanes[i])) {
            return tirbi_ref_fail(m, TIRB_UNSUPPORTED, "%s on %s is not supported", tirbi_ops[op].mnemonic,
                                  tirbi_dtypes[element].tvm_name);
        }
    }
    return true;
}

/* a * b + c, or with a negated first factor or addend. */
static bool apply_fma(tirbi_ref_machine *m, const tirbi_ref_value *a, const tirbi_ref_value *b,
                      const tirbi_ref_value *c, bool negate_product, bool negate_addend, tirbi_ref_value *out) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, c->type, &type)) return false;
    if (!tirbi_dtype_is_float(type)) return unsupported(m, "fma on integers");
    uint64_t *lanes = result_lanes(m, c->type, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < c->type.lanes; i++) {
        uint64_t x = tirbi_ref_lane(a, i);
        uint64_t z = tirbi_ref_lane(c, i);
        if (negate_product) x = tirbi_ref_negate(type, x);
        if (negate_addend) z = tirbi_ref_negate(type, z);
        lanes[i] = tirbi_ref_fma(type, x, tirbi_ref_lane(b, i), z);
    }
    return true;
}

/* Rule R2: Add or Sub with a Mul operand, the left one if both. */
static bool eval_fused(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    const tirb_expr *x = e->as.binary.a;
    const tirb_expr *y = e->as.binary.b;
    bool subtract = e->kind == TIRB_EXPR_SUB;
    tirbi_ref_value a;
    tirbi_ref_value b;
    tirbi_ref_value c;
    if (x->kind == TIRB_EXPR_MUL) {
        return tirbi_ref_eval(m, x->as.binary.a, mask, &a) && tirbi_ref_eval(m, x->as.binary.b, mask, &b) &&
               tirbi_ref_eval(m, y, mask, &c) && apply_fma(m, &a, &b, &c, false, subtract, out);
    }
    return tirbi_ref_eval(m, x, mask, &c) && tirbi_ref_eval(m, y->as.binary.a, mask, &a) &&
           tirbi_ref_eval(m, y->as.binary.b, mask, &b) && apply_fma(m, &a, &b, &c, subtract, false, out);
}

static bool fuses(const tirbi_ref_machine *m, const tirb_expr *e) {
    bool is_float = e->dtype.code == TIRB_CODE_FLOAT || e->dtype.code == TIRB_CODE_BFLOAT;
    return m->options.fp != TIRB_FP_STRICT && is_float && (e->kind == TIRB_EXPR_ADD || e->kind == TIRB_EXPR_SUB) &&
           (e->as.binary.a->kind == TIRB_EXPR_MUL || e->as.binary.b->kind == TIRB_EXPR_MUL);
}

static bool eval_binary(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    tirbi_ref_value a;
    tirbi_ref_value b;
    if (fuses(m, e)) return eval_fused(m, e, mask, out);
    if (!tirbi_ref_eval(m, e->as.binary.a, mask, &a)) return false;
    if (e->dtype.lanes == 1 && (e->kind == TIRB_EXPR_AND || e->kind == TIRB_EXPR_OR)) {
        /* Short-circuit: the second operand decides only where the first does not. */
        if ((a.one != 0) == (e->kind == TIRB_EXPR_OR)) {
            *out = a;
            return true;
        }
        return tirbi_ref_eval(m, e->as.binary.b, mask, out);
    }
    if (!tirbi_ref_eval(m, e->as.binary.b, mask, &b)) return false;
    return tirbi_ref_widen(m, &a) && tirbi_ref_widen(m, &b) &&
           apply2(m, op_of(e), tirbi_ref_wide(e->dtype), &a, &b, mask, out) &&
           tirbi_ref_narrow(m, e->dtype, out);
}

static bool eval_cast(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    tirbi_ref_value v;
    tirbi_dtype from;
    tirbi_dtype to;
    if (!tirbi_ref_eval(m, e->as.cast.value, mask, &v) || !tirbi_ref_widen(m, &v)) return false;
    if (e->dtype.code == TIRB_CODE_HANDLE) {
        *out = v;
        out->type = e->dtype;
        return true;
    }
    if (tirbi_ref_is_narrow(e->dtype)) {
        *out = v;
        return tirbi_ref_narrow(m, e->dtype, out);
    }
    if (!tirbi_ref_element_type(m, v.type, &from) ||
        !tirbi_ref_element_type(m, e->dtype, &to)) {
        return false;
    }
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->dtype.lanes; i++) lanes[i] = tirbi_ref_cast(to, from, tirbi_ref_lane(&v, i));
    return true;
}

/* ---- Choice --------------------------------------------------------------------------------------------------- */

/* Both arms are evaluated, each only in the lanes that choose it: an arm has no effect but a trap, and one that can
 * trap is lazy. */
static bool eval_select(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    const tirb_expr *condition = e->as.select.condition;
    tirbi_ref_value c;
    if (!tirbi_ref_eval(m, condition, condition->dtype.lanes == e->dtype.lanes ? mask : NULL, &c)) return false;
    if (condition->dtype.lanes == 1) {
        return tirbi_ref_eval(m, c.one != 0 ? e->as.select.true_value : e->as.select.false_value, mask, out);
    }
    uint32_t n = e->dtype.lanes;
    tirbi_ref_value arms[2];
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    uint8_t *chosen = tirbi_ref_scratch(m, n, 1);
    if (lanes == NULL || chosen == NULL) return false;
    for (uint32_t arm = 0; arm < 2; arm++) {
        bool any = false;
        for (uint32_t i = 0; i < n; i++) {
            chosen[i] = active(mask, i) && (tirbi_ref_lane(&c, i) != 0) == (arm == 0);
            any = any || chosen[i] != 0;
        }
        const tirb_expr *value = arm == 0 ? e->as.select.true_value : e->as.select.false_value;
        if (any && !tirbi_ref_eval(m, value, chosen, &arms[arm])) return false;
        for (uint32_t i = 0; i < n; i++) {
            if (chosen[i] != 0) lanes[i] = tirbi_ref_lane(&arms[arm], i);
        }
    }
    return true;
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

bool tirbi_ref_eval_argument(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    bool outer = m->in_argument;
    m->in_argument =
        e->kind == TIRB_EXPR_CALL && e->as.call.function == NULL && e->as.call.builtin == TIRB_BUILTIN_ADDRESS_OF;
    bool good = tirbi_ref_eval(m, e, NULL, out);
    m->in_argument = outer;
    return good;
}

bool tirbi_ref_eval_indices(tirbi_ref_machine *m, const tirb_expr *const *indices, uint32_t n, const uint8_t *mask,
                            tirbi_ref_value **out) {
    *out = tirbi_ref_scratch(m, n, sizeof **out);
    if (*out == NULL) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!tirbi_ref_eval(m, indices[i], indices[i]->dtype.lanes > 1 ? mask : NULL, &(*out)[i])) return false;
    }
    return true;
}

/* Which index lanes are needed: those of which some lane of the value is. NULL: all. */
static bool index_mask(tirbi_ref_machine *m, const uint8_t *mask, uint32_t index_lanes, uint32_t buffer_lanes,
                       const tirbi_ref_value *predicate, const uint8_t **out) {
    *out = NULL;
    if (mask == NULL && predicate == NULL) return true;
    uint8_t *needed = tirbi_ref_scratch(m, index_lanes, 1);
    if (needed == NULL) return false;
    for (uint32_t i = 0; i < index_lanes; i++) {
        for (uint32_t j = 0; j < buffer_lanes; j++) {
            uint32_t lane = i * buffer_lanes + j;
            if (active(mask, lane) && (predicate == NULL || tirbi_ref_lane(predicate, lane) != 0)) needed[i] = 1;
        }
    }
    *out = needed;
    return true;
}

static bool eval_load(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    const tirb_buffer *buffer = e->as.load.buffer;
    uint32_t n = e->as.load.n_indices;
    const tirbi_ref_view *view = tirbi_ref_view_of(m, buffer);
    if (view == NULL) return false;
    uint32_t index_lanes = n > 0 ? e->as.load.indices[n - 1]->dtype.lanes : 1;
    tirbi_ref_value predicate;
    const uint8_t *needed;
    if (e->as.load.predicate != NULL && !tirbi_ref_eval(m, e->as.load.predicate, mask, &predicate)) return false;
    if (!index_mask(m, mask, index_lanes, buffer->dtype.lanes, e->as.load.predicate != NULL ? &predicate : NULL,
                    &needed)) {
        return false;
    }
    tirbi_ref_value *indices;
    if (!tirbi_ref_eval_indices(m, e->as.load.indices, n, needed, &indices)) return false;
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    int64_t *at = tirbi_ref_scratch(m, n, sizeof *at);
    if (lanes == NULL || at == NULL) return false;
    for (uint32_t i = 0; i < index_lanes; i++) {
        uint64_t offset;
        if (!active(needed, i)) continue;
        for (uint32_t d = 0; d < n; d++) at[d] = (int64_t)tirbi_ref_lane(&indices[d], d + 1 == n ? i : 0);
        tirbi_ref_next_rows(buffer, e->as.load.indices, n, at);
        if (!tirbi_ref_address(m, view, e->as.load.indices, at, &offset)) return false;
        if (!tirbi_ref_read(m, view, offset, lanes + (size_t)i * buffer->dtype.lanes)) return false;
    }
    return true;
}

/* ---- Vectors -------------------------------------------------------------------------------------------------- */

static bool eval_ramp(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value base;
    tirbi_ref_value stride;
    tirbi_dtype type;
    if (!tirbi_ref_eval(m, e->as.ramp.base, NULL, &base) || !tirbi_ref_eval(m, e->as.ramp.stride, NULL, &stride) ||
        !tirbi_ref_element_type(m, e->dtype, &type)) {
        return false;
    }
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->dtype.lanes; i++) lanes[i] = tirbi_ref_extend(type, base.one + i * stride.one);
    return true;
}

static bool eval_broadcast(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value v;
    if (!tirbi_ref_eval(m, e->as.broadcast.value, NULL, &v)) return false;
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->dtype.lanes; i++) lanes[i] = v.one;
    return true;
}

/* The lanes of several vectors one after another. */
static bool concatenate(tirbi_ref_machine *m, const tirb_expr *const *vectors, uint32_t n, uint64_t **out,
                        uint32_t *out_n) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; i++) total += vectors[i]->dtype.lanes;
    uint64_t *lanes = tirbi_ref_scratch(m, total, sizeof *lanes);
    if (lanes == NULL) return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        tirbi_ref_value v;
        if (!tirbi_ref_eval(m, vectors[i], NULL, &v)) return false;
        for (uint32_t j = 0; j < v.type.lanes; j++) lanes[at++] = tirbi_ref_lane(&v, j);
    }
    *out = lanes;
    *out_n = total;
    return true;
}

static bool eval_shuffle(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    uint64_t *all;
    uint32_t total;
    if (!concatenate(m, e->as.shuffle.vectors, e->as.shuffle.n_vectors, &all, &total)) return false;
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->as.shuffle.n_indices; i++) {
        int64_t index;
        if (!tirbi_ref_eval_int(m, e->as.shuffle.indices[i], &index)) return false;
        if (index < 0 || index >= total) {
            return tirbi_ref_fail(m, TIRB_BOUNDS, "index %lld of a shuffle is outside its %u lanes", (long long)index,
                                  total);
        }
        lanes[i] = all[index];
    }
    return true;
}

/* ---- Builtins ------------------------------------------------------------------------------------------------- */

/* Regroups the bits of lanes: from wide lanes to narrow ones or back, least significant first. */
static bool eval_reinterpret(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value v;
    tirbi_dtype from;
    tirbi_dtype to;
    if (!tirbi_ref_eval(m, e->as.call.args[0], NULL, &v)) return false;
    if (e->dtype.code == TIRB_CODE_HANDLE) { /* the same pointer, or a number that leads nowhere */
        *out = v;
        out->type = e->dtype;
        return true;
    }
    if (!tirbi_ref_element_type(m, v.type, &from) || !tirbi_ref_element_type(m, e->dtype, &to)) return false;
    uint32_t from_size = tirbi_dtypes[from].size;
    uint32_t to_size = tirbi_dtypes[to].size;
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t byte = 0; byte < to_size * e->dtype.lanes && byte < from_size * v.type.lanes; byte++) {
        uint64_t bits = tirbi_ref_lane(&v, byte / from_size) >> (byte % from_size * 8) & 0xff;
        lanes[byte / to_size] |= bits << (byte % to_size * 8);
    }
    for (uint32_t i = 0; i < e->dtype.lanes; i++)
        lanes[i] = tirbi_ref_extend(to, lanes[i] & (to == TIRB_BOOL ? 1 : UINT64_MAX));
    return true;
}

/* A fixed-point multiplication as TVM defines it: x * y * 2^-s with q fraction bits, rounded half up. */
static uint64_t multiply_shift(int64_t x, int64_t y, int64_t q, int64_t s) {
    if (y == (1ll << 30)) {
        if (s - 1 > 0) return tirbi_ref_extend(TIRB_I32, (uint64_t)x << ((s - 1) & 63));
        int64_t exponent = 1 - s;
        return tirbi_ref_extend(
            TIRB_I32, (uint64_t)(exponent == 0 ? x : (x + (1ll << ((exponent - 1) & 63))) >> (exponent & 63)));
    }
    int64_t left = s > 0 ? s : 0;
    int64_t right = s < 0 ? -s : 0;
    uint64_t product = ((uint64_t)x << (left & 63)) * (uint64_t)y;
    uint64_t rounded = product + (1ull << ((right + q - 1) & 63));
    return tirbi_ref_extend(TIRB_I32, (uint64_t)((int64_t)rounded >> ((right + q) & 63)));
}

static bool eval_multiply_shift(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value v[4];
    for (uint32_t i = 0; i < 4; i++) {
        if (!tirbi_ref_eval(m, e->as.call.args[i], NULL, &v[i])) return false;
    }
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->dtype.lanes; i++) {
        int64_t args[4];
        for (uint32_t j = 0; j < 4; j++) args[j] = (int64_t)tirbi_ref_lane(&v[j], i);
        lanes[i] = multiply_shift(args[0], args[1], args[2], args[3]);
    }
    return true;
}

/* ((x << left) * y + half) >> (right + q); the last two operands say whether each side shifts. */
static bool eval_multiply_shift_per_axis(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value v[7];
    for (uint32_t i = 0; i < 7; i++) {
        if (!tirbi_ref_eval(m, e->as.call.args[i], NULL, &v[i])) return false;
    }
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->dtype.lanes; i++) {
        uint64_t a[7];
        for (uint32_t j = 0; j < 7; j++) a[j] = tirbi_ref_lane(&v[j], i);
        uint64_t x = a[5] != 0 ? a[0] << (a[2] & 63) : a[0];
        uint64_t by = a[6] != 0 ? a[4] + a[3] : a[4];
        uint64_t sum = x * a[1] + (1ull << ((by - 1) & 63));
        lanes[i] = tirbi_ref_extend(TIRB_I32, (uint64_t)((int64_t)sum >> (by & 63)));
    }
    return true;
}

/* Lane i is on where base + i < limit. */
static bool eval_lane_mask(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    int64_t base;
    int64_t limit;
    if (!tirbi_ref_eval_int(m, e->as.call.args[0], &base) || !tirbi_ref_eval_int(m, e->as.call.args[1], &limit))
        return false;
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < e->dtype.lanes; i++) lanes[i] = base + (int64_t)i < limit;
    return true;
}

/* A pointer moved by bytes. */
static bool eval_byte_offset(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    int64_t offset;
    if (!tirbi_ref_eval(m, e->as.call.args[0], NULL, out) || !tirbi_ref_eval_int(m, e->as.call.args[1], &offset))
        return false;
    out->one += (uint64_t)offset;
    return true;
}

/* A pointer to an element of a buffer; the element itself is not read. One past the end is allowed but in an
 * argument. */
static bool eval_address_of(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    const tirb_expr *load = e->as.call.args[0];
    if (load->kind == TIRB_EXPR_VAR) return tirbi_ref_eval(m, load, NULL, out);
    if (load->kind != TIRB_EXPR_LOAD) return unsupported(m, "address_of of anything but an element");
    const tirbi_ref_view *view = tirbi_ref_view_of(m, load->as.load.buffer);
    tirbi_ref_value *indices;
    tirbi_dtype type;
    if (view == NULL || !tirbi_ref_element_type(m, load->as.load.buffer->dtype, &type) ||
        !tirbi_ref_eval_indices(m, load->as.load.indices, load->as.load.n_indices, NULL, &indices)) {
        return false;
    }
    int64_t size = (int64_t)tirbi_dtypes[type].size * load->as.load.buffer->dtype.lanes;
    int64_t offset = view->base;
    for (uint32_t i = 0; i < view->ndim; i++) {
        int64_t index = (int64_t)tirbi_ref_lane(&indices[i], 0);
        if (index < 0 || index > view->shape[i] - m->in_argument)
            return tirbi_ref_bad_index(m, view, i, load->as.load.indices[i], index);
        offset += index * view->strides[i] * size;
    }
    *out = (tirbi_ref_value){.type = e->dtype, .one = (uint64_t)offset, .memory = view->memory};
    return true;
}

/* &data[offset], in elements of the annotated type. */
static bool eval_access_ptr(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_ref_value pointer;
    int64_t offset;
    tirbi_dtype type;
    if (!tirbi_ref_eval(m, e->as.call.args[1], NULL, &pointer) ||
        !tirbi_ref_eval_int(m, e->as.call.args[2], &offset) ||
        !tirbi_ref_element_type(m, e->as.call.args[0]->dtype, &type)) {
        return false;
    }
    pointer.one += (uint64_t)(offset * tirbi_dtypes[type].size);
    *out = pointer;
    return true;
}

static bool eval_halves(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    uint64_t *all;
    uint32_t total;
    if (!concatenate(m, e->as.call.args, e->as.call.n_args, &all, &total)) return false;
    uint64_t *lanes = result_lanes(m, e->dtype, out);
    if (lanes == NULL) return false;
    uint32_t first = e->as.call.builtin == TIRB_BUILTIN_VECTORHIGH ? total / 2 : 0;
    for (uint32_t i = 0; i < e->dtype.lanes && first + i < total; i++) lanes[i] = all[first + i];
    return true;
}

/* Functions that the compiler composes of others. */
static bool eval_composed(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    const uint32_t n = e->as.call.n_args;
    tirbi_ref_value v[4] = {{.one = 0}}, result;
    tirbi_dtype type;
    for (uint32_t i = 0; i < n && i < 4; i++) {
        if (!tirbi_ref_eval(m, e->as.call.args[i], mask, &v[i]) || !tirbi_ref_widen(m, &v[i])) return false;
    }
    tirb_datatype wide = tirbi_ref_wide(e->dtype);
    uint64_t *lanes = tirbi_ref_element_type(m, wide, &type) ? result_lanes(m, wide, &result) : NULL;
    if (lanes == NULL) return false;
    for (uint32_t k = 0; k < wide.lanes; k++) {
        uint64_t x[4];
        for (uint32_t i = 0; i < 4; i++) x[i] = i < n ? tirbi_ref_lane(&v[i], k) : 0;
        if (!tirbi_ref_composed(e->as.call.builtin, type, x, &lanes[k]))
            return unsupported(m, tirb_builtins[e->as.call.builtin].name);
    }
    *out = result;
    return tirbi_ref_narrow(m, e->dtype, out);
}

static bool eval_elementwise(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out);

/* Number 97, a product and a sum, rounds as they do in the program's mode (R2). */
static bool eval_llvm_number(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    const tirb_expr *const *args = e->as.call.args;
    tirbi_ref_value x, y, z, product;
    if (e->as.call.n_args != 5 || args[0]->as.int_value != 97) return unsupported(m, "an intrinsic of LLVM");
    if (!tirbi_ref_eval(m, args[2], mask, &x) || !tirbi_ref_eval(m, args[3], mask, &y) ||
        !tirbi_ref_eval(m, args[4], mask, &z)) {
        return false;
    }
    if (m->options.fp != TIRB_FP_STRICT) return apply_fma(m, &x, &y, &z, false, false, out);
    return apply2(m, TIRB_OP_MUL, e->dtype, &x, &y, mask, &product) &&
           apply2(m, TIRB_OP_ADD, e->dtype, &product, &z, mask, out);
}

/* A function of LLVM that is a builtin; its result may be of another integer type than the builtin's. */
static bool eval_llvm(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    if (e->as.call.n_args && e->as.call.args[0]->kind == TIRB_EXPR_INT_IMM) return eval_llvm_number(m, e, mask, out);
    const tirb_expr *expression = tirbi_llvm_expression(m->arena, e);
    if (expression != NULL) return tirbi_ref_eval(m, expression, mask, out);
    tirbi_llvm_call call;
    if (!tirbi_llvm_call_of(e, &call)) return unsupported(m, "this function of LLVM");
    tirb_expr same = *e;
    same.as.call.builtin = call.builtin;
    same.as.call.args = call.args;
    same.as.call.n_args = call.n_args;
    return eval_elementwise(m, &same, mask, out);
}

/* The exponent of ldexp may be an integer. */
static bool convert_lanes(tirbi_ref_machine *m, tirb_datatype type, tirbi_ref_value *v) {
    tirbi_dtype from, to;
    tirbi_ref_value converted;
    if (!tirbi_ref_element_type(m, v->type, &from) || !tirbi_ref_element_type(m, type, &to)) return false;
    uint64_t *lanes = result_lanes(m, tirbi_type_with_lanes(type, tirbi_lanes_of(v->type)), &converted);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < v->type.lanes; i++) lanes[i] = tirbi_ref_cast(to, from, tirbi_ref_lane(v, i));
    *v = converted;
    return true;
}

static bool eval_elementwise(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    tirbi_op op = (tirbi_op)tirb_builtins[e->as.call.builtin].op;
    uint32_t n = e->as.call.n_args;
    tirbi_ref_value v[3] = {{.one = 0}};
    for (uint32_t i = 0; i < n && i < 3; i++) {
        if (!tirbi_ref_eval(m, e->as.call.args[i], mask, &v[i]) || !tirbi_ref_widen(m, &v[i])) return false;
    }
    if (op == TIRB_OP_LDEXP && v[1].type.code != v[0].type.code && !convert_lanes(m, v[0].type, &v[1])) return false;
    tirb_datatype type = tirbi_ref_wide(e->dtype);
    bool done = n == 3   ? apply_fma(m, &v[0], &v[1], &v[2], false, false, out)
                : n == 2 ? apply2(m, op, type, &v[0], &v[1], mask, out)
                         : apply1(m, op, type, &v[0], out);
    return done && tirbi_ref_narrow(m, e->dtype, out);
}

static bool eval_builtin(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    const tirb_expr *const *args = e->as.call.args;
    bool condition;
    tirbi_ref_value v;
    tirbi_ref_value w;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_IF_THEN_ELSE:
        if (args[0]->dtype.lanes != 1) return unsupported(m, "if_then_else with a vector condition");
        return tirbi_ref_eval_bool(m, args[0], &condition) && tirbi_ref_eval(m, args[condition ? 1 : 2], mask, out);
    case TIRB_BUILTIN_LIKELY:
    case TIRB_BUILTIN_IGNORE_LOOP_PARTITION:
    case TIRB_BUILTIN_TVM_THREAD_INVARIANT: return tirbi_ref_eval(m, args[0], mask, out);
    case TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET:
    case TIRB_BUILTIN_PTR_BYTE_OFFSET: return eval_byte_offset(m, e, out);
    case TIRB_BUILTIN_VSCALE:
        *out = (tirbi_ref_value){.type = e->dtype, .one = 1};
        return true;
    case TIRB_BUILTIN_GET_ACTIVE_LANE_MASK: return eval_lane_mask(m, e, out);
    case TIRB_BUILTIN_Q_MULTIPLY_SHIFT_PER_AXIS: return eval_multiply_shift_per_axis(m, e, out);
    case TIRB_BUILTIN_CALL_LLVM_INTRIN:
    case TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN: return eval_llvm(m, e, mask, out);
    case TIRB_BUILTIN_PREFETCH:
    case TIRB_BUILTIN_START_PROFILE_INTRINSIC:
    case TIRB_BUILTIN_END_PROFILE_INTRINSIC:
    case TIRB_BUILTIN_ASSUME:
    case TIRB_BUILTIN_UNDEF: return result_lanes(m, e->dtype, out) != NULL;
    case TIRB_BUILTIN_REINTERPRET: return eval_reinterpret(m, e, out);
    case TIRB_BUILTIN_LARGE_UINT_IMM:
        if (!tirbi_ref_eval(m, args[0], NULL, &v) || !tirbi_ref_eval(m, args[1], NULL, &w)) return false;
        *out = (tirbi_ref_value){.type = e->dtype, .one = w.one << 32 | (v.one & UINT32_MAX)};
        return true;
    case TIRB_BUILTIN_Q_MULTIPLY_SHIFT: return eval_multiply_shift(m, e, out);
    case TIRB_BUILTIN_ADDRESS_OF: return eval_address_of(m, e, out);
    case TIRB_BUILTIN_TVM_ACCESS_PTR: return eval_access_ptr(m, e, out);
    case TIRB_BUILTIN_BUFFER_DATA: return tirbi_ref_eval(m, args[0], NULL, out);
    case TIRB_BUILTIN_ISNULLPTR:
        if (!tirbi_ref_eval(m, args[0], NULL, &v)) return false;
        *out = (tirbi_ref_value){.type = e->dtype, .one = v.memory == NULL && v.one == 0};
        return true;
    case TIRB_BUILTIN_VECTORLOW:
    case TIRB_BUILTIN_VECTORHIGH:
    case TIRB_BUILTIN_VECTORCOMBINE: return eval_halves(m, e, out);
    default: break;
    }
    bool known;
    bool done = tirbi_ref_eval_packed(m, e, out, &known);
    if (!known) done = tirbi_ref_eval_import(m, e, out, &known);
    if (known) return done;
    if (tirb_builtins[e->as.call.builtin].op == TIRB_COMPOSED) return eval_composed(m, e, mask, out);
    if (tirb_builtins[e->as.call.builtin].op != 0) return eval_elementwise(m, e, mask, out);
    return unsupported(m, tirb_builtins[e->as.call.builtin].name);
}

static bool eval_call(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    if (e->as.call.function != NULL) {
        return tirbi_ref_call(m, e, out);
    }
    if (e->as.call.function_name != NULL) {
        return tirbi_ref_fail(m, TIRB_VALUE, "%s is no PrimFunc", e->as.call.function_name);
    }
    return eval_builtin(m, e, mask, out);
}

/* ---- The expression switch ------------------------------------------------------------------------------------ */

static bool eval_float_imm(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, e->dtype, &type)) return false;
    *out = (tirbi_ref_value){.type = e->dtype};
    out->one = tirbi_ref_is_narrow(e->dtype) ? tirbi_ref_narrow_constant(e->dtype, e->as.float_value)
                                             : tirbi_ref_from_double(type, e->as.float_value);
    return true;
}

static bool eval_int_imm(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    tirbi_dtype type;
    if (!tirbi_ref_element_type(m, e->dtype, &type)) return false;
    *out = (tirbi_ref_value){.type = e->dtype, .one = tirbi_ref_extend(type, (uint64_t)e->as.int_value)};
    return true;
}

static bool eval_var(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    const tirbi_ref_value *value = &m->frame->vars[e->as.var.id];
    if (value->type.lanes == 0) {
        return tirbi_ref_fail(m, TIRB_TYPE, "variable %s is used where it is not in scope", e->as.var.name);
    }
    *out = *value;
    return true;
}

static bool eval_not(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    tirbi_ref_value v;
    return tirbi_ref_eval(m, e->as.cast.value, mask, &v) && apply1(m, TIRB_OP_NOT, e->dtype, &v, out);
}

static bool eval_let(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    tirbi_ref_value v;
    if (!tirbi_ref_eval(m, e->as.let.value, e->as.let.value->dtype.lanes == e->dtype.lanes ? mask : NULL, &v)) {
        return false;
    }
    tirbi_ref_bind(m, e->as.let.var, v);
    return tirbi_ref_eval(m, e->as.let.body, mask, out);
}

/* One combination: the results of all values before the first is kept. */
static bool combine(tirbi_ref_machine *m, const tirb_reduce *r, tirbi_ref_value *held) {
    bool wanted = true;
    if (r->condition != NULL && !tirbi_ref_eval_bool(m, r->condition, &wanted)) return false;
    if (!wanted) return true;
    tirbi_ref_value *next = tirbi_ref_scratch(m, r->n_values, sizeof *next);
    if (next == NULL) return false;
    for (uint32_t i = 0; i < r->n_values; i++) {
        if (!tirbi_ref_eval(m, r->source[i], NULL, &next[i])) return false;
    }
    for (uint32_t i = 0; i < r->n_values; i++) {
        tirbi_ref_bind(m, r->lhs[i], held[i]);
        tirbi_ref_bind(m, r->rhs[i], next[i]);
    }
    for (uint32_t i = 0; i < r->n_values; i++) {
        if (!tirbi_ref_eval(m, r->result[i], NULL, &next[i])) return false;
    }
    for (uint32_t i = 0; i < r->n_values; i++) held[i] = next[i];
    return true;
}

static bool reduce_axis(tirbi_ref_machine *m, const tirb_reduce *r, uint32_t axis, tirbi_ref_value *held) {
    int64_t min;
    int64_t extent;
    if (axis == r->n_axis) return combine(m, r, held);
    if (!tirbi_ref_eval_int(m, r->axis[axis].dom.min, &min) ||
        !tirbi_ref_eval_int(m, r->axis[axis].dom.extent, &extent)) {
        return false;
    }
    for (int64_t i = 0; i < extent; i++) {
        if (!tirbi_ref_step(m)) return false;
        tirbi_ref_bind_int(m, r->axis[axis].var, min + i);
        if (!reduce_axis(m, r, axis + 1, held)) return false;
    }
    return true;
}

static bool eval_reduce(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out) {
    const tirb_reduce *r = e->as.reduce;
    tirbi_ref_value *held = tirbi_ref_scratch(m, r->n_values, sizeof *held);
    if (held == NULL) return false;
    for (uint32_t i = 0; i < r->n_values; i++) {
        if (!tirbi_ref_eval(m, r->init != NULL ? r->init[i] : r->identity[i], NULL, &held[i])) return false;
    }
    if (!reduce_axis(m, r, 0, held)) return false;
    *out = held[r->value_index];
    return true;
}

bool tirbi_ref_eval(tirbi_ref_machine *m, const tirb_expr *e, const uint8_t *mask, tirbi_ref_value *out) {
    switch (e->kind) {
    case TIRB_EXPR_VAR: return eval_var(m, e, out);
    case TIRB_EXPR_INT_IMM: return eval_int_imm(m, e, out);
    case TIRB_EXPR_FLOAT_IMM: return eval_float_imm(m, e, out);
    case TIRB_EXPR_STRING_IMM:
        *out = (tirbi_ref_value){.type = e->dtype, .text = e->as.string.text};
        return true;
    case TIRB_EXPR_CAST: return eval_cast(m, e, mask, out);
    case TIRB_EXPR_NOT: return eval_not(m, e, mask, out);
    case TIRB_EXPR_SELECT: return eval_select(m, e, mask, out);
    case TIRB_EXPR_LOAD: return eval_load(m, e, mask, out);
    case TIRB_EXPR_RAMP: return eval_ramp(m, e, out);
    case TIRB_EXPR_BROADCAST: return eval_broadcast(m, e, out);
    case TIRB_EXPR_LET: return eval_let(m, e, mask, out);
    case TIRB_EXPR_CALL: return eval_call(m, e, mask, out);
    case TIRB_EXPR_SHUFFLE: return eval_shuffle(m, e, out);
    case TIRB_EXPR_REDUCE: return eval_reduce(m, e, out);
    default: return eval_binary(m, e, mask, out);
    }
}
