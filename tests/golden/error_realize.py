# error: 7:5 `T.realize` is not supported: BufferRealize comes before buffers have
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    T.realize(A[0:4, 0:8], "")
