# What annotations leave open, inference says, of functions that are called too; a match_cast says it of parameters.
# expect: main(2x2xf32=1 2 3 4, 3xf32=0 0 0, 2x2xf32=0, 4x2xf32=0) -> 4 8 12 16, 1 2 3 4 1 2 3 4
# expect: cast(2x3xf32=1 2 3 4 5 6, 3xf32=1 1 1, 2x3xf32=0) -> 2 3 4 5 6 7
# trap: cast(2x3xf32=0, 4xf32=0, 2x3xf32=0) -> 37 match_cast of `v`: shape[0] is 4, expected 3
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), s: R.Tensor((3,), "float32")):
        cls = Module
        y: R.Tensor(dtype="float32") = cls.twice(x)
        z: R.Any = R.add(y, y)
        t = (z, s)
        w = t[0]
        c: R.Tensor = R.less(R.sum(s), R.const(1, "float32"))
        if c:
            q: R.Tensor(ndim=2) = R.concat((x, x), axis=0)
        else:
            q: R.Any = R.negative(x)
        return (w, q)

    @R.function(private=True)
    def twice(x: R.Tensor(ndim=2, dtype="float32")) -> R.Tensor(ndim=2, dtype="float32"):
        y: R.Tensor = R.add(x, x)
        return y

    @R.function
    def cast(a: R.Any, b: R.Tensor(dtype="float32")):
        n = T.int64()
        m = T.int64()
        t = (a, b)
        u = R.match_cast(a, R.Tensor((n, m), "float32"))
        v = R.match_cast(b, R.Tensor((m,), "float32"))
        y = R.add(u, v)
        return y
