/* The floating-point state that a run needs: round to nearest, keep subnormals, mask all exceptions. */
#ifndef TIRB_VM_EXEC_FPU_H
#define TIRB_VM_EXEC_FPU_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
#include <xmmintrin.h>

typedef uint32_t tirbi_fpu_state;

enum { TIRBI_FPU_WANTED = 0x1F80, TIRBI_FPU_RAISED = 0x3F };

static inline bool tirbi_fpu_is_wanted(tirbi_fpu_state state) {
    return (state & ~(unsigned)TIRBI_FPU_RAISED) == TIRBI_FPU_WANTED;
}

/* Reading the register takes some nanoseconds and writing it more, and most hosts have it as runs want it: so it is
 * read once. Its lowest bits tell which exceptions there have been: a run looks at none of them, and may leave more of
 * them raised, as a function of the C library may. */
static inline tirbi_fpu_state tirbi_fpu_enter(void) {
    tirbi_fpu_state host = _mm_getcsr();
    if (!tirbi_fpu_is_wanted(host)) _mm_setcsr(TIRBI_FPU_WANTED);
    return host;
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) {
    if (!tirbi_fpu_is_wanted(host)) _mm_setcsr(host);
}

#elif defined(__aarch64__)

typedef uint64_t tirbi_fpu_state;

static inline tirbi_fpu_state tirbi_fpu_enter(void) {
    tirbi_fpu_state host;
    __asm__ volatile("mrs %0, fpcr" : "=r"(host));
    if (host != 0) __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return host;
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) {
    if (host != 0) __asm__ volatile("msr fpcr, %0" : : "r"(host) : "memory");
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
