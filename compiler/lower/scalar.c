/* Lowering of AST expressions: vectors lane by lane, fused multiply-adds decided here (rule R2). */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/ir/anylist.h"
#include "compiler/ir/llvm.h"
#include "compiler/lower/composed.h"
#include "compiler/lower/narrow.h"

enum { MAX_OPERANDS = 8 };

bool tirbi_machine_type(tirbi_lowerer *l, tirb_datatype type, tirbi_span span, tirbi_dtype *out) {
    if (tirbi_storage_type(type, out)) return true;
    char text[32];
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, span, "values of type %s cannot be compiled",
                       tirb_datatype_text(type, text));
    return false;
}

static bool has_call(const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_CALL) return true;
    for (uint32_t i = 0; i < x->n_args && !x->shared; i++) {
        if (has_call(x->args[i])) return true;
    }
    return false;
}

void tirbi_lower_bind(tirbi_lowerer *l, const tirb_expr *var, const tirbi_lx *value) {
    if (var->as.var.id < l->n_vars) l->bindings[var->as.var.id] = (tirbi_binding){.value = value};
}

/* Conversions of storage types use their operand many times: a large one is kept in a variable where one can be set. */
static const tirbi_lx *settled(tirbi_lowerer *l, const tirbi_lx *x, tirbi_span span) {
    if (!x || x->size <= TIRBI_MAX_SHARED_SIZE || l->again > 0 || has_call(x)) return x;
    return tirbi_hold(l, "value", x, span);
}

static const tirbi_lx *from_byte(tirbi_lowerer *l, tirb_datatype type, const tirbi_lx *byte, tirbi_span span) {
    return byte ? tirbi_narrow_decode(l->pool, type, settled(l, byte, span)) : NULL;
}

static const tirbi_lx *to_byte(tirbi_lowerer *l, tirb_datatype type, const tirbi_lx *value, tirbi_span span) {
    return value ? tirbi_narrow_encode(l->pool, type, settled(l, value, span)) : NULL;
}

const tirbi_lx *tirbi_lower_index(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirbi_lx *x = tirbi_lower_expr(l, e, lane);
    if (x && tirbi_is_narrow(e->dtype)) x = from_byte(l, e->dtype, x, e->span);
    return x ? tirbi_lx_subscript(l->pool, tirbi_lx_cast(l->pool, TIRB_I64, x)) : NULL;
}

const tirbi_lx *tirbi_lower_extent(tirbi_lowerer *l, const tirb_expr *e) {
    if (e->dtype.code != TIRB_CODE_UINT || e->dtype.bits != 64) return tirbi_lower_index(l, e, NULL);
    const tirbi_lx *most = tirbi_lx_int(l->pool, TIRB_U64, INT64_MAX), *x = tirbi_lower_expr(l, e, NULL);
    const tirbi_lx *count = x ? tirbi_lx_op(l->pool, TIRB_OP_MIN, TIRB_U64, TIRB_TYPE_NONE, x, most, NULL) : NULL;
    return tirbi_lx_cast(l->pool, TIRB_I64, count);
}

static const tirbi_lx *op2(tirbi_lowerer *l, tirbi_op op, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_op(l->pool, op, type, TIRB_TYPE_NONE, a, b, NULL) : NULL;
}

/* The lane that an operand is evaluated at: operands of one lane are the same for all. */
static const tirbi_lx *lane_for(const tirb_expr *operand, const tirbi_lx *lane) {
    return operand->dtype.lanes > 1 ? lane : NULL;
}

static const tirbi_lx *operand(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    return tirbi_lower_expr(l, e, lane_for(e, lane));
}

/* Several, in order. */
static bool operands(tirbi_lowerer *l, const tirb_expr *const *exprs, uint32_t n, const tirbi_lx *lane,
                     const tirbi_lx **out) {
    tirbi_mark marks[MAX_OPERANDS];
    if (n > MAX_OPERANDS) return false;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = operand(l, exprs[i], lane);
        if (!out[i]) return false;
        for (uint32_t k = 0; k < i; k++) out[k] = tirbi_keep_order(l, marks[k], out[k], exprs[k]->span);
        marks[i] = tirbi_mark_here(l);
    }
    return true;
}

/* One that is evaluated only if another one says so, with what has to be set in front of it. */
static const tirbi_lx *operand_apart(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane, tirbi_ls_list *held) {
    tirbi_ls_list *outer = l->out;
    l->out = held;
    const tirbi_lx *x = operand(l, e, lane);
    l->out = outer;
    return x;
}

typedef struct arm {
    const tirbi_lx *value;
    const tirbi_ls_list *held;
} arm;

static const tirbi_ls *set_to_arm(tirbi_lowerer *l, tirbi_lvar *var, const arm *a, tirbi_span span) {
    tirbi_ls_list list = *a->held, *outer = l->out;
    l->out = &list;
    tirbi_ls *set = tirbi_append(l, TIRBI_LS_SET, span);
    set->as.set.var = var;
    set->as.set.value = a->value;
    l->out = outer;
    return tirbi_finish_list(l, &list, span);
}

/* The value of the arm that is chosen, in a variable: each arm has statements of its own. */
static const tirbi_lx *choose_by_statement(tirbi_lowerer *l, const tirbi_lx *condition, const arm *yes, const arm *no,
                                           tirbi_span span) {
    if (!yes->value || !no->value) return NULL;
    tirbi_lvar *var = tirbi_new_var(l, "chosen", TIRBI_LVAR_LOCAL, (tirbi_dtype)yes->value->type);
    if (!var) return NULL;
    tirbi_ls *set = tirbi_append(l, TIRBI_LS_SET, span);
    set->as.set.var = var;
    set->as.set.declares = true;
    set->as.set.value = tirbi_lx_bits(l->pool, var->type, 0);
    const tirbi_ls *then_case = set_to_arm(l, var, yes, span), *else_case = set_to_arm(l, var, no, span);
    tirbi_ls *branch = tirbi_append(l, TIRBI_LS_IF, span);
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = then_case;
    branch->as.if_.else_case = else_case;
    return tirbi_lx_var(l->pool, var);
}

/* An operand to compute with: of a storage type, the value of its byte. */
static const tirbi_lx *number(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirbi_lx *x = operand(l, e, lane);
    return x && tirbi_is_narrow(e->dtype) ? from_byte(l, e->dtype, x, e->span) : x;
}

static const tirbi_lx *lower_var(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirbi_binding *b = e->as.var.id < l->n_vars ? &l->bindings[e->as.var.id] : NULL;
    if (b && b->value) return b->value;
    if (b && b->lanes && lane) {
        const tirbi_place *place = tirbi_place_at(l, b->lanes, &lane, e->span);
        return place ? tirbi_read_place(l, place) : NULL;
    }
    if (b && b->vector && lane) return tirbi_lower_expr(l, b->vector, lane);
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span, "'%s' has no value here that can be compiled",
                       e->as.var.name);
    return NULL;
}

static uint64_t float_bits(tirbi_dtype type, double value) {
    union {
        float f;
        uint32_t u;
    } narrow = {.f = (float)value};
    union {
        double f;
        uint64_t u;
    } wide = {.f = value};
    if (type == TIRB_F64) return value != value ? UINT64_C(0x7FF8000000000000) : wide.u;
    return value != value ? UINT64_C(0x7FC00000) : narrow.u;
}

static const tirbi_lx *lower_float(tirbi_lowerer *l, const tirb_expr *e) {
    tirbi_dtype type;
    if (!tirbi_machine_type(l, e->dtype, e->span, &type)) return NULL;
    if (tirbi_is_narrow(e->dtype)) {
        const tirbi_lx *value = tirbi_lx_bits(l->pool, TIRB_F32, float_bits(TIRB_F32, e->as.float_value));
        return to_byte(l, e->dtype, value, e->span);
    }
    if (type == TIRB_F32 || type == TIRB_F64) return tirbi_lx_bits(l->pool, type, float_bits(type, e->as.float_value));
    const tirbi_lx *wide = tirbi_lx_bits(l->pool, TIRB_F64, float_bits(TIRB_F64, e->as.float_value));
    return tirbi_lx_cast(l->pool, type, wide);
}

/* ---- Arithmetic ----------------------------------------------------------------------------------------------- */

static const tirbi_op binary_ops[] = {
    [TIRB_EXPR_ADD] = TIRB_OP_ADD,           [TIRB_EXPR_SUB] = TIRB_OP_SUB,
    [TIRB_EXPR_MUL] = TIRB_OP_MUL,           [TIRB_EXPR_DIV] = TIRB_OP_DIV,
    [TIRB_EXPR_MOD] = TIRB_OP_MOD,           [TIRB_EXPR_FLOORDIV] = TIRB_OP_FLOORDIV,
    [TIRB_EXPR_FLOORMOD] = TIRB_OP_FLOORMOD, [TIRB_EXPR_MIN] = TIRB_OP_MIN,
    [TIRB_EXPR_MAX] = TIRB_OP_MAX,           [TIRB_EXPR_EQ] = TIRB_OP_EQ,
    [TIRB_EXPR_NE] = TIRB_OP_NE,             [TIRB_EXPR_LT] = TIRB_OP_LT,
    [TIRB_EXPR_LE] = TIRB_OP_LE,             [TIRB_EXPR_GT] = TIRB_OP_GT,
    [TIRB_EXPR_GE] = TIRB_OP_GE,
};

/* R2: x + y and x - y where an operand node is a product are one fused operation, the left product if both are. */
static const tirbi_lx *lower_fused(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane, tirbi_dtype type) {
    const tirb_expr *a = e->as.binary.a, *b = e->as.binary.b;
    bool left = a->kind == TIRB_EXPR_MUL;
    const tirb_expr *product = left ? a : b;
    const tirb_expr *const order[3] = {left ? product->as.binary.a : a,
                                       left ? product->as.binary.b : product->as.binary.a,
                                       left ? b : product->as.binary.b};
    const tirbi_lx *v[3];
    if (!operands(l, order, 3, lane, v)) return NULL;
    const tirbi_lx *x = v[left ? 0 : 1], *y = v[left ? 1 : 2], *other = v[left ? 2 : 0];
    tirbi_op op = e->kind == TIRB_EXPR_ADD ? TIRB_OP_FMA : left ? TIRB_OP_FMS : TIRB_OP_FNMA;
    return tirbi_lx_fused(l->pool, op, type, x, y, other, !left);
}

/* floor(x / y), or x less y times that: one node, so floats of 16 bits compute in float32 and round once. */
static const tirbi_lx *lower_float_floor(tirbi_lowerer *l, bool remainder, tirbi_dtype type, const tirbi_lx *x,
                                         const tirbi_lx *y, tirbi_span span) {
    tirbi_dtype wide = type == TIRB_F64 ? TIRB_F64 : TIRB_F32;
    x = tirbi_settle(l, tirbi_lx_cast(l->pool, wide, x), "a call with effects in a floor division of floats", span);
    y = tirbi_settle(l, tirbi_lx_cast(l->pool, wide, y), "a call with effects in a floor division of floats", span);
    const tirbi_lx *ratio = op2(l, TIRB_OP_DIV, wide, x, y);
    const tirbi_lx *floored =
        ratio ? tirbi_lx_op(l->pool, TIRB_OP_FLOOR, wide, TIRB_TYPE_NONE, ratio, NULL, NULL) : NULL;
    if (remainder) floored = op2(l, TIRB_OP_SUB, wide, x, op2(l, TIRB_OP_MUL, wide, floored, y));
    return floored ? tirbi_lx_cast(l->pool, type, floored) : NULL;
}

static const tirbi_lx *lower_binary(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirb_expr *a = e->as.binary.a, *b = e->as.binary.b;
    tirbi_dtype type;
    if (!tirbi_machine_type(l, a->dtype, a->span, &type)) return NULL;
    bool sum = e->kind == TIRB_EXPR_ADD || e->kind == TIRB_EXPR_SUB;
    if (sum && tirbi_dtype_is_float(type) && l->fp != TIRB_FP_STRICT &&
        (a->kind == TIRB_EXPR_MUL || b->kind == TIRB_EXPR_MUL)) {
        return lower_fused(l, e, lane, type);
    }
    const tirbi_lx *x = number(l, a, lane);
    tirbi_mark mark = tirbi_mark_here(l);
    const tirbi_lx *y = number(l, b, lane);
    x = tirbi_keep_order(l, mark, x, a->span);
    if (!x || !y) return NULL;
    type = (tirbi_dtype)x->type;
    tirbi_op op = binary_ops[e->kind];
    if (op == TIRB_OP_MOD && tirbi_dtype_is_float(type)) op = TIRB_OP_FMOD;
    if (tirbi_dtype_is_float(type) && (op == TIRB_OP_FLOORMOD || op == TIRB_OP_FLOORDIV)) {
        const tirbi_lx *floored = lower_float_floor(l, op == TIRB_OP_FLOORMOD, type, x, y, e->span);
        return floored && tirbi_is_narrow(e->dtype) ? to_byte(l, e->dtype, floored, e->span) : floored;
    }
    if (type == TIRB_BOOL && !(tirbi_ops[op].types & (1u << TIRB_BOOL))) {
        /* Arithmetic of bools: as the AST allows it, on the bytes 0 and 1, with the result's low bit. */
        const tirbi_lx *r = op2(l, op, TIRB_U8, tirbi_lx_cast(l->pool, TIRB_U8, x), tirbi_lx_cast(l->pool, TIRB_U8, y));
        return r ? tirbi_lx_cast(l->pool, TIRB_BOOL, r) : NULL;
    }
    const tirbi_lx *result = op2(l, op, type, x, y);
    return result && tirbi_is_narrow(e->dtype) ? to_byte(l, e->dtype, result, e->span) : result;
}

static const tirbi_lx *lower_logical(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirbi_ls_list held = {0};
    bool conjunction = e->kind == TIRB_EXPR_AND;
    const tirbi_lx *a = operand(l, e->as.binary.a, lane), *b = operand_apart(l, e->as.binary.b, lane, &held);
    if (!a || !b) return NULL;
    a = tirbi_lx_cast(l->pool, TIRB_BOOL, a);
    b = tirbi_lx_cast(l->pool, TIRB_BOOL, b);
    if (held.n > 0) {
        tirbi_ls_list none = {0};
        arm second = {b, &held}, first = {tirbi_lx_int(l->pool, TIRB_BOOL, !conjunction), &none};
        return choose_by_statement(l, a, conjunction ? &second : &first, conjunction ? &first : &second, e->span);
    }
    return tirbi_lx_lazy(l->pool, e->kind == TIRB_EXPR_AND ? TIRBI_LX_AND : TIRBI_LX_OR, a, b, NULL);
}

/* Both Select, whose arms are lazy where they can trap, and if_then_else. */
static const tirbi_lx *lower_choice(tirbi_lowerer *l, const tirb_expr *condition, const tirb_expr *yes,
                                    const tirb_expr *no, const tirbi_lx *lane) {
    const tirbi_lx *c = operand(l, condition, lane);
    tirbi_ls_list a_held = {0}, b_held = {0};
    const tirbi_lx *a = operand_apart(l, yes, lane, &a_held), *b = operand_apart(l, no, lane, &b_held);
    if (!c || !a || !b) return NULL;
    c = tirbi_lx_cast(l->pool, TIRB_BOOL, c);
    if (a_held.n + b_held.n > 0) return choose_by_statement(l, c, &(arm){a, &a_held}, &(arm){b, &b_held}, yes->span);
    return tirbi_lx_lazy(l->pool, TIRBI_LX_COND, c, a, b);
}

/* ---- Vectors -------------------------------------------------------------------------------------------------- */

/* What all lanes of a vector share must be a value that can be computed for each of them. */
static bool same_in_lanes(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *value) {
    if (!tirbi_lx_acts(value)) return true;
    tirbi_unsupported(l, e->span, "a call with effects that every lane of a vector takes");
    return false;
}

static const tirbi_lx *lower_ramp(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirbi_lx *base = tirbi_lower_expr(l, e->as.ramp.base, NULL);
    const tirbi_lx *stride = tirbi_lower_expr(l, e->as.ramp.stride, NULL);
    if (!base || !stride || !lane || !same_in_lanes(l, e, base) || !same_in_lanes(l, e, stride)) return NULL;
    tirbi_dtype type = (tirbi_dtype)base->type;
    return op2(l, TIRB_OP_ADD, type, base, op2(l, TIRB_OP_MUL, type, tirbi_lx_cast(l->pool, type, lane), stride));
}

/* The lane that an index which is no constant names: one comparison for each, and a trap where it names none. */
static const tirbi_lx *lower_shuffled_at(tirbi_lowerer *l, const tirb_expr *e, const tirb_expr *index) {
    tirbi_dtype type;
    const tirbi_lx *at = tirbi_lower_index(l, index, NULL);
    at = tirbi_settle(l, at, "a call with effects in an index of a shuffle in a vector or a condition", index->span);
    if (!at || !tirbi_machine_type(l, tirbi_type_element(e->dtype), e->span, &type)) return NULL;
    const tirbi_lx *chosen = tirbi_lower_trap(l, TIRB_BOUNDS, "the index of a shuffle is outside of its vectors", type);
    int64_t number = 0;
    for (uint32_t i = 0; i < e->as.shuffle.n_vectors; i++) {
        const tirb_expr *vector = e->as.shuffle.vectors[i];
        for (uint32_t k = 0; k < vector->dtype.lanes && chosen; k++, number++) {
            const tirbi_lx *one = operand(l, vector, tirbi_lx_number(l->pool, k));
            if (!one || !same_in_lanes(l, e, one)) return NULL;
            const tirbi_lx *here = op2(l, TIRB_OP_EQ, TIRB_I64, at, tirbi_lx_number(l->pool, number));
            chosen = here ? tirbi_lx_lazy(l->pool, TIRBI_LX_COND, here, one, chosen) : NULL;
        }
    }
    return chosen;
}

static const tirbi_lx *lower_shuffle(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    if (!lane || lane->kind != TIRBI_LX_CONST || lane->value >= e->as.shuffle.n_indices) {
        if (e->dtype.lanes != 1) {
            tirbi_unsupported(l, e->span, "a shuffle whose lane is not a constant");
            return NULL;
        }
        lane = tirbi_lx_number(l->pool, 0);
        if (!lane) return NULL;
    }
    const tirb_expr *index = e->as.shuffle.indices[lane->value];
    if (index->kind != TIRB_EXPR_INT_IMM) return lower_shuffled_at(l, e, index);
    int64_t at = index->as.int_value;
    for (uint32_t i = 0; i < e->as.shuffle.n_vectors; i++) {
        const tirb_expr *vector = e->as.shuffle.vectors[i];
        if (at < vector->dtype.lanes) return operand(l, vector, tirbi_lx_number(l->pool, at));
        at -= vector->dtype.lanes;
    }
    tirbi_report_error(l->diagnostics, TIRB_VALUE, index->span, "shuffle index %lld is out of range",
                       (long long)index->as.int_value);
    return NULL;
}

static const tirbi_lx *lower_halves(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    if (!lane) lane = tirbi_lx_number(l->pool, 0);
    const tirb_expr *a = e->as.call.args[0];
    const tirbi_lx *half = tirbi_lx_number(l->pool, a->dtype.lanes);
    if (!lane || !half) return NULL;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_VECTORLOW: return operand(l, a, lane);
    case TIRB_BUILTIN_VECTORHIGH:
        return operand(l, a, tirbi_lx_add(l->pool, lane, tirbi_lx_number(l->pool, a->dtype.lanes / 2)));
    default: break;
    }
    const tirb_expr *b = e->as.call.args[1];
    return tirbi_lx_lazy(l->pool, TIRBI_LX_COND, op2(l, TIRB_OP_LT, TIRB_I64, lane, half), operand(l, a, lane),
                         operand(l, b, tirbi_lx_sub(l->pool, lane, half)));
}

/* ---- Calls of builtins ---------------------------------------------------------------------------------------- */

static bool has_arity(tirbi_lowerer *l, const tirb_expr *e, uint32_t arity) {
    if (e->as.call.n_args == arity) return true;
    tirbi_report_error(l->diagnostics, TIRB_TYPE, e->span, "%s takes %u arguments, got %u",
                       tirb_builtins[e->as.call.builtin].name, (unsigned)arity, (unsigned)e->as.call.n_args);
    return false;
}

/* Several, in order; `settles` those with effects, for who uses them more than once. */
static bool numbers(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane, bool settles, const tirbi_lx **args) {
    for (uint32_t i = 0; i < e->as.call.n_args; i++) {
        tirbi_mark mark = tirbi_mark_here(l);
        args[i] = number(l, e->as.call.args[i], lane);
        if (settles) args[i] = tirbi_settle(l, args[i], "a call with effects as an operand of this function", e->span);
        for (uint32_t k = 0; k < i; k++) args[k] = tirbi_keep_order(l, mark, args[k], e->span);
        if (!args[i]) return false;
    }
    return true;
}

/* In the type of the call. */
static const tirbi_lx *finish_elementwise(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *x) {
    tirbi_dtype wanted;
    if (x && tirbi_is_narrow(e->dtype)) return to_byte(l, e->dtype, x, e->span);
    if (x && tirb_datatype_machine(e->dtype, &wanted) && wanted != x->type) x = tirbi_lx_cast(l->pool, wanted, x);
    return x;
}

static bool is_defined(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *const *args, uint32_t types) {
    const tirbi_dtype type = (tirbi_dtype)args[0]->type;
    bool same = true;
    for (uint32_t i = 1; i < e->as.call.n_args; i++) same = same && args[i]->type == args[0]->type;
    if ((types & (1u << type)) && same) return true;
    tirbi_report_error(l->diagnostics, TIRB_TYPE, e->span, "%s is not defined for %s",
                       tirb_builtins[e->as.call.builtin].name, tirbi_dtypes[type].tvm_name);
    return false;
}

/* Those that are several instructions; halves take part as float32. */
static const tirbi_lx *lower_composed(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirbi_lx *args[TIRBI_COMPOSED_OPERANDS] = {0};
    const tirb_builtin builtin = e->as.call.builtin;
    if (!has_arity(l, e, (uint32_t)tirb_builtins[builtin].arity) || !numbers(l, e, lane, true, args)) return NULL;
    if (!is_defined(l, e, args, tirbi_ops[TIRB_OP_SQRT].types)) return NULL;
    const tirbi_dtype type = args[0]->type == TIRB_F64 ? TIRB_F64 : TIRB_F32;
    for (uint32_t i = 0; i < e->as.call.n_args; i++)
        args[i] = settled(l, tirbi_lx_cast(l->pool, type, args[i]), e->span);
    return finish_elementwise(l, e, tirbi_compose(l->pool, builtin, type, args));
}

static const tirbi_lx *lower_elementwise(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane, tirbi_op op) {
    const tirbi_lx *args[3] = {0};
    if (!has_arity(l, e, tirbi_ops[op].arity) || !numbers(l, e, lane, false, args)) return NULL;
    tirbi_dtype type = (tirbi_dtype)args[0]->type;
    if (op == TIRB_OP_LDEXP) args[1] = tirbi_lx_cast(l->pool, type, args[1]);
    bool integer = !tirbi_dtype_is_float(type);
    if (integer && (op == TIRB_OP_FLOOR || op == TIRB_OP_CEIL || op == TIRB_OP_TRUNC || op == TIRB_OP_ROUND)) {
        return args[0];
    }
    if (integer && op == TIRB_OP_ISNAN) return tirbi_lx_int(l->pool, TIRB_BOOL, 0);
    if (!is_defined(l, e, args, tirbi_ops[op].types)) return NULL;
    return finish_elementwise(l, e, tirbi_lx_op(l->pool, op, type, TIRB_TYPE_NONE, args[0], args[1], args[2]));
}

/* A part of an element's bits, or the bits of several that follow each other. */
static const tirbi_lx *lower_regrouped(tirbi_lowerer *l, const tirb_expr *e, tirbi_dtype to, tirbi_dtype from,
                                       const tirbi_lx *lane) {
    const tirb_expr *source = e->as.call.args[0];
    uint32_t wide = tirbi_dtypes[from].size, size = tirbi_dtypes[to].size;
    tirbi_lx_pool *pool = l->pool;
    if (!lane) lane = tirbi_lx_number(pool, 0);
    if (size < wide) {
        const tirbi_lx *per = tirbi_lx_number(pool, wide / size);
        const tirbi_lx *at = op2(l, TIRB_OP_FLOORDIV, TIRB_I64, lane, per);
        const tirbi_lx *whole = at ? operand(l, source, at) : NULL;
        if (!whole || !same_in_lanes(l, e, whole)) return NULL;
        return tirbi_part_of(l, to, whole, op2(l, TIRB_OP_FLOORMOD, TIRB_I64, lane, per));
    }
    const tirbi_lx *all = NULL, *first = tirbi_lx_mul(pool, lane, tirbi_lx_number(pool, size / wide));
    tirbi_dtype bits = size == 2 ? TIRB_U16 : size == 4 ? TIRB_U32 : TIRB_U64;
    for (uint32_t i = 0; i < size / wide && first; i++) {
        const tirbi_lx *at = tirbi_lx_add(pool, first, tirbi_lx_number(pool, i));
        all = at ? tirbi_with_part(l, bits, all, operand(l, source, at), i) : NULL;
        if (!all) return NULL;
    }
    return tirbi_as_bits(l, to, all);
}

static const tirbi_lx *lower_reinterpret(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirbi_dtype to, from;
    const tirb_expr *source = e->as.call.args[0];
    if (!tirbi_machine_type(l, e->dtype, e->span, &to)) return NULL;
    bool narrow = tirbi_is_narrow(e->dtype) || tirbi_is_narrow(source->dtype);
    bool sized = tirbi_storage_type(tirbi_type_element(source->dtype), &from);
    if (sized && !narrow && tirbi_dtypes[to].size != tirbi_dtypes[from].size)
        return lower_regrouped(l, e, to, from, lane);
    const tirbi_lx *x = operand(l, source, lane);
    if (!x || x->type == to) return x;
    if (tirbi_dtypes[to].size == tirbi_dtypes[x->type].size) return tirbi_as_bits(l, to, x);
    tirbi_unsupported(l, e->span, "a reinterpretation of elements of fewer than 8 bits in another number of lanes");
    return NULL;
}

static const tirbi_lx *lower_large_uint(tirbi_lowerer *l, const tirb_expr *e) {
    const tirb_expr *lo = e->as.call.args[0], *hi = e->as.call.args[1];
    tirbi_dtype type;
    if (!tirbi_machine_type(l, e->dtype, e->span, &type)) return NULL;
    if (lo->kind != TIRB_EXPR_INT_IMM || hi->kind != TIRB_EXPR_INT_IMM) {
        tirbi_unsupported(l, e->span, "large_uint_imm of values that are not constants");
        return NULL;
    }
    uint64_t bits = (uint64_t)hi->as.int_value << 32 | ((uint64_t)lo->as.int_value & 0xffffffffu);
    return tirbi_lx_bits(l->pool, type, bits);
}

/* The operands of q_multiply_shift, each of which is used several times; the sixth and seventh are bools. */
static bool shift_operands(tirbi_lowerer *l, const tirb_expr *e, uint32_t n, const tirbi_lx *lane, const tirbi_lx **v) {
    for (uint32_t i = 0; i < n; i++) {
        tirbi_mark mark = tirbi_mark_here(l);
        v[i] = operand(l, e->as.call.args[i], lane);
        if (!v[i]) return false;
        if (has_call(v[i])) {
            if (l->again > 0 || l->in_lanes > 0) {
                tirbi_unsupported(l, e->as.call.args[i]->span,
                                  "a call of a function as an operand of q_multiply_shift in a vector or a condition");
                return false;
            }
            l->n_settled++;
            v[i] = tirbi_hold(l, "value", v[i], e->span);
        }
        for (uint32_t k = 0; k < i; k++) v[k] = tirbi_keep_order(l, mark, v[k], e->span);
        v[i] = v[i] ? tirbi_lx_cast(l->pool, i < 5 ? TIRB_I64 : TIRB_BOOL, v[i]) : NULL;
        if (!v[i]) return false;
    }
    return true;
}

/* x * y * 2^s with q fraction bits in y, rounded half up, in 64 bits; a multiplier of one half is a shift alone. */
static const tirbi_lx *lower_multiply_shift(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirbi_lx_pool *pool = l->pool;
    const tirbi_lx *v[4];
    if (!shift_operands(l, e, 4, lane, v)) return NULL;
    const tirbi_lx *x = v[0], *y = v[1], *q = v[2], *s = v[3];
    const tirbi_lx *zero = tirbi_lx_number(pool, 0), *one = tirbi_lx_number(pool, 1);
    const tirbi_lx *up = tirbi_lx_sub(pool, s, one), *down = tirbi_lx_sub(pool, one, s);
    const tirbi_lx *half = op2(l, TIRB_OP_SHL, TIRB_I64, one, tirbi_lx_sub(pool, down, one));
    const tirbi_lx *rounded = op2(l, TIRB_OP_SHR, TIRB_I64, tirbi_lx_add(pool, x, half), down);
    const tirbi_lx *is_zero = op2(l, TIRB_OP_EQ, TIRB_I64, down, zero), *is_up = op2(l, TIRB_OP_GT, TIRB_I64, up, zero);
    const tirbi_lx *shifted = tirbi_lx_lazy(pool, TIRBI_LX_COND, is_up, op2(l, TIRB_OP_SHL, TIRB_I64, x, up),
                                            tirbi_lx_lazy(pool, TIRBI_LX_COND, is_zero, x, rounded));
    const tirbi_lx *left = op2(l, TIRB_OP_MAX, TIRB_I64, s, zero);
    const tirbi_lx *right = op2(l, TIRB_OP_MAX, TIRB_I64, tirbi_lx_sub(pool, zero, s), zero);
    const tirbi_lx *by = tirbi_lx_add(pool, right, q);
    const tirbi_lx *product = tirbi_lx_mul(pool, op2(l, TIRB_OP_SHL, TIRB_I64, x, left), y);
    const tirbi_lx *bias = op2(l, TIRB_OP_SHL, TIRB_I64, one, tirbi_lx_sub(pool, by, one));
    const tirbi_lx *scaled = op2(l, TIRB_OP_SHR, TIRB_I64, tirbi_lx_add(pool, product, bias), by);
    const tirbi_lx *is_half = op2(l, TIRB_OP_EQ, TIRB_I64, y, tirbi_lx_number(pool, 1 << 30));
    return tirbi_lx_cast(pool, TIRB_I32, tirbi_lx_lazy(pool, TIRBI_LX_COND, is_half, shifted, scaled));
}

/* x * y with each lane's own shifts: ((x << left) * y + half) >> (right + q), all in 64 bits. Whether each side shifts
 * at all is told by the last two operands. */
static const tirbi_lx *lower_multiply_shift_per_axis(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirbi_lx_pool *pool = l->pool;
    const tirbi_lx *v[7];
    if (!shift_operands(l, e, 7, lane, v)) return NULL;
    const tirbi_lx *x = v[0], *y = v[1], *left = v[2], *right = v[3], *q = v[4];
    const tirbi_lx *one = tirbi_lx_number(pool, 1);
    const tirbi_lx *shifted = tirbi_lx_lazy(pool, TIRBI_LX_COND, v[5], op2(l, TIRB_OP_SHL, TIRB_I64, x, left), x);
    const tirbi_lx *by = tirbi_lx_lazy(pool, TIRBI_LX_COND, v[6], tirbi_lx_add(pool, q, right), q);
    if (!one || !shifted || !by) return NULL;
    const tirbi_lx *bias = op2(l, TIRB_OP_SHL, TIRB_I64, one, tirbi_lx_sub(pool, by, one));
    const tirbi_lx *sum = bias ? tirbi_lx_add(pool, tirbi_lx_mul(pool, shifted, y), bias) : NULL;
    const tirbi_lx *scaled = sum ? op2(l, TIRB_OP_SHR, TIRB_I64, sum, by) : NULL;
    return scaled ? tirbi_lx_cast(pool, TIRB_I32, scaled) : NULL;
}

/* Lane i is on where base + i < limit. */
static const tirbi_lx *lower_lane_mask(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirbi_lx *base = tirbi_lower_index(l, e->as.call.args[0], NULL);
    const tirbi_lx *limit = tirbi_lower_index(l, e->as.call.args[1], NULL);
    if (!base || !limit || !same_in_lanes(l, e, base) || !same_in_lanes(l, e, limit)) return NULL;
    return op2(l, TIRB_OP_LT, TIRB_I64, lane ? tirbi_lx_add(l->pool, base, lane) : base, limit);
}

/* An intrinsic by number. The numbers are those of one version of LLVM; 97 with three floats is what TVM of 2020 made
 * of a product and a sum, and rounds as they do (R2). */
static const tirbi_lx *lower_llvm_number(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    enum { FMULADD = 97 };
    const tirb_expr *const *args = e->as.call.args;
    bool floats =
        e->as.call.n_args == 5 && (args[2]->dtype.code == TIRB_CODE_FLOAT || args[2]->dtype.code == TIRB_CODE_BFLOAT);
    if (args[0]->as.int_value != FMULADD || !floats) {
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span,
                           "numeric LLVM intrinsic id %lld is LLVM-version specific; use a name",
                           (long long)args[0]->as.int_value);
        return NULL;
    }
    const tirbi_lx *x = operand(l, args[2], lane), *y = operand(l, args[3], lane), *z = operand(l, args[4], lane);
    if (!x || !y || !z) return NULL;
    tirbi_dtype type = (tirbi_dtype)x->type;
    if (l->fp != TIRB_FP_STRICT) return tirbi_lx_op(l->pool, TIRB_OP_FMA, type, TIRB_TYPE_NONE, x, y, z);
    return op2(l, TIRB_OP_ADD, type, op2(l, TIRB_OP_MUL, type, x, y), z);
}

static const tirbi_lx *lower_llvm(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    if (e->as.call.n_args && e->as.call.args[0]->kind == TIRB_EXPR_INT_IMM) return lower_llvm_number(l, e, lane);
    const tirb_expr *expression = tirbi_llvm_expression(l->arena, e);
    if (expression) {
        for (uint32_t i = 1; i < e->as.call.n_args; i++) {
            const tirbi_lx *x = operand(l, e->as.call.args[i], lane);
            if (x && !tirbi_lx_acts(x)) continue;
            if (x) tirbi_unsupported(l, e->span, "a call with effects as an operand of this function of LLVM");
            return NULL;
        }
        return tirbi_lower_expr(l, expression, lane);
    }
    tirbi_llvm_call call;
    if (!tirbi_llvm_call_of(e, &call)) {
        bool named = e->as.call.n_args && e->as.call.args[0]->kind == TIRB_EXPR_STRING_IMM;
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span, "the LLVM function '%s' cannot be compiled",
                           named ? e->as.call.args[0]->as.string.text : "without a name");
        return NULL;
    }
    tirb_expr *same = tirbi_copy_expr(l->arena, e);
    if (!same) return NULL;
    same->as.call.builtin = call.builtin;
    same->as.call.args = call.args;
    same->as.call.n_args = call.n_args;
    return lower_elementwise(l, same, lane, (tirbi_op)tirb_builtins[call.builtin].op);
}

static const tirbi_lx *lower_builtin(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirb_builtin builtin = e->as.call.builtin;
    const tirb_expr *const *args = e->as.call.args;
    const tirb_builtin_info *info = &tirb_builtins[builtin];
    if (info->arity >= 0 && e->as.call.n_args != (uint32_t)info->arity && info->op == 0) {
        tirbi_report_error(l->diagnostics, TIRB_TYPE, e->span, "%s takes %d arguments, got %u", info->name, info->arity,
                           (unsigned)e->as.call.n_args);
        return NULL;
    }
    if (info->op == TIRB_COMPOSED) return lower_composed(l, e, lane);
    if (info->op) return lower_elementwise(l, e, lane, (tirbi_op)info->op);
    switch (builtin) {
    case TIRB_BUILTIN_IF_THEN_ELSE: return lower_choice(l, args[0], args[1], args[2], lane);
    case TIRB_BUILTIN_LIKELY:
    case TIRB_BUILTIN_IGNORE_LOOP_PARTITION:
    case TIRB_BUILTIN_TVM_THREAD_INVARIANT: return operand(l, args[0], lane);
    case TIRB_BUILTIN_VSCALE: return tirbi_lx_int(l->pool, TIRB_I32, 1);
    case TIRB_BUILTIN_GET_ACTIVE_LANE_MASK: return lower_lane_mask(l, e, lane);
    case TIRB_BUILTIN_FOREIGN: /* of which functions that are lowered have this one only */
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span,
                           "this tvm_thread_allreduce is no statement inside of threads");
        return NULL;
    case TIRB_BUILTIN_CALL_LLVM_INTRIN:
    case TIRB_BUILTIN_CALL_LLVM_PURE_INTRIN: return lower_llvm(l, e, lane);
    case TIRB_BUILTIN_REINTERPRET: return lower_reinterpret(l, e, lane);
    case TIRB_BUILTIN_LARGE_UINT_IMM: return lower_large_uint(l, e);
    case TIRB_BUILTIN_Q_MULTIPLY_SHIFT: return lower_multiply_shift(l, e, lane);
    case TIRB_BUILTIN_Q_MULTIPLY_SHIFT_PER_AXIS: return lower_multiply_shift_per_axis(l, e, lane);
    case TIRB_BUILTIN_VECTORLOW:
    case TIRB_BUILTIN_VECTORHIGH:
    case TIRB_BUILTIN_VECTORCOMBINE: return lower_halves(l, e, lane);
    case TIRB_BUILTIN_CALL_EXTERN:
    case TIRB_BUILTIN_CALL_PURE_EXTERN:
    case TIRB_BUILTIN_CALL_PACKED:
    case TIRB_BUILTIN_CALL_CPACKED: return tirbi_lower_import(l, e);
    case TIRB_BUILTIN_TVM_CALL_PACKED_LOWERED:
    case TIRB_BUILTIN_TVM_CALL_CPACKED_LOWERED: return tirbi_lower_lowered_call(l, e);
    case TIRB_BUILTIN_ISNULLPTR: return tirbi_lower_null_test(l, e);
    case TIRB_BUILTIN_TVM_STRUCT_GET: return tirbi_lower_struct_get(l, e);
    case TIRB_BUILTIN_BACKEND_FREE_WORKSPACE: return tirbi_lx_int(l->pool, TIRB_I32, 0);
    case TIRB_BUILTIN_UNDEF: {
        tirbi_dtype type;
        return tirbi_machine_type(l, e->dtype, e->span, &type) ? tirbi_lx_bits(l->pool, type, 0) : NULL;
    }
    default:
        if (tirbi_is_anylist_call(e)) {
            tirbi_report_error(
                l->diagnostics, TIRB_UNSUPPORTED, e->span,
                "%s is for lists that are parameters, and a register is for calls of the host's functions", info->name);
            return NULL;
        }
        tirbi_unsupported(l, e->span, info->name);
        return NULL;
    }
}

/* ---- Loads and everything ------------------------------------------------------------------------------------- */

static const tirbi_lx *lower_load(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    l->again += e->as.load.predicate != NULL;
    const tirbi_place *place =
        tirbi_lower_place(l, e->as.load.buffer, e->as.load.indices, e->as.load.n_indices, lane, e->span);
    l->again -= e->as.load.predicate != NULL;
    const tirbi_lx *x = place ? tirbi_read_place(l, place) : NULL;
    if (!x || !e->as.load.predicate) return x;
    const tirbi_lx *guard = operand(l, e->as.load.predicate, lane);
    const tirbi_lx *zero = tirbi_lx_bits(l->pool, (tirbi_dtype)x->type, 0);
    return guard ? tirbi_lx_lazy(l->pool, TIRBI_LX_COND, tirbi_lx_cast(l->pool, TIRB_BOOL, guard), x, zero) : NULL;
}

/* A let inside an expression stands for its value: expressions change nothing that evaluating twice could show. A large
 * value is kept in a variable where that can be set in front of the statement, or lets inside lets would grow without
 * end. */
static const tirbi_lx *lower_let_expr(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    const tirb_expr *value = e->as.let.value;
    if (value->dtype.lanes > 1) {
        const tirbi_lx *probe = tirbi_lower_expr(l, value, tirbi_lx_number(l->pool, 0));
        if (!probe) return NULL;
        if (tirbi_lx_acts(probe)) {
            tirbi_unsupported(l, e->span, "a call with effects that a Let expression binds");
            return NULL;
        }
        if (e->as.let.var->as.var.id < l->n_vars)
            l->bindings[e->as.let.var->as.var.id] = (tirbi_binding){.vector = value};
        return operand(l, e->as.let.body, lane);
    }
    const tirbi_lx *x = tirbi_lower_expr(l, value, NULL);
    x = tirbi_settle(l, x, "a call with effects that a Let expression binds in a vector or a condition", e->span);
    if (!x) return NULL;
    bool may_keep = l->again == 0 && !has_call(x);
    if (may_keep && x->size > TIRBI_MAX_SHARED_SIZE * TIRBI_MAX_SHARED_SIZE)
        x = tirbi_hold(l, e->as.let.var->as.var.name, x, e->span);
    tirbi_lower_bind(l, e->as.let.var, x);
    return operand(l, e->as.let.body, lane);
}

static const tirbi_lx *lower_broadcast(tirbi_lowerer *l, const tirb_expr *e) {
    const tirbi_lx *x = tirbi_lower_expr(l, e->as.broadcast.value, NULL);
    return x && same_in_lanes(l, e, x) ? x : NULL;
}

static const tirbi_lx *lower_any(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    tirbi_dtype type;
    switch (e->kind) {
    case TIRB_EXPR_VAR: return lower_var(l, e, lane);
    case TIRB_EXPR_INT_IMM:
        return tirbi_machine_type(l, e->dtype, e->span, &type) ? tirbi_lx_int(l->pool, type, e->as.int_value) : NULL;
    case TIRB_EXPR_FLOAT_IMM: return lower_float(l, e);
    case TIRB_EXPR_CAST: {
        const tirbi_lx *x = number(l, e->as.cast.value, lane);
        if (!x || !tirbi_machine_type(l, e->dtype, e->span, &type)) return NULL;
        return tirbi_is_narrow(e->dtype) ? to_byte(l, e->dtype, x, e->span) : tirbi_lx_cast(l->pool, type, x);
    }
    case TIRB_EXPR_NOT: {
        const tirbi_lx *x = operand(l, e->as.cast.value, lane);
        if (!x) return NULL;
        return tirbi_lx_opposite(l->pool, tirbi_lx_cast(l->pool, TIRB_BOOL, x));
    }
    case TIRB_EXPR_ADD: case TIRB_EXPR_SUB: case TIRB_EXPR_MUL: case TIRB_EXPR_DIV: case TIRB_EXPR_MOD:
    case TIRB_EXPR_FLOORDIV: case TIRB_EXPR_FLOORMOD: case TIRB_EXPR_MIN: case TIRB_EXPR_MAX: case TIRB_EXPR_EQ:
    case TIRB_EXPR_NE: case TIRB_EXPR_LT: case TIRB_EXPR_LE: case TIRB_EXPR_GT: case TIRB_EXPR_GE:
        return lower_binary(l, e, lane);
    case TIRB_EXPR_AND: case TIRB_EXPR_OR: return lower_logical(l, e, lane);
    case TIRB_EXPR_SELECT:
        return lower_choice(l, e->as.select.condition, e->as.select.true_value, e->as.select.false_value, lane);
    case TIRB_EXPR_LOAD: return lower_load(l, e, lane);
    case TIRB_EXPR_RAMP: return lower_ramp(l, e, lane);
    case TIRB_EXPR_BROADCAST: return lower_broadcast(l, e);
    case TIRB_EXPR_LET: return lower_let_expr(l, e, lane);
    case TIRB_EXPR_CALL:
        for (const tirbi_early *early = l->early; early; early = early->next) {
            if (early->call == e) return early->value;
        }
        return e->as.call.function || e->as.call.function_name ? tirbi_lower_call(l, e) : lower_builtin(l, e, lane);
    case TIRB_EXPR_SHUFFLE: return lower_shuffle(l, e, lane);
    case TIRB_EXPR_STRING_IMM: tirbi_unsupported(l, e->span, "a string as a value"); return NULL;
    case TIRB_EXPR_REDUCE: return tirbi_lower_reduce(l, e);
    }
    return NULL;
}

const tirbi_lx *tirbi_lower_expr(tirbi_lowerer *l, const tirb_expr *e, const tirbi_lx *lane) {
    if (!e || l->arena->failed) return NULL;
    const tirbi_lx *x = lower_any(l, e, lane);
    uint32_t most = e->size > TIRBI_MAX_TREE_SIZE / TIRBI_MAX_GROWTH ? e->size * TIRBI_MAX_GROWTH : TIRBI_MAX_TREE_SIZE;
    if (!x || x->size <= most) return x;
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->span,
                       "this expression stands for more than %u operations once its variables are replaced",
                       (unsigned)most);
    return NULL;
}
