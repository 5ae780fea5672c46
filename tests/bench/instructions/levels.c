/* Which loops stand beside which instruction set. */
#include "tests/bench/instructions/instructions.h"

#ifdef TIRB_ONE_LEVEL
extern const level instruction_loops_any;
#elif defined(__x86_64__)
extern const level instruction_loops_x86_64, instruction_loops_x86_64_v3, instruction_loops_x86_64_v4;
#else
extern const level instruction_loops_baseline;
#endif

const level *level_of(tirb_isa isa) {
    if (!tirb_isa_available(isa)) return NULL;
#ifdef TIRB_ONE_LEVEL
    return &instruction_loops_any;
#elif defined(__x86_64__)
    if (isa == TIRB_ISA_GENERIC || isa == TIRB_ISA_SSE2) return &instruction_loops_x86_64;
    /* What else the levels have, all processors with AVX2 and BMI have. */
    if (!__builtin_cpu_supports("bmi2")) return NULL;
    return isa == TIRB_ISA_AVX2 ? &instruction_loops_x86_64_v3 : &instruction_loops_x86_64_v4;
#else
    return &instruction_loops_baseline;
#endif
}
