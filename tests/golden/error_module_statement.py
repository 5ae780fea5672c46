# error: 8:5 this statement is not possible in a module
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class M:
    for i in range(3):
        pass

    @T.prim_func
    def f(n: T.int32):
        pass
