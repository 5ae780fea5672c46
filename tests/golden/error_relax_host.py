# error: 11:14 `my.read` of the host takes tensors, shapes and numbers only
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4, 2), "float32")):
        gv = R.call_packed("my.read", x, R.str("a name"), ty_args=R.Tensor((4, 2), "float32"))
        return gv
