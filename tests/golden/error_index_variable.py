# error: 6:12 index 0 of 'A' must be an integer, found bool
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((4,), "int32"), n: T.int32, b: T.bool, m: T.int64):
    A[0] = A[b]
