# error: 8:5 `i` is already defined in this scope
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    i: T.let = 1
    i: T.let = 2
