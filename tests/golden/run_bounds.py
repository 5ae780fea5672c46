# Each index is checked against its own dimension, also where the flat offset would be inside.
# expect: f(2x3xi32=1 2 3 4 5 6, 1, 2) -> 6
# trap: f(2x3xi32=1, 0, 3) -> 10 index 3 is out of bounds for dimension 1 of A, whose extent is 3
# trap: f(2x3xi32=1, -1, 0) -> 10 index -1 is out of bounds for dimension 0 of A, whose extent is 2
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2, 3), "int32"), i: T.int32, j: T.int32) -> T.int32:
    return A[i, j]
