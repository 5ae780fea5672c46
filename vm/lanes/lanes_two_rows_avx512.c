/* The lane machine for AVX-512 that goes through two rows at once: an instruction takes about as long for one. */
#define TIRBI_ROWS 2
#include "vm/lanes/lanes_avx512.c"
