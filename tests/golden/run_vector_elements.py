# Buffers whose elements are vectors: their lanes are one more dimension of an argument.
# expect: f(2x4xi32=1 2 3 4 5 6 7 8, 2x4xi32=0) -> 10 13 16 19 2 5 8 11
# expect: g(4x2xi32=1 2 3 4 5 6 7 8, 4x2xi32=0) -> 3 4 7 8 1 2 5 6
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2,), "int32x4"), B: T.Buffer((2,), "int32x4")):
    C = T.alloc_buffer((2,), "int32x4")
    for i in range(2):
        C[i] = A[i] * T.Broadcast(2, 4)
    for i in range(2):
        B[1 - i] = C[i] + T.Ramp(0, 1, 4)


@T.prim_func(s_tir=True)
def g(A: T.Buffer((4,), "int32x2"), B: T.Buffer((4,), "int32x2")):
    B[0:2] = A[1:4:2]
    B[2:4] = A[0:3:2]
