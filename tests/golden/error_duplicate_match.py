# error: 8:9 the parameter `a` is bound to the buffer `A` already
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.handle):
    A = T.match_buffer(a, (4,), "int32")
    B = T.match_buffer(a, (4,), "int32")
    A[0] = B[0]
