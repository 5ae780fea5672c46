/* The floating-point state that a run needs: round to nearest, keep subnormals, mask all exceptions. */
#ifndef TIRB_VM_EXEC_FPU_H
#define TIRB_VM_EXEC_FPU_H

#include <stdint.h>

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
#include <xmmintrin.h>

typedef uint32_t tirbi_fpu_state;

/* Writing the register costs far more than reading it; most hosts have it as runs want it. Its lowest bits tell which
 * exceptions there have been, and a run looks at none of them. */
static inline tirbi_fpu_state tirbi_fpu_enter(void) {
    tirbi_fpu_state host = _mm_getcsr();
    if ((host & ~(tirbi_fpu_state)0x3F) != 0x1F80) _mm_setcsr(0x1F80);
    return host;
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) {
    if (_mm_getcsr() != host) _mm_setcsr(host);
}

#elif defined(__aarch64__)

typedef uint64_t tirbi_fpu_state;

static inline tirbi_fpu_state tirbi_fpu_enter(void) {
    tirbi_fpu_state host;
    __asm__ volatile("mrs %0, fpcr" : "=r"(host));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return host;
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) {
    __asm__ volatile("msr fpcr, %0" : : "r"(host) : "memory");
}

#else
#include <fenv.h>

typedef fenv_t tirbi_fpu_state;

static inline tirbi_fpu_state tirbi_fpu_enter(void) {
    fenv_t host;
    feholdexcept(&host);
    fesetround(FE_TONEAREST);
    return host;
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) { fesetenv(&host); }

#endif

#endif
