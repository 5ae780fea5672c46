# Integers of 4 bits are bytes in memory: casts and arithmetic wrap to the width.
# expect: f(6xi8=7 -8 3 -1 0 5, 6xi32=1 2 3 100 -9 15) -> -8 -6 6 3 7 4, 7 -8 3 -1 0 5
# expect: g(4xu8=15 1 7 8, 4xu8=1 15 9 8) -> 0 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((6,), "int4"), B: T.Buffer((6,), "int32")):
    for i in range(6):
        old: T.let = T.Cast("int32", A[i])
        A[i] = A[i] + T.Cast("int4", B[i])
        B[i] = old


@T.prim_func(s_tir=True)
def g(A: T.Buffer((4,), "uint4"), B: T.Buffer((4,), "uint4")):
    for i in range(4):
        B[i] = A[i] + B[i]
