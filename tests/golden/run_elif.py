# expect: f(5xi32=-5 0 3 12 99) -> 1 2 3 4 4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((5,), "int32")):
    for i in range(5):
        if A[i] < 0:
            A[i] = 1
        elif A[i] == 0:
            A[i] = 2
        elif A[i] < 10:
            A[i] = 3
        else:
            A[i] = 4
