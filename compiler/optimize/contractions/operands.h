/* Operands that are computed once: for y, x, f, r: O[y, x, f] += pad(A, y + r, x) * W[r, f] needs the same padded
 * element for every f and for several pairs of y and r. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_OPERANDS_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_OPERANDS_H

#include "compiler/optimize/notes.h"

/* The statement with such operands in memory of their own, filled before the nest that uses them, where that makes the
 * nest a contraction or lanes; itself where there is nothing to do (or memory ran out). `disabled` is a
 * set of TIRB_PASS_*. */
const tirbi_ls *tirbi_compute_operands(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled,
                                       tirbi_notes *notes);

/* Whether a nest would be a contraction with such operands. */
bool tirbi_contracts_operands(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
