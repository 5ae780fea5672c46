/* Kernels that are constants, as the convolutions that read them want them: laid out once, at compile time. */
#ifndef TIRB_COMPILER_RELAX_LOWER_WEIGHTS_H
#define TIRB_COMPILER_RELAX_LOWER_WEIGHTS_H

#include "compiler/ir/builder.h"
#include "compiler/ir/relax.h"
#include "compiler/source/index.h"

struct tirbi_relax_lowering;

/* What has been laid out, so that a constant that several calls read alike stays one. */
typedef struct tirbi_relax_weights {
    tirbi_list parts; /* of weights.c's `part` */
    tirbi_index index;
} tirbi_relax_weights;

/* The function with other constants in place of kernels: places that meet nothing but padding are left out, and of one
 * that a single window meets the output channels lie side by side, as what such a call reads is the kernel alone. `f`
 * itself where no call has such a kernel. NULL when memory ran out. */
const tirb_relax_function *tirbi_relax_lay_out_weights(struct tirbi_relax_lowering *l, const tirb_relax_function *f);

#endif
