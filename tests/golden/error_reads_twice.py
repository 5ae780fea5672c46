# error: 9:9 the block has a T.reads already
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    with T.sblock():
        T.reads(A[0, 0])
        T.reads(A[0, 1])
