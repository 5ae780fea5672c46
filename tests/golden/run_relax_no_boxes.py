# Of no boxes none is selected, wherever those that are selected would be.
# expect: main(1xi32=0, f32=7, f32=7) -> 0, 0
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(valid: R.Tensor((1,), "int32")):
        x = R.zeros(R.shape([1, 0, 6]), dtype="float32")
        numbers = R.zeros(R.shape([1, 0]), dtype="int32")
        a = R.vision.non_max_suppression(x, valid, numbers, return_indices=False)
        c = R.vision.non_max_suppression(x, valid, numbers, return_indices=False, invalid_to_bottom=True)
        s = R.sum(a)
        t = R.sum(c)
        return (s, t)
