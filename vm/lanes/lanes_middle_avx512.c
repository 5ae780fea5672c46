/* The lane machine for AVX-512 with banks of four registers: for rows that would fill little of the wide ones. */
#define TIRBI_BANKS 4
#include "vm/lanes/lanes_avx512.c"
