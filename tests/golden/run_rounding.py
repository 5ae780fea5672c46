# T.round takes a half to the even neighbour.
# expect: f(6xf32=0.5 1.5 2.5 -0.5 -1.5 -2.7, 6xf32=0, 6xf32=0, 6xf32=0, 6xf32=0) -> 0 2 2 -0 -2 -3, 0 1 2 -1 -2 -3, 1 2 3 -0 -1 -2, 0 1 2 -0 -1 -2
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32"),
      D: T.Buffer((6,), "float32"), E: T.Buffer((6,), "float32")):
    for i in range(6):
        B[i] = T.round(A[i])
        C[i] = T.floor(A[i])
        D[i] = T.ceil(A[i])
        E[i] = T.trunc(A[i])
