/* The register machine for AVX-512. */
#include "vm/lanes/registers.h"

#if TIRBI_REGISTERS_AVX512
#define TIRBI_BANKS 4
#define TIRBI_REGISTER_MACHINE 1
#include "vm/lanes/lanes_avx512.c"
#endif
