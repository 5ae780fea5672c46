# Numbers that are computed where others are written: they are operands of the operator's function.
# expect: main(3x3xf32=1 2 3 4 5 6 7 8 9, 1, 3x3xf32=0, 3x3xf32=0, 3x3xf32=0, 3xi64=0) -> 1 2 0 4 5 6 7 8 9, 0 2 3 0 0 6 0 0 0, 1 2 3 3 3 3 3 3 3, 1 3 5
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), k: R.Prim("int64")):
        n = T.int64()
        a = R.tril(x, k)
        b = R.triu(x, n - 2)
        c = R.clip(x, k, n)
        d = R.arange(k, 2 * n, k + 1)
        return (a, b, c, d)
