# error: 7:35 address_of cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int64")):
    A[0] = T.reinterpret("int64", T.address_of(A[0]))
