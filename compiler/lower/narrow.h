/* Storage types that the machine has no arithmetic for. */
#ifndef TIRB_COMPILER_LOWER_NARROW_H
#define TIRB_COMPILER_LOWER_NARROW_H

#include "compiler/loop/loop.h"

/* float8, float6, float4, or an integer of fewer than 8 bits: kept in a byte. */
bool tirbi_is_narrow(tirb_datatype type);
tirbi_dtype tirbi_narrow_storage(tirb_datatype type);
/* The machine type that holds a scalar: its own, or that of the byte; false for what has none. */
bool tirbi_storage_type(tirb_datatype type, tirbi_dtype *out);
/* The value of a byte: float32, or the integer extended from its width. */
const tirbi_lx *tirbi_narrow_decode(tirbi_lx_pool *pool, tirb_datatype type, const tirbi_lx *byte);
/* The byte of a value of any machine type: rounded to nearest even, or wrapped to the width. */
const tirbi_lx *tirbi_narrow_encode(tirbi_lx_pool *pool, tirb_datatype type, const tirbi_lx *value);

#endif
