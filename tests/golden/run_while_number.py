# A number as the condition of a while loop holds unless it is 0.
# expect: down(2xi32=3 0) -> 0 3
# expect: digits(1005) -> 4
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def down(A: T.Buffer((2,), "int32")):
    while A[0]:
        A[0] = A[0] - 1
        A[1] = A[1] + 1


@T.prim_func(s_tir=True)
def digits(n: T.uint32) -> T.int32:
    rest: T.uint32 = n
    count: T.int32 = 0
    while rest:
        rest = rest // T.uint32(10)
        count += 1
    return count
