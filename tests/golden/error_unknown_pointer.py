# error: 7:37 this pointer does not come from a buffer of this function
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((32,), "float32")):
    p: T.let[T.handle("float32")] = T.call_extern("handle", "make")
    P = T.decl_buffer((4,), "float32", data=p)
    A[0] = P[0]
