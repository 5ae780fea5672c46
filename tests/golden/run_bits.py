# expect: f(12, 10, 6xi32=0) -> 8 14 6 -13 2 28
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.int32, b: T.int32, A: T.Buffer((6,), "int32")):
    A[0] = a & b
    A[1] = a | b
    A[2] = a ^ b
    A[3] = ~a
    A[4] = T.popcount(a)
    A[5] = T.clz(a)
