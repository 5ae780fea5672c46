/* The lane machine for AVX2 with banks of two registers: for rows that would fill little of the wide ones. */
#define TIRBI_BANKS 2
#include "vm/lanes/lanes_avx2.c"
