# error: 10:14 R.unique is not lowered yet along one of several axes
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 2), dtype="float32")):
        gv = R.unique(x, axis=0)
        return gv
