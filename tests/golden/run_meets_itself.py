# Elements that are read ahead, beside one that goes down and is the stored one in the last iteration alone: no machine sees that.
# expect: f(46xi32=3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10) -> 3 10 6 2 9 5 1 8 4 0 7 3 10 20 9 9 9 9 9 9 9 9 9 9 20 9 9 9 9 9 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((46,), "int32")):
    for i in range(17):
        A[i + 13] = A[i + 23] + A[45 - i]
