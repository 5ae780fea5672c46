# error: 7:12 bitwise_and needs integer operands, not float32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = A[1] & A[2]
