/* Inference of types, by operator: what operators.def names. */
#ifndef TIRB_COMPILER_RELAX_INFER_INFER_H
#define TIRB_COMPILER_RELAX_INFER_INFER_H

#include "compiler/relax/infer/builder.h"
#include "compiler/relax/infer/operators.h"

#define TIRB_RELAX_OP(id, name, parameters, infer, prepare, flags)                                         \
    const tirb_relax_type *tirbi_relax_infer_##infer(tirbi_relax_builder *b, const tirb_relax_expr *call); \
    bool tirbi_relax_prepare_##prepare(tirbi_relax_builder *b, tirb_relax_expr *call);
#include "compiler/relax/infer/operators.def"

/* ---- What the rules share (common.c) ----------------------------------------------------------------------------- */

/* Reports an error about a call at the statement that it stands in; NULL. */
const tirb_relax_type *tirbi_relax_fail(tirbi_relax_builder *b, const tirb_relax_expr *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The type of an argument, which must be a tensor; NULL after reporting that it is not. */
const tirb_relax_type *tirbi_relax_tensor_arg(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i);
/* The tensors of a tuple argument. */
const tirb_relax_type *const *tirbi_relax_tensors_arg(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i,
                                                      uint32_t *n);
/* The dimensions of a tensor or shape type, or of its variable's; NULL where they are not known (rank 0: not NULL). */
const tirb_expr *const *tirbi_relax_dims(const tirb_relax_type *type, uint32_t *n);
/* The axis counted from the front; false after reporting that it is out of range. */
bool tirbi_relax_axis(tirbi_relax_builder *b, const tirb_relax_expr *call, int64_t axis, int64_t ndim, uint32_t *out);
/* The axes of an attribute that is a list, each in range and none twice. */
bool tirbi_relax_axes(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_attr *attr, int64_t ndim,
                      uint32_t *out, uint32_t *n);
/* Whether a type is known and no float, for operators of floats; reports it. */
bool tirbi_relax_needs_float(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_type *type);
/* The element type that two operands share; false after reporting that they differ. */
bool tirbi_relax_same_dtype(tirbi_relax_builder *b, const tirb_relax_expr *call, tirb_datatype x, tirb_datatype y,
                            tirb_datatype *out);
/* The type with another element type. */
const tirb_relax_type *tirbi_relax_with_dtype(tirbi_relax_builder *b, const tirb_relax_type *type, tirb_datatype dtype);
/* The broadcast of two shapes. *known: whether it is; false after reporting constants that do not agree. */
bool tirbi_relax_broadcast(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_expr *const *x, uint32_t nx,
                           const tirb_expr *const *y, uint32_t ny, const tirb_expr ***out, uint32_t *n, bool *known);
const tirb_expr **tirbi_relax_new_dims(tirbi_relax_builder *b, uint32_t n);
/* The operator's name and an argument's name, for messages. */
const char *tirbi_relax_arg_name(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i);
int64_t tirbi_relax_attr_int(const tirb_relax_expr *call, const char *name);
bool tirbi_relax_attr_bool(const tirb_relax_expr *call, const char *name);
const char *tirbi_relax_attr_text(const tirb_relax_expr *call, const char *name);
/* The type of an attribute; `otherwise` where it is None. */
tirb_datatype tirbi_relax_attr_dtype(const tirb_relax_expr *call, const char *name, tirb_datatype otherwise);
static inline bool tirbi_relax_is_none(const tirb_relax_attr *a) { return a->kind == TIRB_RELAX_ATTR_NONE; }

#endif
