# error: 14:13 the parameter `A` takes a buffer, not a value of type float32; write T
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func
    def g(A: T.Buffer((4,), "float32"), n: T.int32):
        A[0] = T.float32(n)

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        M.g(A[0], 1)
