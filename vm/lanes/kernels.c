#include "vm/lanes/kernels.h"

#include <string.h>

#include "vm/lanes/counts.h"
#include "vm/lanes/extras.h"
#include "vm/lanes/halves.h"
#include "vm/lanes/kernel_tables.h"

bool tirbi_kernel_of_few(void *d, const void *a, const void *b, const void *c, size_t n, tirbi_kernel kernel,
                         tirbi_kernel_block block) {
    _Alignas(64) uint8_t blocks[4][TIRBI_STRIP_LANES * sizeof(uint64_t)];
    const void *const operands[3] = {a, b, c};
    for (unsigned i = 0; i < 3 && n > 0; i++) {
        const size_t size = i == 0 ? block.first : block.others;
        if (size == 0 || operands[i] == NULL) continue;
        memset(blocks[i], 0x3F, block.elements * size);
        memcpy(blocks[i], operands[i], n * size);
    }
    if (n == 0) return true;
    const bool is_done = kernel(blocks[3], blocks[0], blocks[1], blocks[2], block.elements);
    memcpy(d, blocks[3], n * block.result);
    return is_done;
}

const tirbi_half_kernels *tirbi_half_kernels_of(tirb_isa isa) {
#if TIRBI_LANES_AVX512_FP16
    if (isa == TIRB_ISA_AVX512 && (tirbi_cpu_extras() & TIRBI_CPU_AVX512_FP16)) return &tirbi_halves_avx512;
#endif
    (void)isa;
    return NULL;
}

const tirbi_count_kernels *tirbi_count_kernels_of(tirb_isa isa) {
#if TIRBI_LANES_AVX512
    if (isa == TIRB_ISA_AVX512 && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg"))
        return &tirbi_counts_avx512;
#endif
    (void)isa;
    return NULL;
}

const tirbi_kernel_table *tirbi_kernels(tirb_isa isa) {
    switch (isa) {
    case TIRB_ISA_GENERIC:
        return &tirbi_kernels_generic;
#if TIRBI_LANES_SSE2
    case TIRB_ISA_SSE2:
        return &tirbi_kernels_sse2;
#endif
#if TIRBI_LANES_AVX2
    case TIRB_ISA_AVX2:
        return &tirbi_kernels_avx2;
#endif
#if TIRBI_LANES_AVX512
    case TIRB_ISA_AVX512:
        return &tirbi_kernels_avx512;
#endif
#if TIRBI_LANES_NEON
    case TIRB_ISA_NEON:
        return &tirbi_kernels_neon;
#endif
    default:
        return NULL;
    }
}
