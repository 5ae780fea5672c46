# error: 6:25 the type "float8_e4m3fn" is not supported
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float8_e4m3fn")):
    A[0] = A[1]
