# Syncs in while loops, in blocks with an init or a predicate, and in branches and bounds of loops on what each thread has in
# memory of its own, which must be the same for all.
# expect: halves(8xi32=1 2 3 4 5 6 7 8, 1xi32=0) -> 36
# expect: shared_count(4xi32=1 2 3 4, 3) -> 20 20 20 20
# expect: first(2x4xi32=1 2 3 4 5 6 7 8, 4xi32=9) -> 12 10 8 6
# expect: some(4xi32=1 2 3 4, 1) -> 4 3 2 1
# expect: some(4xi32=1 2 3 4, 2) -> 1 2 3 4
# expect: agree(4xi32=5 5 5 5, 4xi32=0) -> 3 2 1 0
# expect: agree(4xi32=-5 -5 -5 -5, 4xi32=7) -> 7 7 7 7
# expect: counted(4xi32=3 3 3 3, 4xi32=0) -> 3 2 1 0
# expect: counted(4xi32=0 0 0 0, 4xi32=5) -> 5 5 5 5
# trap: counted(4xi32=3 2 3 3, 4xi32=0) -> 93 threads do not go the same way to a tvm_storage_sync
# trap: agree(4xi32=5 5 -5 5, 4xi32=0) -> 81 threads do not go the same way to a tvm_storage_sync
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def halves(A: T.Buffer((8,), "int32"), B: T.Buffer((1,), "int32")):
    tx = T.launch_thread("threadIdx.x", 8)
    s = T.alloc_shared((8,), "int32")
    n: T.int32 = 4
    s[tx] = A[tx]
    T.tvm_storage_sync("shared")
    while n > 0:
        if tx < n:
            s[tx] = s[tx] + s[tx + n]
        T.tvm_storage_sync("shared")
        n = n // 2
    if tx == 0:
        B[0] = s[0]


@T.prim_func(s_tir=True)
def shared_count(A: T.Buffer((4,), "int32"), rounds: T.int32):
    c = T.alloc_shared((1,), "int32")
    s = T.alloc_shared((4,), "int32")
    c[0] = rounds - 1
    tx = T.launch_thread("threadIdx.x", 4)
    while c[0] >= 0:
        s[tx] = A[tx] + A[3 - tx]
        T.tvm_storage_sync("shared")
        A[tx] = s[3 - tx]
        T.tvm_storage_sync("shared")
        if tx == 0:
            c[0] = c[0] - 1
        T.tvm_storage_sync("shared")


@T.prim_func(s_tir=True)
def first(A: T.Buffer((2, 4), "int32"), B: T.Buffer((4,), "int32")):
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        for k in range(2):
            with T.sblock("sum"):
                v = T.axis.spatial(4, tx)
                r = T.axis.reduce(2, k)
                s = T.sblock_alloc_buffer((4,), "int32", scope="shared")
                with T.init():
                    B[v] = 0
                s[3 - v] = A[r, v]
                T.tvm_storage_sync("shared")
                B[v] = B[v] + s[v]


@T.prim_func(s_tir=True)
def some(A: T.Buffer((4,), "int32"), n: T.int32):
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        with T.sblock("turned"):
            v = T.axis.spatial(4, tx)
            T.where(n < 2)
            s = T.sblock_alloc_buffer((4,), "int32", scope="shared")
            s[3 - v] = A[v]
            T.tvm_storage_sync("shared")
            A[v] = s[v]


@T.prim_func(s_tir=True)
def agree(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((4,), "int32")
    mine: T.int32 = A[tx]
    if mine > 0:
        s[tx] = tx
        T.tvm_storage_sync("shared")
        B[tx] = s[3 - tx]


@T.prim_func(s_tir=True)
def counted(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    tx = T.launch_thread("threadIdx.x", 4)
    s = T.alloc_shared((4,), "int32")
    n = T.alloc_local((1,), "int32")
    n[0] = A[tx]
    for i in range(n[0] - 1, n[0] * 2 - 1):
        s[tx] = tx
        T.tvm_storage_sync("shared")
        B[tx] = s[3 - tx]
        T.tvm_storage_sync("shared")
