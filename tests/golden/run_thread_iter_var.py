# expect: ranged(4xi32=9) -> 0 1 2 3
# expect: unranged(4xi32=9) -> 0 2 4 6
# A thread as older texts write it: an iteration variable with a tag, whose extent the attribute says.
from tvm.script import tir as T


@T.prim_func
def ranged(A: T.Buffer((4,), "int32")):
    tx = T.int32()
    with T.attr(T.iter_var(tx, T.Range(0, 4), "ThreadIndex", "threadIdx.x"), "thread_extent", 4):
        A[tx] = tx


@T.prim_func
def unranged(A: T.Buffer((4,), "int32")):
    tx = T.var("int32")
    iv = T.iter_var(tx, None, "ThreadIndex", "threadIdx.x")
    T.attr(iv, "thread_extent", 4)
    A[iv] = tx + iv
