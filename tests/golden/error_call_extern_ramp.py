# error: 6:14 a call with effects behind what a vector reads cannot be compiled yet
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((4,), "int32")):
    A[T.ramp(T.call_extern("int32", "next"), 1, 4)] = A[0:4]
    B[0:4] = T.ramp(T.call_extern("int32", "next"), 1, 4)
