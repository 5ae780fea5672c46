# error: 7:10 T.init is only possible directly in a block
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    with T.init():
        B[0] = 0
