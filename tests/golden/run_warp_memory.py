# expect: rows(8xi32=1 2 3 4 5 6 7 9) -> 4 3 2 1 9 7 6 5
# expect: outside(8xi32=1 2 3 4 5 6 7 9) -> 4 3 2 1 9 7 6 5
# Memory of the scope "warp" is one for the threads along x; each of the others has its own.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def rows(A: T.Buffer((8,), "int32")):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            S = T.alloc_buffer((4,), "int32", scope="warp")
            S[tx] = A[ty * 4 + tx]
            T.tvm_storage_sync("warp")
            A[ty * 4 + tx] = S[3 - tx]


@T.prim_func(s_tir=True)
def outside(A: T.Buffer((8,), "int32")):
    S = T.alloc_buffer((4,), "int32", scope="warp")
    tx = T.launch_thread("threadIdx.x", 4)
    ty = T.launch_thread("threadIdx.y", 2)
    S[tx] = A[ty * 4 + tx]
    T.tvm_storage_sync("warp")
    A[ty * 4 + tx] = S[3 - tx]
