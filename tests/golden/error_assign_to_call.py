# error: 7:5 a call cannot be assigned to; elements of a buffer are in square brackets
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    f() = 1
