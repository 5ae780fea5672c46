# expect: f(4xi32=7 -7 7 -7, 4xi32=2 2 -2 -2, 4xi32=0, 4xi32=0, 4xi32=0, 4xi32=0) -> 3 -4 -4 3, 1 1 -1 -1, 3 -3 -3 3, 1 -1 1 -1
# expect: f(4xi32=-2147483648, 4xi32=-1, 4xi32=1, 4xi32=1, 4xi32=1, 4xi32=1) -> -2147483648 -2147483648 -2147483648 -2147483648, 0 0 0 0, -2147483648 -2147483648 -2147483648 -2147483648, 0 0 0 0
# trap: f(4xi32=1, 4xi32=1 1 0 1, 4xi32=0, 4xi32=0, 4xi32=0, 4xi32=0) -> 11 an integer is divided by zero
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32"), D: T.Buffer((4,), "int32"),
      E: T.Buffer((4,), "int32"), F: T.Buffer((4,), "int32")):
    for i in range(4):
        C[i] = A[i] // B[i]
        D[i] = A[i] % B[i]
        E[i] = T.truncdiv(A[i], B[i])
        F[i] = T.truncmod(A[i], B[i])
