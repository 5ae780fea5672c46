# An integer as the condition of a branch holds unless it is 0; TVM reads such a branch and does not compile it.
# expect: branches(3xi32=0 0 0, 0, 256) -> 2 1 0
# expect: branches(3xi32=0 5 0, -1, 0) -> 1 5 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def branches(A: T.Buffer((3,), "int32"), n: T.int32, m: T.int64):
    if n:
        A[0] = 1
    else:
        A[0] = 2
    if A[1]:
        A[2] = 3
    elif m & T.int64(256):
        A[1] = 1
    with T.If(T.Cast("uint8", m)):
        with T.Then():
            A[2] = 9
