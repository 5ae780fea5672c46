# error: 9:5 T.ptx.ldmatrix needs an accelerator
# error: 10:5 T.tvm_warp_shuffle needs an accelerator
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((32,), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    T.ptx.ldmatrix(False, 4, ".b16", A.data, 0, A.data, tx)
    T.tvm_warp_shuffle(0, A[tx], 0, 32, 32)
