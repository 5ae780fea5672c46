# error: 7:5 a block is entered with 'with'
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    T.sblock("b")
