# error: 8:20 the value 256 does not fit type uint8
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = T.alloc_buffer((4,), "uint8")
    x[0] = T.uint8(256)
