/* The lane machine for AVX-512 with banks of two registers: for rows that would fill little of the wide ones. */
#define TIRBI_BANKS 2
#include "vm/lanes/lanes_avx512.c"
