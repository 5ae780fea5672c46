# error: 13:9 this tvm_storage_sync cannot be compiled: a loop around it does not run equally often for all threads
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((4,))
    n: T.int32 = 2
    while n > tx:
        if tx < n:
            s[tx] = s[tx] + A[tx]
        T.tvm_storage_sync("shared")
        n = n // 2
