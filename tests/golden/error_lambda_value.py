# error: 7:9 a lambda is only part of the language in T.comm_reducer and T.index_ma
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = lambda i: i + 1
    B[0] = 1
