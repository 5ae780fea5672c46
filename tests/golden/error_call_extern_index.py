# error: 6:7 a call with effects in an index cannot be compiled yet
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    A[T.call_extern("int32", "next", A[1])] = A[0]
