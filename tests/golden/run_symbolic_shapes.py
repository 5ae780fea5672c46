# expect: f(2x3xi32=1 2 3 4 5 6, 3x2xi32=0) -> 1 4 2 5 3 6
# expect: g(_, 4xi32=0) -> 3 3 3 3
# expect: g(4, 4xi32=0) -> 3 3 3 3
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, m), "int32")
    B = T.match_buffer(b, (m, n), "int32")
    for i, j in T.grid(n, m):
        B[j, i] = A[i, j]


@T.prim_func(s_tir=True)
def g(n: T.int32, A: T.Buffer(("n",), "int32")):
    for i in range(n):
        A[i] = n - 1
