/* Weaving for AArch64. */
#include "vm/lanes/isas.h"
#include "vm/lanes/weaves.h"

#if TIRBI_LANES_NEON

#include <arm_neon.h>

#define SHUFFLE(v, index) ((BYTES_16)vqtbl1q_u8((uint8x16_t)(v), (uint8x16_t)(index)))
#include "vm/lanes/weaves.inc"

const tirbi_weaver tirbi_weaver_neon = {prepare, weave, false, NULL};

#endif
