# error: 7:24 a range of Python numbers has constant bounds and a constant step
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), n: T.int32):
    s = sum(i for i in range(n))
