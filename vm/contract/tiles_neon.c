/* Micro-kernels for AArch64 with Advanced SIMD: 24 registers hold a tile. */
#include "vm/contract/tables.h"
#include "vm/lanes/isas.h"

#if TIRBI_LANES_NEON

#pragma GCC diagnostic ignored "-Wpedantic"

#include <arm_neon.h>

#define CONTRACT_KERNELS tirbi_contract_neon
#define VB 16
#define ROWS 8
#define PAD 8
#define VECTORS 3
#define EACH_ROW TIRBI_ROWS_8
#define FMA_F32(x, y, z) ((VF32)vfmaq_f32((float32x4_t)(z), (float32x4_t)(x), (float32x4_t)(y)))
#define FMA_F64(x, y, z) ((VF64)vfmaq_f64((float64x2_t)(z), (float64x2_t)(x), (float64x2_t)(y)))
#define ROUND_F16(v)         ((VF32)vcvt_f32_f16(vcvt_f16_f32((float32x4_t)(v))))
#include "vm/contract/tiles.inc"

#endif
