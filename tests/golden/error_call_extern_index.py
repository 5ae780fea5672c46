# error: 7:48 a call with effects that only some lanes of a vector take cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    A[0:4] = T.Select(A[0:4] > A[4:8], A[0:4], T.Broadcast(A[T.call_extern("int32", "next", A[1])], 4))
