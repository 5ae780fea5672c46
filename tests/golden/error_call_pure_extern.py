# error: 7:16 the imported function 'where' returns handle, expected a scalar or void
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    T.evaluate(T.call_pure_extern("handle", "where", A[1]))
