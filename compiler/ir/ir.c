#include "compiler/ir/ir.h"

#include "compiler/ir/builder.h"

#include <stdio.h>
#include <string.h>

const tirb_builtin_info tirb_builtins[TIRB_N_BUILTINS] = {
#define TIRB_BUILTIN(name, text, arity, effect, op) {text, arity, TIRB_EFFECT_##effect, op},
#include "compiler/ir/builtin.def"
#undef TIRB_BUILTIN
};

static const struct {
    const char *text;
    uint8_t code;
} type_names[] = {
    {"int", TIRB_CODE_INT},
    {"uint", TIRB_CODE_UINT},
    {"float", TIRB_CODE_FLOAT},
    {"bfloat", TIRB_CODE_BFLOAT},
};

const tirb_narrow_format tirb_narrow_formats[TIRB_N_NARROW] = {
    {"float8_e3m4", {TIRB_CODE_FLOAT8_E3M4, 8, 1, false}, 31, 3, 4, 3, TIRB_NARROW_IEEE},
    {"float8_e4m3", {TIRB_CODE_FLOAT8_E4M3, 8, 1, false}, 448, 4, 3, 7, TIRB_NARROW_IEEE},
    {"float8_e4m3b11fnuz", {TIRB_CODE_FLOAT8_E4M3B11FNUZ, 8, 1, false}, 30, 4, 3, 11, TIRB_NARROW_UNSIGNED_ZERO},
    {"float8_e4m3fn", {TIRB_CODE_FLOAT8_E4M3FN, 8, 1, false}, 448, 4, 3, 7, TIRB_NARROW_NAN},
    {"float8_e4m3fnuz", {TIRB_CODE_FLOAT8_E4M3FNUZ, 8, 1, false}, 448, 4, 3, 8, TIRB_NARROW_UNSIGNED_ZERO},
    {"float8_e5m2", {TIRB_CODE_FLOAT8_E5M2, 8, 1, false}, 57344, 5, 2, 15, TIRB_NARROW_IEEE},
    {"float8_e5m2fnuz", {TIRB_CODE_FLOAT8_E5M2FNUZ, 8, 1, false}, 57344, 5, 2, 16, TIRB_NARROW_UNSIGNED_ZERO},
    {"float8_e8m0fnu", {TIRB_CODE_FLOAT8_E8M0FNU, 8, 1, false}, 0x1p128, 8, 0, 127, TIRB_NARROW_SCALE},
    {"float6_e2m3fn", {TIRB_CODE_FLOAT6_E2M3FN, 6, 1, false}, 7.5, 2, 3, 1, TIRB_NARROW_FINITE},
    {"float6_e3m2fn", {TIRB_CODE_FLOAT6_E3M2FN, 6, 1, false}, 28, 3, 2, 3, TIRB_NARROW_FINITE},
    {"float4_e2m1fn", {TIRB_CODE_FLOAT4_E2M1FN, 4, 1, false}, 6, 2, 1, 1, TIRB_NARROW_FINITE},
};

const tirb_narrow_format *tirb_narrow_format_of(tirb_datatype type) {
    for (size_t i = 0; i < TIRB_N_NARROW; i++)
        if (tirb_narrow_formats[i].type.code == type.code) return &tirb_narrow_formats[i];
    return NULL;
}

double tirb_datatype_max(tirb_datatype type) {
    const tirb_narrow_format *narrow = tirb_narrow_format_of(type);
    if (narrow) return narrow->max;
    if (type.code == TIRB_CODE_BFLOAT) return 0x1.FEp127;
    return type.bits == 16 ? 65504.0 : type.bits == 32 ? 0x1.FFFFFEp127 : 0x1.FFFFFFFFFFFFFp1023;
}

bool tirb_datatype_is_unsigned_float(tirb_datatype type) {
    return type.code == TIRB_CODE_FLOAT8_E4M3B11FNUZ || type.code == TIRB_CODE_FLOAT8_E4M3FNUZ ||
           type.code == TIRB_CODE_FLOAT8_E5M2FNUZ || type.code == TIRB_CODE_FLOAT8_E8M0FNU;
}

bool tirb_datatype_equal(tirb_datatype a, tirb_datatype b) {
    return a.code == b.code && a.bits == b.bits && tirbi_lanes_equal(tirbi_lanes_of(a), tirbi_lanes_of(b));
}

bool tirb_datatype_machine(tirb_datatype type, tirbi_dtype *out) {
    for (int i = 0; i < TIRB_N_DTYPES; i++) {
        if (tirbi_dtypes[i].dl_code == type.code && tirbi_dtypes[i].bits == type.bits) {
            *out = (tirbi_dtype)i;
            return true;
        }
    }
    return false;
}

tirb_datatype tirb_datatype_from_machine(tirbi_dtype type, uint16_t lanes) {
    return (tirb_datatype){.code = tirbi_dtypes[type].dl_code, .bits = tirbi_dtypes[type].bits, .lanes = lanes};
}

const char *tirb_datatype_text(tirb_datatype type, char *buffer) {
    const char *name = NULL;
    if (type.code == TIRB_CODE_HANDLE) name = type.bits ? "handle" : "void";
    if (type.code == TIRB_CODE_BOOL) name = "bool";
    for (size_t i = 0; i < TIRB_N_NARROW; i++)
        if (tirb_narrow_formats[i].type.code == type.code) name = tirb_narrow_formats[i].text;
    int length = 0;
    if (name) {
        length = snprintf(buffer, 24, "%s", name);
    } else {
        for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
            if (type_names[i].code == type.code) length = snprintf(buffer, 16, "%s%u", type_names[i].text, type.bits);
    }
    if (type.lanes > 1) snprintf(buffer + length, 14, type.scalable ? "xvscalex%u" : "x%u", type.lanes);
    return buffer;
}

/* A decimal number without leading zeros, at most `max`; advances *at. */
static bool read_number(const char *text, size_t size, size_t *at, uint32_t max, uint32_t *out) {
    size_t begin = *at;
    uint32_t value = 0;
    for (; *at < size && text[*at] >= '0' && text[*at] <= '9'; (*at)++) {
        value = value * 10 + (uint32_t)(text[*at] - '0');
        if (value > max) return false;
    }
    *out = value;
    return *at > begin && text[begin] != '0';
}

static bool bits_exist(uint8_t code, uint32_t bits) {
    if (code == TIRB_CODE_BFLOAT) return bits == 16;
    if (code == TIRB_CODE_FLOAT) return bits == 16 || bits == 32 || bits == 64;
    return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool tirb_datatype_from_text(const char *text, size_t size, tirb_datatype *out) {
    static const struct {
        const char *text;
        tirb_datatype type;
    } plain[] = {
        {"bool", {TIRB_CODE_BOOL, 8, 1, false}},
        {"boolean", {TIRB_CODE_BOOL, 8, 1, false}},
        {"handle", {TIRB_CODE_HANDLE, 64, 1, false}},
        {"void", {TIRB_CODE_HANDLE, 0, 1, false}},
    };
    tirb_datatype type = {0, 0, 1, false};
    size_t at = 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        size_t length = strlen(plain[i].text);
        if (size >= length && memcmp(text, plain[i].text, length) == 0 && length > at) {
            type = plain[i].type;
            at = length;
        }
    }
    for (size_t i = 0; i < TIRB_N_NARROW; i++) {
        size_t length = strlen(tirb_narrow_formats[i].text);
        if (size >= length && memcmp(text, tirb_narrow_formats[i].text, length) == 0 && length > at) {
            type = tirb_narrow_formats[i].type;
            at = length;
        }
    }
    if (at == 0) {
        for (size_t i = 0; i < sizeof type_names / sizeof *type_names && at == 0; i++) {
            size_t length = strlen(type_names[i].text);
            uint32_t bits;
            size_t digits = length;
            if (size <= length || memcmp(text, type_names[i].text, length) != 0) continue;
            if (!read_number(text, size, &digits, 64, &bits) || !bits_exist(type_names[i].code, bits)) return false;
            type = (tirb_datatype){type_names[i].code, (uint8_t)bits, 1, false};
            at = digits;
        }
        if (at == 0) return false;
        if (type.code == TIRB_CODE_UINT && type.bits == 1) type = (tirb_datatype){TIRB_CODE_BOOL, 8, 1, false};
    }
    if (at < size) {
        uint32_t lanes;
        if (text[at] != 'x' || type.code == TIRB_CODE_HANDLE) return false;
        at++;
        if (size - at > 7 && memcmp(text + at, "vscalex", 7) == 0) {
            type.scalable = true;
            at += 7;
        }
        if (!read_number(text, size, &at, TIRBI_MAX_LANES, &lanes) || at != size) return false;
        if (type.scalable && lanes == 1) return false;
        type.lanes = (uint16_t)lanes;
    }
    *out = type;
    return true;
}

bool tirbi_is_vscale(const tirb_expr *e) {
    return e->kind == TIRB_EXPR_CALL && !e->as.call.function && !e->as.call.function_name &&
           e->as.call.builtin == TIRB_BUILTIN_VSCALE;
}

static const tirb_expr *without_cast(const tirb_expr *e) { return e->kind == TIRB_EXPR_CAST ? e->as.cast.value : e; }

bool tirbi_lanes_of_expr(const tirb_expr *e, tirbi_lanes *out) {
    e = without_cast(e);
    *out = (tirbi_lanes){.n = 1, .scalable = true};
    if (tirbi_is_vscale(e)) return true;
    const tirb_expr *n = e;
    out->scalable = e->kind == TIRB_EXPR_MUL;
    if (out->scalable && tirbi_is_vscale(without_cast(e->as.binary.a))) n = e->as.binary.b;
    else if (out->scalable && tirbi_is_vscale(without_cast(e->as.binary.b))) n = e->as.binary.a;
    if (n->kind != TIRB_EXPR_INT_IMM) return false;
    out->n = n->as.int_value;
    return true;
}

tirbi_lanes tirbi_access_lanes(const tirb_buffer *buffer, const tirb_expr *const *indices, uint32_t n_indices) {
    tirbi_lanes lanes = tirbi_lanes_of(buffer->dtype);
    if (n_indices == 0) return lanes;
    tirb_datatype last = indices[n_indices - 1]->dtype;
    return (tirbi_lanes){lanes.n * last.lanes, lanes.scalable || last.scalable};
}

tirb_datatype tirbi_offset_type(const tirb_buffer *buffer) {
    return buffer->ndim ? buffer->shape[0]->dtype : tirbi_type_i64;
}

bool tirbi_is_pointee(const tirb_buffer *buffer) {
    if (buffer->ndim != 1 || buffer->strides || buffer->elem_offset || !buffer->data) return false;
    if (buffer->data->kind != TIRB_EXPR_VAR || buffer->data->as.var.data_of == buffer) return false;
    const tirb_expr *extent = buffer->shape[0];
    return extent->kind == TIRB_EXPR_INT_IMM && extent->as.int_value == TIRBI_POINTEE_EXTENT &&
           extent->dtype.code == TIRB_CODE_INT && extent->dtype.bits == 64;
}

bool tirbi_is_packed(const tirb_primfunc *f) {
    for (uint32_t i = 0; i < f->n_attrs; i++) {
        const tirb_expr *value = f->attrs[i].value;
        if (strcmp(f->attrs[i].key, "calling_conv") == 0 && value && value->kind == TIRB_EXPR_INT_IMM)
            return value->as.int_value == 1;
    }
    return false;
}
