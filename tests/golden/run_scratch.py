# An allocated buffer reads as zero at each execution of its allocation.
# expect: f(3xi32=5 6 7) -> 10 12 14
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((3,), "int32")):
    for i in range(3):
        with T.sblock("b"):
            vi = T.axis.spatial(3, i)
            S = T.sblock_alloc_buffer((2,), "int32")
            S[0] = S[0] + A[vi]
            S[1] = S[1] + A[vi]
            A[vi] = S[0] + S[1]
