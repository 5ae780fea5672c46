# error: 5:5 the function `f` needs the decorator @T.prim_func
from tvm.script import tirx as T


def f(n: T.int32):
    pass
