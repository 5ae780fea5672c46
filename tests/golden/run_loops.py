# expect: f(6xi32=0) -> 1 1 2 2 103 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((6,), "int32")):
    for i in range(1, 4):
        A[i * 2 - 2] = i
    for i in range(1, 6, 2):
        A[i] = (i + 1) // 2
    for i in T.vectorized(1):
        A[4] = A[4] + 100 + i
    for i in T.parallel(0):
        A[0] = 77
