# error: 6:22 expected the type of the result, found an integer
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(n: T.int32) -> 3:
    pass
