# TVM writes the largest float32 as a bfloat16 constant, too: it rounds to infinity, with a warning.
# expect: f(2xf32=0) -> -inf inf
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2,), "float32")):
    A[0] = T.Cast("float32", T.bfloat16(-340282346638528859811704183484516925440.0))
    A[1] = T.Cast("float32", T.bfloat16(3.4e38))
