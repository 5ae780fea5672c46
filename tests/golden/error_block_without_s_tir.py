# error: 8:10 a block is only possible in a function of schedules: @T.prim_func(s_tir=True)
from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = 1.0
    with T.sblock("b"):
        A[1] = 2.0
