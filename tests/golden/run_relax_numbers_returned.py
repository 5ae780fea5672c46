# Functions that give numbers and shapes, which those that call them compute with.
# expect: sizes(2x3xf32=1 2 3 4 5 6, 3x2xf32=0) -> 1 2 3 4 5 6
# expect: main(5, 2xf32=1 2, 2xf32=0, i64=0) -> -1 -2, 12
# expect: main(1, 2xf32=1 2, 2xf32=0, i64=0) -> 2 4, 4
# expect: parity(7, i64=0) -> 7
# expect: parity(6, i64=0) -> -6
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(private=True)
    def twice(n: R.Prim("int64")) -> R.Tuple(R.Prim("int64"), R.Prim("int64")):
        return (n * 2, n + 1)

    @R.function(private=True)
    def turned(x: R.Tensor(("n", "m"), "float32")) -> R.Shape(ndim=2):
        n, m = T.int64(), T.int64()
        return R.shape([m, n])

    @R.function
    def sizes(x: R.Tensor(("n", "m"), "float32")):
        n, m = T.int64(), T.int64()
        cls = Module
        s = cls.turned(x)
        a, b = T.int64(), T.int64()
        t = R.match_cast(s, R.Shape([a, b]))
        return R.reshape(x, (m, n))

    @R.function
    def main(n: R.Prim("int64"), x: R.Tensor((2,), "float32")):
        cls = Module
        p = cls.twice(n)
        m: R.Prim("int64") = p[0]
        k: R.Prim("int64") = p[1]
        if k > 3:
            y = R.negative(x)
        else:
            y = R.add(x, x)
        return (y, m + k - n + 1)

    @R.function
    def even(n: R.Prim("int64")) -> R.Prim("bool"):
        cls = Module
        if n <= 0:
            r: R.Prim("bool") = T.bool(True)
        else:
            r: R.Prim("bool") = cls.odd(n - 1)
        return r

    @R.function
    def odd(n: R.Prim("int64")) -> R.Prim("bool"):
        cls = Module
        if n <= 0:
            r: R.Prim("bool") = T.bool(False)
        else:
            r: R.Prim("bool") = cls.even(n - 1)
        return r

    @R.function
    def parity(n: R.Prim("int64")) -> R.Prim("int64"):
        cls = Module
        r: R.Prim("bool") = cls.odd(n)
        return T.if_then_else(r, n, 0 - n)
