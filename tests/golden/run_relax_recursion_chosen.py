# A local function that calls itself, and one that an `if` around it chose.
# expect: main(3xf32=1 2 -3, i32=0, 3xf32=0) -> 1 2 -3
# expect: main(3xf32=1 2 -3, i32=2, 3xf32=0) -> 4 8 -12
# expect: main(3xf32=1 2 -3, i32=4, 3xf32=0) -> 81 162 -243
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

        c = R.less_equal(k, R.const(3, "int32"))
        if c:
            f = twice
        else:
            f = thrice

        @R.function
        def power(y: R.Tensor((3,), "float32"), i: R.Tensor((), "int32")) -> R.Tensor((3,), "float32"):
            stop = R.less_equal(i, R.const(0, "int32"))
            if stop:
                r = y
            else:
                z = f(y)
                j = R.subtract(i, R.const(1, "int32"))
                r = power(z, j)
            return r
        w = power(x, k)
        return w
