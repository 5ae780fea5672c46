# expect: f(4xi32=0, 5) -> 8 4 3 3
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32"), n: T.int32):
    a, b = T.meta_var((n + 3, 4))
    A[0] = a
    A[1] = b
    c, *d = T.meta_var([1, 2, 3])
    A[2] = d[0] + c
    A[3] = d[1]
