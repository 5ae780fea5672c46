# An element that a loop updates is an index as well, in another spelling: it is the one that was stored last.
# expect: smallest(2x4xi32=4 1 3 2 1 5 0 2, 2xi32=0) -> 1 2
# expect: scattered(2x4xi32=0, 2xi32=0) -> 1 2 3 4 1 2 3 4, 3 3
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def smallest(A: T.Buffer((2, 4), "int32"), P: T.Buffer((2,), "int32")):
        for i in range(2):
            for k in range(1, 4):
                if A[i, k] < A[i, P[i * 2 - i]]:
                    P[i] = k

    @T.prim_func(s_tir=True)
    def scattered(Q: T.Buffer((2, 4), "int32"), P: T.Buffer((2,), "int32")):
        for i in range(2):
            for k in range(4):
                P[i] = k
                Q[i, P[i * 2 - i]] = k + 1
