# error: 6:5 the function `main` needs a return
from tvm.script import relax as R


@R.function
def main(x: R.Tensor((4,), "float32")):
    y = R.exp(x)
