# error: 10:14 R.nn.attention is not lowered yet with a window
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 5, 2, 4), "float32")):
        gv = R.nn.attention(x, x, x, causal_mask="TopLeft", window_size=2)
        return gv
