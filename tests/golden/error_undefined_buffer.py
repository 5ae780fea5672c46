# error: 7:12 `C` is not defined
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    A[0] = C[0]
