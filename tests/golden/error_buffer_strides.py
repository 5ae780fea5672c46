# error: 7:9 'V' has 2 dimensions and 1 strides
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    V = T.alloc_buffer((4, 4), strides=(4,))
