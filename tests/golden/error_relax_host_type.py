# error: 11:14 `my.read` of the host gives tensors, a number or nothing: its type says neither
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4, 2), "float32")):
        gv = R.call_packed("my.read", x, ty_args=R.Shape(ndim=2))
        return x
