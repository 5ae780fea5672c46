/* Micro-kernels in plain C. A fused multiply-add that the machine does not have is emulated, element by element. */
#include "vm/contract/tables.h"
#include "vm/math/fused.h"

#pragma GCC diagnostic ignored "-Wpedantic"

typedef float float_x4 __attribute__((vector_size(16)));
typedef double double_x2 __attribute__((vector_size(16)));

#if defined(TIRBI_HAVE_FMA)
#define FUSED static inline __attribute__((always_inline))
#else
#define FUSED static __attribute__((noinline)) /* tiles call it: it is many times as long as they are */
#endif
#if defined(TIRBI_FUSES_IN_PARTS)
#define FUSED_IN_PARTS 1
FUSED float_x4 fused_f32(float_x4 x, float_x4 y, float_x4 z) { return tirbi_fused_vector_f32(x, y, z); }
FUSED double_x2 fused_f64(double_x2 x, double_x2 y, double_x2 z) { return tirbi_fused_vector_f64(x, y, z); }
#else
FUSED float_x4 fused_f32(float_x4 x, float_x4 y, float_x4 z) {
    for (int i = 0; i < 4; i++) z[i] = tirbi_fused_f32(x[i], y[i], z[i]);
    return z;
}
FUSED double_x2 fused_f64(double_x2 x, double_x2 y, double_x2 z) {
    for (int i = 0; i < 2; i++) z[i] = tirbi_fused_f64(x[i], y[i], z[i]);
    return z;
}
#endif

#define CONTRACT_KERNELS tirbi_contract_generic
#define PRODUCTS_AT_ONCE (1 << 11)
#define VB 16
#define ROWS 4
#define PAD 4
#define VECTORS 2
#define EACH_ROW TIRBI_ROWS_4
#define FMA_F32(x, y, z) fused_f32(x, y, z)
#define FMA_F64(x, y, z) fused_f64(x, y, z)
#include "vm/contract/tiles.inc"
