# error: 6:10 values of type int4 cannot be compiled
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int4")):
    A[0] = A[1]
