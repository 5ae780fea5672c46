/* Operations that machines of 16-byte vectors do on banks in memory where an instruction set has none for them: which
 * have so many instructions that all their forms would be most of a machine's text. APART_<OP>_<TYPE> is defined for
 * each; the lists are those of one operand and of two. Included before machine.inc. */
#ifndef TIRB_VM_LANES_APART_H
#define TIRB_VM_LANES_APART_H

#define APART_UNARY(X) X(ABS, I64) X(TO_I64, F64) X(TRUE, I64)
#define APART_BINARY(X)                                                                                                \
    X(SHL, I16) X(SHR, I16) X(SHR, U16) X(SHL, I32) X(SHR, I32) X(SHR, U32) X(SHL, I64) X(SHR, I64) X(SHR, U64)        \
    X(LT, I64) X(LE, I64) X(EQ, I64) X(NE, I64) X(LT, U32) X(LE, U32)

/* What BY_APART adds to a name: 1 for these, else 0. */
#define APART_ABS_I64    ~, 1
#define APART_TO_I64_F64 ~, 1
#define APART_TRUE_I64   ~, 1
#define APART_SHL_I16    ~, 1
#define APART_SHR_I16    ~, 1
#define APART_SHR_U16    ~, 1
#define APART_SHL_I32    ~, 1
#define APART_SHR_I32    ~, 1
#define APART_SHR_U32    ~, 1
#define APART_SHL_I64    ~, 1
#define APART_SHR_I64    ~, 1
#define APART_SHR_U64    ~, 1
#define APART_LT_I64     ~, 1
#define APART_LE_I64     ~, 1
#define APART_EQ_I64     ~, 1
#define APART_NE_I64     ~, 1
#define APART_LT_U32     ~, 1
#define APART_LE_U32     ~, 1

#endif
