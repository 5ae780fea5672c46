#include "vm/lanes/machines.h"

const tirbi_lane_machine *tirbi_lane_machine_of(tirb_isa isa) {
    switch (isa) {
    case TIRB_ISA_GENERIC: return &tirbi_lane_machine_generic;
#if TIRBI_LANES_SSE2
    case TIRB_ISA_SSE2: return &tirbi_lane_machine_sse2;
#endif
#if TIRBI_LANES_AVX2
    case TIRB_ISA_AVX2: return &tirbi_lane_machine_avx2;
#endif
#if TIRBI_LANES_AVX512
    case TIRB_ISA_AVX512: return &tirbi_lane_machine_avx512;
#endif
#if TIRBI_LANES_NEON
    case TIRB_ISA_NEON: return &tirbi_lane_machine_neon;
#endif
    default: return NULL;
    }
}
