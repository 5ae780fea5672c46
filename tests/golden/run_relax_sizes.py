# What a function of the module is given must have the sizes that it declares; where it has not, both numbers are said.
# expect: main(3xf32=1 2 3, 3xf32=4 5 6, 3xf32=0) -> 5 7 9
# trap: main(3xf32=0, 4xf32=0, 3xf32=0) -> 24 dimension 0 of argument 'B' of add is 4, expected 3
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            C[i] = A[i] + B[i]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("m",), "float32")):
        n = T.int64()
        cls = Module
        y = R.call_tir(cls.add, (x, w), out_ty=R.Tensor((n,), dtype="float32"))
        return y
