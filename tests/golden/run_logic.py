# expect: f(4xbool=false false true true, 4xbool=false true false true, 4xi32=0) -> 4 2 6 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "bool"), B: T.Buffer((4,), "bool"), C: T.Buffer((4,), "int32")):
    for i in range(4):
        C[i] = (T.if_then_else(A[i] and B[i], 1, 0) + T.if_then_else(A[i] or B[i], 2, 0)
                + T.if_then_else(not B[i], 4, 0))
