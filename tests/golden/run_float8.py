# Floats of 8, 6 and 4 bits are bytes in memory, passed as uint8: casts round to nearest even, arithmetic is float32's,
# rounded once.
# expect: decode(8xu8=0 1 56 126 127 128 184 255, 8xf32=0) -> 0 0.001953125 1 448 nan -0.0 -1 nan
# expect: encode(8xf32=0.3 464 465 1e9 -0.001 nan 1.0625 1.1875, 8xu8=0) -> 42 126 127 127 129 127 56 58
# expect: e5m2(6xf32=1 57344 70000 -inf 0.0001 0.00002, 6xu8=0) -> 60 123 124 252 7 1
# expect: sum(4xu8=56 64 80 126, 4xu8=56 56 56 126) -> 64 68 81 127
# expect: small(8xf32=0.2 0.25 0.75 2.5 3.5 5 100 -1, 8xu8=0, 8xf32=0) -> 0 0 2 4 6 6 7 10, 0 0 1 2 4 4 6 -1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def decode(A: T.Buffer((8,), "float8_e4m3fn"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = T.Cast("float32", A[i])


@T.prim_func(s_tir=True)
def encode(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float8_e4m3fn")):
    for i in range(8):
        B[i] = T.Cast("float8_e4m3fn", A[i])


@T.prim_func(s_tir=True)
def e5m2(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float8_e5m2")):
    for i in range(6):
        B[i] = T.Cast("float8_e5m2", A[i])


@T.prim_func(s_tir=True)
def sum(A: T.Buffer((4,), "float8_e4m3fn"), B: T.Buffer((4,), "float8_e4m3fn")):
    for i in range(4):
        B[i] = A[i] + B[i]


@T.prim_func(s_tir=True)
def small(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float4_e2m1fn"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = T.Cast("float4_e2m1fn", A[i])
        C[i] = T.Cast("float32", B[i])
