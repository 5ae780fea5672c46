# A number that a tuple has stands in sums, comparisons and sizes.
# expect: main(3xf32=1 2 3, 1xf32=9, 2, 0.5, i64=0, bool=0, f32=0, i64=0, 3xf32=0, 4xf32=0) -> 3, 1, 1, -2, 2 4 6, 0 0 0 0
# expect: main(3xf32=1 2 3, 1xf32=9, 5, 2, i64=0, bool=0, f32=0, i64=0, 3xf32=0, 7xf32=0) -> 8, 0, 4, -5, 1 2 3, 0 0 0 0 0 0 0
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"),
             p: R.Tuple(R.Tensor((1,), "float32"), R.Tuple(R.Prim("int64"), R.Prim("float32")))):
        a = p[1][0] * 2 - p[1][0] // 2
        b = p[1][0] < 3
        c = T.float32(2) * p[1][1]
        d = -p[1][0]
        if p[1][0] == 2:
            e = R.add(x, x)
        else:
            e = x
        f = R.zeros(R.shape([T.max(p[1][0], 1) + 2]), "float32")
        return (a, b, c, d, e, f)
