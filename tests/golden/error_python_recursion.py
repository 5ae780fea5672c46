# error: 3:15 macros are nested more than 50 deep
from tvm.script import tirx as T
f = lambda x: f(x) + 1


@T.prim_func
def g(A: T.Buffer((4,), "int32")):
    A[0] = f(1)
