# error: 8:5 `f` returns int32, not float32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    return 1
    return A[0, 0]
