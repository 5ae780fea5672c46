# error: 7:65 elem_offset must be a scalar integer, not float32
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32")):
    B = T.decl_buffer((4,), "float32", data=A.data, elem_offset=1.0 + 1.5)
    B[0] = 1.0
