# Calls that do something, as indices and operands: each happens once, in the order in which it is written.
# expect: store(4xi32=0, i32=0) -> 0 100 0 0, 1
# expect: load(4xi32=10 20 30 40, i32=0, 3xi32=0) -> 3, 30 40 41
# expect: shifted(i32=0, 2xi32=0) -> 2, 4 7
# expect: let(i32=0, 1xi32=0) -> 1, 2
# expect: matrix(2x2xi32=1 2 3 4, i32=-1, 2xi32=0) -> 2, 2 4
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def next(N: T.Buffer((), "int32")) -> T.int32:
        N[()] = N[()] + 1
        return N[()]

    @T.prim_func(s_tir=True)
    def store(A: T.Buffer((4,), "int32"), N: T.Buffer((), "int32")):
        A[Module.next(N.data)] = 100 + N[()]

    @T.prim_func(s_tir=True)
    def load(A: T.Buffer((4,), "int32"), N: T.Buffer((), "int32"), B: T.Buffer((3,), "int32")):
        B[0] = N[()] + A[Module.next(N.data) + 1]
        B[1] = A[Module.next(N.data) + 1]
        B[2] = N[()] // 2 + A[Module.next(N.data)]

    @T.prim_func(s_tir=True)
    def shifted(N: T.Buffer((), "int32"), B: T.Buffer((2,), "int32")):
        B[0] = T.q_multiply_shift(Module.next(N.data), 1 << 30, 31, 3)
        B[1] = T.q_multiply_shift(7, 1 << 30, 31, Module.next(N.data) - 1)

    @T.prim_func(s_tir=True)
    def let(N: T.Buffer((), "int32"), B: T.Buffer((1,), "int32")):
        x = T.int32()
        B[0] = T.Let(x + x, where={x: Module.next(N.data)})

    @T.prim_func(s_tir=True)
    def matrix(A: T.Buffer((2, 2), "int32"), N: T.Buffer((), "int32"), B: T.Buffer((2,), "int32")):
        B[0] = A[Module.next(N.data), Module.next(N.data)]
        B[1] = A[N[()], Module.next(N.data) - 1]
