# error: 7:8 mismatched types: int32 and int64
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    if B[0] == n:
        B[0] = 1
