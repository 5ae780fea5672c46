# error: 7:17 a value of type float32x8 is stored where `A` takes float32x4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0:4] = A[0, 0:8]
