/* Values and their conversions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/text/script/script.h"

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

tirbi_value tirbi_fail(tirbi_script *s, tirb_status code, tirbi_span span, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tirbi_report_error(s->diagnostics, code, span, "%s", message);
    return tirbi_value_error();
}

const char *tirbi_value_text(const tirbi_value *v) {
    static const char *const texts[] = {
        [TIRBI_VALUE_MISSING] = "nothing",
        [TIRBI_VALUE_ERROR] = "an error",
        [TIRBI_VALUE_NONE] = "None",
        [TIRBI_VALUE_INT] = "an integer",
        [TIRBI_VALUE_FLOAT] = "a number",
        [TIRBI_VALUE_BOOL] = "a bool",
        [TIRBI_VALUE_STRING] = "a string",
        [TIRBI_VALUE_EXPR] = "an expression",
        [TIRBI_VALUE_BUFFER] = "a buffer",
        [TIRBI_VALUE_REGION] = "a buffer region",
        [TIRBI_VALUE_TUPLE] = "a tuple",
        [TIRBI_VALUE_DICT] = "a dictionary",
        [TIRBI_VALUE_NAMESPACE] = "a namespace",
        [TIRBI_VALUE_ENTRY] = "a function of the language",
        [TIRBI_VALUE_DTYPE] = "a type",
        [TIRBI_VALUE_POINTER] = "a pointer type",
        [TIRBI_VALUE_LET] = "a let type",
        [TIRBI_VALUE_ARRAY] = "an array type",
        [TIRBI_VALUE_METHOD] = "a method",
        [TIRBI_VALUE_FORM] = "a statement",
        [TIRBI_VALUE_RANGE] = "a range",
        [TIRBI_VALUE_TYPEVAR] = "a type variable",
        [TIRBI_VALUE_MODULE] = "a module",
        [TIRBI_VALUE_FUNCTION] = "a PrimFunc",
        [TIRBI_VALUE_EXTERN] = "an external function",
        [TIRBI_VALUE_MACRO] = "a macro",
        [TIRBI_VALUE_LAMBDA] = "a lambda",
        [TIRBI_VALUE_META] = "a meta variable",
        [TIRBI_VALUE_REDUCER] = "a reducer",
        [TIRBI_VALUE_ITERVAR] = "an iterator",
        [TIRBI_VALUE_FOREIGN] = "a function of an accelerator",
        [TIRBI_VALUE_IMPORTED] = "a module of Python",
        [TIRBI_VALUE_CONSTANT] = "a constant of Python",
        [TIRBI_VALUE_RELAX] = "a value of Relax",
        [TIRBI_VALUE_RELAX_TYPE] = "a type of Relax",
        [TIRBI_VALUE_RELAX_NAME] = "a name of Relax",
        [TIRBI_VALUE_RELAX_CAST] = "a cast",
        [TIRBI_VALUE_GLOBAL_INFO] = "a global info",
        [TIRBI_VALUE_OPAQUE] = "an annotation value",
    };
    return texts[v->kind];
}

void tirbi_suggest_types(tirbi_suggestion *suggestion) {
    static const char *const names[] = {"int8",   "int16",  "int32",   "int64",         "uint8",      "uint16",
                                        "uint32", "uint64", "float16", "float32",       "float64",    "bfloat16",
                                        "bool",   "handle", "void",    "float8_e4m3fn", "float8_e5m2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) tirbi_suggest(suggestion, names[i]);
}

/* ---- Making values ---------------------------------------------------------------------------------------------- */

tirbi_value tirbi_value_expr(const tirb_expr *e) {
    if (!e) return tirbi_value_error();
    return (tirbi_value){.kind = TIRBI_VALUE_EXPR, .as.expr = e};
}

tirbi_value tirbi_value_declared(const tirb_expr *var) {
    tirbi_value v = tirbi_value_expr(var);
    v.declares = true;
    return v;
}

tirbi_value tirbi_value_buffer(const tirb_buffer *buffer) {
    if (!buffer) return tirbi_value_error();
    return (tirbi_value){.kind = TIRBI_VALUE_BUFFER, .as.buffer = buffer};
}

tirbi_value tirbi_value_int(int64_t n) { return (tirbi_value){.kind = TIRBI_VALUE_INT, .as.integer = n}; }

tirbi_value tirbi_value_form(tirbi_script *s, tirbi_form_kind kind) {
    tirbi_form *form = TIRBI_NEW(s->arena, tirbi_form);
    if (!form) return tirbi_value_error();
    form->kind = kind;
    form->result = tirbi_value_none();
    return (tirbi_value){.kind = TIRBI_VALUE_FORM, .as.form = form};
}

tirbi_value tirbi_value_scope(tirbi_script *s, tirb_stmt *stmt, tirbi_value result) {
    tirbi_value v = tirbi_value_form(s, TIRBI_FORM_SCOPE);
    if (!stmt || tirbi_is_error(&v) || tirbi_is_error(&result)) return tirbi_value_error();
    v.as.form->stmts = TIRBI_NEW_ARRAY(s->arena, tirb_stmt *, 1);
    if (!v.as.form->stmts) return tirbi_value_error();
    v.as.form->stmts[0] = stmt;
    v.as.form->n_stmts = 1;
    v.as.form->result = result;
    return v;
}

const char *tirbi_node_text(tirbi_script *s, const tirbi_node *node) {
    const char *text =
        tirbi_arena_text(s->arena, s->source->text + node->span.begin, node->span.end - node->span.begin);
    return text ? text : "";
}

/* What a value was written as, for a message about it; what it is, where that is not known. */
static const char *written(tirbi_script *s, const tirbi_value *v) {
    return v->node ? tirbi_node_text(s, v->node) : tirbi_value_text(v);
}

/* ---- Conversions ------------------------------------------------------------------------------------------------ */

static tirbi_span span_of(const tirbi_value *v) { return v->node ? v->node->span : (tirbi_span){0, 0}; }

bool tirbi_is_number(const tirbi_value *v) {
    return v->kind == TIRBI_VALUE_INT || v->kind == TIRBI_VALUE_FLOAT || v->kind == TIRBI_VALUE_BOOL;
}

bool tirbi_is_prim(const tirbi_value *v) {
    return tirbi_is_number(v) || v->kind == TIRBI_VALUE_EXPR || v->kind == TIRBI_VALUE_REGION ||
           v->kind == TIRBI_VALUE_TYPEVAR || (v->kind == TIRBI_VALUE_BUFFER && (v->scalar || v->declares));
}

static const tirb_expr *region_to_expr(tirbi_script *s, const tirbi_value *v) {
    const tirb_buffer *buffer = v->as.region.buffer;
    const tirb_expr **indices = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, buffer->ndim);
    if (!indices) return NULL;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        const tirb_range *range = &v->as.region.ranges[i];
        indices[i] = range->min;
        if (tirbi_is_const_int(range->extent, 1)) continue;
        tirbi_lanes lanes;
        if (!tirbi_lanes_of_expr(range->extent, &lanes)) {
            tirbi_fail(s, TIRB_TYPE, span_of(v), "the region is used as a value, but its extent is not a constant");
            return NULL;
        }
        if (i + 1 < buffer->ndim) {
            tirbi_fail(s, TIRB_TYPE, span_of(v),
                       "only the last index of a buffer access may be a vector; this is dimension %u of %u", i + 1,
                       buffer->ndim);
            return NULL;
        }
        const tirb_expr *one = tirbi_make_int(&s->builder, span_of(v), range->min->dtype, 1);
        indices[i] = tirbi_make_ramp(&s->builder, span_of(v), range->min, one, lanes);
    }
    return tirbi_make_load(&s->builder, span_of(v), buffer, indices, buffer->ndim, NULL);
}

bool tirbi_is_element(const tirbi_value *v) {
    if (v->kind != TIRBI_VALUE_BUFFER) return false;
    const tirb_buffer *b = v->as.buffer;
    return v->scalar || (!v->declares && b->ndim == 1 && tirbi_is_const_int(b->shape[0], 1));
}

/* The element that the name of an assigned variable means. */
static const tirb_expr *load_scalar(tirbi_script *s, const tirbi_value *v) {
    const tirb_expr **index = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    if (!index) return NULL;
    index[0] = tirbi_make_int(&s->builder, span_of(v), tirbi_type_i32, 0);
    return tirbi_make_load(&s->builder, span_of(v), v->as.buffer, index, 1, NULL);
}

/* A handle parameter that was matched is its buffer's data from then on. */
static const tirb_expr *resolve_handle(const tirbi_script *s, const tirb_expr *e) {
    if (e->kind != TIRB_EXPR_VAR || !s->function || !tirbi_type_is_handle(e->dtype)) return e;
    const tirb_primfunc *ir = s->function->ir;
    for (uint32_t i = 0; i < ir->n_params; i++)
        if (ir->params[i] == e && s->function->buffers[i]) return s->function->buffers[i]->data;
    return e;
}

/* The variable of this function for a TypeVar of the file. */
static const tirb_expr *typevar_to_expr(tirbi_script *s, const tirbi_value *v) {
    tirbi_list *list = s->function ? &s->function->type_vars : tirbi_relax_type_vars(s);
    if (!list) {
        tirbi_fail(s, TIRB_TYPE, span_of(v), "the type variable `%s` has a value only inside a function", v->as.name);
        return NULL;
    }
    const tirb_expr **known = list->items;
    for (uint32_t i = 0; i < list->n; i++)
        if (known[i]->as.var.name == v->as.name) return known[i];
    const tirb_expr **slot = TIRBI_LIST_ADD(s->arena, list, const tirb_expr *);
    const tirb_expr *var = tirbi_make_var(&s->builder, span_of(v), v->as.name, tirbi_prim_type(tirbi_type_i64));
    if (slot) *slot = var;
    return var;
}

static const tirb_expr *convert(tirbi_script *s, const tirbi_value *v) {
    tirbi_builder *b = &s->builder;
    tirbi_span span = span_of(v);
    switch (v->kind) {
    case TIRBI_VALUE_ERROR:
        return NULL;
    case TIRBI_VALUE_INT:
        if (v->big) {
            tirbi_fail(s, TIRB_VALUE, span, "this integer does not fit int64; write T.uint64(...)");
            return NULL;
        }
        return tirbi_make_int(b, span, v->as.integer == (int32_t)v->as.integer ? tirbi_type_i32 : tirbi_type_i64,
                              v->as.integer);
    case TIRBI_VALUE_FLOAT:
        return tirbi_make_float(b, span, tirbi_type_f32, v->as.real);
    case TIRBI_VALUE_BOOL:
        return tirbi_make_bool(b, span, v->as.boolean);
    case TIRBI_VALUE_STRING:
        return tirbi_make_string(b, span, v->as.string.text, v->as.string.size);
    case TIRBI_VALUE_EXPR:
        return resolve_handle(s, v->as.expr);
    case TIRBI_VALUE_REGION:
        return region_to_expr(s, v);
    case TIRBI_VALUE_ITERVAR:
        return v->as.itervar->var;
    case TIRBI_VALUE_META:
        return tirbi_to_expr(s, v->as.meta);
    case TIRBI_VALUE_TYPEVAR:
        return typevar_to_expr(s, v);
    case TIRBI_VALUE_BUFFER:
        if (tirbi_is_element(v)) return load_scalar(s, v);
        if (v->declares) return v->as.buffer->data;
        tirbi_fail(s, TIRB_TYPE, span,
                   "the buffer `%s` is used as a value; index it, or write `%s.data` for its pointer",
                   v->as.buffer->name, v->as.buffer->name);
        return NULL;
    case TIRBI_VALUE_RELAX: {
        const tirbi_value number = tirbi_relax_number(s, v);
        if (number.kind != TIRBI_VALUE_RELAX) return tirbi_is_error(&number) ? NULL : convert(s, &number);
        tirbi_fail(s, TIRB_TYPE, span, "expected an expression, found %s: `%.60s`", tirbi_value_text(v), written(s, v));
        return NULL;
    }
    case TIRBI_VALUE_FORM:
        tirbi_fail(s, TIRB_TYPE, span, "`%.60s` is a statement of its own and no value", written(s, v));
        return NULL;
    default:
        tirbi_fail(s, TIRB_TYPE, span, "expected an expression, found %s: `%.60s`", tirbi_value_text(v), written(s, v));
        return NULL;
    }
}

const tirb_expr *tirbi_to_expr(tirbi_script *s, const tirbi_value *v) {
    const tirb_expr *e = convert(s, v);
    if (!e) tirbi_report_unexplained(s->diagnostics, span_of(v), "a value");
    return e;
}

const tirb_expr *tirbi_to_typed(tirbi_script *s, const tirbi_value *v, tirb_datatype dtype) {
    tirbi_span span = span_of(v);
    tirb_datatype element = tirbi_type_element(dtype);
    const tirb_expr *e = NULL;
    switch (v->kind) {
    case TIRBI_VALUE_INT:
        if (tirbi_type_is_int(dtype) || tirbi_type_is_bool(dtype)) {
            if (v->big && !(dtype.code == TIRB_CODE_UINT && dtype.bits == 64)) return tirbi_to_expr(s, v);
            if (dtype.code == TIRB_CODE_UINT && v->as.integer < 0 && !v->big) {
                char text[32];
                tirbi_fail(s, TIRB_VALUE, span, "cannot make %s from the negative value %lld",
                           tirb_datatype_text(element, text), (long long)v->as.integer);
                return NULL;
            }
            e = tirbi_make_int(&s->builder, span, element, v->as.integer);
        } else {
            double real = v->big ? (double)(uint64_t)v->as.integer : (double)v->as.integer;
            e = tirbi_make_number(&s->builder, span, element, real);
        }
        break;
    case TIRBI_VALUE_FLOAT:
        e = tirbi_make_number(&s->builder, span, element, v->as.real);
        break;
    case TIRBI_VALUE_BOOL:
        e = tirbi_make_number(&s->builder, span, element, v->as.boolean);
        break;
    default:
        return tirbi_to_expr(s, v);
    }
    return e && dtype.lanes > 1 ? tirbi_make_broadcast(&s->builder, span, e, tirbi_lanes_of(dtype)) : e;
}

const tirb_expr *tirbi_to_condition(tirbi_script *s, const tirbi_value *v) {
    char text[32];
    const tirb_expr *e = v->kind == TIRBI_VALUE_BOOL ? tirbi_to_typed(s, v, tirbi_type_bool) : tirbi_to_expr(s, v);
    if (!e || (tirbi_type_is_bool(e->dtype) && e->dtype.lanes == 1)) return e;
    tirbi_fail(s, TIRB_TYPE, span_of(v), "the condition must be a scalar bool, not %s: write `x != 0`",
               tirb_datatype_text(e->dtype, text));
    return NULL;
}

const tirb_expr *tirbi_to_test(tirbi_script *s, const tirbi_value *v) {
    bool value = v->kind == TIRBI_VALUE_EXPR || v->kind == TIRBI_VALUE_REGION || tirbi_is_element(v);
    const tirb_expr *number = value ? tirbi_to_expr(s, v) : NULL;
    if (value && !number) return NULL;
    bool counts = number && tirbi_type_is_int(number->dtype) && number->dtype.lanes == 1;
    return counts ? number : tirbi_to_condition(s, v);
}

bool tirbi_to_bit_operands(tirbi_script *s, const tirbi_value *x, const tirbi_value *y, const tirb_expr **left,
                           const tirb_expr **right) {
    if (x->kind == TIRBI_VALUE_FLOAT || y->kind == TIRBI_VALUE_FLOAT) {
        tirbi_fail(s, TIRB_TYPE, span_of(x->kind == TIRBI_VALUE_FLOAT ? x : y),
                   "bits are those of integers, not of a float");
        return false;
    }
    bool swap = tirbi_is_number(x) && !tirbi_is_number(y);
    const tirb_expr *first = tirbi_to_expr(s, swap ? y : x), *second = NULL;
    if (first && tirbi_is_number(swap ? x : y))
        second = tirbi_to_typed(s, swap ? x : y, tirbi_type_element(first->dtype));
    else if (first)
        second = tirbi_to_expr(s, y);
    *left = swap ? second : first;
    *right = swap ? first : second;
    return first && second;
}

bool tirbi_to_int(tirbi_script *s, const tirbi_value *v, const char *what, int64_t *out) {
    if (v->kind == TIRBI_VALUE_ERROR) return false;
    if (v->kind == TIRBI_VALUE_META) return tirbi_to_int(s, v->as.meta, what, out);
    if (v->kind == TIRBI_VALUE_INT && !v->big) {
        *out = v->as.integer;
        return true;
    }
    if (v->kind == TIRBI_VALUE_BOOL) {
        *out = v->as.boolean;
        return true;
    }
    if (v->kind == TIRBI_VALUE_EXPR && v->as.expr->kind == TIRB_EXPR_INT_IMM) {
        *out = v->as.expr->as.int_value;
        return true;
    }
    tirbi_fail(s, TIRB_TYPE, span_of(v), "%s must be a constant integer, not %s", what, tirbi_value_text(v));
    return false;
}

bool tirbi_to_text(tirbi_script *s, const tirbi_value *v, const char *what, const char **out) {
    if (v->kind == TIRBI_VALUE_ERROR) return false;
    if (v->kind == TIRBI_VALUE_STRING) {
        *out = v->as.string.text;
        return true;
    }
    tirbi_fail(s, TIRB_TYPE, span_of(v), "%s must be a string, not %s", what, tirbi_value_text(v));
    return false;
}

bool tirbi_type_of_name(const char *name, tirb_datatype *out) {
    static const struct {
        char letter;
        tirb_type_code code;
    } kinds[] = {{'i', TIRB_CODE_INT}, {'u', TIRB_CODE_UINT}, {'f', TIRB_CODE_FLOAT}};
    static const struct {
        const char *text;
        uint8_t bits;
    } widths[] = {{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}};
    if (tirb_datatype_from_text(name, strlen(name), out)) return true;
    if (strcmp(name, "bf16") == 0) return tirb_datatype_from_text("bfloat16", 8, out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t j = kinds[i].letter == 'f'; j < sizeof widths / sizeof *widths && name[0] == kinds[i].letter; j++) {
            if (strcmp(name + 1, widths[j].text) != 0) continue;
            *out = (tirb_datatype){(uint8_t)kinds[i].code, widths[j].bits, 1, false};
            return true;
        }
    return false;
}

/* A type as a string, as TVM reads it: "float32x4", the short form "f32", and with the usual width left out "intx8". */
static bool type_of_text(const char *text, size_t size, tirb_datatype *out) {
    static const struct {
        const char *name, *width;
    } usual[] = {{"int", "32"}, {"uint", "32"}, {"float", "32"}, {"bfloat", "16"}};
    char whole[64];
    if (strlen(text) != size) return false;
    if (tirbi_type_of_name(text, out)) return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        size_t length = strlen(usual[i].name);
        if (strncmp(text, usual[i].name, length) != 0 || (text[length] && text[length] != 'x')) continue;
        int written = snprintf(whole, sizeof whole, "%s%s%s", usual[i].name, usual[i].width, text + length);
        return written > 0 && (size_t)written < sizeof whole && tirb_datatype_from_text(whole, (size_t)written, out);
    }
    return false;
}

bool tirbi_to_dtype(tirbi_script *s, const tirbi_value *v, tirb_datatype *out) {
    if (v->kind == TIRBI_VALUE_ERROR) return false;
    if (v->kind == TIRBI_VALUE_DTYPE) {
        *out = v->as.dtype;
        return true;
    }
    if (v->kind == TIRBI_VALUE_POINTER) {
        *out = tirbi_type_handle;
        return true;
    }
    if (v->kind == TIRBI_VALUE_NONE || (v->kind == TIRBI_VALUE_STRING && v->as.string.size == 0)) {
        *out = tirbi_type_void;
        return true;
    }
    if (v->kind != TIRBI_VALUE_STRING) {
        const char *type = tirbi_type_of_python(v);
        tirbi_fail(s, TIRB_TYPE, span_of(v), "expected a type such as \"float32\", found %s%s%s%s", tirbi_value_text(v),
                   type ? "; write \"" : "", type ? type : "", type ? "\"" : "");
        return false;
    }
    if (type_of_text(v->as.string.text, v->as.string.size, out)) return true;
    static const char *const other_types[] = {"float8_", "float6_", "float4_", "custom[", "tensormap"};
    bool known = false;
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        known |= strncmp(v->as.string.text, other_types[i], strlen(other_types[i])) == 0;
    tirbi_suggestion suggestion = {.wanted = v->as.string.text};
    if (!known) tirbi_suggest_types(&suggestion);
    if (suggestion.best)
        tirbi_fail(s, TIRB_TYPE, span_of(v), "there is no type \"%s\"; did you mean \"%s\"?", v->as.string.text,
                   suggestion.best);
    else
        tirbi_fail(s, known ? TIRB_UNSUPPORTED : TIRB_TYPE, span_of(v),
                   known ? "the type \"%s\" is not supported" : "there is no type \"%s\"", v->as.string.text);
    return false;
}

bool tirbi_to_exprs(tirbi_script *s, const tirbi_value *v, const tirb_expr *const **out, uint32_t *n) {
    *out = NULL;
    *n = 0;
    if (v->kind == TIRBI_VALUE_ERROR) return false;
    const tirbi_value *items = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.items : v;
    *n = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.n : 1;
    const tirb_expr **exprs = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, *n);
    if (!exprs) return false;
    bool good = true;
    for (uint32_t i = 0; i < *n; i++) {
        exprs[i] = tirbi_to_expr(s, &items[i]);
        good = good && exprs[i];
    }
    *out = exprs;
    return good;
}

static const tirb_expr *one_like(tirbi_script *s, const tirb_expr *e) {
    return tirbi_make_int(&s->builder, e->span, tirbi_type_element(e->dtype), 1);
}

static bool index_to_range(tirbi_script *s, const tirb_expr *index, tirb_range *out) {
    out->min = index;
    out->extent = tirbi_type_is_int(index->dtype) ? one_like(s, index) : NULL;
    if (index->kind == TIRB_EXPR_RAMP) {
        const tirb_expr *stride = index->as.ramp.stride;
        const tirb_expr *last = tirbi_make_int(&s->builder, index->span, stride->dtype, index->dtype.lanes - 1);
        const tirb_expr *one = one_like(s, stride);
        out->min = index->as.ramp.base;
        out->extent = tirbi_make_binary(&s->builder, index->span, TIRB_EXPR_ADD,
                                        tirbi_make_binary(&s->builder, index->span, TIRB_EXPR_MUL, stride, last), one);
    }
    return out->min && out->extent;
}

bool tirbi_to_region(tirbi_script *s, const tirbi_value *v, tirb_buffer_region *out) {
    if (v->kind == TIRBI_VALUE_ERROR) return false;
    if (v->kind == TIRBI_VALUE_REGION) {
        *out = (tirb_buffer_region){v->as.region.buffer, v->as.region.ranges};
        return true;
    }
    const tirb_buffer *buffer = v->kind == TIRBI_VALUE_BUFFER ? v->as.buffer : NULL;
    const tirb_expr *load = v->kind == TIRBI_VALUE_EXPR && v->as.expr->kind == TIRB_EXPR_LOAD ? v->as.expr : NULL;
    if (load) buffer = load->as.load.buffer;
    if (!buffer) {
        tirbi_fail(s, TIRB_TYPE, span_of(v), "expected a buffer region such as A[i, 0:4], found %s",
                   tirbi_value_text(v));
        return false;
    }
    tirb_range *ranges = TIRBI_NEW_ARRAY(s->arena, tirb_range, buffer->ndim);
    if (!ranges) return false;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        if (load) {
            if (!index_to_range(s, load->as.load.indices[i], &ranges[i])) return false;
        } else {
            ranges[i].min = tirbi_make_int(&s->builder, span_of(v), buffer->shape[i]->dtype, 0);
            ranges[i].extent = buffer->shape[i];
        }
    }
    *out = (tirb_buffer_region){buffer, ranges};
    return true;
}
