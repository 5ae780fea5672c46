# error: 7:12 this integer does not fit 64 bits
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    B[0] = 99999999999999999999999
