# error: 7:30 the buffer `A` is used as a value; index it, or write `A.data` for its
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0] = T.max(A[0, 0], A)
