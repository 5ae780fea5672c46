# A region of one row and two columns, and through it a store.
# expect: f(2x4xi32=1 2 3 4 5 6 7 8) -> 1 2 103 104 5 6 107 108
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.handle):
    A = T.match_buffer(a, (2, 4), "int32")
    for i in range(2):
        with T.sblock("b"):
            vi = T.axis.spatial(2, i)
            R = T.match_buffer(A[vi, 2:4], (2,), "int32", offset_factor=1)
            for j in range(2):
                R[j] = R[j] + 100
