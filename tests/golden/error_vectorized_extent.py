# error: 7:5 the extent of a vectorized loop must be a constant of 1 or more
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(n: T.int32, A: T.Buffer(("n",), "int32")):
    for i in T.vectorized(n):
        A[i] = 1
