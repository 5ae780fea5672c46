# error: 7:15 the operator ':=' (an assignment has a line of its own) is not part of the language
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    B[0] = (x := 1)
