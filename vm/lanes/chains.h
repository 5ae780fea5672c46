/* What the steps of a chain are beside the operations of vscan and vscanma (vm/lanes/kernels.h). */
#ifndef TIRB_VM_LANES_CHAINS_H
#define TIRB_VM_LANES_CHAINS_H

#include "loader/isa/scans.h"
#include "vm/lanes/kernels.h"

enum { TIRBI_STEP_ANEW = 2 * TIRBI_N_STEPS };

#endif
