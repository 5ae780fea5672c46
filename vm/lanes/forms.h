/* The handlers of the lane machine as an enum. */
#ifndef TIRB_VM_LANES_FORMS_H
#define TIRB_VM_LANES_FORMS_H

enum tirbi_lane_handler {
#define LANE(name) TIRBI_L_##name,
#define LANE_UNARY(OP, T, D, X) TIRBI_L_##OP##_##T##_##D##X,
#define LANE_BINARY(OP, T, D, X, Y) TIRBI_L_##OP##_##T##_##D##X##Y,
#define LANE_TERNARY(OP, T, D, X, Y, Z) TIRBI_L_##OP##_##T##_##D##X##Y##Z,
#define LANE_AGAIN(name, N) TIRBI_L_##name##_##N,
#define LANE_BINARY_AGAIN(OP, T, D, X, Y, N) TIRBI_L_##OP##_##T##_##D##X##Y##_##N,
#define LANE_FUSED_AGAIN(OP, T, D, X, Y, Z, N) TIRBI_L_##OP##_##T##_##D##X##Y##Z##_##N,
#include "vm/lanes/forms.def"
    TIRBI_N_LANE_HANDLERS
};

#endif
