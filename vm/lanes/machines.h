/* The lane machines that this build has; each is defined by its own file. */
#ifndef TIRB_VM_LANES_MACHINES_H
#define TIRB_VM_LANES_MACHINES_H

#include "vm/lanes/lanes.h"

extern const tirbi_lane_machine tirbi_lane_machine_generic;
#if defined(__x86_64__)
extern const tirbi_lane_machine tirbi_lane_machine_sse2;
extern const tirbi_lane_machine tirbi_lane_machine_avx2;
extern const tirbi_lane_machine tirbi_lane_machine_avx512;
#endif
#if defined(__aarch64__) && defined(__ARM_NEON)
extern const tirbi_lane_machine tirbi_lane_machine_neon;
#endif

#endif
