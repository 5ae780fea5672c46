# A file may have Relax functions alone.
# expect: main(4xf32=1 2 3 4, 4xf32=0) -> 2 4 6 8
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
    return R.add(x, x)
