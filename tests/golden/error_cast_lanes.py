# error: 7:15 cannot cast int32x4 to float32: the numbers of lanes differ
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0] = T.Cast("float32", T.Broadcast(B[0], 4))
