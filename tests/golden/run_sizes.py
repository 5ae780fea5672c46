# Indices that count the elements of two dimensions, of sizes that are parameters: what the version for sane sizes does,
# and calls for which it is not: indices that wrap and come back, rows that are longer than the stride, and
# elements that are not there.
# expect: product(4xi32=1 2 3 4, 6xi32=1 2 3 4 5 6, 6xi32=0, 2, 3, 2) -> 9 12 15 19 26 33
# expect: wide(4xi32=1 2 3 4, 6xi32=1 2 3 4 5 6, 6xi32=0, 2, 3, 2) -> 9 12 15 19 26 33
# expect: wrapped(3xi32=1 2 3, 6xi32=0, 3, 2, 3, 5) -> 1 2 3 0 0 0
# expect: wrapped(8xi32=1 2 3 4 5 6 7 8, 6xi32=0, 8, 2, 3, 1) -> 1 2 3 5 6 7
# expect: wrapped(3xi32=1 2 3, 6xi32=0, 3, 2, 3, 1073741824) -> 1 2 3 1 2 3
# trap: wrapped(7xi32=1 2 3 4 5 6 7, 6xi32=0, 7, 3, 2, 1) -> 41 index 8 is out of bounds
# expect: strided(6xi32=1 2 3 4 5 6, 6xi32=0, 2, 3, 3) -> 1 2 3 4 5 6
# expect: strided(4xi32=1 2 3 4, 6xi32=0, 2, 2, 2) -> 1 2 3 4 0 0
# trap: strided(4xi32=1 2 3 4, 6xi32=0, 2, 3, 2) -> 48 index 4 is out of bounds
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def product(a: T.handle, b: T.handle, c: T.handle, M: T.int32, N: T.int32, K: T.int32):
        A = T.match_buffer(a, (M * K,), "int32")
        B = T.match_buffer(b, (K * N,), "int32")
        C = T.match_buffer(c, (M * N,), "int32")
        for i, j, k in T.grid(M, N, K):
            C[i * N + j] = C[i * N + j] + A[i * K + k] * B[k * N + j]

    @T.prim_func(s_tir=True)
    def wide(a: T.handle, b: T.handle, c: T.handle, M: T.int64, N: T.int64, K: T.int64):
        A = T.match_buffer(a, (M * K,), "int32")
        B = T.match_buffer(b, (K * N,), "int32")
        C = T.match_buffer(c, (M * N,), "int32")
        for i, j, k in T.grid(M, N, K):
            C[j + N * i] = C[j + N * i] + A[i * K + k] * B[k * N + j]

    @T.prim_func(s_tir=True)
    def wrapped(a: T.handle, c: T.handle, L: T.int32, M: T.int32, N: T.int32, P: T.int32):
        A = T.match_buffer(a, (L,), "int32")
        C = T.match_buffer(c, (6,), "int32")
        for i, j in T.grid(M, N):
            if P != 5 or i == 0:
                C[i * N + j] = A[i * 4 * P + j]

    @T.prim_func(s_tir=True)
    def strided(a: T.handle, c: T.handle, M: T.int32, N: T.int32, P: T.int32):
        A = T.match_buffer(a, (M * P,), "int32")
        C = T.match_buffer(c, (6,), "int32")
        for i, j in T.grid(M, N):
            C[i * N + j] = A[i * P + j]
