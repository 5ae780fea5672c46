# error: 8:12 there is no `T.sqtr`; did you mean `T.sqrt`?
# error: 9:27 there is no type "flaot32"; did you mean "float32"?
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.sqtr(A[1])
    B = T.alloc_buffer(4, "flaot32")
