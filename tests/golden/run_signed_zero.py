# expect: f(2xf32=0 -0, 2xf32=-0 0, 2xf32=1, 2xf32=1) -> -0 0, -0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32"), C: T.Buffer((2,), "float32"), D: T.Buffer((2,), "float32")):
    for i in range(2):
        C[i] = T.min(A[i], B[i])
        D[i] = T.max(A[i], B[i])
