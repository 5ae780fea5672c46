#include "vm/call/packed.h"

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/call/signature.h"
#include "vm/call/strided.h"

/* TVM's type codes of arguments, and the fields of its struct of a tensor. */
enum { CODE_INT = 0, CODE_FLOAT = 2, CODE_NULL = 4, CODE_TENSOR = 7 };
enum {
    FIELD_DATA = 1,
    FIELD_SHAPE = 2,
    FIELD_STRIDES = 3,
    FIELD_NDIM = 4,
    FIELD_TYPE_CODE = 5,
    FIELD_TYPE_BITS = 6,
    FIELD_TYPE_LANES = 7,
    FIELD_BYTE_OFFSET = 8,
    FIELD_DEVICE_ID = 9,
    FIELD_DEVICE_TYPE = 10
};
enum { HANDLES_OF_TENSOR = 4, SHOWN = 160 };

/* What one call packs, cut from one block of 64-bit words. */
typedef struct packer {
    const char *signature;
    tirb_error *error;
    uint64_t *words; /* the next free one */
    uint64_t *values;
    int32_t *codes;
    tirbi_packed *out;
} packer;

static tirb_status refuse(const packer *p, tirb_status code, uint32_t i, const char *what) {
    return tirbi_error_set(p->error, code, "argument #%u of %.*s: %s", i, (int)tirbi_text_cut(p->signature, SHOWN),
                           p->signature, what);
}

static uint64_t add_handle(packer *p, void *data, uint64_t size, bool writable) {
    p->out->handles[p->out->n_handles++] =
        (tirbi_ref){.data = (uint8_t *)data, .size = size, .type = TIRB_U8, .writable = writable};
    return TIRBI_HANDLE_TAG + p->out->n_handles;
}

static uint64_t *take_words(packer *p, size_t n) {
    uint64_t *words = p->words;
    p->words += n;
    return words;
}

/* From `data` to the end of the last element that shape and strides reach. */
static tirb_status measure(const packer *p, uint32_t i, const DLTensor *t, int64_t *strides, uint64_t *size) {
    uint32_t bits = (uint32_t)t->dtype.bits * t->dtype.lanes;
    tirbi_view view = {.item = (bits + 7) / 8, .ndim = t->ndim, .shape = t->shape, .strides = strides};
    uintptr_t base;
    if (__builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &base))
        return refuse(p, TIRB_ARGUMENT, i, "byte_offset leads outside the address space");
    view.base = (uint8_t *)base;
    if (!tirbi_view_measure(&view))
        return refuse(p, TIRB_SHAPE, i, "its elements take more bytes than can be addressed");
    bool here = t->device.device_type == kDLCPU || t->device.device_type == kDLCUDAHost;
    if (here && view.count != 0 && !t->data) return refuse(p, TIRB_ARGUMENT, i, "data is NULL");
    uintptr_t data = (uintptr_t)t->data;
    *size = here && view.count != 0 && view.high > data ? (uint64_t)(view.high - data) : 0;
    return TIRB_OK;
}

/* Nothing names a packed function's tensors, so no pair of them may share memory that is written. */
static tirb_status check_flags(const packer *p, uint32_t i, const tirb_arg *arg) {
    enum { KNOWN = TIRB_ARG_READ_ONLY | TIRB_ARG_MAY_ALIAS };
    if (arg->flags & ~(uint32_t)KNOWN) {
        return tirbi_error_set(
            p->error, TIRB_ARGUMENT, "argument #%u of %.*s: its flags are 0x%x, this tirb knows 0x%x", i,
            (int)tirbi_text_cut(p->signature, SHOWN), p->signature, (unsigned)arg->flags, (unsigned)KNOWN);
    }
    if (!(arg->flags & TIRB_ARG_MAY_ALIAS)) return TIRB_OK;
    return refuse(p, TIRB_OVERLAP, i, "may share memory, which a packed function cannot allow by tirb.may_alias");
}

static tirb_status pack_tensor(packer *p, uint32_t i, const tirb_arg *arg) {
    TIRBI_TRY(check_flags(p, i, arg));
    if (!arg->value.tensor) return refuse(p, TIRB_ARGUMENT, i, "is NULL, expected a tensor");
    DLTensor t = *arg->value.tensor;
    if (t.ndim < 0 || t.ndim > TIRBI_MAX_NDIM) return refuse(p, TIRB_SHAPE, i, "ndim is not 0 to 16");
    if (t.ndim > 0 && !t.shape) return refuse(p, TIRB_ARGUMENT, i, "shape is NULL");
    size_t n = (size_t)t.ndim;
    uint64_t *words = take_words(p, TIRBI_STRUCT_WORDS);
    int64_t *shape = (int64_t *)take_words(p, TIRBI_MAX_NDIM), *strides = (int64_t *)take_words(p, TIRBI_MAX_NDIM);
    if (n) memcpy(shape, t.shape, n * sizeof(*shape));
    if (n && t.strides) memcpy(strides, t.strides, n * sizeof(*strides));
    t.shape = shape;
    for (size_t d = 0; d < n; d++)
        if (shape[d] < 0) return refuse(p, TIRB_SHAPE, i, "an extent is negative");
    uint64_t size = 0;
    TIRBI_TRY(measure(p, i, &t, t.strides ? strides : NULL, &size));
    p->codes[i] = CODE_TENSOR;
    p->values[i] = add_handle(p, words, TIRBI_STRUCT_WORDS * sizeof(*words), false);
    words[FIELD_DATA] = add_handle(p, t.data, size, !(arg->flags & TIRB_ARG_READ_ONLY));
    if (!t.data) words[FIELD_DATA] = 0;
    words[FIELD_SHAPE] = add_handle(p, shape, n * sizeof(*shape), false);
    words[FIELD_STRIDES] = add_handle(p, strides, n * sizeof(*strides), false);
    if (!t.strides) words[FIELD_STRIDES] = 0;
    words[FIELD_NDIM] = (uint64_t)t.ndim;
    bool is_bool =
        t.dtype.code == tirbi_dtypes[TIRB_BOOL].dl_code; /* what TVM calls bool is an unsigned type of 1 bit */
    words[FIELD_TYPE_CODE] = is_bool ? (uint64_t)kDLUInt : t.dtype.code;
    words[FIELD_TYPE_BITS] = is_bool ? 1 : t.dtype.bits;
    words[FIELD_TYPE_LANES] = t.dtype.lanes;
    words[FIELD_BYTE_OFFSET] = t.byte_offset;
    words[FIELD_DEVICE_ID] = (uint64_t)(int64_t)t.device.device_id;
    words[FIELD_DEVICE_TYPE] = (uint64_t)t.device.device_type;
    return TIRB_OK;
}

static tirb_status pack_one(packer *p, uint32_t i, const tirb_arg *arg) {
    switch (arg->kind) {
    case TIRB_ARG_TENSOR: return pack_tensor(p, i, arg);
    case TIRB_ARG_INT:
        p->codes[i] = CODE_INT;
        p->values[i] = (uint64_t)arg->value.i;
        return TIRB_OK;
    case TIRB_ARG_FLOAT:
        p->codes[i] = CODE_FLOAT;
        memcpy(&p->values[i], &arg->value.f, sizeof(p->values[i]));
        return TIRB_OK;
    case TIRB_ARG_NONE: p->codes[i] = CODE_NULL; return TIRB_OK;
    default: return refuse(p, TIRB_ARGUMENT, i, "is of no known kind");
    }
}

/* The data of tensors are the second of their handles. */
static void forbid_overlap(tirbi_packed *packed) {
    for (uint32_t i = 1; i < packed->n_handles; i += HANDLES_OF_TENSOR) {
        tirbi_ref *x = &packed->handles[i];
        for (uint32_t j = 1; j < i; j += HANDLES_OF_TENSOR) {
            tirbi_ref *y = &packed->handles[j];
            if (x->size == 0 || y->size == 0) continue;
            if (x->data >= y->data + y->size || y->data >= x->data + x->size) continue;
            x->writable = y->writable = false;
        }
    }
}

/* Every tensor gets room for the most dimensions: what the caller's struct says is read once, when it is copied. */
static size_t count_words(const tirb_arg *args, uint32_t n_args, uint32_t *n_tensors) {
    size_t words = (size_t)n_args + (n_args + 1) / 2 + 2;
    *n_tensors = 0;
    for (uint32_t i = 0; i < n_args; i++) {
        if (args[i].kind != TIRB_ARG_TENSOR || !args[i].value.tensor) continue;
        ++*n_tensors;
    }
    return words + *n_tensors * (size_t)(TIRBI_STRUCT_WORDS + 2 * TIRBI_MAX_NDIM);
}

tirb_status tirbi_packed_bind(const char *signature, const tirb_arg *args, uint32_t n_args, tirbi_heap *heap,
                              tirbi_packed *out, tirb_error *error) {
    uint32_t n_tensors;
    *out = (tirbi_packed){0};
    if (n_args > TIRBI_MAX_PACKED_ARGS) {
        return tirbi_error_set(error, TIRB_ARGUMENT, "%u arguments for %.*s, at most %d", n_args,
                               (int)tirbi_text_cut(signature, SHOWN), signature, TIRBI_MAX_PACKED_ARGS);
    }
    size_t words = count_words(args, n_args, &n_tensors);
    out->size = words * sizeof(uint64_t) + n_tensors * HANDLES_OF_TENSOR * sizeof(tirbi_ref);
    out->memory = tirbi_heap_calloc(heap, 1, out->size);
    if (!out->memory) return tirbi_error_set(error, tirbi_heap_status(heap), "no memory for the arguments");
    packer p = {.signature = signature, .error = error, .words = out->memory, .out = out};
    out->handles = (tirbi_ref *)(void *)((uint8_t *)out->memory + words * sizeof(uint64_t));
    p.values = take_words(&p, n_args);
    p.codes = (int32_t *)(void *)take_words(&p, (n_args + 1) / 2);
    out->result = take_words(&p, 1);
    out->result_code = (int32_t *)(void *)take_words(&p, 1);
    for (uint32_t i = 0; i < n_args; i++) TIRBI_TRY(pack_one(&p, i, &args[i]));
    forbid_overlap(out);
    *out->result_code = CODE_NULL;
    out->n_args = n_args;
    out->refs[0] = (tirbi_ref){.data = (uint8_t *)p.values, .size = n_args * sizeof(*p.values), .type = TIRB_I64};
    out->refs[1] = (tirbi_ref){.data = (uint8_t *)p.codes, .size = n_args * sizeof(*p.codes), .type = TIRB_I32};
    out->refs[2] = (tirbi_ref){.data = (uint8_t *)out->result, .size = sizeof(*out->result), .type = TIRB_I64,
                               .writable = true};
    out->refs[3] = (tirbi_ref){.data = (uint8_t *)out->result_code, .size = sizeof(*out->result_code), .type = TIRB_I32,
                               .writable = true};
    out->refs[4] = (tirbi_ref){.data = NULL, .size = 0, .type = TIRB_I64};
    return TIRB_OK;
}

void tirbi_packed_release(tirbi_packed *packed, tirbi_heap *heap) {
    tirbi_heap_free(heap, packed->memory, packed->size);
    *packed = (tirbi_packed){0};
}

tirb_status tirbi_packed_result(const tirbi_packed *packed, const char *signature, int32_t status, tirb_result *out,
                                tirb_error *error) {
    memset(out, 0, sizeof *out); /* its padding, too: callers compare bytes */
    if (status != 0) {
        return tirbi_error_set(error, TIRB_VALUE, "%.*s returned %d", (int)tirbi_text_cut(signature, SHOWN), signature,
                               (int)status);
    }
    if (*packed->result_code == CODE_INT) {
        out->dtype = tirbi_dtype_to_dl(TIRB_I64);
        out->value.i = (int64_t)*packed->result;
    } else if (*packed->result_code == CODE_FLOAT) {
        out->dtype = tirbi_dtype_to_dl(TIRB_F64);
        memcpy(&out->value.f, packed->result, sizeof(out->value.f));
    }
    return TIRB_OK;
}
