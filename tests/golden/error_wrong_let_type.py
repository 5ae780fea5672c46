# error: 7:25 `x` is of type int32 and is bound to a value of type float32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x: T.let[T.int32] = A[0, 0]
    B[0] = x
