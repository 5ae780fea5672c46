# A vector of more neighbours than a row has goes on in the next rows, to the end of the buffer and no further; one that could
# stay in its row must.
# expect: load(4x2xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 1 2 3 4 5 6 7 8
# expect: cube(2x2x2xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 1 2 3 4 5 6 7 8
# expect: store(4x2xi32=0, 8xi32=1 2 3 4 5 6 7 8) -> 0 0 1 2 3 4 0 0
# expect: region(4x4xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 4xi32=0) -> 5 6 9 10
# trap: behind(4x2xi32=0, 8xi32=1 2 3 4 5 6 7 8) -> 37 index 4 is out of bounds for dimension 0
# trap: before(4x2xi32=0, 8xi32=1 2 3 4 5 6 7 8, -1) -> 42 index -1 is out of bounds for dimension 1
# trap: inside(2x4xi32=0, 8xi32=1 2 3 4 5 6 7 8) -> 47 index 4 is out of bounds for dimension 1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def load(A: T.Buffer((4, 2), "int32"), B: T.Buffer((8,), "int32")):
    B[0:8] = A.vload([0, 0], "int32x8")


@T.prim_func(s_tir=True)
def cube(A: T.Buffer((2, 2, 2), "int32"), B: T.Buffer((8,), "int32")):
    B[0:8] = A[0, 0, T.Ramp(0, 1, 8)]


@T.prim_func(s_tir=True)
def store(A: T.Buffer((4, 2), "int32"), B: T.Buffer((8,), "int32")):
    A[1, 0:4] = B[0:4]


@T.prim_func(s_tir=True)
def region(A: T.Buffer((4, 4), "int32"), B: T.Buffer((4,), "int32")):
    with T.sblock("b"):
        R = T.match_buffer(A[1:3, 1:3], (2, 2), "int32", offset_factor=1)
        B[0:4] = R[0, T.Ramp(0, 1, 4)]


@T.prim_func(s_tir=True)
def behind(A: T.Buffer((4, 2), "int32"), B: T.Buffer((8,), "int32")):
    A[3, 0:4] = B[0:4]


@T.prim_func(s_tir=True)
def before(A: T.Buffer((4, 2), "int32"), B: T.Buffer((8,), "int32"), i: T.int32):
    A[2, T.Ramp(i, 1, 4)] = B[0:4]


@T.prim_func(s_tir=True)
def inside(A: T.Buffer((2, 4), "int32"), B: T.Buffer((8,), "int32")):
    A[0, 2:6] = B[0:4]
