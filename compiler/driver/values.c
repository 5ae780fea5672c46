#include "compiler/driver/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/driver/files.h"
#include "compiler/driver/npy.h"

static bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char *split_assignment(const char *text, size_t *name_length) {
    size_t n = 0;
    bool position = is_digit(text[0]); /* of an argument of a packed function */
    if (!position && !is_name_start(text[0])) return NULL;
    while ((!position && is_name_start(text[n])) || is_digit(text[n])) n++;
    while (!position && text[n] == '.' && is_digit(text[n + 1])) { /* a field of a tuple */
        for (n++; is_digit(text[n]);) n++;
    }
    if (text[n] != '=') return NULL;
    *name_length = n;
    return text + n + 1;
}

/* "f32", or "f8e4m3fn" of bytes. */
static bool element_type(const char *text, size_t length, tirbi_dtype *out, const tirb_narrow_format **narrow) {
    *narrow = NULL;
    if (tirbi_dtype_from_name(text, length, out)) return true;
    *narrow = narrow_from_name(text, length);
    *out = TIRB_U8;
    return *narrow != NULL;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

bool file_value_parse(const char *text, file_value *out) {
    if (text[0] != '@' || text[1] == '\0') return false;
    *out = (file_value){.path = strdup(text + 1), .as = TIRB_TYPE_NONE};
    if (!out->path) return false;
    char *colon = strrchr(out->path, ':');
    tirbi_dtype type;
    if (colon && colon != out->path && element_type(colon + 1, strlen(colon + 1), &type, &out->narrow)) {
        *colon = '\0';
        out->as = type;
    }
    return true;
}

exit_code file_value_read(const invocation *inv, const char *text, tensor *out) {
    file_value file;
    char message[NPY_MESSAGE_SIZE];
    if (!file_value_parse(text, &file)) {
        return fail_usage(inv->command, "'%s' is not of the form @FILE.npy", text);
    }
    exit_code code = EXIT_DONE;
    bool is_stdin = strcmp(file.path, "-") == 0;
    const char *name = input_name(file.path);
    FILE *stream = is_stdin ? stdin : fopen(file.path, "rb");
    if (!stream) {
        code = fail(inv, EXIT_FILES, "%s: %s", name, strerror(errno));
    } else {
        switch (npy_read(stream, file.as, out, message)) {
        case NPY_DONE: out->narrow = file.narrow; break;
        case NPY_FILES: code = fail(inv, EXIT_FILES, "%s: %s", name, strerror(errno)); break;
        case NPY_MALFORMED: code = fail(inv, EXIT_CALL, "%s: %s", name, message); break;
        case NPY_NO_MEMORY: code = fail_memory(inv); break;
        }
    }
    if (stream && !is_stdin) fclose(stream);
    free(file.path);
    return code;
}

/* ---- Literals --------------------------------------------------------------------------------------------------- */

bool tensor_of_type_text(const char *text, size_t length, tensor *out) {
    const char *end = text + length;
    *out = (tensor){0};
    while (text < end && is_digit(*text)) {
        int64_t extent = 0;
        while (text < end && is_digit(*text)) {
            if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, *text - '0', &extent)) {
                return false;
            }
            text++;
        }
        if (text == end || *text != 'x' || out->ndim == TENSOR_MAX_NDIM) return false;
        out->shape[out->ndim++] = extent;
        text++;
    }
    return element_type(text, (size_t)(end - text), &out->type, &out->narrow);
}

bool is_tensor_type(const char *text, size_t length) {
    tensor ignored;
    return tensor_of_type_text(text, length, &ignored);
}

static exit_code fill(const invocation *inv, const char *text, const char *values, tensor *out) {
    size_t n = 0;
    while (*values || n == 0) {
        if (!*values && out->count == 0) break;
        size_t length = strcspn(values, ",");
        number item;
        if (!number_parse(values, length, &item)) {
            return fail_usage(inv->command, "'%s': '%.*s' is no number", text, (int)length, values);
        }
        if (n >= out->count && out->count > 0) {
            return fail_usage(inv->command, "'%s' has more than %zu values", text, out->count);
        }
        if (out->count > 0) {
            store_result stored = element_store(out, n, &item);
            if (stored != STORE_DONE) {
                return fail(inv, EXIT_CALL, "'%s': %.*s is %s %s", text, (int)length, values,
                            stored == STORE_NOT_INTEGER ? "not an integer, as needed for" : "not a value of",
                            tirbi_dtypes[out->type].name);
            }
        }
        n++;
        values += length;
        if (*values == ',' && values[1] == '\0') return fail_usage(inv->command, "'%s' ends with a comma", text);
        if (*values == ',') values++;
    }
    if (n == 1 && out->count > 1) {
        size_t size = tirbi_dtypes[out->type].size;
        for (size_t i = 1; i < out->count; i++) memcpy((uint8_t *)out->data + i * size, out->data, size);
    } else if (n < out->count) {
        return fail_usage(inv->command, "'%s' has %zu values; its shape needs %zu, or one to fill it", text, n,
                          out->count);
    }
    return EXIT_DONE;
}

static exit_code read_literal(const invocation *inv, const char *text, const char *equals, value *out) {
    if (!tensor_of_type_text(text, (size_t)(equals - text), &out->tensor)) {
        return fail_usage(inv->command,
                          "'%.*s' is no tensor type such as 4xf32 (types: i8 u8 ... i64 u64 f16 bf16 f32 f64 bool "
                          "f8e4m3fn ...)",
                          (int)(equals - text), text);
    }
    if (!tensor_measure(&out->tensor) || !tensor_allocate(&out->tensor)) {
        return fail(inv, EXIT_CALL, "'%.*s' needs more memory than there is", (int)(equals - text), text);
    }
    out->is_tensor = true;
    exit_code code = fill(inv, text, equals + 1, &out->tensor);
    if (code != EXIT_DONE) value_clear(out);
    return code;
}

exit_code value_read(const invocation *inv, const char *text, value *out) {
    *out = (value){0};
    if (text[0] == '@') {
        exit_code code = file_value_read(inv, text, &out->tensor);
        out->is_tensor = code == EXIT_DONE;
        return code;
    }
    const char *equals = strchr(text, '=');
    if (equals) return read_literal(inv, text, equals, out);
    if (number_parse(text, strlen(text), &out->scalar)) return EXIT_DONE;
    if (access(text, F_OK) == 0)
        return fail_usage(inv->command, "'%s' is no value, but a file: write @%s for the array in it", text, text);
    return fail_usage(inv->command,
                      "'%s' is no value: a number, true, false, @FILE.npy or a literal such as 4xf32=1,2,3,4", text);
}

void value_clear(value *cleared) {
    if (cleared->is_tensor) tensor_free(&cleared->tensor);
    *cleared = (value){0};
}
