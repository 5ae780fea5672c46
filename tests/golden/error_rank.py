# error: 8:7 `B` is 1-dimensional and cannot be indexed with 2 indices
# error: 9:7 `A` is 2-dimensional and cannot be indexed with 1 index
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    B[0, 1] = 2
    A[0] = 1.0
