# error: 7:15 `alpha` is not defined
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0] = alpha
