# error: 9:13 R.nn.prelu is not lowered yet with another number of slopes than of channels
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), a: R.Tensor((4,), "float32")):
        y = R.nn.prelu(x, a)
        return y
