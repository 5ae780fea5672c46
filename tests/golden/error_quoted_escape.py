# error: 6:20 a quoted shape must be a plain string
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer(("n\x20",), "float32")):
    pass
