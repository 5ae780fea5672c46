# error: 8:5 `x` is bound once and cannot be changed; use a buffer of one element
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = n + 1
    x += 1
