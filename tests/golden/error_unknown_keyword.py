# error: 7:26 T.serial has no parameter `annotation`; did you mean `annotations`?
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    for i in T.serial(4, annotation={}):
        B[i] = 0
