# error: 7:24 this 'with' has no value for 'as'
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    with T.sblock() as block:
        B[0] = 1
