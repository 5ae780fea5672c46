# A PrimFunc that is called by its name writes its arguments; R.builtin.alloc_tensor makes one.
# expect: main(4xf32=1 2 3 4, 4xf32=0, 4xf32=0) -> 2 3 4 5, 4 6 8 10
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def next(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.float32(1)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        cls.next(x, y)
        z = R.add(y, y)
        return (y, z)
