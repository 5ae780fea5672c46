#include "vm/contract/tables.h"

#include "vm/lanes/isas.h"

#if TIRBI_LANES_AVX2
#include <cpuid.h>
#include <stdbool.h>
#endif

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

#if TIRBI_LANES_AVX2
/* Not every compiler's __builtin_cpu_supports knows AVX-VNNI. Its registers are those of AVX2, which the caller knows to
 * be there. */
static bool cpu_has_avx_vnni(void) {
    unsigned a = 0, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1) != 0;
}
#endif

const tirbi_contract_quads *tirbi_contract_quads_of(tirb_isa isa) {
#if TIRBI_LANES_AVX512
    if (isa == TIRB_ISA_AVX512 && __builtin_cpu_supports("avx512vnni")) return &tirbi_quads_avx512;
#endif
#if TIRBI_LANES_AVX2
    if (isa == TIRB_ISA_AVX2 && cpu_has_avx_vnni()) return &tirbi_quads_avx2;
#endif
    (void)isa;
    return NULL;
}
