/* What a CPU of an instruction set has beyond it and not every compiler's __builtin_cpu_supports knows. */
#ifndef TIRB_VM_LANES_EXTRAS_H
#define TIRB_VM_LANES_EXTRAS_H

#include <stdint.h>

enum { TIRBI_CPU_AVX_VNNI = 1, TIRBI_CPU_AVX512_FP16 = 2, TIRBI_CPU_AVX512_VBMI = 4 };

/* The CPU is asked once. The registers are those of AVX2 and AVX-512, which the caller knows to be there. */
uint32_t tirbi_cpu_extras(void);

#endif
