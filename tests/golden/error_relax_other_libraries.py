# What others call otherwise, in Relax.
# error: 21:28 `n` is not defined; a size that the arguments decide is written in quotes, R.Tensor(("n",), ...)
# error: 25:17 a shape is one tuple: write R.Tensor((4, 8), "float32")
# error: 15:25 `axis` is a number, and no tensor: several tensors are one tuple, (a, b)
# error: 16:13 a value of Relax has no attribute `T`: write R.permute_dims(...)
# error: 17:13 R.Tensor((4, 8), "float32") cannot be indexed: only a tuple has items; write R.take or R.strided_slice
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), y: R.Tensor((4, 8), "float32")):
        a = R.concat(x, y)
        b = x.T
        c = x[0]
        return c

    @R.function
    def sizes(x: R.Tensor((n, 8), "float32")):
        return x

    @R.function
    def flat(x: R.Tensor(4, 8, "float32")):
        return x
