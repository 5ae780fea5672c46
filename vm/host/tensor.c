/* Tensors that tirb owns and gives away: DLPack's managed structs over memory of an engine's allocator. */
#include <tirb/dlpack.h>

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/call/objects.h"
#include "vm/call/signature.h"
#include "vm/limits/steps.h"

enum { ALIGNMENT = 256 }; /* what DLPack asks of producers */

/* One block holds all of a tensor: this, its extents and strides, and from the next multiple of ALIGNMENT its elements.
 * The engine is kept alive, for its allocator takes the block back. */
typedef struct tirbi_owned_tensor {
    union {
        DLManagedTensor older;
        tirb_dl_managed_v1 v1;
    } as;
    tirb_engine *engine;
    size_t total;
    struct tirbi_owned_tensor *next; /* of those that an instance is to free */
    int64_t dims[]; /* shape, then strides */
} owned_tensor;

static void release(owned_tensor *owned) {
    tirb_engine *engine = owned->engine;
    tirbi_heap heap = engine->heap;
    tirbi_heap_free(&heap, owned, owned->total);
    tirb_engine_release(engine);
}

static void delete_older(DLManagedTensor *self) {
    if (self) release((owned_tensor *)self->manager_ctx);
}

static void delete_v1(tirb_dl_managed_v1 *self) {
    if (self) release((owned_tensor *)self->manager_ctx);
}

static tirb_status check_shape(DLDataType dtype, const int64_t *shape, int32_t ndim, uint64_t *bytes,
                               tirb_error *error) {
    tirbi_dtype type;
    if (!tirbi_dtype_from_dl(dtype, &type)) {
        char name[48];
        tirbi_dl_type_format(dtype, name);
        return tirbi_error_set(error, TIRB_ARGUMENT, "a tensor cannot have elements of type %s", name);
    }
    if (ndim < 0 || ndim > TIRBI_MAX_NDIM || (ndim > 0 && !shape)) {
        return tirbi_error_set(error, TIRB_ARGUMENT, "a tensor of %d dimensions%s, expected 0 to %d with a shape",
                               (int)ndim, ndim > 0 && !shape ? " without a shape" : "", TIRBI_MAX_NDIM);
    }
    tirbi_view view = {.item = tirbi_dtypes[type].size, .ndim = ndim, .shape = shape};
    for (int32_t i = 0; i < ndim; i++) {
        if (shape[i] >= 0) continue;
        return tirbi_error_set(error, TIRB_SHAPE, "shape[%d] is %lld, expected 0 or more", (int)i, (long long)shape[i]);
    }
    if (!tirbi_view_measure(&view)) {
        return tirbi_error_set(error, TIRB_SHAPE, "its elements would take more bytes than can be addressed");
    }
    *bytes = view.count * view.item;
    return TIRB_OK;
}

static void fill_dims(owned_tensor *owned, const int64_t *shape, int32_t ndim) {
    int64_t *strides = owned->dims + ndim;
    int64_t stride = 1;
    for (int32_t i = ndim - 1; i >= 0; i--) {
        owned->dims[i] = shape[i];
        strides[i] = stride;
        if (!tirbi_mul_i64(stride, shape[i], &stride)) stride = 0; /* only behind an extent of 0 */
    }
}

/* Its elements are not set. */
static tirb_status create(tirb_engine *engine, tirbi_heap *heap, DLDataType dtype, const int64_t *shape, int32_t ndim,
                          owned_tensor **out, DLTensor *tensor, tirb_error *error) {
    uint64_t bytes = 0, total;
    TIRBI_TRY(check_shape(dtype, shape, ndim, &bytes, error));
    size_t head = sizeof(owned_tensor) + 2 * sizeof(int64_t) * (size_t)ndim;
    if (!tirbi_add_u64(bytes, head + ALIGNMENT, &total) || total > SIZE_MAX) {
        return tirbi_error_set(error, TIRB_SHAPE, "its elements would take more bytes than can be addressed");
    }
    owned_tensor *owned = tirbi_heap_alloc(heap, (size_t)total);
    if (!owned && heap->over_budget) {
        return tirbi_error_set(error, TIRB_MEMORY_LIMIT, "a tensor of %llu bytes exceeds the memory limit of %llu",
                               (unsigned long long)bytes, (unsigned long long)heap->budget);
    }
    if (!owned) {
        return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for a tensor of %llu bytes",
                               (unsigned long long)bytes);
    }
    memset(owned, 0, head);
    owned->engine = engine;
    owned->total = (size_t)total;
    tirbi_engine_retain(engine);
    fill_dims(owned, shape, ndim);
    uintptr_t data = (uintptr_t)owned + head;
    data += (ALIGNMENT - data % ALIGNMENT) % ALIGNMENT;
    *tensor = (DLTensor){.data = (void *)data,
                         .device = {kDLCPU, 0},
                         .ndim = ndim,
                         .dtype = dtype,
                         .shape = owned->dims,
                         .strides = owned->dims + ndim};
    *out = owned;
    return TIRB_OK;
}

static DLManagedTensor *as_older(owned_tensor *owned, const DLTensor *tensor) {
    owned->as.older = (DLManagedTensor){.dl_tensor = *tensor, .manager_ctx = owned, .deleter = delete_older};
    return &owned->as.older;
}

/* What is behind the elements belongs to nobody. */
static size_t bytes_from(const owned_tensor *owned, const void *data) {
    return owned->total - (size_t)((const uint8_t *)data - (const uint8_t *)owned);
}

tirb_status tirb_tensor_create(tirb_engine *engine, DLDataType dtype, const int64_t *shape, int32_t ndim,
                               DLManagedTensor **out_tensor, tirb_error *error) {
    if (out_tensor) *out_tensor = NULL;
    if (!engine || !out_tensor) {
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_tensor_create: %s is NULL", engine ? "out_tensor" : "engine");
    }
    owned_tensor *owned;
    DLTensor tensor;
    tirbi_heap heap = engine->heap;
    TIRBI_TRY(create(engine, &heap, dtype, shape, ndim, &owned, &tensor, error));
    memset(tensor.data, 0, bytes_from(owned, tensor.data));
    *out_tensor = as_older(owned, &tensor);
    return TIRB_OK;
}

tirb_status tirb_tensor_create_v1(tirb_engine *engine, DLDataType dtype, const int64_t *shape, int32_t ndim,
                                  tirb_dl_managed_v1 **out_tensor, tirb_error *error) {
    if (out_tensor) *out_tensor = NULL;
    if (!engine || !out_tensor) {
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_tensor_create_v1: %s is NULL",
                               engine ? "out_tensor" : "engine");
    }
    owned_tensor *owned;
    DLTensor tensor;
    tirbi_heap heap = engine->heap;
    TIRBI_TRY(create(engine, &heap, dtype, shape, ndim, &owned, &tensor, error));
    memset(tensor.data, 0, bytes_from(owned, tensor.data));
    owned->as.v1 = (tirb_dl_managed_v1){
        .version = {TIRB_DL_MAJOR, 0}, .manager_ctx = owned, .deleter = delete_v1, .dl_tensor = tensor};
    *out_tensor = &owned->as.v1;
    return TIRB_OK;
}

/* ---- Results of calls ------------------------------------------------------------------------------------------- */

tirb_status tirbi_tensor_make(tirb_instance *instance, DLDataType dtype, const int64_t *shape, int32_t ndim,
                              DLManagedTensor **out, tirb_error *error) {
    owned_tensor *owned = NULL;
    DLTensor tensor;
    const tirb_status status =
        create(instance->module->engine, &instance->heap, dtype, shape, ndim, &owned, &tensor, error);
    /* A stop may be why there is no memory: what others have left goes back until then only. */
    const unsigned stop = atomic_load_explicit(&instance->stops.call, memory_order_relaxed);
    if (status != TIRB_OK) return stop ? tirbi_stop_status(stop, error) : status;
    *out = as_older(owned, &tensor);
    return TIRB_OK;
}

bool tirbi_tensor_clear(const DLManagedTensor *made, const atomic_uint *stop) {
    uint8_t *data = made->dl_tensor.data;
    return tirbi_clear_in_steps(data, bytes_from(made->manager_ctx, data), stop);
}

void tirbi_tensor_hand_over(tirbi_heap *heap, const DLManagedTensor *made) {
    tirbi_heap_hand_over(heap, ((const owned_tensor *)made->manager_ctx)->total);
}

void tirbi_tensor_leave(tirb_instance *instance, DLManagedTensor *made) {
    owned_tensor *owned = made->manager_ctx;
    owned->next = instance->left;
    instance->left = owned;
    (void)tirbi_tensors_free(instance, &instance->stops.call);
}

bool tirbi_tensors_free(tirb_instance *instance, const atomic_uint *stop) {
    while (instance->left) {
        owned_tensor *owned = instance->left;
        uint8_t *data = owned->as.older.dl_tensor.data;
        if (!tirbi_discard(&instance->heap.allocator, data, bytes_from(owned, data), stop)) return false;
        instance->left = owned->next;
        tirbi_tensor_hand_over(&instance->heap, &owned->as.older);
        delete_older(&owned->as.older);
    }
    return true;
}
