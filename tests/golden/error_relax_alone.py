# error: 6:5 `main` is a Relax function: tirb runs PrimFuncs, and keeps Relax functions only beside them in a module
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
    return R.add(x, x)
