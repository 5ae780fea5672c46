# error: 8:7 `x` is 0-dimensional and cannot be indexed with 1 index
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = T.alloc_buffer((), "int32")
    x[0] = 1
