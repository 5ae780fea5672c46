# An assertion of Relax ends the call where its condition does not hold.
# expect: main(3xf32=1 2 3, bool=1, 3xf32=0) -> 2 4 6
# trap: main(3xf32=1 2 3, bool=0, 3xf32=0) -> 13 AssertionError: x is {}
# trap: main(3xf32=4 2 3, bool=1, 3xf32=0) -> 15 R.assert_op
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32"), c: R.Tensor((), "bool")):
        _ = R.assert_op(c, x, format="x is {}")
        most = R.less(R.max(x), R.const(4, "float32"))
        _1 = R.assert_op(most)
        y = R.add(x, x)
        return y
