# Functions whose parameters are known where they are called alone, that are given functions of the module, or give one.
# expect: opened(2x3xf32=1 2 3 4 5 6, 2x3xf32=0) -> 2 4 6 8 10 12
# expect: ranked(2x2xf32=1 2 3 4, 2x2xf32=0) -> 4 12 24 40
# expect: applied(2xf32=1 2, 2xf32=0) -> 6 8
# expect: made(2xf32=1 2, 2xf32=0) -> 4 8
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function(private=True)
    def pair(x: R.Tensor, y: R.Any) -> R.Any:
        return (x, y)

    @R.function
    def opened(x: R.Tensor((2, 3), "float32")):
        r = Module.pair(x, x)
        t = R.match_cast(r, R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((2, 3), "float32")))
        return R.add(t[0], t[1])

    @R.function(private=True)
    def squares(a: R.Tensor(dtype="float32"), b: R.Tensor) -> R.Tensor(dtype="float32"):
        c = R.multiply(a, a)
        return R.add(c, b)

    @R.function
    def ranked(x: R.Tensor((2, 2), "float32")):
        y = Module.squares(x, x)
        w = R.match_cast(y, R.Tensor((2, 2), "float32"))
        return R.add(w, w)

    @R.function(private=True)
    def twice(f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return f(f(x))

    @R.function(private=True)
    def more(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return R.add(x, R.const(1.0))

    @R.function
    def applied(x: R.Tensor((2,), "float32")):
        @R.function
        def double(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(z, z)

        y = Module.twice(Module.more, x)
        return double(y)

    @R.function(private=True)
    def adder(x: R.Tensor((2,), "float32")) -> R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True):
        @R.function
        def add(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(x, y)

        return add

    @R.function
    def made(x: R.Tensor((2,), "float32")):
        f = Module.adder(x)
        g = Module.adder(f(x))
        return g(f(x))
