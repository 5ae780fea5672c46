# error: 10:17 extent 1 of the region that 'R' matches is 3, expected 4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((4, 4), "int32")):
    for i in range(4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            R = T.match_buffer(A[vi, 0:3], (4,), "int32", offset_factor=1)
            R[0] = 1
