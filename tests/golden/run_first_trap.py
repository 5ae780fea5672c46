# Of an index outside and a divisor that is 0 the iteration that comes first ends the call, whichever a block of lanes computes first.
# trap: f(9xi32=1, 12xi32=5 5 5 99 5 5 5 5 5 5 5 5, 12xi32=1 1 1 1 1 1 1 1 1 1 0 1, 12xi32=0) -> 12 index 99 is out of bounds
# trap: f(9xi32=1, 12xi32=5 5 5 5 5 5 5 5 5 5 99 5, 12xi32=1 1 1 0 1 1 1 1 1 1 1 1, 12xi32=0) -> 12 divided by zero
# trap: two(12xi32=1 1 1 1 1 1 1 1 1 1 0 1, 12xi32=1 1 1 0 1 1 1 1 1 1 1 1, 12xi32=7) -> 19 divided by zero
# trap: two(12xi32=1 1 1 0 1 1 1 1 1 1 1 1, 12xi32=1 1 1 1 1 1 1 1 1 1 0 1, 12xi32=7) -> 18 divided by zero
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((9,), "int32"), K: T.Buffer((12,), "int32"), D: T.Buffer((12,), "int32"), B: T.Buffer((12,), "int32")):
    for i in range(12):
        B[i] = A[K[i] // D[i]]


@T.prim_func(s_tir=True)
def two(D: T.Buffer((12,), "int32"), E: T.Buffer((12,), "int32"), B: T.Buffer((12,), "int32")):
    for i in range(12):
        B[i] = B[i] // D[i]
        B[i] = B[i] % E[i]
