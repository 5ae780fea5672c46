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
