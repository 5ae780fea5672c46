# error: 6:7 the parameter `n` has a default value, which is not part of the langua
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(n: T.int32 = 3):
    pass
