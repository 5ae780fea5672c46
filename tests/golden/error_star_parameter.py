# error: 6:7 '*' among parameters is not part of the language
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(*n):
    pass
