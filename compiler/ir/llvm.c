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
        if (strlen(llvm_functions[i].name) != length || strncmp(llvm_functions[i].name, name + 5, length) != 0)
            continue;
        *out = llvm_functions[i].builtin;
        return true;
    }
    return false;
}

/* ---- Functions that are expressions ------------------------------------------------------------------------------ */

static const tirb_expr *node(tirbi_arena *arena, const tirb_expr *call, tirb_expr_kind kind, tirb_datatype type,
                             const tirb_expr *a, const tirb_expr *b) {
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
    tirb_expr *e = a && args ? tirbi_copy_expr(arena, call) : NULL;
    if (!e) return NULL;
    args[0] = a;
    args[1] = b;
    e->dtype = type;
    e->as.call.builtin = builtin;
    e->as.call.args = args;
    e->as.call.n_args = b ? 2 : 1;
    return e;
}

static const tirb_expr *select_of(tirbi_arena *arena, const tirb_expr *condition, const tirb_expr *yes,
                                  const tirb_expr *no) {
    const tirb_expr *made =
        condition ? node(arena, condition, TIRB_EXPR_SELECT, yes ? yes->dtype : condition->dtype, yes, no) : NULL;
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

/* ---- Sums of products of neighbours ------------------------------------------------------------------------------ */

/* Lane i of the result is the sum of a[k * i + j] * b[k * i + j] over j below k, and of the first operand's lane i
 * where there is an accumulator. The processors' own names, without the width of their registers. */
typedef struct neighbours {
    const char *name;
    uint8_t k, bits;        /* of the elements; 0: half of the result's */
    bool adds, single;      /* to the first operand; one operand alone, whose neighbours are summed */
    bool a_signed, b_signed;
    bool saturates;
} neighbours;

static const neighbours sums[] = {
    {"llvm.x86.avx512.vpdpbusd", 4, 8, true, false, false, true, false},
    {"llvm.x86.avx512.vpdpbusds", 4, 8, true, false, false, true, true},
    {"llvm.x86.avx512.vpdpwssd", 2, 16, true, false, true, true, false},
    {"llvm.x86.avx512.vpdpwssds", 2, 16, true, false, true, true, true},
    {"llvm.x86.avx512.pmaddubs.w", 2, 8, false, false, false, true, true},
    {"llvm.x86.avx2.pmadd.ub.sw", 2, 8, false, false, false, true, true},
    {"llvm.x86.ssse3.pmadd.ub.sw", 2, 8, false, false, false, true, true},
    {"llvm.x86.avx512.pmaddw.d", 2, 16, false, false, true, true, false},
    {"llvm.x86.avx2.pmadd.wd", 2, 16, false, false, true, true, false},
    {"llvm.x86.sse2.pmadd.wd", 2, 16, false, false, true, true, false},
    {"llvm.aarch64.neon.sdot", 4, 8, true, false, true, true, false},
    {"llvm.aarch64.neon.udot", 4, 8, true, false, false, false, false},
    {"llvm.aarch64.neon.usdot", 4, 8, true, false, false, true, false},
    {"llvm.aarch64.neon.smull", 1, 0, false, false, true, true, false},
    {"llvm.aarch64.neon.umull", 1, 0, false, false, false, false, false},
    {"llvm.aarch64.neon.saddlp", 2, 0, false, true, true, true, false},
    {"llvm.aarch64.neon.uaddlp", 2, 0, false, true, false, false, false},
    {"llvm.arm.neon.vmulls", 1, 0, false, false, true, true, false},
    {"llvm.arm.neon.vmullu", 1, 0, false, false, false, false, false},
    {"llvm.arm.neon.vpaddls", 2, 0, false, true, true, true, false},
    {"llvm.arm.neon.vpaddlu", 2, 0, false, true, false, false, false},
};

static const char *name_of(const tirb_expr *call) {
    bool named =
        call->kind == TIRB_EXPR_CALL && call->as.call.n_args > 0 && call->as.call.args[0]->kind == TIRB_EXPR_STRING_IMM;
    return named ? call->as.call.args[0]->as.string.text : "";
}

static bool is_named(const char *name, const char *wanted) {
    static const char *const widths[] = {".128", ".256", ".512"};
    size_t size = tirbi_llvm_name_size(name), length = strlen(wanted);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (size > 4 && strncmp(name + size - 4, widths[i], 4) == 0) {
            size -= 4;
            break;
        }
    }
    return size == length && strncmp(name, wanted, length) == 0;
}

static const neighbours *sum_of(const tirb_expr *call) {
    const char *name = name_of(call);
    if (strncmp(name, "llvm.", 5) != 0) return NULL;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        if (is_named(name, sums[i].name)) return &sums[i];
    }
    return NULL;
}

static bool is_pairwise(const tirb_expr *call) {
    return is_named(name_of(call), "llvm.aarch64.neon.addp") || is_named(name_of(call), "llvm.arm.neon.vpadd");
}

bool tirbi_llvm_regroups(const tirb_expr *call) { return sum_of(call) || is_pairwise(call); }

static const tirb_expr *cast_to(tirbi_arena *arena, const tirb_expr *call, tirb_datatype type, const tirb_expr *x) {
    const tirb_expr *made = x ? node(arena, call, TIRB_EXPR_CAST, type, x, x) : NULL;
    tirb_expr *e = (tirb_expr *)made;
    if (!e) return NULL;
    e->size = x->size + 1;
    e->as.cast.value = x;
    return e;
}

/* Elements first, first + step, .. of vectors that stand behind one another. */
static const tirb_expr *every(tirbi_arena *arena, const tirb_expr *call, const tirb_expr *const *vectors, uint32_t n,
                              uint32_t first, uint32_t step) {
    uint16_t lanes = call->dtype.lanes;
    const tirb_expr **copy = TIRBI_NEW_ARRAY(arena, const tirb_expr *, n),
                    **indices = TIRBI_NEW_ARRAY(arena, const tirb_expr *, lanes);
    tirb_expr *e = TIRBI_NEW(arena, tirb_expr);
    if (!copy || !indices || !e) return NULL;
    tirb_datatype type = vectors[0]->dtype;
    *e = (tirb_expr){.kind = TIRB_EXPR_SHUFFLE,
                     .dtype = tirbi_type_with_lanes(type, tirbi_lanes_of(call->dtype)),
                     .span = call->span,
                     .size = 1};
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = vectors[i];
        e->size += vectors[i]->size;
        if (vectors[i]->depth >= e->depth) e->depth = (uint16_t)(vectors[i]->depth + 1);
    }
    for (uint32_t i = 0; i < lanes; i++) {
        tirb_expr *index = TIRBI_NEW(arena, tirb_expr);
        if (!index) return NULL;
        *index = (tirb_expr){.kind = TIRB_EXPR_INT_IMM, .span = call->span, .depth = 1, .size = 1};
        index->dtype = (tirb_datatype){TIRB_CODE_INT, 32, 1, false};
        index->as.int_value = first + (int64_t)i * step;
        indices[i] = index;
    }
    e->as.shuffle.vectors = copy;
    e->as.shuffle.n_vectors = n;
    e->as.shuffle.indices = indices;
    e->as.shuffle.n_indices = lanes;
    return e;
}

static bool is_integer(tirb_datatype type) { return type.code == TIRB_CODE_INT || type.code == TIRB_CODE_UINT; }

/* Element j of each k as numbers of type `wide`; the operand may have them packed in larger integers. */
static const tirb_expr *element(tirbi_arena *arena, const tirb_expr *call, const tirb_expr *x, uint32_t k, uint32_t j,
                                uint8_t bits, bool is_signed, tirb_datatype wide) {
    tirb_datatype type = {is_signed ? TIRB_CODE_INT : TIRB_CODE_UINT, bits, (uint16_t)(k * call->dtype.lanes),
                          call->dtype.scalable};
    if (!is_integer(x->dtype) || (uint32_t)x->dtype.bits * x->dtype.lanes != (uint32_t)bits * type.lanes) return NULL;
    if (!tirb_datatype_equal(x->dtype, type)) x = builtin_of(arena, call, TIRB_BUILTIN_REINTERPRET, type, x, NULL);
    const tirb_expr *taken = !x || k == 1 ? x : every(arena, call, &x, 1, j, k);
    return cast_to(arena, call, wide, taken);
}

static const tirb_expr *bound(tirbi_arena *arena, const tirb_expr *call, tirb_datatype type, int64_t value) {
    tirb_expr *one = TIRBI_NEW(arena, tirb_expr), *all = TIRBI_NEW(arena, tirb_expr);
    if (!one || !all) return NULL;
    *one = (tirb_expr){
        .kind = TIRB_EXPR_INT_IMM, .dtype = tirbi_type_element(type), .span = call->span, .depth = 1, .size = 1};
    one->as.int_value = value;
    if (type.lanes == 1) return one;
    *all = (tirb_expr){.kind = TIRB_EXPR_BROADCAST, .dtype = type, .span = call->span, .depth = 2, .size = 2};
    all->as.broadcast.value = one;
    return all;
}

static const tirb_expr *sum_of_products(tirbi_arena *arena, const tirb_expr *call, const neighbours *s,
                                        const tirb_expr *const *args) {
    tirb_datatype type = call->dtype, wide = type;
    uint8_t bits = s->bits ? s->bits : (uint8_t)(type.bits / 2);
    if (!is_integer(type) || (s->bits ? type.bits != (s->k == 2 && s->bits == 8 ? 16 : 32) : bits < 8)) return NULL;
    if (s->saturates) wide = (tirb_datatype){TIRB_CODE_INT, (uint8_t)(2 * type.bits), type.lanes, type.scalable};
    const tirb_expr *a = args[s->adds], *b = s->single ? NULL : args[s->adds + 1], *sum = NULL;
    if (s->adds && !tirb_datatype_equal(args[0]->dtype, type)) return NULL;
    if (s->adds) sum = s->saturates ? cast_to(arena, call, wide, args[0]) : args[0];
    for (uint32_t j = 0; j < s->k; j++) {
        const tirb_expr *term = element(arena, call, a, s->k, j, bits, s->a_signed, wide);
        if (b)
            term =
                node(arena, call, TIRB_EXPR_MUL, wide, term, element(arena, call, b, s->k, j, bits, s->b_signed, wide));
        sum = sum ? node(arena, call, TIRB_EXPR_ADD, wide, sum, term) : term;
        if (!sum || !term) return NULL;
    }
    if (!s->saturates) return sum;
    int64_t most = (INT64_C(1) << (type.bits - 1)) - 1;
    sum = node(arena, call, TIRB_EXPR_MIN, wide, sum, bound(arena, call, wide, most));
    return cast_to(arena, call, type, node(arena, call, TIRB_EXPR_MAX, wide, sum, bound(arena, call, wide, -most - 1)));
}

/* Whether the number of arguments stands before them, as in older texts. */
static bool is_counted(const tirb_expr *call, uint32_t n, uint32_t wanted) {
    const tirb_expr *count = n == wanted + 2 ? call->as.call.args[1] : NULL;
    return count && count->kind == TIRB_EXPR_INT_IMM && is_integer(count->dtype);
}

static const tirb_expr *regrouped(tirbi_arena *arena, const tirb_expr *call) {
    const tirb_expr *const *args = call->as.call.args;
    const neighbours *s = sum_of(call);
    uint32_t n = call->as.call.n_args, wanted = s ? 2u + s->adds - s->single : 2;
    bool counted = is_counted(call, n, wanted);
    if (n != wanted + 1 + counted) return NULL;
    args += 1 + counted;
    if (s) return sum_of_products(arena, call, s, args);
    bool same = tirb_datatype_equal(args[0]->dtype, call->dtype) && tirb_datatype_equal(args[1]->dtype, call->dtype);
    if (!same || call->dtype.lanes < 2 || call->dtype.code == TIRB_CODE_HANDLE) return NULL;
    return node(arena, call, TIRB_EXPR_ADD, call->dtype, every(arena, call, args, 2, 0, 2),
                every(arena, call, args, 2, 1, 2));
}

/* The whole number before x, and one more away from zero where half or more is left. */
static const tirb_expr *rounded(tirbi_arena *arena, const tirb_expr *call, const tirb_expr *x) {
    tirb_datatype type = x->dtype, bools = {TIRB_CODE_BOOL, 8, type.lanes, type.scalable};
    const tirb_expr *whole = builtin_of(arena, call, TIRB_BUILTIN_TRUNC, type, x, NULL);
    const tirb_expr *rest = node(arena, call, TIRB_EXPR_SUB, type, x, whole);
    const tirb_expr *far =
        node(arena, call, TIRB_EXPR_GE, bools, builtin_of(arena, call, TIRB_BUILTIN_FABS, type, rest, NULL),
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
    if (tirbi_llvm_regroups(call)) return regrouped(arena, call);
    size_t size = tirbi_llvm_name_size(args[0]->as.string.text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != size || strncmp(known[i].name, args[0]->as.string.text, size) != 0) continue;
        bool counted = is_counted(call, n, known[i].n_args);
        args += 1 + counted;
        bool fits = n == known[i].n_args + 1 + counted;
        for (uint32_t j = 0; fits && j < known[i].n_args; j++)
            fits = args[j]->dtype.code == known[i].code && tirb_datatype_equal(args[j]->dtype, call->dtype);
        if (!fits) return NULL;
        if (known[i].kind == TIRB_EXPR_CALL) return rounded(arena, call, args[0]);
        const tirb_expr *chosen = node(arena, call, known[i].kind, call->dtype, args[0], args[1]);
        if (known[i].code != TIRB_CODE_FLOAT) return chosen;
        /* Min and Max give the second operand where one is NaN; here that one is not chosen. */
        tirb_datatype bools = {TIRB_CODE_BOOL, 8, call->dtype.lanes, call->dtype.scalable};
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
    /* ctlz is told last whether 0 has a result. */
    if (out->builtin == TIRB_BUILTIN_CLZ && n > arity + 1) n--;
    bool counted = is_counted(call, n, arity);
    *out = (tirbi_llvm_call){.builtin = out->builtin, .args = args + 1 + counted, .n_args = arity};
    return n == arity + 1 + counted;
}
