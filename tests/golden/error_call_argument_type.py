# error: 14:16 argument 'n' of g is float32, expected int32
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func
    def g(n: T.int32) -> T.int32:
        return n

    @T.prim_func
    def f(x: T.float32) -> T.int32:
        return M.g(x)
