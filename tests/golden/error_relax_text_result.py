# error: 8:9 result 0 of `main` is no tensor, number or shape
from tvm.script import ir as I
from tvm.script import relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        s = R.str("abc")
        return s
