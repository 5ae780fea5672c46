# Updates of a location happen in program order: each element adds the one before, which is new.
# expect: f(5xi32=1) -> 1 2 3 4 5
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((5,), "int32")):
    for i in range(4):
        A[i + 1] = A[i + 1] + A[i]
