# error: 13:17 a thread leaves here
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((4,))
    for k in range(4):
        s[tx] = A[tx]
        if A[tx] < 0.0:
            if k > 2:
                break
        T.tvm_storage_sync("shared")
        A[tx] = s[3 - tx]
