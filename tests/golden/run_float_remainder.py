# T.truncmod of floats is the remainder of the truncated quotient: exact, with the sign of the dividend.
# expect: f32s(6xf32=5.5 -5.5 1e30 7 -0 inf, 6xf32=2 2 7 -4 3 2) -> 1.5 -1.5 1 3 -0 nan
# expect: f64s(3xf64=5.5 -7 1e300) -> 5.5 -0 1
# expect: vectors(4xf32=1.5 2.5 -3.5 4.5) -> 1.5 0.5 -1.5 0.5
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f32s(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
    for i in range(6):
        A[i] = T.truncmod(A[i], B[i])


@T.prim_func(s_tir=True)
def f64s(A: T.Buffer((3,), "float64")):
    for i in range(3):
        A[i] = T.Mod(A[i], T.float64(7))


@T.prim_func(s_tir=True)
def vectors(A: T.Buffer((4,), "float32")):
    A[0:4] = T.truncmod(A[0:4], T.Broadcast(T.float32(2), 4))
