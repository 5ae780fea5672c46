# error: 8:13 `n` is not the variable of a loop around this block
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    with T.sblock():
        v = T.axis.remap("S", [n])
        B[v] = 0
