# A loop whose step is a constant below 0 counts down to what it ends at, which is no more part of it.
# expect: down(8xi32=0) -> 0 2 2 0 3 0 0 4
# expect: from_n(8xi32=0, 8) -> 8 7 6 5 4 3 2 1
# expect: from_n(8xi32=0, 3) -> 3 2 1 0 0 0 0 0
# expect: from_n(8xi32=0, 0) -> 0 0 0 0 0 0 0 0
# expect: from_n(8xi32=0, -5) -> 0 0 0 0 0 0 0 0
# trap: from_n(8xi32=0, 9) -> 43 index 8
# expect: between(8xi32=0, 7, 2) -> 0 0 0 1 0 1 0 1
# expect: between(8xi32=0, 2, 7) -> 0 0 0 0 0 0 0 0
# expect: wide(8xi32=0, 6) -> 1 0 1 0 1 0 1 0
# expect: shifted(8xi32=1 2 3 4 5 6 7 8) -> 0 1 2 3 4 5 6 7
# expect: until(8xi32=5 6 7 0 9 3 2 1) -> 5 6 7 0 8 2 1 0
# expect: at_once(8xi32=0) -> 1 0 1 0 1 0 1 0
# expect: numbers() -> 97531
# expect: least(2xi32=0) -> 2 -2147483648
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def down(A: T.Buffer((8,), "int32")):
    count: T.int32 = 0
    for i in range(7, 0, -3):
        A[i] = 4 - count
        count = count + 1
        if count == 3:
            A[0] = 9
    for i in T.serial(2, -1, step=-1):
        if A[i] == 0 or A[i] == 9:
            A[i] = i
    for i in range(0, 7, -1):
        A[i] = 100
    for i in T.serial(3, 2, step=-100):
        A[i] = 0
    for i in T.unroll(2, 1, step=-1):
        A[i] = 2


@T.prim_func(s_tir=True)
def from_n(A: T.Buffer((8,), "int32"), n: T.int32):
    count: T.int32 = 0
    for i in range(n - 1, -1, -1):
        count = count + 1
        A[i] = count


@T.prim_func(s_tir=True)
def between(A: T.Buffer((8,), "int32"), low: T.int32, high: T.int32):
    for i in T.serial(low, high, step=-2):
        A[i] = A[i] + 1


@T.prim_func(s_tir=True)
def wide(A: T.Buffer((8,), "int32"), n: T.int64):
    for i in T.serial(n, T.int64(-1), step=T.int64(-2)):
        A[i] = A[i] + 1


@T.prim_func(s_tir=True)
def shifted(A: T.Buffer((8,), "int32")):
    for i in range(7, 0, -1):
        A[i] = A[i - 1]
    A[0] = 0


@T.prim_func(s_tir=True)
def until(A: T.Buffer((8,), "int32")):
    for i in range(7, -1, -1):
        if A[i] == 0:
            break
        A[i] = A[i] - 1


@T.prim_func(s_tir=True)
def at_once(A: T.Buffer((8,), "int32")):
    for i in T.parallel(6, -1, step=-2):
        A[i] = 1


@T.prim_func(s_tir=True)
def numbers() -> T.int32:
    return sum(i * 10 ** (i // 2) for i in range(9, 0, -2))


@T.prim_func(s_tir=True)
def least(A: T.Buffer((2,), "int32")):
    for i in range(0, -2147483648, -2147483648):
        A[0] = A[0] + 1
    for i in T.serial(-1, -2147483648, step=-2147483647):
        A[0] = A[0] + 1
        A[1] = i - 2147483647
