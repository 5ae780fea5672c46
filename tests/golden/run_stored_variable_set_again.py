# An element that a variable was stored to keeps its value when the variable is set again.
# expect: main(8xi32=0, 8xi32=9 1 7 5 6 0 8 2, 8) -> 21 11 17 11 15 11 19 11
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), n: T.int32):
    for o in range(n):
        s: T.int32 = 4
        if B[o] > 5:
            s = B[o]
        A[o] = s
        s = A[o] + 3
        A[o] = A[o] + s
