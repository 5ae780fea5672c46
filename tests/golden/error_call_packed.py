# error: 7:16 call_packed cannot be compiled yet
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_packed("print", A[0]))
