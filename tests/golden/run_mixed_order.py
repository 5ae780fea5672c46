# A float16 is compared as the wider type of the two: float16(0.1) is below float32(0.1).
# expect: f(3xi32=1 2 3, 3xi64=4294967296 2 -9, 3xf32=1.5 2.5 2.5, 3xbool=0, 3xbool=0, 3xbool=0) -> 1 0 0, 1 1 0, 1 1 1, 2
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((3,), "int32"), B: T.Buffer((3,), "int64"), C: T.Buffer((3,), "float32"), below: T.Buffer((3,), "bool"), under: T.Buffer((3,), "bool"), half: T.Buffer((3,), "bool")) -> T.int32:
    count: T.int32 = 0
    tenth: T.float16 = T.float16(0.1)
    for i in range(3):
        below[i] = A[i] < B[i]
        under[i] = A[i] < C[i]
        half[i] = tenth < 0.1
        if A[i] > 1.5:
            count += 1
    return count
