# error: 6:16 the vectors of a shuffle must have one element type
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "float32"), B: T.Buffer((4,), "int32"), n: T.int32, b: T.bool, m: T.int64):
    T.evaluate(T.Shuffle([n, m], [0, 1]))
