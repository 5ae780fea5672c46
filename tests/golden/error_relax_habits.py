# error: 24:9 Relax has no loops: write its rounds out, or a function that calls itself under an `if`
# error: 30:9 Relax has no augmented assignment: write `x = x + y`
# error: 35:9 an assertion of Relax is R.assert_op(condition, format="...")
# error: 43:16 `y` is known inside of its dataflow block alone: name it in R.output(y)
# error: 47:16 there is no `R.transpose`; did you mean `R.permute_dims`?
# error: 51:16 there is no `R.relu`; did you mean `R.nn.relu`?
# error: 55:16 a value of Relax has no attribute `shape`: write R.shape_of(...)
# error: 59:16 a value of Relax has no attribute `reshape`: write R.reshape(...)
# error: 63:16 a value of Relax has no attribute `numpy`
# error: 68:16 `y` is not defined

from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

# What is written out of habit, and what to write.


@I.ir_module
class Module:
    @R.function
    def loop(x: R.Tensor((3,), "float32")):
        y = x
        for i in range(3):
            y = R.add(y, x)
        return y

    @R.function
    def augmented(x: R.Tensor((3,), "float32")):
        x += x
        return x

    @R.function
    def asserted(x: R.Tensor((), "bool")):
        assert x
        return x

    @R.function
    def hidden(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            y = R.exp(x)
            R.output()
        return y

    @R.function
    def transposed(x: R.Tensor((3,), "float32")):
        return R.transpose(x)

    @R.function
    def space(x: R.Tensor((3,), "float32")):
        return R.relu(x)

    @R.function
    def shape(x: R.Tensor((3,), "float32")):
        return x.shape

    @R.function
    def method(x: R.Tensor((3,), "float32")):
        return x.reshape(3, 1)

    @R.function
    def attribute(x: R.Tensor((3,), "float32")):
        return x.numpy()

    @R.function
    def other(q: R.Tensor((3,), "float32")):
        # Another function's block has a variable of this name.
        return y
