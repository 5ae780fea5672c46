/* Random expressions, directed by type: whatever is asked for is built of parts of fitting types. */
#include <stdio.h>
#include <string.h>

#include "tests/differential/generate.h"

static const char *type_name(tirbi_dtype type) { return tirbi_dtypes[type].tvm_name; }

/* ---- Literals ------------------------------------------------------------------------------------------------- */

static void int_literal(tirbi_gen *g, tirbi_dtype type, tirbi_text *out) {
    static const int64_t special[] = {0, 1, 2, 3, 7, 8, 15, 31, 63, 100, 127, -1, -2, -3, -7, -128};
    int64_t value = special[tirbi_gen_pick(g, sizeof special / sizeof *special)];
    unsigned bits = tirbi_dtypes[type].bits;
    if (tirbi_gen_chance(g, 8) && bits > 8) value = ((int64_t)1 << (bits - 2)) - 1 + tirbi_gen_pick(g, 3);
    if (!tirbi_dtype_is_signed(type) && value < 0) value = -value;
    /* Not a bare number: two of those are Python's own integers, whose sum may need 64 bits. */
    tirbi_text_add(out, "T.%s(%lld)", type_name(type), (long long)value);
}

static void float_literal(tirbi_gen *g, tirbi_dtype type, tirbi_text *out) {
    static const char *const special[] = {"0.0",  "1.0", "-1.0", "0.5",  "2.0",  "-0.0",
                                          "3.25", "0.1", "-2.5", "1e-3", "100.0"};
    static const char *const wild[] = {"\"inf\"", "\"-inf\"", "\"nan\""};
    const char *text = special[tirbi_gen_pick(g, sizeof special / sizeof *special)];
    if (tirbi_gen_chance(g, 4)) text = wild[tirbi_gen_pick(g, 3)];
    if (type == TIRB_BF16) {
        tirbi_text_add(out, "T.Cast(\"bfloat16\", T.float32(%s))", text);
    } else {
        tirbi_text_add(out, "T.%s(%s)", type_name(type), text);
    }
}

static void literal(tirbi_gen *g, tirbi_dtype type, tirbi_text *out) {
    if (type == TIRB_BOOL) {
        tirbi_text_add(out, "T.bool(%s)", tirbi_gen_chance(g, 50) ? "True" : "False");
    } else if (tirbi_dtype_is_float(type)) {
        float_literal(g, type, out);
    } else {
        int_literal(g, type, out);
    }
}

/* ---- Indices and loads ---------------------------------------------------------------------------------------- */

static const tirbi_gen_var *index_var(tirbi_gen *g) {
    uint32_t found[TIRBI_GEN_VARS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_vars; i++) {
        if (g->vars[i].index) found[n++] = i;
    }
    return n == 0 ? NULL : &g->vars[found[tirbi_gen_pick(g, n)]];
}

/* A variable whose whole range is inside the extent, if there is one. */
static const tirbi_gen_var *fitting_var(tirbi_gen *g, const tirbi_gen_dim *dim) {
    uint32_t found[TIRBI_GEN_VARS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_vars; i++) {
        const tirbi_gen_var *v = &g->vars[i];
        bool symbol_fits = dim->symbol < 0 || v->symbol == dim->symbol;
        if (v->index && symbol_fits && v->low >= 0 && v->high < dim->value) found[n++] = i;
    }
    return n == 0 ? NULL : &g->vars[found[tirbi_gen_pick(g, n)]];
}

static void clamped_index(tirbi_gen *g, const tirbi_gen_var *v, const tirbi_gen_dim *dim, tirbi_text *out) {
    tirbi_text extent = {.data = NULL};
    tirbi_gen_dim_text(g, dim, &extent);
    const char *e = extent.data != NULL ? extent.data : "1";
    switch (tirbi_gen_pick(g, 4)) {
    case 0: tirbi_text_add(out, "T.max(T.min(%s, %s - 1), 0)", v->name, e); break;
    case 1: tirbi_text_add(out, "%s %% %s", v->name, dim->symbol < 0 && dim->value > 0 ? e : "1"); break;
    case 2: tirbi_text_add(out, "T.Select(%s < %s and %s >= 0, %s, 0)", v->name, e, v->name, v->name); break;
    default: tirbi_text_add(out, "T.min(T.max(%s - %u, 0), %s - 1)", v->name, tirbi_gen_pick(g, 3), e); break;
    }
    tirbi_text_free(&extent);
}

void tirbi_gen_index(tirbi_gen *g, const tirbi_gen_dim *dim, tirbi_text *out) {
    const tirbi_gen_var *v = fitting_var(g, dim);
    if (g->may_trap && tirbi_gen_chance(g, 2)) {
        const tirbi_gen_var *any = index_var(g);
        if (any != NULL) {
            tirbi_text_add(out, "%s + %u", any->name, tirbi_gen_pick(g, 4));
            return;
        }
    }
    if (v != NULL && dim->symbol < 0 && tirbi_gen_chance(g, 25)) {
        int64_t room = dim->value - 1 - v->high;
        switch (tirbi_gen_pick(g, 4)) {
        case 0: tirbi_text_add(out, "%lld - %s", (long long)(dim->value - 1), v->name); return;
        case 1:
            tirbi_text_add(out, "%s + %lld", v->name,
                           (long long)(room > 0 ? tirbi_gen_pick(g, (uint32_t)room + 1) : 0));
            return;
        case 2: tirbi_text_add(out, "%s // %u", v->name, 1 + tirbi_gen_pick(g, 3)); return;
        default:
            if (v->high * 2 < dim->value) {
                tirbi_text_add(out, "%s * 2", v->name);
                return;
            }
            break;
        }
    }
    if (v != NULL && !tirbi_gen_chance(g, 5)) {
        tirbi_text_add(out, "%s", v->name);
        return;
    }
    v = index_var(g);
    if (v != NULL && dim->value > 0 && tirbi_gen_chance(g, 80)) {
        clamped_index(g, v, dim, out);
    } else {
        tirbi_text_add(out, "%u", dim->value > 0 && dim->symbol < 0 ? tirbi_gen_pick(g, (uint32_t)dim->value) : 0);
    }
}

void tirbi_gen_load(tirbi_gen *g, const tirbi_gen_buffer *b, tirbi_text *out) {
    tirbi_text_add(out, "%s[", b->name);
    if (b->ndim == 0) tirbi_text_add(out, "()");
    for (uint32_t i = 0; i < b->ndim; i++) {
        if (i > 0) tirbi_text_add(out, ", ");
        tirbi_gen_index(g, &b->dims[i], out);
    }
    tirbi_text_add(out, "]");
}

static const tirbi_gen_buffer *buffer_of(tirbi_gen *g, tirbi_dtype type) {
    uint32_t found[TIRBI_GEN_BUFFERS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_buffers; i++) {
        if (g->buffers[i].type == type) found[n++] = i;
    }
    return n == 0 ? NULL : &g->buffers[found[tirbi_gen_pick(g, n)]];
}

static bool let_var(tirbi_gen *g, tirbi_dtype type, tirbi_text *out) {
    for (uint32_t i = 0; i < g->n_vars; i++) {
        if (g->vars[i].type != type || g->vars[i].index || !tirbi_gen_chance(g, 60)) continue;
        tirbi_text_add(out, "%s", g->vars[i].name);
        return true;
    }
    return false;
}

static void leaf(tirbi_gen *g, tirbi_dtype type, tirbi_text *out) {
    if (let_var(g, type, out)) return;
    const tirbi_gen_buffer *b = buffer_of(g, type);
    if (b != NULL && tirbi_gen_chance(g, 75)) {
        tirbi_gen_load(g, b, out);
        return;
    }
    const tirbi_gen_var *v = index_var(g);
    if (v != NULL && type != TIRB_BOOL && tirbi_gen_chance(g, 40)) {
        if (type == TIRB_I32) {
            tirbi_text_add(out, "%s", v->name);
        } else {
            tirbi_text_add(out, "T.Cast(\"%s\", %s)", type_name(type), v->name);
        }
        return;
    }
    literal(g, type, out);
}

/* ---- Operators ------------------------------------------------------------------------------------------------ */

static void two(tirbi_gen *g, tirbi_dtype type, uint32_t depth, const char *before, const char *between,
                const char *after, tirbi_text *out) {
    tirbi_text_add(out, "%s", before);
    tirbi_gen_expr(g, type, depth, out);
    tirbi_text_add(out, "%s", between);
    tirbi_gen_expr(g, type, depth, out);
    tirbi_text_add(out, "%s", after);
}

static void one(tirbi_gen *g, tirbi_dtype type, uint32_t depth, const char *function, tirbi_text *out) {
    tirbi_text_add(out, "T.%s(", function);
    tirbi_gen_expr(g, type, depth, out);
    tirbi_text_add(out, ")");
}

/* A divisor that is not zero, nearly always. */
static void divisor(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    if (g->may_trap && tirbi_gen_chance(g, 10)) {
        tirbi_gen_expr(g, type, depth, out);
    } else if (tirbi_gen_chance(g, 60)) {
        static const int64_t values[] = {1, 2, 3, 5, 7, 16, -1, -3};
        int64_t value = values[tirbi_gen_pick(g, tirbi_dtype_is_signed(type) ? 8 : 6)];
        tirbi_text_add(out, "T.%s(%lld)", type_name(type), (long long)value);
    } else {
        tirbi_text_add(out, "T.max(");
        tirbi_gen_expr(g, type, depth, out);
        tirbi_text_add(out, ", T.%s(1))", type_name(type));
    }
}

static void int_operator(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    static const char *const division[] = {"T.floordiv(", "T.floormod(", "T.truncdiv(",
                                           "T.truncmod(", "T.Div(",      "T.Mod("};
    static const char *const bits[] = {"T.bitwise_and(", "T.bitwise_or(", "T.bitwise_xor("};
    switch (tirbi_gen_pick(g, 11)) {
    case 0:
    case 1: two(g, type, depth, "(", " + ", ")", out); break;
    case 2: two(g, type, depth, "(", " - ", ")", out); break;
    case 3: two(g, type, depth, "(", " * ", ")", out); break;
    case 4: two(g, type, depth, "T.min(", ", ", ")", out); break;
    case 5: two(g, type, depth, "T.max(", ", ", ")", out); break;
    case 6:
        tirbi_text_add(out, "%s", division[tirbi_gen_pick(g, 6)]);
        tirbi_gen_expr(g, type, depth, out);
        tirbi_text_add(out, ", ");
        divisor(g, type, depth, out);
        tirbi_text_add(out, ")");
        break;
    case 7: two(g, type, depth, bits[tirbi_gen_pick(g, 3)], ", ", ")", out); break;
    case 8:
        tirbi_text_add(out, tirbi_gen_chance(g, 50) ? "T.shift_left(" : "T.shift_right(");
        tirbi_gen_expr(g, type, depth, out);
        if (tirbi_gen_chance(g, 60)) {
            tirbi_text_add(out, ", T.%s(%u))", type_name(type), tirbi_gen_pick(g, tirbi_dtypes[type].bits));
        } else {
            tirbi_text_add(out, ", ");
            tirbi_gen_expr(g, type, depth, out);
            tirbi_text_add(out, ")");
        }
        break;
    case 9:
        if (type == TIRB_I32 && tirbi_gen_chance(g, 40)) {
            static const uint8_t counted[] = {TIRB_I32, TIRB_U8, TIRB_I64, TIRB_U16};
            one(g, (tirbi_dtype)counted[tirbi_gen_pick(g, 4)], depth, "clz", out);
        } else if (tirbi_gen_chance(g, 30)) {
            one(g, type, depth, "popcount", out);
        } else {
            one(g, type, depth, tirbi_dtype_is_signed(type) && tirbi_gen_chance(g, 50) ? "abs" : "bitwise_not", out);
        }
        break;
    default:
        if (tirbi_dtype_is_signed(type)) {
            tirbi_text_add(out, "(-");
            tirbi_gen_expr(g, type, depth, out);
            tirbi_text_add(out, ")");
        } else {
            two(g, type, depth, "(", " + ", ")", out);
        }
        break;
    }
}

static const char *const unary[] = {"exp", "sqrt", "tanh", "floor", "ceil", "round", "trunc", "abs", "sigmoid", "log",
                                    "sin", "cos", "erf", "rsqrt", "exp2", "atan", "nearbyint", "log2",
                                    "exp10", "expm1", "log10", "log1p", "tan", "asin", "acos", "sinh", "cosh", "asinh",
                                    "acosh", "atanh", "fabs"};
static const char *const binary[] = {"pow", "atan2", "hypot", "copysign", "nextafter"};
/* Of C's and CUDA's libraries, by their names there. */
static const struct {
    const char *name;
    uint8_t n;
} externs[] = {
    {"cbrt", 1}, {"sinpi", 1}, {"cospi", 1}, {"logb", 1}, {"erfc", 1}, {"erfcx", 1}, {"erfinv", 1}, {"erfcinv", 1},
    {"normcdf", 1}, {"tgamma", 1}, {"lgamma", 1}, {"j0", 1}, {"j1", 1}, {"y0", 1}, {"y1", 1}, {"cyl_bessel_i0", 1},
    {"cyl_bessel_i1", 1}, {"rcbrt", 1}, {"normcdfinv", 1}, {"round", 1}, {"remainder", 2}, {"rhypot", 2}, {"fdim", 2},
    {"fdivide", 2}, {"fmax", 2}, {"fmin", 2}, {"norm3d", 3}, {"rnorm3d", 3}, {"norm4d", 4}, {"rnorm4d", 4},
};
enum { N_EXTERNS = sizeof externs / sizeof *externs };

static void extern_call(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    uint32_t which = tirbi_gen_pick(g, N_EXTERNS);
    tirbi_text_add(out, "T.call_pure_extern(\"%s\", \"%s%s\"", type_name(type), externs[which].name,
                   type == TIRB_F32 ? "f" : "");
    for (uint32_t i = 0; i < externs[which].n; i++) {
        tirbi_text_add(out, ", ");
        tirbi_gen_expr(g, type, depth, out);
    }
    tirbi_text_add(out, ")");
}

/* o[i] = f(a[i], a[i + 1 modulo n], ..). */
static void gen_extern(tirbi_gen *g, uint64_t which, tirbi_dtype type, const char *o, const char *a, long long n) {
    char text[400] = "";
    size_t used = 0;
    for (unsigned i = 0; i < externs[which].n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s[(i + %u) %% %lld]", a, i, n);
    tirbi_gen_line(g, "    %s[i] = T.call_pure_extern(\"%s\", \"%s%s\"%s)", o, type_name(type), externs[which].name,
                   type == TIRB_F32 ? "f" : "", text);
}

void tirbi_gen_function(tirbi_gen *g, uint64_t turn) {
    enum { N_UNARY = sizeof unary / sizeof *unary, N_BINARY = sizeof binary / sizeof *binary };
    uint64_t which = turn % (N_UNARY + N_BINARY + N_EXTERNS);
    tirbi_dtype type = tirbi_gen_chance(g, 60) ? TIRB_F32 : TIRB_F64;
    tirbi_gen_dim dim = tirbi_gen_constant(1 + tirbi_gen_pick(g, 40));
    tirbi_gen_buffer *a = tirbi_gen_input(g, type, 1, &dim);
    tirbi_gen_buffer *o = tirbi_gen_output(g, type, 1, &dim);
    if (a == NULL || o == NULL) return;
    tirbi_gen_line(g, "for i in range(%lld):", (long long)dim.value);
    if (which < N_UNARY) tirbi_gen_line(g, "    %s[i] = T.%s(%s[i])", o->name, unary[which], a->name);
    else if (which < N_UNARY + N_BINARY)
        tirbi_gen_line(g, "    %s[i] = T.%s(%s[i], %s[%lld - i])", o->name, binary[which - N_UNARY], a->name, a->name,
                       (long long)dim.value - 1);
    else
        gen_extern(g, which - N_UNARY - N_BINARY, type, o->name, a->name, (long long)dim.value);
}

static void float_operator(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    switch (tirbi_gen_pick(g, 14)) {
    case 0:
    case 1:
    case 2: two(g, type, depth, "(", " + ", ")", out); break;
    case 3: two(g, type, depth, "(", " - ", ")", out); break;
    case 4:
    case 5:
    case 6: two(g, type, depth, "(", " * ", ")", out); break;
    case 7: two(g, type, depth, "(", " / ", ")", out); break;
    case 8: two(g, type, depth, "T.min(", ", ", ")", out); break;
    case 9: two(g, type, depth, "T.max(", ", ", ")", out); break;
    case 12: extern_call(g, type, depth, out); break;
    case 10: one(g, type, depth, unary[tirbi_gen_pick(g, sizeof unary / sizeof *unary)], out); break;
    case 11:
        if (tirbi_gen_chance(g, 50)) {
            tirbi_text_add(out, "T.fma(");
            tirbi_gen_expr(g, type, depth, out);
            two(g, type, depth, ", ", ", ", ")", out);
        } else {
            tirbi_text_add(out, "T.%s(", binary[tirbi_gen_pick(g, sizeof binary / sizeof *binary)]);
            two(g, type, depth, "", ", ", ")", out);
        }
        break;
    default:
        tirbi_text_add(out, "(-");
        tirbi_gen_expr(g, type, depth, out);
        tirbi_text_add(out, ")");
        break;
    }
}

static void bits_of(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    tirbi_dtype from = type == TIRB_F32   ? TIRB_I32
                       : type == TIRB_I32 ? TIRB_F32
                       : type == TIRB_F64 ? TIRB_I64
                       : type == TIRB_U64 ? TIRB_F64
                                          : type;
    if (from == type) {
        leaf(g, type, out);
        return;
    }
    tirbi_text_add(out, "T.reinterpret(\"%s\", ", type_name(type));
    tirbi_gen_expr(g, from, depth, out);
    tirbi_text_add(out, ")");
}

void tirbi_gen_condition(tirbi_gen *g, uint32_t depth, tirbi_text *out) {
    static const char *const compare[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    uint32_t which = tirbi_gen_pick(g, depth > 0 ? 10 : 6);
    if (which < 6) {
        tirbi_dtype type = tirbi_gen_type(g);
        const tirbi_gen_var *v = index_var(g);
        if (v != NULL && tirbi_gen_chance(g, 40)) {
            tirbi_text_add(out, "%s%s%u", v->name, compare[which],
                           tirbi_gen_pick(g, (uint32_t)(v->high > 0 ? v->high + 2 : 2)));
            return;
        }
        if (type == TIRB_BOOL) type = TIRB_I32;
        two(g, type, depth > 0 ? depth - 1 : 0, "(", compare[which], ")", out);
    } else if (which == 6) {
        tirbi_text_add(out, "(not ");
        tirbi_gen_condition(g, depth - 1, out);
        tirbi_text_add(out, ")");
    } else if (which == 7) {
        tirbi_text_add(out, "T.isnan(");
        tirbi_gen_expr(g, tirbi_gen_chance(g, 70) ? TIRB_F32 : TIRB_F64, depth - 1, out);
        tirbi_text_add(out, ")");
    } else {
        tirbi_text_add(out, "(");
        tirbi_gen_condition(g, depth - 1, out);
        tirbi_text_add(out, which == 8 ? " and " : " or ");
        tirbi_gen_condition(g, depth - 1, out);
        tirbi_text_add(out, ")");
    }
}

static void choice(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    tirbi_text_add(out, tirbi_gen_chance(g, 50) ? "T.Select(" : "T.if_then_else(");
    tirbi_gen_condition(g, depth, out);
    two(g, type, depth, ", ", ", ", ")", out);
}

static void conversion(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    tirbi_dtype from = tirbi_gen_type(g);
    if (from == type) {
        leaf(g, type, out);
        return;
    }
    tirbi_text_add(out, "T.Cast(\"%s\", ", type_name(type));
    tirbi_gen_expr(g, from, depth, out);
    tirbi_text_add(out, ")");
}

void tirbi_gen_expr(tirbi_gen *g, tirbi_dtype type, uint32_t depth, tirbi_text *out) {
    if (depth == 0 || tirbi_gen_chance(g, 15)) {
        leaf(g, type, out);
    } else if (tirbi_gen_chance(g, 8)) {
        conversion(g, type, depth - 1, out);
    } else if (tirbi_gen_chance(g, 8)) {
        choice(g, type, depth - 1, out);
    } else if (tirbi_gen_chance(g, 2)) {
        bits_of(g, type, depth - 1, out);
    } else if (type == TIRB_BOOL) {
        tirbi_gen_condition(g, depth - 1, out);
    } else if (tirbi_dtype_is_float(type)) {
        float_operator(g, type, depth - 1, out);
    } else {
        int_operator(g, type, depth - 1, out);
    }
}
