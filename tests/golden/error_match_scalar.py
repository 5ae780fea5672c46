# error: 7:9 the parameter `n` is not a T.handle and cannot be matched
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    V = T.match_buffer(n, (4,))
