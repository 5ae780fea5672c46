# error: 7:13 a call with effects in an index of a vector or of a condition cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    while A[T.call_extern("int32", "next", A[1])] > 0.0:
        A[0] = 0.0
