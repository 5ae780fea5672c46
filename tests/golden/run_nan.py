# != on a NaN is true, every other comparison false; min is a<b?a:b and max a>b?a:b, so a NaN gives the second operand.
# expect: f(4xf32=nan 1 nan 1, 4xf32=1 nan nan 1, 4xi32=0, 4xf32=0, 4xf32=0) -> 1 1 1 22, 1 nan nan 1, 1 nan nan 1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32"),
      D: T.Buffer((4,), "float32"), E: T.Buffer((4,), "float32")):
    for i in range(4):
        C[i] = T.Cast("int32", A[i] != B[i]) + T.Cast("int32", A[i] <= B[i]) * 2 + T.Cast("int32", A[i] == B[i]) * 20
        D[i] = T.min(A[i], B[i])
        E[i] = T.max(A[i], B[i])
