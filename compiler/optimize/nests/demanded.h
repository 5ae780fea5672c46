/* Integers of as few bits as what is stored of them needs: Y[i] = uint8(int32(A[i]) * int32(w[i]) + 128 >> 8) is the
 * same computed in uint16, of which a register holds twice as many. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_DEMANDED_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_DEMANDED_H

#include "compiler/loop/loop.h"

/* The statement with narrower arithmetic in loops that run as lanes; itself where there is none (or memory ran out). */
const tirbi_ls *tirbi_narrow_arithmetic(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
