# expect: f(8xf32=1 2 3 4 5 6 7 8, 8xf32=0) -> 7 7 4 5 6 7 7 8, 9 9 9 9 0 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    A.vstore([2], A.vload([3], "float32x4"))
    A.vstore([0], T.Broadcast(A.vload([6]), 2))
    T.buffer_store(B, T.Broadcast(T.float32(9), 4), [T.Ramp(0, 1, 4)])
