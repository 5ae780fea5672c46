# error: 7:7 only the last index of a buffer access may be a vector
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0:4, 0] = T.Broadcast(T.float32(1), 4)
