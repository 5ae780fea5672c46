#include "fuzz/imports.h"

#include <string.h>

#include "fuzz/fuzz.h"
#include "loader/isa/isa.h"
#include "vm/call/objects.h"

/* Views are looked at up to here: the fuel of a call does not count what a host does. */
enum { MAX_LOOKED_AT = 4096, MAX_IMPORTS = 128 };

static void mix(uint64_t *hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) *hash = (*hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
}

/* The bytes of a view, after a look at whether it is what imports are promised. */
static size_t bytes_of(const tirb_import_arg *arg) {
    const DLTensor *view = arg->value.tensor;
    tirbi_dtype type;
    bool plain = view && view->ndim == 1 && view->device.device_type == kDLCPU && view->byte_offset == 0 &&
                 view->shape[0] >= 0 && view->strides && view->strides[0] == 1;
    if (!plain || !tirbi_dtype_from_dl(arg->dtype, &type)) fuzz_fail("an import is handed a view that is none");
    if (view->shape[0] > 0 && !view->data) fuzz_fail("an import is handed elements without memory");
    size_t size = (size_t)view->shape[0] * tirbi_dtypes[type].size;
    return size < MAX_LOOKED_AT ? size : MAX_LOOKED_AT;
}

static uint64_t look_at(const tirb_import_arg *args, uint32_t n) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == TIRB_ARG_TENSOR) {
            mix(&hash, args[i].value.tensor->data, bytes_of(&args[i]));
        } else {
            mix(&hash, &args[i].value, sizeof(args[i].value));
        }
    }
    return hash;
}

/* Writes what it may, and ends now and then with an error. */
static tirb_status answer(void *context, const tirb_import_arg *args, uint32_t n, tirb_result *result,
                          uint64_t remaining_ns, tirb_error *error) {
    (void)context;
    (void)remaining_ns;
    (void)error;
    uint64_t hash = look_at(args, n);
    fuzz_random random = fuzz_seed(hash);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind != TIRB_ARG_TENSOR || (args[i].flags & TIRB_ARG_READ_ONLY)) continue;
        size_t size = bytes_of(&args[i]);
        if (size > 0)
            ((uint8_t *)args[i].value.tensor->data)[fuzz_below(&random, size)] = (uint8_t)fuzz_below(&random, 2);
    }
    if (result->dtype.code == kDLFloat || result->dtype.code == kDLBfloat) {
        result->value.f = (double)fuzz_below(&random, 100) / 8.0;
    } else if (result->dtype.bits > 0) {
        result->value.i = (int64_t)fuzz_below(&random, fuzz_one_in(&random, 32) ? 1000 : 2);
    }
    static const int endings[] = {TIRB_VALUE, TIRB_ASSERT, TIRB_IMPORT, 12345};
    return fuzz_one_in(&random, 64) ? (tirb_status)endings[fuzz_below(&random, 4)] : TIRB_OK;
}

void fuzz_imports_bind(tirb_instance *instance) {
    tirb_import offers[MAX_IMPORTS];
    const tirbi_program *program = instance->module->program;
    uint32_t n = program->n_imports < MAX_IMPORTS ? program->n_imports : MAX_IMPORTS;
    for (uint32_t i = 0; i < n; i++) {
        offers[i] = (tirb_import){.name = tirbi_program_text(program, program->imports[i].name),
                                  .function = answer,
                                  .flags = TIRB_IMPORT_THREAD_SAFE};
    }
    tirb_error error = TIRB_ERROR_INIT;
    if (tirb_instance_bind(instance, offers, n, &error) != TIRB_OK)
        fuzz_fail("imports cannot be bound: %s", error.message);
}
