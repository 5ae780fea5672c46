# Local functions that call themselves, one in the other, with tensors and sizes from around them.
# expect: main(3xf32=1 2 3, i32=3, 3xf32=0) -> 1 16 81
# expect: main(1xf32=2, i32=0, 1xf32=0) -> 2
# trap: main(1xf32=2, i32=1000, 1xf32=0) -> 18 calls are nested more than 100 deep
# expect: other(3x4xf32=0, 3xf32=1 2 3, i32=2, 3xf32=0) -> 22 26 30
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: R.Tensor((), "int32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        @R.function
        def power(y: R.Tensor((n,), "float32"), i: R.Tensor((), "int32")) -> R.Tensor((n,), "float32"):
            stop = R.less_equal(i, R.const(0, "int32"))
            if stop:
                r = y
            else:
                z = R.multiply(y, x)
                j = R.subtract(i, R.const(1, "int32"))
                r = power(z, j)
            return r
        w = power(x, k)
        return w

    @R.function
    def other(
        x: R.Tensor(("n", "m"), "float32"), w: R.Tensor(("n",), "float32"), k: R.Tensor((), "int32")
    ) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        m = T.int64()
        @R.function
        def outer(y: R.Tensor((n,), "float32"), i: R.Tensor((), "int32")) -> R.Tensor((n,), "float32"):
            stop = R.less_equal(i, R.const(0, "int32"))
            if stop:
                r = y
            else:
                @R.function
                def inner(z: R.Tensor((n,), "float32"), j: R.Tensor((), "int32")) -> R.Tensor((n,), "float32"):
                    end = R.less_equal(j, R.const(0, "int32"))
                    if end:
                        s = z
                    else:
                        a = R.add(z, w)
                        c = R.full(R.shape([n]), R.const(1, "float32"), dtype="float32")
                        d = R.multiply(a, c)
                        e = R.arange(R.prim_value(m), dtype="float32")
                        h = R.sum(e)
                        b = R.add(d, h)
                        s = inner(b, R.subtract(j, R.const(1, "int32")))
                    return s
                t = inner(y, i)
                r = outer(t, R.subtract(i, R.const(1, "int32")))
            return r
        v = outer(w, k)
        return v
