#include "compiler/driver/npy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "loader/base/checked.h"

enum { MAGIC_SIZE = 6, MAX_HEADER = 1 << 20, HEADER_ALIGN = 64 };
static const uint8_t magic[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static bool host_is_little(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- The header: a Python literal ------------------------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
    char *message;
} cursor;

typedef struct header {
    char descr[16];
    bool fortran_order;
    int32_t ndim;
    int64_t shape[TENSOR_MAX_NDIM];
} header;

__attribute__((format(printf, 2, 3))) static bool refuse(char *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, NPY_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static void skip_space(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r'))) c->at++;
}

static bool accept(cursor *c, char wanted) {
    skip_space(c);
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool expect(cursor *c, char wanted) {
    return accept(c, wanted) || refuse(c->message, "its header has no '%c' where one must be", wanted);
}

static bool read_string(cursor *c, char *out, size_t size) {
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return refuse(c->message, "its header lacks a string");
    char quote = *c->at++;
    size_t n = 0;
    while (c->at < c->end && *c->at != quote) {
        if (*c->at == '\\' || *c->at < ' ' || n + 1 >= size) return refuse(c->message, "its header has an odd string");
        out[n++] = *c->at++;
    }
    out[n] = '\0';
    return expect(c, quote);
}

static bool read_bool(cursor *c, bool *out) {
    skip_space(c);
    size_t left = (size_t)(c->end - c->at);
    *out = left >= 4 && memcmp(c->at, "True", 4) == 0;
    if (!*out && !(left >= 5 && memcmp(c->at, "False", 5) == 0)) {
        return refuse(c->message, "its fortran_order is neither True nor False");
    }
    c->at += *out ? 4 : 5;
    return true;
}

static bool read_extent(cursor *c, int64_t *out) {
    skip_space(c);
    int64_t value = 0;
    const char *begin = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
        if (!tirbi_mul_i64(value, 10, &value) || !tirbi_add_i64(value, *c->at - '0', &value)) {
            return refuse(c->message, "its shape has an extent of more than 63 bits");
        }
        c->at++;
    }
    if (c->at == begin) return refuse(c->message, "its shape has an extent that is no number");
    if (c->at < c->end && *c->at == 'L') c->at++; /* as Python 2 wrote long integers */
    *out = value;
    return true;
}

static bool read_shape(cursor *c, header *out) {
    if (!expect(c, '(')) return false;
    while (!accept(c, ')')) {
        if (out->ndim == TENSOR_MAX_NDIM) {
            return refuse(c->message, "it has more than %d dimensions", (int)TENSOR_MAX_NDIM);
        }
        if (!read_extent(c, &out->shape[out->ndim])) return false;
        out->ndim++;
        if (accept(c, ',')) continue;
        return expect(c, ')');
    }
    return true;
}

static bool read_descr(cursor *c, header *out) {
    skip_space(c);
    if (c->at < c->end && *c->at == '[') return refuse(c->message, "it holds structures, which are not read");
    return read_string(c, out->descr, sizeof out->descr);
}

static bool read_header(const char *text, size_t size, header *out, char *message) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    cursor c = {.at = text, .end = text + size, .message = message};
    unsigned seen = 0;
    if (!expect(&c, '{')) return false;
    while (!accept(&c, '}')) {
        char key[16];
        if (!read_string(&c, key, sizeof key) || !expect(&c, ':')) return false;
        unsigned which = 0;
        while (which < 3 && strcmp(key, keys[which]) != 0) which++;
        if (which == 3) return refuse(message, "its header has an unknown key '%s'", key);
        if (seen & 1U << which) return refuse(message, "its header has the key '%s' twice", key);
        seen |= 1U << which;
        bool read = which == 0   ? read_descr(&c, out)
                    : which == 1 ? read_bool(&c, &out->fortran_order)
                                 : read_shape(&c, out);
        if (!read) return false;
        if (accept(&c, ',')) continue;
        if (!expect(&c, '}')) return false;
        break;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (!(seen & 1U << i)) return refuse(message, "its header has no '%s'", keys[i]);
    }
    skip_space(&c);
    return c.at == c.end || refuse(message, "its header goes on after its end");
}

/* ---- Element types ---------------------------------------------------------------------------------------------- */

/* The type that a descr such as "<f4" names; raw data becomes `as`. */
static bool read_type(const char *descr, tirbi_dtype as, tirbi_dtype *out, bool *swapped, char *message) {
    static const struct {
        char code[4];
        tirbi_dtype type;
    } types[] = {{"b1", TIRB_BOOL}, {"i1", TIRB_I8},  {"i2", TIRB_I16}, {"i4", TIRB_I32}, {"i8", TIRB_I64},
                 {"u1", TIRB_U8},   {"u2", TIRB_U16}, {"u4", TIRB_U32}, {"u8", TIRB_U64}, {"f2", TIRB_F16},
                 {"f4", TIRB_F32},  {"f8", TIRB_F64}};
    const char *code = descr + (descr[0] != '\0');
    if (!strchr("<>|=", descr[0]) || descr[0] == '\0') return refuse(message, "its type '%s' is not read", descr);
    *swapped = (descr[0] == '>' && host_is_little()) || (descr[0] == '<' && !host_is_little());
    /* ml_dtypes writes most of its types as raw data, and float8_e5m2 as a float of one byte. */
    if (code[0] == 'V' || strcmp(code, "f1") == 0) {
        char *end;
        unsigned long size = strtoul(code + 1, &end, 10);
        if (*end || as == TIRB_TYPE_NONE) {
            return refuse(message, "it holds raw data ('%s'); a suffix names its type, as in @x.npy:bf16", descr);
        }
        if (size != tirbi_dtypes[as].size) {
            return refuse(message, "its elements '%s' are not of the size of %s", descr, tirbi_dtypes[as].name);
        }
        *out = as;
        return true;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(code, types[i].code) != 0) continue;
        *out = types[i].type;
        if (as == TIRB_TYPE_NONE || as == *out) return true;
        if (code[0] != 'u' || tirbi_dtypes[as].size != tirbi_dtypes[*out].size) {
            return refuse(message, "its type '%s' cannot be taken as %s", descr, tirbi_dtypes[as].name);
        }
        *out = as;
        return true;
    }
    return refuse(message, "its type '%s' is not read: bool, integers and floats of up to 64 bits are", descr);
}

/* ---- Data ------------------------------------------------------------------------------------------------------- */

static void swap_bytes(tensor *t) {
    size_t size = tirbi_dtypes[t->type].size;
    uint8_t *data = t->data;
    for (size_t i = 0; i < t->size; i += size) {
        for (size_t j = 0; j < size / 2; j++) {
            uint8_t byte = data[i + j];
            data[i + j] = data[i + size - 1 - j];
            data[i + size - 1 - j] = byte;
        }
    }
}

/* Rewrites column-major data row by row. */
static bool reorder(tensor *t) {
    tensor ordered = *t;
    if (!tensor_allocate(&ordered)) return false;
    size_t size = tirbi_dtypes[t->type].size;
    size_t stride[TENSOR_MAX_NDIM], step = 1;
    int64_t index[TENSOR_MAX_NDIM] = {0};
    for (int32_t i = 0; i < t->ndim; i++) {
        stride[i] = step;
        step *= (size_t)t->shape[i];
    }
    size_t from = 0;
    for (size_t to = 0; to < t->count; to++) {
        memcpy((uint8_t *)ordered.data + to * size, (uint8_t *)t->data + from * size, size);
        for (int32_t i = t->ndim; i-- > 0;) {
            from += stride[i];
            if (++index[i] < t->shape[i]) break;
            from -= stride[i] * (size_t)t->shape[i];
            index[i] = 0;
        }
    }
    tensor_free(t);
    *t = ordered;
    return true;
}

/* Reads exactly `need` bytes; *got tells how many there were. Memory doubles as they come. NULL: out of memory. */
static uint8_t *read_growing(FILE *stream, size_t need, size_t *got) {
    size_t capacity = need < 1 << 16 ? need + 1 : 1 << 16;
    uint8_t *bytes = malloc(capacity);
    *got = 0;
    while (bytes) {
        size_t want = (capacity < need ? capacity : need) - *got;
        size_t now = fread(bytes + *got, 1, want, stream);
        *got += now;
        if (now < want || *got == need) return bytes;
        size_t larger = capacity > need / 2 ? need : capacity * 2;
        uint8_t *grown = realloc(bytes, larger);
        if (!grown) free(bytes);
        bytes = grown;
        capacity = larger;
    }
    return NULL;
}

static npy_result short_or_failed(FILE *stream, char *message, const char *what) {
    if (ferror(stream)) return NPY_FILES;
    refuse(message, "%s", what);
    return NPY_MALFORMED;
}

static npy_result read_prefix(FILE *stream, header *out, char *message) {
    uint8_t start[MAGIC_SIZE + 6];
    if (fread(start, 1, 8, stream) != 8) return short_or_failed(stream, message, "it is too short for a .npy file");
    if (memcmp(start, magic, MAGIC_SIZE) != 0) {
        refuse(message, memcmp(start, "PK", 2) == 0
                            ? "it is an archive, not a .npy file: --params takes a .npz, each array for its parameter"
                            : "it is not a .npy file, which NumPy's np.save(\"x.npy\", x) makes");
        return NPY_MALFORMED;
    }
    unsigned version = start[6];
    if (version < 1 || version > 3 || start[7] != 0) {
        refuse(message, "its version %u.%u is not read (1.0 to 3.0 are)", version, start[7]);
        return NPY_MALFORMED;
    }
    size_t width = version == 1 ? 2 : 4, size = 0, got;
    if (fread(start, 1, width, stream) != width)
        return short_or_failed(stream, message, "it is cut short in its header");
    for (size_t i = width; i-- > 0;) size = size << 8 | start[i];
    if (size > MAX_HEADER) {
        refuse(message, "its header of %zu bytes is longer than %d", size, (int)MAX_HEADER);
        return NPY_MALFORMED;
    }
    char *text = (char *)read_growing(stream, size, &got);
    if (!text) return NPY_NO_MEMORY;
    npy_result result = NPY_DONE;
    if (got < size) {
        result = short_or_failed(stream, message, "it is cut short in its header");
    } else if (!read_header(text, size, out, message)) {
        result = NPY_MALFORMED;
    }
    free(text);
    return result;
}

static npy_result read_data(FILE *stream, tensor *out, char *message) {
    size_t got;
    uint8_t *bytes = read_growing(stream, out->size, &got);
    if (!bytes) return NPY_NO_MEMORY;
    npy_result result = NPY_DONE;
    if (got < out->size) {
        char type[256];
        tensor_type_text(out, type, sizeof type);
        if (ferror(stream)) {
            result = NPY_FILES;
        } else {
            refuse(message, "it is cut short: %s needs %zu bytes of data and it has %zu", type, out->size, got);
            result = NPY_MALFORMED;
        }
    } else if (fgetc(stream) != EOF) {
        refuse(message, "it goes on after its %zu bytes of data", out->size);
        result = NPY_MALFORMED;
    } else if (!tensor_allocate(out)) {
        result = NPY_NO_MEMORY;
    } else if (out->size) {
        memcpy(out->data, bytes, out->size);
    }
    free(bytes);
    return result;
}

npy_result npy_read(FILE *stream, tirbi_dtype as, tensor *out, char message[NPY_MESSAGE_SIZE]) {
    header found = {.descr = ""};
    bool swapped = false;
    *out = (tensor){0};
    message[0] = '\0';
    npy_result result = read_prefix(stream, &found, message);
    if (result != NPY_DONE) return result;
    if (!read_type(found.descr, as, &out->type, &swapped, message)) return NPY_MALFORMED;
    out->ndim = found.ndim;
    memcpy(out->shape, found.shape, sizeof out->shape);
    if (!tensor_measure(out)) {
        refuse(message, "its shape needs more memory than there can be");
        return NPY_MALFORMED;
    }
    result = read_data(stream, out, message);
    if (result != NPY_DONE) return result;
    if (swapped) swap_bytes(out);
    if (out->type == TIRB_BOOL) {
        uint8_t *bytes = out->data;
        for (size_t i = 0; i < out->size; i++) bytes[i] = bytes[i] != 0;
    }
    if (found.fortran_order && out->ndim > 1 && !reorder(out)) {
        tensor_free(out);
        return NPY_NO_MEMORY;
    }
    return NPY_DONE;
}

uint8_t *npy_write(const tensor *t, bool raw, size_t *out_size) {
    static const char kinds[] = {['B'] = 'b', ['I'] = 'i', ['U'] = 'u', ['F'] = 'f'};
    const tirbi_dtype_info *info = &tirbi_dtypes[t->type];
    bool as_raw = (raw && info->size == 2) || t->type == TIRB_BF16;
    char text[1024];
    int at =
        snprintf(text, sizeof text, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                 info->size > 1 ? '<' : '|', as_raw ? 'u' : kinds[(unsigned char)info->class], (unsigned)info->size);
    for (int32_t i = 0; i < t->ndim; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%" PRId64 "%s", i ? ", " : "", t->shape[i],
                       t->ndim == 1 ? "," : "");
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    size_t prefix = MAGIC_SIZE + 4, header_size = prefix + (size_t)at + 1;
    header_size += (HEADER_ALIGN - header_size % HEADER_ALIGN) % HEADER_ALIGN;
    uint8_t *bytes = malloc(header_size + t->size);
    if (!bytes) return NULL;
    memcpy(bytes, magic, MAGIC_SIZE);
    bytes[MAGIC_SIZE] = 1;
    bytes[MAGIC_SIZE + 1] = 0;
    bytes[MAGIC_SIZE + 2] = (uint8_t)(header_size - prefix);
    bytes[MAGIC_SIZE + 3] = (uint8_t)((header_size - prefix) >> 8);
    memset(bytes + prefix, ' ', header_size - prefix);
    memcpy(bytes + prefix, text, (size_t)at);
    bytes[header_size - 1] = '\n';
    tensor body = *t;
    body.data = bytes + header_size;
    if (t->size) memcpy(body.data, t->data, t->size);
    if (!host_is_little()) swap_bytes(&body);
    *out_size = header_size + t->size;
    return bytes;
}
