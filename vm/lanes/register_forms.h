/* The handlers of the register machine as an enum. */
#ifndef TIRB_VM_LANES_REGISTER_FORMS_H
#define TIRB_VM_LANES_REGISTER_FORMS_H

enum tirbi_register_handler {
#define HELD(name)                   TIRBI_R_##name,
#define HELD_UNARY(OP, T, X)         TIRBI_R_##OP##_##T##_##X,
#define HELD_BINARY(OP, T, X, Y)     TIRBI_R_##OP##_##T##_##X##Y,
#define HELD_TERNARY(OP, T, X, Y, Z) TIRBI_R_##OP##_##T##_##X##Y##Z,
#include "vm/lanes/registers.def"
    TIRBI_N_REGISTER_HANDLERS
};

#endif
