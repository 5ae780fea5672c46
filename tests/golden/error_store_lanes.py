# error: 7:14 a value of type int32x3 is stored where `A` takes int32x4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "int32")):
    A[0:4] = A[0:3]
