# expect: f(2xi8=127 -128, 2xu8=255 0, 2xi32=2147483647 65536, 2xi64=9223372036854775807 -1) -> -128 -127, 0 1, -2 0, -9223372036854775808 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2,), "int8"), B: T.Buffer((2,), "uint8"), C: T.Buffer((2,), "int32"), D: T.Buffer((2,), "int64")):
    for i in range(2):
        A[i] = A[i] + T.int8(1)
        B[i] = B[i] + T.uint8(1)
        C[i] = T.if_then_else(i == 0, C[i] * 2, C[i] * C[i])
        D[i] = D[i] + T.int64(1)
