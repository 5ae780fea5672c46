# A function of the module that writes what it is given cannot be given a constant.
# error: 19:9 `main` writes a constant
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def move(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (2,), "float32")
        B = T.match_buffer(b, (2,), "float32")
        for i in range(2):
            B[i] = A[i]
            A[i] = T.float32(0)

    @R.function
    def main() -> R.Tensor((2,), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.move, (R.const([1.0, 2.0], "float32"),), out_ty=R.Tensor((2,), dtype="float32"))
        return y
