/* The lane machine for AVX-512 that goes through four short rows at once. */
#define TIRBI_ROWS 4
#include "vm/lanes/lanes_avx512.c"
