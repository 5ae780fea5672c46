# error: 11:5 `f` is already defined in this scope
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(n: T.int32):
    pass


@T.prim_func
def f(n: T.int32):
    pass
