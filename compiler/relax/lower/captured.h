/* What a local function has of the function around it. */
#ifndef TIRB_COMPILER_RELAX_LOWER_CAPTURED_H
#define TIRB_COMPILER_RELAX_LOWER_CAPTURED_H

#include "compiler/ir/builder.h"
#include "compiler/ir/relax.h"

/* A local function that calls itself: a function of the module, whose last parameters are what it has from around it.
 */
typedef struct tirbi_relax_lifted {
    const tirb_relax_function *function;
    tirbi_list vars;      /* of const tirb_relax_expr *: uses of variables */
    tirbi_list sizes;     /* of const tirb_expr *: TIR variables */
    tirbi_list functions; /* of tirb_relax_binding: local functions around it, which are defined in it once more */
} tirbi_relax_lifted;

/* Adds the variables that the function uses and does not bind, and those of TIR that anything in it names. `lifted`: by
 * the numbers of variables, the local functions that are functions of the module (or NULL), which have what those have.
 * *calls_itself: it names `self`. False when memory ran out. */
bool tirbi_relax_find_captured(tirbi_arena *arena, const tirb_relax_function *f, const tirb_relax_var *self,
                               const tirbi_list *lifted, tirbi_relax_lifted *out, bool *calls_itself);

#endif
