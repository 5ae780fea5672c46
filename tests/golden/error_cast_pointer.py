# error: 11:26 cannot cast float32 to handle
# error: 12:12 cannot cast handle to int64
# error: 13:12 IntImm makes integer scalars, not float32
# error: 14:12 FloatImm makes float scalars, not int32
# error: 15:29 the value -1 does not fit type int1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "int64")):
    p: T.let[T.handle] = T.Cast("handle", A[0])
    B[0] = T.Cast("int64", A.data)
    A[0] = T.IntImm("float32", 1)
    B[1] = T.FloatImm("int32", 1.0)
    B[2] = T.IntImm("int1", -1)
