# error: 13:16 cannot cast void to float32
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    g = R.ExternFunc("vendor.g")

    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((2,), "float32")):
        A[0] = Module.g(A.data)
