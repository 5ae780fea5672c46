#include "compiler/driver/params.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/base/bytes.h"

named_array *array_file_add(array_file *file, const char *name, size_t size) {
    named_array *more = realloc(file->arrays, (file->n + 1) * sizeof *more);
    if (!more) return NULL;
    file->arrays = more;
    more[file->n] = (named_array){.name = strndup(name, size)};
    return more[file->n].name ? &more[file->n++] : NULL;
}

/* ---- safetensors: the header's size in 8 bytes, a JSON object of that size, the elements ------------------------- */

enum { PREFIX = 8, MAX_HEADER = 100 << 20 };

static bool type_of(const char *name, tensor *out) {
    static const struct {
        const char *name;
        tirbi_dtype type;
        const char *narrow;
    } types[] = {{"F64", TIRB_F64, NULL},       {"F32", TIRB_F32, NULL},
                 {"F16", TIRB_F16, NULL},       {"BF16", TIRB_BF16, NULL},
                 {"I64", TIRB_I64, NULL},       {"I32", TIRB_I32, NULL},
                 {"I16", TIRB_I16, NULL},       {"I8", TIRB_I8, NULL},
                 {"U64", TIRB_U64, NULL},       {"U32", TIRB_U32, NULL},
                 {"U16", TIRB_U16, NULL},       {"U8", TIRB_U8, NULL},
                 {"BOOL", TIRB_BOOL, NULL},     {"F8_E4M3", TIRB_U8, "f8e4m3fn"},
                 {"F8_E5M2", TIRB_U8, "f8e5m2"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) != 0) continue;
        out->type = types[i].type;
        if (types[i].narrow) out->narrow = narrow_from_name(types[i].narrow, strlen(types[i].narrow));
        return true;
    }
    return false;
}

/* A number that a double holds exactly. */
static bool whole_number(const cJSON *item, int64_t *out) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > 0x1p53 ||
        item->valuedouble != floor(item->valuedouble))
        return false;
    *out = (int64_t)item->valuedouble;
    return true;
}

static const char *read_shape(const cJSON *shape, tensor *out) {
    if (!cJSON_IsArray(shape)) return "it has no shape";
    const cJSON *item;
    cJSON_ArrayForEach(item, shape) {
        if (out->ndim == TENSOR_MAX_NDIM) return "it has too many dimensions";
        if (!whole_number(item, &out->shape[out->ndim++])) return "an extent is no whole number";
    }
    return tensor_measure(out) ? NULL : "its elements are more than can be addressed";
}

/* What is wrong with an entry of the header; NULL: nothing, and *out has it. */
static const char *read_entry(const cJSON *entry, const uint8_t *data, size_t size, tensor *out) {
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    int64_t begin, end;
    if (!cJSON_IsObject(entry) || !cJSON_IsString(dtype)) return "it has no dtype";
    if (!type_of(dtype->valuestring, out)) return "its dtype is none that tirb has";
    const char *wrong = read_shape(cJSON_GetObjectItemCaseSensitive(entry, "shape"), out);
    if (wrong) return wrong;
    if (!cJSON_IsArray(offsets) || cJSON_GetArraySize(offsets) != 2 ||
        !whole_number(cJSON_GetArrayItem(offsets, 0), &begin) || !whole_number(cJSON_GetArrayItem(offsets, 1), &end))
        return "its data_offsets are not two whole numbers";
    if (begin > end || (uint64_t)end > size) return "its data_offsets lead out of the file";
    if ((uint64_t)(end - begin) != out->size) return "its data_offsets are not those of its dtype and shape";
    out->data = (void *)(uintptr_t)(data + begin);
    return NULL;
}

static exit_code read_entries(const invocation *inv, array_file *file, const cJSON *header, size_t header_size) {
    const uint8_t *data = file->bytes + PREFIX + header_size;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, header) {
        if (strcmp(entry->string, "__metadata__") == 0) continue;
        named_array *array = array_file_add(file, entry->string, strlen(entry->string));
        if (!array) return fail_memory(inv);
        const char *wrong = read_entry(entry, data, file->size - PREFIX - header_size, &array->tensor);
        if (wrong) return fail(inv, EXIT_CALL, "%s: '%s': %s", file->path, array->name, wrong);
    }
    return EXIT_DONE;
}

static exit_code read_safetensors(const invocation *inv, array_file *file) {
    const uint64_t size = file->size >= PREFIX ? tirbi_load_u64(file->bytes) : 0;
    if (size < 2 || size > file->size - PREFIX || size > MAX_HEADER)
        return fail(inv, EXIT_CALL, "%s: it is no .safetensors file: its header would have %llu bytes", file->path,
                    (unsigned long long)size);
    cJSON *header = cJSON_ParseWithLength((const char *)file->bytes + PREFIX, (size_t)size);
    exit_code code = cJSON_IsObject(header) ? read_entries(inv, file, header, (size_t)size)
                                            : fail(inv, EXIT_CALL, "%s: its header is no JSON object", file->path);
    cJSON_Delete(header);
    return code;
}

/* ---- Files --------------------------------------------------------------------------------------------------------
 */

static int by_name(const void *a, const void *b) {
    return strcmp(((const named_array *)a)->name, ((const named_array *)b)->name);
}

static exit_code map_file(const invocation *inv, array_file *file) {
    struct stat info;
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        int error = errno;
        if (descriptor >= 0) close(descriptor);
        return fail(inv, EXIT_FILES, "%s: %s", file->path, strerror(error));
    }
    const bool is_file = S_ISREG(info.st_mode);
    file->size = is_file && info.st_size > 0 ? (size_t)info.st_size : 0;
    void *bytes = file->size ? mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    const int error = errno;
    close(descriptor);
    if (file->size == 0)
        return fail(inv, EXIT_FILES, "%s: it is %s", file->path, is_file ? "empty" : "no regular file");
    if (bytes == MAP_FAILED) return fail(inv, EXIT_FILES, "%s: it cannot be mapped: %s", file->path, strerror(error));
    file->bytes = bytes;
    return EXIT_DONE;
}

exit_code array_file_open(const invocation *inv, const char *path, array_file *out) {
    *out = (array_file){.path = path};
    exit_code code = map_file(inv, out);
    const bool is_archive = out->size >= 4 && memcmp(out->bytes, "PK", 2) == 0 && out->bytes[2] < 8;
    if (code == EXIT_DONE) code = is_archive ? npz_read(inv, out) : read_safetensors(inv, out);
    if (code == EXIT_DONE && out->n > 1) qsort(out->arrays, out->n, sizeof out->arrays[0], by_name);
    for (size_t i = 1; code == EXIT_DONE && i < out->n; i++)
        if (strcmp(out->arrays[i - 1].name, out->arrays[i].name) == 0)
            code = fail(inv, EXIT_CALL, "%s: it has '%s' twice", path, out->arrays[i].name);
    if (code != EXIT_DONE) array_file_close(out);
    return code;
}

void array_file_close(array_file *file) {
    for (size_t i = 0; i < file->n; i++) {
        free(file->arrays[i].name);
        tensor_free(&file->arrays[i].tensor);
    }
    free(file->arrays);
    if (file->bytes) munmap((void *)(uintptr_t)file->bytes, file->size);
    *file = (array_file){0};
}
