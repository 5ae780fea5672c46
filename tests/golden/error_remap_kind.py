# error: 9:17 unknown kind of axis 'X'; it is S or R
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    for i in range(4):
        with T.sblock():
            v = T.axis.remap("X", [i])
            B[v] = 0
