# The arms of a branch give tensors, shapes and numbers of other sizes: what follows is done for each of them.
# expect: main(2x3xf32=1 0 2 0 0 3, 1xi32=1, 1xi32=1, 4x6xi64=0, 6xi64=0, 2xi64=0, i64=0) -> 0 0 4 0 0 1 0 16 16 0 4 4 0 0 4 0 0 1 0 16 16 0 4 4, 0 32 40 0 8 10, 7 8, 6
# expect: main(2x3xf32=1 0 2 0 0 3, 1xi32=1, 1xi32=0, 2x6xi64=0, 6xi64=0, 2xi64=0, i64=0) -> 0 0 4 0 0 1 0 16 16 0 4 4, 0 16 20 0 4 5, 2 6, 6
# expect: main(2x3xf32=1 0 2 0 0 3, 1xi32=0, 1xi32=1, 2x3xi64=0, 3xi64=0, 2xi64=0, i64=0) -> 0 1 4 0 1 4, 0 2 8, 7 8, 3
# expect: main(2x3xf32=1 0 2 0 0 3, 1xi32=0, 1xi32=0, 2x3xi64=0, 3xi64=0, 2xi64=0, i64=0) -> 0 0 1 0 4 4, 0 4 5, 2 3, 3
# trap: main(2x3xf32=1 0 2 0 0 3, 1xi32=0, 1xi32=0, 4x6xi64=0, 3xi64=0, 2xi64=0, i64=0) -> 14 shape[0] is 4, expected 2
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), c: R.Tensor((1,), "int32"), d: R.Tensor((1,), "int32")):
        y = R.nonzero(x)
        if c:
            a = R.add(y, y)
            z = R.concat((a, y), axis=1)
        else:
            if d:
                w = R.unique(y)
                z = R.expand_dims(w, axis=[0])
            else:
                z = y
        s = R.multiply(z, z)
        if d:
            shape = R.shape([7, 8])
        else:
            shape = R.shape_of(z)
        if d:
            r = R.concat((s, s), axis=0)
        else:
            r = s
        q = R.sum(r, axis=[0])
        return (r, q, shape, R.size(q))
