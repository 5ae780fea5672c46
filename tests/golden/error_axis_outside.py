# error: 7:9 T.axis.spatial is only possible directly in a block
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    v = T.axis.spatial(4, 0)
