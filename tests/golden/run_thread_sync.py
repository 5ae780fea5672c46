# Threads that exchange values in shared memory: each stretch between syncs runs for all of them.
# expect: reverse(8xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 4 3 2 1 8 7 6 5
# expect: sums(8xi32=1 2 3 4 5 6 7 8, 1xi32=0) -> 36
# expect: rounds(4xi32=1 2 3 4) -> 8 12 11 13
# expect: keeps(2x4xi32=1 2 3 4 5 6 7 8, 2x4xi32=0) -> 5 5 5 5 13 13 13 13
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def reverse(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    bx = T.launch_thread("blockIdx.x", 2)
    s = T.alloc_shared((4,), "int32")
    tx = T.launch_thread("threadIdx.x", 4)
    s[tx] = A[bx * 4 + tx]
    T.tvm_storage_sync("shared")
    B[bx * 4 + tx] = s[3 - tx]


@T.prim_func(s_tir=True)
def sums(A: T.Buffer((8,), "int32"), B: T.Buffer((1,), "int32")):
    tx = T.launch_thread("threadIdx.x", 8)
    s = T.alloc_shared((8,), "int32")
    s[tx] = A[tx]
    T.tvm_storage_sync("shared")
    for k in range(3):
        half: T.let = T.shift_right(4, k)
        if tx < half:
            s[tx] = s[tx] + s[tx + half]
        T.tvm_storage_sync("shared")
    if tx == 0:
        B[0] = s[0]


@T.prim_func(s_tir=True)
def rounds(A: T.Buffer((4,), "int32")):
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        mine = T.alloc_local((1,), "int32")
        mine[0] = A[tx]
        for k in range(2):
            next: T.let = T.if_then_else(tx < 3, A[T.min(tx + 1, 3)], 0)
            T.tvm_storage_sync("shared")
            A[tx] = A[tx] + next
            T.tvm_storage_sync("shared")
            mine[0] = mine[0] + k
        A[tx] = A[tx] + mine[0] - mine[0] + T.if_then_else(tx == 3, 9, -(tx + 2) + (tx + 2))


@T.prim_func(s_tir=True)
def keeps(A: T.Buffer((2, 4), "int32"), B: T.Buffer((2, 4), "int32")):
    ty = T.launch_thread("threadIdx.y", 2)
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((2, 4), "int32")
    x: T.int32 = A[ty, tx]
    s[ty, 3 - tx] = x
    T.tvm_storage_sync("shared")
    x += s[ty, tx]
    T.tvm_storage_sync("shared")
    B[ty, tx] = x
