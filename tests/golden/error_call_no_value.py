# error: 14:16 this operator needs numbers, not void
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func
    def g(A: T.Buffer((4,), "float32")):
        A[0] = 1.0

    @T.prim_func
    def f(A: T.Buffer((4,), "float32")) -> T.int32:
        return M.g(A) + 1
