# error: 7:12 `not` needs a bool operand, not int32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32) -> T.bool:
    return not x
