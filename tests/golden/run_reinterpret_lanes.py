# A reinterpretation may change the number of lanes: the first of several is the least significant.
# expect: split(2xi32=67305985 -2, 8xi8=0) -> 1 2 3 4 -2 -1 -1 -1
# expect: join(8xu8=1 2 3 4 5 6 7 8, 2xi32=0, i64=0) -> 67305985 134678021, 578437695752307201
# expect: dot(4xu8=1 2 3 4, 2x4xi8=1 1 1 1 -1 2 -3 4, 2xi32=0) -> 10 10
# expect: float_halves(f32=1, 2xu16=0) -> 0 16256
# expect: at_loop(4xi32=10 20 30 40, 4xi32=0, 0) -> 40 30 20 10
# trap: at_loop(4xi32=10 20 30 40, 4xi32=0, 1) -> 37 the index of a shuffle is outside of its vectors
# expect: floors(3xf32=-7 7 7.5, 3xf32=2 -2 2, 3xf32=0, 3xf32=0) -> -4 -4 3, 1 -1 1.5
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def split(A: T.Buffer((2,), "int32"), B: T.Buffer((8,), "int8")):
        B[0:8] = T.reinterpret("int8x8", A[0:2])

    @T.prim_func(s_tir=True)
    def join(A: T.Buffer((8,), "uint8"), B: T.Buffer((2,), "int32"), C: T.Buffer((), "int64")):
        B[0:2] = T.reinterpret("int32x2", A[0:8])
        C[()] = T.reinterpret("int64", A[0:8])

    @T.prim_func(s_tir=True)
    def dot(A: T.Buffer((4,), "uint8"), B: T.Buffer((2, 4), "int8"), C: T.Buffer((2,), "int32")):
        words = T.meta_var(T.Broadcast(T.reinterpret("int32", A[0:4]), 2))
        for j, k in T.grid(2, 4):
            C[j] = C[j] + T.Cast("int32", T.Shuffle([T.reinterpret("uint8x8", words)], [j * 4 + k])) * T.Cast("int32", B[j, k])

    @T.prim_func(s_tir=True)
    def float_halves(A: T.Buffer((), "float32"), B: T.Buffer((2,), "uint16")):
        B[0:2] = T.reinterpret("uint16x2", A[()])

    @T.prim_func(s_tir=True)
    def at_loop(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), more: T.int32):
        for i in range(4):
            B[i] = T.Shuffle([A[0:2], A[2:4]], [3 - i + more])

    @T.prim_func(s_tir=True)
    def floors(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32"), D: T.Buffer((3,), "float32"), M: T.Buffer((3,), "float32")):
        for i in range(3):
            D[i] = T.FloorDiv(A[i], B[i])
            M[i] = T.FloorMod(A[i], B[i])
