# error: 7:12 the condition must be a scalar bool, not int32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32):
    assert x, "x"
