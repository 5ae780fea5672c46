/* Weaving for x86-64 with AVX2. */
#include "vm/lanes/isas.h"
#include "vm/lanes/weaves.h"

#if TIRBI_LANES_AVX2

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2")
#endif
#include <immintrin.h>

#define SHUFFLE(v, index) ((BYTES_16)_mm_shuffle_epi8((__m128i)(v), (__m128i)(index)))
#include "vm/lanes/weaves.inc"

const tirbi_weaver tirbi_weaver_avx2 = {prepare, weave, false, NULL};

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
