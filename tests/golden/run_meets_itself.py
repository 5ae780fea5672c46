# Elements that are read ahead, or as far as a size says, beside one that goes down and is the stored one
# in the last iteration alone: the machine does not see that.
# expect: f(46xi32=3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10) -> 3 10 6 2 9 5 1 8 4 0 7 3 10 20 9 9 9 9 9 9 9 9 9 9 20 9 9 9 9 9 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10
# expect: sized(72xi32=3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5, 9xi8=1, 1xi8=1) -> 3 10 6 2 9 5 1 8 4 9 9 20 9 9 9 9 9 9 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5
# expect: sized(72xi32=3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5, 9xi8=1, 12xi8=1) -> 3 10 6 2 9 5 1 8 4 9 9 20 9 9 9 9 9 9 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5
# expect: crossed(46xi32=3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10) -> 3 10 6 2 9 5 1 8 4 0 7 3 10 18 4 12 9 6 14 11 8 16 10 17 24 9 16 12 8 26 4 0 7 3 10 6 2 9 5 1 8 4 0 7 3 10
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((46,), "int32")):
    for i in range(17):
        A[i + 13] = A[i + 23] + A[45 - i]


@T.prim_func(s_tir=True)
def sized(A: T.Buffer(("n * 8",), "int32"), N: T.Buffer(("n",), "int8"), M: T.Buffer(("m",), "int8")):
    n, m = T.int32(), T.int32()
    for i in range(n):
        A[i + n] = A[i + n + m] + A[n * 3 - 2 - i]


@T.prim_func(s_tir=True)
def crossed(A: T.Buffer((46,), "int32")):
    for i in range(17):
        A[i + 13] = A[29 - i] + A[45 - i]
