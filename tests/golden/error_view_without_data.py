# error: 8:5 buffer 'V' is not declared here: T.Buffer in a body needs data=...; T.alloc_buffer makes
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    V = T.Buffer((4,), "int32")
    V[0] = 1
