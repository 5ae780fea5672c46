/* The tables of strip kernels. Each is defined by its own file, where the build has its instruction set. */
#ifndef TIRB_VM_LANES_KERNEL_TABLES_H
#define TIRB_VM_LANES_KERNEL_TABLES_H

#include "vm/lanes/isas.h"
#include "vm/lanes/kernels.h"

extern const tirbi_kernel_table tirbi_kernels_generic;
extern const tirbi_kernel_table tirbi_kernels_sse2;
extern const tirbi_kernel_table tirbi_kernels_avx2;
extern const tirbi_kernel_table tirbi_kernels_avx512;
extern const tirbi_kernel_table tirbi_kernels_neon;

extern const tirbi_scalars tirbi_scalars_generic;
extern const tirbi_float_scalars tirbi_floats_avx2;
extern const tirbi_float_scalars tirbi_floats_avx512; /* where there are none for AVX2 */

extern const tirbi_ordered tirbi_ordered_baseline; /* of what every CPU of the architecture has */
extern const tirbi_fused_ordered tirbi_fused_baseline;
extern const tirbi_fused_ordered tirbi_fused_avx2;
extern const tirbi_fused_ordered tirbi_fused_avx512; /* where there are none for AVX2 */

#endif
