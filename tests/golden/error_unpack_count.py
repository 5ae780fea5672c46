# error: 7:5 3 values are assigned to 2 names
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x, y = 1, 2, 3
