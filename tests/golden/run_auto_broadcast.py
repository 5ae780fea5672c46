# Buffers of broadcast type: a dimension of extent 1 has one element, whatever the index; others are checked as ever.
# expect: add(2x1xi32=10 20, 1x3xi32=1 2 3, 2x3xi32=0) -> 11 12 13 21 22 23
# expect: add(2x3xi32=10 20 30 40 50 60, 1x1xi32=1, 2x3xi32=0) -> 11 21 31 41 51 61
# trap: add(2x2xi32=10 20 30 40, 1x3xi32=1 2 3, 2x3xi32=0) -> 15 index 2
# expect: fixed(1x2xi32=3 4, 2x2xi32=0) -> 3 4 3 4
from tvm.script import tir as T


@T.prim_func
def add(a: T.handle, b: T.handle, C: T.Buffer((2, 3), "int32")):
    n, m, k, l = T.int32(), T.int32(), T.int32(), T.int32()
    A = T.match_buffer(a, (n, m), "int32", buffer_type="auto")
    B = T.match_buffer(b, (k, l), "int32", buffer_type="auto")
    for i, j in T.grid(2, 3):
        C[i, j] = A[i, j] + B[i, j]


@T.prim_func
def fixed(a: T.handle, C: T.Buffer((2, 2), "int32")):
    A = T.match_buffer(a, (1, 2), "int32", buffer_type="auto")
    for i, j in T.grid(2, 2):
        C[i, j] = A[i, j]
