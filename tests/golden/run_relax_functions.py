# A model's functions call each other, take branches and name sizes; results and fields of tuples are parameters.
# expect: main(2x3xf32=1 2 3 4 5 6, 3xf32=1 0 -9, 2x3xf32=0, f32=0) -> 2 2 -6 5 5 -3, 5
# expect: branch(2xf32=1 2, bool=1, 2xf32=0) -> 2 4
# expect: branch(2xf32=1 2, bool=0, 2xf32=0) -> 1 4
# expect: named(3x2xi32=1 2 3 4 5 6, 2x3xi32=0) -> 1 3 5 2 4 6
# trap: named(3x3xi32=0, 2x3xi32=0) -> 53 match_cast of `m`: shape[0] is 3, expected 2
# expect: tir(4xf32=1 2 3 4, 4xf32=0) -> 5 6 7 8
# expect: pair(2xf32=1 2, 2xf32=3 4, 7, 2xf32=0, 2xf32=0, i64=0) -> 4 6, 3 4, 8
# expect: sizes(2x5xi8=0, 2xi64=0, i64=0) -> 2 5, 10
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add_two(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i] + T.float32(2)

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32"), b: R.Tensor((3,), dtype="float32")):
        with R.dataflow():
            lv = R.add(x, b)
            s = R.sum(lv)
            R.output(lv, s)
        return (lv, s)

    @R.function
    def double(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        gv = R.add(x, x)
        return gv

    @R.function
    def branch(x: R.Tensor((2,), dtype="float32"), c: R.Tensor((), dtype="bool")):
        cls = Module
        if c:
            y = cls.double(x)
        else:
            z = R.square(x)
            y = z
        return y

    @R.function
    def named(x: R.Tensor((3, "k"), dtype="int32")):
        k = T.int64()
        y = R.permute_dims(x)

        m = R.match_cast(y, R.Tensor((2, 3), dtype="int32"))
        return m

    @R.function
    def tir(x: R.Tensor((4,), dtype="float32")):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.add_two, (x,), out_ty=R.Tensor((4,), dtype="float32"))
            gv = R.call_tir(cls.add_two, (lv,), out_ty=R.Tensor((4,), dtype="float32"))
            R.output(gv)
        return gv

    @R.function
    def pair(p: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")), n: R.Prim("int64")):
        a = p[0]
        b = p[1]
        c = R.add(a, b)
        return (c, b, n + 1)

    @R.function
    def sizes(x: R.Tensor((2, "n"), dtype="int8")):
        n = T.int64()
        s = R.shape_to_tensor(R.shape_of(x))
        return (s, R.size(x))
