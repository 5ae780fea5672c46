# expect: f(8xi32=20) -> 23 17 60 6 2 80 5 21
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "int32")):
    A[0] += 3
    A[1] -= 3
    A[2] *= 3
    A[3] //= 3
    A[4] %= 3
    A[5] <<= 2
    A[6] >>= 2
    A[7] ^= 1
