/* tirb/dlpack.h - DLPack's versioned exchange struct under our own names.
 *
 * DLPack 1.0 added DLManagedTensorVersioned, flags and more element types; headers before it (Debian 12 has 0.6) lack
 * them. These declarations have the same layout and values, so that programs built against any <dlpack/dlpack.h> can
 * exchange tensors with producers of either age. A call only ever borrows a DLTensor: whoever received a managed tensor
 * keeps it until the call returned, and then calls its deleter, if it has one. */
#ifndef TIRB_DLPACK_H
#define TIRB_DLPACK_H

#include <dlpack/dlpack.h>
#include <tirb/tirb.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element type codes that DLPack 0.6 has no names for. A parameter of 8-bit floats is one of uint8 in a bundle, and
 * takes tensors of either. */
enum {
    TIRB_DL_BOOL = 6,
    TIRB_DL_F8E3M4 = 7,
    TIRB_DL_F8E4M3 = 8,
    TIRB_DL_F8E4M3B11FNUZ = 9,
    TIRB_DL_F8E4M3FN = 10,
    TIRB_DL_F8E4M3FNUZ = 11,
    TIRB_DL_F8E5M2 = 12,
    TIRB_DL_F8E5M2FNUZ = 13,
    TIRB_DL_F8E8M0FNU = 14
};

/* Flags of a managed tensor. */
enum { TIRB_DL_READ_ONLY = 1, TIRB_DL_IS_COPIED = 2, TIRB_DL_SUBBYTE_PADDED = 4 };

/* The major version whose layout tirb_dl_managed_v1 is. */
enum { TIRB_DL_MAJOR = 1 };

/* What a "dltensor_versioned" capsule holds. With another major version only the first three fields may be used:
 * deleter(self) gives the tensor back unread. */
typedef struct tirb_dl_managed_v1 {
    struct {
        uint32_t major;
        uint32_t minor;
    } version;
    void *manager_ctx;
    void (*deleter)(struct tirb_dl_managed_v1 *self); /* may be NULL */
    uint64_t flags;
    DLTensor dl_tensor;
} tirb_dl_managed_v1;

#if defined(DLPACK_MAJOR_VERSION) && !defined(__cplusplus)
_Static_assert(sizeof(struct DLManagedTensorVersioned) == sizeof(tirb_dl_managed_v1) &&
                   offsetof(struct DLManagedTensorVersioned, deleter) == offsetof(tirb_dl_managed_v1, deleter) &&
                   offsetof(struct DLManagedTensorVersioned, flags) == offsetof(tirb_dl_managed_v1, flags) &&
                   offsetof(struct DLManagedTensorVersioned, dl_tensor) == offsetof(tirb_dl_managed_v1, dl_tensor),
               "the layout of DLPack 1");
#endif

/* Makes a tensor of zeroes in host memory, compact, aligned to 256 bytes, with the engine's allocator: for outputs, of
 * the shape and type that tirb_instance_infer gives, and for consumers of either form of the struct. The caller owns
 * *out_tensor and gives it away, or back by its deleter, on any thread; it keeps the engine alive. Thread-safe. Errors:
 * ARGUMENT (a type or rank that tirb does not have), SHAPE (a negative extent, or too many bytes), NO_MEMORY,
 * MISUSE. */
TIRB_API tirb_status tirb_tensor_create(tirb_engine *engine, DLDataType dtype, const int64_t *shape, int32_t ndim,
                                        DLManagedTensor **out_tensor, tirb_error *error);
TIRB_API tirb_status tirb_tensor_create_v1(tirb_engine *engine, DLDataType dtype, const int64_t *shape, int32_t ndim,
                                           tirb_dl_managed_v1 **out_tensor, tirb_error *error);

/* Makes the call argument for a managed tensor, read-only if it is flagged so. Returns 0 and leaves *out_arg alone if
 * the struct is of another major version. The argument borrows `managed`, which stays the caller's. */
static inline int tirb_arg_from_managed_v1(const tirb_dl_managed_v1 *managed, tirb_arg *out_arg) {
    if (managed->version.major != TIRB_DL_MAJOR) return 0;
    out_arg->kind = TIRB_ARG_TENSOR;
    out_arg->flags = (managed->flags & TIRB_DL_READ_ONLY) ? (uint32_t)TIRB_ARG_READ_ONLY : 0u;
    out_arg->value.tensor = &managed->dl_tensor;
    return 1;
}

/* The same for an unversioned DLManagedTensor, which has no flags. */
static inline void tirb_arg_from_managed(const DLManagedTensor *managed, tirb_arg *out_arg) {
    out_arg->kind = TIRB_ARG_TENSOR;
    out_arg->flags = 0;
    out_arg->value.tensor = &managed->dl_tensor;
}

#ifdef __cplusplus
}
#endif
#endif
