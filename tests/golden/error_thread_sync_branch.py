# error: 11:9 this tvm_storage_sync cannot be compiled: a branch around it is not taken by all threads or none
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((4,))
    s[tx] = A[tx]
    if tx < 2:
        T.tvm_storage_sync("shared")
    A[tx] = s[3 - tx]
