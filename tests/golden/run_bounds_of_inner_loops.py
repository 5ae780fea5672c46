# What limits the counter of two loops may be another one in each iteration of a loop inside, or what the body stores.
# expect: inner(8xi32=0) -> 0 3 6 9 12 15 18 21
# expect: stored(1xi32=5, 1xi32=0) -> 3, 3
# expect: shrinking(1xi32=5, 8xi32=0) -> 3, 1 1 1 0 0 0 0 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def inner(A: T.Buffer((8,), "int32")):
    for i in range(4):
        for j in range(16):
            for k in range(8):
                if i * 16 + j < k * 3:
                    A[k] = A[k] + 1


@T.prim_func(s_tir=True)
def stored(n: T.Buffer((1,), "int32"), A: T.Buffer((1,), "int32")):
    for i in range(4):
        for j in range(2):
            if i * 2 + j < n[0]:
                A[0] = A[0] + 1
                n[0] = T.max(n[0] - 1, 3)


@T.prim_func(s_tir=True)
def shrinking(n: T.Buffer((1,), "int32"), A: T.Buffer((8,), "int32")):
    for i in range(8):
        for j in range(1):
            if i < n[0]:
                A[i] = A[i] + 1
                n[0] = T.max(n[0] - 1, 3)
