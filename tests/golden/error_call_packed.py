# error: 7:16 call_packed needs the name of a function first, as a string
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_packed(A[0]))
