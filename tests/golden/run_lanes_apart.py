# Lanes keep apart while inner loops come back to elements of theirs, or stand between them.
# expect: windows(2x4xf32=1 2 3 4 5 6 7 8, 4x4xf32=0) -> 1 2 3 4 6 8 10 12 6 8 10 12 5 6 7 8
# expect: last(2x4xf32=1 2 3 4 5 6 7 8, 4x4xf32=0) -> 0 0 0 0 5 6 7 8 10 12 14 16 15 18 21 24
# expect: copied(2x3x4xi32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24, 4x4xi32=0) -> 1 2 3 4 13 14 15 16 17 18 19 20 21 22 23 24
# expect: between(2x4xi32=1 2 3 4 5 6 7 8, 8xi32=0) -> 1 5 2 6 3 7 4 8
# expect: shuffled(2x4x5xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39, 4x10xi32=0) -> 0 5 1 6 2 7 3 8 4 9 10 15 11 16 12 17 13 18 14 19 20 25 21 26 22 27 23 28 24 29 30 35 31 36 32 37 33 38 34 39
# expect: diagonals(5xi32=1 2 3 4 5, 6x5xi32=0) -> 0 0 0 0 1 0 0 0 2 1 0 0 3 2 0 0 4 3 0 0 5 4 0 0 0 5 0 0 0 0
# expect: columns(4xi32=1 2 3 4, 4x8x3xi32=0) -> 2 1 0 0 0 0 3 0 1 0 0 0 4 0 0 0 0 0 5 0 0 0 0 0 0 2 0 0 0 0 0 3 2 0 0 0 0 4 0 0 0 0 0 5 0 0 0 0 0 3 0 0 0 0 0 0 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4 0 0 0 0 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def windows(A: T.Buffer((2, 4), "float32"), O: T.Buffer((4, 4), "float32")):
    for w in range(4):
        for h in range(2):
            for r in range(3):
                O[h + r, w] = O[h + r, w] + A[h, w]


@T.prim_func(s_tir=True)
def last(A: T.Buffer((2, 4), "float32"), O: T.Buffer((4, 4), "float32")):
    for w in range(4):
        for h in range(2):
            for r in range(3):
                O[h + r, w] = A[h, w] * T.Cast("float32", h + r)


@T.prim_func(s_tir=True)
def copied(A: T.Buffer((2, 3, 4), "int32"), O: T.Buffer((4, 4), "int32")):
    for w in range(4):
        for h in range(2):
            for r in range(3):
                O[h + r, w] = A[h, r, w]


@T.prim_func(s_tir=True)
def between(A: T.Buffer((2, 4), "int32"), O: T.Buffer((8,), "int32")):
    for w, k in T.grid(4, 2):
        O[w * 2 + k] = A[k, w]


@T.prim_func(s_tir=True)
def shuffled(A: T.Buffer((2, 4, 5), "int32"), O: T.Buffer((4, 10), "int32")):
    for h, w in T.grid(4, 10):
        O[h, w] = A[h // 2, h % 2 * 2 + w % 2, w // 2]


# A counter in two indices at once, and rows of another step that only a column tells apart.
@T.prim_func(s_tir=True)
def diagonals(A: T.Buffer((5,), "int32"), O: T.Buffer((6, 5), "int32")):
    for i, j in T.grid(5, 2):
        O[i + j, 4 - i] = A[i]


@T.prim_func(s_tir=True)
def columns(A: T.Buffer((4,), "int32"), O: T.Buffer((4, 8, 3), "int32")):
    for i in range(2):
        for j in range(4):
            O[j, i * 2, i + 1] = A[j]
            O[i, j * 2, i] = A[j] + 1
