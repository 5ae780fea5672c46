# Sizes that must be equal and are not known to be are compared where the operator stands; a fused operator is none then.
# expect: product(2x3xf32=1 2 3 4 5 6, 3x1xf32=1 1 1, 2x1xf32=0) -> 6 15
# trap: product(2x3xf32=0, 2x1xf32=0, 2x1xf32=0) -> 19 R.matmul: a size is 2, expected 3
# expect: joined(1x4xf32=1 2 3 4, 1x4xf32=5 6 7 8, 2x4xf32=0, 1x4xf32=0) -> 1 2 3 4 5 6 7 8, 6 8 10 12
# trap: joined(1x5xf32=0, 1x4xf32=0, 2x4xf32=0, 1x4xf32=0) -> 27 R.add: a size is 4, expected 5
# trap: scaled(2x3xf32=0, 4xf32=0, 2x3xf32=0) -> 36 R.nn.rms_norm: a size is 3, expected 4
# expect: sloped(2x2xf32=-1 2 3 -4, 2xf32=2 3, 2x2xf32=0) -> -2 2 3 -12
# trap: sloped(2x3xf32=0, 4xf32=0, 2x3xf32=0) -> 42 R.nn.prelu: a size is 3, expected 4
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def product(x: R.Tensor(("n", "k"), "float32"), w: R.Tensor(("m", 1), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            R.output(b)
        return b

    @R.function
    def joined(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("k", 4), "float32")):
        with R.dataflow():
            b = R.add(x, y)
            c = R.negative(R.negative(b))
            a = R.concat((x, y), axis=0)
            R.output(a, c)
        return (a, c)

    @R.function
    def scaled(x: R.Tensor(("n", "k"), "float32"), g: R.Tensor(("m",), "float32")):
        with R.dataflow():
            y = R.nn.rms_norm(x, g, axes=[-1])
            R.output(y)
        return y

    @R.function
    def sloped(x: R.Tensor(("n", "k"), "float32"), a: R.Tensor(("m",), "float32")):
        y = R.nn.prelu(x, a)
        return y
