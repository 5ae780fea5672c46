/* The floating-point state that a run needs: round to nearest, keep subnormals, mask all exceptions.
 *
 * tirbi_fpu_read gives the host's, tirbi_fpu_enter puts the run's in its place, tirbi_fpu_leave puts the host's
 * back. */
#ifndef TIRB_VM_MACHINE_FPU_H
#define TIRB_VM_MACHINE_FPU_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
#include <xmmintrin.h>

typedef uint32_t tirbi_fpu_state;

enum { TIRBI_FPU_WANTED = 0x1F80, TIRBI_FPU_RAISED = 0x3F };

static inline bool tirbi_fpu_is_wanted(tirbi_fpu_state state) {
    return (state & ~(unsigned)TIRBI_FPU_RAISED) == TIRBI_FPU_WANTED;
}

/* Reading the register waits for what the processor has begun, as taking an instance does, behind which it is read.
 * Writing it takes longer, and most hosts have it as runs want it. Its lowest bits tell which exceptions there have
 * been: a run looks at none of them, and may leave more of them raised, as a function of the C library may. */
static inline tirbi_fpu_state tirbi_fpu_read(void) { return _mm_getcsr(); }
static inline void tirbi_fpu_enter(tirbi_fpu_state host) {
    if (!tirbi_fpu_is_wanted(host)) _mm_setcsr(TIRBI_FPU_WANTED);
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) {
    if (!tirbi_fpu_is_wanted(host)) _mm_setcsr(host);
}

#elif defined(__aarch64__)

typedef uint64_t tirbi_fpu_state;

static inline tirbi_fpu_state tirbi_fpu_read(void) {
    tirbi_fpu_state host;
    __asm__ volatile("mrs %0, fpcr" : "=r"(host));
    return host;
}
static inline void tirbi_fpu_enter(tirbi_fpu_state host) {
    if (host != 0) __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) {
    if (host != 0) __asm__ volatile("msr fpcr, %0" : : "r"(host) : "memory");
}

#else
#include <fenv.h>

typedef fenv_t tirbi_fpu_state;

static inline tirbi_fpu_state tirbi_fpu_read(void) {
    fenv_t host;
    fegetenv(&host);
    return host;
}
static inline void tirbi_fpu_enter(tirbi_fpu_state host) {
    feholdexcept(&host); /* which keeps what it was */
    fesetround(FE_TONEAREST);
}
static inline void tirbi_fpu_leave(tirbi_fpu_state host) { fesetenv(&host); }

#endif

#endif
