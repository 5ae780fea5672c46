# error: 6:19 `n` is already defined in this scope
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(n: T.int32, n: T.int32):
    pass
