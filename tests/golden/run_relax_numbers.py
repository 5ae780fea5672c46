# Numbers of Python are float32, and integers of the tensor's type.
# expect: main(3xf32=1 2 3, 2xi32=6 7, 2xi64=8 9, 3xf32=0, 3xf32=0, 2xi32=0, 2xi64=0, 3xbool=0) -> 1.5 2.5 3.5, 2 4 8, 2 3, 16 18, 0 0 1
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), k: R.Tensor((2,), "int32"), h: R.Tensor((2,), "int64")):
        a = R.add(x, 0.5)
        b = R.power(2.0, x)
        c = R.bitwise_and(k, 3)
        d = R.multiply(h, 2)
        e = R.greater(x, 2.5)
        return (a, b, c, d, e)
