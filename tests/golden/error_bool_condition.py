# error: 7:8 the condition must be a scalar bool, not float32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    if A[0, 0]:
        B[0] = 1
