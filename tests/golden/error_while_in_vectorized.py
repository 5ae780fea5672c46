# error: 8:9 a while loop inside a vectorized loop
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    for i in T.vectorized(4):
        while A[i] < 3:
            A[i] = A[i] + 1
