# What no CPU has is compiled to the error that its call gives; the rest of the module runs.
# trap: gpu(32xf32=0) -> 15 T.ptx.ldmatrix needs an accelerator: it cannot run on a CPU
# trap: value(1xf32=0) -> 20 T.tvm_warp_shuffle needs an accelerator
# trap: caller(1xf32=0) -> 20 T.tvm_warp_shuffle needs an accelerator
# expect: cpu(2xf32=0) -> 2 0
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def gpu(A: T.Buffer((32,), "float32")):
        tx = T.launch_thread("threadIdx.x", 32)
        T.ptx.ldmatrix(False, 4, ".b16", A.data, 0, A.data, tx)

    @T.prim_func(s_tir=True)
    def value(A: T.Buffer((1,), "float32")) -> T.int32:
        A[0] = 1.0
        return T.tvm_warp_shuffle(0, 1, 0, 32, 32)

    @T.prim_func(s_tir=True)
    def caller(A: T.Buffer((1,), "float32")):
        Module.value(A)

    @T.prim_func(s_tir=True)
    def cpu(A: T.Buffer((2,), "float32")):
        A[0] = 2.0
