# What no iteration asks for is loaded by lanes for all that, in a row that they store to: that is no reason to
# end with OVERLAP.
# expect: f(2x9xi32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18, 4) -> 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(X: T.Buffer((2, 9), "int32"), k: T.int32):
    for i, j in T.grid(2, 9):
        X[i, j] = T.max(T.if_then_else(i > 0, X[i - 1, T.max(j - 1, 0)], k), 0)
