# error: 7:12 call_extern cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.call_extern("float32", "sinf", A[1])
