# What a loop's own variables decide changes from iteration to iteration: no bound of the loop.
# expect: f(2x3xi64=5 0 9 1 1 1, 2x3xi64=0) -> 7 7 7 9 5 7
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2, "n"), "int64"), B: T.Buffer((2, "n"), "int64")):
    n = T.int32()
    for i in T.serial(2):
        for j in T.serial(n):
            x: T.let = A[i, j]
            B[i, j] = T.Select(x < T.cast(j, "int64"), T.int64(7), T.Select(A[i, j] > T.int64(3), T.int64(7), A[0, (j + 2) % n]))
