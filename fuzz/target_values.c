/* The command's inputs: the first byte of an input chooses between a .npy file and a literal. What is read is written
 * and read again. */
#define _GNU_SOURCE /* fmemopen */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/npy.h"
#include "compiler/driver/values.h"
#include "fuzz/fuzz.h"

enum { MAX_ELEMENTS = 1 << 16 };

/* The command prints what is wrong; here it only needs to be told apart. */
exit_code fail(const invocation *inv, exit_code code, const char *format, ...) {
    char text[256];
    va_list arguments;
    (void)inv;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return text[0] ? code : EXIT_INTERNAL;
}

exit_code fail_usage(const command *cmd, const char *format, ...) {
    char text[256];
    va_list arguments;
    (void)cmd;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

exit_code fail_memory(const invocation *inv) {
    (void)inv;
    return EXIT_INTERNAL;
}

static npy_result read_npy(const uint8_t *bytes, size_t size, tirbi_dtype as, tensor *out) {
    char message[NPY_MESSAGE_SIZE] = "";
    FILE *stream = fmemopen((void *)(uintptr_t)bytes, size, "rb");
    if (!stream) return NPY_FILES;
    npy_result result = npy_read(stream, as, out, message);
    if (result == NPY_MALFORMED && message[0] == '\0') fuzz_fail("malformed without a message");
    fclose(stream);
    return result;
}

static void show(const tensor *t) {
    char text[ELEMENT_TEXT_SIZE], type[256];
    tensor_type_text(t, type, sizeof(type));
    for (size_t i = 0; i < t->count && i < 16; i++) {
        element_text(t, i, text);
        tensor_index_text(t, i, type, sizeof(type));
    }
}

/* What was read, written and read again, is the same. */
static void write_back(const tensor *t) {
    size_t size;
    tensor again;
    if (t->count > MAX_ELEMENTS) return;
    uint8_t *bytes = npy_write(t, false, &size);
    if (!bytes) return;
    if (read_npy(bytes, size, t->type, &again) != NPY_DONE) fuzz_fail("what was written cannot be read");
    if (again.type != t->type || !tensor_same_shape(&again, t) || memcmp(again.data, t->data, t->size) != 0) {
        fuzz_fail("what was written reads as another tensor");
    }
    tensor_free(&again);
    free(bytes);
}

static bool read_literal(const uint8_t *text, size_t size) {
    value v;
    static const invocation nobody;
    char *terminated = (char *)fuzz_allocate(size + 1);
    if (size > 0) memcpy(terminated, text, size);
    terminated[size] = '\0';
    tensor measured;
    bool read = false;
    const char *equals = strchr(terminated, '=');
    /* Large tensors only cost time; '@' would open files. */
    bool small = !equals || !tensor_of_type_text(terminated, (size_t)(equals - terminated), &measured) ||
                 !tensor_measure(&measured) || measured.count <= MAX_ELEMENTS;
    if (small && terminated[0] != '@' && value_read(&nobody, terminated, &v) == EXIT_DONE) {
        if (v.is_tensor) {
            show(&v.tensor);
            write_back(&v.tensor);
        }
        value_clear(&v);
        read = true;
    }
    size_t length;
    split_assignment(terminated, &length);
    free(terminated);
    return read;
}

static bool run(const uint8_t *data, size_t size) {
    tensor t;
    if (size == 0) return false;
    uint8_t how = data[0];
    if (how >= 128) return read_literal(data + 1, size - 1);
    uint8_t *exact = fuzz_copy(data + 1, size - 1);
    tirbi_dtype as = how < 64 ? TIRB_TYPE_NONE : (tirbi_dtype)(how % TIRB_N_DTYPES);
    const bool read = size > 1 && read_npy(exact, size - 1, as, &t) == NPY_DONE;
    if (read) {
        show(&t);
        write_back(&t);
        tensor_free(&t);
    }
    free(exact);
    return read;
}

const fuzz_target fuzz_target_values = {"values", run, NULL, NULL};
