# error: 7:17 the operator '@' (a loop that adds up products; in Relax R.matmul) is not part of the language
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4,), "int32"), n: T.int64):
    A[0, 0] = A @ A
