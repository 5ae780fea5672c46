/* Reading of Relax functions: what the files relax*.c share. */
#ifndef TIRB_COMPILER_TEXT_SCRIPT_RELAX_H
#define TIRB_COMPILER_TEXT_SCRIPT_RELAX_H

#include "compiler/relax/infer/builder.h"
#include "compiler/relax/infer/operators.h"
#include "compiler/text/script/script.h"

/* A Relax function between its declaration and its definition. */
typedef struct tirbi_relax_decl {
    const tirbi_line *line;
    tirb_relax_function *ir;
    tirbi_binding *bindings; /* of the signature */
    uint32_t n_bindings;
    tirbi_list type_vars;              /* of const tirb_expr *: this function's variables for the file's TypeVars */
    tirbi_list attrs;                  /* of tirb_attr */
    const tirb_relax_type *annotation; /* of the result, or NULL */
    const tirb_relax_expr *result;     /* of the return statement, or NULL */
    bool returned;
    bool broken;
    bool outside;                   /* its file has it outside of a class */
    struct tirbi_relax_decl *outer; /* of a local function */
} tirbi_relax_decl;

struct tirbi_relax {
    tirbi_relax_builder builder;
    tirbi_list functions;       /* of tirbi_relax_decl * */
    tirbi_list infos;           /* of tirb_global_info, by their keys */
    tirbi_relax_decl *function; /* that is read, or NULL */
    tirbi_list *outputs;        /* of the dataflow block under way: of const char *, names; NULL: there is none */
    bool output_seen;
    tirbi_list hidden;                 /* of const char *: names of the function's dataflow blocks */
    const struct tirbi_json *metadata; /* of the file, once a constant of it is named */
    tirbi_list metadata_tensors;       /* those that were, by their numbers (relax_metadata.c) */
};

/* The state of Relax, made when it is first needed; NULL: memory ran out. */
struct tirbi_relax *tirbi_relax_state(tirbi_script *s);
static inline bool tirbi_in_relax(const tirbi_script *s) { return s->relax && s->relax->function; }

/* ---- Values (relax_value.c) -------------------------------------------------------------------------------------- */

tirbi_value tirbi_value_relax(const tirb_relax_expr *e);
/* A use of a variable: a scalar is an expression of the program. */
tirbi_value tirbi_relax_use(tirbi_script *s, tirbi_span span, const tirb_relax_var *var);
/* The value as an expression of Relax; NULL after an error. */
const tirb_relax_expr *tirbi_to_relax(tirbi_script *s, const tirbi_value *v);
/* The value as a type; NULL after an error. */
const tirb_relax_type *tirbi_to_relax_type(tirbi_script *s, const tirbi_value *v);
/* The dimensions of a tuple, quoted ones read; false after an error. */
bool tirbi_to_dims(tirbi_script *s, const tirbi_value *v, const tirb_expr *const **out, uint32_t *n);
/* An integer dimension, of int64. */
const tirb_expr *tirbi_to_dim(tirbi_script *s, const tirbi_value *v);
tirbi_value tirbi_relax_const(tirbi_script *s, const tirbi_node *node, const tirbi_value *value,
                              const tirbi_value *dtype);
/* The constant that `metadata["ir.GenericConst"][i]` names (relax_metadata.c). */
const tirb_relax_expr *tirbi_relax_metadata(tirbi_script *s, const tirbi_node *node);

/* ---- Devices (relax_device.c) ------------------------------------------------------------------------------------ */

/* The device that "llvm:0:global" names. *out: NULL where the module has none of this kind, as in TVM; false after an
 * error. */
bool tirbi_to_vdevice(tirbi_script *s, const tirbi_value *v, const tirb_relax_vdevice **out);
/* R.device(type, index), R.cpu(index), R.ext_dev(index): a tuple of both numbers. MISSING: it is none of these. */
tirbi_value tirbi_relax_device(tirbi_script *s, const char *name, const tirbi_value *first, const tirbi_value *second);

/* ---- Names and calls (relax_call.c) ------------------------------------------------------------------------------ */

/* A type by its name alone, as `R.Tensor`; ERROR after reporting that the name is none. */
tirbi_value tirbi_relax_type_name(tirbi_script *s, const tirbi_node *node, const char *name);

#endif
