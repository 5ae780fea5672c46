# error: 7:12 this is no value that can be returned
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    return T.evaluate(A[0])
