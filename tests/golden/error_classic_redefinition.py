# error: 8:5 `x` is already defined in this scope
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = n + 1
    x = n + 2
    B[0] = T.int32(x)
