# error: 7:58 `T.vscale` is not supported: vectors of scalable length
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "int32")):
    A[T.Ramp(0, 1, 4 * T.vscale())] = T.Broadcast(1, 4 * T.vscale())
