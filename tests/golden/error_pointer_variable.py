# error: 7:8 a variable of pointer type is bound once: write `p: T.let[T.handle("float32")] = ...`
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    p: T.handle("float32") = A.data
    B = T.decl_buffer((8,), data=p)
    B[0] = 1.0
