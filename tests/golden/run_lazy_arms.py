# An arm that can trap is evaluated only where it is chosen, in Select as in if_then_else; And stops at a false operand.
# expect: f(3xi32=6 0 2, 3xi32=0, 3xi32=0) -> 2 -1 6, 2 -1 6
# expect: g(3xi32=7, 1) -> 1
# expect: g(3xi32=7, 5) -> 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int32"), C: T.Buffer((3,), "int32")):
    for i in range(3):
        B[i] = T.Select(A[i] != 0, T.truncdiv(12, A[i]), -1)
        C[i] = T.if_then_else(A[i] != 0, T.truncdiv(12, A[i]), -1)


@T.prim_func(s_tir=True)
def g(A: T.Buffer((3,), "int32"), i: T.int32) -> T.int32:
    if i < 3 and A[i] == 7:
        return 1
    return 0
