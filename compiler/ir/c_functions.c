#include "compiler/ir/c_functions.h"

#include <string.h>

typedef struct c_function {
    const char *name;
    tirb_builtin builtin;
} c_function;

/* In float64 under these names and in float32 with an f behind them. */
static const c_function c_functions[] = {
    {"acos", TIRB_BUILTIN_ACOS}, {"acosh", TIRB_BUILTIN_ACOSH}, {"asin", TIRB_BUILTIN_ASIN},
    {"asinh", TIRB_BUILTIN_ASINH}, {"atan", TIRB_BUILTIN_ATAN}, {"atan2", TIRB_BUILTIN_ATAN2},
    {"atanh", TIRB_BUILTIN_ATANH}, {"ceil", TIRB_BUILTIN_CEIL}, {"copysign", TIRB_BUILTIN_COPYSIGN},
    {"cos", TIRB_BUILTIN_COS}, {"cosh", TIRB_BUILTIN_COSH}, {"erf", TIRB_BUILTIN_ERF}, {"exp", TIRB_BUILTIN_EXP},
    {"exp10", TIRB_BUILTIN_EXP10}, {"exp2", TIRB_BUILTIN_EXP2}, {"expm1", TIRB_BUILTIN_EXPM1},
    {"fabs", TIRB_BUILTIN_FABS}, {"floor", TIRB_BUILTIN_FLOOR}, {"fma", TIRB_BUILTIN_FMA},
    {"fmod", TIRB_BUILTIN_FMOD}, {"hypot", TIRB_BUILTIN_HYPOT}, {"log", TIRB_BUILTIN_LOG},
    {"log10", TIRB_BUILTIN_LOG10}, {"log1p", TIRB_BUILTIN_LOG1P}, {"log2", TIRB_BUILTIN_LOG2},
    {"nearbyint", TIRB_BUILTIN_NEARBYINT}, {"nextafter", TIRB_BUILTIN_NEXTAFTER}, {"pow", TIRB_BUILTIN_POW},
    {"rint", TIRB_BUILTIN_NEARBYINT}, {"rsqrt", TIRB_BUILTIN_RSQRT}, {"sin", TIRB_BUILTIN_SIN},
    {"sinh", TIRB_BUILTIN_SINH}, {"sqrt", TIRB_BUILTIN_SQRT}, {"tan", TIRB_BUILTIN_TAN}, {"tanh", TIRB_BUILTIN_TANH},
    {"trunc", TIRB_BUILTIN_TRUNC},
};
/* Those that have no other name: of other types they are written as of float64. C's round is one of them: it
 * rounds halves away from zero. */
static const c_function only_c_functions[] = {
    {"cbrt", TIRB_BUILTIN_CBRT}, {"cospi", TIRB_BUILTIN_COSPI}, {"cyl_bessel_i0", TIRB_BUILTIN_CYL_BESSEL_I0},
    {"cyl_bessel_i1", TIRB_BUILTIN_CYL_BESSEL_I1}, {"erfc", TIRB_BUILTIN_ERFC}, {"erfcinv", TIRB_BUILTIN_ERFCINV},
    {"erfcx", TIRB_BUILTIN_ERFCX}, {"erfinv", TIRB_BUILTIN_ERFINV}, {"fdim", TIRB_BUILTIN_FDIM},
    {"fdivide", TIRB_BUILTIN_FDIVIDE}, {"fmax", TIRB_BUILTIN_FMAX}, {"fmin", TIRB_BUILTIN_FMIN},
    {"j0", TIRB_BUILTIN_J0}, {"j1", TIRB_BUILTIN_J1}, {"lgamma", TIRB_BUILTIN_LGAMMA}, {"logb", TIRB_BUILTIN_LOGB},
    {"norm3d", TIRB_BUILTIN_NORM3D}, {"norm4d", TIRB_BUILTIN_NORM4D}, {"normcdf", TIRB_BUILTIN_NORMCDF},
    {"normcdfinv", TIRB_BUILTIN_NORMCDFINV}, {"rcbrt", TIRB_BUILTIN_RCBRT}, {"remainder", TIRB_BUILTIN_REMAINDER},
    {"rhypot", TIRB_BUILTIN_RHYPOT}, {"rnorm3d", TIRB_BUILTIN_RNORM3D}, {"rnorm4d", TIRB_BUILTIN_RNORM4D},
    {"round", TIRB_BUILTIN_ROUND_AWAY}, {"sinpi", TIRB_BUILTIN_SINPI}, {"tgamma", TIRB_BUILTIN_TGAMMA},
    {"y0", TIRB_BUILTIN_Y0}, {"y1", TIRB_BUILTIN_Y1},
};

static bool is_float(tirb_datatype type) {
    return type.code == TIRB_CODE_FLOAT || type.code == TIRB_CODE_BFLOAT || tirb_datatype_is_narrow_float(type);
}

static const c_function *named(const c_function *functions, size_t n, const char *name, tirb_datatype type) {
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(functions[i].name);
        if (strncmp(name, functions[i].name, length) != 0) continue;
        if (strcmp(name + length, type.bits == 32 ? "f" : "") == 0) return &functions[i];
    }
    return NULL;
}

/* The builtin that a call is, if its name and all its types are those of one. */
static bool find(tirb_datatype type, const tirb_expr *const *args, uint32_t n, tirb_builtin *out) {
    if (n == 0 || !args[0] || args[0]->kind != TIRB_EXPR_STRING_IMM || !is_float(type)) return false;
    const char *name = args[0]->as.string.text;
    const c_function *f = named(only_c_functions, sizeof only_c_functions / sizeof *only_c_functions, name, type);
    if (!f && type.lanes == 1 && (type.bits == 32 || type.bits == 64))
        f = named(c_functions, sizeof c_functions / sizeof *c_functions, name, type);
    if (!f || n - 1 != (uint32_t)tirb_builtins[f->builtin].arity) return false;
    for (uint32_t k = 1; k < n; k++) {
        if (!args[k] || !tirb_datatype_equal(args[k]->dtype, type)) return false;
    }
    *out = f->builtin;
    return true;
}

const char *tirbi_c_name(tirbi_arena *arena, tirb_builtin builtin, tirb_datatype type) {
    for (size_t i = 0; i < sizeof only_c_functions / sizeof *only_c_functions; i++) {
        if (only_c_functions[i].builtin != builtin) continue;
        size_t length = strlen(only_c_functions[i].name);
        char *name = TIRBI_NEW_ARRAY(arena, char, length + 2);
        if (!name) return NULL;
        memcpy(name, only_c_functions[i].name, length + 1);
        if (type.bits == 32) memcpy(name + length, "f", 2);
        return name;
    }
    return NULL;
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
    tirb_expr *call = made ? tirbi_copy_expr(b->arena, made) : NULL;
    if (!call) return NULL;
    call->as.call.symbol = args[0]->as.string.text;
    call->as.call.written_as = written_as;
    return call;
}
