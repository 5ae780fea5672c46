# A call with effects in a vector happens once, whatever the number of lanes; in the condition of a while loop once for each
# time that it is looked at, also after `continue`.
# expect: broadcast(8xi32=0, 1xi32=0) -> 1 1 1 1 2 2 2 2, 2
# expect: index(8xi32=5 6 7 8 0 0 0 0, 1xi32=1) -> 7 7 7 7 0 0 0 0, 2
# expect: let(8xi32=0, 1xi32=3) -> 8 9 10 11 0 0 0 0, 4
# expect: loop(1xi32=0) -> 4, 40
# expect: skips(8xi32=0, 1xi32=0) -> 0 1 0 1 0 1 0 0, 7
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func(s_tir=True, private=True)
    def next(N: T.Buffer((1,), "int32")) -> T.int32:
        N[0] = N[0] + 1
        return N[0]

    @T.prim_func(s_tir=True)
    def broadcast(A: T.Buffer((8,), "int32"), N: T.Buffer((1,), "int32")):
        for i in range(2):
            A[i * 4:i * 4 + 4] = T.Broadcast(M.next(N.data), 4)

    @T.prim_func(s_tir=True)
    def index(A: T.Buffer((8,), "int32"), N: T.Buffer((1,), "int32")):
        A[0:4] = T.Broadcast(A[M.next(N.data)], 4)

    @T.prim_func(s_tir=True)
    def let(A: T.Buffer((8,), "int32"), N: T.Buffer((1,), "int32")):
        v: T.let = T.Ramp(M.next(N.data) + 4, 1, 4)
        A[0:4] = v

    @T.prim_func(s_tir=True)
    def loop(N: T.Buffer((1,), "int32")) -> T.int32:
        total: T.int32 = 0
        while M.next(N.data) < 4:
            total = total + N[0] * 10
        return total - 20

    @T.prim_func(s_tir=True)
    def skips(A: T.Buffer((8,), "int32"), N: T.Buffer((1,), "int32")):
        while M.next(N.data) < 7:
            if N[0] % 2 == 1:
                continue
            A[N[0] - 1] = 1
