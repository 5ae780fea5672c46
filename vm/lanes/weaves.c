#include "vm/lanes/weaves.h"

#include "vm/lanes/extras.h"
#include "vm/lanes/isas.h"

const tirbi_weaver *tirbi_weaver_of(tirb_isa isa) {
#if TIRBI_LANES_AVX512
    if (isa == TIRB_ISA_AVX512 && (tirbi_cpu_extras() & TIRBI_CPU_AVX512_VBMI)) return &tirbi_weaver_avx512;
#endif
#if TIRBI_LANES_AVX2
    if (isa == TIRB_ISA_AVX2 || isa == TIRB_ISA_AVX512) return &tirbi_weaver_avx2;
#endif
#if TIRBI_LANES_NEON
    if (isa == TIRB_ISA_NEON) return &tirbi_weaver_neon;
#endif
    (void)isa;
    return NULL;
}
