# error: 7:22 expected ':', found the end of the line
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    for i in range(4)
        B[i] = 0
