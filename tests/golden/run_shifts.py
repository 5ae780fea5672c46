# Amounts are taken modulo the width; a signed value shifts in its sign.
# expect: f(4xi32=1 -8 3 -1, 4xi32=4 1 33 31, 4xi32=0, 4xi32=0, 4xu32=0x80000000) -> 16 -16 6 -2147483648, 0 -4 1 -1, 0x8000000 0x40000000 0x40000000 1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32"), D: T.Buffer((4,), "int32"),
      U: T.Buffer((4,), "uint32")):
    for i in range(4):
        C[i] = A[i] << B[i]
        D[i] = A[i] >> B[i]
        U[i] = U[i] >> T.Cast("uint32", B[i])
