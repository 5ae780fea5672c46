# error: 9:5 `f` returns int32, not float32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32):
    if x > 0:
        return x
    return T.float32(1)
