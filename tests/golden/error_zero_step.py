# error: 7:26 the step of a loop is 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    for i in range(0, 4, 0):
        B[i] = 0
