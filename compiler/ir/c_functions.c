#include "compiler/ir/c_functions.h"

#include <string.h>

/* In float64 under these names and in float32 with an f behind them. C's round is none of them: it rounds halves away
 * from zero. */
static const struct {
    const char *name;
    tirb_builtin builtin;
} c_functions[] = {
    {"acos", TIRB_BUILTIN_ACOS},   {"acosh", TIRB_BUILTIN_ACOSH},         {"asin", TIRB_BUILTIN_ASIN},
    {"asinh", TIRB_BUILTIN_ASINH}, {"atan", TIRB_BUILTIN_ATAN},           {"atan2", TIRB_BUILTIN_ATAN2},
    {"atanh", TIRB_BUILTIN_ATANH}, {"ceil", TIRB_BUILTIN_CEIL},           {"copysign", TIRB_BUILTIN_COPYSIGN},
    {"cos", TIRB_BUILTIN_COS},     {"cosh", TIRB_BUILTIN_COSH},           {"erf", TIRB_BUILTIN_ERF},
    {"exp", TIRB_BUILTIN_EXP},     {"exp10", TIRB_BUILTIN_EXP10},         {"exp2", TIRB_BUILTIN_EXP2},
    {"expm1", TIRB_BUILTIN_EXPM1}, {"fabs", TIRB_BUILTIN_FABS},           {"floor", TIRB_BUILTIN_FLOOR},
    {"fma", TIRB_BUILTIN_FMA},     {"fmod", TIRB_BUILTIN_FMOD},           {"hypot", TIRB_BUILTIN_HYPOT},
    {"log", TIRB_BUILTIN_LOG},     {"log10", TIRB_BUILTIN_LOG10},         {"log1p", TIRB_BUILTIN_LOG1P},
    {"log2", TIRB_BUILTIN_LOG2},   {"nearbyint", TIRB_BUILTIN_NEARBYINT}, {"nextafter", TIRB_BUILTIN_NEXTAFTER},
    {"pow", TIRB_BUILTIN_POW},     {"rint", TIRB_BUILTIN_NEARBYINT},      {"sin", TIRB_BUILTIN_SIN},
    {"sinh", TIRB_BUILTIN_SINH},   {"sqrt", TIRB_BUILTIN_SQRT},           {"tan", TIRB_BUILTIN_TAN},
    {"tanh", TIRB_BUILTIN_TANH},   {"trunc", TIRB_BUILTIN_TRUNC},
};

/* The builtin that a call is, if its name and all its types are those of one. */
static bool find(tirb_datatype type, const tirb_expr *const *args, uint32_t n, tirb_builtin *out) {
    if (n == 0 || !args[0] || args[0]->kind != TIRB_EXPR_STRING_IMM || type.code != TIRB_CODE_FLOAT ||
        type.lanes != 1 || (type.bits != 32 && type.bits != 64)) {
        return false;
    }
    const char *name = args[0]->as.string.text;
    for (size_t i = 0; i < sizeof c_functions / sizeof *c_functions; i++) {
        size_t length = strlen(c_functions[i].name);
        if (strncmp(name, c_functions[i].name, length) != 0) continue;
        if (strcmp(name + length, type.bits == 32 ? "f" : "") != 0) continue;
        if (n - 1 != (uint32_t)tirb_builtins[c_functions[i].builtin].arity) return false;
        for (uint32_t k = 1; k < n; k++) {
            if (!args[k] || !tirb_datatype_equal(args[k]->dtype, type)) return false;
        }
        *out = c_functions[i].builtin;
        return true;
    }
    return false;
}

bool tirbi_is_c_function(tirb_datatype type, const tirb_expr *const *args, uint32_t n) {
    tirb_builtin builtin;
    return find(type, args, n, &builtin);
}

const tirb_expr *tirbi_make_c_call(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirb_builtin written_as,
                                   const tirb_expr *const *args, uint32_t n) {
    tirb_builtin builtin;
    if (!find(type, args, n, &builtin)) return NULL;
    const tirb_expr *made = tirbi_make_call(b, span, type, builtin, args + 1, n - 1);
    tirb_expr *call = made ? TIRBI_NEW(b->arena, tirb_expr) : NULL;
    if (!call) return NULL;
    *call = *made;
    call->as.call.symbol = args[0]->as.string.text;
    call->as.call.written_as = written_as;
    return call;
}
