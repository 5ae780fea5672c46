#include "vm/contract/tables.h"

#include "vm/lanes/extras.h"
#include "vm/lanes/isas.h"

const tirbi_contract_kernels *tirbi_contract_kernels_of(tirb_isa isa) {
    switch (isa) {
    case TIRB_ISA_GENERIC:
    case TIRB_ISA_SSE2: return &tirbi_contract_generic; /* on x86-64 the plain C is compiled to SSE2 */
#if TIRBI_LANES_AVX2
    case TIRB_ISA_AVX2: return &tirbi_contract_avx2;
#endif
#if TIRBI_LANES_AVX512
    case TIRB_ISA_AVX512: return &tirbi_contract_avx512;
#endif
#if TIRBI_LANES_NEON
    case TIRB_ISA_NEON: return &tirbi_contract_neon;
#endif
    default: return NULL;
    }
}

const tirbi_contract_quads *tirbi_contract_quads_of(tirb_isa isa) {
#if TIRBI_LANES_AVX512
    if (isa == TIRB_ISA_AVX512 && __builtin_cpu_supports("avx512vnni")) return &tirbi_quads_avx512;
#endif
#if TIRBI_LANES_AVX2
    if (isa == TIRB_ISA_AVX2 && (tirbi_cpu_extras() & TIRBI_CPU_AVX_VNNI)) return &tirbi_quads_avx2;
#endif
    (void)isa;
    return NULL;
}
