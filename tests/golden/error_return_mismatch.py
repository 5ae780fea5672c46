# error: 7:5 `f` returns float32, not int32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32) -> T.float32:
    return x
