/* The tables of strip kernels, one for each instruction set. */
#ifndef TIRB_VM_LANES_KERNEL_TABLES_H
#define TIRB_VM_LANES_KERNEL_TABLES_H

#include "vm/lanes/kernels.h"

extern const tirbi_kernel_table tirbi_kernels_generic;
#if defined(__x86_64__)
extern const tirbi_kernel_table tirbi_kernels_sse2;
extern const tirbi_kernel_table tirbi_kernels_avx2;
extern const tirbi_kernel_table tirbi_kernels_avx512;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON)
extern const tirbi_kernel_table tirbi_kernels_neon;
#endif

#endif
