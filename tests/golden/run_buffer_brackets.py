# Annotations of older texts, with brackets; pointers that say what they lead to.
# expect: copy(4xf32=1 2 3 4, 4xf32=0) -> 2 4 6 8
# expect: zero(4xi32=1 2 3 4, 2) -> 0 0 3 4
from tvm.script import tir as T


@T.prim_func
def copy(A: T.Buffer[(4,), "float32"], B: T.Buffer[4]):
    with T.allocate([4], "float32", "global") as tmp:
        buf = T.Buffer((4,), data=tmp)
        for i in range(4):
            buf[i] = A[i]
        for i in range(4):
            B[i] = buf[i] * T.float32(2)


@T.prim_func
def zero(A_handle: T.Ptr[T.int32], n: T.int32):
    A = T.buffer_decl(4, "int32", data=A_handle)
    for i in range(n):
        A[i] = 0
