/* Values of Relax: types, shapes, constants, and what Python's values stand for. */
#include <math.h>
#include <string.h>

#include "compiler/text/script/relax.h"

tirbi_value tirbi_value_relax(const tirb_relax_expr *e) {
    return e ? (tirbi_value){.kind = TIRBI_VALUE_RELAX, .as.relax = e} : tirbi_value_error();
}

tirbi_value tirbi_relax_use(tirbi_script *s, tirbi_span span, const tirb_relax_var *var) {
    if (!var) return tirbi_value_error();
    if (var->scalar) return tirbi_value_expr(var->scalar);
    return tirbi_value_relax(tirbi_relax_make_var(&s->relax->builder, span, var));
}

static tirbi_span place_of(const tirbi_value *v) { return v->node ? v->node->span : (tirbi_span){0, 0}; }

static const tirb_relax_expr *external(tirbi_script *s, const tirbi_value *v) {
    tirb_relax_expr *e = tirbi_relax_make(&s->relax->builder, place_of(v), TIRB_RELAX_EXTERN);
    if (!e) return NULL;
    e->as.symbol = v->as.name;
    e->type = tirbi_relax_opaque_function(&s->relax->builder, tirbi_relax_any(&s->relax->builder), false);
    return e->type ? e : NULL;
}

/* A name of the module, or what R.ExternFunc("..") says without one. */
static const tirb_relax_expr *global(tirbi_script *s, const tirbi_value *v) {
    tirbi_relax_builder *b = &s->relax->builder;
    tirb_relax_expr *e = tirbi_relax_make(b, place_of(v), TIRB_RELAX_GLOBAL);
    if (!e) return NULL;
    if (v->kind == TIRBI_VALUE_FUNCTION) {
        if (v->as.function->broken) return NULL;
        e->as.global.primfunc = v->as.function->ir;
        e->as.global.name = v->as.function->line->name;
        v->as.function->ir->is_entry = true;
    } else {
        e->as.global.name = v->as.name;
        const tirb_extern *externs = s->externs.items;
        for (uint32_t i = 0; i < s->externs.n; i++)
            if (externs[i].name == v->as.name) e->as.global.external = &externs[i];
        if (!e->as.global.external) return external(s, v);
    }
    e->type = tirbi_relax_opaque_function(b, tirbi_relax_any(b), v->kind == TIRBI_VALUE_FUNCTION);
    return e->type ? e : NULL;
}

static const tirb_relax_expr *tuple_of(tirbi_script *s, const tirbi_value *v) {
    uint32_t n = v->as.sequence.n;
    const tirb_relax_expr **items = TIRBI_NEW_ARRAY(s->arena, const tirb_relax_expr *, n);
    if (!items) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!(items[i] = tirbi_to_relax(s, &v->as.sequence.items[i]))) return NULL;
    return tirbi_relax_make_tuple(&s->relax->builder, place_of(v), items, n);
}

const tirb_relax_expr *tirbi_to_relax(tirbi_script *s, const tirbi_value *v) {
    tirbi_relax_builder *b = &s->relax->builder;
    tirbi_span span = place_of(v);
    switch (v->kind) {
    case TIRBI_VALUE_ERROR:
        return NULL;
    case TIRBI_VALUE_RELAX:
        return v->as.relax;
    case TIRBI_VALUE_META:
        return tirbi_to_relax(s, v->as.meta);
    case TIRBI_VALUE_INT:
        return tirbi_relax_make_prim(b, span, tirbi_to_typed(s, v, tirbi_type_i64));
    case TIRBI_VALUE_FLOAT:
        return tirbi_relax_make_prim(
            b, span, tirbi_to_typed(s, v, (tirb_datatype){.code = TIRB_CODE_FLOAT, .bits = 64, .lanes = 1}));
    case TIRBI_VALUE_BOOL:
        return tirbi_relax_make_prim(b, span, tirbi_make_bool(&s->builder, span, v->as.boolean));
    case TIRBI_VALUE_EXPR:
    case TIRBI_VALUE_TYPEVAR:
        return tirbi_relax_make_prim(b, span, tirbi_to_expr(s, v));
    case TIRBI_VALUE_STRING: {
        tirb_relax_expr *e = tirbi_relax_make(b, span, TIRB_RELAX_STRING);
        if (!e) return NULL;
        e->as.string.text = v->as.string.text;
        e->as.string.size = v->as.string.size;
        e->type = tirbi_relax_text_type(b);
        return e->type ? e : NULL;
    }
    case TIRBI_VALUE_TUPLE:
        return tuple_of(s, v);
    case TIRBI_VALUE_FUNCTION:
    case TIRBI_VALUE_EXTERN:
        return global(s, v);
    case TIRBI_VALUE_OPAQUE:
        if (v->node) return tirbi_relax_metadata(s, v->node);
        break;
    default:
        break;
    }
    tirbi_fail(s, TIRB_TYPE, span, "expected a value of Relax, found %s%s%.60s%s", tirbi_value_text(v),
               v->node ? ": `" : "", v->node ? tirbi_node_text(s, v->node) : "", v->node ? "`" : "");
    return NULL;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* The type of a value that is not bound yet; NULL: that is known when it is. */
static const tirb_relax_type *type_of(const tirb_relax_expr *e) {
    if (e->kind != TIRB_RELAX_TUPLE_GET) return e->type;
    const tirb_relax_type *tuple = type_of(e->as.get.tuple); /* no deeper than expressions are */
    const bool has_it = tuple && tuple->kind == TIRB_RELAX_TYPE_TUPLE && e->as.get.index < tuple->n_fields;
    return has_it ? tuple->fields[e->as.get.index] : NULL;
}

tirbi_value tirbi_relax_number(tirbi_script *s, const tirbi_value *v) {
    if (!tirbi_is_relax(v) || !tirbi_in_relax(s)) return *v;
    const tirb_relax_type *type = type_of(v->as.relax);
    if (!type || type->kind != TIRB_RELAX_TYPE_PRIM) return *v;
    const tirb_relax_expr *leaf = tirbi_relax_normalise(&s->relax->builder, v->as.relax);
    if (!leaf) return tirbi_value_error();
    const tirb_expr *number = leaf->kind == TIRB_RELAX_PRIM  ? leaf->as.prim
                              : leaf->kind == TIRB_RELAX_VAR ? leaf->as.var->scalar
                                                             : NULL;
    tirbi_value made = number ? tirbi_value_expr(number) : tirbi_value_relax(leaf);
    made.node = v->node;
    return made;
}

/* ---- Dimensions -------------------------------------------------------------------------------------------------- */

const tirb_expr *tirbi_to_dim(tirbi_script *s, const tirbi_value *v) {
    char text[32];
    tirbi_value quoted;
    if (v->kind == TIRBI_VALUE_STRING) {
        quoted = tirbi_evaluate_quoted(s, v, tirbi_type_i64);
        if (!quoted.node) quoted.node = v->node;
        v = &quoted;
    }
    if (tirbi_is_error(v)) return NULL;
    const tirb_expr *e = v->kind == TIRBI_VALUE_INT ? tirbi_to_typed(s, v, tirbi_type_i64) : tirbi_to_expr(s, v);
    if (!e) return NULL;
    if (e->kind == TIRB_EXPR_INT_IMM) return tirbi_make_cast(&s->builder, e->span, tirbi_type_i64, e);
    if (tirb_datatype_equal(e->dtype, tirbi_type_i64)) return e;
    tirbi_fail(s, TIRB_TYPE, place_of(v), "a dimension is of int64, not %s", tirb_datatype_text(e->dtype, text));
    return NULL;
}

bool tirbi_to_dims(tirbi_script *s, const tirbi_value *v, const tirb_expr *const **out, uint32_t *n) {
    *n = 0;
    if (tirbi_is_error(v)) return false;
    if (v->kind != TIRBI_VALUE_TUPLE) {
        tirbi_fail(s, TIRB_TYPE, place_of(v), "a shape is a tuple of dimensions, not %s", tirbi_value_text(v));
        return false;
    }
    if (v->as.sequence.n > TIRBI_MAX_RELAX_RANK) {
        tirbi_fail(s, TIRB_UNSUPPORTED, place_of(v), "a shape has at most %d dimensions", (int)TIRBI_MAX_RELAX_RANK);
        return false;
    }
    const tirb_expr **dims = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, (size_t)v->as.sequence.n + 1);
    if (!dims) return false;
    for (uint32_t i = 0; i < v->as.sequence.n; i++)
        if (!(dims[i] = tirbi_to_dim(s, &v->as.sequence.items[i]))) return false;
    *out = dims;
    *n = v->as.sequence.n;
    return true;
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

const tirb_relax_type *tirbi_to_relax_type(tirbi_script *s, const tirbi_value *v) {
    tirbi_relax_builder *b = &s->relax->builder;
    switch (v->kind) {
    case TIRBI_VALUE_ERROR:
        return NULL;
    case TIRBI_VALUE_RELAX_TYPE:
        return v->as.relax_type;
    case TIRBI_VALUE_NONE:
        return tirbi_relax_tuple(b, NULL, 0);
    case TIRBI_VALUE_DTYPE:
        return tirbi_relax_prim(b, v->as.dtype);
    case TIRBI_VALUE_RELAX_NAME: {
        tirbi_value named = tirbi_relax_type_name(s, v->node, v->as.name);
        return tirbi_is_error(&named) ? NULL : named.as.relax_type;
    }
    default:
        tirbi_fail(s, TIRB_TYPE, place_of(v), "expected a type of Relax such as R.Tensor((4,), \"float32\"), found %s",
                   tirbi_value_text(v));
        return NULL;
    }
}

/* ---- Constants --------------------------------------------------------------------------------------------------- */

typedef struct elements {
    double *reals;
    int64_t *integers;
    uint32_t n, capacity;
    int64_t shape[TIRBI_MAX_RELAX_RANK];
    uint32_t ndim;
    bool floats, bools; /* one is a float; all are bools */
} elements;

static bool add_number(tirbi_script *s, elements *e, const tirbi_value *v) {
    if (e->n == e->capacity) {
        uint32_t capacity = e->capacity ? 2 * e->capacity : 64;
        double *reals = TIRBI_NEW_ARRAY(s->arena, double, capacity);
        int64_t *integers = TIRBI_NEW_ARRAY(s->arena, int64_t, capacity);
        if (!reals || !integers) return false;
        if (e->n) memcpy(reals, e->reals, e->n * sizeof *reals);
        if (e->n) memcpy(integers, e->integers, e->n * sizeof *integers);
        e->reals = reals;
        e->integers = integers;
        e->capacity = capacity;
    }
    e->floats |= v->kind == TIRBI_VALUE_FLOAT;
    e->bools &= v->kind == TIRBI_VALUE_BOOL;
    e->integers[e->n] = v->kind == TIRBI_VALUE_FLOAT ? 0 : v->kind == TIRBI_VALUE_BOOL ? v->as.boolean : v->as.integer;
    e->reals[e->n] = v->kind == TIRBI_VALUE_FLOAT ? v->as.real
                     : v->big                     ? (double)(uint64_t)v->as.integer
                                                  : (double)e->integers[e->n];
    e->n++;
    return true;
}

static bool add_elements(tirbi_script *s, elements *e, const tirbi_value *v, uint32_t level) {
    static const char *const limits[] = {"inf", "-inf", "nan"};
    static const double values[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3 && v->kind == TIRBI_VALUE_STRING; i++) {
        const tirbi_value number = {.kind = TIRBI_VALUE_FLOAT, .as.real = values[i]};
        if (strcmp(v->as.string.text, limits[i]) == 0) return level == e->ndim && add_number(s, e, &number);
    }
    if (tirbi_is_number(v)) {
        if (e->n == 0) e->ndim = level;
        if (level == e->ndim) return add_number(s, e, v);
    } else if (v->kind == TIRBI_VALUE_TUPLE && level < TIRBI_MAX_RELAX_RANK && (e->n == 0 || level < e->ndim)) {
        if (e->n == 0) e->shape[level] = v->as.sequence.n;
        if (e->n == 0 && v->as.sequence.n == 0) e->ndim = level + 1;
        for (uint32_t i = 0; i < v->as.sequence.n && e->shape[level] == v->as.sequence.n; i++)
            if (!add_elements(s, e, &v->as.sequence.items[i], level + 1)) return false;
        if (e->shape[level] == v->as.sequence.n) return true;
    }
    if (!tirbi_is_error(v))
        tirbi_fail(s, TIRB_TYPE, place_of(v), "a constant is a number, or lists of numbers that have one length");
    return false;
}

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A double as a float of fewer bits, to nearest, halves to even. */
static uint64_t narrowed(double value, int exponent, int fraction) {
    const int bias = (1 << (exponent - 1)) - 1;
    const uint64_t sign = (bits_of_double(value) >> 63) << (exponent + fraction), top = ((1ull << exponent) - 1)
                                                                                        << fraction;
    if (isnan(value)) return sign | top | (1ull << (fraction - 1));
    double magnitude = fabs(value);
    if (magnitude == 0) return sign;
    int e;
    if (isinf(value)) return sign | top;
    frexp(magnitude, &e);
    int scale = e - 1 < 1 - bias ? 1 - bias : e - 1;
    double scaled = ldexp(magnitude, fraction - scale), down = floor(scaled), rest = scaled - down;
    uint64_t whole = (uint64_t)down + (rest > 0.5 || (rest == 0.5 && ((uint64_t)down & 1)));
    uint64_t bits =
        whole + ((uint64_t)(scale + bias - 1) << fraction); /* the leading one counts as one more exponent */
    return sign | (bits >= top ? top : bits);
}

/* One element, as the bits of its type. */
static bool element_bits(tirb_datatype type, double real, int64_t integer, bool is_float, uint64_t *out) {
    switch (type.code) {
    case TIRB_CODE_INT:
    case TIRB_CODE_UINT:
        if (is_float && !(fabs(real) < 0x1p63)) return false;
        *out = (uint64_t)(is_float ? (int64_t)real : integer);
        return true;
    case TIRB_CODE_BOOL:
        *out = is_float ? real != 0 : integer != 0;
        return true;
    case TIRB_CODE_FLOAT:
        if (type.bits == 64)
            *out = bits_of_double(real);
        else if (type.bits == 32)
            *out = narrowed(real, 8, 23);
        else if (type.bits == 16)
            *out = narrowed(real, 5, 10);
        else
            return false;
        return true;
    case TIRB_CODE_BFLOAT:
        *out = narrowed(real, 8, 7);
        return type.bits == 16;
    default:
        return false;
    }
}

tirbi_value tirbi_relax_const(tirbi_script *s, const tirbi_node *node, const tirbi_value *value,
                              const tirbi_value *dtype) {
    tirbi_relax_builder *b = &s->relax->builder;
    elements *e = TIRBI_NEW(s->arena, elements);
    tirb_relax_tensor *tensor = TIRBI_NEW(s->arena, tirb_relax_tensor);
    tirb_relax_expr *constant = tirbi_relax_make(b, node->span, TIRB_RELAX_CONST);
    char text[32];
    if (!e || !tensor || !constant) return tirbi_value_error();
    e->bools = true;
    if (!add_elements(s, e, value, 0)) return tirbi_value_error();
    tirb_datatype type = e->floats ? tirbi_type_f32 : e->bools && e->n ? tirbi_type_bool : tirbi_type_i32;
    if (e->n == 0) type = tirbi_type_f32;
    if (tirbi_given(dtype) && !tirbi_to_dtype(s, dtype, &type)) return tirbi_value_error();
    uint32_t width = (type.bits + 7u) / 8;
    uint8_t *bytes = TIRBI_NEW_ARRAY(s->arena, uint8_t, (size_t)e->n * width + 1);
    const tirb_expr **dims = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, (size_t)e->ndim + 1);
    if (!bytes || !dims) return tirbi_value_error();
    for (uint32_t i = 0; i < e->n; i++) {
        uint64_t bits;
        if (!element_bits(type, e->reals[i], e->integers[i], e->reals[i] != (double)e->integers[i], &bits))
            return tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "a constant of %s is not supported",
                              tirb_datatype_text(type, text));
        for (uint32_t j = 0; j < width; j++) bytes[(size_t)i * width + j] = (uint8_t)(bits >> (8 * j));
    }
    for (uint32_t i = 0; i < e->ndim; i++)
        dims[i] = tirbi_make_int(&s->builder, node->span, tirbi_type_i64, e->shape[i]);
    *tensor = (tirb_relax_tensor){.dtype = type,
                                  .ndim = e->ndim,
                                  .shape = e->shape,
                                  .bytes = bytes,
                                  .n_bytes = (uint64_t)e->n * width,
                                  .metadata = -1};
    constant->as.constant = tensor;
    constant->type = tirbi_relax_tensor(b, dims, e->ndim, type);
    return constant->type ? tirbi_value_relax(constant) : tirbi_value_error();
}
