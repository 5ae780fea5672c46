# error: 8:12 `ofset` is not defined; did you mean `offset`?
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    offset = 1
    B[0] = ofset
