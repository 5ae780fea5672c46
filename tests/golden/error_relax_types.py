"""Operators that are for floats alone."""
# error: 10:5 R.nn.leakyrelu: the operator is for floats, not for int32
# error: 11:5 R.nn.prelu: the operator is for floats, not for int32
# error: 12:5 R.quantize: the operator is for floats, not for int32
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((2, 3), "int32"), s: R.Tensor((), "float32"), z: R.Tensor((), "int8")):
    a = R.nn.leakyrelu(x, 0.5)
    b = R.nn.prelu(x, R.zeros((3,), "int32"))
    c = R.quantize(x, s, z)
    return (a, b, c)
