# error: 15:9 function `f` already exists
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((4,), "int32")):
        for i in range(4):
            A[i] = 1

    @R.function
    def f(x: R.Tensor((4,), dtype="int32")) -> R.Tensor((4,), dtype="int32"):
        return x
