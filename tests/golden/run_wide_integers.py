# Python's integers go up to 2 ** 64 - 1 while a text is read: unsigned constants are made of them.
# expect: sums() -> 9223372036854775931
# expect: most() -> 18446744073709551615
# expect: folded(9xi32=0) -> 8 1 -2 -1 3 7 1 5 -3
# expect: bits(4xu64=0) -> 13835058055282163712 9223372036854775808 4611686018427387904 18446744073709551614
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def sums() -> T.uint64:
    return T.uint64((1 << 63) + 123)


@T.prim_func(s_tir=True)
def most() -> T.uint64:
    return T.IntImm("uint64", (1 << 63) - 1 + 2 ** 63)


@T.prim_func(s_tir=True)
def folded(A: T.Buffer((9,), "int32")):
    A[0] = (1 << 63) >> 60
    A[1] = (1 << 63) // ((1 << 62) + 1)
    A[2] = -7 >> 2
    A[3] = (3 - (1 << 63)) // ((1 << 63) - 3)
    A[4] = (2 ** 63 + 3) % 2 ** 62
    A[5] = (2 ** 63 + 7) % 8
    A[6] = 1 if 2 ** 63 + 1 > 2 ** 63 else 0
    A[7] = -3 % 8
    A[8] = ~((2 ** 63) >> 62)


@T.prim_func(s_tir=True)
def bits(A: T.Buffer((4,), "uint64")):
    A[0] = T.uint64((1 << 63) | (1 << 62))
    A[1] = T.uint64(18446744073709551615 & (-1 << 63))
    A[2] = T.uint64(((1 << 63) ^ (1 << 62)) - (1 << 63))
    A[3] = T.uint64(18446744073709551615 ^ 1)
