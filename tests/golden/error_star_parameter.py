# error: 6:8 the parameter `n` stands at or behind a '*', which only macros may have
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(*n):
    pass
