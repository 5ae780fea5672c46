# error: 13:9 TVM unpacks no call
# error: 15:12 `c` is assigned twice
# error: 23:9 R.call_tir_inplace: the result R.Tensor((4,), "int32") cannot be written in place of R.Tensor((4,), "float32")
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a, b = R.split(x, 2)
        t = (x, x)
        c, c = t
        return t

    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((4,), "float32")):
        A[0] = A[1]
    @R.function
    def inplace(x: R.Tensor((4,), "float32")):
        y = R.call_tir_inplace(Module.f, (x,), out_ty=R.Tensor((4,), "int32"), inplace_indices=[0])
        return y
