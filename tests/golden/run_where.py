# The predicate guards the body and init: elements 5 to 7 keep what they had.
# expect: f(5xi32=1 2 3 4 5, 8xi32=7) -> 2 4 6 8 10 7 7 7
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((5,), "int32"), B: T.Buffer((8,), "int32")):
    for i, j in T.grid(2, 4):
        with T.sblock("b"):
            v = T.axis.spatial(8, i * 4 + j)
            T.where(i * 4 + j < 5)
            with T.init():
                B[v] = 0
            B[v] = B[v] * 0 + A[v] * 2
