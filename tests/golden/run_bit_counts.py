# Loops that count bits, of all of a number or of the lowest, into a variable and into memory.
# expect: f(10xi32=0 -1 1 -2147483648 2147483647 7 -8 255 65535 -65536, 10xi32=0, 10xi32=0) -> 0 32 1 1 31 3 29 8 16 16, 0 10 1 0 10 3 7 8 10 0
# expect: distance(10xu8=0 1 3 255 170 129 64 254 15 240, 10xu8=255 1 0 170 85 129 7 8 9 10, 1xi32=5) -> 45
# expect: own(1xi32=5) -> 9
# expect: moves(4xi32=0) -> 1 7 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((10,), "int32"), B: T.Buffer((10,), "int32"), C: T.Buffer((10,), "int32")):
    for i in range(10):
        s: T.int32 = 0
        for b in range(32):
            s = s + ((A[i] >> b) & 1)
        B[i] = s
    for i in range(10):
        C[i] = 0
        for b in range(10):
            C[i] = C[i] + T.cast((T.cast(A[i], "uint32") >> T.cast(b, "uint32")) & T.uint32(1), "int32")


@T.prim_func(s_tir=True)
def distance(A: T.Buffer((10,), "uint8"), B: T.Buffer((10,), "uint8"), D: T.Buffer((1,), "int32")):
    for i in range(10):
        for b in range(8):
            D[0] = D[0] + T.cast(((A[i] ^ B[i]) >> T.cast(b, "uint8")) & T.uint8(1), "int32")


@T.prim_func(s_tir=True)
def own(C: T.Buffer((1,), "int32")):
    for b in range(8):
        C[0] = C[0] + ((C[0] >> b) & 1)


@T.prim_func(s_tir=True)
def moves(C: T.Buffer((4,), "int32")):
    for b in range(8):
        C[C[0] & 3] = C[C[0] & 3] + ((255 >> b) & 1)
