/* What scalar instructions weigh, where many are asked for. */
#ifndef TIRB_LOADER_ISA_WEIGHTS_H
#define TIRB_LOADER_ISA_WEIGHTS_H

#include "loader/isa/isa.h"

extern const uint8_t tirbi_weights[TIRB_N_OPS][TIRB_N_DTYPES]; /* of scalar forms; 0 stands for 1 */
/* The weight of one that reads one type. */
static inline uint32_t tirbi_row_weight(uint8_t op, uint8_t type) {
    const uint8_t weight = tirbi_weights[op][type];
    return weight > 0 ? weight : 1;
}

#endif
