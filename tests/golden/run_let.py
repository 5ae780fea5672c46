# expect: f(2xi32=3 5, 2xi32=0) -> 8 120
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32")):
    x: T.let[T.int32] = A[0] + A[1]
    product: T.let = A[0] * A[1]
    B[0] = x
    B[1] = x * product
