# expect: f(4xi32=300 -1 128 65536, 4xi8=0, 4xu8=0, 4xi64=0) -> 44 -1 -128 0, 44 255 128 0, 300 4294967295 128 65536
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int8"), C: T.Buffer((4,), "uint8"), D: T.Buffer((4,), "int64")):
    for i in range(4):
        B[i] = T.Cast("int8", A[i])
        C[i] = T.Cast("uint8", A[i])
        D[i] = T.Cast("int64", T.Cast("uint32", A[i]))
