# expect: f(4xf32=-1 0 2 -3, 4xf32=0) -> 1 0 2 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = A[i] if A[i] >= T.float32(0) else T.float32(0) - A[i]
