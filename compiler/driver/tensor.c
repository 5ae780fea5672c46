#include "compiler/driver/tensor.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/base/checked.h"
#include "vm/call/number.h"

bool tensor_measure(tensor *t) {
    size_t count = 1, nonzero = 1;
    for (int32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] < 0) return false;
        size_t extent = (size_t)t->shape[i];
        /* A zero extent must not hide that the others multiply past any memory. */
        if (extent > 0 && !tirbi_mul_size(nonzero, extent, &nonzero)) return false;
        if (!tirbi_mul_size(count, extent, &count)) return false;
    }
    size_t bytes;
    if (!tirbi_mul_size(nonzero, tirbi_dtypes[t->type].size, &bytes) || bytes > PTRDIFF_MAX) return false;
    t->count = count;
    t->size = count * tirbi_dtypes[t->type].size;
    return true;
}

bool tensor_allocate(tensor *t) {
    size_t room;
    if (!tirbi_add_size(t->size, TENSOR_ALIGN, &room)) return false;
    t->block = calloc(room, 1);
    if (!t->block) return false;
    uintptr_t past = (uintptr_t)t->block % TENSOR_ALIGN;
    t->data = (uint8_t *)t->block + (past ? TENSOR_ALIGN - past : 0);
    return true;
}

void tensor_free(tensor *t) {
    free(t->block);
    t->block = t->data = NULL;
}

bool tensor_is_native(const tensor *t) {
    return tirbi_dtypes[t->type].size == 1 || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

void tensor_copy_little(tensor *to, const tensor *from) {
    const size_t item = tirbi_dtypes[from->type].size;
    const uint8_t *source = from->data;
    uint8_t *target = to->data;
    if (from->block || tensor_is_native(from)) {
        if (from->size) memcpy(target, source, from->size);
        return;
    }
    for (size_t i = 0; i < from->size; i++) target[i] = source[i / item * item + item - 1 - i % item];
}

bool tensor_same_shape(const tensor *a, const tensor *b) {
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof a->shape[0]) == 0;
}

void tensor_element_name(const tensor *t, char buffer[NARROW_NAME_SIZE]) {
    if (t->narrow) narrow_name(t->narrow, buffer);
    else snprintf(buffer, NARROW_NAME_SIZE, "%s", tirbi_dtypes[t->type].name);
}

void tensor_type_text(const tensor *t, char *buffer, size_t size) {
    size_t at = 0;
    buffer[0] = '\0';
    for (int32_t i = 0; i < t->ndim && at < size; i++) {
        at += (size_t)snprintf(buffer + at, size - at, "%" PRId64 "x", t->shape[i]);
    }
    char element[NARROW_NAME_SIZE];
    tensor_element_name(t, element);
    if (at < size) snprintf(buffer + at, size - at, "%s", element);
}

bool number_parse(const char *text, size_t length, number *out) {
    char copy[128];
    if (length == 0 || length >= sizeof copy || memchr(text, '\0', length)) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = (number){0};
    if (strcmp(copy, "true") == 0 || strcmp(copy, "false") == 0) {
        *out = (number){.is_integer = true, .is_bool = true, .integer = copy[0] == 't'};
        out->real = (double)out->integer;
        out->single = (float)out->integer;
        return true;
    }
    /* strtod also takes leading space and nan(...); neither is a value here. */
    if (copy[0] == ' ' || (copy[0] >= '\t' && copy[0] <= '\r') || strchr(copy, '(')) return false;
    char *end;
    out->single = strtof(copy, NULL);
    out->real = strtod(copy, &end);
    if (*end || end == copy) return false;
    if (strpbrk(copy, ".pPnN") || (strpbrk(copy, "eE") && !strpbrk(copy, "xX"))) return true;
    const char *digits = copy + (copy[0] == '-' || copy[0] == '+');
    int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    errno = 0;
    if (copy[0] == '-') {
        out->integer = strtoll(copy, &end, base);
    } else {
        uint64_t bits = strtoull(copy, &end, base);
        out->integer = (int64_t)bits;
        out->is_unsigned = bits > INT64_MAX;
    }
    out->is_integer = errno == 0 && *end == '\0';
    return true;
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static bool integer_fits(tirbi_dtype type, const number *value) {
    if (type == TIRB_U64) return value->is_unsigned || value->integer >= 0;
    return !value->is_unsigned && tirbi_number_fits(type, value->integer);
}

store_result element_store(tensor *t, size_t index, const number *value) {
    uint64_t bits = (uint64_t)value->integer;
    if (t->narrow) {
        bits = narrow_encode(t->narrow, value->single);
    } else if (t->type == TIRB_F32) {
        bits = tirbi_number_from_double(TIRB_F32, (double)value->single);
    } else if (tirbi_dtype_is_float(t->type)) {
        bits = tirbi_number_from_double(t->type, value->real);
    } else if (!value->is_integer) {
        return STORE_NOT_INTEGER;
    } else if (!integer_fits(t->type, value)) {
        return STORE_OUT_OF_RANGE;
    }
    size_t size = tirbi_dtypes[t->type].size;
    uint8_t u8 = (uint8_t)bits;
    uint16_t u16 = (uint16_t)bits;
    uint32_t u32 = (uint32_t)bits;
    const void *from = size == 1 ? (void *)&u8 : size == 2 ? (void *)&u16 : size == 4 ? (void *)&u32 : (void *)&bits;
    memcpy((uint8_t *)t->data + index * size, from, size);
    return STORE_DONE;
}

#define LOAD(type, from) (*(const type *)(const void *)(from))

static int64_t load_integer(tirbi_dtype type, const uint8_t *at) {
    switch (type) {
    case TIRB_BOOL: return at[0] != 0;
    case TIRB_I8: return LOAD(int8_t, at);
    case TIRB_U8: return at[0];
    case TIRB_I16: return LOAD(int16_t, at);
    case TIRB_U16: return LOAD(uint16_t, at);
    case TIRB_I32: return LOAD(int32_t, at);
    case TIRB_U32: return LOAD(uint32_t, at);
    default: return LOAD(int64_t, at);
    }
}

number number_from_real(double real) { return (number){.real = real, .single = (float)real}; }

number number_from_integer(int64_t bits, tirbi_dtype type) {
    bool is_unsigned = type == TIRB_U64 && bits < 0;
    return (number){.is_integer = true,
                    .is_unsigned = is_unsigned,
                    .is_bool = type == TIRB_BOOL,
                    .integer = bits,
                    .real = is_unsigned ? (double)(uint64_t)bits : (double)bits,
                    .single = is_unsigned ? (float)(uint64_t)bits : (float)bits};
}

number element_load(const tensor *t, size_t index) {
    const uint8_t *at = (const uint8_t *)t->data + index * tirbi_dtypes[t->type].size;
    if (t->narrow) return number_from_real(narrow_decode(t->narrow, at[0]));
    switch (t->type) {
    case TIRB_F64: return number_from_real(LOAD(double, at));
    case TIRB_F32: return number_from_real((double)LOAD(float, at));
    case TIRB_F16:
    case TIRB_BF16: return number_from_real(tirbi_number_to_double(t->type, LOAD(uint16_t, at)));
    default: return number_from_integer(load_integer(t->type, at), t->type);
    }
}

/* Whether `text` rounds to `value` in `type`. */
static bool reads_back(const char *text, double value, tirbi_dtype type) {
    switch (type) {
    case TIRB_F32: return strtof(text, NULL) == (float)value;
    case TIRB_F16:
    case TIRB_BF16: return tirbi_number_from_double(type, strtod(text, NULL)) == tirbi_number_from_double(type, value);
    default: return strtod(text, NULL) == value;
    }
}

void number_text(const number *value, tirbi_dtype type, char buffer[ELEMENT_TEXT_SIZE]) {
    if (type == TIRB_BOOL) {
        snprintf(buffer, ELEMENT_TEXT_SIZE, "%s", value->integer ? "true" : "false");
    } else if (!tirbi_dtype_is_float(type)) {
        if (value->is_unsigned) {
            snprintf(buffer, ELEMENT_TEXT_SIZE, "%" PRIu64, (uint64_t)value->integer);
        } else {
            snprintf(buffer, ELEMENT_TEXT_SIZE, "%" PRId64, value->integer);
        }
    } else if (isnan(value->real)) {
        snprintf(buffer, ELEMENT_TEXT_SIZE, "nan");
    } else if (fabs(value->real) < 1e15 && value->real == trunc(value->real)) {
        snprintf(buffer, ELEMENT_TEXT_SIZE, "%.0f", value->real);
    } else {
        for (int precision = 1; precision <= 17; precision++) {
            snprintf(buffer, ELEMENT_TEXT_SIZE, "%.*g", precision, value->real);
            if (reads_back(buffer, value->real, type)) break;
        }
    }
}

void element_text(const tensor *t, size_t index, char buffer[ELEMENT_TEXT_SIZE]) {
    number value = element_load(t, index);
    number_text(&value, t->narrow ? TIRB_F32 : t->type, buffer);
}

void tensor_index_text(const tensor *t, size_t flat, char *buffer, size_t size) {
    int64_t index[TENSOR_MAX_NDIM];
    for (int32_t i = t->ndim; i-- > 0;) {
        size_t extent = (size_t)t->shape[i];
        index[i] = (int64_t)(flat % extent);
        flat /= extent;
    }
    size_t at = (size_t)snprintf(buffer, size, "[");
    for (int32_t i = 0; i < t->ndim && at < size; i++) {
        at += (size_t)snprintf(buffer + at, size - at, "%s%" PRId64, i ? ", " : "", index[i]);
    }
    if (at < size) snprintf(buffer + at, size - at, "]");
}
