# error: 8:13 T.axis.spatial needs the value that the axis is bound to
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    with T.sblock():
        v = T.axis.spatial(4)
