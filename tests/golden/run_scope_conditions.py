# Allocations with a condition, realized buffers with a condition and sizes of their own, blocks that are not realized.
# expect: allocated(1xf32=0, 1) -> 3
# expect: allocated(1xf32=0, 0) -> 0
# expect: realized(4xf32=1 2 3 4) -> 1 4 9 16
# expect: strided(2xi32=0) -> 3 0
# expect: block(1xf32=0) -> 1
# expect: matched(2x4xf32=0, 1) -> 0 1 0 0 0 1 0 0
# trap: matched(2x4xf32=0, 2) -> 47 extent 1 of the region that 'M' matches is not what its shape says
from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def allocated(A: T.Buffer((1,), "float32"), n: T.int32):
        with T.allocate([2], "float32", "global", condition=n > 0) as p:
            B = T.decl_buffer((2,), data=p)
            B[1] = T.float32(3)
            A[0] = B[1]

    @T.prim_func
    def realized(A: T.Buffer((4,), "float32")):
        B = T.buffer_decl((8,), "float32")
        with T.realize(B[2:6], "", condition=A[0] > T.float32(100)):
            for i in range(4):
                B[i + 2] = A[i] * A[i]
            for i in range(4):
                A[i] = B[i + 2]

    @T.prim_func
    def strided(A: T.Buffer((2,), "int32")):
        s0, s1, o = T.int32(), T.int32(), T.int32()
        B = T.buffer_decl((4, 4), "int32", strides=(s0, s1), elem_offset=o)
        with T.realize(B[0:2, 0:3], ""):
            A[0] = s0
            A[1] = o

    @T.prim_func
    def block(A: T.Buffer((1,), "float32")):
        with T.block("b", no_realize=True):
            A[0] = T.float32(1)

    @T.prim_func
    def matched(A: T.Buffer((2, 4), "float32"), n: T.int32):
        for i in range(2):
            with T.block("b"):
                v = T.axis.spatial(2, i)
                M = T.match_buffer(A[v, 0:n * 2], (n + 1,), "float32", offset_factor=1)
                M[1] = T.float32(1)
