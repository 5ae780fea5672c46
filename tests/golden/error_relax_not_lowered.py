# error: 10:14 R.vision.non_max_suppression is not lowered yet with soft_nms_sigma
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 6), "float32"), n: R.Tensor((1,), "int32"), i: R.Tensor((1, 4), "int32")):
        gv = R.vision.non_max_suppression(x, n, i, soft_nms_sigma=0.5)
        return gv
