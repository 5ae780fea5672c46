# expect: f(5) -> 1
# expect: f(3) -> 0
# expect: f(9) -> 0
# expect: f(8) -> 1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32) -> T.int32:
    if 3 < x <= 8:
        return 1
    return 0
