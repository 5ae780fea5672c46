/* Which twins stand beside which instruction set. */
#include "tests/bench/bench.h"

#ifdef TIRB_BENCH_NATIVE_ALONE
#define LEVELS(X)
#elif defined(__x86_64__)
#define LEVELS(X) X(x86_64, "x86-64") X(x86_64_v3, "x86-64-v3") X(x86_64_v4, "x86-64-v4")
#else
#define LEVELS(X) X(baseline, "the compiler's default")
#endif

#define X(level, name) extern const twin bench_##level##_plain[N_TWINS], bench_##level##_fast[N_TWINS];
LEVELS(X)
#ifdef TIRB_BENCH_NATIVE
X(native, "native")
#endif
#undef X

#define X(level, name) static const bench_level level = {name, bench_##level##_plain, bench_##level##_fast};
LEVELS(X)
#ifdef TIRB_BENCH_NATIVE
X(native, "native")
#endif
#undef X

static const bench_level *native_level(void) {
#ifdef TIRB_BENCH_NATIVE
    return &native;
#else
    return NULL;
#endif
}

const bench_level *bench_level_of(tirb_isa isa, bool is_native) {
    if (!tirb_isa_available(isa)) return NULL;
    if (is_native) return native_level();
#ifdef TIRB_BENCH_NATIVE_ALONE
    return native_level();
#elif defined(__x86_64__)
    if (isa == TIRB_ISA_GENERIC || isa == TIRB_ISA_SSE2) return &x86_64;
    /* What else the levels have, all processors with AVX2 and BMI have. */
    if (!__builtin_cpu_supports("bmi2")) return NULL;
    return isa == TIRB_ISA_AVX2 ? &x86_64_v3 : &x86_64_v4;
#else
    return &baseline;
#endif
}
