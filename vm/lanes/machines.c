#include "vm/lanes/machines.h"

const tirbi_lane_machine *tirbi_lane_machine_of(tirb_isa isa) {
    switch (isa) {
    case TIRB_ISA_GENERIC: return &tirbi_lane_machine_generic;
#if defined(__x86_64__)
    case TIRB_ISA_SSE2: return &tirbi_lane_machine_sse2;
    case TIRB_ISA_AVX2: return &tirbi_lane_machine_avx2;
    case TIRB_ISA_AVX512: return &tirbi_lane_machine_avx512;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON)
    case TIRB_ISA_NEON: return &tirbi_lane_machine_neon;
#endif
    default: return NULL;
    }
}
