# expect: f(3) -> 6
# trap: f(-1) -> 8 x must not be negative
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32) -> T.int32:
    assert x >= 0, "x must not be negative"
    return x * 2
