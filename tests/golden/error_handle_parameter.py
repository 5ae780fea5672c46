# error: 6:7 a pointer parameter that no buffer is bound to cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(p: T.handle, x: T.int32) -> T.int32:
    return x
