/* Calls of functions of the host from Relax: R.call_packed, R.call_pure_packed, R.call_dps_packed. */
#ifndef TIRB_COMPILER_RELAX_LOWER_HOST_H
#define TIRB_COMPILER_RELAX_LOWER_HOST_H

#include "compiler/relax/lower/lowering.h"

/* Whether it is such a call. */
bool tirbi_relax_is_host_call(const tirb_relax_expr *e);
/* Emits it: tensors as views that the host reads, shapes as their sizes, numbers; then, as views that it writes, the
 * tensors of the call's type. A number is what the import returns. NULL after an error. */
const tirbi_relax_held *tirbi_relax_call_host(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                              const tirbi_relax_held *destination);

#endif
