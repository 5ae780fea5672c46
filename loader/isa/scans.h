/* Operations of scans that choose: see loader/isa/ISA.md. */
#ifndef TIRB_LOADER_ISA_SCANS_H
#define TIRB_LOADER_ISA_SCANS_H

#include "loader/isa/isa.h"

/* Of vstepma, and of vscanma behind a step: where the first value, a bool, is false, d becomes the second one. */
enum { TIRBI_SCAN_ANEW = TIRBI_N_FUSED_SCANS };

#endif
