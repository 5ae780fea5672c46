#include "vm/contract/tables.h"

const tirbi_contract_kernels *tirbi_contract_kernels_of(tirb_isa isa) {
    switch (isa) {
    case TIRB_ISA_GENERIC:
    case TIRB_ISA_SSE2: return &tirbi_contract_generic; /* on x86-64 the plain C is compiled to SSE2 */
#if defined(__x86_64__)
    case TIRB_ISA_AVX2: return &tirbi_contract_avx2;
    case TIRB_ISA_AVX512: return &tirbi_contract_avx512;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON)
    case TIRB_ISA_NEON: return &tirbi_contract_neon;
#endif
    default: return NULL;
    }
}
