#include "vm/lanes/special.h"

#include "vm/lanes/slots.h"
#include "vm/math/ops.h"

/* Elements of memory: at any alignment, seen as any type. */
#define UNALIGNED __attribute__((aligned(1), may_alias))
typedef uint16_t UNALIGNED mem_f16;
typedef uint16_t UNALIGNED mem_bf16;
typedef float UNALIGNED mem_f32;
typedef double UNALIGNED mem_f64;

#define KERNEL_1(TYPE, t, NAME, name)                                                                   \
    bool tirbi_strip_##name##_##t(void *d, const void *a, const void *b, const void *c, size_t n) {     \
        (void)b, (void)c;                                                                               \
        for (size_t i = 0; i < n; i++) ((mem_##t *)d)[i] = tirbi_##name##_##t(((const mem_##t *)a)[i]); \
        return true;                                                                                    \
    }                                                                                                   \
    bool tirbi_scalar_##name##_##t(uint64_t *d, uint64_t a, uint64_t b, uint64_t c) {                   \
        (void)b, (void)c;                                                                               \
        *d = tirbi_slot_of_##t(tirbi_##name##_##t(tirbi_slot_##t(a)));                                  \
        return true;                                                                                    \
    }
#define KERNEL_2(TYPE, t, NAME, name)                                                               \
    bool tirbi_strip_##name##_##t(void *d, const void *a, const void *b, const void *c, size_t n) { \
        (void)c;                                                                                    \
        const mem_##t *x = a, *y = b;                                                               \
        for (size_t i = 0; i < n; i++) ((mem_##t *)d)[i] = tirbi_##name##_##t(x[i], y[i]);          \
        return true;                                                                                \
    }                                                                                               \
    bool tirbi_scalar_##name##_##t(uint64_t *d, uint64_t a, uint64_t b, uint64_t c) {               \
        (void)c;                                                                                    \
        *d = tirbi_slot_of_##t(tirbi_##name##_##t(tirbi_slot_##t(a), tirbi_slot_##t(b)));           \
        return true;                                                                                \
    }
#define KERNELS_1(NAME, name) TIRBI_SPECIAL_TYPES(KERNEL_1, NAME, name)
#define KERNELS_2(NAME, name) TIRBI_SPECIAL_TYPES(KERNEL_2, NAME, name)
TIRBI_SPECIAL_1(KERNELS_1)
TIRBI_SPECIAL_2(KERNELS_2)
