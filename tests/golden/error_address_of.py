# error: 7:16 address_of cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.address_of(A[0]))
