/* The lane machines. Each is defined by its own file, where the build has it. */
#ifndef TIRB_VM_LANES_MACHINES_H
#define TIRB_VM_LANES_MACHINES_H

#include "vm/lanes/isas.h"
#include "vm/lanes/lanes.h"

extern const tirbi_lane_machine tirbi_lane_machine_generic;
extern const tirbi_lane_machine tirbi_lane_machine_sse2;
extern const tirbi_lane_machine tirbi_lane_machine_avx2;
extern const tirbi_lane_machine tirbi_lane_machine_avx512;
extern const tirbi_lane_machine tirbi_lane_machine_neon;
extern const tirbi_lane_machine tirbi_lane_machine_narrow_avx2;
extern const tirbi_lane_machine tirbi_lane_machine_middle_avx512;
extern const tirbi_lane_machine tirbi_lane_machine_narrow_avx512;
extern const tirbi_lane_machine tirbi_lane_machine_four_rows_avx512;

#endif
