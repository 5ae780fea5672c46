"""Sizes of Relax values that no tensor has: below 0, and of more elements than are counted."""
from tvm.script import relax as R


# error: 7:5 dimension 0 of its value is -5, which is below 0
@R.function
def below(x: R.Tensor((2,), "float32")):
    y = R.full(R.shape([-5]), R.const(1.0, "float32"), "float32")
    return y
