# Sums and products of indices that leave their type and come back: by a maximum, by a cast, or by going around. What counts is
# their value in the type, not what whole numbers would give.
# expect: clamped(16xi32=5, 2147483647) -> 6 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7
# expect: clamped_wide(16xi32=5, 9223372036854775807) -> 6 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7
# trap: widened(8xi32=1 2 3 4 5 6 7 8, 4xi32=0, 2147483647) -> 91 index -4294967295 is out of bounds
# expect: widened(8xi32=1 2 3 4 5 6 7 8, 1xi32=0, 2147483647) -> 1
# expect: doubled(8xi32=1 2 3 4 5 6 7 8, 4xi32=0, -2147483648) -> 1 3 5 7
# trap: doubled(8xi32=1 2 3 4 5 6 7 8, 5xi32=0, -2147483648) -> 60 index 8 is out of bounds
# expect: around(4xi32=0, -2147483648, 8) -> 4 0 0 0
# expect: around_wide(4xi32=0, -9223372036854775808, 8) -> 4 0 0 0
# expect: largest(16xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, 4xi32=0) -> 9 9 9 9
# expect: behind_sum(16xi32=1, 2147483647) -> 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
# expect: interleaved(1x2x5xi32=0) -> 1 2 1 2 0 1 2 1 2 0
# expect: nothing(1x4xi32=0, 4xi32=7, 0, 0) -> 7 7 7 7
from tvm.script import tirx as T


# Only every second multiple is an element, and always the same one.
@T.prim_func(s_tir=True)
def around(A: T.Buffer((4,), "int32"), k: T.int32, m: T.int32):
    for i in range(m):
        if i % 2 == 0:
            A[i * k] = A[i * k] + 1


@T.prim_func(s_tir=True)
def around_wide(A: T.Buffer((4,), "int32"), k: T.int64, m: T.int32):
    for i in range(m):
        if i % 2 == 0:
            A[T.cast(i, "int64") * k] = A[T.cast(i, "int64") * k] + 1


# i + k goes around to below 0, and the maximum takes the element before instead.
@T.prim_func(s_tir=True)
def behind_sum(B: T.Buffer(("n",), "int32"), k: T.int32):
    n = T.int32()
    for i in range(1, n):
        B[i] = B[T.max(i + T.max(k, 0), i - 1)] + 1


@T.prim_func(s_tir=True)
def clamped(B: T.Buffer(("n",), "int32"), k: T.int32):
    n = T.int32()
    for i in range(n):
        B[i] = B[T.max(T.max(k, 0) + n, 1)] + 1


@T.prim_func(s_tir=True)
def clamped_wide(b: T.handle, k: T.int64):
    n = T.int64()
    B = T.match_buffer(b, (n,), "int32")
    for i in range(n):
        B[i] = B[T.max(T.max(k, T.int64(0)) + n, T.int64(1))] + 1


@T.prim_func(s_tir=True)
def doubled(A: T.Buffer((8,), "int32"), B: T.Buffer(("m",), "int32"), k: T.int32):
    m = T.int32()
    for i in range(m):
        B[i] = A[(i + k) * 2]


# In rows of odd lengths nothing but the index says that the two never meet.
@T.prim_func(s_tir=True)
def interleaved(A: T.Buffer(("k", "n", "m"), "int32")):
    k, n, m = T.int32(), T.int32(), T.int32()
    for z, i, j in T.grid(k, n, m // 2):
        A[z, i, 2 * j] = 1
        A[z, i, 2 * j + 1] = 2


# Nothing is larger than the greatest of uint64, and ten more are nine.
@T.prim_func(s_tir=True)
def largest(A: T.Buffer((16,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[T.cast(T.max(T.cast(i, "uint64"), T.uint64(18446744073709551615)) + T.uint64(10), "int32")]


# A loop without iterations keeps what is in it from failing, whichever way.
@T.prim_func(s_tir=True)
def nothing(A: T.Buffer((1, 4), "int32"), B: T.Buffer((4,), "int32"), n: T.int32, zero: T.int32):
    for i in range(n):
        for j in range(4):
            B[j] = A[i, j + 4] + T.floordiv(B[j - 9], zero)


@T.prim_func(s_tir=True)
def widened(A: T.Buffer((8,), "int32"), B: T.Buffer(("m",), "int32"), k: T.int32):
    m = T.int32()
    for i in range(m):
        B[i] = A[T.cast(i + k, "int64") - T.int64(2147483647)]
