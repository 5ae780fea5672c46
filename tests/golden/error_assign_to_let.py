# error: 8:5 `x` is bound once and cannot be changed; use a buffer of one element
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x: T.let[T.int32] = 1
    x += 1
