# expect: ranged(3xi32=0, 3, 20) -> 0 1 4, 361
# expect: serial(3xi32=0, 3) -> 0 1 4
# expect: begun(3xi32=0, 1) -> 0 7 7
# The variable of range(n) has 32 bits or more, for the 0 that it begins at is an int32; that of T.serial(n) has n's type.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def ranged(A: T.Buffer((3,), "int32"), n: T.uint8, m: T.uint8) -> T.int32:
    last: T.int32 = 0
    for i in range(n):
        A[i] = T.Cast("int32", i * i)
    for i in range(m):
        last = T.Cast("int32", i * i)
    return last


@T.prim_func(s_tir=True)
def serial(A: T.Buffer((3,), "int32"), n: T.uint8):
    for i in T.serial(n):
        A[i] = T.Cast("int32", i * i)


@T.prim_func(s_tir=True)
def begun(A: T.Buffer((3,), "int32"), u: T.uint32):
    for i in range(u, u + (T.uint32(3) - u)):
        A[i] = 7
