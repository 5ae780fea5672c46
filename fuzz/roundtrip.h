/* A verified program survives its two notations: container and assembly. */
#ifndef TIRB_FUZZ_ROUNDTRIP_H
#define TIRB_FUZZ_ROUNDTRIP_H

#include "fuzz/fuzz.h"
#include "loader/base/bytes.h"
#include "loader/bundle/program.h"

enum { FUZZ_MAX_BUNDLE = 1 << 20 };

/* Writes, reads and writes again, disassembles and assembles: every way must give the same bytes, which `out` (on
 * `heap`) gets. The program is verified. False: a limit was met. */
bool fuzz_round_trip(const tirbi_program *program, tirbi_heap *heap, tirbi_writer *out);

#endif
