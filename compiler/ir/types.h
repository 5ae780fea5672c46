/* The types of the language: their codes, names and formats. */
#ifndef TIRB_COMPILER_IR_TYPES_H
#define TIRB_COMPILER_IR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/isa/isa.h"

typedef enum tirb_type_code {
    TIRB_CODE_INT = 0,
    TIRB_CODE_UINT = 1,
    TIRB_CODE_FLOAT = 2,
    TIRB_CODE_HANDLE = 3, /* bits 0: void */
    TIRB_CODE_BFLOAT = 4,
    TIRB_CODE_BOOL = 6, /* bits 8; also what the specification writes as uint1 */
    /* Floats of 8, 6 and 4 bits, numbered as DLPack does: elements take a byte each, the machine computes in float32.
     */
    TIRB_CODE_FLOAT8_E3M4 = 7,
    TIRB_CODE_FLOAT8_E4M3 = 8,
    TIRB_CODE_FLOAT8_E4M3B11FNUZ = 9,
    TIRB_CODE_FLOAT8_E4M3FN = 10,
    TIRB_CODE_FLOAT8_E4M3FNUZ = 11,
    TIRB_CODE_FLOAT8_E5M2 = 12,
    TIRB_CODE_FLOAT8_E5M2FNUZ = 13,
    TIRB_CODE_FLOAT8_E8M0FNU = 14,
    TIRB_CODE_FLOAT6_E2M3FN = 15,
    TIRB_CODE_FLOAT6_E3M2FN = 16,
    TIRB_CODE_FLOAT4_E2M1FN = 17
} tirb_type_code;

typedef struct tirb_datatype {
    uint8_t code; /* tirb_type_code */
    uint8_t bits;
    uint16_t lanes;
    bool scalable; /* lanes times the machine's vscale, which is 1 wherever tirb runs; then lanes > 1 */
} tirb_datatype;

/* How many elements a vector has; a scalar has one. */
typedef struct tirbi_lanes {
    int64_t n;
    bool scalable;
} tirbi_lanes;

static inline tirbi_lanes tirbi_lanes_of(tirb_datatype type) { return (tirbi_lanes){type.lanes, type.scalable}; }
static inline bool tirbi_lanes_equal(tirbi_lanes a, tirbi_lanes b) { return a.n == b.n && a.scalable == b.scalable; }
static inline tirb_datatype tirbi_type_element(tirb_datatype t) { return (tirb_datatype){t.code, t.bits, 1, false}; }
/* The caller has bounded the number. */
static inline tirb_datatype tirbi_type_with_lanes(tirb_datatype t, tirbi_lanes lanes) {
    return (tirb_datatype){t.code, t.bits, (uint16_t)lanes.n, lanes.scalable};
}

/* A machine type for a scalar or the element of a vector; false for handles, void and types the machine has not. */
bool tirb_datatype_machine(tirb_datatype type, tirbi_dtype *out);
tirb_datatype tirb_datatype_from_machine(tirbi_dtype type, uint16_t lanes);
/* The largest constant of a float type. */
double tirb_datatype_max(tirb_datatype type);
/* What is above the largest finite value of a narrow float. IEEE: infinity and NaNs as usual. NAN (fn): all ones is
 * NaN, no infinity. UNSIGNED_ZERO (fnuz): the pattern of -0 is NaN. FINITE: no NaN, large values saturate. SCALE:
 * powers of two without sign. */
typedef enum tirb_narrow_top {
    TIRB_NARROW_IEEE,
    TIRB_NARROW_NAN,
    TIRB_NARROW_UNSIGNED_ZERO,
    TIRB_NARROW_FINITE,
    TIRB_NARROW_SCALE
} tirb_narrow_top;

/* A float of 8, 6 or 4 bits: kept in the low bits of a byte, the fraction first. */
typedef struct tirb_narrow_format {
    const char *text;
    tirb_datatype type;
    double max;                 /* bounds constants: TVM's figures, some of which round to infinity or NaN */
    uint8_t exponent, fraction; /* widths in bits */
    int8_t bias;
    uint8_t top; /* tirb_narrow_top */
} tirb_narrow_format;

enum { TIRB_N_NARROW = 11 };
extern const tirb_narrow_format tirb_narrow_formats[TIRB_N_NARROW];
/* NULL: the type is none of them. */
const tirb_narrow_format *tirb_narrow_format_of(tirb_datatype type);
/* A float of 8, 6 or 4 bits. */
static inline bool tirb_datatype_is_narrow_float(tirb_datatype type) { return type.code >= TIRB_CODE_FLOAT8_E3M4; }
/* One whose least constant is 0, as TVM has it. */
bool tirb_datatype_is_unsigned_float(tirb_datatype type);
bool tirb_datatype_equal(tirb_datatype a, tirb_datatype b);
/* By name: "float32", "uint8x16", "int8xvscalex16", "bool", "handle", "void"; "uint1" is bool. False if there is no
 * such type. */
bool tirb_datatype_from_text(const char *text, size_t size, tirb_datatype *out);
/* "float32x4", "handle", "void", "bool" into a buffer of at least 32 bytes; returns it. */
const char *tirb_datatype_text(tirb_datatype type, char *buffer);

#endif
