# error: 13:9 this tvm_storage_sync cannot be compiled: it stands in a statement that threads cannot leave together
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((4,))
    n: T.int32 = 2
    while n > 0:
        if tx < n:
            s[tx] = s[tx] + A[tx]
        T.tvm_storage_sync("shared")
        n = n // 2
