# error: 7:15 the operator '**' is for Python's numbers; write T.pow
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0] = A[0, 1] ** 2
