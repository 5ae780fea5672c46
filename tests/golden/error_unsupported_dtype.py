# error: 7:30 the type "float8_e9m9" is not supported
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = T.alloc_buffer((4,), "float8_e9m9")
