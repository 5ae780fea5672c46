# error: 6:25 there is no type "string"
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "string")):
    A[0] = A[1]
