#include "vm/lanes/extras.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>

static uint32_t ask(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    uint32_t extras = 0;
    if (__get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1) != 0) extras |= TIRBI_CPU_AVX_VNNI;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 23 & 1) != 0) extras |= TIRBI_CPU_AVX512_FP16;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 1 & 1) != 0) extras |= TIRBI_CPU_AVX512_VBMI;
    return extras;
}

/* Asking takes microseconds where a hypervisor answers. */
uint32_t tirbi_cpu_extras(void) {
    enum { KNOWN = 1 << 30 };
    static atomic_uint answer;
    uint32_t extras = atomic_load_explicit(&answer, memory_order_relaxed);
    if (extras == 0) {
        extras = ask() | (uint32_t)KNOWN;
        atomic_store_explicit(&answer, extras, memory_order_relaxed);
    }
    return extras;
}

#else

uint32_t tirbi_cpu_extras(void) { return 0; }

#endif
