# error: 7:14 a 'for' statement goes over range, T.grid, T.serial and the like, not
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    for i in (1, 2):
        B[i] = 0
