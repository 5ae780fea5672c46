/* Python's own functions, over the numbers and tuples that a text knows while it is read. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/text/script/names.h"

static const tirbi_value *plain(const tirbi_value *v) {
    while (v->kind == TIRBI_VALUE_META) v = v->as.meta;
    return v;
}

static double real_of(const tirbi_value *v) {
    if (v->kind == TIRBI_VALUE_FLOAT) return v->as.real;
    if (v->kind == TIRBI_VALUE_BOOL) return v->as.boolean;
    return v->big ? (double)(uint64_t)v->as.integer : (double)v->as.integer;
}

/* What is no float as an integer: a bool is 0 or 1. */
static tirbi_value whole(const tirbi_value *v) {
    return v->kind == TIRBI_VALUE_BOOL ? tirbi_value_int(v->as.boolean) : *v;
}

/* The argument as a Python number; `instead` says what to write for values of the program. */
static const tirbi_value *number(tirbi_script *s, const tirbi_call *c, const tirbi_value *v, const char *instead) {
    v = plain(v);
    if (tirbi_is_error(v)) return NULL;
    if (tirbi_is_number(v)) return v;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is for Python's numbers; write %s for values of the program",
               c->entry->name, instead);
    return NULL;
}

static tirbi_value python_int(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "T.int32(...)");
    if (!v) return tirbi_value_error();
    if (v->kind != TIRBI_VALUE_FLOAT) return whole(v);
    if (!(fabs(v->as.real) < 0x1p63))
        return tirbi_fail(s, TIRB_VALUE, c->node->span, "this constant does not fit 64 bits");
    return tirbi_value_int((int64_t)v->as.real);
}

static tirbi_value python_float(tirbi_script *s, const tirbi_call *c) {
    static const char *const limits[] = {"inf", "-inf", "nan"};
    static const double values[] = {INFINITY, -INFINITY, NAN};
    const tirbi_value *v = plain(&c->args[0]);
    tirbi_value out = {.kind = TIRBI_VALUE_FLOAT};
    for (int i = 0; i < 3 && v->kind == TIRBI_VALUE_STRING; i++) {
        out.as.real = values[i];
        if (strcmp(v->as.string.text, limits[i]) == 0) return out;
    }
    v = number(s, c, v, "T.float32(...)");
    if (!v) return tirbi_value_error();
    out.as.real = real_of(v);
    return out;
}

static tirbi_value python_bool(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "T.bool(...)");
    if (!v) return tirbi_value_error();
    tirbi_value out = {.kind = TIRBI_VALUE_BOOL};
    out.as.boolean = real_of(v) != 0;
    return out;
}

static tirbi_value python_round(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "T.round(...)");
    if (!v) return tirbi_value_error();
    if (v->kind != TIRBI_VALUE_FLOAT) return whole(v);
    if (!(fabs(v->as.real) < 0x1p63))
        return tirbi_fail(s, TIRB_VALUE, c->node->span, "this constant does not fit 64 bits");
    double down = floor(v->as.real), rest = v->as.real - down;
    bool up = rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0); /* halves to even */
    return tirbi_value_int((int64_t)down + up);
}

static tirbi_value python_abs(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "T.abs(...)"), zero = tirbi_value_int(0);
    if (!v) return tirbi_value_error();
    if (v->kind == TIRBI_VALUE_FLOAT) return (tirbi_value){.kind = TIRBI_VALUE_FLOAT, .as.real = fabs(v->as.real)};
    if (real_of(v) >= 0) return whole(v);
    return tirbi_binary(s, c->node, TIRBI_TOKEN_SUB, &zero, v);
}

static tirbi_value python_len(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = plain(&c->args[0]);
    if (v->kind == TIRBI_VALUE_TUPLE) return tirbi_value_int(v->as.sequence.n);
    if (v->kind == TIRBI_VALUE_STRING)
        return tirbi_value_int((int64_t)tirbi_count_characters(v->as.string.text, v->as.string.size));
    if (tirbi_is_error(v)) return tirbi_value_error();
    return tirbi_fail(s, TIRB_TYPE, c->node->span,
                      "`len` is for tuples, lists and strings, not %s; write A.shape[0] "
                      "for a buffer's extent",
                      tirbi_value_text(v));
}

/* The arguments, or the items of the one tuple that is given. */
static const tirbi_value *items_of(const tirbi_call *c, uint32_t *n) {
    const tirbi_value *all = &c->args[0];
    const tirbi_value *first = all->as.sequence.n == 1 ? plain(&all->as.sequence.items[0]) : NULL;
    if (first && first->kind == TIRBI_VALUE_TUPLE) all = first;
    *n = all->as.sequence.n;
    return all->as.sequence.items;
}

static bool is_below(const tirbi_value *a, const tirbi_value *b) {
    if (a->kind != TIRBI_VALUE_FLOAT && b->kind != TIRBI_VALUE_FLOAT) return tirbi_compare_integers(a, b) < 0;
    return real_of(a) < real_of(b);
}

/* min and max: the first of the smallest or largest numbers. */
static tirbi_value python_extreme(tirbi_script *s, const tirbi_call *c) {
    uint32_t n;
    const tirbi_value *items = items_of(c, &n), *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_value *v = number(s, c, &items[i], c->entry->data ? "T.max(a, b)" : "T.min(a, b)");
        if (!v) return tirbi_value_error();
        if (!best || (c->entry->data ? is_below(best, v) : is_below(v, best))) best = v;
    }
    if (best) return *best;
    return tirbi_fail(s, TIRB_VALUE, c->node->span, "`%s` needs a number", c->entry->name);
}

static tirbi_value python_sum(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *all = plain(&c->args[0]);
    tirbi_value total = tirbi_value_int(0);
    if (tirbi_is_error(all)) return tirbi_value_error();
    if (all->kind != TIRBI_VALUE_TUPLE)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "`sum` is for tuples and lists; write a loop for a buffer");
    for (uint32_t i = 0; i < all->as.sequence.n; i++)
        total = tirbi_binary(s, c->node, TIRBI_TOKEN_ADD, &total, plain(&all->as.sequence.items[i]));
    return total;
}

/* list, tuple: the items themselves. */
static tirbi_value python_items(tirbi_script *s, const tirbi_call *c) {
    tirbi_value out;
    return tirbi_to_items(s, c->node, &c->args[0], &out) ? out : tirbi_value_error();
}

/* The i-th items of several sequences side by side, as far as the shortest goes. */
static tirbi_value side_by_side(tirbi_script *s, const tirbi_value *sequences, uint32_t n) {
    uint32_t least = n ? sequences[0].as.sequence.n : 0;
    for (uint32_t i = 1; i < n; i++)
        if (sequences[i].as.sequence.n < least) least = sequences[i].as.sequence.n;
    tirbi_value out = {.kind = TIRBI_VALUE_TUPLE};
    out.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, least);
    if (!out.as.sequence.items) return tirbi_value_error();
    out.as.sequence.n = least;
    for (uint32_t i = 0; i < least; i++) {
        tirbi_value *item = &out.as.sequence.items[i];
        *item = (tirbi_value){.kind = TIRBI_VALUE_TUPLE, .node = sequences[0].node};
        item->as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
        if (!item->as.sequence.items) return tirbi_value_error();
        item->as.sequence.n = n;
        for (uint32_t j = 0; j < n; j++) item->as.sequence.items[j] = sequences[j].as.sequence.items[i];
    }
    return out;
}

static tirbi_value python_zip(tirbi_script *s, const tirbi_call *c) {
    uint32_t n = c->args[0].as.sequence.n;
    tirbi_value *sequences = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    if (!sequences) return tirbi_value_error();
    for (uint32_t i = 0; i < n; i++)
        if (!tirbi_to_items(s, c->node, &c->args[0].as.sequence.items[i], &sequences[i])) return tirbi_value_error();
    return side_by_side(s, sequences, n);
}

static tirbi_value python_enumerate(tirbi_script *s, const tirbi_call *c) {
    tirbi_value sequences[2] = {{.kind = TIRBI_VALUE_TUPLE, .node = c->node}};
    if (!tirbi_to_items(s, c->node, &c->args[0], &sequences[1])) return tirbi_value_error();
    uint32_t n = sequences[1].as.sequence.n;
    sequences[0].as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, n);
    if (!sequences[0].as.sequence.items) return tirbi_value_error();
    sequences[0].as.sequence.n = n;
    for (uint32_t i = 0; i < n; i++) {
        sequences[0].as.sequence.items[i] = tirbi_value_int(i);
        sequences[0].as.sequence.items[i].node = c->node;
    }
    return side_by_side(s, sequences, 2);
}

/* ---- math -------------------------------------------------------------------------------------------------------
 * Only what every machine computes alike: a program's text means the same numbers everywhere. */

enum { MATH_SQRT, MATH_FABS, MATH_FLOOR, MATH_CEIL, MATH_TRUNC };

static tirbi_value math_rounded(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "the function of T");
    if (!v) return tirbi_value_error();
    double x = real_of(v), y = c->entry->data == MATH_FLOOR  ? floor(x)
                               : c->entry->data == MATH_CEIL ? ceil(x)
                                                             : trunc(x);
    if (v->kind != TIRBI_VALUE_FLOAT) return whole(v);
    if (!(fabs(y) < 0x1p63)) return tirbi_fail(s, TIRB_VALUE, c->node->span, "this constant does not fit 64 bits");
    return tirbi_value_int((int64_t)y);
}

static tirbi_value math_real(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "the function of T");
    if (!v) return tirbi_value_error();
    double x = real_of(v);
    if (c->entry->data == MATH_SQRT && x < 0)
        return tirbi_fail(s, TIRB_VALUE, c->node->span, "the square root of a negative number");
    return (tirbi_value){.kind = TIRBI_VALUE_FLOAT, .as.real = c->entry->data == MATH_SQRT ? sqrt(x) : fabs(x)};
}

/* The logarithm of a power of two, the only one that is exact. */
static tirbi_value math_log2(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *v = number(s, c, &c->args[0], "T.log2(...)");
    int exponent = 0;
    if (!v) return tirbi_value_error();
    if (!(real_of(v) > 0) || isinf(real_of(v)) || frexp(real_of(v), &exponent) != 0.5)
        return tirbi_fail(s, TIRB_UNSUPPORTED, c->node->span,
                          "`log2` of this number is not exact: write the number itself");
    return (tirbi_value){.kind = TIRBI_VALUE_FLOAT, .as.real = exponent - 1};
}

static uint64_t magnitude(const tirbi_value *v) {
    const uint64_t n = (uint64_t)v->as.integer;
    return v->as.integer < 0 && !v->big ? 0 - n : n;
}

static tirbi_value math_gcd(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *x = number(s, c, &c->args[0], "a number"), *y = number(s, c, &c->args[1], "a number");
    if (!x || !y) return tirbi_value_error();
    if (x->kind != TIRBI_VALUE_INT || y->kind != TIRBI_VALUE_INT)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "`gcd` is for integers");
    uint64_t a = magnitude(x), b = magnitude(y);
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    tirbi_value out = tirbi_value_int((int64_t)a);
    out.big = a > INT64_MAX;
    return out;
}

const char *tirbi_type_of_python(const tirbi_value *v) {
    if (v->kind != TIRBI_VALUE_ENTRY) return NULL;
    return v->as.entry->handler == python_int     ? "int32"
           : v->as.entry->handler == python_float ? "float32"
           : v->as.entry->handler == python_bool  ? "bool"
                                                  : NULL;
}

const tirbi_entry tirbi_math_functions[] = {
    {"sqrt", math_real, "x", MATH_SQRT},
    {"fabs", math_real, "x", MATH_FABS},
    {"floor", math_rounded, "x", MATH_FLOOR},
    {"ceil", math_rounded, "x", MATH_CEIL},
    {"trunc", math_rounded, "x", MATH_TRUNC},
    {"log2", math_log2, "x", 0},
    {"gcd", math_gcd, "a b", 0},
    {NULL, NULL, NULL, 0},
};

/* What NumPy and its like call otherwise than T does. */
static const char *name_of_tir(const char *name) {
    static const char *const names[][2] = {
        {"absolute", "abs"},
        {"maximum", "max"},
        {"minimum", "min"},
        {"fmax", "max"},
        {"fmin", "min"},
        {"arcsin", "asin"},
        {"arccos", "acos"},
        {"arctan", "atan"},
        {"arctan2", "atan2"},
        {"arcsinh", "asinh"},
        {"arccosh", "acosh"},
        {"arctanh", "atanh"},
        {"rint", "nearbyint"},
        {"power", "pow"},
        {"where", "Select"},
        {"mod", "floormod"},
        {"remainder", "floormod"},
        {"floor_divide", "floordiv"},
        {"left_shift", "shift_left"},
        {"right_shift", "shift_right"},
        {"bool_", "bool"},
        {"single", "float32"},
        {"double", "float64"},
        {"half", "float16"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0) return names[i][1];
    return name;
}

const char *tirbi_written_in_tir(const char *name, char text[static 64]) {
    static const char *const others[][2] = {
        {"zeros", "T.alloc_buffer(shape, \"float32\"), and store its elements"},
        {"empty", "T.alloc_buffer(shape, \"float32\"), and store its elements"},
        {"ones", "T.alloc_buffer(shape, \"float32\"), and store its elements"},
        {"full", "T.alloc_buffer(shape, \"float32\"), and store its elements"},
        {"array", "T.alloc_buffer(shape, \"float32\"), and store its elements"},
        {"zeros_like", "T.alloc_buffer(shape, \"float32\"), and store its elements"},
        {"relu", "T.max(x, 0)"},
        {"square", "x * x"},
        {"sum", "a loop that adds to one element"},
        {"mean", "a loop that adds to one element, and divide"},
        {"dot", "loops that add up the products"},
        {"matmul", "loops that add up the products"},
        {"softmax", "loops: the maximum, T.exp, their sum, and a division"},
        {"arange", "the loop's variable"},
        {"nan", "T.float32(\"nan\")"},
        {"inf", "T.infinity(\"float32\")"},
        {"where", "T.Select(condition, a, b), or T.if_then_else where an arm may not be evaluated"},
        {"transpose", "the indices in the other order"},
        {"clip", "T.max(T.min(x, high), low)"},
        {"argmax", "a loop that keeps the largest and its index"},
        {"prange", "T.parallel(n)"},
        {"const_range", "T.unroll(n)"},
        {"Unrolled", "T.unroll(n)"},
        {"output_tensor", "a parameter for the result, and store into it"},
        {"float", "T.float32(...), or \"float32\" for a type"},
        {"int", "T.int32(...), or \"int32\" for a type"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0) return others[i][1];
    const char *known = name_of_tir(name);
    tirb_datatype type;
    bool function = known != name;
    for (const tirbi_entry *entry = tirbi_math_names; entry->name && !function; entry++)
        function = strcmp(entry->name, known) == 0;
    const bool is_type = tirb_datatype_from_text(known, strlen(known), &type);
    if (strlen(known) > 16 || !(function || is_type)) return NULL;
    snprintf(text, 64, is_type ? "T.%s(...), or \"%s\" for a type" : "T.%s(...)", known, known);
    return text;
}

const char *tirbi_in_dialect(const tirbi_script *s, const char *text, char out[static 128]) {
    size_t n = 0;
    if (!text || !tirbi_hybrid(s)) return text;
    for (const char *at = text; *at && n < 120; at++) {
        const bool space = at[0] == 'T' && at[1] == '.' && (at == text || at[-1] == ' ' || at[-1] == '(');
        if (space)
            n += (size_t)snprintf(out + n, 128 - n, "tir");
        else
            out[n++] = *at;
    }
    out[n] = '\0';
    return out;
}

bool tirbi_explain_imported(tirbi_script *s, const tirbi_node *place, const char *module, const char *name) {
    char text[64], said[128];
    const char *written = tirbi_in_dialect(s, tirbi_written_in_tir(name, text), said);
    if (written)
        tirbi_fail(s, TIRB_UNSUPPORTED, place->span, "`%s` of %s is Python, which does not run in a kernel; write %s",
                   name, module, written);
    return written;
}

tirbi_value tirbi_fail_imported(tirbi_script *s, const tirbi_node *place, const char *module, const char *name) {
    if (name && tirbi_explain_imported(s, place, module, name)) return tirbi_value_error();
    return tirbi_fail(s, TIRB_UNSUPPORTED, place->span, "`%s` cannot be imported: a program is TVMScript alone",
                      module);
}

tirbi_value tirbi_fail_unknown(tirbi_script *s, const tirbi_node *place, const char *space, const char *name) {
    char text[64], said[128];
    const char *written = tirbi_in_dialect(s, tirbi_written_in_tir(name, text), said);
    return tirbi_fail(s, TIRB_UNSUPPORTED, place->span, "there is no `%s.%s`%s%s", space, name,
                      written ? "; write " : "", written ? written : "");
}

tirbi_value tirbi_math_member(tirbi_script *s, const tirbi_node *place, const char *name) {
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 0x1.921fb54442d18p+1},
                     {"tau", 0x1.921fb54442d18p+2},
                     {"e", 0x1.5bf0a8b145769p+1},
                     {"inf", INFINITY},
                     {"nan", NAN}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(constants[i].name, name) == 0)
            return (tirbi_value){.kind = TIRBI_VALUE_FLOAT, .as.real = constants[i].value};
    for (const tirbi_entry *entry = tirbi_math_functions; entry->name; entry++)
        if (strcmp(entry->name, name) == 0) return (tirbi_value){.kind = TIRBI_VALUE_ENTRY, .as.entry = entry};
    return tirbi_fail(s, TIRB_UNSUPPORTED, place->span,
                      "`math.%s` is not the same on every machine, or unknown: write its value, or T.%s(...) for "
                      "values of the program",
                      name, name);
}

const tirbi_entry tirbi_python_names[] = {
    {"range", tirbi_python_range, "start stop? step? annotations? unroll?", 0},
    {"TypeVar", tirbi_type_var, "name bound?", 0},
    {"len", python_len, "obj", 0},
    {"min", python_extreme, "*values", 0},
    {"max", python_extreme, "*values", 1},
    {"abs", python_abs, "x", 0},
    {"sum", python_sum, "values", 0},
    {"round", python_round, "x", 0},
    {"int", python_int, "x", 0},
    {"float", python_float, "x", 0},
    {"bool", python_bool, "x", 0},
    {"print", NULL, "a kernel stores what it computes, and `tirb run` prints that", 0},
    {"enumerate", python_enumerate, "iterable", 0},
    {"zip", python_zip, "*iterables", 0},
    {"list", python_items, "iterable", 0},
    {"tuple", python_items, "iterable", 0},
    {NULL, NULL, NULL, 0},
};
