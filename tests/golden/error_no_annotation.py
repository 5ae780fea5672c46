# error: 6:7 the parameter `A` needs a type
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A, n: T.int32):
    pass
