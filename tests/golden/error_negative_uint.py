# error: 8:19 cannot make uint32 from the negative value -1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    x = T.alloc_buffer((4,), "uint32")
    x[0] = x[1] + (-1)
