# error: 6:7 a pointer parameter that no buffer is bound to
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(r: T.handle):
    T.anylist_resetitem(r, 2)
