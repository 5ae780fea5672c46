# error: 7:30 T.exp takes at most 1 argument
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0] = T.exp(A[0, 1], 2)
