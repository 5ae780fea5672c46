# The bounds of a loop and the place of a matched region are what they were at its begin.
# expect: assigned(2xi32=0) -> 3 0
# expect: nested(8xi32=0) -> 17 20 7 8 0 0 0 0
# expect: counter(8xi32=0, 1xi32=0) -> 17 20 18 20 13 14 15 16, 16
# expect: parallel(1xi32=0) -> 3
# expect: matched(8x2xi32=0, 1xi32=0) -> 0 0 0 0 0 0 1 2 0 0 0 0 0 0 0 0, 5
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def assigned(B: T.Buffer((2,), "int32")):
        n: T.int32 = 3
        for i in range(n):
            n = 10
            B[0] = B[0] + 1

    @T.prim_func(s_tir=True)
    def nested(B: T.Buffer((8,), "int32")):
        n: T.int32 = 2
        for i in range(3):
            for j in range(n % 6):
                n = n + 1
                B[j] = B[j] + n

    @T.prim_func(s_tir=True)
    def counter(B: T.Buffer((8,), "int32"), N: T.Buffer((1,), "int32")):
        N[0] = 2
        for i in range(3):
            for j in range(N[0]):
                N[0] = N[0] + 1
                assert N[0] < 100, "many"
                B[j] = B[j] + N[0]

    @T.prim_func(s_tir=True)
    def parallel(B: T.Buffer((1,), "int32")):
        n: T.int32 = 3
        for i in T.parallel(n):
            n = 10
            B[0] = B[0] + 1

    @T.prim_func(s_tir=True)
    def matched(A: T.Buffer((8, 2), "int32"), B: T.Buffer((1,), "int32")):
        n: T.int32 = 3
        B[0] = 3
        with T.sblock("b"):
            v = T.axis.opaque(8, 0)
            R = T.match_buffer(A[n, 0:2], (2,), "int32", offset_factor=1)
            S = T.match_buffer(A[B[0], 0:2], (2,), "int32", offset_factor=1)
            n = 5
            B[0] = n
            R[v] = 1
            S[v + 1] = 2
