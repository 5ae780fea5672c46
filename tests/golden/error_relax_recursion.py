# error: 32:21 a local function that calls itself is not lowered yet
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), k: R.Tensor((), "int32")) -> R.Tensor((3,), "float32"):
        @R.function
        def twice(y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
            z = R.add(y, y)
            return z

        @R.function
        def thrice(y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
            z = R.add(R.add(y, y), y)
            return z

        f = (twice, thrice)

        @R.function
        def power(y: R.Tensor((3,), "float32"), i: R.Tensor((), "int32")) -> R.Tensor((3,), "float32"):
            stop = R.less_equal(i, R.const(0, "int32"))
            if stop:
                r = y
            else:
                g = f[0]
                z = g(y)
                j = R.subtract(i, R.const(1, "int32"))
                r = power(z, j)
            return r
        w = power(x, k)
        return w
