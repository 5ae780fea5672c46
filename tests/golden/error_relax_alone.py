# error: 6:5 `main` is no PrimFunc: tirb runs PrimFuncs, and keeps other functions as they are written
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
    return R.add(x, x)
