# error: 7:14 a call with effects that every lane of a vector takes cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0:4] = T.Broadcast(T.call_extern("float32", "next", A[1]), 4)
