# error: 6:9 byte_offset is 6, which is no whole number of elements of type float32
from tvm.script import tirx as T
@T.prim_func(s_tir=True)

def f(A: T.Buffer((4,), "float32")):
    P = T.decl_buffer((1,), "float32", data=A.data, byte_offset=6)
    A[0] = P[0]
