/* The lane machine in plain C: 16-byte vectors, which the compiler maps to what the machine has. */
#include "vm/lanes/apart.h"
#include "vm/lanes/banks.h"
#include "vm/lanes/machines.h"

#pragma GCC diagnostic ignored "-Wpedantic"

#define LANE_MACHINE tirbi_lane_machine_generic
#define BLOCKS_OF(what) what##GENERIC
#define VB 16
#if TIRBI_LANES_SSE2 || TIRBI_LANES_NEON
#define BANK_REGISTERS 2
#define EACH EACH2
#define BANK_VARIABLES VARIABLES2
#if TIRBI_LANES_SSE2
#define FORGET_BANKS() FORGET2("x")
#else
#define FORGET_BANKS() FORGET2("w")
#endif
#else
#define BANK_REGISTERS 6
#define EACH EACH6
#define BANK_VARIABLES VARIABLES6
#if defined(__x86_64__)
#define FORGET_BANKS() FORGET6("x")
#elif defined(__aarch64__)
#define FORGET_BANKS() FORGET6("w")
#else
#define FORGET_BANKS() CLEAR6()
#endif
#endif
#include "vm/lanes/machine.inc"
