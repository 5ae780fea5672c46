# a*b+c is one fused operation: (1+2^-12)^2 - (1+2^-11) is 2^-24, which two roundings would lose. A let is a border.
# expect: f(1.000244140625, -1.00048828125, 2xf32=0) -> 5.9604644775390625e-08 0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(a: T.float32, c: T.float32, A: T.Buffer((2,), "float32")):
    A[0] = a * a + c
    product: T.let = a * a
    A[1] = product + c
