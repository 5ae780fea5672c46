# expect: f(4xi32=1 2 3 4, 4xi32=0) -> 10 120 230 340
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    B[T.Ramp(0, 1, 4)] = A[T.Ramp(0, 1, 4)] * T.Broadcast(10, 4) + T.Ramp(0, 100, 4)
