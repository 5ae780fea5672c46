/* Nests whose iterations do something under bounds only, as nests of those iterations. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_CLIP_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_CLIP_H

#include "compiler/optimize/facts/affine.h"

/* for i, j, k: if i * 32 + j < n: C[i * 32 + j] += .. becomes a nest of the values of i for which the condition holds
 * whatever j is, and for the others nests over j up to the bound. The statement with such nests in place of those that
 * would otherwise neither be contractions nor lanes; itself where there are none (or memory ran out). `disabled` is a
 * set of TIRB_PASS_*. */
const tirbi_ls *tirbi_clip_nests(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled);

/* The same for one nest; NULL where it is no such nest (or memory ran out). */
const tirbi_ls *tirbi_clip_nest(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled);

#endif
