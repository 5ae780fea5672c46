# error: 11:9 R.cumsum: the axis 2 is out of range for a tensor of 2 dimensions
# error: 12:9 R.cumprod: the axis -3 is out of range for a tensor of 2 dimensions
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 3), "float32")):
        a = R.cumsum(x, axis=2)
        b = R.cumprod(x, axis=-3)
        return (a, b)
