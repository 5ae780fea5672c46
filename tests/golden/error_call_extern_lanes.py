# error: 7:35 a call with effects behind what a vector reads cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    A[0:4] = A[4:8] + T.Broadcast(T.call_extern("float32", "next", A[1]), 4)
