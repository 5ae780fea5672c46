# A size in quotes is a variable, also where the module has a function of its name.
# expect: N(3xi32=1 2 3, 3xi32=0) -> 2 3 4
# expect: f(2x2xi32=1 2 3 4, 2xi32=0) -> 1 4
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def N(A: T.Buffer(("N",), "int32"), B: T.Buffer((N,), "int32")):
        N = T.int32()
        for i in range(N):
            B[i] = A[i] + 1

    @T.prim_func(s_tir=True)
    def f(A: T.Buffer(("N", N), "int32"), B: T.Buffer(("N",), "int32")):
        N = T.int32()
        for i in range(N):
            B[i] = A[i, i]
