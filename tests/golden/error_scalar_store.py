# error: 7:5 only elements of buffers can be assigned to, not of an expression
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(x: T.int32):
    x[0] = 1
