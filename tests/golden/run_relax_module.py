# Relax functions are read beside PrimFuncs, and what they call can be called from outside although it is private.
# expect: double(3xf32=1 2 3, 3xf32=0) -> 2 4 6
# expect: scale(2xf32=1 2, 2xf32=0, 0) -> 3 6
# trap: scale(2xf32=1 2, 2xf32=0, 1) -> 26 'main' is no PrimFunc of this module
from typing import TypeVar

from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

n = TypeVar("n")


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def double(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        for i in range(n):
            B[i] = A[i] * T.float32(2)

    @T.prim_func(s_tir=True)
    def scale(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32"), k: T.int32):
        for i in range(2):
            B[i] = A[i] * T.float32(3)
        if k > 0:
            Module.main(A, B)

    @R.function
    def helper(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.double, (x,), out_ty=R.Tensor((n,), dtype="float32"))
            gv: R.Tensor((n,), dtype="float32") = R.add(lv, R.const(1.0, "float32"))
            R.output(gv)
        return gv

    @R.function(pure=False)
    def main(x: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
        cls = Module
        y: R.Tuple(R.Tensor((n,), dtype="float32"), R.Prim("int64")) = (
            cls.helper(x),
            R.prim_value(3),
        )
        return y[0]
