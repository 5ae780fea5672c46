# error: 7:9 `n` is of type int32 in the signature, not int64
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer(("n",), "float32")):
    n = T.int64()
