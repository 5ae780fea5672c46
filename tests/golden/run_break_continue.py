# The odd numbers below the first that is over the limit.
# expect: f(6xi32=1 2 3 5 40 7, 10) -> 9
# expect: f(6xi32=2, 10) -> 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((6,), "int32"), limit: T.int32) -> T.int32:
    total = T.int32(0)
    for i in range(6):
        if A[i] > limit:
            break
        if A[i] % 2 == 0:
            continue
        total = total + A[i]
    return total
