/* Printing of Relax. */
#ifndef TIRB_COMPILER_TEXT_PRINT_RELAX_H
#define TIRB_COMPILER_TEXT_PRINT_RELAX_H

#include "compiler/relax/infer/operators.h"
#include "compiler/text/print/printer.h"

void tirbi_print_relax(tirbi_printer *p, const tirb_relax_function *f);
void tirbi_print_relax_var(tirbi_printer *p, const tirb_relax_var *var);
/* `quoted`: in a signature, where a dimension that is no name and no number is a string. */
void tirbi_print_relax_type(tirbi_printer *p, const tirb_relax_type *type, bool quoted);
void tirbi_print_relax_expr(tirbi_printer *p, const tirb_relax_expr *e);
/* What a binding has on its right: a tuple of several without brackets. */
void tirbi_print_relax_value(tirbi_printer *p, const tirb_relax_expr *e);
/* Whether the text so far has a name of `T`. */
bool tirbi_uses_tir(const tirbi_printer *p);

#endif
