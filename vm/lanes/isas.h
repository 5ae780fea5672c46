/* The instruction sets that lanes are compiled for beside plain C, as 0 or 1: those of the architecture, but for what
 * the build leaves out (TIRB_LANE_ISAS in CMake). */
#ifndef TIRB_VM_LANES_ISAS_H
#define TIRB_VM_LANES_ISAS_H

#if defined(__x86_64__) && !defined(TIRB_WITHOUT_SSE2)
#define TIRBI_LANES_SSE2 1
#else
#define TIRBI_LANES_SSE2 0
#endif
#if defined(__x86_64__) && !defined(TIRB_WITHOUT_AVX2)
#define TIRBI_LANES_AVX2 1
#else
#define TIRBI_LANES_AVX2 0
#endif
#if defined(__x86_64__) && !defined(TIRB_WITHOUT_AVX512)
#define TIRBI_LANES_AVX512 1
#else
#define TIRBI_LANES_AVX512 0
#endif
/* Compilers know it from gcc 12 and clang 14 on. */
#if TIRBI_LANES_AVX512 && ((defined(__clang__) && __clang_major__ >= 14) || (!defined(__clang__) && __GNUC__ >= 12))
#define TIRBI_LANES_AVX512_FP16 1
#else
#define TIRBI_LANES_AVX512_FP16 0
#endif
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(TIRB_WITHOUT_NEON)
#define TIRBI_LANES_NEON 1
#else
#define TIRBI_LANES_NEON 0
#endif

#endif
