# error: 10:14 R.wrap_param is not lowered yet
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")):
        gv = R.wrap_param(x, "float32")
        return gv
