# error: 9:17 "SS" names 2 axes, but 1 are given
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    for i in range(4):
        with T.sblock():
            v = T.axis.remap("SS", [i])
            B[0] = 0
