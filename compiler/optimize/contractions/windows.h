/* Nests that add to windows of a buffer which overlap, as transposed convolutions do. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_WINDOWS_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_WINDOWS_H

#include "compiler/loop/loop.h"

/* for h, w, c, kh, kw: D[c, h + kh, w + kw] += .. becomes for kh, kw, from the last to the first: for c, h, w: the
 * same, which lanes or a contraction can do as a whole. Returns the statement with such nests in place of those that
 * gain by it; `disabled` is a set of TIRB_PASS_*. */
const tirbi_ls *tirbi_turn_windows(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled);

#endif
