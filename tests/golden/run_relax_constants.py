# Constants are the bundle's: functions share them, views and branches name them, and what is done in place is done to a
# copy.
# expect: main(2x3xf32=0, 2x3xf32=0) -> 2 3 4 5 6 7
# expect: main(2x3xf32=1, 2x3xf32=0) -> 3 4 5 6 7 8
# expect: twice(3xf32=0, 3xf32=0, 3xf32=0) -> 11 12 13, 1 2 3
# expect: branch(2xf32=1 2, bool=1, 2xf32=0) -> 11 22
# expect: branch(2xf32=1 2, bool=0, 2xf32=0) -> 6 8
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add_ten(a: T.handle):
        A = T.match_buffer(a, (3,), "float32")
        for i in range(3):
            A[i] = A[i] + T.float32(10)

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")):
        c = R.reshape(R.const([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "float32"), R.shape([2, 3]))
        y = R.add(R.add(x, c), R.const([[1.0]], "float32"))
        return y

    @R.function
    def twice(x: R.Tensor((3,), dtype="float32")):
        cls = Module
        c = R.const([1.0, 2.0, 3.0], "float32")
        y = R.call_tir_inplace(cls.add_ten, (c,), inplace_indices=[0], out_ty=R.Tensor((3,), dtype="float32"))
        return (R.add(x, y), c)

    @R.function
    def branch(x: R.Tensor((2,), dtype="float32"), c: R.Tensor((), dtype="bool")):
        if c:
            y = R.add(x, R.const([10.0, 20.0], "float32"))
        else:
            y = R.add(x, R.const([5.0, 6.0], "float32"))
        return y
