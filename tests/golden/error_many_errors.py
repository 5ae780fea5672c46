# error: 12:12 `a1` is not defined
# error: 13:12 `a2` is not defined
# error: 14:20 `b3` is not defined
# error: 15:16 `c4` is not defined
# error: 16:8 `d5` is not defined
# error: 17:16 `e6` is not defined
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    B[0] = a1
    B[1] = a2
    for i in range(b3):
        B[i] = c4
    if d5:
        B[0] = e6
    B[3] = 1
