# Constants that fold to NaN are one constant, however they came about; tests/unit/test_print.c reads them back.
# expect: f(5xf32=0, 2xf64=0) -> nan nan nan 0 -0, nan nan
from tvm.script import tirx as T

inf = float("inf")


@T.prim_func(s_tir=True)
def f(A: T.Buffer((5,), "float32"), B: T.Buffer((2,), "float64")):
    A[0] = T.float32(-0.0) * T.float32("inf")
    A[1] = T.float32("inf") - T.float32("inf")
    A[2] = -0.0 * inf
    A[3] = 0.0 * B[0]
    A[4] = A[0] * T.float32(-0.0)
    B[0] = T.float64("-inf") * T.float64(0)
    B[1] = -T.float64("nan")
