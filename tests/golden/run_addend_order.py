# A call in front of a product that it is added to comes first, also where the sum is moved or computed with constants.
# expect: f(2xf32=3 5, 2xf32=0) -> 4 5, 21 21
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def g(A: T.Buffer((2,), "float32")) -> T.float32:
        A[0] = T.float32(4)
        return T.float32(1)

    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((2,), "float32"), O: T.Buffer((2,), "float32")):
        for i in range(2):
            for r in range(2):
                with T.sblock("b"):
                    v = T.axis.reduce(3, r)
                    with T.init():
                        O[i] = Module.g(A.data) + A[0] * A[1]
                    O[i] = O[i] + A[i // 3] * T.float32(0)
