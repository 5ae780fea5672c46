# error: 14:17 `R.matrix_multiply` is not supported

from tvm.script import ir as I
from tvm.script import relax as R

# One mistake in a dataflow block is one message: its outputs are not missed as well.


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 3), "float32")):
        with R.dataflow():
            y = R.matrix_multiply(x, x)
            z = R.exp(x)
            R.output(y, z)
        return (y, z)
