# A file may have Relax functions alone.
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
    return R.add(x, x)
