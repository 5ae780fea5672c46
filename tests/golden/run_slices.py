# expect: f(8xi32=0 1 2 3 4 5 6 7, 8xi32=9) -> 1 9 3 9 5 9 7 9
# expect: g(8xi32=0 1 2 3 4 5 6 7, 8xi32=9) -> 10 12 14 16 9 9 1 1
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        B[0:8:2] = A[1:8:2]

    @T.prim_func(s_tir=True)
    def g(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        B[0:4] = A[2:6] + A[3:7] + A[0:4] - A[0:4] + 5
        B[6:8] = 1
