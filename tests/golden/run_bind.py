# A bound value stays what it was when the buffer changes; a variable follows its last assignment.
# expect: f(1xi32=4) -> 94, 9
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((1,), "int32")) -> T.int32:
    old = T.bind(A[0])
    x = A[0]
    A[0] = 90
    x = x + 5
    A[0] = A[0] + old
    return x
