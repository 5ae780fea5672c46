# expect: f(2x3xi32=1 2 3 4 5 6, 5) -> 4
# expect: f(2x3xi32=1 2 3 4 5 6, 9) -> -1
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2, 3), "int32"), x: T.int32) -> T.int32:
    for i, j in T.grid(2, 3):
        if A[i, j] == x:
            return i * 3 + j
    return -1
