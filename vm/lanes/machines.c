#include "vm/lanes/machines.h"

const tirbi_lane_machine *tirbi_lane_machine_of(tirb_isa isa) {
    switch (isa) {
    case TIRB_ISA_GENERIC: return &tirbi_lane_machine_generic;
#if defined(__x86_64__)
    case TIRB_ISA_AVX2: return &tirbi_lane_machine_avx2;
    case TIRB_ISA_AVX512: return &tirbi_lane_machine_avx512;
#endif
    default: return NULL;
    }
}
