# Sizes that are multiplied in an index of a row reach a part of it: the next row begins where it did.
# expect: main(3xi32=0, 3x8xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23, 2, 2) -> 6 38 70
# expect: main(3xi32=0, 3x8xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23, 2, 4) -> 28 92 156
# expect: main(3xi32=0, 3x8xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23, 0, 3) -> 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((3,), "int32"), B: T.Buffer((3, 8), "int32"), n: T.int32, m: T.int32):
    for i in range(3):
        for k in range(n):
            for j in range(m):
                A[i] = A[i] + B[i, k * m + j]
