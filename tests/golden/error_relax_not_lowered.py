# error: 10:14 R.median is not lowered yet
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")):
        gv = R.median(x)
        return gv
