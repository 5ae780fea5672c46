# error: 6:24 expected an expression, found the end of the text
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer(("n +",), "float32")):
    pass
