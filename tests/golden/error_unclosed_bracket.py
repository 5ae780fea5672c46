# error: 7:12 '(' is never closed
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    B[0] = (1 + 2
    B[1] = 3
    return
