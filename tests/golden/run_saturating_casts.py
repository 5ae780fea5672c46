# A float that an integer type cannot hold becomes the nearest end of its range, and NaN becomes 0.
# expect: f(6xf32=1e20 -1e20 nan -1.9 300 -200, 6xi32=0, 6xi8=0, 6xu8=7) -> 2147483647 -2147483648 0 -1 300 -200, 127 -128 0 -1 127 -128, 255 0 0 0 255 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "int32"), C: T.Buffer((6,), "int8"), D: T.Buffer((6,), "uint8")):
    for i in range(6):
        B[i] = T.Cast("int32", A[i])
        C[i] = T.Cast("int8", A[i])
        D[i] = T.Cast("uint8", A[i])
