#include "compiler/ir/llvm.h"

#include <string.h>

/* By what stands between "llvm." and the next dot. */
static const struct {
    const char *name;
    tirb_builtin builtin;
} llvm_functions[] = {
    {"sqrt", TIRB_BUILTIN_SQRT},   {"exp", TIRB_BUILTIN_EXP},         {"exp2", TIRB_BUILTIN_EXP2},
    {"exp10", TIRB_BUILTIN_EXP10}, {"log", TIRB_BUILTIN_LOG},         {"log2", TIRB_BUILTIN_LOG2},
    {"log10", TIRB_BUILTIN_LOG10}, {"sin", TIRB_BUILTIN_SIN},         {"cos", TIRB_BUILTIN_COS},
    {"tan", TIRB_BUILTIN_TAN},     {"pow", TIRB_BUILTIN_POW},         {"fabs", TIRB_BUILTIN_FABS},
    {"floor", TIRB_BUILTIN_FLOOR}, {"ceil", TIRB_BUILTIN_CEIL},       {"trunc", TIRB_BUILTIN_TRUNC},
    {"rint", TIRB_BUILTIN_ROUND},  {"nearbyint", TIRB_BUILTIN_ROUND}, {"roundeven", TIRB_BUILTIN_ROUND},
    {"fma", TIRB_BUILTIN_FMA},     {"fmuladd", TIRB_BUILTIN_FMA},     {"copysign", TIRB_BUILTIN_COPYSIGN},
    {"tanh", TIRB_BUILTIN_TANH},   {"sinh", TIRB_BUILTIN_SINH},       {"cosh", TIRB_BUILTIN_COSH},
    {"asin", TIRB_BUILTIN_ASIN},   {"acos", TIRB_BUILTIN_ACOS},       {"atan", TIRB_BUILTIN_ATAN},
    {"ctpop", TIRB_BUILTIN_POPCOUNT}, {"ctlz", TIRB_BUILTIN_CLZ},
};

static bool find(const char *name, tirb_builtin *out) {
    if (strncmp(name, "llvm.", 5) != 0) return false;
    size_t length = strcspn(name + 5, ".");
    for (size_t i = 0; i < sizeof llvm_functions / sizeof *llvm_functions; i++) {
        if (strlen(llvm_functions[i].name) != length || strncmp(llvm_functions[i].name, name + 5, length) != 0) continue;
        *out = llvm_functions[i].builtin;
        return true;
    }
    return false;
}

/* ---- Functions that are expressions ------------------------------------------------------------------------------- */

static const tirb_expr *node(tirbi_arena *arena, const tirb_expr *call, tirb_expr_kind kind, tirb_datatype type, const tirb_expr *a,
                             const tirb_expr *b) {
    tirb_expr *e = a && b ? TIRBI_NEW(arena, tirb_expr) : NULL;
    if (!e) return NULL;
    e->kind = kind;
    e->dtype = type;
    e->span = call->span;
    e->depth = (uint16_t)((a->depth > b->depth ? a->depth : b->depth) + 1);
    e->size = a->size + b->size + 1;
    e->as.binary.a = a;
    e->as.binary.b = b;
    return e;
}

static const tirb_expr *builtin_of(tirbi_arena *arena, const tirb_expr *call, tirb_builtin builtin, tirb_datatype type,
                                   const tirb_expr *a, const tirb_expr *b) {
    const tirb_expr **args = TIRBI_NEW_ARRAY(arena, const tirb_expr *, 2);
    tirb_expr *e = a && args ? TIRBI_NEW(arena, tirb_expr) : NULL;
    if (!e) return NULL;
    *e = *call;
    args[0] = a;
    args[1] = b;
    e->dtype = type;
    e->as.call.builtin = builtin;
    e->as.call.args = args;
    e->as.call.n_args = b ? 2 : 1;
    return e;
}

static const tirb_expr *select_of(tirbi_arena *arena, const tirb_expr *condition, const tirb_expr *yes, const tirb_expr *no) {
    const tirb_expr *made = condition ? node(arena, condition, TIRB_EXPR_SELECT, yes ? yes->dtype : condition->dtype, yes, no) : NULL;
    tirb_expr *e = (tirb_expr *)made;
    if (!e) return NULL;
    e->as.select.condition = condition;
    e->as.select.true_value = yes;
    e->as.select.false_value = no;
    return e;
}

static const tirb_expr *number(tirbi_arena *arena, const tirb_expr *call, tirb_datatype type, double value) {
    tirb_expr *e = type.lanes == 1 ? TIRBI_NEW(arena, tirb_expr) : NULL;
    if (!e) return NULL;
    e->kind = TIRB_EXPR_FLOAT_IMM;
    e->dtype = type;
    e->span = call->span;
    e->depth = 1;
    e->size = 1;
    e->as.float_value = value;
    return e;
}

/* The whole number before x, and one more away from zero where half or more is left. */
static const tirb_expr *rounded(tirbi_arena *arena, const tirb_expr *call, const tirb_expr *x) {
    tirb_datatype type = x->dtype, bools = {TIRB_CODE_BOOL, 8, type.lanes};
    const tirb_expr *whole = builtin_of(arena, call, TIRB_BUILTIN_TRUNC, type, x, NULL);
    const tirb_expr *rest = node(arena, call, TIRB_EXPR_SUB, type, x, whole);
    const tirb_expr *far = node(arena, call, TIRB_EXPR_GE, bools, builtin_of(arena, call, TIRB_BUILTIN_FABS, type, rest, NULL),
                                number(arena, call, type, 0.5));
    const tirb_expr *one = number(arena, call, type, 1);
    const tirb_expr *step = one ? builtin_of(arena, call, TIRB_BUILTIN_COPYSIGN, type, one, x) : NULL;
    return select_of(arena, far, node(arena, call, TIRB_EXPR_ADD, type, whole, step), whole);
}

const tirb_expr *tirbi_llvm_expression(tirbi_arena *arena, const tirb_expr *call) {
    static const struct {
        const char *name;
        uint32_t n_args;
        tirb_expr_kind kind;
        int code; /* of the elements */
    } known[] = {
        {"llvm.smax", 2, TIRB_EXPR_MAX, TIRB_CODE_INT},     {"llvm.smin", 2, TIRB_EXPR_MIN, TIRB_CODE_INT},
        {"llvm.umax", 2, TIRB_EXPR_MAX, TIRB_CODE_UINT},    {"llvm.umin", 2, TIRB_EXPR_MIN, TIRB_CODE_UINT},
        {"llvm.maxnum", 2, TIRB_EXPR_MAX, TIRB_CODE_FLOAT}, {"llvm.minnum", 2, TIRB_EXPR_MIN, TIRB_CODE_FLOAT},
        {"llvm.round", 1, TIRB_EXPR_CALL, TIRB_CODE_FLOAT},
    };
    const tirb_expr *const *args = call->as.call.args;
    uint32_t n = call->as.call.n_args;
    if (n == 0 || args[0]->kind != TIRB_EXPR_STRING_IMM) return NULL;
    size_t size = tirbi_llvm_name_size(args[0]->as.string.text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != size || strncmp(known[i].name, args[0]->as.string.text, size) != 0) continue;
        bool counted = n == known[i].n_args + 2 && args[1]->kind == TIRB_EXPR_INT_IMM && args[1]->dtype.code == TIRB_CODE_UINT;
        args += 1 + counted;
        bool fits = n == known[i].n_args + 1 + counted;
        for (uint32_t j = 0; fits && j < known[i].n_args; j++)
            fits = args[j]->dtype.code == known[i].code && tirb_datatype_equal(args[j]->dtype, call->dtype);
        if (!fits) return NULL;
        if (known[i].kind == TIRB_EXPR_CALL) return rounded(arena, call, args[0]);
        const tirb_expr *chosen = node(arena, call, known[i].kind, call->dtype, args[0], args[1]);
        if (known[i].code != TIRB_CODE_FLOAT) return chosen;
        /* Min and Max give the second operand where one is NaN; here that one is not chosen. */
        tirb_datatype bools = {TIRB_CODE_BOOL, 8, call->dtype.lanes};
        return select_of(arena, builtin_of(arena, call, TIRB_BUILTIN_ISNAN, bools, args[1], NULL), args[0], chosen);
    }
    return NULL;
}

/* Whether a part of a name says for which type the function is: "i8", "f32", "v4f32", "p0". */
static bool is_type_suffix(const char *part, size_t size) {
    size_t at = 0;
    if (at < size && part[at] == 'v' && strspn(part + 1, "0123456789") > 0) at += 1 + strspn(part + 1, "0123456789");
    if (size - at > 2 && part[at] == 'b' && part[at + 1] == 'f') at++;
    if (at >= size || (part[at] != 'i' && part[at] != 'f' && part[at] != 'p')) return false;
    at++;
    return at < size && at + strspn(part + at, "0123456789") >= size;
}

size_t tirbi_llvm_name_size(const char *name) {
    size_t size = strlen(name);
    while (strncmp(name, "llvm.", 5) == 0) {
        size_t dot = size;
        while (dot > 5 && name[dot - 1] != '.') dot--;
        if (dot <= 5 || !is_type_suffix(name + dot, size - dot)) break;
        size = dot - 1;
    }
    return size;
}

bool tirbi_llvm_call_of(const tirb_expr *call, tirbi_llvm_call *out) {
    const tirb_expr *const *args = call->as.call.args;
    uint32_t n = call->as.call.n_args;
    if (n == 0 || args[0]->kind != TIRB_EXPR_STRING_IMM || !find(args[0]->as.string.text, &out->builtin)) return false;
    uint32_t arity = (uint32_t)tirb_builtins[out->builtin].arity;
    /* ctlz is told last whether 0 has a result; older texts give the number of arguments first, as a uint32. */
    if (out->builtin == TIRB_BUILTIN_CLZ && n > arity + 1) n--;
    bool counted = n == arity + 2 && args[1]->kind == TIRB_EXPR_INT_IMM && args[1]->dtype.code == TIRB_CODE_UINT;
    *out = (tirbi_llvm_call){.builtin = out->builtin, .args = args + 1 + counted, .n_args = arity};
    return n == arity + 1 + counted;
}
