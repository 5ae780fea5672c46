# error: 7:12 the shift amount is 32; it must be non-negative and less than 32 for t
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    B[0] = B[1] << 32
